"""What a line of commits tells of itself, whatever its authors wrote."""

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.boxes.conftest import commit, write
from workbench.boxes.lineage import commit_at, line
from workbench.host.git import Git

_SAID = st.text(st.characters(min_codepoint=1, max_codepoint=0x2FF, exclude_characters="\n\r"), max_size=8)
_NAME = st.text(st.characters(min_codepoint=1, max_codepoint=0x2FF, exclude_characters="/\r"), min_size=1, max_size=8)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=_SAID, author=_SAID, names=st.sets(_NAME, min_size=1, max_size=3))
def test_a_commit_is_told_as_one_with_the_files_it_changed(box: Path, said: str, author: str, names: set[str]) -> None:
    before = Git(box).head()
    paths = {f"deep/{name}_.md" for name in names}
    write(box, dict.fromkeys(paths, before))
    git = Git(box)
    git.run("add", "--all")
    git.run("commit", "--quiet", "-m", f"a{said}z", env={"GIT_AUTHOR_NAME": f"a{author}z".translate({60: "", 62: ""})})
    last = commit(box, "Last", {"docs/trees.md": before})
    told = line(box, before, last)
    assert [set(one.paths) for one in told] == [paths, {"docs/trees.md"}]
    assert told[0].subject[0] + told[0].subject[-1] == told[0].author[0] + told[0].author[-1] == "az"
    assert told[1].subject == "Last"
    assert commit_at(box, told[0].name).subject == told[0].subject


def test_a_box_below_the_top_is_told_its_own_files_by_their_own_names(box: Path) -> None:
    before = Git(box).head()
    commit(box, "Elsewhere", {"README.md": "Hello.\n"})
    last = commit(box, "Both", {"README.md": "Bye.\n", "docs/pears.md": "Pears.\n"})
    assert [(one.subject, one.paths) for one in line(box / "docs", before, last)] == [("Both", ("pears.md",))]
