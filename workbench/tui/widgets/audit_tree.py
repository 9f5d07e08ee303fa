"""The list of audits: corpora, their sections, their audits, each with how it stands."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from workbench.checks.records import Outcome
from workbench.desk.records import AuditRow, SectionRows
from workbench.tui.commands import Command, bindings
from workbench.tui.looks import LEGEND, RUNNING
from workbench.tui.widgets.audit_entries import Entry, entries_of, identity_of, walk
from workbench.tui.widgets.audit_labels import Label, audit_label, corpus_label, section_label

_NO_LABEL = Text()
"""Labels are drawn from what a node stands for."""
_COLORS = sorted({look.color for look in LEGEND} | {"dim", "strong"})


class AuditTree(Tree[Entry]):
    """Draws the rows it is given; what runs right now is laid over what is stored."""

    KEYS_TITLE = "The list of audits"
    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("up,k", "cursor_up", "up", "The line above"),
        Command("down,j", "cursor_down", "down", "The line below"),
        Command("enter", "activate", "run / fold", "Ask the audit; open or fold a section"),
        Command("space", "mark", "mark", "Mark the audit, or all of the section: r then asks what is marked"),
        Command("escape", "unmark", "unmark", "Take every mark away"),
        Command("pageup", "page_up", "page up", "A page up"),
        Command("pagedown", "page_down", "page down", "A page down"),
        Command("home", "scroll_home", "first", "The first line"),
        Command("end", "scroll_end", "last", "The last line"),
    )
    ICON_NODE = "▸ "
    ICON_NODE_EXPANDED = "▾ "
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"audit-tree--{color}" for color in _COLORS}
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    @dataclass
    class Activated(Message):
        """Enter on an audit: ask it."""

        audit_id: str

    class Marked(Message):
        """Other audits are marked than before."""

    def __init__(self) -> None:
        super().__init__(Text("audits"))
        self.show_root = False
        self.guide_depth = 2
        self.auto_expand = False
        self._live: frozenset[str] = frozenset()
        self._outcomes: dict[str, Outcome] = {}
        self._bright = True
        self._marks: dict[str, None] = {}

    # What it shows

    def show(self, sections: Sequence[SectionRows]) -> None:
        """Show these sections; the cursor and what was folded stay where they can."""
        nodes, entries = list(walk(self.root)), list(entries_of(sections))
        if [identity_of(node.data) for node in nodes] == [identity_of(entry) for entry in entries]:
            for node, entry in zip(nodes, entries, strict=True):
                if node.data != entry:
                    node.data = entry
                    node.refresh()
            return
        folded = {identity_of(node.data) for node in nodes if node.allow_expand and not node.is_expanded}
        cursor = identity_of(self.cursor_node.data) if self.cursor_node else ""
        self.clear()
        for entry in entries:
            self._add(entry, folded)
        self._put_cursor(cursor)

    def _add(self, entry: Entry, folded: set[str]) -> None:
        """Add a node under the last corpus or section, which comes before what it holds."""
        corpora = self.root.children
        match entry:
            case AuditRow():
                corpora[-1].children[-1].add_leaf(_NO_LABEL, entry)
            case SectionRows():
                corpora[-1].add(_NO_LABEL, entry, expand=identity_of(entry) not in folded)
            case str():
                self.root.add(_NO_LABEL, entry, expand=entry not in folded)

    def _put_cursor(self, wanted: str) -> None:
        nodes = list(walk(self.root))
        leaf = next((node for node in nodes if isinstance(node.data, AuditRow)), None)
        node = next((node for node in nodes if wanted and identity_of(node.data) == wanted), leaf)
        self._move(node)

    def _move(self, node: TreeNode[Entry] | None) -> None:
        """Put the cursor on a node at once: what is left for after a refresh is lost when a screen above closes."""
        if self.last_line >= 0:  # asked for, the lines are laid out; before, no node knows its own
            self.cursor_line = -1
            self.move_cursor(node)

    def overlay(self, running: Iterable[str], outcomes: Mapping[str, Outcome], *, bright: bool = True) -> None:
        """Draw these audits as running (`bright` is the beat of the pulse) and those with what just came of them."""
        live, before = frozenset(running), self._live
        changed = {name for name, _ in outcomes.items() ^ self._outcomes.items()} | (live ^ before)
        if bright != self._bright:
            changed |= live
        self._live, self._outcomes, self._bright = live, dict(outcomes), bright
        for node in walk(self.root) if changed else ():
            if isinstance(node.data, AuditRow) and node.data.audit.id in changed:
                node.refresh()

    # Where the cursor is

    @property
    def audit(self) -> AuditRow | None:
        """The audit under the cursor."""
        data = self.cursor_node.data if self.cursor_node else None
        return data if isinstance(data, AuditRow) else None

    @property
    def section(self) -> SectionRows | None:
        """The section the cursor is in; the corpus's first when it stands on a corpus."""
        node = self.cursor_node
        if node is not None and isinstance(node.data, str):
            node = next(iter(node.children), None)
        while node is not None and not isinstance(node.data, SectionRows):
            node = node.parent
        return node.data if node is not None and isinstance(node.data, SectionRows) else None

    @property
    def audit_ids(self) -> tuple[str, ...]:
        """All audits shown, folded ones too."""
        return tuple(node.data.audit.id for node in walk(self.root) if isinstance(node.data, AuditRow))

    def go(self, audit_id: str) -> None:
        """Put the cursor on an audit, unfolding what hides it; nothing happens when it is not listed."""
        for node in walk(self.root):
            if isinstance(node.data, AuditRow) and node.data.audit.id == audit_id:
                for above in (node.parent, node.parent.parent if node.parent else None):
                    if above is not None:
                        above.expand()
                self._move(node)

    def step(self, by: int) -> None:
        """Move the cursor to the next or previous audit, opening what hides it."""
        nodes = [node for node in walk(self.root) if node.data is not None]
        here = nodes.index(self.cursor_node) if self.cursor_node in nodes else -1
        rest = nodes[here + 1 :] if by > 0 else nodes[:here][::-1] if here > 0 else []
        target = next((node for node in rest if isinstance(node.data, AuditRow)), None)
        if target is None:
            return
        for parent in (target.parent, target.parent.parent if target.parent else None):
            if parent is not None:
                parent.expand()
        self._move(target)

    def action_activate(self) -> None:
        """Enter: ask an audit, fold anything else."""
        row = self.audit
        if row is not None:
            self.post_message(self.Activated(row.audit.id))
        else:
            self.action_toggle_node()

    def action_select_cursor(self) -> None:
        """A click only moves the cursor, and folds what folds: asking wants a key."""
        if self.audit is None:
            self.action_toggle_node()

    # Marks

    @property
    def marked(self) -> tuple[str, ...]:
        """The marked audits, those the filter hides too, in the order they were marked."""
        return tuple(self._marks)

    def action_mark(self) -> None:
        """Mark what is under the cursor, or take the mark away when all of it has one."""
        node = self.cursor_node
        if node is None:
            return
        ids = [n.data.audit.id for n in (node, *walk(node)) if isinstance(n.data, AuditRow)]
        if all(name in self._marks for name in ids):
            self._marks = {name: None for name in self._marks if name not in ids}
        else:
            self._marks |= dict.fromkeys(ids)
        self._remark()

    def action_unmark(self) -> None:
        """Nothing is marked any more."""
        self._marks = {}
        self._remark()

    def _remark(self) -> None:
        for node in walk(self.root):
            node.refresh()
        self.post_message(self.Marked())

    # Drawing

    def get_label_width(self, node: TreeNode[Entry]) -> int:
        """Labels fill the line exactly, so nothing scrolls sideways and measuring costs nothing."""
        return 1

    def render_label(self, node: TreeNode[Entry], base_style: Style, style: Style) -> Text:
        """A line: glyph and name on the left, measures at the right edge."""
        depth, label = self._label(node)
        room = self.scrollable_content_region.width - depth * self.guide_depth - int(self.show_vertical_scrollbar)
        if label.look is not None:
            mark = ("◆ " if label.marked else "", self._color("attention"))
            left = Text.assemble((f"{label.look.glyph} ", self._color(label.look.color)), mark, label.name)
            if label.look is RUNNING and not self._bright:
                left.stylize("dim", 0, 1)
        else:
            icon = self.ICON_NODE_EXPANDED if node.is_expanded else self.ICON_NODE
            left = Text(f"{icon}{label.name}", style=self._color("strong"))
        text = self._fit(left, list(label.measures), room)
        if node is self.cursor_node:
            # Verdict colours on the cursor's own colour would be hard to read: the glyphs say it.
            text = Text(text.plain)
        text.stylize_before(base_style + style)
        return text

    def _label(self, node: TreeNode[Entry]) -> tuple[int, Label]:
        """How deep a node lies, and what its line says."""
        match node.data:
            case AuditRow():
                name = node.data.audit.id
                fresh, marked = self._outcomes.get(name), name in self._marks
                return 2, audit_label(node.data, running=name in self._live, fresh=fresh, marked=marked)
            case SectionRows():
                return 1, section_label(node.data)
            case _:
                return 0, corpus_label(str(node.data))

    def _fit(self, left: Text, measures: list[str], room: int) -> Text:
        """One line of exactly `room` cells: measures are left out, then the name is cut."""
        while len(measures) > 1 and left.cell_len + cell_len("  ".join(measures)) + 1 > room:
            del measures[0]
        right = "  ".join(measures)
        space = room - cell_len(right)
        if left.cell_len > space - 1:
            left.truncate(max(1, space - 1), overflow="ellipsis")
        return Text.assemble(left, " " * max(0, space - left.cell_len), (right, self._color("dim")))

    def _color(self, name: str) -> Style:
        return self.get_component_rich_style(f"audit-tree--{name}", partial=True)
