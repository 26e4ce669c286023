"""How decisions get into a fixture: at once for a whole worklist, or one by one at a terminal."""

import contextlib
import os
import select
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import click

from catchrate.cli.fixture_files import Fixture, locked, replace
from catchrate.cli.terminal import EXIT_NOT_MEASURED, EXIT_OK, complain, print_out
from catchrate.editing import Change, differences, edited
from catchrate.labelling import CORE_CLAIM, NO, Answer, Decision, No, faults, labelled, unfilled
from catchrate.renderers.plain import one_line
from catchrate.reporting import plural
from catchrate.worklist import Task, findings_of
from catchrate.worklist.showing import broken, how_alike, hunk_lines, known, place_of, said, shown

_KEYS: dict[str, No] = {"f": "false_positive", "o": "out_of_scope", "d": "unlabelled_defect"}
_MOST_TITLE = 160
_MOST_KEYS = 1_000  # bytes that are taken for one key: what is pasted is no answer
_LONGEST_LINE = 4_095  # bytes: terminals of Linux drop what goes beyond, without a word
_PAUSE = 0.02  # seconds in which the next line of pasted text follows
_MOST_LISTED = 20  # issues that are not proposed; all of them have a number
_HANG = 3  # blanks before what follows a key or a number
_HANG_IN_DIFF = 8  # blanks before what follows the number of a line, and its sign


def now() -> str:
    """Return the time, in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def new_data(fixture: Fixture, reviewer: str, decisions: Iterable[Decision]) -> dict[str, bytes]:
    """Make the content of each file of a fixture that gets any of these decisions."""
    cases = {document.value["id"]: document for document in fixture.cases}
    changes: dict[str, list[Change]] = {}
    for decision in decisions:
        document = cases[decision.case]
        before = findings_of(document.value, reviewer)[decision.index]
        path = (*document.path, "reviews", reviewer, decision.index)
        changes.setdefault(document.file, []).extend(differences(path, before, labelled(before, decision)))
    files = fixture.files
    return {name: edited(files[name].text, found).encode(files[name].encoding) for name, found in changes.items()}


# --- at a terminal ----------------------------------------------------------------------------------------------------

_MATCHING = ("1-9 it matches that issue   m several issues, or one of a higher number",)
_OTHER_KEYS = (
    *(f"{key}  no: {name.replace('_', ' ')} ({NO[name]})" for key, name in _KEYS.items()),
    "s skip   u undo   r the rule   q quit",
)


class _Quit(Exception):  # noqa: N818 (no error)
    """The person has had enough for now."""


class _CutError(Exception):
    """What was typed or pasted is not all there, or more than one line: why."""


def label(fixture: Fixture, tasks: Sequence[Task], reviewer: str, by: str) -> int:
    """Go through findings with a person: show each, take the answer, write it at once.

    A file is always made of its first text and all decisions in force: after an undo it is as if the decision had
    never been.
    """
    file_of = {document.value["id"]: document.file for document in fixture.cases}
    on_disk = {name: file.data for name, file in fixture.files.items()}
    decisions: dict[int, Decision] = {}  # by the position of the task, in the order in which they were made
    position = 0
    print_out([*_rule(), "\n"])
    try:
        while position < len(tasks):
            task = tasks[position]
            print_out(_screen(task, position, len(tasks), len(decisions)))
            answer = _ask(task, can_undo=bool(decisions))
            if answer == "skip":
                position += 1
                continue
            if answer == "undo":
                position, undone = decisions.popitem()
                name = file_of[undone.case]
            else:
                decisions[position] = Decision(task.case.id, task.index, answer, task.proposed, by, now())
                position += 1
                name = file_of[task.case.id]
            in_force = [decision for decision in decisions.values() if file_of[decision.case] == name]
            data = new_data(fixture, reviewer, in_force).get(name, fixture.files[name].data)
            with locked([Path(name)]):
                wrong = replace(Path(name), on_disk[name], data)
            if wrong:
                complain([f"could not write {name}: {wrong}"])
                return EXIT_NOT_MEASURED
            on_disk[name] = data
    except _Quit:
        pass
    left = len(tasks) - len(decisions)
    told = f"{plural(len(decisions), 'finding')} decided and written, {left} left"
    return EXIT_OK if print_out([f"\n\n{told}\n"]) else EXIT_NOT_MEASURED


def _rule() -> Iterator[str]:
    yield "The rule:\n"
    for line in CORE_CLAIM:
        yield from (f"  {part}\n" for part in shown(line, _columns() - 2))


def _columns() -> int:
    return min(shutil.get_terminal_size().columns, 120)


def _numbered(task: Task) -> list[str]:
    """Name the issues of a case in the order of their numbers: those proposed, then the others."""
    proposed = list(task.proposed)
    return [*proposed, *(issue.id for issue in task.case.ground_truth if issue.id not in proposed)]


def _screen(task: Task, position: int, total: int, decided: int) -> Iterator[str]:
    columns = _columns()
    place = place_of(task.remark)
    yield "\n" + "-" * columns + "\n"
    yield _fitted(
        f"{position + 1} of {total}, {decided} decided   case {one_line(task.case.id, _MOST_TITLE)}: "
        f"{one_line(task.case.title, _MOST_TITLE)}"
    )
    yield "\n"
    yield _fitted(f"Finding {task.index + 1}{f' at {one_line(place, _MOST_TITLE)}' if place else ''}")
    yield from _indented(said(task.remark, columns - 4))
    if task.restates:
        others_like_it = ", ".join(str(index + 1) for index in task.restates)
        yield _fitted(f"  It may say the same as finding {others_like_it} of this case.", 2)
    yield "\nIn the diff\n"
    yield from _indented(part for line in hunk_lines(task) for part in broken(line, columns - 4, _HANG_IN_DIFF))
    issues = {issue.id: issue for issue in task.case.ground_truth}
    names = _numbered(task)
    for number, proposal in enumerate(task.proposals, 1):
        issue = issues[proposal.issue]
        place = place_of(issue)
        about = f"{one_line(issue.id, _MOST_TITLE)}, {one_line(issue.severity, _MOST_TITLE)}"
        about += f", at {one_line(place, _MOST_TITLE)}" if place else ""
        yield "\n"
        yield _fitted(f"{number}  {about} ({one_line(how_alike(proposal), 400)})", _HANG)
        yield from _indented(known(issue, columns - 4))
    if not task.proposals:
        why = unfilled(task.case.ground_truth)
        yield (
            f"\nNo issue is proposed{f': {why}' if why else ''}.\n"
            if issues
            else "\nA good control: no issue is known.\n"
        )
    others = names[len(task.proposals) :]
    if others:
        yield "\nOther issues of the case\n"
    for number, name in enumerate(others[:_MOST_LISTED], len(task.proposals) + 1):
        yield _fitted(f"{number}  {one_line(name, _MOST_TITLE)}: {one_line(issues[name].title, _MOST_TITLE)}", _HANG)
    if len(others) > _MOST_LISTED:
        yield f"   and {len(others) - _MOST_LISTED} more, to be seen with `catchrate show`\n"
    for told, answer in (("Decided already", task.answer), ("A label to be confirmed", task.unconfirmed)):
        if answer:
            yield "\n"
            yield _fitted(f"{told}: {_words(answer)}")
    yield "\n"
    yield from _help(can_match=bool(issues))


def _help(*, can_match: bool) -> Iterator[str]:
    """Say which keys there are."""
    lines = [*(_MATCHING if can_match else ()), *_OTHER_KEYS]
    return (_fitted(line, _HANG) for line in lines)


def _fitted(line: str, hang: int = 0) -> str:
    """Break a line to the width of the terminal."""
    return "".join(f"{part}\n" for part in broken(line, _columns(), hang))


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"    {line}".rstrip() + "\n" for line in lines)


def _words(answer: Answer) -> str:
    told = f"matches {', '.join(answer.matches)}" if answer.matches else str(answer.no).replace("_", " ")
    return one_line(f"{told} ({answer.rationale or 'no reason given'})", 2 * _MOST_TITLE)


def _ask(task: Task, *, can_undo: bool) -> Answer | Literal["undo", "skip"]:
    """Take an answer with its reason, or what the person wants instead."""
    names = _numbered(task)
    while True:
        print_out(["> "])
        key = _key()
        print_out([f"{key}\n"])
        if key == "q":
            raise _Quit
        if key == "s":
            return "skip"
        if key == "u":
            if can_undo:
                return "undo"
            print_out(["There is nothing to undo in this sitting.\n"])
        elif key == "r":
            print_out(_rule())
        elif key in _KEYS:
            found = _reasoned((), _KEYS[key], names)
            if found:
                return found
        elif key == "m" and names:
            matches = _several(names)
            found = _reasoned(matches, None, names) if matches else None
            if found:
                return found
        elif key and key in "123456789" and int(key) <= len(names):
            found = _reasoned((names[int(key) - 1],), None, names)
            if found:
                return found
        else:
            print_out(["That is no answer here.\n", *_help(can_match=bool(names))])


def _key() -> str:
    """Wait for a key; "" for one that sends several characters, and for pasted text. The end of the input is a quit.

    What was typed ahead counts: nothing is thrown away, as the switch to raw mode does in click.
    """
    try:
        import termios
        import tty
    except ImportError:  # Windows
        return click.getchar()[:1]
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSADRAIN)
        data = os.read(descriptor, _MOST_KEYS)
    except OSError:  # the terminal is gone
        data = b""
    finally:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
    if data in (b"", b"\x04", b"\0"):  # the last one is a Ctrl-D that was typed ahead, before the switch
        raise _Quit
    key = data.decode("utf-8", "replace")
    return key if len(key) == 1 and key.isprintable() else ""


def _line(prompt: str) -> str:
    """Read a line of text. What a terminal would act on is left out: arrow keys come as such."""
    print_out(["\n".join(broken(prompt, _columns() - 1)), " "])
    data = sys.stdin.buffer.readline()
    if not data:
        raise _Quit
    if len(data) >= _LONGEST_LINE:
        raise _CutError(f"a terminal hands on {_LONGEST_LINE:,} bytes of a line at most")
    more = _lines_waiting()
    if more:
        raise _CutError(f"{more} more lines came at once" if more > 1 else "another line came at once")
    return "".join(one for one in data.decode("utf-8", "replace") if one.isprintable()).strip()


def _lines_waiting() -> int:
    """Take in the lines that came together with the one just read, as pasted text does. Returns how many there were."""
    count = 0
    try:
        while select.select([sys.stdin.fileno()], [], [], _PAUSE)[0]:
            data = os.read(sys.stdin.fileno(), _LONGEST_LINE + 1)
            if not data:
                break
            count += max(1, data.count(b"\n"))
    except (OSError, ValueError):  # Windows waits for no terminal
        pass
    return count


def _several(names: Sequence[str]) -> tuple[str, ...]:
    """Ask for the numbers of issues; none where they were not understood."""
    try:
        text = _line("The numbers of the issues, with blanks between:")
    except _CutError as cut:
        print_out([f"Not taken: {cut}.\n"])
        return ()
    numbers = [int(part) if part.isdecimal() and len(part) < 10 else 0 for part in text.replace(",", " ").split()]  # noqa: PLR2004
    if not numbers or not all(0 < number <= len(names) for number in numbers):
        print_out([f"Write numbers from 1 to {len(names)}.\n"])
        return ()
    return tuple(dict.fromkeys(names[number - 1] for number in numbers))


def _reasoned(matches: tuple[str, ...], no: No | None, issues: Sequence[str]) -> Answer | None:
    """Ask for the reason of an answer; None where none is given: the answer is taken back."""
    told = f"It matches {', '.join(matches)}" if matches else f"No: {str(no).replace('_', ' ')}"
    try:
        answer = Answer(matches, no, _line(f"{one_line(told, _MOST_TITLE)}. Why? (an empty answer goes back):"))
    except _CutError as cut:
        print_out([_fitted(f"Not decided: {cut}, and a reason is taken whole. Write it in one shorter line.")])
        return None
    if not answer.rationale:
        print_out(["Taken back: nothing is decided.\n"])
        return None
    wrong = next(faults(answer, issues), None)
    if wrong:
        print_out([f"Not decided: it {wrong}.\n"])
        return None
    return answer
