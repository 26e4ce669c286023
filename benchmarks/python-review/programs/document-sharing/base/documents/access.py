"""Who may read and edit a document."""

from documents.model import Document, Person


class AccessError(Exception):
    """Somebody asked for what they may not do."""


def can_read(person: Person, document: Document) -> bool:
    """Tell whether a person sees a document: its owner does, and staff."""
    return person.is_staff or person.id == document.owner_id


def can_edit(person: Person, document: Document) -> bool:
    """Tell whether a person may change a document. Nobody edits a locked one."""
    if document.locked:
        return False
    return person.is_staff or person.id == document.owner_id


def edit(person: Person, document: Document, text: str) -> None:
    """Replace the text of a document. Raises AccessError."""
    if not can_edit(person, document):
        raise AccessError(f"{person.name} may not edit {document.title!r}")
    document.text = text


def visible(person: Person, documents: list[Document]) -> list[str]:
    """Return the titles of all documents that a person sees."""
    return [document.title for document in documents if can_read(person, document)]
