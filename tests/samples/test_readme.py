"""The manual names every key, check, level and term there is, and its example is a corpus without a fault."""

import re
from pathlib import Path

import pytest

from workbench.checks.registry import FINAL_REPLY, bind, definitions
from workbench.corpus import entries, selection
from workbench.corpus.loading import load
from workbench.corpus.records import LEVELS, CorpusSettings
from workbench.desk.project import Settings

README = Path(__file__).parents[2] / "README.md"
WORDS = {
    "audit": entries.KEYS,
    "corpus": tuple(CorpusSettings.model_fields),
    "check": (*definitions(), FINAL_REPLY),
    "level": LEVELS,
    "configuration": tuple(Settings.model_fields),
    "selection": selection.KEYS,
}


@pytest.mark.parametrize("kind", WORDS)
def test_it_names_every(kind: str) -> None:
    text = README.read_text(encoding="utf-8")
    assert [word for word in WORDS[kind] if not re.search(rf"`-?{re.escape(word)}[`:\w>]", text)] == []


def test_its_example_is_a_corpus(tmp_path: Path) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    path = tmp_path / "knowledge.yaml"
    path.write_text(blocks[0], encoding="utf-8")
    corpus = load(path, tmp_path)
    assert [str(problem) for problem in corpus.problems] == []
    assert [section.title for section in corpus.sections] == ["Finding your way"]
    assert [problem for audit in corpus.audits for problem in bind(audit).problems] == []
