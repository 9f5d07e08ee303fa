"""Several statuses in one go: the marked sections are written, then committed, each as a commit of its own."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from workbench.desk.batch import Deed
from workbench.desk.records import DeskError, StatusEdit
from workbench.tui.drafts import Key, Place
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.diff import diff_lines
from workbench.tui.widgets.hanging import Line

if TYPE_CHECKING:
    from workbench.tui.screens.status import StatusScreen


_BLANK: Line = Content(""), Content("")


class Several:
    """The marks of the status screen, and what is done with all of them."""

    def __init__(self, screen: "StatusScreen") -> None:
        self._screen = screen
        self.marked: set[Place] = set()

    def toggle(self, place: Place) -> None:
        """Mark a section, or take its mark away."""
        self.marked ^= {place}

    @property
    def writable(self) -> bool:
        """Whether a marked section has a status that is not written yet."""
        return any(edit is None or not edit.written for edit in map(self._kept, self.marked))

    @property
    def committable(self) -> bool:
        """Whether a marked section has a written status that is not committed yet."""
        return bool(self._written())

    async def write(self) -> None:
        """Show all the diffs, and on a yes write each."""
        edits = await self._drafted()
        if not edits:
            self._screen.draft.tell(Content.styled("nothing of what is marked waits to be written", "$dim"))
            return
        detail = [line for edit in edits.values() for line in (*diff_lines(edit.diff), _BLANK)][:-1]
        question = f"These {len(edits)} statuses, each in its place:"
        screen = ConfirmScreen("Write the marked statuses", question, yes="write them all", detail=detail)
        yes: bool = await self._screen.app.push_screen_wait(screen)
        if yes:
            desk = self._screen.desk
            await self._do(edits, desk.recorder.write_each, "written; c commits each by itself, u takes back the last")

    async def commit(self) -> None:
        """Commit each that is written."""
        edits = self._written()
        self._screen.draft.tell(Content.styled("committing one by one; hooks may take a while", "$dim"))
        if await self._do(edits, self._screen.desk.recorder.commit_each, "committed, a commit each"):
            self.marked.clear()

    async def _do(
        self, edits: dict[Key, StatusEdit], deed: Callable[[Sequence[StatusEdit]], Sequence[Deed]], done: str
    ) -> bool:
        """Do it and list what became of each; whether all of it was done."""
        keys = {_name(edit): key for key, edit in edits.items()}
        deeds = await self._screen.do(lambda: deed(list(edits.values())))
        if deeds is None:
            return False
        for one in deeds:
            if one.done:
                self._screen.drafts.keep(keys[_name(one.edit)], one.edit)
        self._screen.draft.tell(_told(deeds, len(edits), done))
        return len(deeds) == len(edits) and all(one.done for one in deeds)

    def _kept(self, place: Place) -> StatusEdit | None:
        return self._screen.drafts.get((place, ""))

    def _written(self) -> dict[Key, StatusEdit]:
        kept = {(place, ""): self._kept(place) for place in self.marked}
        return {key: edit for key, edit in kept.items() if edit is not None and edit.written}

    async def _drafted(self) -> dict[Key, StatusEdit]:
        """The marked sections' drafts, as edited or fresh; those that cannot be drafted are told and left out."""
        found: dict[Key, StatusEdit] = {}
        recorder = self._screen.desk.recorder
        for place, rows in self._screen.sections_marked():
            edit = self._kept(place)
            if edit is None:
                title, line = rows.section.title, rows.section.line
                try:
                    edit = await asyncio.to_thread(recorder.draft, rows.file, title, section_line=line)
                except DeskError as error:
                    self._screen.app.complain(error)
                    continue
            if not edit.written:
                found[place, ""] = edit
        return found


def _name(edit: StatusEdit) -> tuple[str, str, int | None]:
    return edit.file, edit.section, edit.section_line


def _told(deeds: Sequence[Deed], wanted: int, done: str) -> Content:
    """One line a section, then what is left when one was refused."""
    lines = []
    for deed in deeds:
        name = shown(deed.edit.section) or shown(deed.edit.file)
        if not deed.done:
            lines.append(Content.assemble(("✗ ", "$error"), (name, "bold"), f"  {shown(deed.result.refused)}"))
        else:
            commit = f"  {deed.result.commit[:9]}" if deed.result.commit else ""
            lines.append(Content.assemble(("✓ ", "$success"), (name, "bold"), (commit, "$dim")))
        said = shown(deed.result.output).strip()
        if said:
            lines.append(Content.styled("\n".join(f"    {line}" for line in said.split("\n")), "$dim"))
    good = sum(deed.done for deed in deeds)
    if good == wanted:
        lines.append(Content.styled(f"all {wanted} {done}", "$dim"))
    else:
        lines.append(
            Content.styled(f"stopped there: {good} of {wanted} done, {wanted - good} left as they were", "$dim")
        )
    return Content("\n").join(lines)
