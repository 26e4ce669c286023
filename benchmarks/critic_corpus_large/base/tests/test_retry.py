from collections.abc import Callable

import pytest

from stockroom.retry import Breaker, CircuitOpenError, Policy, TransientError, call, drain, parse_retry_after


def failing(times: int) -> Callable[[], str]:
    left = [times]

    def action() -> str:
        if left[0] > 0:
            left[0] -= 1
            raise TransientError
        return "done"

    return action


def test_a_transient_error_is_tried_again() -> None:
    slept: list[float] = []
    assert call(failing(2), Policy(), slept.append) == "done"
    assert slept == [0.5, 1.0]


def test_attempts_are_limited() -> None:
    with pytest.raises(TransientError):
        call(failing(3), Policy(attempts=3), lambda _: None)


def test_delays_are_capped() -> None:
    assert list(Policy(attempts=5, first_delay=4).delays()) == [4, 8, 10, 10]


def test_retry_after() -> None:
    assert parse_retry_after("5") == 5
    assert parse_retry_after("500") == 60
    assert parse_retry_after(None) is None


def test_the_breaker_opens() -> None:
    breaker = Breaker(2, 30, lambda: 0.0)
    for _ in range(2):
        with pytest.raises(TransientError):
            breaker.run(failing(1))
    with pytest.raises(CircuitOpenError):
        breaker.run(failing(0))


def test_all_jobs_are_run() -> None:
    done: list[int] = []

    def broken() -> None:
        raise ValueError

    assert len(drain([broken, lambda: done.append(1)])) == 1
    assert done == [1]
