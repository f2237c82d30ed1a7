"""Frames within a large region that was given, searched in turns.

A group that lives mostly does so within a few points, and what is proved of it there, away from the fence,
is proved of the region (see `carry_over`). But which frame is the right one? In the tightest it may be dead,
which takes long to prove; a wide one is large. So each frame gets a turn, the tight ones first, and every
round is longer than the last. What one finds out the next one learns.
"""

from __future__ import annotations

from miai.life.problem import Problem
from miai.life.search import Budget, Memory
from miai.life.verdict import OPEN, KoRule, Solver

FIRST_TURN = 20_000  # nodes
LONGER = 4  # times as long is the turn of the next round
FOR_ONE = 0.8  # of a turn, for one of the questions


def climb(problem: Problem, ko: KoRule, budget: Budget, memory: int) -> Memory | None:
    """Ask what becomes of the target if the side to move begins, in frames within the region, until it is
    known of the widest. Returns what that one has learned; None if the region is not large or was not given.

    `memory` is in MB, for all frames together.
    """
    frames = problem.narrowed()
    solvers: list[Solver] = []
    turn, before = FIRST_TURN, -1
    while before < budget.spent and frames and not (solvers and is_decided(solvers[-1])):
        before = budget.spent
        for number, frame in enumerate(frames):
            tighter = solvers[number - 1].memory if number else None
            if number == len(solvers):
                share = memory // (len(frames) + 1)
                solvers.append(Solver(frame, ko=ko, nodes=0, memory=share, tighter=tighter, advised=True))
            elif tighter is not None and not is_decided(solvers[number]):
                solvers[number].memory.learn(tighter)
            solver = solvers[number]
            held = sum(other.memory.megabytes for other in solvers if other is not solver)
            solver.memory.allow((memory - held) // 2)  # the rest is for what others still want
            solver.budget = Budget(min(turn, budget.left), budget.seconds - budget.elapsed)
            solver.settle(frame.to_move, share=FOR_ONE)
            budget.spent += solver.budget.spent
        turn *= LONGER
    return solvers[-1].memory if solvers else None


def is_decided(solver: Solver) -> bool:
    """Is it known what becomes of the target if the side to move begins?"""
    return solver.outcome(solver.problem.to_move) != OPEN
