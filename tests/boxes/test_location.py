from pathlib import Path

import pytest

from workbench.boxes.location import BoxError, resolve


def test_every_form_of_a_name_leads_to_the_same_real_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    box = tmp_path / "boxes" / "orchard"
    box.mkdir(parents=True)
    (tmp_path / "short").symlink_to(box)
    monkeypatch.setenv("HOME", str(tmp_path))
    base = tmp_path / "project"
    base.mkdir()
    for named in ("~/boxes/orchard", str(box), "../boxes/orchard", "../short", "../boxes/orchard/"):
        assert resolve(named, base) == box.resolve()


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ("orchard", "/project/orchard, which does not exist; give its folder as"),
        ("../gone", "/gone, which does not exist"),
        ("notes.md", "/project/notes.md, a file; name the folder"),
        ("notes.md/x", "cannot be opened: Not a directory"),
        ("circle", "cannot be opened"),
        ("  ", "no usable name"),
        ("a\0b", "no usable name"),
        ("~nobody-of-this-name/x", "give its folder as"),
    ],
)
def test_what_is_no_folder_is_told_with_the_place_it_resolved_to(tmp_path: Path, named: str, says: str) -> None:
    base = tmp_path / "project"
    base.mkdir()
    (base / "notes.md").write_text("hello")
    (base / "circle").symlink_to("circle")
    with pytest.raises(BoxError) as caught:
        resolve(named, base)
    assert says.replace("cannot be opened", "") in str(caught.value).replace("cannot be opened", "")
