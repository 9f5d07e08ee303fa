"""Statuses are found in every shape they have been written in."""

from tests.corpus.conftest import Load

SHAPES = """\
# Status (2025-01-01): before everything
tests:
  - id: loose
  # === Many ===
  # Status (2026-07-03, Codex): 13/13 pass. Then Status (2026-03-16), re-run after
  # the move, 1/1: fixed (see docs/a.md: line 3)
  #   - `find-memo` FAIL
  #   - 1/2 pass
  # Status (2026-08-15, re-run (second)): both pass
  # Re-run 2026-07-15 after the change: no status line.
  #
  # A paragraph of its own.
  - id: many-1
    # Status (2026-07-04): inside an entry
    notes: |
      Known to wobble.

      Status (2026-02-01, hq-dictation): in notes
    prompt: |
      # Status (2020-01-01): in a prompt
  # Status (2026-05-05): for the next two; a long qualifier in the
  # parenthesis of a Status
  # (2026-05-06,
  # wrapped qualifier): wrapped

  # Status (2026-05-07 never closed
  - id: many-2
  # === Empty ===
  # Status: none yet. status (2026-01-01) in lower case is prose.
  # === Last ===
  - id: last
# Status (2026-09-09) 3/3 pass"""


def test_every_shape(loaded: Load) -> None:
    corpus = loaded(SHAPES)
    found = {
        section.title: [(s.line, s.date, s.qualifier, s.text) for s in section.statuses] for section in corpus.sections
    }
    assert found == {
        "": [(1, "2025-01-01", "", "before everything")],
        "Many": [
            (5, "2026-07-03", "Codex", "13/13 pass. Then"),
            (
                5,
                "2026-03-16",
                "re-run after the move, 1/1",
                "fixed (see docs/a.md: line 3) - `find-memo` FAIL - 1/2 pass",
            ),
            (
                9,
                "2026-08-15",
                "re-run (second)",
                "both pass Re-run 2026-07-15 after the change: no status line.",
            ),
            (14, "2026-07-04", "", "inside an entry"),
            (15, "2026-02-01", "hq-dictation", "in notes"),
            (21, "2026-05-05", "", "for the next two; a long qualifier in the parenthesis of a"),
            (22, "2026-05-06", "wrapped qualifier", "wrapped"),
            (26, "2026-05-07", "", "never closed"),
        ],
        "Empty": [],
        "Last": [(32, "2026-09-09", "", "3/3 pass")],
    }
    many = corpus.sections[1]
    assert many.latest is not None
    assert many.latest.date == "2026-08-15"
    assert many.statuses[1].raw.splitlines()[2:] == ["  - `find-memo` FAIL", "  - 1/2 pass"]


def test_what_is_no_header_opens_no_section(loaded: Load) -> None:
    corpus = loaded(
        "tests:\n"
        "  # ==========\n"
        "  # Resilient voice recording (docs/voice.md):\n"
        "  - id: a # === trailing ===\n"
        "    notes: >\n"
        "      folded\n"
        "      # === in notes ===\n"
        "  # === Glued (docs/x.md) === and more\n"
        "  - id: b\n"
        "    prompt: 'quoted\n"
        "  # === in quotes ==='\n"
    )
    assert [(section.title, section.line) for section in corpus.sections] == [("", 4), ("Glued (docs/x.md)", 8)]
