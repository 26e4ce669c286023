"""Why a text is no JSON that catchrate can hold, in words and with the place.

The decoder that reads fixtures says that a text is broken; this says it so that a person finds the place.
"""

import json
import math
import re
from typing import NoReturn

from catchrate.places import tokens

_SURROGATES = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


class _NotFiniteError(ValueError):
    """The text holds NaN or Infinity, which Python's json would take."""


def _refuse(_: str) -> NoReturn:
    raise _NotFiniteError


def diagnose(text: str) -> tuple[str, int] | None:
    """Say what is wrong with a JSON text, and at which character. None where nothing was found."""
    try:
        json.loads(text, parse_constant=_refuse, parse_int=len)
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()):
            return "it ends too early, with a bracket or a quote still open", error.pos
        return error.msg[:1].lower() + error.msg[1:], error.pos
    except _NotFiniteError:
        pass
    except RecursionError:
        return None
    for token, offset in tokens(text):
        if token.startswith('"'):
            lone = next((match for match in _SURROGATES.finditer(token) if match.group(1)), None)
            if lone:
                return f"{lone.group(1)} is half a character (a lone surrogate)", offset + lone.start()
        elif token in ("NaN", "Infinity", "-Infinity"):
            return f"{token} is no JSON number; write null", offset
        elif token[-1].isdigit() and not math.isfinite(_as_float(token)):
            return "the number is too large to be held", offset
    return None


def _as_float(token: str) -> float:
    try:
        return float(token)
    except ValueError:  # a word that ends with a digit
        return 0.0
