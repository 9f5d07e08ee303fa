"""Paths that a guidance text names."""

from tests.guidance.conftest import Plant
from workbench.guidance.references import find
from workbench.guidance.tree import Tree

TEXT = """\
Read [the guide](guide.md#start "Guide") and [the web](https://example.org/a.md), not [here](#top).
Cards are in `docs/cards/`, see also `cat docs/cards/one.card` and @AGENTS.md.
Use and/or ask; configuration in conf/app.toml, code in src/main, nothing in lost/and/found.
Missing: `docs/gone.md`, ./near.md, ../../secret.md, /etc/passwd.md, ~/.profile.
All of docs/**/*.card count. The guide again: docs/guide.md ![a picture](cards/one.svg)
"""


def test_paths_are_found_where_they_are_and_kept_inside(plant: Plant) -> None:
    root = plant(
        {
            "AGENTS.md": "",
            "docs/index.md": TEXT,
            "docs/guide.md": "",
            "docs/cards/one.card": "",
            "conf/app.toml": "",
            "src/main/x.py": "",
        }
    )
    found = [(r.path, r.line, r.exists) for r in find(TEXT, "docs/index.md", Tree(root), str(root))]
    assert found == [
        ("docs/guide.md", 1, True),
        ("docs/cards", 2, True),
        ("docs/cards/one.card", 2, True),
        ("AGENTS.md", 2, True),
        ("conf/app.toml", 3, True),
        ("src/main", 3, True),
        ("docs/gone.md", 4, False),
        ("docs/near.md", 4, False),
        ("etc/passwd.md", 4, False),
        ("docs/**/*.card", 5, True),
    ]
