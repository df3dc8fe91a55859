"""TREC files of judgements and runs → dictionaries for `from_qrels`."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn_rank._options import name_of

if TYPE_CHECKING:
    from collections.abc import Callable

WHITE_SPACE = re.compile(r"[ \t\r\f\v]+")  # without the blanks of Unicode, which may stand in ids
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?", re.ASCII | re.IGNORECASE)
INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
GZIP = b"\x1f\x8b"


def read_qrels(path: Any) -> dict[str, dict[str, int]]:
    """The judgements of a TREC file, as `from_qrels` takes them.

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
    >>> read_qrels(StringIO("q1 0 d1 1\\nq1 0 d2 0\\nq2 0 d1 2\\n"))
    {'q1': {'d1': 1, 'd2': 0}, 'q2': {'d1': 2}}
    """
    return _read(path, "query iteration document grade", 3, INTEGER, int)


def read_run(path: Any) -> dict[str, dict[str, float]]:
    """The run of a TREC file, as `from_qrels` takes it.

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
    >>> run = read_run(StringIO("q1 Q0 d2 1 9.5 bm25\\nq1 Q0 d1 2 7.5 bm25\\n"))
    >>> run
    {'q1': {'d2': 9.5, 'd1': 7.5}}
    >>> map_at_k(*from_qrels(read_qrels(StringIO("q1 0 d1 1\\n")), run))
    0.5
    """
    return _read(path, "query Q0 document rank score tag", 4, NUMBER, float)


def _read(path: Any, fields: str, at: int, pattern: re.Pattern[str], number: Callable[[str], Any]) -> dict[str, Any]:
    """{query: {document: number in field `at`}}."""
    text, name = _text(path)
    lines = text.split("\n")
    del text
    n_fields = len(fields.split())
    found: dict[str, dict[str, Any]] = {}
    row: dict[str, Any] = {}
    last = None
    for line_number, line in enumerate(lines, 1):
        parts = line.split() if line.isascii() else WHITE_SPACE.split(line.strip(" \t\r\f\v"))
        if len(parts) != n_fields:
            if not line.strip():
                continue
            message = f"{name}, line {line_number}: expected the {n_fields} fields `{fields}`, got {line!r:.200}."
            raise ValueError(message)
        query, document, value = parts[0], parts[2], parts[at]
        if query != last:
            row = found.setdefault(query, {})
            last = query
        if document in row:
            message = f"{name}, line {line_number}: document {document!r} is in query {query!r} already."
            raise ValueError(message)
        if pattern.fullmatch(value) is None:
            kind = "an integer" if number is int else "a number"
            message = f"{name}, line {line_number}: `{fields.split()[at]}` must be {kind}, got {value!r} in {line!r:.200}."
            raise ValueError(message)
        row[document] = number(value)
    if not found:
        message = f"{name} is empty: expected lines of the fields `{fields}`."
        raise ValueError(message)
    return found


def _text(path: Any) -> tuple[str, str]:
    """The content with \\n at the ends of lines, and what to call it."""
    if hasattr(path, "read"):
        name = str(getattr(path, "name", f"`path` ({name_of(path)})"))
        content = path.read()
    elif isinstance(path, (str, os.PathLike)):
        name = str(path)
        content = Path(path).read_bytes()
    else:
        message = f"`path` must be the path of a file or an open file, got {path!r:.200} ({name_of(path)})."
        raise TypeError(message)
    if isinstance(content, bytes):
        content = _decoded(content, name)
    content = content.removeprefix("\ufeff")  # a byte order mark
    return content.replace("\r\n", "\n").replace("\r", "\n") if "\r" in content else content, name


def _decoded(content: bytes, name: str) -> str:
    if content.startswith(GZIP):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            message = f"{name} is no complete gzip file: {error}"
            raise ValueError(message) from error
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line_number = 1 + content.count(b"\n", 0, error.start)
        message = f"{name}, line {line_number}: expected UTF-8, got the bytes {content[error.start:error.end]!r}."
        raise ValueError(message) from error
