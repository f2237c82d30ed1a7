"""Frames within a large region that was given, searched in turns.

A group that lives mostly does so within a few points, and what is proved of it there, away from the fence,
is proved of the region (see `carry_over`). But which frame is the right one? In the tightest it may be dead,
which takes long to prove; a wide one is large. So each frame gets a turn, the tight ones first, and every
round is longer than the last. What one finds out the next one learns.

And which is the first move? The one that seems easiest may do so for long and be wrong, where the right one
takes a moment once it is looked at. So for most of a turn every first move gets its share.
"""

from __future__ import annotations

from collections.abc import Iterator

from miai.life.problem import Problem
from miai.life.search import Budget, Memory
from miai.life.verdict import OPEN, KoRule, Solver

FIRST_TURN = 20_000  # nodes
LONGER = 4  # times as long is the turn of the next round
FOR_MOVES = 0.6  # of a turn, for each first move by itself
FOR_ONE = 0.8  # of the rest, for one of the questions
LONG_ENOUGH = 0.6  # of the budget, where only first moves are still open


def climb(problem: Problem, ko: KoRule, budget: Budget, memory: int) -> Memory | None:
    """Ask what becomes of the target if the side to move begins, and by which moves, in frames within the
    region. Returns what the widest has learned; None if the region is not large or was not given.

    `memory` is in MB, for all frames together.
    """
    frames = problem.narrowed()
    solvers: list[Solver] = []
    idle = 0  # turns in a row in which nothing was left to search
    for turn, number in turns(len(frames)):
        decided = len(solvers) == len(frames) and is_decided(solvers[-1])
        if budget.left == 0 or idle == len(frames) or (decided and budget.used > LONG_ENOUGH):
            break
        tighter = solvers[number - 1].memory if number else None
        if number == len(solvers):
            room = memory // (len(frames) + 1)
            solver = Solver(frames[number], ko=ko, nodes=0, memory=room, tighter=tighter, advised=True)
            solvers.append(solver)
        elif tighter is not None:
            solvers[number].memory.learn(tighter)
        solver = solvers[number]
        held = sum(other.memory.megabytes for other in solvers if other is not solver)
        solver.memory.allow((memory - held) // 2)  # the rest is for what others still want
        solver.budget = Budget(min(turn, budget.left), budget.seconds - budget.elapsed)
        solver.try_moves(problem.to_move, solver.assumptions(problem.to_move)[0], share=FOR_MOVES)
        solver.settle(problem.to_move, share=FOR_ONE)
        budget.spent += solver.budget.spent
        idle = 0 if solver.budget.spent else idle + 1
    return solvers[-1].memory if solvers else None


def turns(frames: int) -> Iterator[tuple[int, int]]:
    """How many nodes for which frame next, without end."""
    length = FIRST_TURN
    while frames:
        yield from ((length, number) for number in range(frames))
        length *= LONGER


def is_decided(solver: Solver) -> bool:
    """Is it known what becomes of the target if the side to move begins?"""
    return solver.outcome(solver.problem.to_move) != OPEN
