"""Who is asked, how it is reached and what it is given: the user's to say, the project's only in part."""

import json
import os
from pathlib import Path

import pytest

from tests.projects import make_project
from workbench.desk.conditions import engine_of_box
from workbench.desk.desk import Desk
from workbench.desk.engines import Engines
from workbench.desk.records import AskRequest, DeskError
from workbench.engines.protocol import EngineSettings
from workbench.engines.registry import get

AUDIT = """\
  - {{id: {id}, prompt: "?", expected_level: knows_about, watch_for: x{more}}}
"""


@pytest.fixture(autouse=True)
def _engines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "runs" / "engines"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def engines(tmp_path: Path, text: str, **environment: str) -> Engines:
    """The engines of a user whose settings say that."""
    path = tmp_path / "engines.toml"
    path.write_text(text, encoding="utf-8")
    return Engines(path, environment)


def test_the_users_settings_say_how_an_engine_is_reached(tmp_path: Path) -> None:
    mine = engines(
        tmp_path,
        '[claude]\nlogin = true\n[acp]\ncommand = ["agent", "--acp"]\n',
        ANTHROPIC_BASE_URL="http://127.0.0.1:9",
    )
    assert mine.settings("claude") == EngineSettings(login=True, base_url="http://127.0.0.1:9")
    assert mine.settings("claude+reader") == EngineSettings(login=True)
    assert mine.settings("acp").command == ("agent", "--acp")
    assert mine.settings("acp", ["other"]).command == ("other",)
    assert Engines(tmp_path / "none.toml", {}).settings("claude") == EngineSettings()
    with pytest.raises(DeskError, match="--command names an ACP agent, and claude is none"):
        mine.settings("claude", ["x"])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[claud]\nlogin = true\n", r"\[claud\] is no table of an engine; did you mean `claude`"),
        ("[claude]\nlogn = true\n", r"\[claude\] logn: no such key; did you mean `login`"),
        ("[claude]\nstall = -1\n", r"\[claude\] stall: Input should be greater than 0; correct it there"),
        ("[claude\n", "cannot be read as TOML"),
    ],
)
def test_a_mistake_in_them_is_told_with_file_key_and_fix(tmp_path: Path, text: str, told: str) -> None:
    mine = engines(tmp_path, text)
    with pytest.raises(DeskError, match=f"engines.toml: {told}"):
        mine.settings("claude")
    assert mine.settings("reader") == EngineSettings()
    with pytest.raises(DeskError, match=r"engines\.toml"):
        mine.readiness()


def test_a_credential_is_the_first_variable_that_is_set_and_never_one_for_a_free_engine(tmp_path: Path) -> None:
    mine = engines(tmp_path, "", PAYING_TOKEN="t", MINE="m", PAYING_KEY=" ")
    paying = get("paying")
    assert mine.keys(paying, EngineSettings()) == {"PAYING_TOKEN": "t"}
    assert mine.keys(paying, EngineSettings(keys=("MINE",))) == {"MINE": "m"}
    assert mine.keys(get("scripted"), EngineSettings(keys=("MINE",))) == {}
    with pytest.raises(DeskError, match="--pi-dev-key is for pi"):
        mine.keys(paying, EngineSettings(), pi_dev_key=True)
    told = mine.readiness(["reader", "paying"])
    assert [one.ready for one in told] == [True, True]
    assert told[1].credential == "PAYING_TOKEN"
    with pytest.raises(DeskError, match="no engine named 'nobody'"):
        mine.readiness(["nobody"])


def test_an_engine_that_is_not_ready_is_not_asked(tmp_path: Path) -> None:
    desk = Desk.open(make_project(tmp_path / "shed"))
    with pytest.raises(DeskError, match="paying is not ready: no key: set PAYING_KEY; `workbench doctor`"):
        desk.offer(AskRequest(("ladder-place",), engine="paying"))


def test_precedence_flag_audit_corpus_box_configuration_reader(tmp_path: Path) -> None:
    box = {"engine": "codex"}
    files = {
        "workbench.toml": 'engine = "pi"\nmodel = "small"\n',
        "audits/knowledge.yaml": "box: ..\nengine: acp\nmodel: large\ntests:\n"
        + AUDIT.format(id="own", more=", engine: claude")
        + AUDIT.format(id="corpus", more=""),
        "audits/boxed.yaml": "box: ../box\ntests:\n" + AUDIT.format(id="boxed", more=""),
        "audits/plain.yaml": "tests:\n" + AUDIT.format(id="plain", more=""),
        "box/_config/box.json": json.dumps(box),
    }
    root = make_project(tmp_path / "shed", files)
    desk = Desk.open(root)
    asked = {name: desk.engine(AskRequest((name,))) for name in ("own", "corpus", "boxed", "plain")}
    assert asked == {"own": "claude", "corpus": "acp", "boxed": "codex", "plain": "pi"}
    assert desk.engine(AskRequest(("own", "plain"), engine="reader")) == "reader"
    assert desk.engine(AskRequest(("own",), rehearse=True)) == "claude+reader"
    with pytest.raises(DeskError, match=r"several engines \(claude for 1 audit, pi for 1 audit\); ask them apart"):
        desk.engine(AskRequest(("own", "plain")))
    with pytest.raises(DeskError, match="no program to rehearse"):
        desk.engine(AskRequest(("plain",), engine="reader", rehearse=True))

    conditions = desk._asker._conditions
    audits = {audit.id: audit for audit in desk.select(())}
    told = {name: conditions.question(audits[name], "", engine).settings.model for name, engine in asked.items()}
    assert told == {"own": "", "corpus": "large", "boxed": "", "plain": "small"}
    assert conditions.question(audits["corpus"], "", "reader").settings.model == ""
    assert conditions.question(audits["own"], "", "acp").settings.model == "large"

    (root / "box/_config/box.json").write_text('{"engine": "codex+reader"}', encoding="utf-8")
    assert desk.engine(AskRequest(("boxed",))) == "codex+reader"
    (root / "box/_config/box.json").write_text('{"agent": {"engine": "gpt"}}', encoding="utf-8")
    with pytest.raises(DeskError, match=r"box\.json: engine 'gpt' is none; known are reader, claude"):
        desk.engine(AskRequest(("boxed",)))


@pytest.mark.parametrize("text", ["", "[]", "{", '{"engine": 3}', '{"agent": "codex"}', "null"])
def test_what_cannot_be_read_of_a_box_says_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "_config").mkdir()
    (tmp_path / "_config" / "box.json").write_text(text, encoding="utf-8")
    assert engine_of_box(tmp_path) == ""


def test_a_box_can_neither_hold_us_up_nor_flood_us_with_its_settings(tmp_path: Path) -> None:
    (tmp_path / "_config").mkdir()
    settings = tmp_path / "_config" / "box.json"
    for planted in (
        os.mkfifo,
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.write_text(f'{{"engine": "{"x" * 10_000_000}"}}'),
    ):
        planted(settings)
        assert engine_of_box(tmp_path) == ""
        settings.unlink()


def test_no_corpus_can_hand_the_credential_to_the_tools(tmp_path: Path) -> None:
    corpus = "env: [PAYING_KEY]\ntests:\n" + AUDIT.format(id="thief", more="")
    desk = Desk.open(make_project(tmp_path / "shed", {"audits/thief.yaml": corpus}))
    with pytest.raises(DeskError, match="env names PAYING_KEY, the credential of paying, which no tool"):
        desk.ask(AskRequest(("thief",), engine="paying"))


def test_developer_audits_are_asked_in_the_checkout_and_left_out_where_a_box_is_named(tmp_path: Path) -> None:
    corpus = "box: ../box\ntests:\n" + "".join(
        AUDIT.format(id=name, more=f", surface: {surface}") for name, surface in (("b", "box"), ("d", "dev"))
    )
    root = make_project(tmp_path / "shed", {"audits/both.yaml": corpus, "box/AGENTS.md": "# Box\n"})
    desk = Desk.open(root)
    plan = desk._asker._plan
    assert {job.trial.audit_id: job.question.box for job in plan(AskRequest(("b", "d"))).jobs} == {
        "b": root / "box",
        "d": root,
    }
    boxed = plan(AskRequest(("b", "d"), box=str(root / "box"), surface="box"))
    assert ([job.trial.audit_id for job in boxed.jobs], boxed.left_out) == (["b"], 1)
    assert [job.trial.audit_id for job in plan(AskRequest(("b", "d"), surface="dev")).jobs] == ["d"]
    assert root / "scratch" in boxed.hidden
    assert (root / ".git").is_dir()
    assert root / ".git" in boxed.hidden  # all that was ever committed, the answers included
    with pytest.raises(DeskError, match=r"all selected \(1 audit\) are asked with --dev"):
        plan(AskRequest(("d",), box=str(root / "box"), surface="box"))
