"""`miai show` as somebody at a keyboard meets it; what it prints is compared to the letter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from xml.etree import ElementTree

import pytest

from cli.shell import SOURCE, Shell, process

KO = "(;SZ[4]AB[ba][ab][bc]AW[ca][db][cc]PL[B];B[cb];W[bb])"
KO_SHOWN = """
       A B C D
     4 . X O . 4
     3 X(O). O 3
     2 . X O . 2
     1 . . . . 1
       A B C D

    Move 2: White B3. Black to move. Captures: Black 0, White 1. Ko: C3.
    Black in atari: B4 at A4
    White in atari: B3 at C3
"""


@pytest.fixture
def ko(tmp_path: Path) -> str:
    file = tmp_path / "ko.sgf"
    file.write_text(KO)
    return str(file)


def test_text(miai: Shell, ko: str) -> None:
    code, out, err = miai("show", ko, "--ascii")
    assert (code, out, err) == (0, dedent(KO_SHOWN).lstrip("\n"), "")
    code, out, err = miai("show", ko)
    assert (code, err) == (0, "")
    assert "3 ●(○)· ○ 3" in out


def test_json(miai: Shell, ko: str) -> None:
    code, out, _ = miai("show", ko, "--json")
    shown = json.loads(out)
    assert code == 0
    assert len(shown.pop("hash")) == 16
    assert shown == {
        "size": [4, 4],
        "black": ["B4", "A3", "B2"],
        "white": ["C4", "B3", "D3", "C2"],
        "to_move": "B",
        "captures": {"B": 0, "W": 1},
        "ko": "C3",
        "move": 2,
    }


def test_move_and_game(miai: Shell, project: Path) -> None:
    example = str(project / "examples" / "ladder.sgf")
    _, out, _ = miai("show", example, "--game", "2", "--move", "0", "--json")
    shown = json.loads(out)
    assert (shown["move"], shown["white"], shown["to_move"]) == (0, ["G7", "C3"], "B")


def test_svg_to_a_file(miai: Shell, ko: str, tmp_path: Path) -> None:
    picture = tmp_path / "ko.svg"
    assert miai("show", ko, "--format", "svg", "--out", str(picture)) == (0, "", "")
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (None, "there is no such file"),
        ("", "the file is empty"),
        ("(;SZ[9]\n;B[aa", ":2: this [ is never closed by a ]"),
        (
            "(;SZ[9];B[aa]\n\n;W[aa])",
            ":3: move 2, W A9: the point is occupied; --move 1 is the position before it",
        ),
    ],
)
def test_bad_input_is_one_line(miai: Shell, tmp_path: Path, data: str | None, complaint: str) -> None:
    file = tmp_path / "game.sgf"
    if data is not None:
        file.write_text(data)
    code, out, err = miai("show", str(file))
    assert (code, out) == (2, "")
    assert err.startswith(f"miai: {file}")
    assert err.endswith(complaint + "\n")
    assert err.count("\n") == 1


def test_debug_shows_where(miai: Shell, tmp_path: Path) -> None:
    for arguments in (("--debug", "show", str(tmp_path)), ("show", str(tmp_path), "--debug")):
        code, _, err = miai(*arguments)
        assert code == 2
        assert err.startswith("Traceback")


def test_unwritable_output(miai: Shell, ko: str, tmp_path: Path) -> None:
    code, _, err = miai("show", ko, "--out", str(tmp_path))
    assert code == 2
    assert err.startswith(f"miai: {tmp_path}: cannot be written")


@pytest.mark.parametrize(
    "arguments", [["show"], ["show", "x", "--game", "0"], ["shwo"], ["show", "x", "--format", "png"]]
)
def test_wrong_usage(miai: Shell, arguments: list[str]) -> None:
    code, out, err = miai(*arguments)
    assert (code, out) == (2, "")
    assert "Usage: miai" in err
    assert "Traceback" not in err


def test_version(miai: Shell) -> None:
    from miai import __version__

    assert miai("--version") == (0, f"miai {__version__}\n", "")


# whole processes --------------------------------------------------------------------------------


def test_small_files_are_shown_without_the_compiler_and_alike(ko: str) -> None:
    """`miai show` runs kernels as plain Python when there is little to do: see cli.show.run_uncompiled."""
    done = process("show", ko, "--ascii")
    assert (done.returncode, done.stderr.decode()) == (0, "")
    assert done.stdout.decode() == dedent(KO_SHOWN).lstrip("\n")


def test_standard_input_and_an_encoding_without_stones() -> None:
    done = process("show", "-", given=KO.encode(), environment={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == dedent(KO_SHOWN).lstrip("\n")


def test_a_reader_who_leaves_early(ko: str) -> None:
    command = [sys.executable, "-m", "miai", "show", ko]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 1


def test_warmup_twice_compiles_once() -> None:
    assert process("warmup").returncode == 0
    again = process("warmup")
    assert again.returncode == 0
    assert again.stderr.decode() == "miai: ready, nothing to compile\n"
