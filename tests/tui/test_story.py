"""A trial told as blocks and rows, without a screen."""

from collections.abc import Iterator

from tests.tui.orchard import REPLY, trace
from workbench.traces.events import ChangeSeen, Started, TextDelta, TraceEvent, TurnAdded
from workbench.traces.records import (
    AssistantTurn,
    Loaded,
    LoadedFile,
    Meta,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResultTurn,
    Trace,
)
from workbench.tui.transcript.layout import Layout
from workbench.tui.transcript.story import Story

WIDTH = 60


def events(told: Trace) -> Iterator[TraceEvent]:
    """A trace as a running trial reports it."""
    yield Started("t", told.meta)
    for turn in told.turns:
        yield TurnAdded("t", turn)
    for change in told.changes:
        yield ChangeSeen("t", change)


def painted(layout: Layout) -> list[str]:
    """Every row as text: gutter, words, measure."""
    rows = [layout.row(y) for y in range(layout.height)]
    words = ["".join(text for text, _ in (*row.lead, *row.body)) for row in rows]
    return [f"{text} | {row.right[0]}" if row.right[0] else text for text, row in zip(words, rows, strict=True)]


def told(trace_: Trace) -> Story:
    """A story of a whole trace."""
    story = Story()
    story.tell(trace_)
    return story


def one_result(text: str, tool: str = "Bash", **more: object) -> Trace:
    """A trace of one call and its result."""
    call = ToolCall(id="c", name=tool, arguments={"command": "make"})
    result = ToolResultTurn.model_validate(
        {"turn_index": 1, "role": "toolResult", "tool_use_id": "c", "content": [{"type": "text", "text": text}], **more}
    )
    meta = Meta(engine="reader", workspace="/ws", prompt="Go.")
    return Trace(meta=meta, turns=(AssistantTurn(turn_index=0, content=(call,)), result))


def test_a_trial_reads_as_a_page() -> None:
    assert painted(Layout(told(trace()), WIDTH)) == [
        "▌ If I wanted every note card there is, how would I search?",
        "",
        "◇ loaded  AGENTS.md · CLAUDE.md · docs/hou… | ▸ ~17.9k tokens",
        "",
        "● Grep    note card in docs | 4 hits  0.1 s",
        "    docs/cards.md:14: One card, one thought",
        "    docs/naming.md:3: Names are lower-case",
        "    docs/cards.md:31: A note card has no state",
        "    ▸ 1 more",
        "● Read    docs/cards.md ◇ docs/AGENTS.md | ▸ 41 lines",
        "✗ Read    docs/search.md | no such file",
        "",
        "You can list them with `orchard ls --kind note`, which",
        "prints every note card with its title. The kinds are",
        "described in docs/cards.md.",
        "",
        "+ created cards/list.note.card | ▸ 2 lines",
    ]


def test_told_event_by_event_it_is_the_same_page() -> None:
    story = Story()
    layout = Layout(story, WIDTH)
    for event in events(trace()):
        layout.relay(story.apply(event))
    assert painted(layout) == painted(Layout(told(trace()), WIDTH))
    for event in events(trace()):
        if not isinstance(event, ChangeSeen):
            layout.relay(story.apply(event))
    assert painted(layout) == painted(Layout(told(trace()), WIDTH)), "what was told before changes nothing"


def test_guidance_that_only_the_disk_told_stands_where_it_came() -> None:
    files = [LoadedFile(path=path, layer="always", size=4, text="Keep") for path in ("AGENTS.md", "docs/AGENTS.md")]
    loaded = (Loaded(files=(files[1],), after=1), Loaded(files=(files[0],)))
    page = painted(Layout(told(one_result("a page").model_copy(update={"loaded": loaded})), WIDTH))
    at = [
        next(y for y, row in enumerate(page) if mark in row)
        for mark in ("◇ loaded  AGENTS.md", "make", "◇ loaded  docs")
    ]
    assert at == sorted(at)


def test_provisional_words_give_way_to_the_final_message() -> None:
    story = Story()
    layout = Layout(story, WIDTH)
    layout.relay(story.start(Meta(engine="reader", workspace="/ws", prompt="Go.")))
    for part in ("You ", "can "):
        layout.relay(story.apply(TextDelta("t", part)))
    assert painted(layout)[-1] == "You can "
    assert story.writing
    layout.relay(story.apply(TurnAdded("t", AssistantTurn(turn_index=1, content=(TextBlock(text="You may."),)))))
    assert painted(layout)[2:] == ["You may."]
    assert not story.writing


def test_a_fold_opens_to_everything_and_closes_again() -> None:
    layout = Layout(told(one_result("\n".join(f"line {n}" for n in range(50_000)))), WIDTH)
    assert painted(layout)[-1] == "    ▸ 49997 more"
    block = layout.story.blocks[-1]
    block.opened = True
    layout.relay(len(layout.story.blocks) - 1)
    assert layout.height == 3 + 50_000
    assert layout.row(layout.height - 1).text == "line 49999"
    block.opened = False
    layout.relay(len(layout.story.blocks) - 1)
    assert layout.height == 7


def test_long_arguments_and_whole_errors_are_in_the_fold() -> None:
    error = one_result("make: *** no rule\nStop.", is_error=True)
    layout = Layout(told(error), WIDTH)
    assert painted(layout)[-1] == "✗ Bash    make | ▸ make: *** no rule"
    assert list(layout.story.blocks[-1].texts()) == ["Bash make", "make: *** no rule\nStop."]
    script = ToolCall(id="c", name="Bash", arguments={"command": "cd x\nmake", "timeout": 5})
    turn = AssistantTurn(turn_index=0, content=(script,))
    story = told(Trace(meta=error.meta, turns=(turn, error.turns[1])))
    assert painted(Layout(story, WIDTH))[-1] == "✗ Bash    cd x ⏎ make timeout 5 | ▸ make: *** no rule"
    assert list(story.blocks[-1].texts())[1] == "command: cd x\nmake\nmake: *** no rule\nStop."


def test_a_search_that_found_nothing_has_no_hits() -> None:
    page = painted(Layout(told(one_result("No matches found", tool="Grep")), WIDTH))
    assert any("0 hits" in line for line in page), page


def test_thinking_shows_two_lines_and_sub_agents_are_set_off() -> None:
    thought = AssistantTurn(turn_index=0, content=(ThinkingBlock(text="a\nb\nc"),))
    inner = AssistantTurn(turn_index=1, parent="x", content=(TextBlock(text="inside"),))
    story = told(Trace(meta=Meta(engine="e", workspace="/ws", prompt="Go."), turns=(thought, inner)))
    assert painted(Layout(story, WIDTH))[2:] == ["a", "b", "▸ 1 more", "", "│ inside"]


def test_evidence_is_found_in_words_results_and_calls() -> None:
    story = told(trace())
    start = REPLY.index("every note card")
    found = story.find(6, start, start + 5, "every")
    assert found is not None
    index, begin, stop = found
    body = story.blocks[index].body
    assert body is not None
    assert body.text[begin:stop] == "every"
    by_call = story.find(3, 0, 0, "docs/search.md")
    assert by_call is not None
    assert next(story.blocks[by_call[0]].texts()) == "Read docs/search.md"
    assert story.find(99, 0, 0, "") is None


def test_evidence_stands_right_behind_text_that_was_made_safe() -> None:
    reply = "a\r\nb\tc \x1b[31mred\x1b[0m"
    turn = AssistantTurn(turn_index=0, content=(TextBlock(text="first"), TextBlock(text=reply)))
    story = told(Trace(meta=Meta(engine="e", workspace="/ws", prompt="Go."), turns=(turn,)))
    start = turn.text.index("red")
    found = story.find(0, start, start + 3, "red")
    assert found is not None
    body = story.blocks[found[0]].body
    assert body is not None
    assert body.text[found[1] : found[2]] == "red"


def test_a_copy_has_no_gutters_and_no_wraps() -> None:
    layout = Layout(told(trace()), WIDTH)
    rows = painted(layout)
    first = next(y for y, row in enumerate(rows) if row.startswith("You can"))
    assert layout.copy(first, 0, first + 2, -1) == REPLY
    assert layout.copy(0, 0, 0, -1) == trace().meta.prompt
    assert layout.copy(first, 4, first, 7) == "can"
