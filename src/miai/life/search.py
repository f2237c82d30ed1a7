"""One question to the compiled search, with a budget: who wins, if this side moves first?

    answer = prove(problem, first=BLACK, threats=EXEMPT_ATTACKER(problem))

`Memory` keeps the table between questions about the same problem, so that the second question (is this
other move good too? and if the defender had the ko threats?) is cheap. `verdict` asks the questions that
make a status.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import numpy.typing as npt

from miai.go.coords import NO_POINT, PASS
from miai.life import advice, dfpn, space, table, tree
from miai.life.advice import Adviser
from miai.life.carry_over import bits_there, carry_over, find_proofs, next_to_changes
from miai.life.first_moves import LOSES, OPEN, WINS, decide_moves, share_out
from miai.life.hints import gather
from miai.life.problem import Problem

CHUNK = 4096  # nodes between looks at the clock
STRETCH = 512  # … where an adviser is asked in between; more than MAX_DEPTH, so that each gets further
NO_LIMIT = 1 << 60


class Winner(Enum):
    """Who gets what they want."""

    ATTACKER = "attacker"
    DEFENDER = "defender"
    UNKNOWN = "unknown"


class Goal(Enum):
    """What the defender has to reach."""

    SURVIVE = "survive"  # never be captured; endless play is enough
    TWO_EYES = "two eyes"  # unconditional life; endless play is not enough


ENDLESS = space.ENDLESS


@dataclass
class Budget:
    """What may be spent: nodes and seconds, counted over all questions that share the budget."""

    nodes: int = NO_LIMIT
    seconds: float = float("inf")
    spent: int = 0
    started: float = field(default_factory=time.perf_counter)

    @classmethod
    def up_to(cls, nodes: int | None, seconds: float | None) -> Budget:
        """As a user gives it: None is without limit."""
        return cls(NO_LIMIT if nodes is None else nodes, float("inf") if seconds is None else seconds)

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self.started

    @property
    def left(self) -> int:
        """Nodes that may still be searched; 0 once the time is up."""
        return 0 if self.elapsed >= self.seconds else max(0, self.nodes - self.spent)

    @property
    def used(self) -> float:
        """The share that was spent, of nodes or of time."""
        return max(self.spent / self.nodes, self.elapsed / self.seconds)

    def part(self, share: float) -> Budget:
        """A budget of its own for a share of what is left."""
        nodes = int(self.left * share)
        return Budget(nodes=nodes, seconds=max(0.0, self.seconds - self.elapsed) * share)


@dataclass(frozen=True)
class Answer:
    """The result of one search."""

    winner: Winner
    move: int  # a winning first move, PASS if none is needed, NO_POINT if there is none or it is unknown
    zone: frozenset[int]  # the points the proof depends on
    nodes: int


class Memory:
    """What all searches about one problem share (one is under way at a time): its layout, the path, and the
    table, which grows as far as it may."""

    def __init__(
        self, problem: Problem, megabytes: int, tighter: Memory | None = None, *, advised: bool = False
    ) -> None:
        """`tighter`: of the same problem in a tighter frame, to learn from. `advised`: ask a network about
        dear positions."""
        self.layout = space.lay_out(problem)
        self.tree = tree.make_tree()
        self.limit = megabytes
        words = int(self.layout[0]["facts"][space.WORDS])
        self.most_entries = table.most_entries(megabytes, words)
        self.table = table.Table(min(table.FIRST_ENTRIES, self.most_entries), words)
        self.adviser: Adviser | None = None
        if advised:
            from miai.life.policy import policy_adviser  # only where wanted: a network takes time to load

            points = self.layout[0]["point"][: len(problem.region)]
            self.take_adviser(policy_adviser(problem, points.tolist()))
        if tighter is not None:
            self.learn(tighter)

    def take_adviser(self, adviser: Adviser | None) -> None:
        """From now on let this one say where to look first in dear positions."""
        self.adviser = adviser
        if adviser is not None:
            self.table.take_advice(advice.make_advice())

    def take_advice(self) -> None:
        """Let the adviser answer what the search has noted since the last time."""
        if self.adviser is not None and self.table.advice is not None:
            advice.ask(self.table.advice[0], self.adviser, int(self.layout[0]["facts"][space.POINTS]))

    def learn(self, tighter: Memory) -> None:
        """Take over what was found out within a tighter frame: what holds here, and the rest as hints."""
        here, there = self.layout[0], tighter.layout[0]
        change = (
            here["board"]["hash"][0] ^ there["board"]["hash"][0],
            here["check"][0] ^ there["check"][0],
        )
        known = tighter.table
        proofs = find_proofs(known, next_to_changes(tighter.layout, self.layout))
        hints = gather(known.entry[~proofs], *change)
        self.table.take_hints(hints)
        self.allow(self.limit)
        entries = self.table.entries
        wanted = 2 * int(self.table.filled[0] + np.count_nonzero(proofs))
        factor = min(1 << (wanted // entries).bit_length(), self.most_entries // entries)
        if factor > 1:
            self.table = table.grown(self.table, factor)
        carry_over(known, self.table, proofs, bits_there(tighter.layout, self.layout), *change)

    def allow(self, megabytes: int) -> None:
        """From now on it may take so much; what it has it keeps."""
        entries, words = self.table.entries, self.table.words
        self.limit = megabytes
        self.most_entries = max(
            entries, table.most_entries(megabytes - (self.table.hints.nbytes >> 20), words)
        )

    @property
    def megabytes(self) -> int:
        """What it takes now."""
        entries, words = self.table.entries, self.table.words
        return (int(entries * table.entry_bytes(words)) + self.table.hints.nbytes) >> 20

    def make_room(self) -> None:
        """Let the table grow before it gets crowded."""
        entries = self.table.entries
        if int(self.table.filled[0]) * 2 > entries and entries < self.most_entries:
            self.table = table.grown(self.table, min(table.STEP, self.most_entries // entries))


class Prover:
    """Answers questions about one problem under one ko assumption and goal."""

    def __init__(
        self,
        problem: Problem,
        *,
        threats: tuple[int, int] = (0, 0),
        goal: Goal = Goal.SURVIVE,
        memory: Memory | int = 256,
    ) -> None:
        """`threats`: how often the attacker and the defender may ignore the ko ban; `memory`: one that is
        shared with other searches about the problem, or how many MB."""
        self.problem = problem
        attacker, defender = problem.attacker, problem.defender
        self.looper = defender if goal is Goal.SURVIVE else attacker
        self.threats = {attacker: threats[0], defender: threats[1]}
        self.memory = memory if isinstance(memory, Memory) else Memory(problem, memory)
        self.space = space.make_space(
            self.memory.layout, first=problem.to_move, threats=self.threats, looper=self.looper
        )
        self.tree = self.memory.tree

    def ask(self, first: int, moves: Sequence[int] = (), *, budget: Budget | None = None) -> Answer:
        """Who wins with `first` to move, after the given moves were played from the start?"""
        record = self.tree[0]
        space.start_from(self.space, first, np.array(moves, dtype=np.int64))
        turn = int(self.space[0]["facts"][space.TURN])
        value = 0

        def search(nodes: int) -> bool:
            nonlocal value
            value = int(dfpn.run(self.space, self.tree, self.memory.table.places, nodes))
            return value != 0

        nodes = self._within(budget or Budget(), search)
        if value == 0:
            return Answer(Winner.UNKNOWN, NO_POINT, frozenset(), nodes)
        attacker_wins = (turn == self.problem.attacker) == (value > 0)
        move = int(record["result"][0, 4]) if value > 0 else NO_POINT
        winner = Winner.ATTACKER if attacker_wins else Winner.DEFENDER
        return Answer(winner, move, self._points(record["zone"][0]), nodes)

    def decide(
        self, first: int, moves: Sequence[int], *, budget: Budget, shared: bool = False
    ) -> dict[int, Winner]:
        """Who wins if `first` begins with each of these moves? `shared`: each gets a share of the nodes, by
        how likely it is, whatever comes of it."""
        space.start_from(self.space, first, np.zeros(0, dtype=np.int64))
        points, found = np.array(moves, dtype=np.int64), np.zeros(len(moves), dtype=np.int64)
        spent = np.zeros(len(moves) if shared else 2, dtype=np.int64)
        step = share_out if shared else decide_moves

        def search(nodes: int) -> bool:
            return not step(self.space, self.tree, self.memory.table.places, points, found, spent, nodes)

        self._within(budget, search)
        attacks = first == self.problem.attacker
        winners = {
            OPEN: Winner.UNKNOWN,
            WINS: Winner.ATTACKER if attacks else Winner.DEFENDER,
            LOSES: Winner.DEFENDER if attacks else Winner.ATTACKER,
        }
        return {move: winners[int(result)] for move, result in zip(moves, found, strict=True)}

    def _within(self, budget: Budget, search: Callable[[int], bool]) -> int:
        """Let `search` go on, so many nodes at a time, until it is done or the budget is; returns the nodes.

        The board goes back to the start.
        """
        record, nodes = self.tree[0], 0
        done = False
        try:
            chunk = CHUNK if self.memory.adviser is None else STRETCH
            while not done and (allowance := min(chunk, budget.left)) > 0:
                before = int(record["count"][tree.NODES])
                done = search(allowance)
                spent = int(record["count"][tree.NODES]) - before
                budget.spent += spent
                self.memory.make_room()
                self.memory.take_advice()
                nodes += spent
        finally:
            space.back_to_start(self.space)
        return nodes

    def _points(self, zone: npt.NDArray[np.uint64]) -> frozenset[int]:
        bits = np.flatnonzero(np.unpackbits(zone.view(np.uint8), bitorder="little"))
        return frozenset(self.space[0]["point"][bits].tolist())


__all__ = ["ENDLESS", "NO_POINT", "PASS", "Answer", "Budget", "Goal", "Prover", "Winner"]
