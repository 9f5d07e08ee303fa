"""The looks can be read: every text colour on every ground it stands on."""

import pytest
from textual.color import Color
from textual.theme import Theme

from workbench.tui.looks import LEGEND
from workbench.tui.themes import CONTRAST, THEMES

_TEXTS = ("dim", "attention", "primary", "secondary", "success", "error", "warning", "foreground")
_GROUNDS = ("background", "surface", "mark")


def colors(theme: Theme) -> dict[str, str]:
    """Every variable of a theme."""
    return {**theme.to_color_system().generate(), **theme.variables}


def luminance(color: Color) -> float:
    """Relative luminance as WCAG defines it."""
    parts = [part / 255 for part in (color.r, color.g, color.b)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(text: str, ground: str) -> float:
    """Contrast ratio of two colours, 1 to 21."""
    light, dark = sorted((luminance(Color.parse(text)), luminance(Color.parse(ground))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def least(theme: Theme) -> float:
    """What a theme promises."""
    return 7.0 if theme is CONTRAST else 4.5


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("ground", _GROUNDS)
@pytest.mark.parametrize("text", _TEXTS)
def test_even_the_dimmest_text_can_be_read(theme: Theme, ground: str, text: str) -> None:
    table = colors(theme)
    assert contrast(table[text], table[ground]) >= least(theme)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_the_cursor_and_evidence_can_be_read(theme: Theme) -> None:
    table = colors(theme)
    assert contrast(table["block-cursor-foreground"], table["block-cursor-background"]) >= least(theme)
    assert contrast(table["block-cursor-blurred-foreground"], table["block-cursor-blurred-background"]) >= least(theme)
    assert contrast(table["background"], table["attention"]) >= least(theme)
    assert contrast(table["background"], table["primary"]) >= least(theme)


def test_no_verdict_is_told_by_colour_alone() -> None:
    assert len({look.glyph for look in LEGEND}) == len(LEGEND)
