"""Calls are asked as often as it takes and no oftener, and whatever a backend does, no verdict comes of nothing."""

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catchrate.critic import running
from catchrate.critic.backends import Reply
from catchrate.critic.running import MOST_ATTEMPTS, Answer, Attempt, Call, Limits, ask_all
from catchrate.critic.verdicts import Failed, Judged
from tests.critics import FAIL, PASS, Ask, backend, cases, name_in, read

BUSY = Failed("rate_limited", "slow down", again=True)
NAMES = [f"b{number}" for number in range(12)]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_FIRST_PAUSE", 0.001)


class Log:
    """Every attempt that was told of."""

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []
        self.replies: list[Reply | None] = []
        self._lock = threading.Lock()

    def tell(self, attempt: Attempt, reply: Reply | None) -> None:
        with self._lock:
            self.attempts.append(attempt)
            self.replies.append(reply)


def asked(
    ask: Ask,
    names: Sequence[str] = NAMES,
    *,
    jobs: int = 4,
    deadline: float = 20.0,
    log: Log | None = None,
    **more: Any,
) -> dict[str, Answer]:
    """Ask about each case once; answers by the name of the case."""
    diffs = cases(*names)
    calls = [Call(case.id, 1) for case in diffs]
    log = log or Log()
    answers = list(ask_all(diffs, calls, backend(ask, **more), Limits(jobs, deadline), on_attempt=log.tell))
    assert sorted(answer.call for answer in answers) == sorted(calls)
    return {answer.call.case_id: answer for answer in answers}


def outcomes(answers: dict[str, Answer]) -> Counter[str]:
    readings = [answer.reading for answer in answers.values()]
    return Counter(reading.verdict if isinstance(reading, Judged) else reading.kind for reading in readings)


def in_turn(*answers: Any) -> Ask:
    """Answer each case with one after the other."""
    turns: Counter[str] = Counter()
    lock = threading.Lock()

    def ask(text: str, _: float) -> Any:
        with lock:
            turns[name_in(text)] += 1
            turn = turns[name_in(text)]
        return answers[min(turn, len(answers)) - 1]

    return ask


def test_each_case_gets_its_own_answer() -> None:
    verdicts = {name: [PASS, FAIL][number % 2] for number, name in enumerate(NAMES)}
    answers = asked(lambda text, _: verdicts[name_in(text)], jobs=8)
    assert {name: answer.reading for name, answer in answers.items()} == {
        name: Judged(["PASS", "FAIL"][number % 2])  # type: ignore[arg-type]
        for number, name in enumerate(NAMES)
    }


def test_as_many_at_a_time_as_asked_for() -> None:
    now = most = 0
    lock = threading.Lock()

    def ask(*_: Any) -> Reply:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.01)
        with lock:
            now -= 1
        return PASS

    for jobs in (1, 3):
        most = 0
        asked(ask, jobs=jobs)
        assert most == jobs


# --- asked again, or not -----------------------------------------------------------------------------------------


def test_what_passes_is_asked_again_and_every_attempt_is_told() -> None:
    log = Log()
    answers = asked(in_turn(BUSY, Failed("http_5xx", "broken", again=True), FAIL), ["b1"], log=log)
    assert answers["b1"].reading == Judged("FAIL")
    assert [(attempt.number, attempt.error) for attempt in log.attempts] == [
        (1, "rate_limited"),
        (2, "http_5xx"),
        (3, None),
    ]
    assert [reply is None for reply in log.replies] == [True, True, False]
    reply = answers["b1"].reply
    assert reply is not None
    assert reply.facts["attempts"] == 3


@pytest.mark.parametrize("kind", ["timeout", "http_4xx", "refusal", "no_verdict", "ambiguous", "truncated"])
def test_what_does_not_pass_is_asked_once(kind: Any) -> None:
    log = Log()
    answers = asked(in_turn(Failed(kind, "so it is"), PASS), ["b1"], log=log)
    assert answers["b1"].reading == Failed(kind, "so it is")
    assert len(log.attempts) == 1


@pytest.mark.parametrize("text", ["", "fine", "VERDICT: PASS\nVERDICT: FAIL"])
def test_a_reply_without_a_verdict_is_no_reason_to_ask_again(text: str) -> None:
    log = Log()
    answers = asked(in_turn(Reply(text), PASS), ["b1"], log=log)
    assert isinstance(answers["b1"].reading, Failed)
    assert answers["b1"].reply is not None
    assert len(log.attempts) == 1


def test_an_error_inside_a_reply_is_asked_again_or_stops_the_run_as_any_other() -> None:
    def reads(reply: Reply, _: Any) -> Judged | Failed:
        errors = {"busy": BUSY, "locked": Failed("http_4xx", "no key", stops_run=True)}
        return errors.get(reply.body) or Judged("PASS")

    log = Log()
    answers = asked(in_turn(Reply("busy"), Reply("fine")), ["b1"], log=log, read=reads)
    assert answers["b1"].reading == Judged("PASS")
    assert [attempt.error for attempt in log.attempts] == ["rate_limited", None]
    assert outcomes(asked(lambda *_: Reply("locked"), jobs=1, read=reads)) == {"http_4xx": 1, "cancelled": 11}


def test_there_is_an_end_to_asking() -> None:
    log = Log()
    answers = asked(lambda *_: BUSY, ["b1"], log=log)
    assert answers["b1"].reading == BUSY
    assert len(log.attempts) == MOST_ATTEMPTS


def test_pauses_double_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(running, "_FIRST_PAUSE", 0.5)
    monkeypatch.setattr(running, "_LONGEST_PAUSE", 3.0)
    monkeypatch.setattr(running._Gate, "hold", lambda _, seconds: pauses.append(seconds))
    asked(lambda *_: BUSY, ["b1"])
    assert pauses == [0.5, 1.0, 2.0, 3.0, 3.0, 3.0]


def test_the_time_of_a_call_is_over_all_its_attempts() -> None:
    left: list[float] = []

    def ask(_: str, seconds: float) -> Failed:
        left.append(seconds)
        time.sleep(0.02)
        return BUSY

    asked(ask, ["b1"], deadline=5.0)
    assert left == sorted(left, reverse=True)
    assert 4.9 < left[0] <= 5.0
    assert left[-1] < 4.9


# --- one pause for all -------------------------------------------------------------------------------------------


def test_the_wait_that_is_asked_for_is_kept_by_all() -> None:
    begun: list[float] = []
    lock = threading.Lock()
    until = 0.0

    def ask(*_: Any) -> Reply | Failed:
        nonlocal until
        with lock:
            begun.append(time.monotonic())
            if len(begun) == 1:
                until = time.monotonic() + 0.3
                return Failed("rate_limited", "slow down", again=True, wait=0.3)
        time.sleep(0.02)
        return PASS

    answers = asked(ask, jobs=2)
    assert outcomes(answers) == {"PASS": len(NAMES)}
    # The other one that was let in at the same time had begun already.
    assert len([one for one in begun[1:] if one < until - 0.01]) <= 1
    assert len([one for one in begun if one >= until - 0.01]) >= len(NAMES) - 1


@pytest.mark.parametrize("wait", [0.0, -5.0, float("nan")])
def test_a_wait_that_is_none_is_none(wait: float) -> None:
    answers = asked(in_turn(Failed("http_5xx", "x", again=True, wait=wait), PASS), ["b1"], deadline=2.0)
    assert answers["b1"].reading == Judged("PASS")


def test_a_wait_beyond_the_deadline_ends_the_call_at_once_and_asks_no_other() -> None:
    log = Log()
    start = time.monotonic()
    answers = asked(lambda *_: Failed("rate_limited", "come tomorrow", again=True, wait=86_400.0), jobs=1, log=log)
    assert time.monotonic() - start < 1
    assert outcomes(answers) == {"rate_limited": 1, "cancelled": 11}
    assert len(log.attempts) == 1
    last = answers[NAMES[-1]].reading
    assert isinstance(last, Failed)
    assert last.detail.startswith("not asked: there are 86400 s to wait")


# --- stopped -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 4])
def test_a_refused_key_stops_the_whole_run(jobs: int) -> None:
    log = Log()
    refused = Failed("http_4xx", "status 401: no such key", stops_run=True)
    answers = asked(lambda *_: refused, jobs=jobs, log=log)
    assert len(log.attempts) <= jobs
    assert outcomes(answers) == {"http_4xx": len(log.attempts), "cancelled": 12 - len(log.attempts)}
    cancelled = [one.reading for one in answers.values() if one.reading != refused]
    assert cancelled[0] == Failed("cancelled", "not asked: the run was stopped: status 401: no such key")


def test_what_was_under_way_when_the_run_stopped_keeps_what_it_came_to() -> None:
    both = threading.Barrier(3)

    def ask(text: str, _: float) -> Reply | Failed:
        both.wait(5)
        if name_in(text) == "b0":
            return Failed("http_4xx", "status 403", stops_run=True)
        time.sleep(0.05)
        return PASS if name_in(text) == "b1" else Failed("timeout", "too late")

    answers = asked(ask, ["b0", "b1", "b2"], jobs=3)
    assert {name: one.reading for name, one in answers.items()} == {
        "b0": Failed("http_4xx", "status 403", stops_run=True),
        "b1": Judged("PASS"),
        "b2": Failed("timeout", "too late"),
    }


def test_a_call_that_waited_when_the_run_stopped_keeps_its_own_error() -> None:
    both = threading.Barrier(2)

    def ask(text: str, _: float) -> Reply | Failed:
        both.wait(5)
        if name_in(text) == "b1":
            return Failed("rate_limited", "slow down", again=True, wait=10.0)
        time.sleep(0.1)
        return Failed("http_4xx", "status 401", stops_run=True)

    answers = asked(ask, ["b0", "b1"], jobs=2)
    assert outcomes(answers) == {"http_4xx": 1, "rate_limited": 1}


def test_who_reads_no_further_stops_the_run() -> None:
    log = Log()
    diffs = cases(*NAMES)
    calls = [Call(case.id, 1) for case in diffs]

    def ask(*_: Any) -> Reply:
        time.sleep(0.01)
        return PASS

    with contextlib.closing(ask_all(diffs, calls, backend(ask), Limits(2), on_attempt=log.tell)) as answers:
        next(answers)
    time.sleep(0.1)
    assert len(log.attempts) <= 4


# --- backends that break -----------------------------------------------------------------------------------------


def broken(*_: Any) -> Any:
    raise RuntimeError("the key is sk-secret")


@pytest.mark.parametrize(
    ("ask", "reads", "kind"),
    [
        (broken, read, "transport"),
        (lambda *_: None, read, "bad_body"),
        (lambda *_: "VERDICT: PASS", read, "bad_body"),
        (lambda *_: Judged("PASS"), read, "bad_body"),
        (lambda *_: Reply("VERDICT: PASS\ud800"), read, "bad_body"),
        (lambda *_: Reply("VERDICT: PASS", {"object": object()}), read, "bad_body"),
        (lambda *_: Reply("VERDICT: PASS", None), read, "bad_body"),  # type: ignore[arg-type]
        (lambda *_: PASS, broken, "bad_body"),
        (lambda *_: PASS, lambda *_: None, "bad_body"),
        (lambda *_: PASS, lambda *_: "PASS", "bad_body"),
        (lambda *_: PASS, lambda *_: Judged("pass"), "bad_body"),  # type: ignore[arg-type]
        (lambda *_: PASS, lambda *_: Judged(True), "bad_body"),  # type: ignore[arg-type]
    ],
)
def test_a_backend_that_breaks_is_an_error_and_never_a_verdict(ask: Ask, reads: Callable[..., Any], kind: str) -> None:
    answers = asked(ask, read=reads)
    assert outcomes(answers) == {kind: 12}
    assert "secret" not in repr(answers)


def test_what_cannot_be_recorded_ends_the_run() -> None:
    diffs = cases(*NAMES)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    answers = ask_all(diffs, [Call(case.id, 1) for case in diffs], backend(lambda *_: PASS), Limits(), on_attempt=full)
    with pytest.raises(OSError, match="No space left"):
        list(answers)


# --- any mix of it all -------------------------------------------------------------------------------------------

ACTS: dict[str, Any] = {
    "PASS": PASS,
    "FAIL": FAIL,
    "busy": BUSY,
    "broken": Failed("http_5xx", "broken", again=True, wait=0.0),
    "late": Failed("timeout", "too late"),
    "prose": Reply("VERDICT: PASS or so"),
    "double": Reply("VERDICT: PASS\nVERDICT: FAIL"),
    "nothing": None,
}


@settings(max_examples=40)
@given(
    plans=st.dictionaries(
        st.sampled_from(NAMES), st.lists(st.sampled_from(sorted(ACTS)), min_size=6, max_size=6), min_size=1
    ),
    jobs=st.integers(1, 8),
)
def test_no_mix_of_faults_leads_to_a_verdict_that_nobody_gave(plans: dict[str, list[str]], jobs: int) -> None:
    turns: Counter[str] = Counter()
    lock = threading.Lock()

    def ask(text: str, _: float) -> Any:
        with lock:
            name = name_in(text)
            turns[name] += 1
            return ACTS[plans[name][turns[name] - 1]]

    log = Log()
    answers = asked(ask, sorted(plans), jobs=jobs, log=log)
    for name, plan in plans.items():
        last = next((act for act in plan if act not in ("busy", "broken")), plan[-1])
        reading = answers[name].reading
        if last in ("PASS", "FAIL"):
            assert isinstance(reading, Judged)
            assert reading.verdict == last
        else:
            assert isinstance(reading, Failed)
        assert turns[name] == (plan.index(last) + 1 if last not in ("busy", "broken") else 6)
    assert len(log.attempts) == turns.total()
