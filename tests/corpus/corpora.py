"""Corpora as people write them, made by hypothesis together with what must be found in them."""

from dataclasses import dataclass, field

from hypothesis import strategies as st

TITLES = st.sampled_from(
    ["Navigation", "Don't Drop Important Information", "Views (docs/views.md)", "`chat` and {% card %}", "a == b"]
)
LEVELS = st.sampled_from(["knows_directly", "knows_about", "discoverable"])
STATUSES = st.sampled_from(
    [
        ["Status (2026-07-03): 13/13 pass."],
        ["Status (2026-07-03, Codex): 8/10 pass on substance,", "  - `find-memo` FAIL", "  - 1/2 pass"],
        ["Status (2026-03-16), first run after the move, 1/1: both pass. Status (2025-08-15): all"],
        ["Retired 2026-05-01: two audits. Status", "(2026-05-02, re-run (second)): definitions added"],
    ]
)


@dataclass
class Sketch:
    """A corpus text, as lines without breaks, and what stands in it."""

    lines: list[str] = field(default_factory=list)
    sections: list[tuple[str, list[str], int]] = field(default_factory=lambda: [("", [], 0)])
    line_break: str = "\n"
    bom: bool = False
    final: bool = True

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        text = self.line_break.join(self.lines) + (self.line_break if self.final else "")
        return (b"\xef\xbb\xbf" if self.bom else b"") + text.encode()

    @property
    def told(self) -> list[tuple[str, list[str], int]]:
        """Title, audit ids and number of statuses of each section that must be found."""
        return [section for section in self.sections if section[0] or section[1] or section[2]]


def _value(draw: st.DrawFn, key: str, at: str) -> list[str]:
    """A key with a value in one of the many ways to write it, each holding what only looks like a header."""
    ways = {
        "flow": [f"{at}{key}: [inbox, 'it''s', \"=== x ===\"] # === no header ==="],
        "long flow": [f"{at}{key}: [", f"{at}  a,", "", f"{at}  b]"],
        "block list": [f"{at}{key}:", f"{at}- one", f'{at}- "\\\\bfoo\\\\s+bar"'],
        "folded": [f"{at}{key}: >", f"{at}  folded", "", f"{at}  # === no header ===", f"{at}    # more", ""],
        "literal": [f"{at}{key}: |", "", f"{at}    deep", f"{at}    # === no header ===", f"{at}    - {{% x %}}"],
        "keep": [f"{at}{key}: |+", f"{at}  ---", f"{at}  # Status (2020-01-01): no status", f"{at}  ", ""],
        "indicator": [f"{at}{key}: |2-", f"{at}    # === no header ===", f"{at}  end"],
        "empty block": [f"{at}{key}: >-"],
        "quoted": [f'{at}{key}: "two', f"{at}# === no header ===", f'{at} lines"'],
        "single": [f"{at}{key}: 'two", "", "# === no header ===", f"{at} it''s'"],
        "mapping": [f"{at}{key}:", f"{at}  docs/a.md: |", f"{at}    # === no header ===", f"{at}  b.md: ''"],
    }
    return ways[draw(st.sampled_from(sorted(ways)))]


def _entry(draw: st.DrawFn, sketch: Sketch, indent: str, number: int) -> None:
    name = f"audit-{number}"
    at = indent + "  "
    lines = [
        f"{indent}- id: {name}",
        f"{at}prompt: Where is it?",
        f"{at}expected_level: {draw(LEVELS)}",
        f"{at}watch_for: ''",
    ]
    if draw(st.booleans()):
        lines.insert(1, f"{draw(st.sampled_from(['', at, indent]))}# a comment inside")
    for key in draw(st.lists(st.sampled_from(["check_a", "check_b", "check_c"]), unique=True)):
        lines += _value(draw, key, at)
    sketch.lines += lines
    sketch.sections[-1][1].append(name)


def _comments(draw: st.DrawFn, sketch: Sketch, indent: str) -> None:
    title, ids, count = sketch.sections[-1]
    kind = draw(st.sampled_from(["header", "status", "prose", "blank", "bare"]))
    if kind == "header":
        title = draw(TITLES)
        sketch.sections.append((title, [], 0))
        sketch.lines.append(f"{indent}# === {title} ===")
        sketch.lines += draw(st.sampled_from([[], [f"{indent}#"], [""]]))
    elif kind == "status":
        told = draw(STATUSES)
        sketch.sections[-1] = (title, ids, count + (2 if "Status (2025" in told[0] else 1))
        # A bare line first: glued below a status without an end, its words would be that status's.
        sketch.lines += [f"{indent}#", *(f"{indent}# {line}" for line in told)]
    else:
        lines = {
            "prose": [f"{indent}# Resilient voice recording (docs/voice.md): see", f"{indent}#\tbelow"],
            "blank": [""],
        }
        sketch.lines += lines.get(kind, [f"{indent}#"])


@st.composite
def corpora(draw: st.DrawFn) -> Sketch:
    """Any corpus: line breaks, byte-order mark, indentation, section shapes, value styles, glued or spaced, any end."""
    sketch = Sketch(
        line_break=draw(st.sampled_from(["\n", "\r\n"])), bom=draw(st.booleans()), final=draw(st.booleans())
    )
    indent = draw(st.sampled_from(["", "  ", "    "]))
    sketch.lines += draw(st.sampled_from([[], ["# Audits of the orchard", ""], ["engine: reader"], ["---"]]))
    sketch.lines.append("tests:")
    count = draw(st.integers(1, 4))
    for number in range(count):
        for _ in range(draw(st.integers(0, 3))):
            _comments(draw, sketch, indent)
        _entry(draw, sketch, indent, number)
    for _ in range(draw(st.integers(0, 2))):
        _comments(draw, sketch, indent)
    return sketch
