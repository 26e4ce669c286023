from collections.abc import Callable

import pytest

from stockroom.retry import Breaker, CircuitOpenError, Policy, TransientError, call, drain, parse_retry_after


class Action:
    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.calls = 0

    def __call__(self) -> str:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return "done"


def transient(times: int) -> Action:
    return Action(*(TransientError(str(number)) for number in range(times)))


@pytest.mark.parametrize(
    ("policy", "delays"),
    [
        (Policy(), [0.5, 1.0, 2.0]),
        (Policy(attempts=1), []),
        (Policy(attempts=6, first_delay=2, factor=3), [2, 6, 10, 10, 10]),
        (Policy(attempts=3, factor=1), [0.5, 0.5]),
        (Policy(attempts=2, first_delay=20), [10]),
    ],
)
def test_delays(policy: Policy, delays: list[float]) -> None:
    assert list(policy.delays()) == delays


@pytest.mark.parametrize("failures", [0, 1, 3])
def test_success_at_last(failures: int) -> None:
    slept: list[float] = []
    action = transient(failures)
    assert call(action, Policy(), slept.append) == "done"
    assert action.calls == failures + 1
    assert slept == [0.5, 1.0, 2.0][:failures]


def test_the_last_error_is_raised() -> None:
    slept: list[float] = []
    action = transient(9)
    with pytest.raises(TransientError, match="3"):
        call(action, Policy(), slept.append)
    assert action.calls == 4
    assert slept == [0.5, 1.0, 2.0]


def test_other_errors_are_raised_at_once() -> None:
    slept: list[float] = []
    action = Action(TransientError(), KeyError("x"))
    with pytest.raises(KeyError):
        call(action, Policy(), slept.append)
    assert action.calls == 2
    assert slept == [0.5]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0),
        (" 1.5 ", 1.5),
        ("60", 60),
        ("61", 60),
        ("-1", None),
        ("soon", None),
        ("", None),
        (None, None),
        ("Wed, 21 Oct", None),
    ],
)
def test_retry_after(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value) == seconds


def test_the_cap_can_be_set() -> None:
    assert parse_retry_after("30", longest=10) == 10


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def fail(breaker: Breaker, error: Exception | None = None) -> None:
    with pytest.raises(type(error) if error else TransientError):
        breaker.run(Action(error or TransientError()))


def test_the_breaker_opens_and_closes() -> None:
    clock = Clock()
    breaker = Breaker(3, 30, clock)
    fail(breaker)
    fail(breaker)
    assert not breaker.is_open
    fail(breaker, KeyError())
    assert breaker.is_open
    action = Action()
    with pytest.raises(CircuitOpenError):
        breaker.run(action)
    assert action.calls == 0
    clock.now = 129.9
    assert breaker.is_open
    clock.now = 130
    assert not breaker.is_open
    assert breaker.run(action) == "done"
    fail(breaker)
    fail(breaker)
    assert not breaker.is_open


def test_a_failed_trial_opens_it_again() -> None:
    clock = Clock()
    breaker = Breaker(2, 30, clock)
    fail(breaker)
    fail(breaker)
    clock.now = 130
    fail(breaker)
    assert breaker.is_open
    clock.now = 159
    assert breaker.is_open


def test_success_counts_from_zero() -> None:
    breaker = Breaker(2, 30, Clock())
    for _ in range(3):
        fail(breaker)
        breaker.run(Action())
    assert not breaker.is_open


def test_jobs() -> None:
    done: list[int] = []

    def job(number: int) -> Callable[[], None]:
        def run() -> None:
            if number % 2:
                raise KeyError(number)
            done.append(number)

        return run

    errors = drain([job(number) for number in range(5)])
    assert done == [0, 2, 4]
    assert [error.args for error in errors] == [(1,), (3,)]
    assert drain([]) == []


def test_an_interrupt_ends_the_jobs() -> None:
    done: list[int] = []

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        drain([stop, lambda: done.append(1)])
    assert done == []
