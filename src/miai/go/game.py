"""A game record: who played, by which rules, every move, and the board at any of them.

    game = Game.read(data)
    game.board_at(50)                        # the position after 50 moves
    for variation in game.variations(): …    # the main line first, then the others

A `Game` is one line of play through an SGF tree: `Game(root)` is the main line and `Game(node)` the
line that passes through that node. Every move is checked when the game is made, by the rules that the
record names; `on_illegal="stop"` ends the game before the first illegal move, as real archives need.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Literal

import numpy as np

from miai.go.board import Board, IllegalMove
from miai.go.coords import (
    BLACK,
    COLOUR_LETTERS,
    EMPTY,
    NO_POINT,
    WHITE,
    CoordinateError,
    Grid,
    Size,
    colour_of,
    grid,
)
from miai.go.rules import JAPANESE, Rules, UnknownRules, rules_named
from miai.go.sgf import Node, SgfError, parse

# A record that names no rules gets the ones that forbid least: simple ko, no suicide.
UNNAMED_RULES = JAPANESE
NO_SETUP = -1
PLAYERS = {"1": "B", "2": "W"}  # PL as some old programs write it


class IllegalRecord(SgfError):
    """A record whose moves or set-up cannot be played."""


@dataclass(frozen=True)
class Move:
    """One move of a record; `number` counts from 1."""

    number: int
    colour: int
    point: int
    node: Node

    @property
    def seconds_left(self) -> float | None:
        """The player's clock after the move (BL or WL)."""
        return _number(self.node, "BL" if self.colour == BLACK else "WL")

    @property
    def stones_left(self) -> int | None:
        """Moves to make in this overtime period (OB or OW)."""
        stones = _number(self.node, "OB" if self.colour == BLACK else "OW")
        return None if stones is None else int(stones)


@dataclass(frozen=True)
class Player:
    name: str = ""
    rank: str = ""
    team: str = ""


class Ending(Enum):
    POINTS = "points"
    RESIGNATION = "resignation"
    TIME = "time"
    FORFEIT = "forfeit"
    WIN = "win"  # how, nobody wrote down
    DRAW = "draw"
    VOID = "void"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Result:
    """What RE says. `winner` is EMPTY when nobody won, or nobody knows."""

    ending: Ending
    winner: int = EMPTY
    margin: float | None = None

    @classmethod
    def parse(cls, text: str) -> Result:
        """From "B+3.5", "W+Resign", "0", "Void" … ; what cannot be read is UNKNOWN."""
        word = text.strip().lower()
        if word in ("0", "draw", "jigo"):
            return cls(Ending.DRAW)
        if word == "void":
            return cls(Ending.VOID)
        winner, plus, how = word.partition("+")
        if not plus or winner not in ("b", "w", "black", "white"):
            return cls(Ending.UNKNOWN)
        colour = colour_of(winner)
        if (margin := _finite(how)) is not None:
            return cls(Ending.POINTS, colour, margin)
        endings = {"r": Ending.RESIGNATION, "t": Ending.TIME, "f": Ending.FORFEIT}
        return cls(endings.get(how.strip()[:1], Ending.WIN), colour)


class Game:
    """One line of play, and what its root says about it."""

    def __init__(
        self, node: Node, *, rules: Rules | None = None, on_illegal: Literal["raise", "stop"] = "raise"
    ) -> None:
        """The line through `node`, by `rules` or else those that the record names.

        With `on_illegal="stop"` the game ends before the first illegal move, and `stopped` says why.
        """
        self.root = node.root
        if (kind := self.root.get_text("GM", "1").strip()) not in ("1", ""):
            raise self.root.error(f"GM[{kind}] is not a game of Go")
        self.size: Size = node.size()
        self.grid: Grid = grid(*self.size)
        self.rules = rules or self._named_rules()
        self.stopped: IllegalRecord | None = None
        self._through = node
        self.points, self.colours, self._at, setups = node.line()
        at = self._at.tolist()
        # A set-up comes before the moves of its node: (moves made by then, node of the line).
        self.setups = [(bisect_left(at, k), k) for k in setups.tolist()]
        self._check(on_illegal)

    @classmethod
    def read(
        cls,
        data: bytes | str,
        index: int = 0,
        *,
        rules: Rules | None = None,
        on_illegal: Literal["raise", "stop"] = "raise",
    ) -> Game:
        """The game number `index` (from 0) of an SGF file, even of one that is broken further on."""
        collection = parse(data)
        games = collection.games
        if 0 <= index < len(games):
            return cls(games[index], rules=rules, on_illegal=on_illegal)
        raise collection.error or SgfError(f"there is no game {index + 1}: the file has {len(games)}")

    # the moves ----------------------------------------------------------------------------------

    def __len__(self) -> int:
        """How many moves, passes included."""
        return len(self.points)

    @cached_property
    def nodes(self) -> list[Node]:
        """The nodes of the line, from the root."""
        return [*self._through.path()[:-1], *self._through.main_line()]

    @cached_property
    def moves(self) -> list[Move]:
        rows = zip(self.colours.tolist(), self.points.tolist(), self._at.tolist(), strict=True)
        return [Move(i, colour, point, self.nodes[k]) for i, (colour, point, k) in enumerate(rows, 1)]

    def __iter__(self) -> Iterator[Move]:
        return iter(self.moves)

    def variations(self, *, on_illegal: Literal["raise", "stop"] = "raise") -> Iterator[Game]:
        """Every line of the tree as a game of its own, in file order: the main line first."""
        for node in self.root.walk():
            if not node.children:
                yield Game(node, rules=self.rules, on_illegal=on_illegal)

    def board_at(self, n: int | None = None) -> Board:
        """The position after `n` moves, or at the end. Set-up stones that follow move `n` are on it."""
        n = len(self) if n is None else n
        if not 0 <= n <= len(self):
            raise IndexError(f"there is no move {n}: the game has {len(self)}")
        board = self._empty_board()
        done = 0
        for moves, k in self.setups:
            if moves > n:
                break
            board.replay(self.points[done:moves], self.colours[done:moves])
            self._set_up(board, k)
            done = moves
        board.replay(self.points[done:n], self.colours[done:n])
        if n < len(self):
            board.to_move = int(self.colours[n])  # the record knows, whatever the colours before it
        return board

    def boards(self) -> Iterator[Board]:
        """The positions after 0, 1, 2 … moves: one board, which changes under your hands."""
        board = self.board_at(0)
        setups = [setup for setup in self.setups if setup[0] > 0]
        yield board
        for n in range(1, len(self) + 1):
            board.play(int(self.points[n - 1]), int(self.colours[n - 1]))
            while setups and setups[0][0] == n:
                self._set_up(board, setups.pop(0)[1])
            if n < len(self):
                board.to_move = int(self.colours[n])
            yield board

    def _empty_board(self) -> Board:
        board = Board(*self.size, rules=self.rules)
        # Without a move or PL to tell: White begins when Black has had a handicap.
        board.to_move = WHITE if self.handicap >= 2 else BLACK
        return board

    def _set_up(self, board: Board, k: int) -> None:
        node = self.nodes[k] if k else self.root
        black, white, empty = (node.points(name, self.grid) for name in ("AB", "AW", "AE"))
        if black or white or empty:
            board.setup(black=black, white=white, empty=empty)
        if "PL" in node:
            try:
                board.to_move = colour_of(PLAYERS.get(text := node.get_text("PL").strip(), text))
            except CoordinateError as error:
                raise node.error(f"PL: {error}") from None

    def _check(self, on_illegal: Literal["raise", "stop"]) -> None:
        """Play the whole record once; raise, or cut it off, at what cannot be played."""
        board = self._empty_board()
        done = 0
        unreadable = np.flatnonzero(self.points == NO_POINT)
        readable = int(unreadable[0]) if unreadable.size else len(self)  # the board takes points only
        for i, (moves, k) in enumerate([*self.setups, (len(self), NO_SETUP)]):
            end = min(moves, readable)
            played = done + board.replay(self.points[done:end], self.colours[done:end])
            error = None
            if played < moves:
                error = self._illegal_move(board, played)
            elif k != NO_SETUP:
                try:
                    self._set_up(board, k)
                except IllegalMove as illegal:
                    reason = f"set-up after move {moves}: {illegal}"
                    error = _record_error(self.nodes[k], reason)
                except SgfError as wrong:
                    error = IllegalRecord(wrong.reason, wrong.line, wrong.column)
            if error is not None:
                if on_illegal == "raise":
                    raise error
                self.stopped = error
                self.points, self.colours = self.points[:played], self.colours[:played]
                self._at = self._at[:played]
                del self.setups[i:]
                return
            done = moves

    def _illegal_move(self, board: Board, i: int) -> IllegalRecord:
        """Why move `i` (from 0) cannot be played on `board`."""
        colour, point, node = int(self.colours[i]), int(self.points[i]), self.nodes[self._at[i]]
        letter = COLOUR_LETTERS[colour]
        if point == NO_POINT:
            what = f"{letter}[{node.get_text(letter)}]: not a point of this {self.grid} board"
        else:
            what = f"{letter} {self.grid.name(point)}: {board.why_illegal(point, colour)}"
        return _record_error(node, f"move {i + 1}, {what}")

    # what the root says -------------------------------------------------------------------------

    def player(self, colour: int) -> Player:
        letter = COLOUR_LETTERS[colour]
        name, rank, team = (self._text(name) for name in (f"P{letter}", f"{letter}R", f"{letter}T"))
        return Player(name, rank, team)

    @property
    def komi(self) -> float | None:
        """None where the record does not say."""
        return _number(self.root, "KM")

    @property
    def handicap(self) -> int:
        """The number that HA gives. The stones themselves are set-up; none are made up."""
        return int(_number(self.root, "HA") or 0)

    @property
    def ruleset(self) -> str:
        """The rules in the record's own words; `rules` is what they were taken to be."""
        return self._text("RU")

    @property
    def result(self) -> Result:
        return Result.parse(self._text("RE"))

    @property
    def event(self) -> str:
        return self._text("EV")

    @property
    def dates(self) -> list[str]:
        """The days of play: "1996-12-27,28" is read as two, both in full."""
        dates: list[str] = []
        for part in filter(None, map(str.strip, self._text("DT").split(","))):
            # A part that leaves out the year, or all but its end, goes on from the one before.
            if dates and re.fullmatch(r"\d\d-\d\d", part):
                dates.append(dates[-1][:5] + part)
            elif dates and re.fullmatch(r"\d\d", part):
                dates.append(dates[-1][:-2] + part)
            else:
                dates.append(part)
        return dates

    def _text(self, name: str) -> str:
        return self.root.get_text(name).strip()

    def _named_rules(self) -> Rules:
        try:
            return rules_named(self.ruleset)
        except UnknownRules:
            return UNNAMED_RULES

    def __repr__(self) -> str:
        black, white = self.player(BLACK).name or "Black", self.player(WHITE).name or "White"
        return f"<Game {black} – {white}, {self.grid}, {len(self)} moves>"


def _record_error(node: Node, reason: str) -> IllegalRecord:
    where = node.error(reason)
    return IllegalRecord(where.reason, where.line, where.column)


def _number(node: Node, name: str) -> float | None:
    return _finite(node.get_text(name))


def _finite(text: str) -> float | None:
    """A number as people write it, "6,5" too; None for anything else."""
    try:
        number = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
