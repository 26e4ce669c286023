"""Score code reviewers against the known bugs of real pull requests.

>>> import catchrate
>>> corpus = catchrate.load("cases/")                           # doctest: +SKIP
>>> scores = catchrate.score(corpus, reviewers=["codevetter"])  # doctest: +SKIP
"""

from catchrate.loading import load
from catchrate.scoring import score

__version__ = "0.1.0"
__all__ = ["load", "score"]
