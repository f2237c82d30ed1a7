"""Commands as somebody at a keyboard gives them: in this process, or in one of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from miai.cli import main

SOURCE = Path(__file__).resolve().parent.parent.parent / "src"


class Shell:
    """Runs commands in this process: fast, and without a second Numba."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        self.monkeypatch.setattr(sys, "argv", ["miai", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit:
            main()
        printed = self.capsys.readouterr()
        return int(exit.value.code or 0), printed.out, printed.err


def process(
    *arguments: str, environment: dict[str, str] | None = None, given: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "miai", *arguments],
        env={**os.environ, "PYTHONPATH": str(SOURCE), **(environment or {})},
        input=given,
        capture_output=True,
        timeout=120,
        check=False,
    )
