"""What the nine levels mean to a grader: when one applies, what speaks for it, how it is typically mistaken."""

from dataclasses import dataclass

from workbench.corpus.records import LEVELS


@dataclass(frozen=True, slots=True)
class Definition:
    """One level, in three sentences for whoever grades."""

    level: str
    means: str
    evidence: str
    """What in the transcript speaks for it."""
    failure: str
    """How an answer on this level typically goes wrong, or is typically misjudged."""


_WORDS: dict[str, tuple[str, str, str]] = {
    "knows_directly": (
        "The answer stands in what was loaded before the question, and the agent gives it from there.",
        "No read and no search; the answer repeats words of a loaded file, or of one that came with a read.",
        "A lucky guess looks the same: see that the words do stand in a loaded file.",
    ),
    "knows_about": (
        "The agent does not have the answer but knows where it stands, and goes there.",
        "Reads only, each of a path that a loaded text or an earlier read names; no search.",
        "It names the right file and answers without opening it, or opens it and stops before the line that counts.",
    ),
    "discoverable": (
        "Nothing it had points there, but looking around in the box finds it.",
        "A search, a listing or a read of an unnamed file comes before the answer.",
        "It takes the first hit: an outdated copy, a test, an archive.",
    ),
    "deducible": (
        "The answer stands nowhere as such; it follows from code or from several places taken together.",
        "It reads the parts and says how they lead to the conclusion.",
        "One part is missed, and a sound argument ends in a wrong answer.",
    ),
    "researchable": (
        "The answer is not in the box, but public sources have it.",
        "A web search or fetch comes before the answer, and the answer rests on it.",
        "What holds in general is told, while this box does it differently.",
    ),
    "guessable": (
        "Common knowledge supplies an answer that sounds sure and may happen to be right.",
        "Nothing was looked up, and no loaded text holds the answer.",
        "The usual convention is told as the one that holds here. Say in the note what the guess rested on.",
    ),
    "improvised": (
        "The agent builds a way of its own where an established one exists.",
        "Steps or commands that no guidance names, while guidance for the task is there.",
        "The result works and is still not how it is done here. Say in the note which way was missed.",
    ),
    "knows_it_does_not_know": (
        "The agent says that it lacks the answer and leaves it at that.",
        "A plain admission, perhaps after a search, and no claim beside it.",
        "The admission opens a guess that is then told as fact; that is guessable.",
    ),
    "does_not_know": (
        "The agent gets nowhere and does not see it.",
        "A wrong or empty answer, or turns spent without getting nearer.",
        "A question that is at fault itself is mistaken for this. Say in the note what it was looking for.",
    ),
}

DEFINITIONS: tuple[Definition, ...] = tuple(Definition(level, *_WORDS[level]) for level in LEVELS)
"""In the order of their keys 1–9."""

NOTE_WANTED = frozenset({"guessable", "improvised", "does_not_know"})
"""Levels that say little without a word on what happened."""


def missing_note(level: str, note: str) -> bool:
    """Whether an assessment of that level still wants its note."""
    return level in NOTE_WANTED and not note.strip()
