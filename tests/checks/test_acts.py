"""Checks of what the agent did: reads by resolved path, commands as issued, cards as left behind."""

from typing import Any

import pytest

from tests.checks.conftest import Judge
from tests.traces.making import WORKSPACE, Call, bash, grep, make, read
from workbench.checks.records import Outcome
from workbench.traces.reasons import Reason
from workbench.traces.records import Change, LoadedFile

FAILED_READ = bash("cat docs/eggs.md", "cat: docs/eggs.md: No such file or directory", error=True)


@pytest.mark.parametrize(
    ("call", "fragment", "ours", "bee_box"),
    [
        (read("docs/eggs.md"), "docs/eggs.md", "p", "p"),
        (read(f"{WORKSPACE}/docs/eggs.md"), "docs/eggs.md", "p", "p"),
        (read("docs/eggs.md"), "eggs", "p", "p"),
        (read("docs/eggs.md"), "EGGS", "f", "f"),
        (read("docs//eggs.md"), "docs/eggs.md", "p", "f"),
        (read("docs/eggs.md", error=True), "docs/eggs.md", "f", "p"),
        (bash("cat docs/eggs.md"), "docs/eggs.md", "p", "p"),
        (bash("cd docs; cat eggs.md"), "docs/eggs.md", "p", "f"),
        (bash("D=docs; cat $D/eggs.md"), "docs/eggs.md", "p", "f"),
        (bash("wc -l < docs/eggs.md"), "docs/eggs.md", "p", "f"),
        (bash("awk 1 docs/eggs.md"), "docs/eggs.md", "p", "f"),
        (bash("cat docs/*.md"), "docs/eggs.md", "p", "f"),
        (bash("cat docs/*.txt"), "docs/eggs.md", "f", "f"),
        (bash("grep -n eggs docs/eggs.md"), "docs/eggs.md", "p", "p"),
        (bash("grep -rn docs/eggs.md ."), "docs/eggs.md", "f", "p"),
        (bash("git grep x docs/eggs.md"), "docs/eggs.md", "f", "p"),
        (bash("echo cat docs/eggs.md"), "docs/eggs.md", "f", "p"),
        (bash("ls docs/eggs.md"), "docs/eggs.md", "f", "f"),
        (bash("cat > x <<EOF\ndocs/eggs.md\nEOF"), "docs/eggs.md", "f", "p"),
        (bash("cat a || cat docs/eggs.md"), "docs/eggs.md", "f", "p"),
        (FAILED_READ, "docs/eggs.md", "f", "p"),
        (Call("Skill", {"skill": "hens"}), ".claude/skills/hens/SKILL.md", "p", "p"),
        (grep("docs/eggs.md"), "docs/eggs.md", "f", "f"),
    ],
)
def test_reads_go_by_resolved_paths_and_say_where_bee_box_differs(
    judge: Judge, call: Call, fragment: str, ours: str, bee_box: str
) -> None:
    should, should_not = judge(make(call, "Barn."), should_read=[fragment], should_not_read=[fragment])
    assert should.outcome.value[0] == ours
    assert should_not.outcome.value[0] == ("f" if ours == "p" else "p")
    assert ("Bee Box" in should.hint) == ("Bee Box" in should_not.hint) == (ours != bee_box)
    assert bool(should.evidence) == bool(should_not.evidence) == (ours == "p")


def test_a_file_that_is_not_there_is_hinted_at_with_the_reason(judge: Judge) -> None:
    (result,) = judge(make(FAILED_READ), should_read=["docs/eggs.md"])
    assert result.hint == "Bee Box would count `cat docs/eggs.md`; here it does not: it failed"


def test_any_of_several_reads_will_do(judge: Judge) -> None:
    trace = make(read("b.md"))
    (one,) = judge(trace, should_read_any=["a.md", "b.md"])
    (none,) = judge(trace, should_read_any=["c.md", "d.md"])
    (empty,) = judge(trace, should_read_any=[])
    assert (one.outcome, one.evidence[0].quote, none.outcome) == (Outcome.PASSED, "b.md", Outcome.FAILED)
    assert (empty.outcome, empty.reason) == (Outcome.UNMEASURED, Reason.MISSING)


def test_what_sub_agents_read_counts(judge: Judge) -> None:
    (result,) = judge(make(read("a.md"), parent="call-0"), should_read=["a.md"])
    assert result.outcome is Outcome.PASSED


EDIT = Call("Edit", {"file_path": "x.card"})


@pytest.mark.parametrize(
    ("steps", "outcome"),
    [
        ([read("AGENTS.md"), EDIT], "p"),
        ([EDIT, read("AGENTS.md")], "f"),
        ([[read("AGENTS.md"), EDIT]], "f"),
        ([read("AGENTS.md", error=True), EDIT], "f"),
        ([read("hens/a.card", loads="hens/AGENTS.md"), EDIT], "p"),
        ([[read("hens/a.card", loads="hens/AGENTS.md"), EDIT]], "f"),
        ([bash("cat AGENTS.md; echo x > x.card")], "f"),
        ([bash("cat AGENTS.md"), bash("echo x > x.card")], "p"),
        ([bash("echo x > /elsewhere/y"), read("AGENTS.md"), EDIT], "p"),
        ([Call("Edit", {"file_path": "x.card"}, error=True), read("AGENTS.md"), EDIT], "f"),
        ([read("AGENTS.md")], "p"),
        (["Nothing to do."], "f"),
    ],
)
def test_reading_comes_in_an_earlier_message_than_editing(judge: Judge, steps: list[Any], outcome: str) -> None:
    (result,) = judge(make(*steps), read_before_edit=["AGENTS.md"])
    assert result.outcome.value[0] == outcome


def test_what_was_in_context_from_the_start_is_only_hinted_at(judge: Judge) -> None:
    guidance = (LoadedFile(path="AGENTS.md", layer="always", text="Eggs: barn."),)
    (result,) = judge(make(EDIT, guidance=guidance), read_before_edit=["AGENTS.md"])
    assert (result.outcome, result.hint) == (Outcome.FAILED, "it was in context from the start")


def test_engines_that_do_not_show_edits_cannot_be_held_to_them(judge: Judge) -> None:
    (result,) = judge(make(read("AGENTS.md"), records_edits=False), read_before_edit=["AGENTS.md"])
    assert (result.outcome, result.reason) == (Outcome.UNMEASURED, Reason.NOT_RECORDED)


@pytest.mark.parametrize(
    ("steps", "checks", "outcomes"),
    [
        ([bash("BBX create card", error=True)], {"bash_contains": ["bbx CREATE", "delete"]}, "pf"),
        ([read("bbx create")], {"bash_contains": ["bbx create"]}, "f"),
        ([bash("bbx  search eggs", error=True)], {"should_search": "box"}, "p"),
        ([bash("bbx research eggs")], {"should_search": "box"}, "f"),
        ([bash("bbx search eggs")], {"should_search": "any"}, "p"),
        ([bash("bbx search eggs")], {"should_search": "web"}, "f"),
        ([grep("eggs")], {"should_search": "any"}, "f"),
        ([Call("WebFetch", {"url": "http://x"})], {"should_search": "web"}, "p"),
        ([Call("web_search", {"query": "x"})], {"should_search": "any"}, "p"),
        ([Call("WebSearch", {"query": "x"})], {"should_search": "box"}, "f"),
    ],
)
def test_commands_and_lookups_count_as_issued(
    judge: Judge, steps: list[Call], checks: dict[str, Any], outcomes: str
) -> None:
    results = judge(make(*steps, tools=("Bash", "Read", "WebSearch")), **checks)
    assert "".join(result.outcome.value[0] for result in results) == outcomes


CARDS = (
    Change(path="hens/a.card", kind="created", text="Status: Laying"),
    Change(path="hens/b.card", kind="modified", text="eggs: 7"),
    Change(path="old.card", kind="deleted"),
    Change(path="notes.md", kind="created", text="secret"),
)


@pytest.mark.parametrize(
    ("checks", "outcomes"),
    [
        ({"cards_contain": ["status: laying", "EGGS"]}, "pp"),
        ({"cards_contain": ["secret", "gone"]}, "ff"),
        ({"cards_not_under": ["hens/", "./hens", "/hens", "hen", "Hens/", "old", "notes"]}, "ffffppp"),
    ],
)
def test_cards_are_judged_as_they_were_left(judge: Judge, checks: dict[str, Any], outcomes: str) -> None:
    trace = make(Call("Write", {"file_path": "hens/a.card"}), "Done.", changes=CARDS)
    results = judge(trace, **checks)
    assert "".join(result.outcome.value[0] for result in results) == outcomes


def test_a_prefix_that_is_no_folder_says_so(judge: Judge) -> None:
    trace = make("Done.", changes=CARDS)
    over, folder = judge(trace, cards_not_under=["hen", "hens"])
    assert "end the prefix with /" in over.hint
    assert folder.hint == ""


def test_a_card_whose_content_was_not_kept_is_not_judged(judge: Judge) -> None:
    trace = make("Done.", changes=(Change(path="a.card", kind="created"),))
    (result,) = judge(trace, cards_contain=["eggs"])
    assert (result.outcome, result.reason) == (Outcome.UNMEASURED, Reason.NOT_RECORDED)


@pytest.mark.parametrize(
    ("tools", "measured"),
    [
        ((), ""),
        (("Read",), "should_read should_read_any should_not_read"),
        (("Skill",), "should_read should_read_any should_not_read"),
        (("WebSearch",), "should_search"),
        (("Bash",), "should_read should_read_any should_not_read bash_contains should_search cards_contain "
         "cards_not_under read_before_edit"),
        (("Read", "Edit"), "should_read should_read_any should_not_read cards_contain cards_not_under "
         "read_before_edit"),
    ],
)  # fmt: skip
def test_what_there_was_no_tool_for_is_unmeasured(judge: Judge, tools: tuple[str, ...], measured: str) -> None:
    keys = ["should_read", "should_read_any", "should_not_read", "bash_contains", "cards_contain", "cards_not_under"]
    checks: dict[str, Any] = {key: ["x"] for key in [*keys, "read_before_edit"]}
    results = judge(make("Barn.", tools=tools), **checks, should_search="any")
    unmeasured = {result.kind for result in results if result.reason is Reason.NO_TOOL}
    assert {result.kind for result in results} - unmeasured == set(measured.split())


def test_a_tool_that_served_was_there_whatever_the_engine_told(judge: Judge) -> None:
    (result,) = judge(make(read("a.md"), tools=()), should_read=["a.md"])
    assert result.outcome is Outcome.PASSED
