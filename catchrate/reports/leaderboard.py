"""What `catchrate leaderboard` reports: the ranking, and how much of it chance may have made."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec

from catchrate.comparison import rounded_p
from catchrate.metrics import METRICS, Summary
from catchrate.ranking import RankedPair, Ranking
from catchrate.reporting import Cell, Change, Column, Report, Rows, Share, Table, plural
from catchrate.reports.differences import METHODS, test_document, written_p
from catchrate.reports.reviewers import REVIEWER, interval_note, reviewed_line
from catchrate.scoring import Scores
from catchrate.signature import Signature
from catchrate.significance import LEVEL, UNLIKE

FORMAT_VERSION = 1
MOST_PAIRS = 24
LEVEL_TOLD = f"{LEVEL:g}".removeprefix("0")
TITLES = {metric.name: metric.title for metric in METRICS}


def leaderboard_report(
    scores: Scores, summaries: Sequence[Summary], ranking: Ranking, *, fixture: str | list[str], signature: Signature
) -> Report:
    """Report on a ranking of reviewers."""
    title = TITLES[ranking.metric]
    names = ", ".join(fixture) if isinstance(fixture, list) else fixture
    lead = [f"{plural(len(scores.cases), 'case')}, {plural(len(ranking.places), 'reviewer')}"]
    if signature.confidence:
        lead.append(interval_note(len(scores.cases), signature.confidence))
    return Report(
        title=f"Leaderboard by {title if title.isupper() else title.lower()}: {names}",
        lead=tuple(lead),
        signatures=(signature.line,),
        sections=(_places(summaries, ranking), *_pair_tables(ranking)),
        document={
            "format_version": FORMAT_VERSION,
            "signature": signature,
            "fixture": fixture,
            "metric": ranking.metric,
            "level": LEVEL,
            "correction": "Holm",
            "places": list(ranking.places),
            "pairs": Rows(lambda: (pair_document(pair) for pair in ranking.pairs)),
        },
    )


def pair_document(pair: RankedPair) -> dict[str, Any]:
    """Write a tested pair for the JSON report."""
    return {
        "better": pair.better,
        "worse": pair.worse,
        **test_document(pair.found),
        "adjusted_p": None if pair.adjusted_p is None else rounded_p(pair.adjusted_p),
    }


def _places(summaries: Sequence[Summary], ranking: Ranking) -> Table:
    columns = (
        Column("rank"),
        REVIEWER,
        Column("group", "left"),
        Column(TITLES[ranking.metric]),
        Column("cases"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            "-" if place.rank is None else str(place.rank),
            place.reviewer,
            place.group,
            Share(place.value, place.interval),
            f"{place.reviewed}{'' if place.same_cases else '*'}",
        )
        for place in ranking.places
    ]
    tested = sum(pair.found.test.p is not None for pair in ranking.pairs)
    meaning = (
        "Two reviewers with group letters, but none in common, differ by more than chance; those with one in common "
        f"cannot be told apart ({plural(tested, 'pair')} tested by case, corrected together by Holm, level "
        f"{LEVEL_TOLD})."
    )
    notes = [meaning]
    if ranking.places and not any(place.group for place in ranking.places):
        notes = ["No letters: there would be too many groups; --format=json has every pair."]
    if not all(place.same_cases for place in ranking.places):
        notes.append("* These reviewers did not review the same cases: their figures are not over the same ones.")
        notes += [reviewed_line(summary) for summary in summaries if summary.unreviewed]
    return Table("Ranking", columns, rows, tuple(notes))


def _pair_tables(ranking: Ranking) -> list[Table]:
    """Show the neighbours of the ranking, then the pairs that differ after the correction."""
    by_names = {(pair.better, pair.worse): pair for pair in ranking.pairs}
    neighbours = [by_names[a.reviewer, b.reviewer] for a, b in pairwise(ranking.places)]
    apart = [pair for pair in ranking.pairs if _differs(pair.adjusted_p)]
    tables: list[Table] = []
    if neighbours:
        below = sum(_differs(pair.found.test.p) for pair in neighbours)
        after = sum(_differs(pair.adjusted_p) for pair in neighbours)
        note = f"Of {plural(len(neighbours), 'neighbouring pair')} {_told(below)} at p < {LEVEL_TOLD}, "
        tables.append(_pair_table("Neighbours in the ranking", neighbours, f"{note}{_told(after)} after correction."))
    tested = sum(pair.found.test.p is not None for pair in ranking.pairs)
    alone = sum(_differs(pair.found.test.p) for pair in ranking.pairs)
    pairs = f"Of all {plural(tested, 'tested pair')} {_told(alone)} at p < {LEVEL_TOLD}"
    if apart:
        note = f"{pairs}, {_told(len(apart))} after correction; --format=json has all."
        tables.append(_pair_table("Pairs that differ by more than chance", apart[:MOST_PAIRS], note))
    elif len(ranking.pairs) > len(neighbours):
        tables[-1] = msgspec.structs.replace(tables[-1], notes=(*tables[-1].notes, f"{pairs}, none after correction."))
    return tables


def _differs(p: float | None) -> bool:
    return p is not None and p < LEVEL


def _told(number: int) -> str:
    return "none differs" if not number else "1 differs" if number == 1 else f"{number} differ"


def _pair_table(title: str, pairs: Sequence[RankedPair], note: str) -> Table:
    columns = (
        Column("better", "left", wraps=True),
        Column("worse", "left", wraps=True),
        Column("cases"),
        Column("difference"),
        Column("p"),
        Column("after Holm"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            pair.better,
            pair.worse,
            pair.found.test.cases,
            Change(pair.found.test.difference, share=True, interval=pair.found.interval),
            written_p(pair.found.test.p),
            written_p(pair.adjusted_p),
        )
        for pair in pairs
    ]
    methods = sorted({METHODS[pair.found.test.method] for pair in pairs if pair.found.test.method})
    told = f"p: paired permutation by case ({', '.join(methods) or 'not tested'})."
    cautioned = [f"{pair.better} and {pair.worse}" for pair in pairs if pair.found.test.caution]
    cautions = [f"{UNLIKE[0].upper()}{UNLIKE[1:]} ({', '.join(cautioned)})."] if cautioned else []
    reasons = sorted({f"n/a: {pair.found.test.reason}." for pair in pairs if pair.found.test.reason})
    return Table(title, columns, rows, (note, told, *reasons, *cautions))
