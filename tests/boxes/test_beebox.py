import json
import os
import sys
from pathlib import Path

import pytest

from tests.boxes.conftest import MakeTemplate, commit, write
from workbench.boxes.beebox import Prepared, Unprepared, prepare
from workbench.boxes.snapshot import take
from workbench.boxes.workspace import Workspace
from workbench.corpus.records import Audit, CorpusSettings
from workbench.host.git import Git
from workbench.traces.reasons import Reason

_BBX = """#!{python}
import json, os, pathlib, subprocess, sys
args, root = sys.argv[1:], pathlib.Path.cwd()
with open({log!r}, "a") as log:
    print(json.dumps([args, sorted(os.environ), (root / "node_modules/beebox/package.json").exists()]), file=log)
active = json.loads((root / "_config/box.json").read_text()).get("plugins", [])
if args == ["plugins", "list", "--json"]:
    stub = root / "src/schemas/course.ts"
    stubs = [{{"kind": "schema", "name": "course", "path": "src/schemas/course.ts", "present": stub.exists()}},
             {{"kind": "view", "name": "map", "path": "src/views/map.tsx", "present": False}}]
    print("a warning")
    print(json.dumps({{"plugins": [{{"name": "courseware", "active": "courseware" in active, "stubs": stubs}}]}}))
elif args == ["docs", "refresh"]:
    if subprocess.run(["git", "status", "--porcelain"], capture_output=True).stdout:
        sys.exit("not clean")
    if (root / ".beebox/docs-generated-at").exists():
        sys.exit(0)
    (root / "AGENTS.md").write_text("plugins: " + ", ".join(active))
    (root / ".claude").mkdir(exist_ok=True)
    (root / ".claude/memory").symlink_to({home!r})
    subprocess.run(["git", "commit", "-qam", "Refresh"], check=True)
    (root / ".git/hooks").mkdir()
    (root / ".git/hooks/pre-commit").write_text("#!/bin/sh\\nexit 1\\n")
    (root / ".git/hooks/pre-commit").chmod(0o755)
elif args == ["chat-prompt"] and {chat!r}:
    print({chat!r})
else:
    sys.exit("error: unknown command")
"""


class Installed:
    """A `bbx` on PATH that keeps to the commands of the real one, with a package around it."""

    def __init__(self, place: Path, chat: str = "") -> None:
        self.package = place / "node_modules" / "beebox"
        self.log = place / "log"
        write(self.package, {"package.json": "{}", "box-docs/card-doc.md": "Fresh docs.\n"})
        script = _BBX.format(python=sys.executable, log=str(self.log), home=str(place), chat=chat)
        write(self.package, {"bin/bbx": script})
        (self.package / "bin" / "bbx").chmod(0o755)
        (place / "bin").mkdir()
        (place / "bin" / "bbx").symlink_to(self.package / "bin" / "bbx")

    def calls(self) -> list[tuple[list[str], list[str], bool]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@pytest.fixture
def bee(box: Path) -> Path:
    """The small box as a Bee Box."""
    settings = {"timezone": "Europe/Oslo", "plugins": ["jev"], "name": "Bjørk"}
    files = {"_config/box.json": json.dumps(settings, ensure_ascii=False), ".gitignore": "node_modules/\n.beebox/\n"}
    commit(box, "Make it a Bee Box", files)
    write(box, {".beebox/docs-generated-at": "today", ".beebox/agent-guide.md": "The guide.\n"})
    return box


@pytest.fixture
def bbx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    installed = Installed(tmp_path / "installed")
    monkeypatch.setenv("PATH", f"{tmp_path / 'installed' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return installed


def audit(**fields: object) -> Audit:
    return Audit.model_validate({"id": "a", "prompt": "Where?", **fields})


def refused(workspace: Workspace, question: Audit, settings: CorpusSettings | None = None) -> str:
    with pytest.raises(Unprepared) as caught:
        prepare(workspace, question, settings or CorpusSettings())
    assert caught.value.reason is Reason.MISSING
    return caught.value.detail


def test_any_box_is_staged_and_gets_only_the_variables_its_corpus_names(
    box: Path, template_of: MakeTemplate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORCHARD_TOKEN", "secret")
    monkeypatch.setenv("OTHER", "x")
    workspace = template_of(box).copy("t")
    question = audit(fixture={"scratch/AGENTS.md": "Here.\n"}, context_dir="scratch")
    prepared = prepare(workspace, question, CorpusSettings(env=("ORCHARD_TOKEN", "UNSET_NAME")))
    assert prepared == Prepared("", {"ORCHARD_TOKEN": "secret"})
    assert (workspace.root / "scratch" / "AGENTS.md").read_text() == "Here.\n"
    assert Git(workspace.root).run("status", "--porcelain") == ""
    assert workspace.changes() == ()


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"context_dir": "gone"}, "no folder of the box"),
        ({"context_dir": "AGENTS.md"}, "no folder of the box"),
        ({"context_dir": "../x"}, "must not contain '..'"),
        ({"context_dir": "/etc"}, "must be a relative path"),
        ({"fixture": {"../x": ""}}, "fixture refused"),
        ({"plugins": ["courseware"]}, "need a Bee Box"),
        ({"chat_mode": True}, "name a file with chat_prompt:"),
    ],
)
def test_what_is_missing_makes_the_trial_unmeasured(workspace: Workspace, fields: dict[str, object], says: str) -> None:
    assert says in refused(workspace, audit(**fields))


def test_a_bee_box_comes_with_its_ignored_guidance_and_package_docs(
    bee: Path, tmp_path: Path, template_of: MakeTemplate
) -> None:
    write(tmp_path, {"engine/box-docs/card-doc.md": "Cards.\n", "engine/src/x.ts": "code"})
    (bee / "node_modules").mkdir()
    (bee / "node_modules" / "beebox").symlink_to(tmp_path / "engine")
    write(bee, {".claude/memory/MEMORY.md": "The answer is row three."})
    workspace = template_of(bee).copy("t")
    question = audit(checks={"should_read": ["node_modules/beebox/box-docs/card-doc.md"]})
    prepared = prepare(workspace, question, CorpusSettings())
    assert prepared.env == {"BBX_NOTIFY_FAKE": "1"}
    docs = workspace.root / "node_modules" / "beebox" / "box-docs" / "card-doc.md"
    assert (docs.read_text(), docs.resolve()) == ("Cards.\n", docs)
    assert (workspace.root / ".beebox" / "agent-guide.md").exists()
    assert not (workspace.root / "node_modules" / "beebox" / "src").exists()
    assert not (workspace.root / ".claude").exists()
    assert Git(workspace.root).run("status", "--porcelain") == ""


def test_package_docs_come_from_an_installed_bbx_or_are_missed(
    bee: Path, template_of: MakeTemplate, request: pytest.FixtureRequest
) -> None:
    question = audit(checks={"should_read_any": ["node_modules/beebox/box-docs/card-doc.md"]})
    assert "neither the box nor a bbx" in refused(template_of(bee).copy("t"), question)
    request.getfixturevalue("bbx")
    workspace = template_of(bee).copy("t")
    prepare(workspace, question, CorpusSettings())
    assert (workspace.root / "node_modules/beebox/box-docs/card-doc.md").read_text() == "Fresh docs.\n"
    assert workspace.changes() == ()


def test_plugins_are_activated_docs_regenerated_and_the_fixture_laid_over(
    bee: Path, bbx: Installed, template_of: MakeTemplate, tmp_path: Path
) -> None:
    workspace = template_of(bee, include_ignored=[".beebox/"]).copy("t")
    question = audit(plugins=["courseware"], fixture={"docs/trees.md": "From the fixture.\n"})
    prepared = prepare(workspace, question, CorpusSettings())
    root = workspace.root
    settings = json.loads((root / "_config" / "box.json").read_text())
    assert settings == {"timezone": "Europe/Oslo", "plugins": ["jev", "courseware"], "name": "Bjørk"}
    stub = (root / "src" / "schemas" / "course.ts").read_text()
    assert 'from "beebox/plugins/courseware"' in stub
    assert 'cardSchema("course"' in stub
    assert not (root / "src" / "views").exists()
    assert (root / "AGENTS.md").read_text() == "plugins: jev, courseware"
    assert (root / "docs" / "trees.md").read_text() == "From the fixture.\n"
    assert not (root / ".claude" / "memory").is_symlink()
    assert prepared.env["PATH"].startswith(str(tmp_path / "installed" / "bin"))
    commands, environments, packages = zip(*bbx.calls(), strict=True)
    assert commands == (["plugins", "list", "--json"], ["engine", "docs", "refresh"], ["docs", "refresh"])
    for names in environments:  # Python itself adds LC_CTYPE
        assert set(names) - {"LC_CTYPE"} == {"BBX_NOTIFY_FAKE", "HOME", "LANG", "PATH"}
    assert all(packages)
    assert not (root / "node_modules" / "beebox" / "package.json").exists()
    assert not (root / "node_modules" / "beebox").is_symlink()
    git = Git(root)
    assert git.run("log", "--format=%s") == "Snapshot"
    assert git.run("status", "--porcelain") == ""
    assert workspace.changes() == ()
    assert not (root / ".git" / "hooks").exists()
    assert json.loads((bee / "_config" / "box.json").read_text())["plugins"] == ["jev"]
    assert (bbx.package / "package.json").exists()


def test_a_plugin_nobody_installed_is_told_with_what_there_is(
    bee: Path, bbx: Installed, template_of: MakeTemplate
) -> None:
    assert "'gardening' is not installed; this bbx has: courseware" in refused(
        template_of(bee).copy("t"), audit(plugins=["gardening"])
    )
    write(bee, {"_config/box.json": '{"plugins": "courseware"}'})
    assert "whose `plugins` is a list" in refused(template_of(take(bee)).copy("t"), audit(plugins=["courseware"]))


def test_plugins_without_bbx_are_missing(bee: Path, template_of: MakeTemplate) -> None:
    assert "bbx is not on PATH" in refused(template_of(bee).copy("t"), audit(plugins=["courseware"]))


def test_chat_mode_takes_its_prompt_from_a_file_and_adds_the_overlay_when_narrated(workspace: Workspace) -> None:
    settings = CorpusSettings(chat_prompt="chat.md", narration_overlay="overlay.md")
    fixture = {"chat.md": "You chat.\n", "overlay.md": "No speech.\n"}
    plain = prepare(workspace, audit(chat_mode=True, fixture=fixture), settings)
    assert plain.system_prompt == f"You chat.\n\nWorking directory: {workspace.root}"
    told = audit(chat_mode=True, fixture=fixture, prompt='<chat-app narration="on"/> Hi')
    assert prepare(workspace, told, settings).system_prompt.startswith("You chat.\n\nNo speech.\n\nWorking")
    assert "no narration_overlay: file" in refused(workspace, told, CorpusSettings(chat_prompt="chat.md"))
    assert "'gone.md' cannot be read" in refused(workspace, told, CorpusSettings(chat_prompt="gone.md"))
    assert "must not contain '..'" in refused(workspace, told, CorpusSettings(chat_prompt="../gone.md"))


def test_chat_mode_of_a_bee_box_asks_bbx(
    bee: Path, template_of: MakeTemplate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Installed(tmp_path / "silent")
    Installed(tmp_path / "talking", chat="You chat in a box.")
    workspace = template_of(bee).copy("t")
    monkeypatch.setenv("PATH", f"{tmp_path / 'silent' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert "does not print its chat prompt (error: unknown command)" in refused(workspace, audit(chat_mode=True))
    monkeypatch.setenv("PATH", f"{tmp_path / 'talking' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    prepared = prepare(workspace, audit(chat_mode=True), CorpusSettings())
    assert prepared.system_prompt.startswith("You chat in a box.\n")
