"""File arguments: every way a game can be stored, and what each kind of bad input is told."""

from __future__ import annotations

import gzip
import io
import lzma
import sys
import zipfile
from pathlib import Path

import pytest

from miai.files import InputError, Record, read_place, read_record, records, sources

ONE = b"(;SZ[9]GN[one];B[ee];W[cc])"
TWO = b"(;SZ[9]GN[two];B[aa])\n(;SZ[9]GN[three])"


def names(argument: Path) -> list[str]:
    return [record.root.get_text("GN") for record in records(sources(str(argument)))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A game in each kind of file."""
    (tmp_path / "a.sgf").write_bytes(ONE)
    (tmp_path / "b.sgf.gz").write_bytes(gzip.compress(TWO))
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "c.SGF.XZ").write_bytes(lzma.compress(ONE))
    (tmp_path / "notes.txt").write_bytes(b"not a game")
    with zipfile.ZipFile(tmp_path / "e.zip", "w") as archive:
        archive.writestr("z.sgf", ONE)
        archive.writestr("in/a.sgf", TWO)
        archive.writestr("readme.txt", "not a game")
    return tmp_path


@pytest.mark.parametrize(
    ("file", "games"),
    [
        ("a.sgf", ["one"]),
        ("b.sgf.gz", ["two", "three"]),
        ("deep/c.SGF.XZ", ["one"]),
        ("e.zip", ["two", "three", "one"]),
        ("", ["one", "two", "three", "one", "two", "three", "one"]),
    ],
)
def test_games_of(folder: Path, file: str, games: list[str]) -> None:
    assert names(folder / file) == games


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TWO)))
    assert [record.root.get_text("GN") for record in records(sources("-"))] == ["two", "three"]


def test_a_game_is_counted_through_all_files(folder: Path) -> None:
    record = read_record(sources(str(folder)), 3)
    assert (record.name, record.root.get_text("GN")) == (str(folder / "b.sgf.gz"), "three")


def test_a_place(folder: Path) -> None:
    found = sources(str(folder / "a.sgf"))
    end, middle, start = read_place(found), read_place(found, move=1), read_place(found, move=0)
    assert [place.move for place in (end, middle, start)] == [2, 1, 0]
    assert start.last is None
    assert middle.board.grid.names(middle.board.stones(middle.last[0] if middle.last else 0)) == ["E5"]


def test_games_before_a_break_are_read(tmp_path: Path) -> None:
    file = tmp_path / "broken.sgf"
    file.write_bytes(ONE + b"\n(;SZ[9]\n;B[ee")
    assert read_place(sources(str(file)), 1).move == 2
    with pytest.raises(InputError) as caught:
        read_place(sources(str(file)), 2)
    assert caught.value.line == 3


def test_an_illegal_move_matters_only_after_it(tmp_path: Path) -> None:
    file = tmp_path / "illegal.sgf"
    file.write_bytes(b"(;SZ[9];B[aa];W[bb]\n;B[bb])")
    assert read_place(sources(str(file)), move=2).move == 2
    for move in (None, 3):
        with pytest.raises(InputError, match=r"illegal\.sgf:2: move 3, B B8: the point is occupied"):
            read_place(sources(str(file)), move=move)


BAD = [
    ("empty.sgf", b"", ":1: the file is empty"),
    ("blank.sgf", b" \n\n", ":1: the file is empty"),
    ("words.sgf", b"hello", ":1: no game tree"),
    ("open.sgf", b"(;SZ[9]\n;B[aa", ":2: this [ is never closed"),
    ("size.sgf", b"(;SZ[99])", ":1: SZ[99]"),
    ("chess.sgf", b"(;GM[3])", ":1: GM[3] is not a game of Go"),
    ("bytes.sgf", bytes(range(256)), ""),
    ("cut.sgf.xz", lzma.compress(ONE)[:40], ": the file is damaged"),
    ("cut.sgf.gz", gzip.compress(ONE)[:-9], ": the file is damaged"),
    ("text.sgf.gz", ONE, ": the file is damaged"),
    ("text.zip", ONE, ": the file is damaged"),
]


@pytest.mark.parametrize(("name", "data", "complaint"), BAD, ids=[name for name, _, _ in BAD])
def test_bad_files_are_told_where_and_why(tmp_path: Path, name: str, data: bytes, complaint: str) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_place(sources(str(file)))
    assert f"{file}{complaint}" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_bytes(ONE)
    with zipfile.ZipFile(tmp_path / "none.zip", "w") as archive:
        archive.writestr("readme.txt", "not a game")
    (tmp_path / "nothing").mkdir()
    asked = [
        ("b.sgf", 1, None, "b.sgf: there is no such file"),
        ("nothing", 1, None, "no .sgf, .sgf.gz, .sgf.xz, .zip in this folder"),
        ("none.zip", 1, None, "no .sgf in this archive"),
        ("a.sgf", 2, None, "a.sgf: there is no game 2: there is only 1"),
        ("a.sgf", 1, 9, "a.sgf: there is no move 9: game 1 has 2"),
    ]
    for file, game, move, complaint in asked:
        with pytest.raises(InputError) as caught:
            read_place(sources(str(tmp_path / file)), game, move)
        assert complaint in str(caught.value)


def test_a_record_of_another_game_is_bad_input(folder: Path) -> None:
    record = read_record(sources(str(folder / "a.sgf")))
    record.root["SZ"] = "0"
    with pytest.raises(InputError):
        Record("edited", record.root).play()
