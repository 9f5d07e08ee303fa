"""The transcript as a widget: it follows, lets one scroll back, wraps again, shows evidence, copies."""

from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

from tests.tui.orchard import REPLY, trace
from workbench.traces.events import TurnAdded
from workbench.traces.records import AssistantTurn, Meta, TextBlock
from workbench.tui.themes import DARK
from workbench.tui.transcript.story import Story
from workbench.tui.widgets.transcript import Transcript


class Stage(App[None]):
    """A transcript and nothing else."""

    CSS = """
    Transcript { border: round white; overflow-x: hidden; scrollbar-gutter: stable; }
    Transcript > .transcript--evidence { background: $accent; }
    Transcript > .transcript--found { background: $primary; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name
        self.transcript = Transcript()

    def compose(self) -> ComposeResult:
        """The transcript."""
        yield self.transcript


def long_story(turns: int = 40) -> Story:
    """A question and many short answers."""
    story = Story()
    story.start(Meta(engine="reader", workspace="/ws", prompt="Go."))
    for index in range(turns):
        story.add_turn(answer(index))
    return story


def answer(index: int) -> AssistantTurn:
    """One message of two lines at any width below 60."""
    return AssistantTurn(turn_index=index, content=(TextBlock(text=f"answer {index} " + "and so on " * 6),))


def top_words(transcript: Transcript) -> str:
    """The first words in view that are not blank."""
    rows = (transcript.rows.row(y).text for y in range(transcript.scroll_offset.y, transcript.rows.height))
    return next(row for row in rows if row.strip())


async def say(pilot: Pilot[None], transcript: Transcript, index: int) -> None:
    """The agent says one thing more."""
    transcript.apply([TurnAdded("t", answer(index))])
    await pilot.pause()


async def test_it_follows_the_tail_until_one_scrolls_back() -> None:
    app = Stage()
    async with app.run_test(size=(50, 20)) as pilot:
        transcript = app.transcript
        transcript.live = True
        transcript.show(long_story())
        await say(pilot, transcript, 100)
        assert transcript.scroll_offset.y == transcript.max_scroll_y
        assert "following" in str(transcript.border_subtitle)
        transcript.focus()
        await pilot.press("pageup")
        await pilot.wait_for_animation()
        seen = top_words(transcript)
        await say(pilot, transcript, 101)
        assert top_words(transcript) == seen, "new words must not pull the reader along"
        assert "paused" in str(transcript.border_subtitle)
        await pilot.press("end")
        await pilot.wait_for_animation()
        await say(pilot, transcript, 102)
        assert transcript.scroll_offset.y == transcript.max_scroll_y


async def test_another_width_keeps_the_words_in_place() -> None:
    app = Stage()
    async with app.run_test(size=(80, 20)) as pilot:
        app.transcript.show(long_story(), follow=False)
        app.transcript.scroll_to(y=31, animate=False)
        await pilot.pause()
        seen = top_words(app.transcript).split()[:2]
        await pilot.resize_terminal(44, 20)
        await pilot.pause()
        assert top_words(app.transcript).split()[:2] == seen
        assert all(len(app.transcript.rows.row(y).text) <= 41 for y in range(app.transcript.rows.height))


async def test_evidence_is_unfolded_and_marked() -> None:
    app = Stage()
    async with app.run_test(size=(60, 14)) as pilot:
        story = Story()
        story.tell(trace())
        app.transcript.show(story, follow=False)
        await pilot.pause()
        result = "\n".join(f"line {n} about cards" for n in range(41))
        start = result.index("line 30")
        assert app.transcript.jump(4, start, start + 7, "line 30")
        await pilot.pause()
        strips = [app.transcript.render_line(y) for y in range(app.transcript.size.height)]
        style = app.transcript.get_component_rich_style("transcript--evidence", partial=True)
        marked = [s.text for strip in strips for s in strip if s.style and s.style.bgcolor == style.bgcolor]
        assert marked == ["line 30"]
        assert not app.transcript.jump(77, 0, 0, "")


async def test_keys_mark_open_fold_and_copy() -> None:
    app = Stage()
    async with app.run_test(size=(60, 30)) as pilot:
        story = Story()
        story.tell(trace())
        app.transcript.show(story, follow=False)
        app.transcript.focus()
        await pilot.press("j", "j", "enter")
        assert story.blocks[2].opened
        await pilot.press("y")
        assert app.clipboard.startswith("Grep note card\ndocs/cards.md:14")
        await pilot.press("enter")
        assert not story.blocks[2].opened


async def test_a_selection_copies_the_words_alone() -> None:
    app = Stage()
    async with app.run_test(size=(60, 30)) as pilot:
        story = Story()
        story.tell(trace())
        app.transcript.show(story, follow=False)
        await pilot.pause()
        first = next(y for y in range(app.transcript.rows.height) if app.transcript.rows.row(y).text.startswith("You"))
        app.screen.selections = {app.transcript: Selection(Offset(0, first), Offset(60, first + 2))}
        await pilot.pause()
        assert app.screen.get_selected_text() == REPLY
        head = next(y for y in range(app.transcript.rows.height) if "1 more" in app.transcript.rows.row(y).text)
        app.screen.clear_selection()
        await pilot.click(Transcript, offset=(8, head + 1))
        assert story.blocks[2].opened
