"""Sphinx: `make docs` builds the site into docs/_build/html, without network and with warnings as errors."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import sklearn_rank

HERE = Path(__file__).parent

project = "sklearn-rank"
author = "The sklearn_rank developers"
copyright = author  # the name that Sphinx asks for
version = release = sklearn_rank.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "_templates", "images"]
templates_path = ["_templates"]
nitpicky = True
default_role = "code"  # names in single backticks, as docstrings have them

# API pages: one for each public name. Types stand in the docstrings.
autosummary_generate = True
autosummary_context = {"made_by": {name: repr(getattr(sklearn_rank, name)) for name in sklearn_rank.__all__}}
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# Headings of all levels are targets, as on GitHub.
myst_heading_anchors = 4
myst_links_external_new_tab = False


def write_inventory(path: Path) -> str:
    """Scikit-learn's names that our pages link to, from a list, as the file that intersphinx reads."""
    lines = (HERE / "inventory.txt").read_text(encoding="utf-8").splitlines()
    entries = "".join(
        f"{name} py:{kind} 1 modules/generated/{name}.html#$ -\n" for kind, name in map(str.split, filter(None, lines))
    )
    head = "# Sphinx inventory version 2\n# Project: scikit-learn\n# Version:\n"
    head += "# The remainder of this file is compressed using zlib.\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head.encode() + zlib.compress(entries.encode()))
    return str(path)


intersphinx_mapping = {
    "sklearn": ("https://scikit-learn.org/stable/", write_inventory(HERE / "_build" / "inventories" / "sklearn.inv")),
}

# Gallery: all of examples/, run where they can run without another service.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/(?!spark_accumulator)\w+\.py$",
    "within_subsection_order": "ExampleTitleSortKey",
    "doc_module": ("sklearn_rank",),
    "backreferences_dir": "api/backreferences",
    "reference_url": {"sklearn_rank": None},
    "default_thumb_file": str(HERE / "_static" / "table.png"),  # of examples that print and draw nothing
    "capture_repr": (),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "show_signature": False,
    "min_reported_time": 1e9,
}

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = f"sklearn-rank {version}"
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "sklearn-rank"},
    "navbar_align": "left",
    "show_prev_next": False,
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": []}

# The pages read well on GitHub, too. Here their links to files of the repository, and names in backticks, become
# links of the site.
ROOT = HERE.parent
PUBLIC = "|".join(sorted(sklearn_rank.__all__, key=len, reverse=True))
PAGES = {"benchmarks/README.md": "project/benchmarks.md", "CHANGELOG.md": "project/changelog.md"}


def page_of(file: str) -> str | None:
    """The page of the site that shows a file of the repository, if one does."""
    if file in PAGES:
        return PAGES[file]
    if match := re.fullmatch(r"examples/(\w+)\.py", file):
        return f"gallery/{match[1]}.rst"
    return file.removeprefix("docs/") if file.startswith("docs/") else None


def link_page(_app: object, page: str, source: list[str]) -> None:
    """Rewrites one page before it is read; code and headings stay as they are."""
    origin = HERE / f"{page}.md"
    if not origin.exists():
        return
    if match := re.fullmatch(r"```\{include\} (\S+)\n```\n", source[0]):
        origin = (origin.parent / match[1]).resolve()
        source[0] = origin.read_text(encoding="utf-8")

    def link(match: re.Match[str]) -> str:
        path, _, anchor = match[1].partition("#")
        file = (origin.parent / path).resolve() if path and ":" not in path else None
        target = page_of(file.relative_to(ROOT).as_posix()) if file and file.is_relative_to(ROOT) else None
        return match[0] if target is None else f"](/{target}{'#' * bool(anchor)}{anchor})"

    # A block of a doctest ends in an empty line, which is not to be seen.
    parts = re.split(r"(?ms)^(```.*?^```$|#[^\n]*$)", source[0].replace("\n\n```\n", "\n```\n"))
    for i in range(0, len(parts), 2):
        text = re.sub(r"\]\(([^()\s]+)\)", link, parts[i])
        parts[i] = re.sub(rf"(?<!\[)`({PUBLIC})`", r"{py:obj}`~sklearn_rank.\1`", text)
    source[0] = "".join(parts)


def setup(app: object) -> None:
    """Sphinx calls this."""
    app.connect("source-read", link_page)
