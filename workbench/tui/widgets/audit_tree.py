"""The list of audits: corpora, their sections, their audits, each with how it stands."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
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
from workbench.insight.standing import Asked, count
from workbench.tui.commands import Command, bindings
from workbench.tui.looks import NEVER, OUTCOMES, RUNNING, UNSURE, Look, level_key
from workbench.tui.transcript.words import clip, shown

Entry = str | SectionRows | AuditRow
"""What a node stands for: a corpus by its path, a section, an audit."""

_COLORS = sorted({look.color for look in (*OUTCOMES.values(), NEVER, RUNNING)} | {"dim", "strong"})


class AuditTree(Tree[Entry]):
    """Draws the rows it is given; what runs right now is laid over what is stored."""

    KEYS_TITLE = "The list of audits"
    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("up,k", "cursor_up", "up", "The line above"),
        Command("down,j", "cursor_down", "down", "The line below"),
        Command("enter", "activate", "run / fold", "Ask the audit; open or fold a section"),
        Command("space", "toggle_node", "fold", "Open or fold a section or a corpus"),
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

    def __init__(self) -> None:
        super().__init__(Text("audits"))
        self.show_root = False
        self.guide_depth = 2
        self.auto_expand = False
        self._live: frozenset[str] = frozenset()
        self._outcomes: dict[str, Outcome] = {}
        self._bright = True

    # What it shows

    def show(self, sections: Sequence[SectionRows]) -> None:
        """Show these sections; the cursor and what was folded stay where they can."""
        folded = {_identity(node) for node in _walk(self.root) if node.allow_expand and not node.is_expanded}
        cursor = _identity(self.cursor_node) if self.cursor_node else ""
        self.clear()
        corpora: dict[str, TreeNode[Entry]] = {}
        for section in sections:
            corpus = corpora.get(section.file)
            if corpus is None:
                corpus = corpora[section.file] = self.root.add(Text(), section.file, expand=section.file not in folded)
            self._add_section(corpus, section, folded)
        self._put_cursor(cursor)

    def _add_section(self, corpus: TreeNode[Entry], section: SectionRows, folded: set[str]) -> None:
        node = corpus.add(Text(), section)
        for row in section.rows:
            node.add_leaf(Text(), row)
        if _identity(node) not in folded:
            node.expand()

    def _put_cursor(self, wanted: str) -> None:
        nodes = list(_walk(self.root))
        leaf = next((node for node in nodes if isinstance(node.data, AuditRow)), None)
        node = next((node for node in nodes if wanted and _identity(node) == wanted), leaf)
        self.call_after_refresh(self._move, node)

    def _move(self, node: TreeNode[Entry] | None) -> None:
        self.cursor_line = -1
        self.move_cursor(node)

    def overlay(self, running: Iterable[str], outcomes: dict[str, Outcome], *, bright: bool = True) -> None:
        """Draw these audits as running (`bright` is the beat of the pulse) and those with what just came of them."""
        before = self._live
        self._live, self._outcomes, self._bright = frozenset(running), outcomes, bright
        touched = before | self._live | outcomes.keys()
        for node in _walk(self.root) if touched else ():
            if isinstance(node.data, AuditRow) and node.data.audit.id in touched:
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
        return tuple(node.data.audit.id for node in _walk(self.root) if isinstance(node.data, AuditRow))

    def step(self, by: int) -> None:
        """Move the cursor to the next or previous audit, opening what hides it."""
        nodes = [node for node in _walk(self.root) if node.data is not None]
        here = nodes.index(self.cursor_node) if self.cursor_node in nodes else -1
        rest = nodes[here + 1 :] if by > 0 else nodes[:here][::-1] if here > 0 else []
        target = next((node for node in rest if isinstance(node.data, AuditRow)), None)
        if target is None:
            return
        for parent in (target.parent, target.parent.parent if target.parent else None):
            if parent is not None:
                parent.expand()
        self.call_after_refresh(self.move_cursor, target)

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

    # Drawing

    def get_label_width(self, node: TreeNode[Entry]) -> int:
        """Labels fill the line exactly, so nothing scrolls sideways and measuring costs nothing."""
        return 1

    def render_label(self, node: TreeNode[Entry], base_style: Style, style: Style) -> Text:
        """A line: glyph and name on the left, measures at the right edge."""
        match node.data:
            case AuditRow():
                left, measures = self._audit_label(node.data)
            case SectionRows():
                left, measures = self._section_label(node, node.data)
            case _:
                left, measures = self._corpus_label(node), []
        dim = self._color("dim")
        depth = {str: 0, SectionRows: 1, AuditRow: 2}.get(type(node.data), 0)
        room = self.scrollable_content_region.width - depth * self.guide_depth - int(self.show_vertical_scrollbar)
        while measures and left.cell_len + cell_len("  ".join(measures)) + 1 > room and len(measures) > 1:
            measures.pop()
        right = "  ".join(measures)
        if left.cell_len > room - cell_len(right) - 1:
            left.truncate(max(1, room - cell_len(right) - 1), overflow="ellipsis")
        text = Text.assemble(left, " " * max(0, room - left.cell_len - cell_len(right)), (right, dim))
        at_cursor = node is self.cursor_node
        if at_cursor:
            # Verdict colours on the cursor's own colour would be hard to read: the glyphs say it.
            text = Text(text.plain)
        text.stylize_before(base_style + style)
        return text

    def _corpus_label(self, node: TreeNode[Entry]) -> Text:
        return Text(f"{self._icon(node)}{shown(str(node.data))}", style=self._color("strong"))

    def _section_label(self, node: TreeNode[Entry], section: SectionRows) -> tuple[Text, list[str]]:
        """The title; how many pass of those measured, how many verdicts are a human's, the last status's date."""
        title = section.section.title or "(before the first header)"
        left = Text(f"{self._icon(node)}{clip(shown(title), 200)}", style=self._color("strong"))
        standing = count(_asked(row) for row in section.rows if row.last is not None)
        asked = sum(row.last is not None for row in section.rows)
        measures = []
        if asked:
            whose = f" ({standing.human} human)" if standing.human else ""
            measures.append(f"{standing.passed}/{standing.measured}{whose}")
        if section.status is not None:
            measures.append(_short_date(section.status.date))
        return left, measures

    def _audit_label(self, row: AuditRow) -> tuple[Text, list[str]]:
        look, aside = self._look(row)
        left = Text.assemble((f"{look.glyph} ", self._color(look.color)), clip(shown(row.audit.id), 200))
        if row.audit.id in self._live and not self._bright:
            left.stylize("dim", 0, 1)
        parts = [aside] if aside else []
        if row.measured > 1:
            parts.append(f"{row.passed}/{row.measured}")
        if row.last is not None:
            human = row.last.human
            parts.append((level_key(human.level) if human else "") or "·")
        return left, parts[-2:]

    def _look(self, row: AuditRow) -> tuple[Look, str]:
        """How an audit stands, and what to say where a human and the checks disagree."""
        if row.audit.id in self._live:
            return RUNNING, ""
        if row.audit.id in self._outcomes:
            return OUTCOMES[self._outcomes[row.audit.id]], ""
        if row.last is None:
            return NEVER, ""
        verdict = row.last.verdict
        outcome = _asked(row).outcome
        stands = OUTCOMES[outcome] if outcome is not None else UNSURE
        if stands is not OUTCOMES[verdict.outcome]:
            return stands, f"checks {OUTCOMES[verdict.outcome].glyph}"
        return stands, str(verdict.reason).replace("_", " ") if verdict.reason else ""

    def _icon(self, node: TreeNode[Entry]) -> str:
        return self.ICON_NODE_EXPANDED if node.is_expanded else self.ICON_NODE

    def _color(self, name: str) -> Style:
        return self.get_component_rich_style(f"audit-tree--{name}", partial=True)


def _asked(row: AuditRow) -> Asked:
    assert row.last is not None
    return Asked(row.last.trial, row.last.finished, row.last.assessments)


def _walk(node: TreeNode[Entry]) -> Iterator[TreeNode[Entry]]:
    for child in node.children:
        yield child
        yield from _walk(child)


def _identity(node: TreeNode[Entry]) -> str:
    match node.data:
        case AuditRow():
            return f"audit\n{node.data.audit.id}"
        case SectionRows():
            return f"section\n{node.data.file}\n{node.data.section.title}\n{node.data.section.line}"
        case _:
            return str(node.data)


def _short_date(iso: str) -> str:
    """`11-27` for this year's dates, `2025-11` for older ones."""
    return iso[5:] if iso[:4] == str(date.today().year) else iso[:7]
