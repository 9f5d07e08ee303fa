"""How editors save: each leaves the same content behind on a way of its own."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

Save = Callable[[Path, str], None]


def in_place(path: Path, text: str) -> None:
    """Truncate and write, as nano does."""
    path.write_text(text, encoding="utf-8")


def renamed(path: Path, text: str) -> None:
    """Write a file beside it and move that over it, as most do."""
    beside = path.with_name(f".{path.name}.tmp")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def backed_up(path: Path, text: str) -> None:
    """Move the old one away, write a new one, remove the old one, as vim does with `backupcopy=no`."""
    backup = path.with_name(f"{path.name}~")
    path.rename(backup)
    path.write_text(text, encoding="utf-8")
    backup.unlink()


def made_again(path: Path, text: str) -> None:
    """Delete it and make it again."""
    path.unlink()
    path.write_text(text, encoding="utf-8")


def piecemeal(path: Path, text: str) -> None:
    """Truncate, then write in pieces that reach the disk one by one."""
    with path.open("w", encoding="utf-8") as file:
        for start in range(0, len(text), 7):
            file.write(text[start : start + 7])
            file.flush()
            os.fsync(file.fileno())


def by_sed(path: Path, text: str) -> None:
    """`sed -i` with a script that puts the text in place of every line."""
    lines = "".join(f"i\\\n{line}\n" for line in text.splitlines())
    subprocess.run(["sed", "-i", f"1{{\n{lines}}}\nd", str(path)], check=True)


def by_ed(path: Path, text: str) -> None:
    """ed, which writes into the file."""
    commands = f",d\na\n{text.removesuffix(chr(10))}\n.\nw\nq\n"
    subprocess.run(["ed", "-s", str(path)], input=commands, text=True, check=True)


def by_vim(path: Path, text: str) -> None:
    """vim without a terminal, which moves the old file away or not as it sees fit."""
    with tempfile.TemporaryDirectory() as elsewhere:
        fresh = Path(elsewhere) / "fresh"
        fresh.write_text(text, encoding="utf-8")
        script = ["-c", "%d", "-c", f"call setline(1, readfile('{fresh}'))", "-c", "wq"]
        argv = ["vim", "-u", "NONE", "-es", "--not-a-term", *script, str(path)]
        subprocess.run(argv, stdin=subprocess.DEVNULL, check=True, timeout=30)


WAYS: Mapping[str, Save] = {
    "in place": in_place,
    "renamed": renamed,
    "backed up": backed_up,
    "made again": made_again,
    "piecemeal": piecemeal,
    "sed": by_sed,
} | {program: save for program, save in {"ed": by_ed, "vim": by_vim}.items() if shutil.which(program)}
"""Every way there is on this machine, by name."""
