"""How every command reads its file argument: games out of files, folders, archives and pipes.

    game.sgf   game.sgf.gz   games.sgf.xz   games.zip   folder/   -

`sources` finds the files behind an argument and `records` the games in them, one after the other;
`read_record` picks one, and `read_place` a position of it. Whatever goes wrong is an InputError,
whose text is the one line that a command prints: file, line and reason.

Nothing heavy is imported before there is a game to read, so that a wrong name fails at once.
"""

from __future__ import annotations

import gzip
import lzma
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from miai.go.board import Board
    from miai.go.game import Game
    from miai.go.sgf import Node

STDIN = "-"
SUFFIXES = (".sgf", ".sgf.gz", ".sgf.xz", ".zip")  # what is looked for in a folder
DAMAGED = (gzip.BadGzipFile, lzma.LZMAError, zipfile.BadZipFile, zlib.error, EOFError)


class InputError(Exception):
    """Input that cannot be used: `name` says which file, `line` where in it (0: not in one line)."""

    def __init__(self, name: str, reason: str, line: int = 0) -> None:
        super().__init__(f"{name}:{line}: {reason}" if line else f"{name}: {reason}")
        self.name, self.reason, self.line = name, reason, line


@dataclass(frozen=True)
class Source:
    """One SGF file, wherever it is kept."""

    name: str
    size: int  # in bytes, as it is stored
    read: Callable[[], bytes]


def sources(argument: str) -> list[Source]:
    """The files behind an argument, in order of their names. Reads standard input, else nothing yet."""
    if argument == STDIN:
        data = sys.stdin.buffer.read()
        return [Source("standard input", len(data), lambda: data)]
    if not argument:  # Path would take it for the folder we are in
        raise InputError("FILE", "the name is empty: name a file or a folder, or - for standard input")
    path = Path(argument)
    try:
        if path.is_dir():
            found = [p for p in sorted(path.rglob("*")) if p.name.lower().endswith(SUFFIXES) and p.is_file()]
            if not found:
                raise InputError(argument, f"no {', '.join(SUFFIXES)} in this folder")
            return [source for file in found for source in sources(str(file))]
        if path.suffix.lower() == ".zip":
            return _members(path)
        return [Source(argument, path.stat().st_size, partial(_read, path))]
    except (OSError, *DAMAGED) as error:
        raise InputError(argument, _reason(error)) from error


def _read(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        match path.suffix.lower():
            case ".gz":
                return gzip.decompress(data)
            case ".xz":
                return lzma.decompress(data)
        return data
    except (OSError, *DAMAGED) as error:
        raise InputError(str(path), _reason(error)) from error


def _members(path: Path) -> list[Source]:
    with zipfile.ZipFile(path) as archive:
        members = [info for info in archive.infolist() if info.filename.lower().endswith(".sgf")]
    if not members:
        raise InputError(str(path), "no .sgf in this archive")
    members.sort(key=lambda info: info.filename)
    return [
        Source(f"{path}/{info.filename}", info.file_size, partial(_read_member, path, info))
        for info in members
    ]


def _read_member(path: Path, member: zipfile.ZipInfo) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read(member)
    except (
        OSError,
        RuntimeError,
        NotImplementedError,
        *DAMAGED,
    ) as error:  # RuntimeError: it wants a password
        raise InputError(f"{path}/{member.filename}", _reason(error)) from error


def _reason(error: BaseException) -> str:
    match error:
        case FileNotFoundError():
            return "there is no such file"
        case PermissionError():
            return "it may not be read"
        case OSError(strerror=str(reason)) if not isinstance(error, gzip.BadGzipFile):
            return reason.lower()
    return f"the file is damaged ({error})" if str(error) else "the file is damaged"


# games ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Record:
    """One game of a file, not yet checked: the root of its tree."""

    name: str  # of the file
    root: Node

    def play(self) -> Game:
        """The game, up to its first illegal move if there is one (`game.stopped` says why)."""
        from miai.go.game import Game
        from miai.go.sgf import SgfError

        try:
            return Game(self.root, on_illegal="stop")
        except SgfError as error:
            raise InputError(self.name, error.reason, error.line) from error


@dataclass(frozen=True)
class Place:
    """A position of a game, as `--game` and `--move` name it."""

    name: str  # of the file
    game: Game
    board: Board
    move: int  # how many moves led to it

    @property
    def last(self) -> tuple[int, int] | None:
        """Colour and point of the move that was just played."""
        i = self.move - 1
        return (int(self.game.colours[i]), int(self.game.points[i])) if i >= 0 else None

    @property
    def node(self) -> Node:
        """The node of the record that the position belongs to."""
        return self.game.moves[self.move - 1].node if self.move else self.game.root


def records(sources: Iterable[Source]) -> Iterator[Record]:
    """Every game, in order. A broken file first gives the games before the break, then its error."""
    from miai.go import sgf

    for source in sources:
        data = source.read()
        if not data.strip():
            raise InputError(source.name, "the file is empty", line=1)
        try:
            collection = sgf.parse(data)
        except sgf.SgfError as error:
            raise InputError(source.name, error.reason, error.line) from error
        for root in collection.games:
            yield Record(source.name, root)
        if (broken := collection.error) is not None:
            raise InputError(source.name, broken.reason, broken.line) from broken


def read_record(sources: Sequence[Source], number: int = 1) -> Record:
    """Game `number`, counted from 1 through all sources; games after it are not looked at."""
    count = 0
    for count, record in enumerate(records(sources), start=1):
        if count == number:
            return record
    where = sources[0].name if len(sources) == 1 else f"{sources[0].name} … {sources[-1].name}"
    raise InputError(where, f"there is no game {number}: there {'is' if count == 1 else 'are'} only {count}")


def read_place(sources: Sequence[Source], number: int = 1, move: int | None = None) -> Place:
    """The position after `move` moves of game `number`, by default at its end.

    An illegal move in the record matters only to positions after it.
    """
    record = read_record(sources, number)
    game = record.play()
    played = len(game)
    if game.stopped is not None and (move is None or move > played):
        reason = f"{game.stopped.reason}; --move {played} is the position before it"
        raise InputError(record.name, reason, game.stopped.line) from game.stopped
    if move is None:
        move = played
    if move > played:
        raise InputError(record.name, f"there is no move {move}: game {number} has {played}")
    return Place(record.name, game, game.board_at(move), move)
