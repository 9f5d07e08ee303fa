"""Hostile text through a real pseudo-terminal: nothing of it may act, whatever screen shows it."""

import json
import re
import subprocess
from pathlib import Path

from tests.projects import CORPUS, make_project
from tests.terminal import CURSOR, Terminal, bench
from workbench.traces.records import AssistantTurn, Meta, TextBlock, ToolCall, ToolResultTurn
from workbench.traces.store import TraceWriter

EVIL = (
    "pre\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b[31mred\x1b[?1049l\x1b[6n\x1b[8;9;9t\x1bc\x1b(0\x1bPq#0\x1b\\"
    "\x9b31m\x9d0;owned\x9c\x90q\x9c\u202eback\u2066iso\ud800\x00\x08\x7f\x0e[bold]x[/bold]post"
)
_SEQUENCES = re.compile(
    rb"\x1b\[([<=>?]?)[0-9;:]*([ -/]*[@-~])"  # CSI
    rb"|\x1b\]([0-9]+);[^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC
    rb"|\x1b([PX^_])[^\x1b]*\x1b\\"  # DCS and its like
    rb"|\x1b([^\[\]PX^_])"
)


def stored(root: Path, text: str) -> Path:
    """A project with one stored trial, in whose corpus and trace `text` stands wherever text can."""
    quoted = json.dumps(text.replace("\ud800", ""))[1:-1]
    corpus = CORPUS.replace("Names the north wall", f"{quoted} Names the north wall")
    corpus = corpus.replace("Where is the long", f"{quoted} Where is the long").replace(
        "tags: [tools]", f'tags: ["{quoted}"]'
    )
    make_project(root, {"audits/knowledge.yaml": corpus.replace('["north wall"]', f'["north wall", "{quoted}"]')})
    subprocess.run([*bench(), "run", "ladder-place"], cwd=root, stdout=subprocess.DEVNULL, check=False)
    path = next((root / "reports").glob("*/traces/ladder-place*.jsonl"))
    with TraceWriter(path) as writer:
        writer.write(Meta(engine=text, workspace="/ws", prompt=text))
        call = ToolCall(id="e", name=text, arguments={text: text, "file_path": text})
        writer.write(AssistantTurn(turn_index=0, content=(TextBlock(text=text), call)))
        writer.write(ToolResultTurn(turn_index=1, tool_use_id="e", content=(TextBlock(text=text * 3),), is_error=True))
        writer.write(AssistantTurn(turn_index=2, content=(TextBlock(text=f"{text} {'x' * 100_000}"),)))
    return root


def shown(root: Path) -> bytes:
    """Everything the bench writes while one looks at all of it."""
    home = str(root.parent / "home")
    with Terminal(bench(), root, XDG_CONFIG_HOME=home, XDG_STATE_HOME=home) as terminal:
        terminal.wait(CURSOR + b"ladder-place")
        terminal.wait(b"post")
        for keys in (
            "2",
            "j",
            "\r",
            "/post",
            "\r",
            "n",
            "\x1b",
            "f",
            "f",
            "3",
            "\r",
            "1",
            "?",
            "\x1b",
            "!",
            "\x1b",
            "s",
        ):
            terminal.send(keys)
            terminal.rest(0.12)
        return bytes(terminal.output)


def kinds(output: bytes) -> set[tuple[bytes, ...]]:
    """The kinds of control sequences in it: which final byte of a CSI, which number of an OSC."""
    return set(_SEQUENCES.findall(output))


def test_no_byte_of_hostile_text_acts_on_the_terminal(tmp_path: Path) -> None:
    harmless = shown(stored(tmp_path / "harmless", "prepost"))
    output = shown(stored(tmp_path / "hostile", EVIL))
    assert b"owned" in output, "it is shown, as text"
    assert kinds(output) <= kinds(harmless)
    for sequence in re.findall(rb"\x1b\][^\x07\x1b]*", output):
        assert b"owned" not in sequence
        assert b"b3du" not in sequence
    for sequence in (b"\x1b[31m", b"\x1b[?1049l", b"\x1b[6n", b"\x1bc", b"\x1b(0", b"\x1bP"):
        assert sequence not in output
    rest = _SEQUENCES.sub(b"", output).decode("utf-8")
    assert not re.search("[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", rest)
