"""Many games as flat arrays, so that a few hundred thousand of them fit in memory and kernels can walk them.

    records = records_from_text(data)        # bytes of an SGF collection, as they come out of the .xz
    records = records_from_games([game])     # from `miai.go.game.Game`

A move is `row * width + column` from the upper left, or PASS_MOVE. Every game in a `Records` can be
played: those of a file that cannot are left out and counted in `skipped`. `encode` turns positions of
records into planes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from miai.go import sgf
from miai.go.board import Board, legal_lengths
from miai.go.coords import BLACK, NO_POINT, PASS, WHITE, Grid, Size, grid, opponent
from miai.go.game import NO_SETUP, UNNAMED_RULES, Game
from miai.go.kernels.arrays import KO, KO_COLOUR, LOG_TOP
from miai.go.kernels.moves import take_back
from miai.go.rules import Count, Rules, UnknownRules, rules_named
from miai.go.sgf import Node, SgfError
from miai.kernel import leaf

PASS_MOVE = -1
DEFAULT_KOMI = 6.5  # where a record does not say

Points = npt.NDArray[np.int16]
Colours = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Records:
    """Games, one after the other. Made by the functions below."""

    points: Points  # [move] row * width + column, or PASS_MOVE
    colours: Colours  # [move] BLACK or WHITE
    start: npt.NDArray[np.int64]  # [game + 1] where each game's moves begin
    width: npt.NDArray[np.int8]  # [game]
    height: npt.NDArray[np.int8]  # [game]
    komi: npt.NDArray[np.float32]  # [game]
    rules: npt.NDArray[np.int16]  # [game] which of `rulesets`
    to_move: npt.NDArray[np.int8]  # [game] whose turn it is after the last move
    setup_points: Points  # [stone] like `points`
    setup_colours: Colours  # [stone]
    setup_start: npt.NDArray[np.int64]  # [game + 1]
    setup_ko: Points  # [game] where the first move may not be, or PASS_MOVE
    index: npt.NDArray[np.int64]  # [game] which game of the input it was, from 0
    rulesets: tuple[Rules, ...]
    skipped: int = 0  # games of the input that were left out

    def __len__(self) -> int:
        """How many games."""
        return len(self.start) - 1

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """[game] how many moves, passes included. The positions of a game go from 0 to its length."""
        return np.diff(self.start)

    def next_colour(self, game: int, move: int) -> int:
        """Whose turn it is after `move` moves."""
        at = int(self.start[game]) + move
        return int(self.colours[at] if at < self.start[game + 1] else self.to_move[game])

    def next_move(self, game: int, move: int) -> int:
        """What was played after `move` moves: a place in a policy, the pass being width × height."""
        point = int(self.points[self.start[game] + move])
        return int(self.width[game]) * int(self.height[game]) if point == PASS_MOVE else point


@dataclass(frozen=True)
class _Row:
    """One game on its way into a `Records`: a position, and legal moves from there."""

    size: Size
    rules: Rules
    komi: float
    points: npt.NDArray[np.int32]  # of the padded line, as in `miai.go`
    colours: Colours
    to_move: int  # at the end
    setup: Board | None = None  # the position before the first move, where it is not the empty board
    index: int = 0
    ko: int = PASS  # where the first move may not be


def records_from_games(
    games: Iterable[Game], *, komi: float = DEFAULT_KOMI, until: int | None = None
) -> Records:
    """Records of games that are read already, up to move `until`; `komi` is for those that name none.

    A game with set-up stones after its first move begins, here, at the last of them.
    """
    rows = []
    for index, game in enumerate(games):
        end = len(game) if until is None else min(until, len(game))
        begin = _last_setup(game, end)
        stated = game.komi
        rows.append(
            _Row(
                game.size,
                game.rules,
                komi if stated is None else stated,
                game.points[max(begin, 0) : end],
                game.colours[max(begin, 0) : end],
                game.board_at(end).to_move,
                None if begin == NO_SETUP else game.board_at(begin),
                index,
            )
        )
    return _build(rows, 0)


def records_from_board(board: Board, *, komi: float | None = None, history: bool = True) -> Records:
    """One game: the moves made on this board since it was set up. With `history` off, only where they led.

    `komi` is by default that of the rules.
    """
    before = board.copy()
    count = board.move_number if history else 0
    points, colours = np.empty(count, np.int32), np.empty(count, np.int8)
    unwind(before.arrays, points, colours)
    first = int(colours[0]) if count else board.to_move
    state = before.arrays.state
    banned = state[KO_COLOUR] == first
    komi = board.rules.komi if komi is None else komi
    if board.rules.count is Count.TERRITORY:  # prisoners taken by then
        komi += before.captures[WHITE] - before.captures[BLACK]
    row = _Row(
        board.size,
        board.rules,
        komi,
        points,
        colours,
        board.to_move,
        before,
        ko=int(state[KO]) if banned else PASS,
    )
    return _build([row], 0)


@leaf
def unwind(a, points, colours):  # type: ignore[no-untyped-def]
    """Take back as many moves as `points` holds, and write them there, in the order of play."""
    for i in range(points.size - 1, -1, -1):
        colours[i] = a.log[a.state[LOG_TOP] - 2]
        points[i] = take_back(a)


def records_from_text(
    data: bytes | str, *, rules: Rules = UNNAMED_RULES, komi: float = DEFAULT_KOMI, minimum: int = 1
) -> Records:
    """The main lines of the games of an SGF collection.

    `rules` and `komi` are for games that name none. Games that are damaged, break a rule, have fewer
    than `minimum` moves or set-up stones after the first one are skipped and counted, as is a broken
    end of the file.
    """
    collection = sgf.parse(data)
    rows = []
    for index, root in enumerate(collection.games):
        row = _read(root, rules, komi, index)
        if row is not None and len(row.points) >= minimum:
            rows.append(row)
    rows = _playable(rows)
    broken = int(collection.broken is not None)
    return _build(rows, len(collection.games) + broken - len(rows))


def _read(root: Node, rules: Rules, komi: float, index: int) -> _Row | None:
    """What a game tree says, its moves not yet checked if there is no set-up; None if it cannot be read."""
    try:
        if root.get_text("GM", "1").strip() not in ("1", ""):
            return None
        size = root.size()
        points, colours, _, setups = root.line()
        with suppress(UnknownRules):
            rules = rules_named(root.get_text("RU"))
        with suppress(ValueError):
            stated = float(root.get_text("KM").replace(",", "."))
            komi = stated if math.isfinite(stated) else komi
        if len(setups) == 0 and len(points):
            to_move = opponent(int(colours[-1]))
            return _Row(size, rules, komi, points, colours, to_move, None, index)
        game = Game(root, rules=rules)
        if _last_setup(game, len(game)) > 0:
            return None
        to_move = opponent(int(colours[-1])) if len(colours) else game.board_at(0).to_move
        return _Row(size, rules, komi, game.points, game.colours, to_move, game.board_at(0), index)
    except SgfError:
        return None


def _playable(rows: list[_Row]) -> list[_Row]:
    """Those whose moves are legal, in the same order; games with a set-up were checked already."""
    kinds: dict[tuple[Size, Rules], list[int]] = {}
    fine = [row.setup is not None for row in rows]
    for i, row in enumerate(rows):
        if row.setup is None and not np.any(row.points == NO_POINT):
            kinds.setdefault((row.size, row.rules), []).append(i)
    for (size, rules), members in kinds.items():
        lengths = legal_lengths([(rows[i].points, rows[i].colours) for i in members], *size, rules=rules)
        for i, length in zip(members, lengths.tolist(), strict=True):
            fine[i] = length == len(rows[i].points)
    return [row for row, good in zip(rows, fine, strict=True) if good]


def _build(rows: Sequence[_Row], skipped: int) -> Records:
    rulesets: dict[Rules, int] = {}
    setups = [_stones(row) for row in rows]
    points = [_flat(row.size, row.points) for row in rows]
    return Records(
        points=_joined(points, np.int16),
        colours=_joined([row.colours for row in rows], np.int8),
        start=_starts(points),
        width=np.array([row.size.width for row in rows], dtype=np.int8),
        height=np.array([row.size.height for row in rows], dtype=np.int8),
        komi=np.array([row.komi for row in rows], dtype=np.float32),
        rules=np.array([rulesets.setdefault(row.rules, len(rulesets)) for row in rows], dtype=np.int16),
        to_move=np.array([row.to_move for row in rows], dtype=np.int8),
        setup_points=_joined([points for points, _ in setups], np.int16),
        setup_colours=_joined([colours for _, colours in setups], np.int8),
        setup_start=_starts([points for points, _ in setups]),
        setup_ko=_joined([_flat(row.size, np.array([row.ko])) for row in rows], np.int16),
        index=np.array([row.index for row in rows], dtype=np.int64),
        rulesets=tuple(rulesets),
        skipped=skipped,
    )


def _last_setup(game: Game, end: int) -> int:
    """After how many moves, of the first `end`, stones were last set up; or NO_SETUP."""
    return max((moves for moves, _ in game.setups if moves <= end), default=NO_SETUP)


def _stones(row: _Row) -> tuple[Points, Colours]:
    """The stones on the board before the first move."""
    if row.setup is None:
        return np.empty(0, np.int16), np.empty(0, np.int8)
    colour = row.setup.arrays.colour
    stones = np.flatnonzero((colour == BLACK) | (colour == WHITE))
    return _flat(row.size, stones), colour[stones]


@cache
def _flat_table(geometry: Grid) -> Points:
    """[place of the padded line] row * width + column; for a pass, which is place 0, PASS_MOVE."""
    table = np.full(geometry.length, PASS_MOVE, np.int16)
    table[geometry.points] = np.arange(geometry.area)
    return table


def _flat(size: Size, points: npt.NDArray[np.integer]) -> Points:
    flat: Points = _flat_table(grid(*size))[points]
    return flat


def _joined(parts: Sequence[npt.NDArray[Any]], kind: Any) -> npt.NDArray[Any]:
    return np.concatenate([np.empty(0, kind), *parts]).astype(kind, copy=False)


def _starts(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[np.int64]:
    return np.cumsum([0, *(len(part) for part in parts)], dtype=np.int64)
