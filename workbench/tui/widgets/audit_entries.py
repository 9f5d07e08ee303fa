"""What the lines of the audit list stand for, and in which order they come."""

from collections.abc import Iterator, Sequence

from textual.widgets.tree import TreeNode

from workbench.desk.records import AuditRow, SectionRows

Entry = str | SectionRows | AuditRow
"""What a node stands for: a corpus by its path, a section, an audit."""


def walk(node: TreeNode[Entry]) -> Iterator[TreeNode[Entry]]:
    """Every node below one, top to bottom."""
    for child in node.children:
        yield child
        yield from walk(child)


def entries_of(sections: Sequence[SectionRows]) -> Iterator[Entry]:
    """What the tree shows, top to bottom: each corpus before its sections, each section before its audits."""
    by_file: dict[str, list[SectionRows]] = {}
    for section in sections:
        by_file.setdefault(section.file, []).append(section)
    for file, held in by_file.items():
        yield file
        for section in held:
            yield section
            yield from section.rows


def identity_of(entry: Entry | None) -> str:
    """Names what an entry stands for, whatever is told of it; the tree is rebuilt only when these change."""
    match entry:
        case AuditRow():
            return f"audit\n{entry.audit.id}"
        case SectionRows():
            return f"section\n{entry.file}\n{entry.section.title}"
        case _:
            return str(entry)
