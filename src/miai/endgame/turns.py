"""Who is to move where, under which ko ban: the equations that thermographs of kos have to solve.

A node of a `Graph` is a position; a `Turn` adds the player to move and what the ko rule tells him.
`rules_of` writes down, for each turn, the turns that moves lead to and the one that a turn elsewhere
leads to. `kos.py` solves these equations for walls, `zero.py` for the values at temperature 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import NamedTuple

from miai.endgame.graph import Graph, as_number
from miai.endgame.thermograph import Number, plain


class Threats(Enum):
    """Who has ko threats.

    NEUTRAL: nobody, or both the same: after a ko capture the other side plays elsewhere once.
    …_MASTER: that side may retake a ko at once, but having done so must go on there, turn after turn,
    until it makes a move that takes no ko (Berlekamp's komaster: threats enough to win, none to spare).
    …_MONSTER: that side may retake every ko at once and is in no hurry.
    """

    NEUTRAL = "neutral"
    BLACK_MASTER = "black komaster"
    WHITE_MASTER = "white komaster"
    BLACK_MONSTER = "black komonster"
    WHITE_MONSTER = "white komonster"

    def is_master(self, black: bool) -> bool:
        return self is (Threats.BLACK_MASTER if black else Threats.WHITE_MASTER)

    def is_monster(self, black: bool) -> bool:
        return self is (Threats.BLACK_MONSTER if black else Threats.WHITE_MONSTER)


class Ban(IntEnum):
    """What the ko rule says to the player to move."""

    NONE = 0
    BARRED = 1  # may not retake
    LICENSED = 2  # a komaster: may retake, and then owes a move here
    BARRED_BY_DEBTOR = 3  # may not retake from a komaster who owes a move here
    BOUND = 4  # a komaster who must move here


class Turn(NamedTuple):
    """Who is to move where, under which ban."""

    black: bool
    node: int
    back: int | None = None  # the node that retaking would lead to
    ban: Ban = Ban.NONE

    def best(self, results: Iterable[Number]) -> Number:
        """The result that the player to move would choose."""
        return max(results) if self.black else min(results)


@dataclass(slots=True)
class Rule:
    """What a turn is worth: the best for its player of what it leads to."""

    turn: Turn
    moves: list[Turn]  # where moves lead; each costs its player the temperature
    elsewhere: Turn | None  # where a turn elsewhere leads; None: not allowed


@dataclass(slots=True)
class Rules:
    """The rules of one strongly connected part of a graph."""

    pairs: list[tuple[Rule, Rule, Number]]  # Black's free turn at a node, White's, the score if both stop
    banned: list[Rule]  # turns under a ban

    def all(self) -> list[Rule]:
        return [rule for black, white, _ in self.pairs for rule in (black, white)] + self.banned


def rules_of(graph: Graph, threats: Threats, part: list[int]) -> Rules:
    """Write down the rules of one strongly connected part."""
    inside = set(part)
    banned: dict[Turn, Rule] = {}

    def after(black: bool, node: int, to: int, ko: bool, owing: bool = False) -> Turn:
        """The turn that a move leads to; makes the rules for turns under a ban on the way."""
        retakes = graph.right(to) if black else graph.left(to)
        if not ko or to not in inside or node not in retakes or threats.is_monster(not black):
            return Turn(not black, to)
        if threats.is_master(not black):
            ban = Ban.LICENSED
        else:
            ban = Ban.BARRED_BY_DEBTOR if owing else Ban.BARRED
        turn = Turn(not black, to, node, ban)
        if turn not in banned:
            banned[turn] = rule = Rule(turn, [], Turn(black, to))
            rule.moves = moves_of(turn)
            if owing:
                rule.elsewhere = bound(black, to)
        return turn

    def bound(black: bool, node: int) -> Turn:
        turn = Turn(black, node, None, Ban.BOUND)
        if not graph.edges(node, black):
            return Turn(black, node)
        if turn not in banned:
            banned[turn] = rule = Rule(turn, [], None)
            rule.moves = moves_of(turn)
        return turn

    def moves_of(turn: Turn) -> list[Turn]:
        licensed, indebted = turn.ban is Ban.LICENSED, turn.ban is Ban.BOUND
        return list(
            dict.fromkeys(
                after(turn.black, turn.node, to, ko, owing=indebted or (licensed and to == turn.back))
                for to, ko, _ in graph.edges(turn.node, turn.black)
                if licensed or to != turn.back
            )
        )

    pairs = []
    for node in part:
        black, white = Turn(True, node), Turn(False, node)
        stop = plain(as_number(graph.score[node]))
        pairs.append((Rule(black, moves_of(black), white), Rule(white, moves_of(white), black), stop))
    return Rules(pairs, list(banned.values()))
