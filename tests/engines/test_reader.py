"""Whole trials of the reader: each way to an answer leaves the trace a real agent's would."""

from typing import Any

import pytest

from tests.engines.conftest import Ask
from workbench.traces.records import Trace

BOX = {
    "CLAUDE.md": "@AGENTS.md\n",
    "AGENTS.md": """\
# Ferry office

The office keeps the timetable and the tickets of a small river ferry.

## Layout

- `_content/inbox/` holds incoming letters nobody has sorted.
- `_content/tickets/` has one card for each ticket sold.

## Commands

Run the checks with:

```sh
make shipshape
```

## Further reading

- How ticket cards are laid out: `docs/ticket-card.md`
- Winter rules for the landing stage: see `docs/winter.md`.
- All other documentation is indexed in `docs/README.md`.
""",
    "docs/ticket-card.md": "# Ticket cards\n\nA ticket card has the fields `from`, `to` and `fare`.\n",
    "docs/winter.md": "# Winter\n\nThe landing stage is closed when the river freezes, and salted every morning.\n",
    "docs/README.md": "# Index\n\n- [Engine](engine.md): oil, diesel and the spare propeller\n",
    "docs/engine.md": "# Engine\n\nThe spare propeller lies under the bench in the boathouse.\n",
    "docs/AGENTS.md": "Pages here are written for deckhands.\n",
    "config/fares.toml": "# dogs and bicycles\nbicycle_fare = 1.50\n",
    ".claude/rules/tone.md": "Letters to passengers are answered within two days.\n",
    ".claude/rules/tickets.md": "---\npaths: docs/ticket-*.md\n---\nRefunded tickets keep their number.\n",
    ".claude/skills/timetable/SKILL.md": (
        "---\nname: timetable\ndescription: Publish the summer timetable\n---\n"
        "Print it on yellow paper and pin it to both landing stages.\n"
    ),
}


def deeds(trace: Trace) -> list[str]:
    """What was done, in short: `Read docs/a.md`."""
    named = []
    for turn in trace.assistant_turns:
        named += [f"{call.name} {next(iter(call.arguments.values()))}" for call in turn.calls]
    return named


@pytest.mark.parametrize(
    ("prompt", "done", "said"),
    [
        ("Where do incoming letters go?", [], "AGENTS.md says:\n\n- `_content/inbox/` holds incoming letters"),
        ("Be brief. How do I run the checks?", [], "make shipshape"),
        ("How soon are letters to passengers answered?", [], ".claude/rules/tone.md says:\n\nLetters to passengers"),
        ("What happens at the landing stage in winter?", ["Read docs/winter.md"], "closed when the river freezes"),
        ("Where would you look up how ticket cards are laid out?", [], "`docs/ticket-card.md`"),
        (
            "Where is the spare propeller?",
            ["Read docs/README.md", "Read docs/engine.md"],
            "docs/engine.md says:\n\nThe spare propeller lies under the bench",
        ),
        ("How do I publish the summer timetable?", ["Skill timetable"], "Print it on yellow paper"),
        (
            "What is the fare for a bicycle?",
            ["Read docs/README.md", "Grep (bicycl|fare)", "Read config/fares.toml"],
            "bicycle_fare = 1.50",
        ),
        (
            "Who is the captain of the submarine?",
            ["Read docs/README.md", "Grep (submarin|captain)"],
            "I don't know.",
        ),
        ("What does `docs/engine.md` say of the propeller?", ["Read docs/engine.md"], "under the bench"),
        ("Please run `echo ahoy`.", ["Bash echo ahoy"], "ahoy"),
        ("Create `log/day.md` with this:\n\n```\nCalm.\n```", ["Write log/day.md"], "I wrote `log/day.md`"),
    ],
)
def test_ways_to_an_answer(ask: Ask, prompt: str, done: list[str], said: str) -> None:
    trace, ending = ask(prompt, BOX)
    assert ending.reason is None
    assert deeds(trace) == done
    assert said in trace.reply


def test_a_rule_a_read_brings_in_can_be_the_answer(ask: Ask) -> None:
    trace, _ = ask("Open docs/ticket-card.md. Do refunded tickets keep their number?", BOX)
    assert deeds(trace) == ["Read docs/ticket-card.md"]
    assert ".claude/rules/tickets.md says:\n\nRefunded tickets keep their number." in trace.reply


def test_editing_the_guidance_changes_the_answer(ask: Ask) -> None:
    before, _ = ask("How do I run the checks?", BOX)
    after, _ = ask("How do I run the checks?", {**BOX, "AGENTS.md": BOX["AGENTS.md"].replace("shipshape", "tidy")})
    assert ("make shipshape" in before.reply, "make tidy" in after.reply) == (True, True)


@pytest.mark.parametrize(
    ("more", "done"),
    [
        ({"rules": "codex"}, ["Read docs/README.md", "Read docs/engine.md"]),
        ({"cwd": "docs", "rules": "codex"}, ["Read README.md", "Read engine.md"]),
        ({"surface": "dev"}, ["Read docs/README.md", "Read docs/engine.md"]),
    ],
)
def test_other_rules_folders_and_surfaces(ask: Ask, more: dict[str, Any], done: list[str]) -> None:
    trace, _ = ask("Where is the spare propeller?", BOX, **more)
    assert deeds(trace) == done
    assert "under the bench" in trace.reply


def test_asked_twice_it_does_and_says_the_same(ask: Ask) -> None:
    def told(trace: Trace) -> list[dict[str, Any]]:
        return [turn.model_dump(exclude={"started_at", "duration_ms"}) for turn in trace.turns]

    first, _ = ask("What is the fare for a bicycle?", BOX)
    second, _ = ask("What is the fare for a bicycle?", BOX)
    assert told(first) == told(second)
    assert all(turn.token_ledger.estimated for turn in first.assistant_turns)
