"""Playing several regions together by temperature: sentestrat, the orthodox order of moves.

Answer the opponent's last move if it left its region hotter than the environment; otherwise play a
sente, before the opponent takes the reverse sente; otherwise play in the hottest region, by a move
that is correct at that temperature. For regions without kos this loses
at most the temperature at which it starts, and in ordinary endgames nothing (Berlekamp). It is not
always perfect: who gets the last move of a size, the tedomari, is outside what temperatures know.

`choose` finds the next move, `play_out` plays to the end; `search` is perfect play by trying everything,
for boards small enough. Regions are solved graphs (`kos.solve`), by
area; `board.py` gathers the values of a whole board.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from miai.endgame.kos import Solution
from miai.endgame.turns import Ban, Turn

LONGEST = 1000
"""Moves after which a play-out is cut and counted: only endless kos get there."""

MOST_POSITIONS = 20_000
"""Combinations of regions' positions that `search` looks at before it gives up."""

JUST_BELOW = Fraction(4095, 4096)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a region stands: a node of its solved graph, and what the player to move may not do."""

    solution: Solution
    node: int
    barred: int | None = None  # a ko ban, for the player to move

    @property
    def temperature(self) -> Fraction:
        return self.solution.of(self.node).temperature


@dataclass(frozen=True, slots=True)
class Choice:
    """A move: in which region, to which node, on which point."""

    place: int
    to: int
    ko: bool
    label: int
    answers: bool  # it answers the opponent's last move


def choose(
    places: Sequence[Place],
    black: bool,
    *,
    ambient: Fraction | None = None,
    last: int | None = None,
    floor: Fraction | int = 0,
) -> tuple[Choice | None, Fraction]:
    """The orthodox move and the temperature of the environment from now on.

    `ambient` is that temperature so far (None at the start), `last` the region in which the opponent
    has just moved. None is a pass: nothing is hotter than `floor` (0 by area, 1 by territory).
    """
    heats = [place.temperature for place in places]
    hottest = max(heats, default=Fraction(0))
    if ambient is None:
        ambient = hottest
    if last is not None and heats[last] > ambient:
        answer = _best(places[last], black, ambient)
        if answer is not None:
            return Choice(last, *answer, answers=True), ambient
    t = min(ambient, hottest)
    for i in sorted(range(len(places)), key=lambda i: -heats[i]):
        if 0 < heats[i] < t and t > floor and (sente := _sente(places[i], black, t)) is not None:
            return Choice(i, *sente, answers=False), t
    for i in sorted(range(len(places)), key=lambda i: -heats[i]):
        if heats[i] <= floor:
            break
        t = min(ambient, heats[i])
        move = _best(places[i], black, t)
        if move is not None:
            return Choice(i, *move, answers=False), t
    return None, min(ambient, hottest)


def _sente(place: Place, black: bool, t: Fraction) -> tuple[int, bool, int] | None:
    """A move that loses nothing at `t` although the region is cooler, because it must be answered."""
    move = _best(place, black, t)
    if move is None or move[1] or place.solution.of(move[0]).temperature <= t:
        return None
    return move


def _best(place: Place, black: bool, t: Fraction) -> tuple[int, bool, int] | None:
    """The best move there at temperature `t`, None if waiting is better. Ties: the better one lower down."""
    sign = 1 if black else -1
    solution, node = place.solution, place.node
    ranked = []
    for i, (to, ko, label) in enumerate(solution.graph.edges(node, black)):
        if to != place.barred:
            wall = solution.after(black, node, to, ko)
            ranked.append((sign * wall.at(t) - t, sign * wall.at(t * JUST_BELOW), -i, (to, ko, label)))
    waiting = sign * solution.walls[Turn(not black, node)].at(t)
    if not ranked or max(ranked)[0] < waiting:
        return None
    return max(ranked)[3]


def play_out(
    places: Sequence[Place], black: bool, *, floor: Fraction | int = 0
) -> tuple[Fraction, list[tuple[bool, Choice]]]:
    """Play by `choose` for both sides until both pass: the result by area, and the moves.

    With `floor` 1 play stops when only dame are left, and each move more by one side than by the
    other is taken off: the result in territory points, up to the stones there at the start.
    """
    now = list(places)
    ambient: Fraction | None = None
    last: int | None = None
    moves: list[tuple[bool, Choice]] = []
    passes = 0
    while passes < 2 and len(moves) < LONGEST:
        move, ambient = choose(now, black, ambient=ambient, last=last, floor=floor)
        now = [replace(place, barred=None) if place.barred is not None else place for place in now]
        last = None
        if move is None:
            passes += 1
        else:
            passes = 0
            moves.append((black, move))
            place = now[move.place]
            turn = place.solution.turn_after(black, place.node, move.to, move.ko)
            now[move.place] = Place(place.solution, move.to, turn.back if turn.ban is Ban.BARRED else None)
            last = move.place
        black = not black
    result = sum((place.solution.of(place.node).mean for place in now), Fraction(0))
    if floor:
        result -= sum(1 if mover else -1 for mover, _ in moves)
    return result, moves


def search(places: Sequence[Place], black: bool, *, floor: Fraction | int = 0) -> Fraction | None:
    """The result of perfect play, as `play_out` counts it; None if there is too much to try, or a loop.

    Only regions hotter than `floor` are played in: what is left then is a number for each, give or
    take moves that gain nothing.
    """
    known: dict[tuple[tuple[int, ...], bool], Fraction | None] = {}
    solutions = [place.solution for place in places]

    @cache
    def heat(i: int, node: int) -> Fraction:
        return solutions[i].of(node).temperature

    def best(nodes: tuple[int, ...], black: bool) -> Fraction | None:
        key = nodes, black
        if key in known:
            return known[key]  # None while it is being searched: a loop
        if len(known) >= MOST_POSITIONS:
            return None
        known[key] = None
        tax = -floor if black else floor
        results = []
        still = True
        for i, (solution, node) in enumerate(zip(solutions, nodes, strict=True)):
            if heat(i, node) <= floor:
                continue
            still = False
            for to in solution.graph.left(node) if black else solution.graph.right(node):
                result = best((*nodes[:i], to, *nodes[i + 1 :]), not black)
                if result is None:
                    return None
                results.append(result + tax)
        if still:
            pairs = zip(solutions, nodes, strict=True)
            known[key] = sum((solution.of(node).mean for solution, node in pairs), Fraction(0))
        elif results:
            known[key] = max(results) if black else min(results)
        return known[key]

    return best(tuple(place.node for place in places), black)
