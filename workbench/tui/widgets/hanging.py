"""Wrapped text that keeps its margin."""

from textual.content import Content


def hang(lead: Content, body: Content, width: int) -> Content:
    """`lead` and `body` on one line; what is wrapped at `width` starts under the body."""
    indent = lead.cell_length
    lines = body.wrap(max(8, width - indent)) or [Content("")]
    return lead + Content("\n" + " " * indent).join(lines)
