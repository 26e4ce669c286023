"""Simulate corpora whose true rates are known, and count how often catchrate's intervals hold them.

    python benchmarks/intervals/simulate.py [--corpora N] [--cases N] [--processes N] [--check] [--update]

Needs numpy. Exit status: 0 when every cell keeps its limits, 1 when one does not.
"""

import argparse
import itertools
import re
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from catchrate.intervals import CONFIDENCE, Moments, f1_interval, share_interval, t_quantile

HERE = Path(__file__).resolve().parent
README = HERE / "README.md"

Whole = npt.NDArray[np.int64]
Real = npt.NDArray[np.float64]

SIZES = (10, 27, 50, 200)
ISSUES = ((1, 4), (1, 1), (2, 2), (3, 3), (4, 4))
CORRELATIONS = (0.0, 0.3, 0.6, 1.0)
RATES = (0.5, 0.8, 0.95)
NOISES = (0.3, 2.0)
METRICS = ("rate", "precision", "f1")

LEAST = 0.93
MOST_OF_FEW, MOST = 0.995, 0.985  # with 10 cases, and with more
FEW = 10


class Cell(NamedTuple):
    """One kind of corpus.

    Each case has `fewest` to `most` issues, every number equally likely. They are caught at `rate`, with this
    correlation between the issues of a case: beta-binomial, and all or nothing at 1. The false positives of a case are
    gamma-Poisson with a mean of `noise` and a gamma shape of `shape`: their variance is noise + noise^2 / shape.
    """

    cases: int
    fewest: int
    most: int
    correlation: float
    rate: float
    noise: float
    shape: float = 1.0

    @property
    def issues(self) -> str:
        """How many issues a case has."""
        return f"{self.fewest}" if self.fewest == self.most else f"{self.fewest} to {self.most}"


class Measured(NamedTuple):
    """One metric in one cell: the share of intervals that hold the true value, and how wide they are on average."""

    cell: Cell
    metric: str
    coverage: float
    width: float


def grid(sizes: Iterable[int] = SIZES, issues: Iterable[tuple[int, int]] = ISSUES) -> Iterator[Cell]:
    """Go through the cells of the table. Issues that are alone in their case have no correlation."""
    for cases, (fewest, most), correlation, rate, noise in itertools.product(
        sizes, issues, CORRELATIONS, RATES, NOISES
    ):
        if most > 1 or correlation == 0:
            yield Cell(cases, fewest, most, correlation, rate, noise)


def harder() -> Iterator[Cell]:
    """Go through cells that nobody asked for, to see where the intervals end to hold."""
    for shape, cell in itertools.product((0.5, 0.25), grid(issues=ISSUES[:1])):
        yield cell._replace(shape=shape)
    for cases in (3, 5):
        yield from grid((cases,), ISSUES[:1])


# --- one cell ---------------------------------------------------------------------------------------------------------


def draw(cell: Cell, corpora: int, random: np.random.Generator) -> tuple[Whole, Whole, Whole]:
    """Draw corpora, one a row: the issues of each case, how many of them were caught, the false positives."""
    size = (corpora, cell.cases)
    issues = random.integers(cell.fewest, cell.most, size, endpoint=True)
    if cell.correlation == 0:
        caught = random.binomial(issues, cell.rate)
    elif cell.correlation == 1:
        caught = issues * (random.random(size) < cell.rate)
    else:
        strength = (1 - cell.correlation) / cell.correlation
        rates = random.beta(cell.rate * strength, (1 - cell.rate) * strength, size)
        caught = random.binomial(issues, rates)
    false_positives = random.poisson(random.gamma(cell.shape, cell.noise / cell.shape, size))
    return issues, caught, false_positives


def true_values(cell: Cell) -> dict[str, float]:
    """Return what a corpus without end would show: each metric is a ratio of expectations, not the mean of ratios."""
    issues = (cell.fewest + cell.most) / 2
    caught = issues * cell.rate
    return {
        "rate": cell.rate,
        "precision": caught / (caught + cell.noise),
        "f1": 2 * caught / (issues + caught + cell.noise),
    }


def sums(num: Whole, den: Whole) -> Whole:
    """Return the fields of `Moments`, one row each, for every corpus that has something to divide by."""
    fields = (den > 0, num, den, num * num, num * den, den * den)
    moments = np.stack([field.sum(axis=1) for field in fields]).astype(np.int64)
    return moments[:, moments[2] > 0]


# The quantile by 1 / degrees of freedom, from none (the normal one) to the fewest that catchrate works with.
_INVERSE = np.linspace(0.0, 2.0, 4001)
_LOG_QUANTILE = np.log([t_quantile(0.5 + CONFIDENCE / 2, 1 / inverse if inverse else np.inf) for inverse in _INVERSE])


def intervals(moments: Whole) -> tuple[Real, Real]:
    """Return the intervals of `share_interval` for every corpus, all at once."""
    _, num, den, num_num, num_den, den_den = moments.astype(np.float64)
    share = num / den
    spare = (den * den - den_den) / den_den
    variance = np.maximum(num_num - 2 * share * num_den + share * share * den_den, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = variance * (1 + 1 / spare)
        added = np.exp(2 * _LOG_QUANTILE[0]) / 4
        effect = (variance + added * den_den / den) / (share * (1 - share) * den + variance / den + added)
        inverse = np.where(effect > 1, np.minimum((effect - 1) / (effect * spare), 2.0), 0.0)
    quantile = np.exp(np.interp(inverse, _INVERSE, _LOG_QUANTILE))
    trials = den / np.maximum(effect, 1.0)
    total = trials + quantile**2
    centre = (trials * share + quantile**2 / 2) / total
    reach = quantile * np.sqrt(centre * (1 - centre) / total)
    alone = den * den == den_den
    low = np.where(alone, 0.0, np.minimum(np.maximum(centre - reach, 0.0), share))
    high = np.where(alone, 1.0, np.maximum(np.minimum(centre + reach, 1.0), share))
    return low, high


def moments_by_metric(cell: Cell, corpora: int, random: np.random.Generator) -> dict[str, Whole]:
    """Draw corpora and return the sums that each metric's interval is made of."""
    issues, caught, false_positives = draw(cell, corpora, random)
    return {
        "rate": sums(caught, issues),
        "precision": sums(caught, caught + false_positives),
        "f1": sums(caught, issues + false_positives),
    }


def seed(cell: Cell) -> list[int]:
    """Return numbers that tell the cells apart: each draws the same corpora whichever others are measured."""
    return [round(1000 * value) for value in cell]


def measure(cell: Cell, corpora: int) -> list[Measured]:
    """Count how often the intervals hold the true value. A corpus without an interval counts as one that does."""
    random = np.random.default_rng(seed(cell))
    truth = true_values(cell)
    # False positives do not enter the catch rate.
    metrics = [name for name in METRICS if name != "rate" or cell.noise == NOISES[0]]
    held, width = dict.fromkeys(metrics, 0), dict.fromkeys(metrics, 0.0)
    with_interval = dict.fromkeys(metrics, 0)
    left = corpora
    while left:
        batch = min(left, max(1, 400_000 // cell.cases))
        left -= batch
        drawn = moments_by_metric(cell, batch, random)
        for name in metrics:
            low, high = intervals(drawn[name])
            if name == "f1":
                low, high = 2 * low / (1 + low), 2 * high / (1 + high)
            inside = (low <= truth[name] + 1e-12) & (truth[name] <= high + 1e-12)
            held[name] += batch - int((~inside).sum())
            width[name] += float((high - low).sum())
            with_interval[name] += len(inside)
    return [Measured(cell, name, held[name] / corpora, width[name] / with_interval[name]) for name in metrics]


def limits(cell: Cell) -> tuple[float, float]:
    """Return between which two shares the coverage of a cell has to lie."""
    return LEAST, MOST_OF_FEW if cell.cases <= FEW else MOST


def failures(measured: Iterable[Measured], corpora: int, errors: float = 0.0) -> list[Measured]:
    """List what leaves its limits, by more than so many standard errors of the simulation."""
    failed = []
    for row in measured:
        least, most = limits(row.cell)
        slack = [errors * (limit * (1 - limit) / corpora) ** 0.5 for limit in (least, most)]
        if not least - slack[0] <= row.coverage <= most + slack[1]:
            failed.append(row)
    return failed


def differences(cells: Iterable[Cell], corpora: int) -> Iterator[float]:
    """Go through drawn corpora: how far the intervals above are from catchrate's own, which they copy."""
    for cell in cells:
        for name, drawn in moments_by_metric(cell, corpora, np.random.default_rng(seed(cell))).items():
            for fields, *copy in zip(drawn.T.tolist(), *intervals(drawn), strict=True):
                own = share_interval(Moments(*fields))
                if own is None:
                    raise AssertionError
                yield max(abs(a - b) for a, b in zip(own, copy, strict=True))
                if name == "f1" and f1_interval(Moments(*fields)) != tuple(2 * end / (1 + end) for end in own):
                    yield 1.0


# --- the tables -------------------------------------------------------------------------------------------------------


def percent(coverage: float) -> str:
    """Write a coverage."""
    return f"{100 * coverage:.1f}"


def table(header: str, rows: Iterable[Iterable[str]]) -> str:
    """Write a Markdown table."""
    columns = header.count("|") - 1
    lines = [header, "|" + "---|" * columns, *("| " + " | ".join(row) + " |" for row in rows)]
    return "\n".join(lines) + "\n"


def summary(measured: list[Measured]) -> str:
    """Write the lowest and the highest coverage of each metric, by the size of the corpus and the issues of a case."""
    groups: dict[tuple[str, ...], dict[str, list[float]]] = {}
    for row in measured:
        group = groups.setdefault((str(row.cell.cases), row.cell.issues), {name: [] for name in METRICS})
        group[row.metric].append(row.coverage)
    return table(
        "| cases | issues a case | cells | catch rate | precision | F1 |",
        (
            (*key, str(sum(map(len, group.values()))), *(_range(group[name]) for name in METRICS))
            for key, group in groups.items()
        ),
    )


def _range(coverages: list[float]) -> str:
    return f"{percent(min(coverages))} to {percent(max(coverages))}" if coverages else ""


def full(measured: list[Measured]) -> str:
    """Write every cell, with the mean width of its intervals."""
    rows: dict[Cell, dict[str, str]] = {}
    for row in measured:
        text = f"{percent(row.coverage)} ({row.width:.2f})"
        rows.setdefault(row.cell, {})[row.metric] = text
    return table(
        "| cases | correlation | catch rate is | false positives a case | catch rate | precision | F1 |",
        (
            (
                str(cell.cases),
                "all or nothing" if cell.correlation == 1 else f"{cell.correlation:g}",
                f"{cell.rate:g}",
                f"{cell.noise:g}",
                *(row.get(name, "as above") for name in METRICS),
            )
            for cell, row in rows.items()
        ),
    )


def beyond(measured: list[Measured]) -> str:
    """Write what the harder cells gave, and how many of them leave the limits."""
    kinds: dict[tuple[str, str], list[Measured]] = {}
    for row in measured:
        kinds.setdefault((str(row.cell.cases), f"{row.cell.shape:g}"), []).append(row)
    return table(
        "| cases | gamma shape | cells | below 93% | catch rate | precision | F1 |",
        (
            (
                *key,
                str(len(rows)),
                str(sum(row.coverage < LEAST for row in rows)),
                *(_range([row.coverage for row in rows if row.metric == name]) for name in METRICS),
            )
            for key, rows in kinds.items()
        ),
    )


def _measure_one(task: tuple[Cell, int]) -> list[Measured]:
    return measure(*task)


def measure_all(cells: Iterable[Cell], corpora: int, processes: int) -> list[Measured]:
    """Measure cells, in order, in so many processes."""
    tasks = [(cell, corpora) for cell in cells]
    with ProcessPoolExecutor(processes) as pool:
        return [row for rows in pool.map(_measure_one, tasks, chunksize=4) for row in rows]


def check(corpora: int = 1000, copied: int = 4) -> list[Measured]:
    """Run a small version: every kind of cell up to 50 cases, with limits wider by 4 standard errors."""
    cells = list(grid(SIZES[:3], ISSUES[:1]))
    if max(differences(cells, copied)) > 1e-6:  # noqa: PLR2004 (how exact the table of quantiles is)
        raise AssertionError("the copy in this file differs from catchrate's own intervals")
    measured = [row for cell in cells for row in measure(cell, corpora)]
    return failures(measured, corpora, errors=4)


def put(readme: str, name: str, text: str) -> str:
    """Put a table between its two markers."""
    marked = re.compile(rf"(?<=<!-- {name} -->\n).*(?=<!-- /{name} -->)", re.DOTALL)
    if not marked.search(readme):
        raise ValueError(f"{README} lacks the markers around {name}")
    return marked.sub(lambda _: text, readme)


def main() -> int:
    """Read the command line, simulate, print the tables."""
    parser = argparse.ArgumentParser(description="Count how often catchrate's intervals hold the true value.")
    parser.add_argument("--corpora", metavar="N", type=int, default=20_000, help="corpora in each cell (20000)")
    parser.add_argument("--cases", metavar="N", type=int, choices=SIZES, help="only corpora of this size")
    parser.add_argument("--processes", metavar="N", type=int, default=2, help="processes at a time (2)")
    parser.add_argument("--check", action="store_true", help="only a small version of it, a few seconds")
    parser.add_argument("--update", action="store_true", help="write the tables into README.md, too")
    options = parser.parse_args()
    if options.corpora < 1 or options.processes < 1:
        parser.error("--corpora and --processes must be at least 1")
    if options.update and options.cases:
        parser.error("--update writes all tables: leave out --cases")
    if options.check:
        failed = check()
    else:
        sizes = (options.cases,) if options.cases else SIZES
        measured = measure_all(grid(sizes), options.corpora, options.processes)
        failed = failures(measured, options.corpora)
        tables = {
            "summary": summary(measured),
            "cells": full([row for row in measured if row.cell.fewest < row.cell.most]),
        }
        if not options.cases:
            tables["harder"] = beyond(measure_all(harder(), options.corpora, options.processes))
        print("\n".join(tables.values()), end="")
        if options.update:
            readme = README.read_text(encoding="utf-8")
            for name, text in tables.items():
                readme = put(readme, name, text)
            README.write_text(readme, encoding="utf-8")
    for row in failed:
        print(f"leaves its limits: {row}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
