"""Small operations on painted lines."""

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip


def overlay(strip: Strip, start: int, end: int, style: Style) -> Strip:
    """Style the characters `start`–`end` of a line."""
    if start >= end:
        return strip
    left, right = strip.index_to_cell_position(start), strip.index_to_cell_position(end)
    inside = Strip([Segment(text, (old or Style.null()) + style) for text, old, _ in strip.crop(left, right)])
    return Strip.join([strip.crop(0, left), inside, strip.crop(right)])
