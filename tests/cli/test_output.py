"""What commands print and write, apart from any command."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from miai.cli.output import check_writable, progress
from miai.files import InputError


@pytest.mark.parametrize("total", [1, 2])
def test_what_is_printed_beside_a_bar_stays_on_standard_output(
    total: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`miai solve problems/ > answers.txt`: the bar on the screen, the answers in the file."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress(total, "solving") as advance:
        print("an answer")
        advance(1)
    printed = capsys.readouterr()
    assert printed.out == "an answer\n"
    assert ("solving" in printed.err) == (total > 1)


def test_files_are_checked_before_the_work(tmp_path: Path) -> None:
    check_writable(None, tmp_path / "new.svg")
    with pytest.raises(InputError, match="is a directory"):
        check_writable(tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        check_writable(None, tmp_path / "no" / "new.svg")
