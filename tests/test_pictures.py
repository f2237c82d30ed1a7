"""The pictures in docs/pictures are what the program draws today."""

from __future__ import annotations

import runpy
from pathlib import Path


def test_pictures_are_up_to_date(project: Path) -> None:
    drawn = runpy.run_path(str(project / "docs" / "draw.py"))["pictures"]()
    kept = {file.name: file.read_text(encoding="utf-8") for file in (project / "docs/pictures").glob("*.svg")}
    assert kept.keys() == drawn.keys()
    stale = [name for name in drawn if kept[name] != drawn[name]]
    assert not stale, "run `python docs/draw.py`"
