"""Looking for words in the transcript, and at one kind of act alone."""

from textual.pilot import Pilot

from tests.tui.conftest import settle
from tests.tui.orchard import trace
from tests.tui.test_transcript import Stage
from workbench.traces.acts import classify
from workbench.traces.events import TurnAdded
from workbench.traces.records import AssistantTurn, TextBlock
from workbench.tui.transcript.story import Story
from workbench.tui.widgets.transcript import Transcript


async def shown(pilot: Pilot[None], app: Stage) -> Transcript:
    """The orchard's trial, with the focus on it."""
    story = Story()
    story.tell(trace())
    story.classify(classify(trace()))
    app.transcript.show(story, follow=False)
    app.transcript.focus()
    await settle(pilot)
    return app.transcript


def lit(transcript: Transcript, name: str) -> list[str]:
    """The words painted in a style, of what is in view."""
    wanted = transcript.get_component_rich_style(f"transcript--{name}", partial=True).bgcolor
    strips = [transcript.render_line(y) for y in range(transcript.size.height)]
    return [s.text for strip in strips for s in strip if s.style and s.style.bgcolor == wanted]


async def test_words_are_found_as_one_types_wherever_they_are_folded() -> None:
    app = Stage()
    async with app.run_test(size=(60, 24)) as pilot:
        transcript = await shown(pilot, app)
        await pilot.press("slash", *"LINE 30")
        await settle(pilot)
        assert "1 of 1" in str(transcript.border_subtitle)
        assert lit(transcript, "evidence") == ["line 30"], "the fold that hid it is open"
        await pilot.press("escape", "slash", *"no such file", "enter")
        await settle(pilot)
        assert "1 of 1" in str(transcript.border_subtitle), "errors are looked through"
        assert "nowhere" not in str(transcript.border_subtitle)
        await pilot.press("escape", "home", "slash", *"cards.md")
        await settle(pilot)
        total = len(transcript.search.finding.places)
        assert total >= 4
        assert f"1 of {total}" in str(transcript.border_subtitle)
        await pilot.press("enter", "n", "n", "N")
        assert f"2 of {total}" in str(transcript.border_subtitle)
        assert lit(transcript, "found")
        transcript.apply([TurnAdded("t", AssistantTurn(turn_index=50, content=(TextBlock(text="and cards.md"),)))])
        assert f"2 of {total + 1}" in str(transcript.border_subtitle)
        await pilot.press("escape")
        assert not transcript.search.active


async def test_one_kind_of_act_can_be_seen_alone() -> None:
    app = Stage()
    async with app.run_test(size=(60, 24)) as pilot:
        transcript = await shown(pilot, app)
        whole = transcript.rows.height
        seen = {}
        for _ in range(5):
            await pilot.press("t")
            await settle(pilot)
            words = "\n".join(transcript.rows.row(y).text for y in range(transcript.rows.height))
            seen[transcript.rows.only] = (str(transcript.border_title), words)
        assert "reads only: 2" in seen["reads"][0]
        assert "Grep" not in seen["reads"][1]
        assert "Grep" in seen["searches"][1]
        assert "created" in seen["edits"][1]
        assert "errors only: 1" in seen["errors"][0]
        assert all("If I wanted every note card" in words for _, words in seen.values()), "the question stays"
        await pilot.press("t")
        assert transcript.rows.height == whole
        await pilot.press("t")
        assert transcript.jump(6, 0, 3, "You"), "evidence is shown whatever was hidden"
        assert not transcript.rows.only
