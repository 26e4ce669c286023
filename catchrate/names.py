"""Names that people mistype: the nearest known one, and pairs that look like one name spelled twice."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Name the nearest of the known names, as a clause to append to a message ("" where none is near)."""
    import difflib  # 1 ms, only on the way out

    folded = {candidate.casefold(): candidate for candidate in known}
    near = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return f"; did you mean {folded[near[0]]!r}?" if near else ""


def not_found(reviewer: str, available: Collection[str]) -> str:
    """Say that a reviewer is not among those of a fixture, which is near, and who is there."""
    near = did_you_mean(reviewer, available)
    return f"reviewer {reviewer!r} not found{near}{'' if near else ';'} available: {', '.join(available)}"


def lookalikes(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pair names that differ only in case, blanks, hyphens, underscores, unseen characters or Unicode form."""
    first: dict[str, str] = {}
    for name in names:
        form = unicodedata.normalize("NFKC", name).casefold()
        form = "".join(one for one in form if unicodedata.category(one) != "Cf")  # takes no room: not seen
        folded = re.sub(r"[\s_-]", "", form) or form
        earlier = first.setdefault(folded, name)
        if earlier != name:
            yield earlier, name
