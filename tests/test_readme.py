"""Every block of the README and the guides does what it says.

```pycon      a session of Python, checked as a doctest; the blocks of a file share their names
```console    `$ miai …` and what it prints, standard output and standard error together; … in there
              stands for any part of a line
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

PROJECT = Path(__file__).resolve().parent.parent
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]
COMPILING = "miai: compiling for this machine, once; this takes a moment …\n"  # when the cache is cold
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Command(NamedTuple):
    """A command of a console block and its output."""

    page: str
    line: str
    output: str


def blocks(page: Path, language: str) -> list[str]:
    return [body for name, body in BLOCK.findall(page.read_text(encoding="utf-8")) if name == language]


def commands() -> list[Command]:
    found = []
    for page in PAGES:
        for block in blocks(page, "console"):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                line, _, output = part.partition("\n")
                found.append(Command(page.name, line, output))
    return found


@pytest.mark.parametrize("command", commands(), ids=lambda command: command.line)
def test_commands(command: Command) -> None:
    program, *arguments = shlex.split(command.line)
    assert program == "miai", "only our own commands can be checked"
    done = subprocess.run(
        [sys.executable, "-m", "miai", *arguments],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT / "src"), "PYTHONIOENCODING": "utf-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        check=False,
    )
    printed = done.stdout.decode().removeprefix(COMPILING)
    if not re.fullmatch(re.escape(command.output).replace("…", ".*"), printed):
        assert printed == command.output


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    session = "\n".join(blocks(page, "pycon"))
    test = doctest.DocTestParser().get_doctest(session, {}, page.name, str(page), 0)
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert not report, "".join(report)


def test_every_block_is_checked() -> None:
    """No block in a language that nothing here runs."""
    for page in PAGES:
        languages = {name for name, _ in BLOCK.findall(page.read_text(encoding="utf-8"))}
        assert languages <= {"pycon", "console"}, page.name


def test_every_picture_and_page_is_there() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"
