"""Learning the habits of the life-and-death search from its own proofs.

    learn(problems, WEIGHTS_FILE)

Each problem is searched. In every position of its proofs where the winner is to move, the proof names one
move, and the other legal ones near the target are its rivals. The weights are those under which the
proof's moves are most likely, as in a multinomial regression; L2 keeps rare classes near zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from miai.addresses import record_at
from miai.files import InputError, records, sources
from miai.go.coords import EMPTY, NO_POINT, PASS
from miai.kernel import kernel
from miai.life.habits import FEATURES, GROUPS, NEAR, STARTS, describe
from miai.life.problem import Problem, ProblemError, problem_from_node
from miai.life.search import ENDLESS, Budget, Memory, Prover, Winner
from miai.life.space import (
    ATTACKER,
    GAME,
    MAX_DEPTH,
    PLIES,
    POINTS,
    TURN,
    back_to_start,
    legal,
    play,
    position_key,
    start_from,
    unplay,
)
from miai.life.table import ENTRY, find

MOST_ROWS = 1 << 18  # moves described in one proof
MOST_CHOICES = 150  # positions used of one proof, so that no problem outweighs the others
REACH = 4  # how far from the target a rival may be, as in the search
SCALE = 16
FOLDS = 5  # one problem in so many is kept back, to measure


@dataclass(frozen=True)
class Choices:
    """Moves, grouped by the position they were a choice of."""

    classes: npt.NDArray[np.int64]  # [moves, FEATURES]
    group: npt.NDArray[np.int64]  # [moves] the position's number
    chosen: npt.NDArray[np.bool_]  # [moves] the proof's move
    attacks: npt.NDArray[np.bool_]  # [moves] the attacker's
    source: npt.NDArray[np.int64]  # [moves] the problem's number


@kernel
def walk(s, table, seen, last, before, rows, filled):  # type: ignore[no-untyped-def]
    """Describe the choices of the proof below a decided position; `filled` counts rows and positions."""
    place = find(table, position_key(s), s.check[0], s.facts[GAME])
    if place < 0 or seen[place] or s.facts[PLIES] >= MAX_DEPTH - 2:
        return
    seen[place] = True
    entry = record_at(table.entry, place, ENTRY)
    winning = entry.phi == 0
    if not winning and entry.delta != 0:
        return
    best = np.int64(entry.move) if winning else np.int64(NO_POINT)
    if winning and entry.work > 1 and best > PASS and filled[0] + s.facts[POINTS] < len(rows):
        filled[1] += 1
        for bit in range(s.facts[POINTS]):
            point = np.int64(s.point[bit])
            if s.board.colour[point] != EMPTY or not legal(s, point):
                continue
            if s.near[point] > REACH and point != best:
                continue
            row = rows[filled[0]]
            describe(s, point, last, before, row)
            row[FEATURES] = filled[1]
            row[FEATURES + 1] = (1 if point == best else 0) + (2 if s.facts[TURN] == s.facts[ATTACKER] else 0)
            filled[0] += 1
    for bit in range(-1, s.facts[POINTS]):
        point = np.int64(PASS) if bit < 0 else np.int64(s.point[bit])
        if winning and point != best:
            continue
        if point != PASS and (s.board.colour[point] != EMPTY or not legal(s, point)):
            continue
        play(s, point)
        walk(s, table, seen, point, last, rows, filled)
        unplay(s)


@kernel
def walk_from(spaces, tables, first, seen, rows, filled):  # type: ignore[no-untyped-def]
    start_from(spaces, first, np.zeros(0, dtype=np.int64))
    walk(spaces[0], tables[0], seen, np.int64(0), np.int64(0), rows, filled)
    back_to_start(spaces)


def choices_of(problem: Problem, nodes: int, dice: np.random.Generator) -> list[npt.NDArray[np.int64]]:
    """The described moves of what is proved about a problem, an array for each question."""
    memory = Memory(problem, 128)
    found = []
    for threats in ((ENDLESS, 0), (0, ENDLESS)):
        for first in (problem.attacker, problem.defender):
            prover = Prover(problem, threats=threats, memory=memory)
            if prover.ask(first, budget=Budget(nodes=nodes)).winner is Winner.UNKNOWN:
                continue
            rows = np.zeros((MOST_ROWS, FEATURES + 2), dtype=np.int64)
            filled = np.zeros(2, dtype=np.int64)
            seen = np.zeros(memory.table.entries, dtype=np.bool_)
            walk_from(prover.space, memory.table.places, first, seen, rows, filled)
            rows = rows[: filled[0]]
            groups = np.unique(rows[:, FEATURES])
            if len(groups) > MOST_CHOICES:
                rows = rows[np.isin(rows[:, FEATURES], dice.choice(groups, MOST_CHOICES, replace=False))]
            found.append(rows)
    return found


def gather(problems: Iterable[Problem], *, nodes: int, done: Callable[[int], None]) -> Choices:
    """Search the problems and describe the choices of their proofs."""
    dice = np.random.default_rng(7)
    parts = []
    groups = 0
    for number, problem in enumerate(problems):
        for rows in choices_of(problem, nodes, dice):
            if len(rows):
                rows[:, FEATURES] += groups
                groups = int(rows[-1, FEATURES])
                parts.append(np.column_stack([rows, np.full(len(rows), number)]))
        done(1)
    if len({int(part[0, -1]) for part in parts}) < FOLDS:
        raise InputError("problems", f"fewer than {FOLDS} were decided: name more, or raise --nodes")
    table = np.concatenate(parts)
    mark = table[:, FEATURES + 1]
    return Choices(table[:, :FEATURES], table[:, FEATURES], mark % 2 == 1, mark >= 2, table[:, -1])


def fit(choices: Choices, *, steps: int = 200, decay: float = 2e-5) -> tuple[npt.NDArray[np.float64], float]:
    """[side, class] weights, and how often they rank the proof's move first in problems they did not see."""
    import torch

    columns = choices.classes + np.array(STARTS[:-1]) + np.where(choices.attacks, STARTS[-1], 0)[:, None]
    index = torch.from_numpy(columns)
    groups, inverse = np.unique(choices.group, return_inverse=True)
    group, chosen = torch.from_numpy(inverse), torch.from_numpy(choices.chosen)
    unseen = torch.zeros(len(groups), dtype=torch.bool)
    fold = np.unique(choices.source, return_inverse=True)[1] % FOLDS
    unseen[group[torch.from_numpy(fold == 0)]] = True
    weights = torch.zeros(2 * STARTS[-1], requires_grad=True)
    optimiser = torch.optim.Adam([weights], lr=0.05)
    for _ in range(steps):
        optimiser.zero_grad()
        score = weights[index].sum(1)
        top = torch.full((len(groups),), -1e9).scatter_reduce(0, group, score.detach(), "amax")
        total = torch.zeros(len(groups)).index_add(0, group, torch.exp(score - top[group])).log() + top
        loss = torch.zeros(len(groups)).index_add(0, group[chosen], (total[group] - score)[chosen])
        (loss[~unseen].mean() + decay * (weights**2).sum()).backward()
        optimiser.step()
    right = torch.zeros(len(groups))
    right[group[chosen]] = (score.detach() >= top[group] - 1e-6)[chosen].float()
    return weights.detach().numpy().reshape(2, -1).astype(np.float64), float(right[unseen].mean())


def problems_in(arguments: Sequence[str]) -> list[Problem]:
    """The problems of these files; what states none is left out."""
    found = []
    for argument in arguments:
        for record in records(sources(argument)):
            try:
                found.append(problem_from_node(record.root))
            except ProblemError:
                continue
    if not found:
        raise InputError(", ".join(arguments), "states no problem: name SGF files with AB, AW, PL and MA")
    return found


def learn(
    problems: Iterable[Problem],
    out: Path,
    *,
    nodes: int = 50_000,
    done: Callable[[int], None] = lambda count: None,
) -> tuple[int, float]:
    """Gather, fit and write the weights; returns the number of choices, and `fit`'s score."""
    choices = gather(problems, nodes=nodes, done=done)
    weights, first = fit(choices)
    # beyond the reach of the search's first moves there are no rivals to learn from: further is less likely
    start = STARTS[NEAR]
    for further in range(REACH + 1, GROUPS[NEAR]):
        weights[:, start + further] = weights[:, start + REACH] - 0.3 * (further - REACH)
    rounded = np.clip(np.round(weights * SCALE), -127, 127).astype(np.int8)
    np.savez_compressed(out, weights=rounded)
    return len(np.unique(choices.group)), first
