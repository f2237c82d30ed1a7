"""A board for people: the rules of `kernels` behind small verbs.

    board = Board(9)
    board.play(board.grid.parse("E5"))
    board.undo()

Points come from `board.grid` (see `coords`). The compiled loops are in `kernels`; a search that
needs speed takes `board.arrays` and calls them itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from miai.go.coords import BLACK, COLOUR_LETTERS, EMPTY, NO_POINT, PASS, WHITE, Size, grid, opponent
from miai.go.kernels import arrays, chains, legality, moves
from miai.go.rules import CHINESE, Ko, Rules

_KO_RULES = {
    Ko.SIMPLE: legality.SIMPLE_KO,
    Ko.POSITIONAL: legality.POSITIONAL_SUPERKO,
    Ko.SITUATIONAL: legality.SITUATIONAL_SUPERKO,
}

_REASONS = {
    legality.OCCUPIED: "the point is occupied",
    legality.OFF_BOARD: "the point is off the board",
    legality.KO_BAN: "ko",
    legality.SUICIDE: "suicide",
    legality.SUPERKO: "the move repeats an earlier position",
}


class IllegalMove(ValueError):
    """A move, or a set-up, that the rules forbid."""


@dataclass(frozen=True)
class Chain:
    """Connected stones of one colour and the empty points next to them, both in board order."""

    colour: int
    stones: tuple[int, ...]
    liberties: tuple[int, ...]


class Board:
    """A position with its history. Under superko rules the moves played since the set-up count."""

    def __init__(self, width: int = 19, height: int | None = None, *, rules: Rules = CHINESE) -> None:
        self.grid = grid(width, height)
        self.rules = rules
        self.to_move = BLACK
        self.arrays = arrays.empty_arrays(self.grid)

    # looking ------------------------------------------------------------------------------------

    @property
    def size(self) -> Size:
        return Size(self.grid.width, self.grid.height)

    def __getitem__(self, point: int) -> int:
        """EMPTY, BLACK, WHITE or OFF."""
        return int(self.arrays.colour[point])

    colour_at = __getitem__

    def stones(self, colour: int) -> list[int]:
        """Every stone of a colour, row by row from the top; with EMPTY, every empty point."""
        return [int(p) for p in np.flatnonzero(self.arrays.colour == colour)]

    def chain(self, point: int) -> Chain:
        """The chain a stone belongs to."""
        a = self.arrays
        head = int(a.head[point])
        if head == 0:
            raise ValueError(f"there is no stone on {self.grid.name(point)}")
        out = np.empty(self.grid.area, dtype=np.int32)
        count = chains.chain_liberties(a, head, out)
        stones = np.flatnonzero(a.head == head)
        return Chain(
            int(a.colour[point]), tuple(int(s) for s in stones), tuple(sorted(int(p) for p in out[:count]))
        )

    def chains(self) -> Iterator[Chain]:
        """Every chain, in board order of its first stone."""
        seen: set[int] = set()
        for stone in np.flatnonzero(self.arrays.head):
            if (head := int(self.arrays.head[stone])) not in seen:
                seen.add(head)
                yield self.chain(int(stone))

    def liberties(self, point: int) -> int:
        """How many liberties the chain of the stone on `point` has."""
        return int(self.arrays.libs[self.arrays.head[point]])

    @property
    def captures(self) -> dict[int, int]:
        """Stones captured so far, by the player who took them."""
        return {colour: int(self.arrays.state[arrays.CAPTURED_BY + colour]) for colour in (BLACK, WHITE)}

    @property
    def ko_point(self) -> int:
        """Where the simple-ko rule forbids `to_move` to play now, or NO_POINT."""
        banned = int(self.arrays.state[arrays.KO_COLOUR]) == self.to_move
        return int(self.arrays.state[arrays.KO]) if banned else NO_POINT

    @property
    def hash(self) -> int:
        """Zobrist hash of the stones: the same stones, the same hash, in every run."""
        return int(self.arrays.hash[0])

    @property
    def move_number(self) -> int:
        """Moves played since the set-up, passes included."""
        return int(self.arrays.state[arrays.MOVES])

    # playing ------------------------------------------------------------------------------------

    def why_illegal(self, point: int, colour: int | None = None) -> str | None:
        """What forbids a move, in words, or None."""
        if not 0 <= point < self.grid.length:
            return _REASONS[legality.OFF_BOARD]
        self._make_room()
        colour = self.to_move if colour is None else colour
        ko_rule = _KO_RULES[self.rules.ko]
        return _REASONS.get(legality.why_illegal(self.arrays, point, colour, self.rules.suicide, ko_rule))

    def is_legal(self, point: int, colour: int | None = None) -> bool:
        return self.why_illegal(point, colour) is None

    def legal_moves(self, colour: int | None = None) -> list[int]:
        """Every legal move but the pass, row by row from the top."""
        return [int(p) for p in self.legal_points(colour)]

    def legal_points(self, colour: int | None = None) -> npt.NDArray[np.int32]:
        """What `legal_moves` lists, as an array: faster, for those who ask at every position."""
        self._make_room()
        colour = self.to_move if colour is None else colour
        out = np.empty(self.grid.area, dtype=np.int32)
        count = legality.legal_points(self.arrays, colour, self.rules.suicide, _KO_RULES[self.rules.ko], out)
        return out[:count]

    def play(self, point: int, colour: int | None = None) -> int:
        """Play a move or PASS, by default for `to_move`; returns the number of stones captured."""
        colour = self.to_move if colour is None else colour
        if (reason := self.why_illegal(point, colour)) is not None:
            raise IllegalMove(f"{self.grid.name(point) if self.grid.on_board(point) else point}: {reason}")
        captured = int(moves.place(self.arrays, point, colour))
        self.to_move = opponent(colour)
        return captured

    def undo(self) -> int:
        """Take the last move back and return its point."""
        if self.move_number == 0:
            raise IllegalMove("there is no move to take back")
        self.to_move = int(self.arrays.log[self.arrays.state[arrays.LOG_TOP] - 2])
        return int(moves.take_back(self.arrays))

    def replay(self, points: npt.NDArray[np.int32], colours: npt.NDArray[np.int8]) -> int:
        """Play a record until its end or its first illegal move; returns how many were played."""
        done, reached = 0, -1
        ko_rule = _KO_RULES[self.rules.ko]
        while done < len(points) and done > reached:
            reached = done
            self._make_room(len(points) - done)
            done = int(
                legality.replay(self.arrays, points, colours, done, len(points), self.rules.suicide, ko_rule)
            )
        if done:
            self.to_move = opponent(int(colours[done - 1]))
        return done

    def setup(
        self, *, black: Iterable[int] = (), white: Iterable[int] = (), empty: Iterable[int] = ()
    ) -> None:
        """Put stones on points and clear others. Forgets the moves so far and the ko; nothing is captured.

        A chain without liberties is an IllegalMove, and the board stays as it was.
        """
        wanted = self.arrays.colour.copy()
        for colour, points in ((EMPTY, empty), (BLACK, black), (WHITE, white)):
            for point in points:
                if not self.grid.on_board(point):
                    raise IllegalMove("a set-up stone is off the board")
                wanted[point] = colour
        fresh = arrays.empty_arrays(self.grid)
        for colour in (BLACK, WHITE):
            for stone in np.flatnonzero(wanted == colour):
                moves.setup_stone(fresh, int(stone), colour, False)
            fresh.state[arrays.CAPTURED_BY + colour] = self.arrays.state[arrays.CAPTURED_BY + colour]
        for head in np.unique(fresh.head[fresh.head > 0]):
            if fresh.libs[head] == 0:
                letter = COLOUR_LETTERS[int(fresh.colour[head])]
                raise IllegalMove(f"the {letter} chain at {self.grid.name(int(head))} has no liberty")
        self.arrays = fresh

    def copy(self) -> Board:
        """An independent board with the same history."""
        twin = Board.__new__(Board)
        twin.grid, twin.rules, twin.to_move = self.grid, self.rules, self.to_move
        copies = {name: array.copy() for name, array in self.arrays._asdict().items() if name != "keys"}
        twin.arrays = self.arrays._replace(**copies)
        return twin

    def __eq__(self, other: object) -> bool:
        """The same stones on boards of the same size; history and side to move do not count."""
        return (
            isinstance(other, Board)
            and self.size == other.size
            and np.array_equal(self.arrays.colour, other.arrays.colour)
        )

    __hash__ = None  # type: ignore[assignment]  # boards change

    def _make_room(self, moves: int = 1) -> None:
        """Let the log and the history hold `moves` moves more."""
        a = self.arrays
        log_top, played = int(a.state[arrays.LOG_TOP]), int(a.state[arrays.MOVES])
        log = log_top + arrays.log_room(moves, a.colour.size)
        if log > a.log.size:
            a = a._replace(log=np.concatenate([a.log[:log_top], np.empty(log, dtype=np.int32)]))
        if (history := played + moves + 2) > a.history.size:
            a = a._replace(history=np.concatenate([a.history[:played], np.empty(history, dtype=np.uint64)]))
        self.arrays = a


def legal_lengths(
    games: Sequence[tuple[npt.NDArray[np.int32], npt.NDArray[np.int8]]],
    width: int = 19,
    height: int | None = None,
    *,
    rules: Rules = CHINESE,
) -> npt.NDArray[np.int32]:
    """How many moves of each record, points and colours, can be played from the empty board.

    For archives: the games take turns on one board, which is half the time of a `Board` for each.
    """
    played = np.zeros(len(games), dtype=np.int32)
    if not games:
        return played
    starts = np.cumsum([0, *(len(points) for points, _ in games)])
    board = Board(width, height, rules=rules)
    board._make_room(int(np.diff(starts).max()))
    points, colours = (np.concatenate(column) for column in zip(*games, strict=True))
    legality.replay_games(board.arrays, points, colours, starts, rules.suicide, _KO_RULES[rules.ko], played)
    return played


__all__ = ["BLACK", "EMPTY", "NO_POINT", "PASS", "WHITE", "Board", "Chain", "IllegalMove", "legal_lengths"]
