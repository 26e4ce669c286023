"""Whose comments count: who the reviewer is among all who wrote on a pull request."""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from catchrate.importers import bots, unreadable
from catchrate.importers.bots.comments import Comment
from catchrate.importers.bots.remarks import Bot
from catchrate.importers.gathering import Gathering

PERSON = "by a person"
OTHER_BOT = "by another bot"
NO_AUTHOR = "without an author"

_MOST_LISTED = 10
_HOW = "say with --author LOGIN whose comments count"


class Choice(msgspec.Struct, frozen=True):
    """The reviewer's logins, and the bot as which its comments are read where their login does not tell.

    Where nothing says who wrote a comment, it has to bear the marks of `marked`; `takes_unsigned` takes all of those
    that do not bear the marks of another bot. `only_bots`: the logins follow from what the bot is called, and a person
    who has one of them is not meant.
    """

    logins: frozenset[str]
    bot: Bot | None = None
    marked: Bot | None = None
    takes_unsigned: bool = False
    only_bots: bool = False

    def why_not(self, comment: Comment) -> str | None:
        """Say why a comment is none of the reviewer's; None where it is one."""
        if comment.login is not None:
            if bots.bare(comment.login) in self.logins and (comment.is_bot or not self.only_bots):
                return None
            return OTHER_BOT if comment.is_bot else PERSON
        by = bots.of_marks(comment.body)
        if by is not None and by is (self.marked or self.bot):
            return None
        if by is None and self.takes_unsigned:
            return None
        return OTHER_BOT if by else NO_AUTHOR


def choose(comments: Sequence[Comment], file: str, gathered: Gathering) -> Choice:
    """Choose the reviewer: by the logins that the person names, else by its name, else it is the only bot that wrote.

    Raises `UnreadableError`, about the file, where nothing tells it from others.
    """
    options = gathered.options
    written = Counter(comment.login for comment in comments if comment.login is not None)
    present = {bots.bare(login) for login in written}
    named = bots.of_reviewer(options.reviewer)
    if options.authors:
        known = [bot for bot in map(bots.of_login, options.authors) if bot]
        # One bot may write under two logins: naming one of them means both.
        logins = {bots.bare(login) for login in options.authors} | {login for bot in known for login in bot.logins}
        choice = Choice(frozenset(logins), known[0] if known else named)
    elif named is not None:
        choice = Choice(frozenset(named.logins), named, only_bots=True)
    elif bots.bare(options.reviewer) in present:
        choice = Choice(frozenset([bots.bare(options.reviewer)]))
    else:
        choice = _only_bot(comments, written, file, gathered)
    if not written:
        return _unsigned(comments, choice, file, gathered) if comments else choice
    if not any(one.login is not None and choice.why_not(one) is None for one in comments):
        nobody = " or ".join(sorted(choice.logins))
        gathered.note(f"nothing is by {nobody}; there is something by {_listed(written)}: {_HOW}")
    return choice


def _only_bot(comments: Sequence[Comment], written: Mapping[str, int], file: str, gathered: Gathering) -> Choice:
    accounts = {bots.bare(one.login): one.login for one in comments if one.login is not None and one.is_bot}
    known = {login: bots.of_login(login) for login in accounts}
    names = {bot.title if bot else login for login, bot in known.items()}
    if len(names) > 1 or (written and not names):
        if not names:
            raise unreadable(file, "", f"holds no comment of a bot: {_listed(written)}; {_HOW}")
        counts = {login: count for login, count in written.items() if bots.bare(login) in accounts}
        raise unreadable(file, "", f"holds comments of several bots: {_listed(counts)}; {_HOW}")
    if names:
        gathered.note(f"the comments of {', '.join(accounts.values())} are taken: no other bot wrote any")
    bot = next(iter(known.values()), None)
    return Choice(frozenset(accounts) | frozenset(bot.logins if bot else ()), bot, only_bots=True)


def _unsigned(comments: Sequence[Comment], choice: Choice, file: str, gathered: Gathering) -> Choice:
    """Settle what to do where nothing was saved of who wrote the comments: bots leave marks in what they write."""
    marks = Counter(bot.title for comment in comments if (bot := bots.of_marks(comment.body)))
    bot = choice.bot
    if bot is None and not choice.logins:
        if len(marks) > 1:
            raise unreadable(file, "", f"does not say who wrote what, and several bots did: {_listed(marks)}; {_HOW}")
        bot = next((one for one in bots.BOTS if one.title in marks), None)
    if bot is not None and bot.title in marks:
        gathered.note(f"nothing says who wrote the comments: those with the marks of {bot.title} are taken")
        return Choice(choice.logins, bot, marked=bot)
    gathered.note("nothing says who wrote the comments: all without the marks of another bot are taken")
    return Choice(choice.logins, bot, takes_unsigned=True)


def _listed(counts: Mapping[str, int]) -> str:
    most = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = ", ".join(f"{name} ({count})" for name, count in most[:_MOST_LISTED])
    return shown + (f" and {len(most) - _MOST_LISTED} more" if len(most) > _MOST_LISTED else "")
