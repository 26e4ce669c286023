"""GitHub's own code quality bot: a heading or a sentence, prose, at times a suggestion. It names no severity."""

from catchrate.importers.bots.other import plain

BOT = plain("GitHub code quality", ("github code quality", "code quality"), ("github-code-quality",))
