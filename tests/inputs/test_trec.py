"""TREC files of judgements and runs."""

from __future__ import annotations

import gzip
import io
import math

import pytest

from sklearn_rank import from_qrels, map_at_k, mrr_at_k, read_qrels, read_run

QRELS = "1 0 d1 1\n1 0 d2 0\n1 0 d3 2\n2 0 d1 1\n"
RUN = "1 Q0 d2 1 9.5 x\n1 Q0 d3 2 7.5 x\n2 Q0 d1 1 3.5 x\n2 Q0 d4 2 3.5 x\n"
JUDGED = {"1": {"d1": 1, "d2": 0, "d3": 2}, "2": {"d1": 1}}
SCORED = {"1": {"d2": 9.5, "d3": 7.5}, "2": {"d1": 3.5, "d4": 3.5}}


def exactly(value):
    return pytest.approx(value, rel=1e-13, abs=0)


@pytest.fixture
def file(tmp_path):
    def write(content, name="file.txt"):
        content = content if isinstance(content, bytes) else content.encode()
        path = tmp_path / name
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


class TestFiles:
    def test_dictionaries(self, file):
        assert read_qrels(file(QRELS)) == JUDGED
        assert read_run(file(RUN)) == SCORED
        assert {type(grade) for row in read_qrels(file(QRELS)).values() for grade in row.values()} == {int}
        assert {type(score) for row in read_run(file(RUN)).values() for score in row.values()} == {float}

    def test_values(self, file):
        # Query 1: d2, d3 with a hit at 2 of two relevant; query 2: d4 before d1 as the greater id.
        pair = from_qrels(read_qrels(file(QRELS)), read_run(file(RUN)))
        value = map_at_k(*pair, denominator="relevant", relevance_threshold=1, ties="first")
        assert value == exactly(((1 / 2) / 2 + 1 / 2) / 2)

    @pytest.mark.parametrize(
        "change",
        [
            lambda text: text.replace(" ", "\t"),
            lambda text: text.replace(" ", " \t  "),
            lambda text: text.replace("\n", "\r\n"),
            lambda text: text.replace("\n", "\r"),
            lambda text: text.replace("\n", "  \n"),
            lambda text: "  " + text,
            lambda text: "\ufeff" + text,
            lambda text: text + "\n\n \n",
            lambda text: text.replace("\n", "\n\n"),
            lambda text: text[:-1],
        ],
        ids=["tabs", "blanks", "CRLF", "CR", "trailing", "leading", "mark", "empty lines", "between", "no end"],
    )
    def test_white_space(self, file, change):
        assert read_qrels(file(change(QRELS))) == JUDGED
        assert read_run(file(change(RUN))) == SCORED

    def test_containers(self, file):
        for read, text, found in ((read_qrels, QRELS, JUDGED), (read_run, RUN, SCORED)):
            assert read(str(file(text))) == found
            assert read(file(text, "file.gz")) == found
            assert read(io.StringIO(text)) == found
            assert read(io.BytesIO(text.encode())) == found
            assert read(io.BytesIO(gzip.compress(text.encode()))) == found
            with file(text).open(encoding="utf-8") as opened:
                assert read(opened) == found
            with gzip.open(file(text, "file.gz"), "rt", encoding="utf-8") as opened:
                assert read(opened) == found
            with file(text).open("rb") as opened:
                assert read(opened) == found

    def test_ids_stay_as_they_are(self, file):
        # A quote, a letter and a blank that is none of ASCII, which str.split would part.
        ids = ['d"1', "é", "a\u00a0b", "\u2003", "007", "#1"]
        lines = "".join(f"07 0 {item} {grade}\n" for grade, item in enumerate(ids))
        assert read_qrels(file(lines)) == {"07": dict(zip(ids, range(len(ids)), strict=True))}
        lines = "".join(f"07 Q0 {item} 1 {score} x_1\n" for score, item in enumerate(ids))
        assert read_run(file(lines)) == {"07": dict(zip(ids, map(float, range(len(ids))), strict=True))}

    def test_rows_of_a_query_apart(self, file):
        assert read_run(file("1 Q0 a 1 3 x\n2 Q0 b 1 2 x\n1 Q0 c 2 1 x\n")) == {"1": {"a": 3, "c": 1}, "2": {"b": 2}}

    def test_endless_scores(self):
        run = read_run(io.StringIO("q Q0 a 1 inf x\nq Q0 b 2 1e0 x\nq Q0 c 3 -Infinity x\nq Q0 d 4 +.5 x\n"))
        assert run == {"q": {"a": math.inf, "b": 1, "c": -math.inf, "d": 0.5}}
        assert mrr_at_k(*from_qrels({"q": {"c": 1}}, run)) == 0
        assert mrr_at_k(*from_qrels({"q": {"b": 1}}, run)) == exactly(1 / 2)

    def test_negative_grades(self):
        assert read_qrels(io.StringIO("q 0 a -1\nq 0 b +2\n")) == {"q": {"a": -1, "b": 2}}


class TestBrokenFiles:
    @pytest.mark.parametrize("line", ["3 Q0 d1 1 2.5", "3 Q0 d1 1 2.5 x y", "3", "# a comment", "3 Q0\u00a0d1 1 2.5 x"])
    def test_a_run_with_other_fields(self, file, line):
        with pytest.raises(
            ValueError, match=r"line 5: expected the 6 fields `query Q0 document rank score tag`, got \d"
        ):
            read_run(file(RUN + line + "\n"))

    @pytest.mark.parametrize("line", ["3 0 d1", "3 0 d1 1 x", "# comment"])
    def test_judgements_with_other_fields(self, file, line):
        with pytest.raises(ValueError, match="line 5: expected the 4 fields `query iteration document grade`"):
            read_qrels(file(QRELS + line + "\n"))

    @pytest.mark.parametrize("number", ["7,5", "nan", "-NaN", "high", "1_000", "0x1", "1e", ".", "١"])
    def test_a_score_that_is_no_number(self, file, number):
        with pytest.raises(ValueError, match=f"file.txt, line 2: `score` must be a number, got '{number}'"):
            read_run(file(RUN.replace("7.5", number)))

    @pytest.mark.parametrize("number", ["two", "1.0", "1_0", "nan", "1" * 5000])
    def test_a_grade_that_is_no_integer(self, file, number):
        with pytest.raises(ValueError, match=r"file.txt, line 3: `grade` must be an integer, got"):
            read_qrels(file(QRELS.replace("d3 2", f"d3 {number}")))

    def test_comments_are_lines_like_any_other(self):
        with pytest.raises(ValueError, match="line 1: `score` must be a number, got 'six'"):
            read_run(io.StringIO("# a comment of six words\n"))
        with pytest.raises(ValueError, match="line 1: `grade` must be an integer, got 'words'"):
            read_qrels(io.StringIO("# of four words\n"))

    def test_a_document_twice(self, file):
        with pytest.raises(ValueError, match="line 5: document 'd2' stands in query '1' already"):
            read_run(file(RUN + RUN))
        with pytest.raises(ValueError, match="line 5: document 'd1' stands in query '1' already"):
            read_qrels(file(QRELS + QRELS))

    def test_bytes_that_are_no_text(self, file):
        with pytest.raises(ValueError, match=r"file.txt, line 3: expected UTF-8, got the bytes b'\\xe9'"):
            read_run(file(RUN.encode().replace(b"2 Q0 d1", b"2 Q0 \xe9")))
        with pytest.raises(ValueError, match="line 2: expected UTF-8"):
            read_qrels(io.StringIO("q 0 a 1\nq 0 \udce9 1\n"))  # as errors="surrogateescape" leaves it

    @pytest.mark.parametrize("content", ["", "\n", " \n\t\n", "\ufeff"])
    def test_an_empty_file(self, file, content):
        with pytest.raises(ValueError, match=r"file.txt is empty: expected lines of the fields `query Q0"):
            read_run(file(content))
        with pytest.raises(ValueError, match=r"`path` \(StringIO\) is empty"):
            read_qrels(io.StringIO(content))

    def test_a_broken_archive(self, file):
        path = file(RUN, "run.gz")
        path.write_bytes(path.read_bytes()[:-12])
        with pytest.raises(ValueError, match=r"run.gz is no complete gzip file"):
            read_run(path)

    def test_a_file_that_is_not_there(self):
        with pytest.raises(FileNotFoundError, match="no-such-file"):
            read_run("no-such-file")

    @pytest.mark.parametrize("path", [3, None, ["file"], b"file", {}])
    def test_what_is_no_path(self, path):
        for read in (read_qrels, read_run):
            with pytest.raises(TypeError, match="`path` must be the path of a file or an open file, got"):
                read(path)

    def test_an_open_file_that_gives_something_else(self):
        class Strange:
            def read(self):
                return [1]

        with pytest.raises(
            TypeError, match=r"`path` must be an open file whose read\(\) gives text or bytes, got list"
        ):
            read_run(Strange())
