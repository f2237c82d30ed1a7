"""From a file or a board to the verdict that counts.

    verdict = solve("problem.sgf", seconds=10)
    verdict.status, verdict.defender_first.result, verdict.board.grid.names(verdict.moves)

Where the surroundings were open, the verdict rests on a frame (see `frame`). The tight one is asked first,
since it is the quickest to search, then wider ones with what is left of the budget: see `decide`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from miai.go import sgf
from miai.go.board import Board
from miai.go.coords import grid
from miai.life.problem import Problem, ProblemError, problem_from_board, problem_from_node
from miai.life.search import Budget, Memory
from miai.life.verdict import (
    DEFAULT_MEMORY,
    DEFAULT_SECONDS,
    First,
    KoRule,
    Result,
    Solver,
    Status,
    Verdict,
    compile_first,
)

PATIENCE = 20  # a wider frame may cost so many times what the tighter ones did
AT_LEAST = 0.1  # … or this share of the budget
FOR_HINTS = 0.1  # of the budget for each frame within a given region


def solve(
    source: Problem | Board | Path | str | bytes,
    target: int | str | Iterable[int | str] | None = None,
    *,
    game: int = 1,
    move: int = 0,
    to_move: int | None = None,
    region: Iterable[int | str] | None = None,
    ko: KoRule | str = KoRule.BOTH,
    nodes: int | None = None,
    seconds: float | None = None,
    memory: int = DEFAULT_MEMORY,
) -> Verdict:
    """The verdict on a problem, a board, or an SGF: its path, its bytes, or its text.

    `game` counts from 1 and `move` says after how many moves. Points may be given as GTP names.
    Without `nodes` and `seconds` there are ten seconds; `memory` is in MB.
    """
    problem = read_problem(source, game=game, move=move, to_move=to_move, target=target, region=region)
    return decide(problem, ko=KoRule(ko), nodes=nodes, seconds=seconds, memory=memory)[1]


def decide(
    problem: Problem, *, ko: KoRule, nodes: int | None, seconds: float | None, memory: int
) -> tuple[Solver, Verdict]:
    """The verdict on a problem, and the solver that found it, whose table the proof is in.

    A frame that was found and not given is widened, step by step, while there is budget. What a wider one
    decides goes before what a tighter one did, for it assumes less. In a region that was given and is
    large, frames within it are asked first, for hints only: that one's verdict counts.
    """
    if nodes is None and seconds is None:
        seconds = DEFAULT_SECONDS
    compile_first(problem)
    course = Course(ko, Budget.up_to(nodes, seconds), memory)
    for narrow in problem.narrowed():
        _, verdict = course.ask(narrow, course.share(FOR_HINTS))
        if not is_complete(verdict.first):
            break
    solver, verdict = course.ask(problem, course.whole)
    latest = verdict
    while is_complete(latest.first) and (wider := latest.problem.widened()) is not None:
        asked, latest = course.ask(wider, course.patience(), beside=solver)
        if goes_before(latest, verdict):
            solver, verdict = asked, latest
    return solver, replace(verdict, nodes=course.whole.spent, seconds=course.whole.elapsed)


class Course:
    """One problem in one frame after the other, within one budget; each gives hints to the next."""

    def __init__(self, ko: KoRule, whole: Budget, memory: int) -> None:
        self.ko, self.whole, self.memory = ko, whole, memory
        self.tighter: Memory | None = None

    def ask(self, problem: Problem, budget: Budget, beside: Solver | None = None) -> tuple[Solver, Verdict]:
        """The verdict within this budget, or what is left of the whole one; the solver `beside` is kept."""
        held = {memory for memory in (self.tighter, beside.memory if beside else None) if memory}
        solver = Solver(
            problem,
            ko=self.ko,
            nodes=min(budget.nodes, self.whole.nodes - self.whole.spent),
            seconds=min(budget.seconds, self.whole.seconds - self.whole.elapsed),
            memory=max(1, self.memory - sum(memory.megabytes for memory in held)),
            tighter=self.tighter,
        )
        verdict = solver.verdict()
        self.whole.spent += verdict.nodes
        self.tighter = solver.memory
        return solver, verdict

    def share(self, part: float) -> Budget:
        """A part of the whole budget."""
        return Budget(nodes=int(self.whole.nodes * part), seconds=self.whole.seconds * part)

    def patience(self) -> Budget:
        """What a wider frame is worth, after what the tighter ones cost."""
        least = self.share(AT_LEAST)
        return Budget(
            nodes=max(PATIENCE * self.whole.spent, least.nodes),
            seconds=max(PATIENCE * self.whole.elapsed, least.seconds),
        )


def is_complete(first: First) -> bool:
    """Is it known what becomes of the target, and by which moves?"""
    return first.result is not Result.UNKNOWN and not first.undecided


def goes_before(wider: Verdict, tighter: Verdict) -> bool:
    """Does the wider frame say more than that the tighter one was right, or as much?"""
    now, before = wider.first, tighter.first
    if is_complete(now):
        return wider.status is not Status.UNKNOWN or (now.result, now.moves) != (before.result, before.moves)
    wins = Result.DEAD if now.player == wider.problem.attacker else Result.ALIVE
    return now.result not in (Result.UNKNOWN, before.result) or contradicts(now, before, wins)


def contradicts(now: First, before: First, wins: Result) -> bool:
    """Does a move fail that won, or does one win, if only by ko, that did not even do that?

    `now` is not decided, so its moves win at least by ko; `before` names such moves unless its side
    `wins` without one.
    """
    possible = {*now.moves, *now.undecided}
    fails = bool(possible and set(before.moves) - possible)
    return fails or (before.result is not wins and not set(now.moves) <= set(before.moves))


def read_problem(
    source: Problem | Board | Path | str | bytes,
    *,
    game: int = 1,
    move: int = 0,
    to_move: int | None = None,
    target: int | str | Iterable[int | str] | None = None,
    region: Iterable[int | str] | None = None,
) -> Problem:
    """The problem behind what `solve` takes."""
    if isinstance(source, Problem):
        return source if to_move is None else replace(source, to_move=to_move)
    stones = [target] if isinstance(target, int | str) else list(target or ())
    marked = list(region or ())
    if isinstance(source, Board):
        parse = source.grid.parse
        return problem_from_board(
            source,
            [p if isinstance(p, int) else parse(p) for p in stones] or None,
            region=[p if isinstance(p, int) else parse(p) for p in marked] or None,
            to_move=to_move,
        )
    if isinstance(source, bytes) or (isinstance(source, str) and source.lstrip().startswith("(")):
        data = source
    else:
        data = Path(os.fspath(source)).read_bytes()
    collection = sgf.parse(data)
    if not 0 < game <= len(collection.games):
        if collection.error is not None:
            raise collection.error
        raise ProblemError(f"there is no game {game}: there are {len(collection.games)}")
    root = collection.games[game - 1]
    names = grid(*root.size()).name
    return problem_from_node(
        root,
        to_move=to_move,
        target=[p if isinstance(p, str) else names(p) for p in stones],
        region=[p if isinstance(p, str) else names(p) for p in marked],
        move=move,
    )
