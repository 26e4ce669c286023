"""What there is: people and documents."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Person:
    """Somebody with an account."""

    id: int
    name: str
    is_staff: bool = False


@dataclass
class Document:
    """A text with an owner. A locked one has been signed: nobody edits it, not even staff."""

    title: str
    owner_id: int
    text: str = ""
    locked: bool = False

    def sign(self) -> None:
        """Lock the document for good. Raises ValueError for an empty one."""
        if not self.text.strip():
            raise ValueError(f"{self.title!r} has no text to sign")
        self.locked = True

    def words(self) -> int:
        """Count the words of the text."""
        return len(self.text.split())
