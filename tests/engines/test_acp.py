"""ACP agents: a real one in a process of its own, asked through the engine, well behaved and not."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.engines.acp.engine import AcpEngine
from workbench.engines.acp.policy import Policy, Refused
from workbench.engines.protocol import Ending, EngineSettings, Task
from workbench.traces.acts import classify
from workbench.traces.events import TextDelta, TraceEvent, trace_of
from workbench.traces.reasons import Reason
from workbench.traces.records import Meta, ThinkingBlock, Trace

AGENT = str(Path(__file__).with_name("acp_agent.py"))
EMPTY = Trace(meta=Meta(engine="acp", workspace="/", prompt=""))
SETTINGS = EngineSettings(command=(sys.executable, AGENT), keys=("LITTLE_KEY",), stall=20)


def ask(tmp_path: Path, prompt: str, **more: object) -> tuple[Trace, Ending, list[TraceEvent]]:
    """Ask the little agent in a small box with a secret beside it."""
    box, secret = tmp_path / "outer" / "box", tmp_path / "secret"
    box.mkdir(parents=True, exist_ok=True)
    secret.mkdir(exist_ok=True)
    (box / "guide.md").write_text("one\ntwo\n")
    (secret / "key").write_text("the answer")
    events: list[TraceEvent] = []
    settings = SETTINGS.model_copy(update={"stall": more.pop("stall", 20)})
    given = {"timeout": 30, "keys": {"LITTLE_KEY": "sk-dummy", "OTHER": "not it"}, "secrets": (secret,), **more}
    task = Task.model_validate({"trial": "t", "prompt": prompt, "workspace": box, **given})
    ending = AcpEngine(settings).run(task, events.append)
    return (trace_of(events) if events else EMPTY), ending, events


def test_an_answer_is_told_in_whole_messages(tmp_path: Path) -> None:
    trace, ending, events = ask(tmp_path, "read guide.md")
    assert ending == Ending()
    assert (trace.meta.engine_version, trace.meta.session) == ("little 0.1", "s1")
    assert [turn.role for turn in trace.turns] == ["user", "assistant", "toolResult", "assistant"]
    first, last = trace.assistant_turns
    assert (first.text, last.text) == ("I read.", "It says one\ntwo\n")
    assert isinstance(first.content[0], ThinkingBlock)
    assert [(act.kind, act.path, act.ok) for act in classify(trace)] == [("read", "guide.md", True)]
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "I read.It says one\ntwo\n"
    assert any("guidance" in note for note in trace.meta.notes)


def test_the_agent_logs_in_by_its_key_takes_a_model_and_tells_its_cost(tmp_path: Path) -> None:
    trace, ending, _ = ask(tmp_path, "introduce", model="large", env={"WANTS_LOGIN": "by key"})
    assert ending == Ending(cost_usd=0.25, cost_basis="reported")
    assert (trace.meta.model, trace.assistant_turns[-1].text) == ("large", "large")


@pytest.mark.parametrize("amount", ["nan", "inf", "1e308", "-3", "0"])
def test_a_cost_that_cannot_be_is_unknown_and_not_nothing(amount: str, tmp_path: Path) -> None:
    assert ask(tmp_path, f"introduce\nbill {amount}\nsay hi")[1] == Ending()


def test_tokens_of_a_run_belong_to_a_message_only_when_it_is_the_only_one(tmp_path: Path) -> None:
    assert ask(tmp_path, "say hi")[0].assistant_turns[0].token_ledger.input == 7
    assert ask(tmp_path, "read guide.md")[0].assistant_turns[-1].token_ledger.input == 0


def test_a_file_read_through_us_is_an_act_though_the_agent_does_not_tell(tmp_path: Path) -> None:
    trace, _, _ = ask(tmp_path, f"fetch_quietly {tmp_path}/outer/box/guide.md\nfetch_quietly {tmp_path}/secret/key")
    assert [(act.kind, act.path, act.ok) for act in classify(trace)] == [
        ("read", "guide.md", True),
        ("read", f"{tmp_path}/secret/key", False),
    ]
    assert "the answer" not in trace.model_dump_json()


@pytest.mark.parametrize(
    ("surface", "asked"),
    [
        (
            "box",
            {
                "edit {box}/new.md": "yes",
                "edit /elsewhere": "no",
                "edit {box}/../elsewhere": "no",
                "execute ls": "yes",
                "execute {secret}/key": "no",
                "read {secret}/key": "no",
                "fetch http://somewhere": "no",
            },
        ),
        ("dev", {"read {box}/guide.md": "yes", "search {box}": "yes", "edit {box}/new.md": "no", "execute ls": "no"}),
    ],
)
def test_permissions_are_given_by_the_surface(tmp_path: Path, surface: str, asked: dict[str, str]) -> None:
    lines = [f"may {line}".format(box=tmp_path / "outer" / "box", secret=tmp_path / "secret") for line in asked]
    trace, ending, _ = ask(tmp_path, "\n".join(lines), surface=surface, max_turns=20)
    assert ending.reason is None, ending.detail
    assert "".join(turn.text for turn in trace.assistant_turns).split() == list(asked.values())


def test_writes_stay_inside_and_on_the_box_surface(tmp_path: Path) -> None:
    box = tmp_path / "outer" / "box"
    box.mkdir(parents=True)
    (box / "way-out").symlink_to(tmp_path)
    paths = [f"{box}/sub/new.md", f"{tmp_path}/stolen", f"{box}/way-out/stolen", f"{box}/../stolen"]
    trace, _, _ = ask(tmp_path, "\n".join(f"write {path}" for path in paths))
    said = "".join(turn.text for turn in trace.assistant_turns).splitlines()
    assert [line.partition(":")[0] for line in said] == ["written", "refused", "refused", "refused"]
    assert (box / "sub" / "new.md").read_text() == "mine"
    assert "refused" in ask(tmp_path, f"write {box}/stolen", surface="dev")[0].assistant_turns[-1].text
    assert not list(tmp_path.rglob("stolen"))


def test_the_agent_has_an_environment_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", "private")
    said = ask(tmp_path, "environment", env={"SEEN": "by tools"})[0].assistant_turns[-1].text
    assert "LITTLE_KEY=sk-dummy" in said
    assert "SEEN=by tools" in said
    assert not any(foreign in said for foreign in ("private", "not it", f"HOME={Path.home()}"))
    assert os.listdir(tmp_path / "outer") == ["box"], "nothing of the run is left"


@pytest.mark.parametrize(
    ("prompt", "reason", "detail", "more"),
    [
        ("die", Reason.CRASHED, "it hurts", {}),
        ("truncate half", Reason.TRUNCATED, "cut", {}),
        ("flood", Reason.CRASHED, "MB", {}),
        ("hang", Reason.TIMED_OUT, "said nothing", {"stall": 2.5}),
        ("work_on", Reason.TURN_LIMIT, "", {"max_turns": 3}),
        ("announce", Reason.TURN_LIMIT, "", {"max_turns": 2}),
        ("say hi", Reason.AUTH, "log in first", {"env": {"WANTS_LOGIN": "1"}}),
        ("unheard_of", Reason.CRASHED, "", {}),
    ],
)
def test_bad_ends_are_told_apart(
    tmp_path: Path, prompt: str, reason: Reason, detail: str, more: dict[str, object]
) -> None:
    ending = ask(tmp_path, prompt, **more)[1]
    assert ending.reason is reason, ending
    assert detail in ending.detail


def test_nothing_of_an_agent_outlives_its_run(tmp_path: Path) -> None:
    ending = ask(tmp_path, "spawn 317.4242\nwork_on", max_turns=2)[1]
    assert ending.reason is Reason.TURN_LIMIT, ending
    assert not any("317.4242" in line for line in _running())


def _running() -> Iterator[str]:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            yield path.read_text("utf-8", "replace")


def test_noise_between_messages_is_passed_over(tmp_path: Path) -> None:
    trace, ending, _ = ask(tmp_path, "babble")
    assert ending.reason is None
    assert trace.assistant_turns[-1].text == "sorry"


def test_preflight_says_what_is_missing(tmp_path: Path) -> None:
    assert AcpEngine(SETTINGS).preflight(["LITTLE_KEY"]).ready
    assert "LITTLE_KEY" in AcpEngine(SETTINGS).preflight([]).problems[0]
    assert "command" in AcpEngine(EngineSettings()).preflight([]).problems[0]
    assert AcpEngine(SETTINGS).run(Task(trial="t", prompt="x", workspace=tmp_path, base_url="x"), lambda _: None).detail
    lost = AcpEngine(EngineSettings(command=(str(tmp_path / "no"),)))
    task = Task(trial="t", prompt="x", workspace=tmp_path)
    assert lost.run(task, lambda _: None).reason is Reason.MISSING


def test_a_read_can_be_of_some_lines(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("1\n2\n3\n")
    policy = Policy(tmp_path, "box", (), web=False)
    assert policy.read(str(tmp_path / "f"), 2, 1) == "2\n"
    assert policy.read("f", None, None) == "1\n2\n3\n"
    os.mkfifo(tmp_path / "pipe")
    for name in ("none", "pipe", "."):
        with pytest.raises(Refused, match="is no file"):
            policy.read(name, None, None)
    with pytest.raises(Refused, match="is no file"):
        policy.write("pipe", "x")
    with pytest.raises(Refused, match="outside"):
        policy.read("a\0b", None, None)


def test_a_command_that_is_no_program_is_the_end_of_the_run_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agent").write_text("neither a script nor a binary")
    (tmp_path / "agent").chmod(0o755)
    (tmp_path / "box").mkdir()
    monkeypatch.setattr("workbench.host.sandbox.available", lambda: "")
    engine = AcpEngine(EngineSettings(command=(str(tmp_path / "agent"),)))
    ending = engine.run(Task(trial="t", prompt="x", workspace=tmp_path / "box"), lambda _: None)
    assert (ending.reason, "could not be started" in ending.detail) == (Reason.CRASHED, True)
