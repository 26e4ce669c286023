"""The table of measured critics changes by one row, and nothing else of its file does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catchrate.critic.baseline import BaselineRow, with_row

ROW = BaselineRow("2026-01-02", "command", "0a1b2c", "0.25", "0.0", "1 run")
HEAD = "| date | model | corpus rev | false_pass_rate | false_fail_rate | notes |\n"
RULE = "| --- | --- | --- | --- | --- | --- |\n"
LINE = "| 2026-01-02 | command | 0a1b2c | 0.25 | 0.0 | 1 run |\n"
OTHER = "| 2025-01-01 | api:m | 0a1b2c | 0.1 | 0.2 | by hand |\n"
ODD = "| a\u2028b\x85c | api | 0 | 0 | 0 | d |\n"
PIPED = "| \\| command | 0a1b2c | 1 | 1 | 1 |\n"
OLD = "| 2025-01-01 | command | 0a1b2c | 0.9 | 0.9 | old |\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", HEAD + RULE + LINE),
        ("# Title\n\nWords.\n", "# Title\n\nWords.\n\n" + HEAD + RULE + LINE),
        ("Words without an end", "Words without an end\n\n" + HEAD + RULE + LINE),
        (HEAD + RULE, HEAD + RULE + LINE),
        (HEAD + RULE + OTHER, HEAD + RULE + OTHER + LINE),
        (HEAD + RULE + OLD + OTHER, HEAD + RULE + LINE + OTHER),
        (HEAD + RULE + OTHER + "\nAfter it.\n", HEAD + RULE + OTHER + LINE + "\nAfter it.\n"),
        # Without a final line end, and with the other one.
        ((HEAD + RULE + OTHER)[:-1], (HEAD + RULE + OTHER + LINE)[:-1]),
        ((HEAD + RULE + OLD)[:-1], (HEAD + RULE + LINE)[:-1]),
        ((HEAD + RULE + OTHER).replace("\n", "\r\n"), (HEAD + RULE + OTHER + LINE).replace("\n", "\r\n")),
        ((HEAD + RULE + OLD).replace("\n", "\r\n"), (HEAD + RULE + LINE).replace("\n", "\r\n")),
        ("Words.\r\n", ("Words.\n\n" + HEAD + RULE + LINE).replace("\n", "\r\n")),
        # The same model on another corpus, or another model on the same.
        (HEAD + RULE + OLD.replace("0a1b2c", "ffffff"), HEAD + RULE + OLD.replace("0a1b2c", "ffffff") + LINE),
        # Two tables: the first is the table; one with other columns is none.
        (HEAD + RULE + OTHER + "\n" + HEAD + RULE + OLD, HEAD + RULE + OTHER + LINE + "\n" + HEAD + RULE + OLD),
        ("| a | b |\n| - | - |\n\n" + HEAD + RULE, "| a | b |\n| - | - |\n\n" + HEAD + RULE + LINE),
        # Rows that other people typed.
        (HEAD + RULE + "|x|command|0a1b2c|1|1|y|\n", HEAD + RULE + LINE),
        (HEAD + RULE + "  | x | command | 0a1b2c | 1 | 1 | a \\| b |\n", HEAD + RULE + LINE),
        (HEAD + RULE + "x | command | 0a1b2c | 1 | 1 | y\n" + OTHER, HEAD + RULE + LINE + OTHER),
        (
            HEAD + RULE + "| a\u2028b\x85c | api | 0 | 0 | 0 | d |\n",
            HEAD + RULE + "| a\u2028b\x85c | api | 0 | 0 | 0 | d |\n" + LINE,
        ),
        (
            HEAD + RULE + "| \\| command | 0a1b2c | 1 | 1 | 1 |\n",
            HEAD + RULE + "| \\| command | 0a1b2c | 1 | 1 | 1 |\n" + LINE,
        ),
        # A table in a block of code is an example of one.
        (f"```md\n{HEAD}{RULE}{OLD}```\n\n{HEAD}{RULE}", f"```md\n{HEAD}{RULE}{OLD}```\n\n{HEAD}{RULE}{LINE}"),
        (f"~~~~\n{HEAD}{RULE}~~~\n~~~~\n", f"~~~~\n{HEAD}{RULE}~~~\n~~~~\n\n{HEAD}{RULE}{LINE}"),
    ],
)
def test_one_row_is_added_or_brought_up_to_date(before: str, after: str) -> None:
    assert with_row(before, ROW) == after
    assert with_row(after, ROW) == after


BITS = ["\n", "Words | here\n", "```\n", "\r\n", "| x |", "\u2028", "a\\|b", "# T\n"]
PIECES = st.sampled_from([HEAD, RULE, OTHER, OLD, *BITS])


@given(st.lists(PIECES | st.text(max_size=5), max_size=12).map("".join))
def test_nothing_else_changes_and_a_second_time_nothing_at_all(text: str) -> None:
    after = with_row(text, ROW)
    assert with_row(after, ROW) == after
    assert LINE.strip() in after
    before_lines, after_lines = ([line.rstrip("\r") for line in one.split("\n")] for one in (text, after))
    gone = [line for line in before_lines if line not in after_lines]
    replaced = [line for line in gone if "command" in line and "0a1b2c" in line]
    assert gone in ([], replaced[:1])
