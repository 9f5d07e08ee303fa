"""pi: what its stream and its session files mean, what it is given, and who holds its key."""

import json
import os
import stat
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from workbench.engines.credentials import login_values
from workbench.engines.narrator import Narrator
from workbench.engines.pi import failures
from workbench.engines.pi.engine import PiEngine
from workbench.engines.pi.messages import guidance
from workbench.engines.pi.relay import Relay
from workbench.engines.pi.secrets import DEV_VARIABLE, PLACEHOLDER, VARIABLE, SecretsError, credential
from workbench.engines.pi.stream import UNPRICED, PiStream, Session
from workbench.engines.protocol import Ending, EngineSettings, Task
from workbench.engines.sessions import pi as sessions
from workbench.host import sandbox
from workbench.traces.events import TextDelta, TraceEvent, trace_of
from workbench.traces.reasons import Reason
from workbench.traces.records import TextBlock, ToolResultTurn, UserTurn

CAPTURES = Path(__file__).parent / "captures"
STREAMS = sorted(path.name.removesuffix(".meta.json") for path in CAPTURES.glob("pi-*.meta.json"))
ENDED_BADLY = {
    "pi-160-err-401": Reason.AUTH,
    "pi-err-401": Reason.AUTH,
    "pi-err-429": Reason.RATE_LIMIT,
    "pi-160-err-500": Reason.OVERLOADED,
    "pi-err-500": Reason.OVERLOADED,
    "pi-err-500-midrun": Reason.OVERLOADED,
    "pi-err-529": Reason.OVERLOADED,
    "pi-disconnect": Reason.TRUNCATED,
    "pi-disconnect-anthropic": Reason.TRUNCATED,
    "pi-160-sigterm": Reason.CRASHED,
    "pi-sigint": Reason.CRASHED,
    "pi-sigkill": Reason.CRASHED,
    "pi-sigterm": Reason.CRASHED,
    "pi-sigterm-tool": Reason.CRASHED,
}
ANSWER = "Unprocessed items are in _content/inbox/"


def replay(name: str, lines: list[bytes] | None = None, stderr: str = "") -> tuple[list[TraceEvent], Ending]:
    """Feed a capture to the parser as the engine would."""
    meta = json.loads((CAPTURES / f"{name}.meta.json").read_bytes())
    events: list[TraceEvent] = []
    task = Task(trial="t", prompt=meta["argv"][-1], workspace=Path("/box"))
    stream = PiStream(task, Narrator(task, events.append), Session("pi", "1", "asked-for", ("read",)))
    stream.stderr = lambda: stderr
    for line in lines if lines is not None else (CAPTURES / f"{name}.jsonl").read_bytes().split(b"\n"):
        stream.feed(line)
    return events, stream.ending(meta["rc"])


@pytest.mark.parametrize("name", STREAMS)
def test_every_capture_ends_as_it_ended(name: str) -> None:
    events, ending = replay(name)
    trace = trace_of(events)
    assert ending.reason is ENDED_BADLY.get(name)
    assert bool(ending.detail) is (ending.reason is not None)
    assert trace.meta.session
    assert [turn.turn_index for turn in trace.turns] == list(range(len(trace.turns)))
    if ending.reason is None:
        assert trace.assistant_turns[-1].text == ANSWER
        assert all(turn.token_ledger.context and turn.cost_usd for turn in trace.assistant_turns)
        assert ending.cost_usd == pytest.approx(sum(turn.cost_usd or 0 for turn in trace.assistant_turns))
        assert ending.cost_basis == "reported"
        calls = [call.id for turn in trace.assistant_turns for call in turn.calls]
        assert sorted(calls) == sorted(turn.tool_use_id for turn in trace.turns if isinstance(turn, ToolResultTurn))


def test_a_run_is_told_turn_by_turn_with_its_tokens() -> None:
    events, _ = replay("pi-160-ok")
    trace = trace_of(events)
    assert [turn.role for turn in trace.turns] == [
        "user", "assistant", "toolResult", "assistant", "toolResult", "assistant",
    ]  # fmt: skip
    first = trace.assistant_turns[0]
    assert (first.model, first.calls[0].name, first.calls[0].arguments) == ("mock-1", "read", {"path": "docs/guide.md"})
    assert (first.token_ledger.input, first.token_ledger.cache_read, first.token_ledger.output) == (1000, 3000, 40)
    assert "".join(event.text for event in events if isinstance(event, TextDelta)).endswith(ANSWER)


def test_only_the_newer_line_shows_its_guidance() -> None:
    shown = trace_of(replay("pi-160-ok")[0]).guidance
    assert [(file.path, file.layer) for file in shown] == [("AGENTS.md", "always")]
    assert shown[0].text.startswith("# AGENTS\nMARK-AGENTS-MD")
    assert trace_of(replay("pi-ok")[0]).guidance == ()


def test_guidance_is_told_apart_by_its_own_tags() -> None:
    section = (
        '<project_context>\n<project_instructions path="/AGENTS.md">\nabove\n</project_instructions>\n\n'
        '<project_instructions path="/box/sub/AGENTS.md">\nsays </project_instructions> itself\n\n'
        "</project_instructions>\n</project_context>"
    )
    files = guidance({"sections": {"project_context": section}}, Path("/box"))
    assert [(file.path, file.text) for file in files] == [
        ("/AGENTS.md", "above"),
        ("sub/AGENTS.md", "says </project_instructions> itself\n"),
    ]


def test_files_that_make_pis_prompt_are_guidance_too(tmp_path: Path) -> None:
    (tmp_path / "sub" / ".pi").mkdir(parents=True)
    (tmp_path / "sub" / ".pi" / "SYSTEM.md").write_text("Be brief.\n")
    (tmp_path / "sub" / ".pi" / "APPEND_SYSTEM.md").write_text("not in the message")
    message = {"sections": {"preamble": "Be brief.\n", "addendum": "<addendum>\nother\n</addendum>"}}
    assert [(file.path, file.text) for file in guidance(message, tmp_path, "sub")] == [
        ("sub/.pi/SYSTEM.md", "Be brief.\n")
    ]


def test_a_skill_named_in_the_prompt_is_told_as_pi_put_it() -> None:
    trace = trace_of(replay("pi-skill")[0])
    told = [turn.content[0].text for turn in trace.turns if isinstance(turn, UserTurn)]
    assert told[0] == "/skill:demo3 abc"
    assert "/box/.pi/skills/demo3/SKILL.md" in told[1]


def test_prices_of_another_model_are_no_cost() -> None:
    events, ending = replay("pi-no-model", stderr=f'Warning: Model "nope" not found. {UNPRICED}.')
    assert (ending.cost_usd, ending.cost_basis) == (None, "")
    assert trace_of(events).assistant_turns[0].cost_usd is None


def test_a_stream_cut_anywhere_never_passes_for_an_answer() -> None:
    whole = (CAPTURES / "pi-160-ok.jsonl").read_bytes()
    told = whole.rindex(b'{"type":"message_end"')
    for cut in range(0, told, 997):
        events, ending = replay("pi-160-ok", whole[:cut].split(b"\n"))
        assert ending.reason is Reason.CRASHED, cut
        assert trace_of(events).meta.prompt


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff\xfe",
        b"[" * 100_000,
        b"[1]",
        b'{"type":"message_end","message":"no"}',
        b'{"type":"message_end","message":{"role":"assistant","content":[{"type":"toolCall"},7],"usage":{"input":-1}}}',
        b'{"type":"message_end","message":{"role":"assistant","usage":{"cost":{"total":1e999}},"stopReason":["x"]}}',
        b'{"type":"tool_execution_end","toolCallId":{},"result":[]}',
    ],
)
def test_odd_lines_raise_nothing(line: bytes) -> None:
    _, ending = replay("pi-ok", [line])
    assert ending.reason is Reason.CRASHED


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("402 Insufficient credits", Reason.BUDGET),
        ('429: {"code":"insufficient_quota"}', Reason.BUDGET),
        ("400 This model's maximum context length is 128000 tokens", Reason.CONTEXT_TOO_LONG),
        ("404 no such model", Reason.MISSING),
        ("Stream ended without finish_reason", Reason.TRUNCATED),
        ("502 Bad Gateway", Reason.OVERLOADED),
        ("400 what is this", Reason.CRASHED),
    ],
)
def test_failures_are_sorted(said: str, reason: Reason) -> None:
    assert failures.failure(said) == (reason, said)


@pytest.mark.parametrize("name", ["pi-073", "pi-160"])
def test_a_session_file_reads_as_a_trace(name: str) -> None:
    path = CAPTURES / f"{name}.session.jsonl"
    assert sessions.recognizes(path.read_bytes()[:300])
    trace = sessions.read(path)
    assert (trace.meta.engine, trace.meta.prompt, trace.meta.workspace) == ("pi", "Where?", "/box")
    assert [turn.role for turn in trace.turns] == ["user", "assistant", "toolResult", "assistant"]
    assert trace.turns[1].started_at.startswith("2026-")
    assert [file.path for file in trace.guidance] == (["AGENTS.md"] if name == "pi-160" else [])
    assert bool(trace.meta.notes) is (name == "pi-073")


def test_a_session_is_told_along_the_branch_last_worked_on(tmp_path: Path) -> None:
    def entry(key: str, parent: str | None, role: str, words: str) -> dict[str, object]:
        message = {"role": role, "content": [{"type": "text", "text": words}], "stopReason": "stop"}
        return {"type": "message", "id": key, "parentId": parent, "message": message}

    lines: list[Mapping[str, object]] = [
        {"type": "session", "version": 3, "id": "s", "cwd": "/box"},
        entry("a", None, "user", "Where?"),
        entry("b", "a", "assistant", "left behind"),
        entry("c", "a", "assistant", "kept"),
        {"type": "compaction", "id": "d", "parentId": "c", "summary": "so far"},
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + '\n{"type":"mess')
    trace = sessions.read(path)
    told = [block.text for turn in trace.turns for block in turn.content if isinstance(block, TextBlock)]
    assert told == ["Where?", "kept", "so far"]


# --- the program


FAKE = """#!/bin/sh
[ "$1" = --version ] && { echo 1.6.0; exit; }
printf '%s\\n' "$@" >argv; env >env; cat >prompt; cp "$PI_CODING_AGENT_DIR"/*.json .
cat "$CAPTURE"
[ -z "$LINGER" ] || sleep 300
"""


@pytest.fixture
def fake(tmp_path: Path) -> PiEngine:
    """An engine whose pi is a script that notes what it is given and plays a capture."""
    program = tmp_path / "bin" / "pi"
    program.parent.mkdir()
    program.write_text(FAKE)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return PiEngine(EngineSettings(program=str(program), stall=20))


def task(tmp_path: Path, capture: str, **more: object) -> Task:
    box = tmp_path / "outer" / "box"
    box.mkdir(parents=True)
    env = {"CAPTURE": str(CAPTURES / f"{capture}.jsonl"), **more.pop("env", {})}  # type: ignore[dict-item]
    given = {"keys": {VARIABLE: "sk-dummy-key"}, "timeout": 30, "base_url": "http://127.0.0.1:1/v1", **more}
    return Task.model_validate({"trial": "t", "prompt": "-p @odd", "workspace": box, "env": env, **given})


def test_pi_is_given_a_place_of_its_own_and_never_the_key(fake: PiEngine, tmp_path: Path) -> None:
    events: list[TraceEvent] = []
    asked = task(tmp_path, "pi-160-ok", model="some/model", env={"SEEN": "by tools"})
    ending = fake.run(asked, events.append)
    box = asked.workspace
    argv = (box / "argv").read_text().split("\n")
    env = dict(line.split("=", 1) for line in (box / "env").read_text().splitlines() if "=" in line)
    assert ending.reason is None, ending.detail
    assert trace_of(events).meta.engine_version == "1.6.0"
    assert (box / "prompt").read_text() == "-p @odd\n"
    assert argv[argv.index("--model") + 1] == "some/model"
    assert {"--approve", "--no-extensions", "--offline", "--no-session"} <= set(argv)
    assert env["SEEN"] == "by tools"
    assert not Path(env["HOME"]).is_relative_to(Path.home())
    assert json.loads((box / "models.json").read_text())["providers"]["openrouter"]["baseUrl"].startswith("http://127.")
    assert not any(b"sk-dummy-key" in path.read_bytes() for path in box.iterdir())
    assert os.listdir(box.parent) == ["box"], "nothing of the run is left"


def test_the_turn_limit_is_counted_here(fake: PiEngine, tmp_path: Path) -> None:
    events: list[TraceEvent] = []
    ending = fake.run(task(tmp_path, "pi-160-ok", max_turns=1, env={"LINGER": "1"}), events.append)
    assert ending.reason is Reason.TURN_LIMIT
    assert len(trace_of(events).assistant_turns) == 1


def test_a_pi_that_falls_silent_is_given_up(fake: PiEngine, tmp_path: Path) -> None:
    ending = fake.run(task(tmp_path, "pi-notool", timeout=1, env={"LINGER": "1"}), lambda _: None)
    assert ending.reason is Reason.TIMED_OUT


def test_guidance_above_the_box_is_hidden_or_refused(
    fake: PiEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = task(tmp_path, "pi-160-ok")
    (asked.workspace.parent / "AGENTS.md").write_text("not the box's")
    monkeypatch.setattr(sandbox, "available", lambda: "")
    ending = fake.run(asked, lambda _: None)
    assert ending.reason is Reason.MISSING
    assert "AGENTS.md" in ending.detail
    assert "bubblewrap" in " ".join(fake.preflight([VARIABLE]).notes)


def test_a_folder_that_leads_out_is_no_place_to_start(fake: PiEngine, tmp_path: Path) -> None:
    asked = task(tmp_path, "pi-160-ok", cwd="out")
    (asked.workspace / "out").symlink_to(tmp_path)
    assert fake.run(asked, lambda _: None).reason is Reason.MISSING


def test_a_login_lends_its_key_when_the_user_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path))
    entries = {
        "openrouter": {"type": "api_key", "key": "sk-stored-for-the-bench"},
        "anthropic": {"type": "oauth", "access": "x"},
    }
    (tmp_path / "auth.json").write_text(json.dumps(entries))
    lent = PiEngine(EngineSettings(login=True)).preflight([]).credential
    assert lent == str(tmp_path / "auth.json")
    assert "sk-stored-for-the-bench" in login_values("pi", EngineSettings(login=True)), "it is kept out of traces"
    assert login_values("pi", EngineSettings()) == ()
    assert PiEngine(EngineSettings()).preflight([]).credential == ""
    assert PiEngine(EngineSettings(login=True, provider="anthropic")).preflight([]).credential == ""


def test_preflight_says_what_is_missing(fake: PiEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fake.preflight([VARIABLE]).ready
    assert "OPENROUTER_API_KEY" in fake.preflight([]).problems[0]
    assert "install" in PiEngine(EngineSettings(program=str(tmp_path / "no"))).preflight([VARIABLE]).problems[0]
    assert "no provider 'x'" in PiEngine(EngineSettings(provider="x")).preflight([]).problems[-1]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert fake.tools("box") == ("read", "bash", "edit", "write", "ls")
    assert fake.tools("dev") == ("read", "ls")


def test_a_node_that_is_too_old_is_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, places = tmp_path / "package", tmp_path / "bin"
    for path, text in {
        package
        / "package.json": '{"version": "1.6.0", "bin": {"pi": "dist/cli.js"}, "engines": {"node": ">=22.19.0"}}',
        package / "dist" / "cli.js": "",
        places / "node": "#!/bin/sh\necho v20.20.2\n",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    (places / "pi").symlink_to(package / "dist" / "cli.js")
    monkeypatch.setenv("PATH", f"{places}{os.pathsep}{os.environ['PATH']}")
    found = PiEngine(EngineSettings()).preflight([VARIABLE])
    assert (found.version, found.program) == ("1.6.0", str(places / "pi"))
    assert "needs Node >=22.19.0" in found.problems[0]
    (places / "node").write_text("#!/bin/sh\necho v24.1.0\n")
    (package / "dist" / "cli.js").write_text("changed")
    assert PiEngine(EngineSettings()).preflight([VARIABLE]).ready


# --- the key


@contextmanager
def provider(status: int = 200, headers: Mapping[str, str] = {}) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A provider that notes the headers it gets and answers in two pieces, the second cut short for status 299."""
    seen: list[dict[str, str]] = []

    class Provider(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            seen.append({name.lower(): value for name, value in self.headers.items()})
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", "10" if status != 299 else "99")
            self.end_headers()
            self.wfile.write(b"01234")
            self.wfile.write(b"56789")

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        server.server_close()


def post(url: str, token: str) -> bytes:
    request = Request(f"{url}/v1/x", data=b"{}", headers={"Authorization": f"Bearer {token}", "X-Other": "kept"})
    with urlopen(request, timeout=10) as answer:
        body: bytes = answer.read()
    return body


def test_the_relay_puts_the_key_where_its_token_was() -> None:
    with provider() as (url, seen), Relay(url, {"Authorization": "Bearer the-key"}, patience=5) as relay:
        assert post(relay.url, relay.token) == b"0123456789"
        with pytest.raises(HTTPError, match="401"):
            post(relay.url, "guessed")
    assert [(each["authorization"], each["x-other"]) for each in seen] == [("Bearer the-key", "kept")]


def test_the_relay_tells_a_cut_answer_and_how_long_to_wait() -> None:
    with provider(299) as (url, _), Relay(url, {}, patience=5) as relay, pytest.raises(Exception, match="ncomplete"):
        post(relay.url, relay.token)
    with provider(429, {"Retry-After": "7"}) as (url, _), Relay(url, {}, patience=5) as relay:
        with pytest.raises(HTTPError, match="429"):
            post(relay.url, relay.token)
        assert relay.retry_after == 7


def test_the_relay_says_so_when_it_leads_nowhere() -> None:
    with Relay("openrouter", {}, patience=5) as relay, pytest.raises(HTTPError, match="502"):
        post(relay.url, relay.token)


def test_the_relay_follows_no_redirect_with_the_key() -> None:
    with (
        provider() as (elsewhere, seen),
        provider(307, {"Location": f"{elsewhere}/v1/x"}) as (url, _),
        Relay(url, {"x-api-key": "the-key"}, patience=5) as relay,
        pytest.raises(HTTPError, match="307"),
    ):
        post(relay.url, relay.token)
    assert seen == []


def test_the_relay_takes_the_key_to_no_host_that_a_path_spells() -> None:
    with provider() as (elsewhere, seen):
        port = elsewhere.rpartition(":")[2]
        with Relay("http://127.0.0.1", {"Authorization": "Bearer the-key"}, patience=5) as relay:
            asked = HTTPConnection(relay.url.removeprefix("http://"), timeout=10)
            asked.putrequest("POST", f":{port}/v1/x", skip_host=True)
            asked.putheader("Authorization", f"Bearer {relay.token}")
            asked.putheader("Content-Length", "2")
            asked.endheaders(b"{}")
            assert asked.getresponse().status == 400
            asked.close()
    assert seen == []


@pytest.mark.parametrize(
    "layout", ["boxes:\n  {box}: {{openrouter: {key}}}", '{{"box": {{"openrouter": {{"key": "{key}"}}}}}}']
)
def test_a_granted_key_is_found_however_it_is_written(layout: str, tmp_path: Path) -> None:
    box, store = tmp_path / "box", tmp_path / "store"
    store.write_text(layout.format(box=box, key="sk-granted"))
    assert credential(store, box, {}, dev_key=False) == {VARIABLE: "sk-granted"}
    with pytest.raises(SecretsError, match="grants other no"):
        credential(store, tmp_path / "other", {}, dev_key=False)


def test_the_placeholder_is_replaced_only_when_asked_to(tmp_path: Path) -> None:
    box, store = tmp_path / "box", tmp_path / "store"
    store.write_text(f"openrouter: {PLACEHOLDER}")
    with pytest.raises(SecretsError, match="--pi-dev-key"):
        credential(store, box, {DEV_VARIABLE: "sk-dev"}, dev_key=False)
    with pytest.raises(SecretsError, match=DEV_VARIABLE):
        credential(store, box, {}, dev_key=True)
    assert credential(store, box, {DEV_VARIABLE: "sk-dev"}, dev_key=True) == {VARIABLE: "sk-dev"}
    (box / "beebox").mkdir(parents=True)
    (box / "beebox" / ".env").write_text(f"# mine\nexport {DEV_VARIABLE}='sk-file'\n")
    assert credential(store, box, {}, dev_key=True) == {VARIABLE: "sk-file"}


def test_a_store_that_cannot_be_read_says_so_without_its_content(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with pytest.raises(SecretsError, match="cannot be read"):
        credential(store, tmp_path, {}, dev_key=False)
    store.write_text("openrouter: [sk-secret")
    with pytest.raises(SecretsError) as caught:
        credential(store, tmp_path, {}, dev_key=False)
    assert "sk-secret" not in str(caught.value)
    assert credential(None, tmp_path, {VARIABLE: "sk-env"}, dev_key=False) == {VARIABLE: "sk-env"}
    assert credential(None, tmp_path, {}, dev_key=False) == {}
