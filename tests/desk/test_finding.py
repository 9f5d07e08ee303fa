"""Search across all trials, the run history and trends, over real runs of the small project."""

import asyncio
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.projects import FILES, make_project
from workbench.desk.contents import Contents
from workbench.desk.desk import Desk
from workbench.desk.finding import find, parse
from workbench.desk.records import AskRequest, DeskError
from workbench.runs.folder import hold
from workbench.runs.store import RunStore

INDEX = ".contents.sqlite"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk.open(make_project(tmp_path / "shed"))


async def ask(desk: Desk, *terms: str) -> str:
    live = desk.ask(AskRequest(tuple(audit.id for audit in desk.select(terms))))
    await asyncio.wait_for(live.wait(), 60)
    return live.run_id


def found(desk: Desk, terms: str) -> list[str]:
    assert list(desk.archive.refresh())[-1][0] == len(desk.runs())
    return [hit.trial for hit in desk.archive.find(terms).hits]


async def test_who_read_what_and_answered_what(desk: Desk) -> None:
    run = await ask(desk)
    assert found(desk, "read:docs/bees") == ["hive-count"]
    assert found(desk, "answer:FRIDAY") == ["oil-day"]
    assert found(desk, "friday -is:failed") == []
    assert found(desk, "is:passed is:unjudged") == ["ladder-place", "hive-count", "swarm-feeling"]
    assert found(desk, "audit:oil audit:ladder is:passed") == ["ladder-place"]
    assert found(desk, "shears on oiled") == ["oil-day"]
    assert found(desk, "shears ladder") == []
    assert found(desk, "engine:reader run:1999") == []
    (hit,) = desk.archive.find("read:bees").hits
    assert (hit.run_id, hit.shown) == (run, "docs/bees.md")
    (hit,) = desk.archive.find("Friday").hits
    assert "oiled on Friday" in hit.shown


async def test_a_path_is_found_in_any_case_and_shown_as_it_is_written(tmp_path: Path) -> None:
    guide, corpus = (
        FILES[name].replace("docs/bees.md", "docs/ÄBees.md") for name in ("AGENTS.md", "audits/knowledge.yaml")
    )
    desk = Desk.open(
        make_project(
            tmp_path / "shed",
            {"AGENTS.md": guide, "audits/knowledge.yaml": corpus, "docs/ÄBees.md": FILES["docs/bees.md"]},
        )
    )
    await ask(desk, "hive-count")
    assert found(desk, "read:äbees") == ["hive-count"]
    (hit,) = desk.archive.find("read:äbees").hits
    assert hit.shown == "docs/ÄBees.md"


async def test_a_humans_verdict_and_a_regrade_are_found_without_the_traces(desk: Desk) -> None:
    run = await ask(desk, "section:tools")
    assert found(desk, "is:failed") == ["oil-day"]
    desk.assess(run, "oil-day", verdict="pass")
    for trace in (desk.project.reports / run / "traces").iterdir():
        trace.unlink()
    assert found(desk, "is:failed") == []
    assert found(desk, "is:graded friday") == ["oil-day"]
    (lane,) = desk.archive.trend("oil-day")
    assert (lane.strip, lane.human, len(lane.sparkline)) == ("✓", 1, 1)
    assert lane.estimated


async def test_the_index_may_be_deleted_and_broken(desk: Desk) -> None:
    await ask(desk, "oil-day")
    assert found(desk, "friday") == ["oil-day"]
    (desk.project.reports / INDEX).write_bytes(b"no database" * 200)
    assert found(desk, "friday") == ["oil-day"]
    (desk.project.reports / INDEX).unlink()
    assert desk.archive.find("friday").total == 0
    assert found(desk, "friday") == ["oil-day"]


async def test_the_history_tells_what_a_run_took_and_lets_it_go(desk: Desk) -> None:
    first, second = await ask(desk, "oil-day"), await ask(desk, "section:tools")
    (line, _) = desk.archive.lines()
    assert (line.summary.run_id, line.counted, line.free, line.live) == (second, False, True, False)
    list(desk.archive.refresh())
    line = desk.archive.lines()[0]
    assert line.counted
    assert line.totals.trials == 2
    assert line.totals.input > 0
    assert line.totals.estimated
    assert line.totals.uncounted == 0
    desk.assess(first, "oil-day", level="discoverable")
    assert (desk.archive.graded(first), desk.archive.graded(second)) == (1, 0)
    with hold(desk.project.reports / first), pytest.raises(DeskError, match="still going on"):
        desk.archive.delete(first)
    desk.archive.delete(first)
    assert [run.run_id for run in desk.runs()] == [second]
    assert found(desk, "") == ["ladder-place", "oil-day"]
    with pytest.raises(DeskError, match="there is no run"):
        desk.archive.delete(first)


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        ("reed:x", "did you mean"),
        ("is:red", "known are passed"),
        ("read:", "names nothing"),
        ("'open", "quote is not closed"),
    ],
)
def test_what_means_nothing_is_told(terms: str, told: str) -> None:
    with pytest.raises(DeskError, match=told):
        parse(terms)


@given(st.lists(st.sampled_from(("", "-", "read:", "answer:", "-run:", "is:passed", "'")).flatmap(
    lambda key: st.text(max_size=6).map(lambda text: key + text)), max_size=4))  # fmt: skip
def test_no_search_breaks_out_of_its_parameters(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> None:
    try:
        terms = parse(words)
    except DeskError:
        return
    store = RunStore(tmp_path_factory.getbasetemp())
    assert find(Contents(store), terms).total == 0


def test_searching_five_thousand_trials_is_at_once(tmp_path: Path) -> None:
    contents = Contents(RunStore(tmp_path))
    with contents._opened() as index, index:
        columns = [row[1] for row in index.execute("pragma table_info(trials)")]
        answer = "the ladder stands at the north wall of the shed and nobody moves it. " * 30
        for number in range(4800):
            row = dict.fromkeys(columns, "") | {"run_id": f"run-{number // 24:03}", "trial": str(number)}
            row |= {"answer": answer + str(number), "plain": answer, "reads": "docs/bees.md\nagents.md"}
            index.execute(f"insert into trials values ({', '.join('?' * len(columns))})", list(row.values()))
    begun = time.perf_counter()
    assert find(contents, parse("read:bees 4777")).total == 1
    assert time.perf_counter() - begun < 1.0


async def test_a_folder_that_takes_no_file_is_searched_all_the_same(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ask(desk, "oil-day")
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert found(desk, "friday") == ["oil-day"]
    assert not (desk.project.reports / INDEX).exists()
