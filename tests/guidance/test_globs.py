"""Globs over box paths, quick or not, match what a plain reading of them matches."""

import fnmatch
import time

from hypothesis import given
from hypothesis import strategies as st

from tests.guidance.layered import lay
from workbench.guidance import globs

PIECES = st.sampled_from(["a", "b", "*", "**", "?", "a*", "*b", "a.b", "[ab]", "**a", "***", "a*b*c*", "é", "a+"])
NAMES = st.sampled_from(["a", "b", "ab", "a.b", "axb", "x\n", "é", "a+"])


def plainly(pattern: list[str], path: list[str]) -> bool:
    """Whether a path matches, piece by piece."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(plainly(pattern[1:], path[skipped:]) for skipped in range(len(path) + 1))
    return bool(path) and fnmatch.fnmatchcase(path[0], pattern[0]) and plainly(pattern[1:], path[1:])


@given(st.lists(PIECES, min_size=1, max_size=5), st.lists(NAMES, min_size=1, max_size=5))
def test_a_glob_matches_what_a_plain_reading_does(pattern: list[str], path: list[str]) -> None:
    assert globs.matches("/".join(pattern), "/".join(path)) == plainly(pattern, path)
    if globs.matches("/".join(pattern), "/".join(path)):
        assert "/".join(path).endswith(globs.fixed_end("/".join(pattern)))


def test_a_text_full_of_globs_does_not_hold_up_the_layers() -> None:
    files = {f"src/m{n // 50}/f{n}.py": "" for n in range(1000)}
    hostile = "\n".join(f"`{{a,b}}{{a,b}}{{a,b}}{{a,b}}/**/*{n}*[x]*.py` `**/*{n}*.py`" for n in range(4000))
    began = time.process_time()
    found = lay({**files, "AGENTS.md": hostile, "docs/a.md": ""}, "codex")
    assert len(found.files) == 1002
    assert time.process_time() - began < 10


def test_more_alternatives_than_anybody_writes_are_not_spelt_out() -> None:
    assert globs.matches("{" + "a," * 60_000 + "}", "a")
    assert not globs.matches("x" * 100_000 + "{" + "a," * 60_000 + "}", "b")
