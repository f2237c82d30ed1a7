"""The exact local game of a region: what it is worth, and why, from the rules of Go alone.

    game = local_game(board, region)
    game.value.count, game.value.miai_value, game.value.type

Every sequence of local moves by either side, and playing elsewhere at any time, is looked at. The
score is counted by area with everything played out, which needs no rule about dead stones; territory
is the same game with a tax of one point a move (see `values`). The steps, a module each:

    local_space     the region as sets of bits; what had to be assumed about its surroundings
    local_moves     the rules on sets of bits; what is settled leaves the position
    local_graph     every position that can be reached, each once
    local_thermo    thermographs of all of them: exact, or two bounds where loops are in reach
    local_reduce    where the bounds differ, the small graph that kos are decided on, in `kos`
    local_lazy      … or only those that matter, where there are too many; in `local_descend`,
                    `local_dig`, `local_hold`
    local_answer    from bounds to value and correct moves
    local_lines     the correct moves and their answers, for export

A budget that runs out is an `OutOfBudget`; the caller may then estimate, or ask for a guess. `exact` is
False, with the reason among the assumptions, where endless repetition itself has no result by the
rules, and where only the value is proved but not which moves are correct.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property

from miai.endgame.graph import Graph
from miai.endgame.kos import Solution, solve
from miai.endgame.local_answer import Answer, agreed, alike, kos_decide, root_moves, with_kos, without_search
from miai.endgame.local_graph import OutOfBudget, explore
from miai.endgame.local_lazy import LazySearch
from miai.endgame.local_lines import Line, Search, lines
from miai.endgame.local_moves import SCORE, settle
from miai.endgame.local_reduce import reduced
from miai.endgame.local_space import Reach, RegionError, RegionTooLarge, Space, make_space
from miai.endgame.local_thermo import thermographs
from miai.endgame.thermograph import Thermograph
from miai.endgame.values import REPETITION, TERRITORY_TAX, Option, RegionValue, region_value
from miai.go.board import Board
from miai.go.coords import Grid

NODE_LIMIT = 4_000_000
SECONDS = 60.0
KO_NODES = 1_500  # positions that a ko fight may range over that the bounds leave open
MOST_NODES = 50_000  # of a small graph whose value is known
FURTHER = (5.0, 0.5)  # times the seconds that a proof took, and some: for one with walls further out
FURTHER_GUESS = (20.0, 4.0)  # … for a search of sensible moves there
ENUMERATED = 20_000  # positions up to which all of them are looked at
FEW_POINTS, ENUMERATED_OF_FEW = 12, 400_000  # … in a region of few open points


TIGHT = (
    "Empty points beside the region are taken to be settled: with play on them, too, the search did not "
    "get through."
)
WALLS_MATTER = (
    "The walls matter: with empty points two steps outside the region as walls a move is proved to be worth"
    " {worth}."
)


@dataclass(frozen=True)
class LocalGame:
    """The answer for one region, by area and by territory, from Black's side."""

    grid: Grid
    region: tuple[int, ...]
    stones: int  # black stones minus white stones in the region as it stands
    area: Thermograph  # where not all positions were looked at, only its part from temperature 1 on is sure
    black: tuple[Option, ...]  # Black's moves: the point, what it leaves (by area). Moves that are
    white: tuple[Option, ...]  # surely not correct at the region's temperature may be missing
    kos_matter: bool  # the answer would change if one side won every ko
    graph: Graph  # the positions and moves the value rests on, node 0 first; scores by area
    exact: bool
    assumptions: tuple[str, ...]
    positions: int  # how many were looked at
    empty: int  # empty points of the region that can change
    seconds: float
    search: Search | None = None  # all positions, if they were to be kept

    @property
    def territory(self) -> Thermograph:
        return self.area.cooled(TERRITORY_TAX).plus(-self.stones)

    @property
    def count(self) -> Fraction:
        """The expected local score in territory points."""
        return self.territory.mean

    @property
    def miai_value(self) -> Fraction:
        """What a gote or reverse sente move gains, in territory points."""
        return max(Fraction(0), self.area.temperature - TERRITORY_TAX)

    def lines(self, *, depth: int = 8, limit: int = 500) -> tuple[Line, ...]:
        """The correct moves and what follows them, with count and miai value: see `local_lines`."""
        if self.search is None:
            raise ValueError("The positions were not kept: call local_game(…, keep=True).")
        return lines(self.search, depth=depth, limit=limit)

    @cached_property
    def solution(self) -> Solution:
        """Thermographs of all nodes of `graph`."""
        return solve(self.graph)

    @cached_property
    def value(self) -> RegionValue:
        """Count, miai value, type, correct moves, stops."""
        return region_value(
            self.area,
            self.black,
            self.white,
            stones=self.stones,
            kos_matter=self.kos_matter,
            region=self.region,
            grid=self.grid,
            exact=self.exact,
            assumptions=self.assumptions,
            seconds=self.seconds,
        )


def local_game(
    board: Board,
    region: Iterable[int],
    *,
    node_limit: int = NODE_LIMIT,
    seconds: float = SECONDS,
    ko_nodes: int = KO_NODES,
    keep: bool = False,
    guess: bool = False,
) -> LocalGame:
    """The exact game of `region`; stones outside it are safe and everything outside is settled.

    Raises RegionError for a region that is none, RegionTooLarge where it cannot be held at all, and
    OutOfBudget where `node_limit` positions or `seconds` did not suffice. With `keep` the result holds on
    to all positions, which `lines` needs. With `guess` a search that does not get through is followed by
    one of sensible moves, whose answer is never exact and says so, instead of OutOfBudget.
    """
    compiled()
    began = time.perf_counter()
    deadline = began + seconds
    region = list(region)
    further, spaces = _spaces(board, region)
    found = _of_spaces(spaces, node_limit, deadline, ko_nodes, keep=keep, guess=guess)
    if further is not None and found.space is spaces[0] and found.answer.exact:
        spent = time.perf_counter() - began
        found = _with_walls_further(
            further, found, spent, node_limit, deadline, ko_nodes, keep=keep, guess=guess
        )
    answer, space = found.answer, found.space
    doubts = answer.said if answer.exact or answer.said else (REPETITION,)
    tight = len(space.points) < len(spaces[0].points)
    if tight:
        doubts += (TIGHT,)
    return LocalGame(
        grid=board.grid,
        region=space.region,
        stones=space.stones,
        area=answer.area,
        black=answer.black,
        white=answer.white,
        kos_matter=answer.kos_matter,
        graph=found.graph,
        exact=answer.exact and not tight,
        assumptions=space.assumptions + doubts,
        positions=found.positions,
        empty=space.empty,
        seconds=time.perf_counter() - began,
        search=found.search,
    )


@dataclass(frozen=True)
class _Found:
    space: Space
    answer: Answer
    graph: Graph
    positions: int
    search: Search | None


def _spaces(board: Board, region: list[int]) -> tuple[Space | None, list[Space]]:
    """The region with its walls as far out as they go, if that makes a difference; and from wide to tight."""
    spaces: list[Space] = []
    for reach in (Reach.WIDE, Reach.TIES, Reach.NONE):
        space = make_space(board, region, reach)
        if all(space.points != other.points for other in spaces):
            spaces.append(space)
    try:
        further = make_space(board, region, Reach.FAR)
    except RegionTooLarge:
        return None, spaces
    return (None if further.points == spaces[0].points else further), spaces


def _with_walls_further(
    space: Space,
    nearer: _Found,
    spent: float,
    node_limit: int,
    deadline: float,
    ko_nodes: int,
    *,
    keep: bool,
    guess: bool,
) -> _Found:
    """The answer with the walls a step further out, where that makes a move worth more or less.

    Empty points that act as walls make chains safe that may be short of liberties. If a move is worth the
    same without that, by a search of sensible moves if need be, the `nearer` proof stands: it counts least
    of what happens outside the region. Else it was due to the walls.
    """

    def until(times: float, more: float) -> float:
        return min(deadline, time.perf_counter() + times * spent + more)

    proved = nearer.answer.area.temperature
    try:
        found = _solved(space, node_limit, until(*FURTHER), ko_nodes, [], keep=keep, last=False)
        return found if found.answer.area.temperature != proved else nearer
    except OutOfBudget:
        if not guess:
            return nearer
    likely = _likely(LazySearch(space.sensible()), node_limit, until(*FURTHER_GUESS), ko_nodes)
    if likely is None or likely.answer.area.temperature == proved:
        return nearer
    said = (*likely.answer.said, WALLS_MATTER.format(worth=max(Fraction(0), proved - TERRITORY_TAX)))
    return replace(likely, answer=replace(likely.answer, said=said))


def _of_spaces(
    spaces: list[Space], node_limit: int, deadline: float, ko_nodes: int, *, keep: bool, guess: bool
) -> _Found:
    """The answer for the first space that gets one; the widest come first.

    For a guess the sensible moves of the widest come next. What they prove, or half prove, is nearer to
    the truth than a proof with tight walls. The last resort is the search with the narrowest bounds.
    """
    reason = OutOfBudget("no time")
    open_ones: list[LazySearch] = []
    for i, space in enumerate(spaces):
        searches: list[LazySearch] = []
        until = _share(deadline, len(spaces) - i + (guess and i == 0))
        try:
            return _solved(space, node_limit, until, ko_nodes, searches, keep=keep, last=i + 1 == len(spaces))
        except OutOfBudget as error:
            reason = error
        for search in searches:
            if agreed(*search.bounds()):
                return _guessed(search)
        open_ones += searches
        if guess and i == 0:
            likely = LazySearch(space.sensible())
            if found := _likely(likely, node_limit, _share(deadline, len(spaces)), ko_nodes):
                return found
            open_ones.append(likely)
    if not guess or not open_ones:
        raise reason
    return _guessed(min(open_ones, key=LazySearch.width))


def _share(deadline: float, parts: int) -> float:
    """When the first of so many equal parts of the time is over."""
    now = time.perf_counter()
    return now + (deadline - now) / parts


def _likely(search: LazySearch, node_limit: int, deadline: float, ko_nodes: int) -> _Found | None:
    """What a search of sensible moves says, if it comes to an end or one of its bounds says the same."""
    try:
        search.solve(node_limit=node_limit, deadline=deadline)
    except OutOfBudget:
        if search.stuck:
            with suppress(OutOfBudget):
                answer, graph = _with_kos(search, deadline, ko_nodes)
                answer = replace(answer, exact=False, said=search.guessed().said)
                return _Found(search.space, answer, graph, len(search), None)
        if not search.half_proved():
            return None
    return _guessed(search)


def _guessed(search: LazySearch) -> _Found:
    net = search.net("guessed")
    graph = reduced(net, thermographs(net), search.first_moves(), search.shift, limit=MOST_NODES)
    return _Found(search.space, search.guessed(), graph, len(search), None)


def _solved(
    space: Space,
    node_limit: int,
    deadline: float,
    ko_nodes: int,
    searches: list[LazySearch],
    *,
    keep: bool,
    last: bool,
) -> _Found:
    """The answer for a space: all positions if they are few, else those that matter.

    A search that opens only those is put into `searches`, for what it knows without an answer.
    """
    enumerated = ENUMERATED_OF_FEW if len(space.points) <= FEW_POINTS else ENUMERATED
    try:
        return _all_positions(space, min(enumerated, node_limit), deadline, ko_nodes, keep)
    except OutOfBudget:
        if node_limit <= enumerated or time.perf_counter() > deadline:
            raise
    search = LazySearch(space)
    searches.append(search)
    try:
        answer = search.solve(node_limit=node_limit, deadline=deadline)
        net = search.net("white")
        graph = reduced(net, thermographs(net), search.moves, search.shift, limit=MOST_NODES)
    except OutOfBudget:
        if not search.stuck:
            raise
        try:
            answer, graph = _with_kos(search, deadline, ko_nodes)
        except OutOfBudget:
            if not last:
                raise
            return _all_positions(space, node_limit, deadline, ko_nodes, keep)
    kept = Search(space, search.first, search.dig, search.values(), search.dig.table) if keep else None
    return _Found(space, answer, graph, len(search), kept)


def _with_kos(search: LazySearch, deadline: float, ko_nodes: int) -> tuple[Answer, Graph]:
    """Kos decided with the rest White's, and with the rest Black's: if that is one answer."""
    found = []
    for rest in ("white", "black"):
        net = search.net(rest)
        values = thermographs(net, deadline=deadline)
        graph = reduced(net, values, search.first_moves(), search.shift, limit=ko_nodes)
        found.append((with_kos(graph), graph))
    if not alike(found[0][0], found[1][0]):
        raise OutOfBudget("kos leave the answer open")
    return found[0]


def _all_positions(space: Space, node_limit: int, deadline: float, ko_nodes: int, keep: bool) -> _Found:
    """The answer from the graph of all positions."""
    first = space.first.copy()
    settle(space.beside, first)
    p = explore(space.beside, first, node_limit=node_limit, deadline=deadline)
    values = thermographs(p, deadline=deadline)
    shift = space.settled + int(first[SCORE])
    moves = root_moves(space, first, p)
    answer = without_search(values, moves, shift, lambda: kos_decide(p, p, values.bounds(0)[0], deadline))
    graph = reduced(p, values, moves, shift, limit=MOST_NODES if answer else ko_nodes)
    return _Found(
        space, answer or with_kos(graph), graph, len(p), Search(space, first, p, values) if keep else None
    )


@cache
def compiled() -> None:
    """See to it that a compiler does not eat the time of a region: a ko of two points, all the way."""
    board = Board(4)
    points = {name: board.grid.parse(name) for name in ("B4", "B3", "A2", "A3", "C4", "A4")}
    board.setup(black=[points["B3"], points["A2"]], white=[points["A3"], points["C4"]])
    space = make_space(board, [points["A4"], points["A3"], points["B4"]])
    first = space.first.copy()
    settle(space.beside, first)
    p = explore(space.beside, first, node_limit=100, deadline=float("inf"))
    values = thermographs(p)
    reduced(p, values, root_moves(space, first, p), 0, limit=100)
    search = LazySearch(space)
    search.solve(node_limit=100, deadline=float("inf"))
    search.sweep()


__all__ = [
    "LocalGame",
    "OutOfBudget",
    "RegionError",
    "RegionTooLarge",
    "local_game",
]
