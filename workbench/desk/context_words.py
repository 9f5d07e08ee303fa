"""A context report in words: what both front ends say of it, each in its own colours."""

from collections.abc import Iterator

from workbench.probe.records import ContextReport, FileContext, PartName, Standing

TITLES: dict[Standing, str] = {
    "always": "always",
    "conditional": "on condition",
    "referenced": "referenced",
    "never": "never",
}
SIGNS: dict[Standing, str] = {"always": "●", "conditional": "◐", "referenced": "○", "never": "·"}
MEANINGS: dict[Standing, str] = {
    "always": "in the first request, before anything was asked",
    "conditional": "came after something was read or opened",
    "referenced": "only its path, or a skill's description, was there",
    "never": "lies in the box and did not reach the agent",
}
PARTS: dict[PartName, str] = {
    "prompt": "own prompt",
    "tools": "tools",
    "guidance": "guidance",
    "skills": "skills list",
    "question": "question",
}


def summary(report: ContextReport) -> tuple[str, ...]:
    """`claude 2.1.332`, the box with the starting folder, then how many files stand how."""
    start = "" if report.cwd == "." else f"/{report.cwd}"
    counts = tuple(f"{len(report.standing(standing))} {TITLES[standing]}" for standing in TITLES)
    return (f"{report.engine} {report.version}".strip(), f"{report.box}{start}", *counts)


def amount(characters: int) -> str:
    """Characters as a human reads them: `480`, `1.4k`, `15k`."""
    if characters < 1000:
        return str(characters)
    return f"{characters / 1000:.1f}k" if characters < 99_950 else f"{characters / 1000:.0f}k"


def share(characters: int, total: int) -> str:
    """A share in percent; what is there and rounds to nothing says so."""
    if not characters or not total:
        return ""
    percent = 100 * characters / total
    return "<0.1%" if percent < 0.05 else f"{percent:.1f}%" if percent < 9.95 else f"{percent:.0f}%"


def weight(file: FileContext) -> int:
    """Characters that stand for a file: what was loaded, a skill's announcement, else what it holds."""
    return (file.told or file.loaded if file.skill else file.loaded) or file.size


def heaviest(report: ContextReport) -> int:
    """The weight of the file that loaded most."""
    return max((weight(file) for file in report.files if file.came), default=1)


def bar_of(file: FileContext, most: int, room: int) -> int:
    """How many of `room` cells a file's bar takes beside the heaviest one's; at least one for what was loaded."""
    return max(1, round(room * weight(file) / max(1, most))) if file.came else 0


def counts(file: FileContext) -> bool:
    """Whether that weight is part of the always-on context."""
    return file.standing == "always" or bool(file.told)


def reason(file: FileContext) -> str:
    """What brought a file in, and what is odd about it."""
    if file.skill and file.loaded:
        _, _, late = file.via.partition(", ")
        opened = f"+{amount(file.loaded)} once opened" if file.told else "once opened"
        return f"{opened}, {late}" if late else opened
    cut = f"cut: {amount(file.size)} in the box" if file.cut else ""
    return ", ".join(part for part in (file.via, cut) if part)


def end_of(path: str, room: int) -> str:
    """A path in so many characters; its end tells more than its start."""
    return path if len(path) <= room else f"…{path[len(path) - room + 1 :]}"


def cells(sizes: list[int], width: int) -> list[int]:
    """How many of `width` cells each part of a bar takes: at least one for what is there, all of them together."""
    total = sum(sizes)
    if not total:
        return [0] * len(sizes)
    wanted = [max(1, round(width * size / total)) if size else 0 for size in sizes]
    while sum(wanted) > width and max(wanted) > 1:
        wanted[wanted.index(max(wanted))] -= 1
    if sum(wanted) < width:
        wanted[wanted.index(max(wanted))] += width - sum(wanted)
    return wanted


def remarks(report: ContextReport) -> Iterator[tuple[bool, str, str]]:
    """What is to be told below the table: (whether it is grave, about what, what)."""
    if report.problem:
        yield True, report.engine, f"ended early: {report.problem}"
    for path in report.leaks:
        yield True, path, "lies outside the box and stood in a request"
    for one in report.differences:
        yield False, one.path, one.told
    if report.skipped:
        yield False, report.engine, f"{report.skipped} more files and skills were not tried"
