"""Status edits of this sitting: what was drafted by hand, written, committed, in the order undo takes them back."""

from workbench.desk.records import SectionRows, StatusEdit

Key = tuple[str, str, str]
"""File, section title, audit id (empty for the whole section)."""


def key_of(edit: StatusEdit) -> Key:
    """What an edit is about."""
    return edit.file, edit.section, edit.audit_id


class Drafts:
    """Outlives the status screen, so that coming back shows what is written and not committed yet."""

    def __init__(self) -> None:
        self._edits: dict[Key, StatusEdit] = {}
        self._done: list[Key] = []

    def get(self, section: SectionRows, audit_id: str) -> StatusEdit | None:
        """The edit of a section, or of one audit of it, unless it was committed: then a fresh draft is due."""
        edit = self._edits.get((section.file, section.section.title, audit_id))
        return edit if edit is not None and not edit.commit else None

    def keep(self, edit: StatusEdit) -> None:
        """Remember an edit as it is now."""
        key = key_of(edit)
        if edit.written and not edit.commit:
            self._done.append(key)
        self._edits[key] = edit

    def undone(self) -> None:
        """The desk took back what was written last."""
        if self._done:
            self._edits.pop(self._done.pop(), None)
