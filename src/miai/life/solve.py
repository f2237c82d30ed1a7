"""From a file or a board to the verdict that counts.

    verdict = solve("problem.sgf", seconds=10)
    verdict.status, verdict.defender_first.result, verdict.board.grid.names(verdict.moves)

Where the surroundings were open, the verdict rests on a frame (see `frame`). The tight one is asked first,
since it is the quickest to search, then wider ones with what is left of the budget: see `decide`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from miai.go import sgf
from miai.go.board import Board
from miai.go.coords import grid
from miai.life.climbing import climb
from miai.life.compiling import compile_first
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
)

PATIENCE = 60  # a wider frame may cost so many times what the tighter ones did
AT_LEAST = 0.5  # … or this share of the budget
FOR_CLIMBING = 0.8  # of the budget, for frames within a given region
FOR_THE_REST = 0.7  # of what is left, so that something stays for what comes after


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
    large, `climb` comes first, and the verdict on the region counts.
    """
    if nodes is None and seconds is None:
        seconds = DEFAULT_SECONDS
    compile_first(problem)
    course = Course(ko, Budget.up_to(nodes, seconds), memory)
    course.climb(problem)
    asked = [course.ask(problem, course.whole)]  # those that may count, the best last
    latest = asked[0]
    while is_complete(latest.first()) and (wider := latest.problem.widened()) is not None:
        latest = course.ask(wider, course.patience(asked[-1]), beside=asked)
        if goes_before(latest.first(), asked[-1].first(), latest.wanted):
            asked = [*asked[-1:], latest] if is_the_same(latest.first(), asked[-1].first()) else [latest]
    return course.complete(asked)


class Course:
    """One problem in one frame after the other, within one budget; each gives hints to the next."""

    def __init__(self, ko: KoRule, whole: Budget, memory: int) -> None:
        self.ko, self.whole, self.memory = ko, whole, memory
        self.tighter: Memory | None = None
        self.climbed = False  # the region was given and is large

    def ask(self, problem: Problem, budget: Budget, beside: Sequence[Solver] = ()) -> Solver:
        """What becomes of the target if the side to move begins, within this budget, or what is left of the
        whole one; the solvers `beside` it are kept."""
        held = {memory for memory in (self.tighter, *(solver.memory for solver in beside)) if memory}
        solver = Solver(
            problem,
            ko=self.ko,
            nodes=min(budget.nodes, self.whole.nodes - self.whole.spent),
            seconds=min(budget.seconds, self.whole.seconds - self.whole.elapsed),
            memory=max(1, self.memory - sum(memory.megabytes for memory in held)),
            tighter=self.tighter,
            advised=self.climbed,
        )
        solver.first()
        self.whole.spent += solver.budget.spent
        self.tighter = solver.memory
        return solver

    def climb(self, problem: Problem) -> None:
        """Learn from frames within the region, if it is large and was given."""
        budget = self.share(FOR_CLIMBING)
        self.tighter = climb(problem, self.ko, budget, self.memory)
        self.climbed = self.tighter is not None
        self.whole.spent += budget.spent

    def complete(self, asked: Sequence[Solver]) -> tuple[Solver, Verdict]:
        """The whole verdict of the last of those that were asked and say the same of the side to move; or, if
        the status is not decided there, of one before it."""
        for solver in reversed(asked):
            part = FOR_THE_REST if solver is not asked[0] else 1.0
            solver.budget = self.whole.part(part)
            verdict = solver.verdict()
            self.whole.spent += verdict.nodes
            if verdict.status is not Status.UNKNOWN:
                break
        return solver, replace(verdict, nodes=self.whole.spent, seconds=self.whole.elapsed)

    def share(self, part: float) -> Budget:
        """A part of the whole budget."""
        return Budget(nodes=int(self.whole.nodes * part), seconds=self.whole.seconds * part)

    def patience(self, tighter: Solver) -> Budget:
        """What a wider frame is worth, after what the tighter ones cost: all there is, if the side to move
        can do nothing in them, for that is seldom meant."""
        most = self.whole.part(FOR_THE_REST)
        if tighter.first().result is not tighter.wanted and not tighter.first().moves:
            return most
        least = self.share(AT_LEAST)
        return Budget(
            nodes=min(most.nodes, max(PATIENCE * self.whole.spent, least.nodes)),
            seconds=min(most.seconds, max(PATIENCE * self.whole.elapsed, least.seconds)),
        )


def is_complete(first: First) -> bool:
    """Is it known what becomes of the target, and by which moves?"""
    return first.result is not Result.UNKNOWN and not first.undecided


def is_the_same(now: First, before: First) -> bool:
    return (now.result, now.moves, now.undecided) == (before.result, before.moves, before.undecided)


def goes_before(now: First, before: First, wins: Result) -> bool:
    """Does a wider frame say as much as the tighter one did `before`, or contradict it? The side to move
    wants the result `wins`."""
    other_result = now.result not in (Result.UNKNOWN, before.result)
    return is_complete(now) or other_result or contradicts(now, before, wins)


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
