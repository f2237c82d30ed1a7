"""Lets the search compile before any clock runs, so that a budget is spent on the problem."""

from __future__ import annotations

from collections.abc import Callable

from miai.life.asking import Asker, spent_on
from miai.life.problem import Problem
from miai.life.search import Budget, Memory
from miai.life.table import STEP, grown

compiled: set[Callable[[Problem], None]] = set()  # parts of the search, see `compile_first`


def compile_first(problem: Problem) -> None:
    """Let the search compile, once, before any clock runs."""
    for part in (compile_search, compile_shares) if problem.frame.room is None else (compile_search,):
        if part not in compiled:
            part(problem)
            compiled.add(part)


def compile_search(problem: Problem) -> None:
    """What every problem needs."""
    asker = Asker(problem, budget=Budget(nodes=2), memory=1)
    prover = asker.prover(problem.attacker)
    asker.ask(prover, problem.to_move)
    prover.decide(problem.to_move, (), budget=Budget(nodes=2))
    spent_on(prover, problem.to_move, ())
    wider = Memory(problem, 1, tighter=asker.memory)
    grown(wider.table, STEP)


def compile_shares(problem: Problem) -> None:
    """What is needed besides where a region is given, which may be large."""
    asker = Asker(problem, budget=Budget(nodes=2), memory=1)
    asker.try_moves(problem.to_move, problem.attacker, share=1.0)
