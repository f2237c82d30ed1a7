"""The coupon stack played out literally: slow and approximate, independent of how `kos.py` solves it.

Coupons of t, t - δ, …, δ, 0 lie on the table. A player moves locally or takes the top one. Values are
computed coupon by coupon from the bottom, each round of local moves by going over all turns until
nothing changes. Without coupons two passes in a row end the game, a turn elsewhere under a ko ban
not counted as one.
"""

from __future__ import annotations

from miai.endgame.graph import Graph
from miai.endgame.turns import Threats

State = tuple[bool, int, int | None]  # Black to move?, node, node that the ban forbids
States = dict[State, tuple[list[State], State]]  # where moves lead, where a turn elsewhere leads


def states_of(graph: Graph, threats: Threats) -> States:
    """Every turn, the turns that moves lead to, and where a turn elsewhere leads."""
    found: States = {}
    todo: list[State] = [(black, node, None) for node in range(len(graph)) for black in (True, False)]
    while todo:
        state = todo.pop()
        if state in found:
            continue
        black, node, barred = state
        moves: list[State] = [
            (not black, to, node if ko and not threats.is_monster(not black) else None)
            for to, ko, _ in graph.edges(node, black)
            if to != barred
        ]
        found[state] = moves, (not black, node, None)
        todo += [*moves, (not black, node, None)]
    return found


def at_the_bottom(graph: Graph, states: States, endless: float) -> dict[State, float]:
    values = {(state, passed): endless for state in states for passed in (False, True)}
    changed = True
    while changed:
        changed = False
        for (state, passed), old in list(values.items()):
            moves, elsewhere = states[state]
            results = [values[move, False] for move in moves]
            results.append(float(graph.score[state[1]]) if passed else values[elsewhere, state[2] is None])
            value = max(results) if state[0] else min(results)
            if value != old:
                values[state, passed] = value
                changed = True
    return {state: values[state, False] for state in states}


def coupon_walls(
    graph: Graph, threats: Threats, *, up_to: int, per_point: int
) -> list[dict[State, float]] | None:
    """The value of every turn with 0, 1, 2, … coupons left; None where endless play decides."""
    states = states_of(graph, threats)
    values = at_the_bottom(graph, states, -1000.0)
    if values != at_the_bottom(graph, states, 1000.0):
        return None
    rounds = [values]
    for coupon in range(1, up_to * per_point + 1):
        t = coupon / per_point
        below, values = values, dict(values)
        for _ in range(6 * len(states)):
            changed = False
            for state, (moves, elsewhere) in states.items():
                results = [values[move] + (-t if state[0] else t) for move in moves] + [below[elsewhere]]
                value = max(results) if state[0] else min(results)
                changed |= abs(value - values[state]) > 1e-9
                values[state] = value
            if not changed:
                break
        else:
            return None
        rounds.append(values)
    return rounds
