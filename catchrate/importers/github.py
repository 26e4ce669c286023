"""GitHub: what review bots write on a pull request, as its REST and GraphQL interfaces and `gh` give it.

A comment moves: its line and commit follow the head of the pull request, `original_line` and `original_commit_id` stay
where the reviewer looked, and come first. Findings stand in up to three places: inline comments, the bodies of reviews,
comments on the pull request as a whole. What else stands there (replies, people, other bots, walkthroughs) is no
finding and is left out, each for its reason.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import msgspec

from catchrate.importers import Format, Kind, Options, Origin, RawFinding, RawText, Reading, bots
from catchrate.importers.bots import other
from catchrate.importers.bots.choosing import Choice, choose
from catchrate.importers.bots.comments import Comment, comments_in, is_from_github
from catchrate.importers.bots.remarks import EMPTY, REPEATED, REPLY, SUPPRESSED, Bot, Contents, Endpoint, Place, Remark
from catchrate.importers.gathering import Gathering
from catchrate.importers.titles import key_of

LONGEST_BODY = 1_000_000  # characters; GitHub itself takes 65,536

GIVEN_TWICE = "given twice"
PENDING = "of a review that is not submitted"

_KINDS: Mapping[Endpoint, Kind] = {"inline": "inline", "reviews": "review_body", "issue comments": "summary"}
_ADDRESSES: Mapping[Endpoint, str] = {
    "inline": "inline comments (pulls/N/comments)",
    "reviews": "reviews (pulls/N/reviews)",
    "issue comments": "comments on the pull request (issues/N/comments)",
}
_DELETION = "(delete)"
_FULL_PAGES = {30, 100}  # what GitHub gives for one page, by default and at most


def read(raws: Sequence[RawText], options: Options) -> Reading:
    """Read the comments of one reviewer on one pull request, from one or more of the three endpoints."""
    gathered = Gathering("github", raws, options)
    comments = [comment for raw in raws for comment in comments_in(raw, gathered)]
    for (file, endpoint), count in Counter((one.file, one.endpoint) for one in comments).items():
        if count in _FULL_PAGES:
            gathered.note(f"{file} holds just {count} {_ADDRESSES[endpoint]}: is that one page of several?")
    choice = choose(comments, raws[0].name if raws else "", gathered)
    return _Review(comments, choice, gathered, has_inline=any(map(_may_give_inline, raws))).read()


class _Review:
    """One reviewer's comments, while they are read."""

    def __init__(self, comments: Sequence[Comment], choice: Choice, gathered: Gathering, *, has_inline: bool) -> None:
        self.comments = comments
        self.choice = choice
        self.gathered = gathered
        self.has_inline = has_inline or any(comment.endpoint == "inline" for comment in comments)
        self.found: list[RawFinding] = []
        self.bots: dict[str, Bot] = {}
        self.claims: Counter[str] = Counter()  # what each bot says that it found, by the title of the bot
        self.refusals: list[tuple[str, str]] = []  # when, and why
        self.unproven: set[str] = set()  # bots that say "nothing found" where only a part of what they say stands
        self.completed: list[str] = []  # when the reviewer said something that it only says at its end
        self._digests: dict[str, str] | None = None

    def read(self) -> Reading:
        pending = {one.number for one in self.comments if one.is_pending and one.number}
        for comment in self._each_once():
            reason = self._why_not(comment, pending)
            if reason:
                self.gathered.leave_out(reason)
            else:
                self._take(comment)
        for finding in self._findings_once():
            self.gathered.add(finding)
        self._note_what_is_missing()
        for when, why in self.refusals:
            if not any(when and done >= when for done in self.completed):
                self.gathered.fail(f"{', '.join(self.bots)}: {why}")
        # A reviewer has run to its end where it says how much it found, and all of that is here.
        is_all_here = all(self.claims[bot.title] <= self._here(bot) for bot in self.bots.values())
        ran = bool(self.claims) and not self.unproven and is_all_here
        return self.gathered.reading(tool=", ".join(self.bots) or None, ran=ran)

    def _each_once(self) -> list[Comment]:
        """Return each comment once, in the fullest form in which it was given.

        What GitHub knows by no number is known by its content: equal ones in one file are several comments, those of
        another file the same once more.
        """
        kept: list[Comment] = []
        places: dict[str, int] = {}
        equal: Counter[tuple[str, str]] = Counter()
        for comment in self.comments:
            names = comment.names
            if not names:
                digest = _digest(comment)
                equal[comment.file, digest] += 1
                names = (f"{digest}#{equal[comment.file, digest]}",)
            place = next((places[name] for name in names if name in places), None)
            if place is not None and _says_else(comment, kept[place]):
                self.gathered.note("two comments have one id and different texts: the fuller one, or the first, counts")
            if place is None:
                place = len(kept)
                kept.append(comment)
            else:
                self.gathered.leave_out(GIVEN_TWICE)
                if len(comment.fields) > len(kept[place].fields):
                    kept[place] = comment
            places |= dict.fromkeys(names, place)
        return kept

    def _why_not(self, comment: Comment, pending: set[str]) -> str | None:
        if comment.is_reply:
            return REPLY
        if comment.is_pending or str(comment.fields.get("pull_request_review_id")) in pending:
            return PENDING
        return self.choice.why_not(comment) or (None if comment.body.strip() else EMPTY)

    def _bot(self, comment: Comment) -> Bot:
        """Return as whose a comment is to be read: by its login, by who the reviewer is said to be, by its marks."""
        login = comment.login or self.gathered.options.reviewer or "unknown"
        named = bots.of_login(comment.login) if comment.login else None
        return named or self.choice.bot or bots.of_marks(comment.body) or self.bots.get(login) or other.unknown(login)

    def _take(self, comment: Comment) -> None:
        bot = self._bot(comment)
        self.bots.setdefault(bot.title, bot)
        body = comment.body
        if len(body) > LONGEST_BODY:
            self.gathered.note(f"a body of {len(body)} characters is read up to {LONGEST_BODY}")
            body = body[:LONGEST_BODY]
        contents = _reader(bot, comment.endpoint)(body)
        remarks = contents.remarks
        if self.gathered.options.include_suppressed:
            remarks += contents.suppressed
        elif contents.suppressed:
            self.gathered.leave_out(SUPPRESSED, len(contents.suppressed))
        self.found += [self._finding(comment, bot, remark, is_only=len(remarks) == 1) for remark in remarks]
        for reason in contents.left_out:
            self.gathered.leave_out(reason)
        self._remember(comment, bot, contents)

    def _remember(self, comment: Comment, bot: Bot, contents: Contents) -> None:
        """Keep what a comment says about the review as a whole."""
        if contents.refused:
            self.refusals.append((comment.when, contents.refused))
        if contents.remarks or contents.claimed is not None:
            self.completed.append(comment.when)
        if contents.claimed is not None:
            self.claims[bot.title] += contents.claimed
            # Such a comment speaks of the latest review alone, or stands beside the findings of an earlier one.
            is_report = comment.endpoint != "issue comments" or "issue comments" in bot.elsewhere
            if contents.claimed == 0 and not is_report and not self.has_inline:
                self.unproven.add(bot.title)
        for note in contents.notes:
            self.gathered.note(f"{bot.title}: {note}")

    def _finding(self, comment: Comment, bot: Bot, remark: Remark, *, is_only: bool) -> RawFinding:
        place, also = _told_better(remark, comment)
        path = self.gathered.path(place.path or self._path_of_digest(remark), is_uri=place.is_uri)
        line, end_line = self.gathered.lines(place.line, place.line if place.end_line is None else place.end_line)
        severity, is_guessed = self.gathered.severity(remark.severity_raw, bot.severities)
        if is_guessed:
            likely, is_unknown = self.gathered.severity(remark.severity_raw, bot.kinds)
            severity = severity if is_unknown else likely
        within = (path, line, remark.title)
        if comment.number:
            key = key_of("github", comment.number, *(() if is_only else within))
        else:
            key = key_of("github", bot.title, *within)
        return RawFinding(
            remark.title,
            severity,
            key,
            Origin(
                "github",
                comment.file,
                comment.index,
                tool=bot.title,
                id=comment.number,
                url=comment.text("html_url", "url") or None,
                commit=comment.commit,
                side=place.side or comment.side,
                outdated=comment.is_outdated,
                kind=_KINDS[comment.endpoint],
                severity_guessed=is_guessed,
                locations=self._written(also, path),
            ),
            remark.body,
            path,
            line,
            end_line,
            remark.severity_raw,
            None,
            remark.category,
            remark.confidence,
            _DELETION if remark.suggestion == "" else remark.suggestion,
        )

    def _written(self, also: Sequence[Place], own: str | None) -> tuple[str, ...]:
        written: dict[str, None] = {}
        for place in also:
            path = own if place.path is None else self.gathered.path(place.path, is_uri=place.is_uri)
            first, last = self.gathered.lines(place.line, place.end_line)
            if path is not None and first is not None:
                written[f"{path}:{first}" if last in (None, first) else f"{path}:{first}-{last}"] = None
        return tuple(written)

    def _path_of_digest(self, remark: Remark) -> str | None:
        """Return the path whose digest a remark names, among all paths that are known of the pull request."""
        if remark.path_digest is None:
            return None
        if self._digests is None:
            paths = [*self.gathered.options.paths, *(comment.path or "" for comment in self.comments)]
            self._digests = {hashlib.sha256(path.encode("utf-8", "replace")).hexdigest(): path for path in paths}
        path = self._digests.get(remark.path_digest)
        if path is None:
            self.gathered.note("a path is only given as a digest, of no file that is known: the finding has none")
        return path

    def _findings_once(self) -> list[RawFinding]:
        """Return the findings without those that a review or a summary only says again."""
        said = {_content(finding) for finding in self.found if finding.origin.kind == "inline"}
        kept = []
        for finding in self.found:
            if finding.origin.kind != "inline":
                if _content(finding) in said:
                    self.gathered.leave_out(REPEATED)
                    continue
                said.add(_content(finding))
            kept.append(finding)
        return kept

    def _note_what_is_missing(self) -> None:
        commits = {finding.origin.commit for finding in self.gathered.findings if finding.origin.commit}
        if len(commits) > 1:
            self.gathered.note(
                f"the findings were written on {len(commits)} commits: the lines of each are those of its own commit"
            )
        given = {comment.endpoint for comment in self.comments}
        endpoints: tuple[Endpoint, ...] = ("inline",)
        for bot in self.bots.values():
            for endpoint in (*endpoints, *bot.elsewhere):
                if endpoint not in given:
                    self.gathered.note(f"no {_ADDRESSES[endpoint]} are among the files: {bot.title} reports there too")
            claimed, here = self.claims[bot.title], self._here(bot)
            if claimed > here:
                self.gathered.note(
                    f"{bot.title} says that it posted {claimed}, {here} are here: is a page or a file missing?"
                )

    def _here(self, bot: Bot) -> int:
        kinds = {_KINDS[endpoint] for endpoint in bot.counts}
        return sum(one.origin.kind in kinds and one.origin.tool == bot.title for one in self.gathered.findings)


def _reader(bot: Bot, endpoint: Endpoint) -> Callable[[str], Contents]:
    return bot.inline if endpoint == "inline" else bot.review if endpoint == "reviews" else bot.issue


def _may_give_inline(raw: RawText) -> bool:
    """Tell whether a file without inline comments may be all of those that there are: an empty list, or threads."""
    return bool(raw.documents and all(document == [] for document in raw.documents)) or '"reviewThreads"' in raw.text


def _digest(comment: Comment) -> str:
    lines = [str(comment.fields.get(key)) for key in ("original_line", "line", "position", "created_at")]
    return key_of(comment.endpoint, comment.login, comment.path, comment.body, *lines)


def _says_else(one: Comment, other: Comment) -> bool:
    """Tell whether both have a text, and not the same one."""
    first, second = (" ".join(comment.body.split()) for comment in (one, other))
    return bool(first and second) and first != second


def _content(finding: RawFinding) -> tuple[object, ...]:
    return finding.file_path, finding.line, finding.end_line, finding.title, finding.body


def _told_better(remark: Remark, comment: Comment) -> tuple[Place, tuple[Place, ...]]:
    """Return where a remark stands, and its further places.

    What the text says of its own place counts for more than the comment. Of a list of places, the one around the
    comment's last line in the same file is its own, told better.
    """
    own = Place()
    if comment.endpoint == "inline":
        first, last = comment.lines
        own = Place(comment.path, first, last, comment.side)
    place = remark.place
    if place is not None:
        path = place.path if place.path is not None or remark.path_digest is not None else own.path
        return msgspec.structs.replace(own if place.line is None else place, path=path), remark.also
    for listed in remark.also:
        if listed.path is None or listed.path != own.path or listed.line is None:
            continue
        if own.end_line is None or listed.line <= own.end_line <= (listed.end_line or listed.line):
            return listed, tuple(one for one in remark.also if one != listed)
    return own, remark.also


FORMAT = Format("github", "GitHub review comments, reviews and issue comments", is_from_github, read)
