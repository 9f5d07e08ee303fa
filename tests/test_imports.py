"""Heavy libraries load only where they are used; each claim is proved in a fresh interpreter."""

import json
import subprocess
import sys

import pytest

HEAVY = (
    "acp",
    "anthropic",
    "genai_prices",
    "git",
    "jinja2",
    "regress",
    "rich",
    "textual",
    "tree_sitter",
    "typer",
    "watchfiles",
)


def loaded_after(code: str) -> set[str]:
    """Which heavy libraries a fresh interpreter holds after running some code."""
    script = f"{code}\nimport json, sys\nprint('\\n' + json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_version_loads_nothing_heavy() -> None:
    code = "import sys; sys.argv = ['workbench', '--version']\nfrom workbench.__main__ import main; main()"
    assert loaded_after(code) == set()


@pytest.mark.parametrize(
    "room", ["desk.desk", "engines.acp", "runs.worker", "insight.level", "records.commit", "corpus.loading"]
)
def test_rooms_below_the_front_ends_load_nothing_heavy(room: str) -> None:
    assert loaded_after(f"import workbench.{room}") == set()


def test_the_command_line_loads_only_what_parses_it() -> None:
    assert loaded_after("import workbench.cli.main") <= {"typer", "rich"}


def test_the_bench_loads_no_model_client() -> None:
    assert "anthropic" not in loaded_after("import workbench.tui.app")


def test_an_interrupt_while_modules_are_read_is_no_traceback() -> None:
    code = """
import sys
class Interrupting:
    def find_spec(self, name, *rest):
        if name == "workbench.cli.inspect":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
sys.argv = ["workbench", "list"]
from workbench.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
