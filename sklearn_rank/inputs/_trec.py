"""TREC files of judgements and runs → dictionaries for `from_qrels`."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from io import BytesIO, TextIOWrapper
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn_rank._options import attribute, name_of

if TYPE_CHECKING:
    from collections.abc import Callable

BLANKS = " \t\f\v"  # those of Unicode may stand in ids
WHITE_SPACE = re.compile(f"[{BLANKS}]+")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?", re.ASCII | re.IGNORECASE)
INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
GZIP = b"\x1f\x8b"


def read_qrels(path: Any) -> dict[str, dict[str, int]]:
    r"""The judgements of a TREC file, as `from_qrels` takes them.

    Lines of four fields, ``query iteration document grade``, with any white space between them; the second is
    not used.

    Parameters
    ----------
    path : str, os.PathLike or file object
        A file in UTF-8, also compressed by gzip, or an open one, text or binary.

    Returns
    -------
    dict of {str: {str: int}}
        Grades by query and document, in the order of the file. Ids stay text.

    Raises
    ------
    ValueError
        If the file is empty, is no UTF-8, or a line has other fields, a grade that is no integer or a document
        that its query already has; the message says which line. There are no comments.
    TypeError
        If `path` is neither a path nor an open file.

    See Also
    --------
    read_run : The other side.
    from_qrels : Makes y_true and y_scores of both.

    Examples
    --------
    >>> from io import StringIO
    >>> from sklearn_rank import read_qrels
    >>> read_qrels(StringIO("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n"))
    {'q1': {'d1': 1, 'd2': 0}, 'q2': {'d1': 2}}
    """
    return _parsed(*_content(path), "query iteration document grade", 3, INTEGER, int)


def read_run(path: Any) -> dict[str, dict[str, float]]:
    r"""The run of a TREC file, as `from_qrels` takes it.

    Lines of six fields, ``query Q0 document rank score tag``, with any white space between them; the score
    ranks, as in trec_eval, and the rank is not used.

    Parameters
    ----------
    path : str, os.PathLike or file object
        A file in UTF-8, also compressed by gzip, or an open one, text or binary.

    Returns
    -------
    dict of {str: {str: float}}
        Scores by query and document, in the order of the file. Ids stay text.

    Raises
    ------
    ValueError
        If the file is empty, is no UTF-8, or a line has other fields, a score that is no number or a document
        that its query already has; the message says which line. There are no comments.
    TypeError
        If `path` is neither a path nor an open file.

    See Also
    --------
    read_qrels : The other side.
    from_qrels : Makes y_true and y_scores of both.

    Examples
    --------
    >>> from io import StringIO
    >>> from sklearn_rank import from_qrels, map_at_k, read_qrels, read_run
    >>> run = read_run(StringIO("q1 Q0 d2 1 9.5 bm25\nq1 Q0 d1 2 7.5 bm25\n"))
    >>> run
    {'q1': {'d2': 9.5, 'd1': 7.5}}
    >>> map_at_k(*from_qrels(read_qrels(StringIO("q1 0 d1 1\n")), run))
    0.5
    """
    content, name = _content(path)
    try:
        return _plain_run(content)
    except ValueError:  # unusual or malformed: the careful way reads it or says what is wrong where
        return _parsed(content, name, "query Q0 document rank score tag", 4, NUMBER, float)


def _plain_run(content: bytes) -> dict[str, dict[str, float]]:
    """A run in ASCII without blank lines; a ValueError for anything else. Half the time of `_parsed`."""
    content = content.rstrip()
    found: dict[str, dict[str, float]] = {}
    row: dict[str, float] = {}
    last = None
    for query, _, document, _, score, _ in map(str.split, TextIOWrapper(BytesIO(content), "ascii")):
        if query != last:
            row = found.setdefault(query, {})
            last = query
        if "_" in score:  # 1_000 is a number to Python alone
            raise ValueError
        row[document] = float(score)
    n_documents = sum(map(len, found.values()))
    if n_documents <= content.count(b"\n") or any(isnan(sum(row.values())) for row in found.values()):
        raise ValueError  # a document twice, or perhaps a score that is nan
    return found


def _parsed(
    content: bytes, name: str, fields: str, at: int, pattern: re.Pattern[str], number: Callable[[str], Any]
) -> dict[str, dict[str, Any]]:
    """{query: {document: number in field `at`}}."""
    names = fields.split()
    found: dict[str, dict[str, Any]] = {}
    for line_number, line in enumerate(_decoded(content, name).split("\n"), 1):
        parts = WHITE_SPACE.split(line.strip(BLANKS))
        if parts == [""]:
            continue
        where = f"{name}, line {line_number}"
        if len(parts) != len(names):
            message = f"{where}: expected the {len(names)} fields `{fields}`, got {len(parts)}: {line!r:.200}."
            raise ValueError(message)
        query, document, value = parts[0], parts[2], parts[at]
        if pattern.fullmatch(value) is None:
            kind = "an integer" if number is int else "a number"
            message = f"{where}: `{names[at]}` must be {kind}, got {value!r} in {line!r:.200}."
            raise ValueError(message)
        row = found.setdefault(query, {})
        if document in row:
            message = f"{where}: document {document!r} stands in query {query!r} already."
            raise ValueError(message)
        row[document] = number(value)
    if not found:
        message = f"{name} is empty: expected lines of the fields `{fields}`."
        raise ValueError(message)
    return found


def _content(path: Any) -> tuple[bytes, str]:
    """The bytes of a file, and what to call it."""
    if attribute(path, "read") is not None:
        content, name = path.read(), str(getattr(path, "name", f"`path` ({name_of(path)})"))
    elif isinstance(path, (str, os.PathLike)):
        try:
            content, name = Path(path).read_bytes(), str(path)
        except ValueError as error:  # a null byte, a lone surrogate
            message = f"`path` must be the path of a file, got {path!r:.200}: {error}."
            raise ValueError(message) from error
    else:
        message = f"`path` must be the path of a file or an open file, got {path!r:.200} ({name_of(path)})."
        raise TypeError(message)
    if not isinstance(content, (str, bytes)):
        message = f"`path` must be an open file whose read() gives text or bytes, got {name_of(content)} from it."
        raise TypeError(message)
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogateescape")
    if content.startswith(GZIP):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            message = f"{name} is no complete gzip file: {error}"
            raise ValueError(message) from error
    return content, name


def _decoded(content: bytes, name: str) -> str:
    """The text with a line feed at the end of each line, without a byte order mark."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line_number = 1 + content.count(b"\n", 0, error.start)
        message = (
            f"{name}, line {line_number}: expected UTF-8, got the bytes {error.object[error.start : error.end]!r}."
        )
        raise ValueError(message) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")
