"""What a command cannot use: one sentence on standard error, exit code 2, nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.shell import Shell

COMMANDS = [("show",), ("solve", "--memory", "32"), ("endgame",), ("predict",)]  # those that read a game

FILES = {
    "empty.sgf": b"",
    "blank.sgf": b"  \n",
    "words.sgf": b"no game at all",
    "bytes.sgf": bytes(range(256)),
    "open.sgf": b"(;SZ[9];B[aa]",
    "othello.sgf": b"(;GM[2]SZ[8]AB[dd]AW[ee])",
    "size.sgf": b"(;SZ[99]AB[aa])",
    "letters.sgf": b"(;SZ[nine]AB[aa])",
    "colour.sgf": b"(;SZ[9]AB[aa]PL[green])",
    "breathless.sgf": b"(;SZ[9]AB[ab][ba]AW[aa])",
    "damaged.zip": b"PK",
    "damaged.sgf.gz": b"gz",
    "damaged.sgf.xz": b"xz",
}


def complaint(miai: Shell, *arguments: object) -> str:
    """What a command that cannot work says."""
    code, out, err = miai(*arguments)
    assert (code, out) == (2, ""), err
    assert err.startswith("miai: ") and err.count("\n") == 1, err
    return err.removeprefix("miai: ").strip()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_files(miai: Shell, tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "folder").mkdir()
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    for name in ("absent.sgf", "folder", *FILES):
        assert complaint(miai, *command, tmp_path / name).startswith(str(tmp_path / name))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_an_empty_name_is_not_the_folder_we_are_in(
    miai: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    (tmp_path / "game.sgf").write_text("(;SZ[9])")
    monkeypatch.chdir(tmp_path)
    assert "the name is empty" in complaint(miai, *command, "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "ladder", "--move", "99"], "there is no move 99"),
        (["show", "ladder", "--game", "9"], "there is no game 9"),
        (["show", "ladder", "--json", "--format", "svg"], "cannot be combined"),
        (["show", "ladder", "--out", "no/such/board.svg"], "there is no folder"),
        (["solve", "corner", "--target", "Z1"], "Z1 is off this 9×9 board"),
        (["solve", "corner", "--target", "here"], "write a column letter and a row, like C3"),
        (["solve", "corner", "--target", ""], "write a column letter and a row, like C3"),
        (["solve", "corner", "--region", "A1:"], "write a column letter and a row, like C3"),
        (["solve", "corner", "--resume", "no/such/results.jsonl"], "there is no folder"),
        (["endgame", "endgame", "--region", "Z1"], "--region: Z1 is off this 9×9 board"),
        (["endgame", "ladder", "--move", "0", "--game", "1", "--region", "A1:J9"], "covers the whole board"),
        (["endgame", "endgame", "--net", ""], "the name of the network is empty"),
        (["predict", "ladder", "--net", ""], "the name of the network is empty"),
        (["predict", "ladder", "--svg", "no/such/board.svg"], "there is no folder"),
        (["nets", "show", "no-such-network"], "no network has this name"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_options(miai: Shell, project: Path, arguments: list[str], words: str) -> None:
    command, file, *rest = arguments
    if command != "nets":
        file = str(project / "examples" / f"{file}.sgf")
    assert words in complaint(miai, command, file, *rest)


def test_boards_without_an_endgame_say_what_to_do(miai: Shell, tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text("(;SZ[9];B[ee])")
    assert "name a --region" in complaint(miai, "endgame", file)
    assert complaint(miai, "endgame", tmp_path).startswith(str(file)), "a folder: the file in it is named"
    file.write_text("(;SZ[3];B[bb])")
    assert "--region needs no network" in complaint(miai, "endgame", file)


def test_a_file_of_something_else_is_not_taken_for_results(
    miai: Shell, project: Path, tmp_path: Path
) -> None:
    precious = tmp_path / "game.sgf"
    precious.write_text("(;SZ[9];B[ee])")  # no line break at its end
    said = complaint(miai, "solve", project / "examples" / "corner.sgf", "--resume", precious)
    assert "name another file" in said
    assert precious.read_text() == "(;SZ[9];B[ee])"
