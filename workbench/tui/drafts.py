"""Status edits of this sitting: what was drafted by hand, written, committed, in the order undo takes them back."""

from collections.abc import Sequence

from workbench.desk.records import SectionRows, StatusEdit

Place = tuple[str, str, int]
"""A section: its file, its title, and which of equal titles it is (0 is the first)."""
Key = tuple[Place, str]
"""What a status is about: a section, and an audit of it or nothing for the whole of it."""


def places(sections: Sequence[SectionRows]) -> tuple[Place, ...]:
    """The place of each section; unlike its line, it stays when a status is written above it."""
    names = [(section.file, section.section.title) for section in sections]
    return tuple((*name, names[:index].count(name)) for index, name in enumerate(names))


class Drafts:
    """Outlives the status screen, so that coming back shows what is written and not committed yet."""

    def __init__(self) -> None:
        self._edits: dict[Key, StatusEdit] = {}
        self._done: list[Key] = []

    def get(self, key: Key) -> StatusEdit | None:
        """The edit of a section or audit, unless it was committed: then a fresh draft is due."""
        edit = self._edits.get(key)
        return edit if edit is not None and not edit.commit else None

    def keep(self, key: Key, edit: StatusEdit) -> None:
        """Remember an edit as it is now."""
        if edit.written and not edit.commit:
            self._done.append(key)
        self._edits[key] = edit

    def undone(self) -> None:
        """The desk took back what was written last."""
        if self._done:
            self._edits.pop(self._done.pop(), None)
