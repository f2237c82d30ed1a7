"""The plane sets again, slowly and in plain Python, for tests: from the meaning of each plane.

Uses `Board` and `Game` only; ladders are read by recursion, distances by looking at every stone.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from miai.go.benson import pass_alive
from miai.go.board import Board, IllegalMove
from miai.go.coords import BLACK, EMPTY, NO_POINT, PASS, WHITE, opponent
from miai.go.game import Game
from miai.go.rules import JAPANESE, Count, HandicapBonus, Ko
from miai.nets.planes import plane_set

Planes = npt.NDArray[np.float32]


class Canvas:
    """A stack of planes that points can be put on by plane name."""

    def __init__(self, name: str, board: Board) -> None:
        self.set, self.board = plane_set(name), board
        width, height = board.size
        self.planes = np.zeros((len(self.set.spatial), height, width), np.float32)

    def put(self, plane: str | int, point: int, value: float = 1.0) -> None:
        row, column = self.board.grid.row_column(point)
        self.planes[self.set.plane(plane) if isinstance(plane, str) else plane, row, column] = value


def edge(board: Board) -> list[int]:
    return [p for p in map(int, board.grid.points) if len(board.grid.neighbours(p)) < 4]


def liberties(canvas: Canvas) -> None:
    board = canvas.board
    for who, colour in (("own", board.to_move), ("opponent", opponent(board.to_move))):
        for stone in board.stones(colour):
            count = board.liberties(stone)
            canvas.put(f"{who}-{count if count < 3 else '3+'}", stone)
    if board.ko_point != NO_POINT:
        canvas.put("ko", board.ko_point)


def deepgo(game: Game, move: int) -> Planes:
    canvas = Canvas("deepgo8", game.board_at(move))
    liberties(canvas)
    for point in edge(canvas.board):
        canvas.put("border", point)
    return canvas.planes


def darkforest(game: Game, move: int, rank: int) -> Planes:
    board = game.board_at(move)
    canvas = Canvas("darkforest25", board)
    liberties(canvas)
    own = board.to_move
    width, height = board.size
    last: dict[int, int] = {}
    for i in range(move):
        last[int(game.points[i])] = i
    places = {p: board.grid.row_column(p) for p in map(int, board.grid.points)}
    for point, (row, column) in places.items():
        if board[point] == EMPTY:
            canvas.put("empty", point)
        else:
            who = "own" if board[point] == own else "opponent"
            canvas.put(who, point)
            canvas.put(f"{who}-history", point, math.exp(-0.1 * (move - last.get(point, 0))))
        canvas.put(f"rank-{rank}", point)
        squared = (row - (height - 1) / 2) ** 2 + (column - (width - 1) / 2) ** 2
        canvas.put("position", point, math.exp(-squared / 2))
        steps = {
            colour: min(
                (abs(row - places[s][0]) + abs(column - places[s][1]) for s in board.stones(colour)),
                default=math.inf,
            )
            for colour in (BLACK, WHITE)
        }
        if steps[own] < steps[opponent(own)]:
            canvas.put("own-closest", point)
        if steps[opponent(own)] < steps[own]:
            canvas.put("opponent-closest", point)
    for point in edge(board):
        canvas.put("border", point)
    return canvas.planes


# ladders ----------------------------------------------------------------------------------------


def fresh(board: Board) -> Board:
    """The same stones, the ko forgotten."""
    twin = Board(*board.size, rules=JAPANESE)
    twin.setup(black=board.stones(BLACK), white=board.stones(WHITE))
    return twin


def tried(board: Board, point: int, colour: int) -> bool:
    try:
        board.play(point, colour)
    except IllegalMove:
        return False
    return True


def captures(board: Board, stone: int) -> set[int]:
    chain = board.chain(stone)
    around = {p for s in chain.stones for p in board.grid.neighbours(s) if board[p] == opponent(chain.colour)}
    return {board.chain(p).liberties[0] for p in around if board.liberties(p) == 1}


def caught(board: Board, stone: int) -> bool:
    """The owner of the chain, in atari, moves."""
    if board.liberties(stone) > 1 or int(board.arrays.state[1]) != NO_POINT:
        return False
    owner = board[stone]
    for point in sorted(captures(board, stone) | set(board.chain(stone).liberties)):
        if tried(board, point, owner):
            lost = board[stone] == owner and chased(board, stone)
            board.undo()
            if not lost:
                return False
    return True


def chased(board: Board, stone: int) -> bool:
    """The attacker of the chain moves."""
    if (count := board.liberties(stone)) != 2:
        return count < 2
    if two_kos(board, stone):
        return True
    for point in board.chain(stone).liberties:
        if tried(board, point, opponent(board[stone])):
            lost = caught(board, stone)
            board.undo()
            if lost:
                return True
    return False


def two_kos(board: Board, stone: int) -> bool:
    owner = board[stone]
    for point in board.chain(stone).liberties:
        around = board.grid.neighbours(point)
        taken = [p for p in around if board[p] == owner and board.liberties(p) == 1]
        if any(board[p] != owner for p in around) or len(taken) != 1:
            return False
        if len(board.chain(taken[0]).stones) != 1:
            return False
        if tried(board, point, owner):
            many = board.liberties(point) > 2
            board.undo()
            if many:
                return False
    return not captures(board, stone)


def ladders(board: Board) -> tuple[set[int], dict[int, set[int]]]:
    """Stones that are caught, and for each colour of chain the moves that catch."""
    stones: set[int] = set()
    moves: dict[int, set[int]] = {BLACK: set(), WHITE: set()}
    ko = int(board.arrays.state[1])
    for chain in board.chains():
        stone = chain.stones[0]
        if len(chain.liberties) == 1 and caught(fresh(board), stone):
            stones.update(chain.stones)
        if len(chain.liberties) == 2:
            for point in chain.liberties:
                twin = fresh(board)
                if point != ko and tried(twin, point, opponent(chain.colour)) and caught(fresh(twin), stone):
                    moves[chain.colour].add(point)
                    stones.update(chain.stones)
    return stones, moves


# katago -----------------------------------------------------------------------------------------


def owners(board: Board) -> dict[int, int]:
    """Who has which point, were the game to end: Benson, then surrounded regions, then stones."""
    owner: dict[int, int] = {}
    for colour in (BLACK, WHITE):
        alive = pass_alive(board, colour)
        owner.update(dict.fromkeys((*alive.stones, *alive.territory), colour))
    seen: set[int] = set()
    for start in board.stones(EMPTY):
        if start in seen:
            continue
        region, waiting, around = {start}, [start], set()
        while waiting:
            for point in board.grid.neighbours(waiting.pop()):
                if board[point] != EMPTY:
                    around.add(board[point])
                elif point not in region:
                    region.add(point)
                    waiting.append(point)
        seen |= region
        if len(around) == 1:
            colour = around.pop()
            for point in region:
                owner.setdefault(point, colour)
    for colour in (BLACK, WHITE):
        for stone in board.stones(colour):
            owner.setdefault(stone, colour)
    return owner


def katago(game: Game, move: int, komi: float) -> tuple[Planes, Planes]:
    """For games without set-up stones in which no two passes follow each other and colours take turns."""
    board = game.board_at(move)
    own, rules = board.to_move, game.rules
    canvas = Canvas("katago7", board)
    scalars = np.zeros(19, np.float32)
    for point in map(int, board.grid.points):
        canvas.put("board", point)
        if board[point] != EMPTY:
            canvas.put("own" if board[point] == own else "opponent", point)
            if (count := board.liberties(point)) <= 3:
                canvas.put(2 + count, point)
        elif board.why_illegal(point) in ("ko", "the move repeats an earlier position"):
            around = board.grid.neighbours(point)
            alone = all(board[p] == opponent(own) and board.liberties(p) > 1 for p in around)
            if not alone:
                canvas.put("ko", point)
    area_rules = rules.count is Count.AREA
    friendly = area_rules and rules.name != "tromp-taylor"
    just_passed = move > 0 and game.points[move - 1] == PASS
    shown = 0 if just_passed and friendly else min(move, 5)
    for i in range(shown):
        point = int(game.points[move - 1 - i])
        if point == PASS:
            scalars[i] = 1
        else:
            canvas.put(9 + i, point)
    scalars[14] = just_passed and not friendly
    for back, plane in ((0, "ladder"), (1, "ladder-before-1"), (2, "ladder-before-2")):
        stones, moves = ladders(game.board_at(move - min(back, shown)))
        for stone in stones:
            canvas.put(plane, stone)
        if back == 0:
            for point in moves[opponent(own)]:
                canvas.put("ladder-move", point)
    if area_rules:
        for point, colour in owners(board).items():
            canvas.put("own-area" if colour == own else "opponent-area", point)
    else:
        scalars[9], scalars[10] = 1, not rules.seki_territory
        played = game.colours[:move][game.points[:move] != PASS]
        komi += float(np.sum(played == BLACK) - np.sum(played == WHITE))
    assert rules.handicap_bonus in HandicapBonus  # no handicap in these games
    komi = komi if own == WHITE else -komi
    scalars[5] = komi / 20
    if rules.ko is not Ko.SIMPLE:
        scalars[6], scalars[7] = 1, 0.5 if rules.ko is Ko.POSITIONAL else -0.5
    scalars[8] = rules.suicide
    if area_rules:
        above = (komi - board.grid.area) % 2
        scalars[18] = above if above < 0.5 else 1 - above if above < 1.5 else above - 2
    return canvas.planes, scalars
