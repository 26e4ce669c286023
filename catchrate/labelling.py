"""What a person decides about a finding, and what that changes on it.

The rule that labellers follow is `CORE_CLAIM`; docs/matching.md explains it. A decision names its reason, and leaves
its author, its time and what was proposed on the finding.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Literal

import msgspec

from catchrate.model import Issue
from catchrate.placeholders import is_filled_in

CORE_CLAIM = (
    "A finding matches an issue only when its core claim identifies the defect: what it calls wrong is what is wrong.",
    "Naming the same lines, the same function or a related worry is not enough.",
    "A remark on process (no tests, a comment left in, how the change was shipped) never matches.",
    "A finding may match several issues. Two findings may match one issue: the second one counts as redundant.",
)

No = Literal["false_positive", "out_of_scope", "unlabelled_defect"]

NO: dict[No, str] = {
    "false_positive": "what it says is wrong is not wrong, or does not matter",
    "out_of_scope": "it is not about a defect of the change",
    "unlabelled_defect": "it names a real defect of the change that the issues lack",
}

_DIGEST_BYTES = 8
# What a person says of a finding. The rest is what the reviewer said, and where that was read.
_LABEL = ("matched_ground_truth", "match_rationale", "undecided", "disposition", "disposition_rationale")
_NOT_SAID = (*_LABEL, "match_decision", "origin")


class Answer(msgspec.Struct, frozen=True):
    """What a person says of a finding: which issues it matches, or of what kind its "no" is; and why.

    Exactly one of `matches` and `no` is given in an answer without faults.
    """

    matches: tuple[str, ...] = ()
    no: No | None = None
    rationale: str = ""

    def is_same(self, other: "Answer | None") -> bool:
        """Tell whether two answers say the same: no order of the issues matters, and no blanks around the reason."""
        return (
            other is not None
            and self.no == other.no
            and set(self.matches) == set(other.matches)
            and self.rationale.strip() == other.rationale.strip()
        )


class Decision(msgspec.Struct, frozen=True):
    """An answer to the finding at `index` of a reviewer's list in a case, and the issues that had been proposed.

    `by` is the person who gave it, `at` the time in ISO 8601.
    """

    case: str
    index: int
    answer: Answer
    proposed: tuple[str, ...]
    by: str
    at: str

    @property
    def follows_proposal(self) -> bool:
        """Whether the best proposal is among the matches; without any proposal, whether the answer is no."""
        return self.proposed[0] in self.answer.matches if self.proposed else not self.answer.matches


def faults(answer: Answer, issues: Iterable[str]) -> Iterator[str]:
    """Say what is wrong with an answer to a finding of a case that has these issues."""
    known = list(issues)
    if answer.matches and answer.no:
        yield "has two answers: a finding matches issues, or it is no match"
    for name in dict.fromkeys(answer.matches):
        if name not in known:
            yield f"names issue {_quoted(name)}, which the case does not have"
        elif answer.matches.count(name) > 1:
            yield f"names issue {_quoted(name)} twice"
    if not is_said(answer.rationale):
        yield "has no rationale: say why"


def _quoted(text: str) -> str:
    return msgspec.json.encode(text if len(text) <= 60 else f"{text[:60]}\u2026").decode()  # noqa: PLR2004


def current(finding: Mapping[str, Any]) -> Answer | None:
    """Read the answer that a finding of a sound case bears; None while it is undecided."""
    return None if finding.get("undecided") is True else _label_on(finding)


def unconfirmed(finding: Mapping[str, Any]) -> Answer | None:
    """Read the label that an undecided finding of a sound case bears, as one does whose text changed; None without."""
    if finding.get("undecided") is not True or not any(finding.get(key) for key in _LABEL if key != "undecided"):
        return None
    return _label_on(finding)


def _label_on(finding: Mapping[str, Any]) -> Answer:
    matches = tuple(finding.get("matched_ground_truth") or ())
    no: No = "false_positive"
    if finding.get("disposition") == "out_of_scope":
        no = "out_of_scope"
    elif finding.get("disposition") == "unlabelled_defect":
        no = "unlabelled_defect"
    rationale = finding.get("match_rationale" if matches else "disposition_rationale")
    return Answer(matches, None if matches else no, rationale if isinstance(rationale, str) else "")


def labelled(finding: Mapping[str, Any], decision: Decision) -> dict[str, Any]:
    """Return a finding with a decision on it.

    A plain false positive has no `disposition`. What an earlier decision left is taken away.
    """
    answer = decision.answer
    after = {key: value for key, value in finding.items() if key not in _LABEL or key == "matched_ground_truth"}
    after["matched_ground_truth"] = list(answer.matches)
    if answer.matches:
        after["match_rationale"] = answer.rationale
    else:
        if answer.no != "false_positive":
            after["disposition"] = answer.no
        after["disposition_rationale"] = answer.rationale
    after["match_decision"] = {
        "decided_at": decision.at,
        "decided_by": decision.by,
        "proposed": list(decision.proposed),
        "followed_proposal": decision.follows_proposal,
    }
    return after


_TO_COME = re.compile(r"\bTBD\b", re.IGNORECASE | re.ASCII)
_FILLERS = "\u115f\u1160\u3164\uffa0"  # letters by their kind, and nothing to be seen


def is_said(value: str | None) -> bool:
    """Tell whether a person said something: no placeholder, and a letter or digit that can be seen.

    What stands only in comments of HTML is not seen. A fixture that holds less is sound; a decision is made with more.
    """
    if not is_filled_in(value) or value is None or _TO_COME.search(value):
        return False
    before, *commented = value.split("<!--")
    shown = (before, *(part.partition("-->")[2] for part in commented))
    return any(one.isalnum() and one not in _FILLERS for part in shown for one in part)


def unfilled(issues: Sequence[Issue]) -> str:
    """Say that issues of a case still have a placeholder where they should tell what is wrong; "" where none has."""
    count = sum(not is_filled_in(issue.title) for issue in issues)
    which = "the issues" if count == len(issues) else f"{count} of {len(issues)} issues"
    return f"{which} are not filled in" if count else ""


# --- what an answer is bound to ---------------------------------------------------------------------------------------


def finding_digest(finding: Mapping[str, Any]) -> str:
    """Hash what a reviewer said in a finding: all of it but its labels, and but where it was read."""
    return _digest({key: value for key, value in finding.items() if key not in _NOT_SAID})


def issues_digest(issues: Iterable[Any]) -> str:
    """Hash the ground truth of a case. The order of the issues does not matter."""
    return _digest(sorted(map(_digest, issues)))


def label_digest(finding: Mapping[str, Any]) -> str:
    """Hash what a person said of a finding."""
    return _digest({key: finding[key] for key in _LABEL if key in finding})


def _digest(value: object) -> str:
    return blake2b(msgspec.json.encode(value, order="deterministic"), digest_size=_DIGEST_BYTES).hexdigest()
