"""What a report was made from and how, in one line: equal for equal meaning, whatever the layout of the files."""

from collections.abc import Mapping, Sequence

import msgspec

from catchrate.intervals import METHOD
from catchrate.metrics import Summary
from catchrate.model import NotReviewed
from catchrate.scoring import Scores, hash_of

COUNTING = "first-match"  # the first match of an issue catches it, further ones are redundant
_SHOWN = 12  # characters of a digest in the line


class Signature(msgspec.Struct, frozen=True):
    """The settings that made the numbers of a report.

    `corpus` is the digest of the ground truth; `reviews` that of what the scored reviewers did on it, whatever their
    order. `interval` and `confidence` are None where no intervals were asked for.
    """

    version: str
    corpus: str
    reviews: str
    cases: int
    issues: int
    good_cases: int
    strict: bool
    counting: str
    interval: str | None
    confidence: float | None
    severity_weights: Mapping[str, int] | None = None

    @property
    def line(self) -> str:
        """The signature as people paste it."""
        parts = [
            f"catchrate:{self.version}",
            f"corpus:{self.corpus[:_SHOWN]}",
            f"reviews:{self.reviews[:_SHOWN]}",
            f"cases:{self.cases}",
            f"issues:{self.issues}",
            f"good:{self.good_cases}",
            f"strict:{'yes' if self.strict else 'no'}",
            f"counting:{self.counting}",
            f"intervals:{self.interval}@{self.confidence}" if self.interval else "intervals:none",
        ]
        if self.severity_weights:
            parts.append("weights:" + ",".join(f"{name}={weight}" for name, weight in self.severity_weights.items()))
        return " ".join(parts)


def sign(
    scores: Scores,
    summaries: Sequence[Summary],
    *,
    version: str,
    strict: bool,
    confidence: float | None,
    severity_weights: Mapping[str, int] | None = None,
) -> Signature:
    """Sign the scores of some reviewers."""
    reviews = sorted((summary.reviewer, summary.digest, _beside_matches(scores, summary)) for summary in summaries)
    return Signature(
        version=version,
        corpus=scores.digest,
        reviews=hash_of(reviews).hex(),
        cases=len(scores.cases),
        issues=sum(len(case.issues) for case in scores.cases),
        good_cases=sum(case.label == "good" for case in scores.cases),
        strict=strict,
        counting=COUNTING,
        interval=METHOD.replace(" ", "-") if confidence else None,
        confidence=confidence,
        severity_weights=dict(sorted(severity_weights.items())) if severity_weights else None,
    )


def _beside_matches(scores: Scores, summary: Summary) -> list[tuple[str, NotReviewed | None, int]]:
    """Tell what the digest of a reviewer does not cover: cases that it did not review, and noise with a disposition."""
    if all(kind.reviewed and not kind.counts.disposed for kind in summary.kinds):
        return []
    return sorted(
        (case.id, outcome.not_reviewed, outcome.disposed)
        for case, outcome in zip(scores.cases, summary.outcomes, strict=True)
        if outcome.not_reviewed or outcome.disposed
    )
