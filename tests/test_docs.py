"""The pages: every public name has one, every page has its place, every link to a file has its file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sklearn_rank

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
BUILT = {"_build", "_templates", "gallery", "generated", "backreferences"}
PAGES = [
    path
    for path in sorted(DOCS.rglob("*"))
    if path.suffix in {".md", ".rst"} and not BUILT & set(path.relative_to(DOCS).parts)
]
READ_ON_GITHUB = [
    ROOT / "README.md",
    ROOT / "benchmarks" / "README.md",
    *(page for page in PAGES if page.suffix == ".md"),
]


def text_of(path):
    return path.read_text(encoding="utf-8")


def without_code(text):
    return re.sub(r"(?ms)^```.*?^```$", "", text)


def anchors_of(path):
    """The targets that GitHub and MyST make of headings."""
    titles = re.findall(r"^#+ (.+)$", without_code(text_of(path)), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_public_name_has_a_page_and_nothing_else():
    listed = re.findall(r"^   ([A-Za-z]\w+)$", text_of(DOCS / "api" / "index.rst"), flags=re.MULTILINE)
    assert sorted(listed) == sklearn_rank.__all__


def test_every_page_is_in_a_table_of_contents():
    listed = {DOCS / "index.md"}
    for page in PAGES:
        for block in re.findall(r"(?ms)^```\{toctree\}\n(.*?)^```$", text_of(page)):
            for entry in re.findall(r"^([\w./]+)$", block, flags=re.MULTILINE):
                target = (page.parent / entry).resolve()
                listed |= {target.with_suffix(".md"), target.with_suffix(".rst")}
    assert set(PAGES) <= listed


@pytest.mark.parametrize("page", READ_ON_GITHUB, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_files_and_headings(page):
    for link in re.findall(r"\]\(([^()\s]+)\)", without_code(text_of(page))):
        path, _, anchor = link.partition("#")
        if "://" in path or path == "gallery/index.rst":  # the index of the gallery is made with the site
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link


def test_readme_is_short_enough_for_a_first_visit():
    assert len(text_of(ROOT / "README.md").splitlines()) < 150


def test_guide_and_question_pages_say_for_whom_they_are():
    pages = [page for page in PAGES if page.parent.name in {"guide", "questions"} and page.stem != "index"]
    assert len(pages) >= 14
    for page in pages:
        title, _, reader = text_of(page).splitlines()[:3]
        assert title.startswith("# ")
        assert reader.startswith("For: ")
    # Tasks and questions of the start page and the README are all there.
    linked = re.findall(r"docs/((?:guide|questions)/\w+)\.md", text_of(ROOT / "README.md"))
    pages = {page.relative_to(DOCS).with_suffix("").as_posix() for page in pages}
    assert pages - set(linked) == {"guide/start", "guide/why"}


def test_one_version():
    assert sklearn_rank.__version__.startswith(
        re.search(r"^version: (\S+)$", text_of(ROOT / "CITATION.cff"), re.MULTILINE)[1]
    )
    assert re.search(r'^dynamic = \["version"\]$', text_of(ROOT / "pyproject.toml"), flags=re.MULTILINE)
