"""What is asked: a board, the target, the region where both may play, and who moves first.

    problem = problem_from_node(root)                      # of an SGF: AB, AW, PL, MA, SQ
    problem = problem_from_board(board, clicked_point)

`MA` marks stones of the target, one by one; a stone that is named otherwise (clicked, `--target`)
stands for its whole chain. Where nothing is marked, `guess_target` finds the group in question. `SQ`
marks the region. Everything outside it is settled as it stands: stones there are never captured, and
empty points next to the region are given to the attacker. Without a region, `frame` finds one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress, pairwise

from miai.go.board import Board, Chain
from miai.go.coords import BLACK, EMPTY, NO_POINT, WHITE, CoordinateError, Grid, colour_of, opponent
from miai.go.game import PLAYERS, Game
from miai.go.kernels.arrays import KO, KO_COLOUR
from miai.go.kernels.moves import setup_stone
from miai.go.rules import JAPANESE
from miai.go.sgf import Node, SgfError
from miai.life.frame import LONGEST_REACH, NO_FRAME, ROOMS, Frame, close, dilate, far_points, flood

RULES = JAPANESE  # simple ko, no suicide: the rules of the search
NAMES = {BLACK: "Black", WHITE: "White"}
NARROW = 0.6  # of a given region at most is worth a search of its own
STEPS_BEYOND = 2  # the widest frames within a given region, beyond the widest of ROOMS


class ProblemError(ValueError):
    """A position that is no life-and-death problem, with the reason in a sentence."""


@dataclass(frozen=True)
class Problem:
    """A life-and-death problem. Everything outside the region is settled as it stands."""

    board: Board
    target: tuple[int, ...]  # stones of one colour
    region: tuple[int, ...]  # where both may play, stones that can be captured included
    to_move: int
    frame: Frame = NO_FRAME  # what was assumed about the rest of the board
    name: str = ""
    guessed: bool = False  # nobody named the target
    ban: int = NO_POINT  # where the ko rule forbids `to_move` to begin

    def colour_at(self, point: int) -> int:
        """What stands on a point once the frame is there."""
        if point in self.frame.fence:
            return self.attacker
        return EMPTY if point in self.frame.removed else self.board[point]

    @property
    def defender(self) -> int:
        return self.board[self.target[0]]

    @property
    def attacker(self) -> int:
        return opponent(self.defender)

    @property
    def framed(self) -> bool:
        """Was anything assumed about the surroundings?"""
        return bool(self.frame.fence or self.frame.removed)

    def widened(self) -> Problem | None:
        """The same problem with the fence further off; None if it is as far as can be, or was given."""
        room = self.frame.room
        for wider in ROOMS[ROOMS.index(room) + 1 :] if room in ROOMS else ():
            points, frame = close(self.board, self.target, wider)
            if points != self.region:
                return replace(self, region=points, frame=frame)
        return None

    def narrowed(self) -> list[Problem]:
        """Where the region was given: the same problem in frames well within it, from tight to wide."""
        if self.frame.room is not None:
            return []
        found: list[Problem] = []
        near = Board(*self.board.size)  # what stands outside is settled: it says nothing about the frame
        stones = {c: [p for p in self.region if self.board[p] == c] for c in (BLACK, WHITE)}
        near.setup(black=stones[BLACK], white=stones[WHITE])
        inside: set[int] = set()
        for room in ROOMS:
            points, frame = close(near, self.target, room)
            inside |= set(points)
            found.append(self._within(inside, frame))
        for _ in range(STEPS_BEYOND):
            inside = dilate(self.board.grid, inside, 1)
            found.append(self._within(inside, frame))
        sizes = [len(narrow.region) for narrow in found]
        worth = [before < size <= NARROW * len(self.region) for before, size in pairwise([0, *sizes])]
        return list(compress(found, worth))

    def _within(self, points: set[int], frame: Frame) -> Problem:
        """The same problem with only these points of the region; `frame` is how they were found."""
        inside = points & set(self.region)
        border = dilate(self.board.grid, inside, 1) - inside
        removed = frame.removed - inside
        fence = frozenset(p for p in border if self.board[p] == EMPTY or p in removed)
        return replace(self, region=tuple(sorted(inside)), frame=replace(frame, fence=fence, removed=removed))

    def position(self) -> Board:
        """A board to play on with the frame there, where what stands outside the region is never captured."""
        region = set(self.region)
        board = Board(*self.board.size, rules=RULES)
        for point in map(int, board.grid.points):
            if (colour := self.colour_at(point)) != EMPTY:
                setup_stone(board.arrays, point, colour, point not in region)
        if self.ban != NO_POINT:
            board.arrays.state[KO] = self.ban
            board.arrays.state[KO_COLOUR] = self.to_move
        board.to_move = self.to_move
        return board


# from SGF ---------------------------------------------------------------------------------------


def problem_from_node(
    root: Node,
    *,
    to_move: int | None = None,
    target: Iterable[str] | None = None,
    region: Iterable[str] | None = None,
    move: int = 0,
) -> Problem:
    """The problem that a game tree states, after `move` moves of its main line.

    Points are GTP names and go before what the file marks; so does `to_move`. Without it PL counts, or
    else the next move in the file, or else the attacker moves.
    """
    game = _read_game(root)
    _check_setup(root, game.grid)
    if move > len(game):
        reason = f": {game.stopped.reason}" if game.stopped is not None else ""
        raise ProblemError(f"there is no move {move}: the game has {len(game)}{reason}")
    board = game.board_at(move)
    moves = game.moves
    end = game.nodes.index(moves[move].node) if move < len(moves) else len(game.nodes)
    start = game.nodes.index(moves[move - 1].node) if move else 0
    nodes = game.nodes[start : max(end, start + 1)]  # those that show this position
    chosen = _named(board.grid, target, "target")
    marked = [point for node in nodes for point in _points(node, "MA", board.grid)] if not chosen else []
    squares = _named(board.grid, region, "region")
    if not squares:
        squares = [point for node in nodes for point in _points(node, "SQ", board.grid)]
    for point in marked:
        if board[point] == EMPTY:
            raise ProblemError(
                f"MA marks {board.grid.name(point)}, which is empty: mark stones, or name one with --target"
            )
    if to_move is None:
        to_move = _player(nodes, move, moves[move].colour if move < len(moves) else None, board)
    name = root.get_text("GN").strip()
    if marked:
        return _problem(board, tuple(sorted(set(marked))), squares, to_move, name=name)
    return problem_from_board(board, chosen or None, region=squares or None, to_move=to_move, name=name)


def _read_game(root: Node) -> Game:
    try:
        game = Game(root, on_illegal="stop")
    except SgfError as error:
        raise ProblemError(error.reason) from error
    # an illegal move in the solution does no harm here; a set-up that cannot be does
    if game.stopped is not None and not len(game) and not game.stopped.reason.startswith("move "):
        raise ProblemError(game.stopped.reason) from game.stopped
    return game


def _check_setup(root: Node, geometry: Grid) -> None:
    black, white = (set(_points(root, name, geometry)) for name in ("AB", "AW"))
    if both := black & white:
        raise ProblemError(
            f"AB and AW both put a stone on {geometry.name(min(both))}: take one of them out of the file"
        )


def _points(node: Node, name: str, geometry: Grid) -> list[int]:
    try:
        return node.points(name, geometry)
    except SgfError as error:
        raise ProblemError(error.reason) from error


def _named(geometry: Grid, names: Iterable[str] | None, what: str) -> list[int]:
    """Points from GTP names; `C3:E5` is a rectangle."""
    found: dict[int, None] = {}
    try:
        for name in names or ():
            first, colon, second = name.partition(":")
            top, left = geometry.row_column(_point(geometry, first))
            bottom, right = geometry.row_column(_point(geometry, second)) if colon else (top, left)
            for row in range(min(top, bottom), max(top, bottom) + 1):
                for column in range(min(left, right), max(left, right) + 1):
                    found[geometry.point(row, column)] = None
    except CoordinateError as error:
        raise ProblemError(f"{what}: {error}") from None
    return list(found)


def _point(geometry: Grid, name: str) -> int:
    point = geometry.parse(name)
    if not geometry.on_board(point):
        raise CoordinateError("a pass is not a point")
    return point


def _player(nodes: Sequence[Node], move: int, next_colour: int | None, board: Board) -> int | None:
    """Who moves: PL, else who plays next in the file, else whose turn it is in a game."""
    for node in reversed(nodes):
        if text := node.get_text("PL").strip():
            try:
                return colour_of(PLAYERS.get(text, text))
            except CoordinateError as error:
                raise ProblemError(f"PL: {error}") from None
    if next_colour is not None:
        return next_colour
    return board.to_move if move else None


# from a board -----------------------------------------------------------------------------------


def problem_from_board(
    board: Board,
    target: int | Iterable[int] | None = None,
    *,
    region: Iterable[int] | None = None,
    to_move: int | None = None,
    name: str = "",
) -> Problem:
    """The problem about the chains of these stones, or of one stone; by default the group in question.

    Without `to_move` the attacker moves first. A ko ban on the board counts for the side it is on.
    """
    guessed = target is None
    if target is None:
        stones: tuple[int, ...] = guess_target(board)
    else:
        clicked = [target] if isinstance(target, int) else list(target)
        for point in clicked:
            if not board.grid.on_board(point):
                raise ProblemError("the target is off the board")
            if board[point] == EMPTY:
                raise ProblemError(f"there is no stone on {board.grid.name(point)} to be the target")
        stones = tuple(sorted({stone for point in clicked for stone in board.chain(point).stones}))
    return _problem(board, stones, list(region or ()), to_move, name=name, guessed=guessed)


def _problem(
    board: Board,
    target: tuple[int, ...],
    region: Sequence[int],
    to_move: int | None,
    *,
    name: str = "",
    guessed: bool = False,
) -> Problem:
    """Check target and region, and find the region where none is given."""
    _check_liberties(board)
    if not target:
        raise ProblemError("there is no target: mark its stones with MA, or name one with --target")
    colours = {board[stone] for stone in target}
    if len(colours) > 1:
        black = next(s for s in target if board[s] == BLACK)
        white = next(s for s in target if board[s] == WHITE)
        raise ProblemError(
            f"the target has stones of both colours, {board.grid.name(black)} and {board.grid.name(white)}: "
            "it must be of one"
        )
    if region:
        points, frame = _given_region(board, target, set(region))
    else:
        points, frame = close(board, target, ROOMS[0])
    first = opponent(colours.pop()) if to_move is None else to_move
    ban = board.ko_point if board.to_move == first else NO_POINT
    return Problem(board, target, points, first, frame, name, guessed, ban)


def _given_region(board: Board, target: tuple[int, ...], region: set[int]) -> tuple[tuple[int, ...], Frame]:
    geometry = board.grid
    if len(region) == 1:
        raise ProblemError(f"the region is the one point {geometry.name(min(region))}: mark all of it")
    if outside := [stone for stone in target if stone not in region]:
        raise ProblemError(
            f"the target's stone on {geometry.name(outside[0])} is not in the region: the region holds "
            "every point where something can change, stones too"
        )
    border = dilate(geometry, region, 1) - region
    fence = frozenset(point for point in border if board[point] == EMPTY)
    return tuple(sorted(region)), Frame(fence, frozenset(), 0)


def _check_liberties(board: Board) -> None:
    if not board.stones(BLACK) and not board.stones(WHITE):
        raise ProblemError("there are no stones on the board: choose a position with --move")
    for chain in board.chains():
        if not chain.liberties:
            raise ProblemError(
                f"{NAMES[chain.colour]}'s chain at {board.grid.name(chain.stones[0])} has no liberty: "
                "this position cannot be"
            )


# the group in question --------------------------------------------------------------------------


def guess_target(board: Board) -> tuple[int, ...]:
    """The chain whose status is most likely asked for.

    Each chain spreads over empty points and its own colour's stones, and is stopped by enemy stones and
    all points within `reach` steps of them. A chain that cannot get far so is enclosed; the smaller the
    reach that it takes, and the fewer empty points it then has, the more enclosed it is. The colour
    whose stones are more enclosed on the whole defends, and its largest enclosed chain is the target.
    """
    _check_liberties(board)
    geometry = board.grid
    far = set(far_points(board))
    chains = list(board.chains())
    spaces: dict[int, tuple[int, set[int]]] = {}  # by chain number: reach, and where it can get
    for colour in (BLACK, WHITE):
        own, walls = set(board.stones(colour)), board.stones(opponent(colour))
        for reach in range(LONGEST_REACH + 1 if walls else 0):
            blocked = dilate(geometry, walls, reach) - own
            for number, chain in enumerate(chains):
                if chain.colour == colour and number not in spaces:
                    space = flood(geometry, chain.stones, blocked)
                    if not space & far:
                        spaces[number] = reach, space
    if not spaces:
        raise ProblemError("no group is enclosed: name a stone of the target with --target, or mark it")
    enclosed = {n: (reach, sum(board[p] == EMPTY for p in space)) for n, (reach, space) in spaces.items()}
    defender = min((BLACK, WHITE), key=lambda colour: _freedom(colour, chains, enclosed))
    candidates = [number for number in enclosed if chains[number].colour == defender]
    return chains[
        max(candidates, key=lambda n: (len(chains[n].stones), -enclosed[n][0], -enclosed[n][1]))
    ].stones


def _freedom(
    colour: int, chains: Sequence[Chain], enclosed: dict[int, tuple[int, int]]
) -> tuple[float, float]:
    """How free a colour's stones are on average: reach and empty points; much for chains not enclosed."""
    stones = reaches = spaces = 0
    for number, chain in enumerate(chains):
        if chain.colour == colour:
            reach, space = enclosed.get(number, (LONGEST_REACH + 1, 99))
            size = len(chain.stones)
            stones, reaches, spaces = stones + size, reaches + size * reach, spaces + size * space
    return (reaches / stones, spaces / stones) if stones else (99.0, 99.0)
