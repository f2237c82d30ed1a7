"""What tests of commands share."""

from __future__ import annotations

import pytest

from cli.shell import Shell


@pytest.fixture
def miai(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)
