"""What moderators can do: lock threads and mute members."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Member:
    """Somebody who takes part in the forum."""

    name: str
    role: str = "member"


@dataclass
class Forum:
    """The state that actions change."""

    members: dict[str, Member] = field(default_factory=dict)
    locked: set[int] = field(default_factory=set)
    muted: set[str] = field(default_factory=set)


class NotAllowedError(Exception):
    """Somebody asked for an action that their role does not include."""


def lock_thread(forum: Forum, actor: Member, thread: int) -> None:
    """Lock a thread against new posts. Moderators and admins may."""
    if actor.role not in ("moderator", "admin"):
        raise NotAllowedError("only moderators can lock threads")
    forum.locked.add(thread)


def mute(forum: Forum, actor: Member, name: str) -> None:
    """Mute a member. Moderators and admins may."""
    if actor.role not in ("moderator", "admin"):
        raise NotAllowedError("only moderators can mute members")
    if name not in forum.members:
        raise KeyError(name)
    forum.muted.add(name)


def summary(forum: Forum) -> Mapping[str, int]:
    """Count what the forum holds."""
    return {"members": len(forum.members), "locked": len(forum.locked), "muted": len(forum.muted)}
