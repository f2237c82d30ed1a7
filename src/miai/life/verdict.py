"""Is the group alive? The questions to the search that make a verdict, and how their answers combine.

    verdict = Solver(problem, seconds=10).verdict()

For each side moving first, the search is asked twice: once with the attacker exempt from the ko ban,
once with the defender. Survival under the first is survival whatever the ko threats; capture under the
second is death whatever they are; in between it is ko. What survives may have two eyes or be in seki,
which is a third search, and a ko needs more searches, with threats counted. `Solver` asks in the order
of importance and spends one budget on all; a question that was not answered leaves UNKNOWN behind,
never a guess. `words` turns a verdict into a sentence, `proof` into an SGF tree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from miai.go.board import Board
from miai.go.coords import COLOUR_LETTERS, opponent
from miai.life.asking import Asker
from miai.life.compiling import compile_first
from miai.life.problem import Problem
from miai.life.search import Budget, Goal, Memory, Prover, Winner

DEFAULT_SECONDS = 10.0
DEFAULT_MEMORY = 1024  # MB, all tables together
MOST_THREATS = 3  # threats are counted up to here
FOR_THE_LINE = 0.05  # of the budget
OPEN = (None, False)  # of `Solver.outcome`


class Result(StrEnum):
    """What becomes of the target when one side moves first."""

    ALIVE = "alive"  # it gets two eyes, or lives by double ko
    SEKI = "seki"  # it cannot be captured and cannot get two eyes
    DEAD = "dead"
    KO = "ko"
    UNKNOWN = "unknown"


class Status(StrEnum):
    """Both results in one word."""

    ALIVE = "alive"
    DEAD = "dead"
    UNSETTLED = "unsettled"  # who moves first decides
    KO = "ko"
    SEKI = "seki"
    UNKNOWN = "unknown"


class KoRule(StrEnum):
    """Who is exempt from the ko ban: both in turn, to find kos, or only one."""

    BOTH = "both"
    ATTACKER = "attacker"
    DEFENDER = "defender"


@dataclass(frozen=True)
class Ko:
    """What a ko depends on."""

    favoured: int | None = None  # who wins it when nobody has a threat, and so takes first
    threats: int | None = None  # how many threats the other side needs; None if more than MOST_THREATS
    counted: bool = False  # were threats counted to the end?
    moves: tuple[int, ...] = ()  # the first moves that win with the fewest threats; () if not decided

    @property
    def kind(self) -> str:
        """direct: one threat turns it; indirect: several, for approach moves or for kos in a row.

        endless: more than MOST_THREATS do not turn it, as where a false eye can be retaken for ever.
        """
        if self.threats is None:
            return "endless" if self.counted else "undecided"
        return "direct" if self.threats == 1 else "indirect"


@dataclass(frozen=True)
class First:
    """What becomes of the target when `player` moves first."""

    player: int
    result: Result = Result.UNKNOWN
    moves: tuple[int, ...] = ()  # every first move that reaches it, PASS among them where none is needed;
    #                              where the result is UNKNOWN, moves proved to win at least by ko
    undecided: tuple[int, ...] = ()  # moves that might, too: the budget ran out
    ko: Ko | None = None
    survives: bool | None = None  # whatever the threats; None for a ko or where it is not decided
    # alive in that it survives whatever the threats, and gets two eyes against up to MOST_THREATS of them
    double_ko: bool = False


@dataclass(frozen=True)
class Verdict:
    """All that was found out about a problem."""

    problem: Problem
    status: Status
    attacker_first: First
    defender_first: First
    line: tuple[int, ...]  # best play of both, until nothing is left to decide
    nodes: int
    seconds: float

    @property
    def board(self) -> Board:
        return self.problem.board

    @property
    def first(self) -> First:
        """The side to move first."""
        attacks = self.problem.to_move == self.problem.attacker
        return self.attacker_first if attacks else self.defender_first

    @property
    def moves(self) -> tuple[int, ...]:
        return self.first.moves

    def to_json(self) -> dict[str, Any]:
        """Plain data, with GTP names; docs/life.md says what each entry means."""
        problem, grid = self.problem, self.problem.board.grid
        return {
            "name": problem.name,
            "size": list(problem.board.size),
            "defender": COLOUR_LETTERS[problem.defender],
            "target": grid.names(list(problem.target)),
            "region": grid.names(list(problem.region)),
            "framed": problem.framed,
            "to_move": COLOUR_LETTERS[problem.to_move],
            "status": self.status.value,
            "attacker_first": self._first_json(self.attacker_first),
            "defender_first": self._first_json(self.defender_first),
            "moves": grid.names(list(self.moves)),
            "line": grid.names(list(self.line)),
            "nodes": self.nodes,
            "seconds": round(self.seconds, 3),
        }

    def _first_json(self, first: First) -> dict[str, Any]:
        grid = self.problem.board.grid
        ko = None
        if first.ko is not None:
            favoured = first.ko.favoured
            ko = {
                "kind": first.ko.kind,
                "takes_first": None if favoured is None else COLOUR_LETTERS[favoured],
                "needs_threats": None if favoured is None else COLOUR_LETTERS[opponent(favoured)],
                "threats": first.ko.threats,
                "moves": grid.names(list(first.ko.moves)),
            }
        return {"result": first.result.value, "moves": grid.names(list(first.moves)), "ko": ko}


# the questions ----------------------------------------------------------------------------------


class Solver(Asker):
    """Asks what a verdict on one problem needs, within one budget."""

    def __init__(
        self,
        problem: Problem,
        *,
        ko: KoRule = KoRule.BOTH,
        nodes: int | None = None,
        seconds: float | None = None,
        memory: int = DEFAULT_MEMORY,
        tighter: Memory | None = None,
        advised: bool = False,
    ) -> None:
        """`tighter`: what a solver remembers of the same problem in a tighter frame, for hints. `advised`: a
        network says where to look first, which pays in large regions."""
        if nodes is None and seconds is None:
            seconds = DEFAULT_SECONDS
        compile_first(problem)
        budget = Budget.up_to(nodes, seconds)
        super().__init__(problem, budget=budget, memory=memory, tighter=tighter, advised=advised)
        self.ko = ko
        self.found: First | None = None

    @property
    def wanted(self) -> Result:
        """What the side to move hopes for."""
        return Result.DEAD if self.problem.to_move == self.attacker else Result.ALIVE

    def first(self) -> First:
        """What becomes of the target if the side to move begins. Threats of a ko are left for `verdict`."""
        if self.found is None:
            mover = self.problem.to_move
            self.settle(mover, share=0.5)
            if self.outcome(mover) == OPEN:
                self.settle(opponent(mover), share=0.35)
                self.settle(mover, share=0.8)  # with what the other side taught
            moves = self.moves(mover, share=0.6)
            kind = self.kind(mover, share=0.4)
            moves = self.finer_moves(mover, *kind, *moves)
            self.found = First(mover, kind[0], *moves, None, self.outcome(mover)[0], kind[1])
        return self.found

    def verdict(self) -> Verdict:
        """Ask everything, the most important first."""
        mover = self.problem.to_move
        other = opponent(mover)
        whole = self.budget
        self.budget = whole.part(1 - FOR_THE_LINE)
        begins = self.first()
        self.settle(other, share=0.35)
        kind = self.kind(other, share=0.4)
        moves = self.finer_moves(other, *kind, *self.moves(other, share=0.5))
        answers = First(other, kind[0], *moves, None, self.outcome(other)[0], kind[1])
        sides = {
            side.player: replace(side, ko=self.count_threats(side.player))
            if side.result is Result.KO
            else side
            for side in (begins, answers)
        }
        attacker_first, defender_first = sides[self.attacker], sides[self.defender]
        whole.spent += self.budget.spent
        self.budget = whole.part(1.0)
        line = self.line(mover, begins.result, begins.double_ko)
        whole.spent += self.budget.spent
        self.budget = whole
        return Verdict(
            self.problem,
            combine(attacker_first, defender_first),
            attacker_first,
            defender_first,
            line,
            self.budget.spent,
            self.budget.elapsed,
        )

    def settle(self, player: int, *, share: float) -> None:
        """Ask who wins when `player` begins: unconditionally first, then with ko threats of its own.

        Where the first question stays open, the second may still show moves that win at least by ko.
        """
        for exempt in self.assumptions(player):
            if self.survives(player, exempt, share=share) == (player == self.defender):
                return  # won: a ko is not needed

    def assumptions(self, player: int) -> tuple[int, ...]:
        """Who is exempt from the ko ban, the harder for `player` first."""
        if self.ko is KoRule.ATTACKER:
            return (self.attacker,)
        if self.ko is KoRule.DEFENDER:
            return (self.defender,)
        return opponent(player), player

    def outcome(self, player: int) -> tuple[bool | None, bool]:
        """Does the target survive when `player` begins (None: not known, or a ko), and is it a ko?"""
        exempt = self.assumptions(self.defender)  # the harder for the defender first
        hard, easy = self.known(player, exempt[0]), self.known(player, exempt[-1])
        if hard is False and easy is True:
            return None, True
        return (True if hard else False if easy is False else None), False

    def kind(self, player: int, *, share: float) -> tuple[Result, bool]:
        """The result when `player` begins, and whether it is life by double ko."""
        survives, is_ko = self.outcome(player)
        if is_ko:
            return Result.KO, False
        if survives is None:
            return Result.UNKNOWN, False
        if not survives:
            return Result.DEAD, False
        exempt = self.defender if self.ko is KoRule.DEFENDER else self.attacker
        eyes = self.survives(player, exempt, goal=Goal.TWO_EYES, share=share)
        if eyes is None:
            return Result.UNKNOWN, False
        if eyes or self.ko is KoRule.DEFENDER:
            return Result.ALIVE if eyes else Result.SEKI, False
        # Survival is proved, and threats without end keep it from two eyes. Proved as well: whether
        # MOST_THREATS do. If not, it is called double ko; if they do, seki.
        answer = self.ask(self.counted((MOST_THREATS, 0), Goal.TWO_EYES), player, share=share)
        if answer.winner is Winner.UNKNOWN:
            return Result.UNKNOWN, False
        return (Result.ALIVE, True) if answer.winner is Winner.DEFENDER else (Result.SEKI, False)

    # moves --------------------------------------------------------------------------------------

    def winning_search(self, player: int) -> Prover | None:
        """The search in which `player`, moving first, wins, without a ko if possible; None if it loses."""
        for exempt in self.assumptions(player):
            if self.known(player, exempt) == (player == self.defender):
                return self.prover(exempt)
        return None

    def moves(self, player: int, *, share: float) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Every winning first move, and those that the budget left open."""
        prover = self.winning_search(player)
        return ((), ()) if prover is None else self.winning_moves(prover, player, share=share)

    def finer_moves(
        self,
        player: int,
        result: Result,
        double_ko: bool,
        moves: tuple[int, ...],
        undecided: tuple[int, ...],
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Where two eyes and seki differ: the attacker's moves to seki; no move of the defender's to it."""
        eyes = self.eyes_search(player, result, double_ko)
        if eyes is None:
            return moves, undecided
        if player == self.attacker:
            return self.winning_moves(eyes, player, share=0.5)
        seki = set()
        for tried, move in enumerate(moves):
            answer = self.ask(eyes, player, [move], share=0.5 / (len(moves) - tried))
            if answer.winner is Winner.ATTACKER:
                seki.add(move)
        return tuple(move for move in moves if move not in seki), undecided

    def eyes_search(self, player: int, result: Result, double_ko: bool) -> Prover | None:
        """The search that tells two eyes from seki, where `player` gets what it wants by it."""
        prevents = player == self.attacker and result is Result.SEKI
        makes = player == self.defender and result is Result.ALIVE and not double_ko
        if not (prevents or makes):
            return None
        return self.prover(self.defender if self.ko is KoRule.DEFENDER else self.attacker, Goal.TWO_EYES)

    def line(self, mover: int, result: Result, double_ko: bool) -> tuple[int, ...]:
        """Best play of both; () where nothing is proved."""
        prover = self.eyes_search(mover, result, double_ko) or self.winning_search(mover)
        if prover is not None:
            return self.follow(prover, mover, mover)
        if self.outcome(mover)[0] is None:
            return ()
        return self.follow(self.prover(self.assumptions(mover)[-1]), mover, opponent(mover))

    # kos ----------------------------------------------------------------------------------------

    def count_threats(self, player: int) -> Ko:
        """Who wins the ko when nobody has a threat, and how many the other side needs.

        Threats never hurt. So the defender's most come first: where even they do not help, as where a false
        eye is retaken for ever, that is all there is to ask.
        """
        attacks, most = player == self.attacker, (0, MOST_THREATS)
        attacker_wins = self._attacker_wins(player, most)
        if attacker_wins:
            return Ko(self.attacker, None, True, self._best_moves(player, most) if attacks else ())
        attacker_wins = None if attacker_wins is None else self._attacker_wins(player, (0, 0))
        if attacker_wins is None:
            return Ko()
        favoured = self.attacker if attacker_wins else self.defender
        before = (0, 0)
        for threats in range(1, MOST_THREATS + 1):
            pair = (0, threats) if attacker_wins else (threats, 0)
            wins = self._attacker_wins(player, pair)
            if wins is None:
                return Ko(favoured)
            if wins != attacker_wins:
                best = self._best_moves(player, before if favoured == player else pair)
                return Ko(favoured, threats, True, best)
            before = pair
        return Ko(favoured, None, True, self._best_moves(player, before) if favoured == player else ())

    def _attacker_wins(self, player: int, threats: tuple[int, int]) -> bool | None:
        answer = self.ask(self.counted(threats), player, share=0.25)
        return None if answer.winner is Winner.UNKNOWN else answer.winner is Winner.ATTACKER

    def _best_moves(self, player: int, threats: tuple[int, int]) -> tuple[int, ...]:
        moves, undecided = self.winning_moves(self.counted(threats), player, share=0.5)
        return () if undecided else moves


def combine(attacker_first: First, defender_first: First) -> Status:
    """The status of a group from what becomes of it when either side begins."""
    a, d = attacker_first.result, defender_first.result
    if a in (Result.ALIVE, Result.SEKI):
        return Status(a.value)  # at least that, whoever begins
    if d is Result.DEAD:
        return Status.DEAD
    if a is Result.DEAD and defender_first.survives:
        return Status.UNSETTLED
    if a is Result.KO and (d is not Result.UNKNOWN or defender_first.survives):
        return Status.KO
    if a is Result.DEAD and d is Result.KO:
        return Status.KO
    return Status.UNKNOWN
