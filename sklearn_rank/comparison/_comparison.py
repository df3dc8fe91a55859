"""What a comparison found, and the forms in which it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn_rank._options import check_choice, check_count, check_number
from sklearn_rank.comparison._plots import plot_pairs, plot_values

if TYPE_CHECKING:
    from collections.abc import Callable

CORRECTIONS = {"holm": "p (Holm)", "bonferroni": "p (Bonferroni)", "fdr_bh": "p (B-H)", None: "p (as is)"}


class ComparedModel(NamedTuple):
    """One model under one metric, alone or beside another one."""

    model: str
    other: str | None
    metric: str
    value: float
    low: float
    high: float
    difference: float
    difference_low: float
    difference_high: float
    effect: float
    p_value: float
    p_adjusted: float
    wins: int
    ties: int
    losses: int
    n_rankings: int


@dataclass(frozen=True)
class Comparison:
    """What `compare` found: `rows`, text, tables for papers and pictures.

    Parameters
    ----------
    rows : list of ComparedModel
        One for each figure, metric by metric: `model`, `other`, `metric`, `value`, `low`, `high`, `difference`,
        `difference_low`, `difference_high`, `effect`, `p_value`, `p_adjusted`, `wins`, `ties`, `losses`,
        `n_rankings`. `other` is the model that `model` is compared with; None for one that stands alone, whose
        differences, effect and p-values are nan.
    baseline : str or None
        The model that the others are compared with; None where every two are compared.
    confidence_level : float
        Of the intervals.
    n_resamples : int
        Bootstrap samples and sampled sign flips.
    n_rankings : int
        Rankings (rows or groups) that count under any metric: those of zero weight and undefined ones are left out.
    test : {"sign-flip", "t"}
        Where the p-values come from.
    correction : {"holm", "bonferroni", "fdr_bh"} or None
        How they are adjusted for their number.
    n_clusters : int or None
        Clusters that were resampled whole; None: each ranking by itself.

    See Also
    --------
    compare : Makes it.

    Examples
    --------
    >>> from sklearn_rank import compare
    >>> result = compare([[0, 1]] * 6, {"a": [[2, 1]] * 6, "b": [[1, 2]] * 6}, ["mrr"], random_state=0)
    >>> result.rows[1].difference, result.rows[1].p_value
    (0.5, 0.03125)
    """

    rows: list[ComparedModel]
    baseline: str | None
    confidence_level: float
    n_resamples: int
    n_rankings: int
    test: str = "sign-flip"
    correction: str | None = "holm"
    n_clusters: int | None = None

    def __post_init__(self) -> None:
        rows = self.rows
        if not isinstance(rows, (list, tuple)) or not rows or not all(isinstance(row, ComparedModel) for row in rows):
            message = f"`rows` must be a list of what `compare` found, got {rows!r}."
            raise TypeError(message)
        check_choice("test", self.test, ("sign-flip", "t"))
        if self.correction is not None:
            check_choice("correction", self.correction, [name for name in CORRECTIONS if name])
        check_number("confidence_level", self.confidence_level, "a number between 0 and 1", low=0, high=1)

    @property
    def metrics(self) -> list[str]:
        """The metrics in the order of the request."""
        return list(dict.fromkeys(row.metric for row in self.rows))

    @property
    def models(self) -> list[str]:
        """The models in the order in which they were passed."""
        return list(dict.fromkeys(row.model for row in self.rows))

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each figure and pair, and a column for each field."""
        try:
            import pandas as pd
        except ImportError as error:
            message = "to_frame needs pandas: pip install pandas. `rows` is a list of the same."
            raise ImportError(message) from error
        return pd.DataFrame(self.rows, columns=list(ComparedModel._fields))

    def to_latex(self, *, digits: int = 3, alpha: float = 0.05) -> str:
        """A tabular in the form that papers print: a row for each model, a column for each metric.

        The best value of a metric is bold. With a baseline a dagger marks what differs from it significantly (a
        double dagger what is worse); where every two models were compared, each has a letter, and a value carries
        the letters of the models that it is significantly better than.

        Parameters
        ----------
        digits : int, default=3
            Digits after the point.
        alpha : float, default=0.05
            The level below which an adjusted p-value is significant.

        Returns
        -------
        str
            Needs no package of LaTeX.
        """
        head, *body = self._paper_table(digits, alpha, _latex_cell, _latex_text)
        lines = [" & ".join(line) + r" \\" for line in body]
        columns = "l" + "r" * (len(head) - 1)
        return "\n".join(
            [
                rf"\begin{{tabular}}{{{columns}}}",
                r"\hline",
                " & ".join(head) + r" \\",
                r"\hline",
                *lines,
                r"\hline",
                r"\end{tabular}",
            ]
        )

    def to_markdown(self, *, digits: int = 3, alpha: float = 0.05) -> str:
        """The table of `to_latex` in Markdown.

        Parameters
        ----------
        digits : int, default=3
            Digits after the point.
        alpha : float, default=0.05
            The level below which an adjusted p-value is significant.

        Returns
        -------
        str
            A pipe table.
        """
        head, *body = self._paper_table(digits, alpha, _markdown_cell, _markdown_text)
        lines = ["| " + " | ".join(line) + " |" for line in [head, ["---"] + ["---:"] * (len(head) - 1), *body]]
        return "\n".join(lines)

    def plot(self, *, ax: Any = None) -> Any:
        """Draw a panel for each metric.

        With a baseline: the values and their intervals. Where every two models were compared: the differences as a
        map, each row's model minus each column's, with a star where it is significant.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, default=None
            One for each metric; None: a new figure.

        Returns
        -------
        ndarray of matplotlib Axes
            One for each metric.
        """
        return plot_values(self, ax) if self.baseline is not None else plot_pairs(self, ax)

    def __str__(self) -> str:
        table = self._table()
        widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
        names = table[0].index("value")
        lines = [
            "  ".join(
                cell.ljust(width) if column < names else cell.rjust(width)
                for column, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in table
        ]
        return "\n".join([self._caption(), "", *lines])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *body = self._table()
        rows = ["<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"]
        rows += ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in body]
        return f"<table><caption>{escape(self._caption())}</caption>{''.join(rows)}</table>"

    def _caption(self) -> str:
        parts = [
            f"{self.n_rankings} rankings" + (f" in {self.n_clusters} clusters" if self.n_clusters is not None else ""),
            "every two models" if self.baseline is None else f"baseline {self.baseline}",
            f"{self.confidence_level * 100:g}% intervals",
            f"{self.n_resamples} resamples",
        ]
        return ", ".join(parts + ["paired t-test"] * (self.test == "t"))

    def _table(self) -> list[list[str]]:
        """Cells as text, the head first."""
        paired = self.baseline is None
        head = ["metric", "model", *["other"] * paired, "value", "interval", "difference", "interval", "effect", "p"]
        lines = [[*head, CORRECTIONS[self.correction], "won/tied/lost"]]
        for row in self.rows:
            line = [row.metric, row.model, *[row.other or "-"] * paired]
            line += [f"{row.value:.4f}", f"[{row.low:.4f}, {row.high:.4f}]"]
            if row.other is None:
                line += ["-"] * 6
            else:
                line += [
                    f"{row.difference:+.4f}",
                    f"[{row.difference_low:+.4f}, {row.difference_high:+.4f}]",
                    f"{row.effect:+.2f}",
                    f"{row.p_value:.2g}",
                    f"{row.p_adjusted:.2g}",
                    f"{row.wins}/{row.ties}/{row.losses}",
                ]
            lines.append(line)
        return lines

    def _paper_table(
        self, digits: int, alpha: float, cell: Callable[[str, bool, str], str], text: Callable[[str], str]
    ) -> list[list[str]]:
        """Models by metrics; `cell` writes a number, whether it is the best, and its marks."""
        digits = min(check_count("digits", digits), 17)  # more say nothing of a float
        alpha = check_number("alpha", alpha, "a number between 0 and 1", low=0, high=1)
        values = {(row.model, row.metric): row.value for row in self.rows}
        marks = self._marks(alpha)
        letters = dict(zip(self.models, _letters(len(self.models)), strict=True))
        lines = [["model", *map(text, self.metrics)]]
        for model in self.models:
            line = [text(model if self.baseline is not None else f"{letters[model]} {model}")]
            for metric in self.metrics:
                shown = f"{values[model, metric]:.{digits}f}"
                best = f"{max(values[name, metric] for name in self.models):.{digits}f}"
                found = marks.get((model, metric), [])
                line.append(cell(shown, shown == best, "".join(letters.get(mark, mark) for mark in found)))
            lines.append(line)
        return lines

    def _marks(self, alpha: float) -> dict[tuple[str, str], list[str]]:
        """By model and metric: a dagger, or the models that it is better than."""
        marks: dict[tuple[str, str], list[str]] = {}
        for row in self.rows:
            if row.other is None or not row.p_adjusted < alpha:
                continue
            better = row.difference > 0
            if self.baseline is not None:
                marks[row.model, row.metric] = ["†" if better else "‡"]
            else:
                winner, loser = (row.model, row.other) if better else (row.other, row.model)
                marks.setdefault((winner, row.metric), []).append(loser)
        order = {model: place for place, model in enumerate(self.models)}
        return {at: sorted(found, key=lambda mark: order.get(mark, 0)) for at, found in marks.items()}


def _letters(n: int) -> list[str]:
    """Marks a, b, ..., z, then a1, b1, ..."""
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    return [alphabet[place % 26] + (str(place // 26) if place >= 26 else "") for place in range(n)]


def _latex_cell(value: str, best: bool, marks: str) -> str:
    value = rf"\textbf{{{value}}}" if best else value
    marks = marks.replace("†", r"\dagger").replace("‡", r"\ddagger")
    marks = marks if "dagger" in marks else rf"\mathrm{{{marks}}}"
    return f"{value}$^{{{marks}}}$" if marks != r"\mathrm{}" else value


def _latex_text(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(sign, f"\\{sign}" if sign in "&%$#_{}" else sign) for sign in text)


def _markdown_cell(value: str, best: bool, marks: str) -> str:
    value = f"**{value}**" if best else value
    return value + ("" if not marks else marks if marks in "†‡" else f"<sup>{marks}</sup>")


def _markdown_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")
