"""What the search takes over from earlier searches: patterns are true wherever they stand, and proofs away
from a fence without it; hints, experience and advice may lie."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from unittest import mock

import numpy as np
import numpy.typing as npt
import pytest

from life.test_against_judge import EXEMPT, MEMORY, Batch, Case, cases, check
from miai.go.coords import BLACK, EMPTY, WHITE
from miai.kernel import kernel
from miai.life import search, table, tree
from miai.life.advice import Positions
from miai.life.experience import MOST, NO_MOVE, advice, count, place_of
from miai.life.hints import LOST, NO_HINTS, NOTHING, WON, gather, hint
from miai.life.problem import Problem
from miai.life.search import ENDLESS, Budget, Goal, Memory, Prover
from miai.life.space import MAX_DEPTH

BATCHES = (
    Batch(seed=31, walls=120, fewest=3, most=6, most_states=3_000, more=8),
    Batch(seed=32, walls=12, fewest=7, most=8, most_states=8_000, more=20),
)


def ask_all(case: Case, memory: Memory, goal: Goal) -> None:
    """Every question about a case, all with this memory, against the judge."""
    for threats in (*EXEMPT, (0, 0), (1, 1)):
        check(case, threats, goal, memory)


@pytest.mark.slow
@pytest.mark.parametrize("goal", Goal)
@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_patterns_hold_in_other_positions_of_the_same_wall(batch: Batch, goal: Goal) -> None:
    kept = 0
    for _, met in groupby(cases(batch), key=lambda case: id(case.judge)):
        patterns = None
        for case in met:
            memory = Memory(case.problem, MEMORY)
            if patterns is not None:
                memory.tree[0]["patterns"] = patterns
            ask_all(case, memory, goal)
            patterns = memory.tree[0]["patterns"]
        kept += 0 if patterns is None else int(patterns["kept"].sum())
    assert kept > 400


def tighter_frames(problem: Problem, dice: random.Random, count: int) -> Iterator[Problem]:
    """The problem with a few points fewer: a fence, room that nobody may use, and stones that are safe."""
    others = [point for point in problem.region if point not in problem.target]
    for _ in range(count):
        gone = set(dice.sample(others, min(dice.randint(1, 3), len(others) - 1)))
        fence = frozenset(p for p in gone if problem.board[p] == EMPTY and dice.random() < 0.8)
        region = tuple(p for p in problem.region if p not in gone)
        frame = replace(problem.frame, fence=fence)
        tighter = replace(problem, region=region, frame=frame)
        board = tighter.position()
        if all(board[p] == EMPTY or board.liberties(p) > 0 for p in region):
            yield tighter


@pytest.mark.slow
@pytest.mark.parametrize("goal", Goal)
@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_what_is_proved_away_from_a_fence_is_proved_without_it(batch: Batch, goal: Goal) -> None:
    dice = random.Random(batch.seed)
    carried = 0
    for case in cases(batch):
        for tighter in tighter_frames(case.problem, dice, 3):
            within = Memory(tighter, MEMORY)
            for threats in (*EXEMPT, (0, 0), (1, 1)):
                prover = Prover(tighter, threats=threats, goal=goal, memory=within)
                for first in (BLACK, WHITE):
                    prover.ask(first)
            memory = Memory(case.problem, MEMORY, tighter=within)
            carried += int(memory.table.filled[0])
            ask_all(case, memory, goal)
    assert carried > 300


@pytest.mark.slow
@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_hints_that_lie_change_no_answer(batch: Batch) -> None:
    told = 0
    for case in cases(batch):
        first = Memory(case.problem, MEMORY)
        ask_all(case, first, Goal.SURVIVE)
        lies = first.table.entry.copy()
        lies["phi"], lies["delta"] = first.table.entry["delta"], first.table.entry["phi"]
        memory = Memory(case.problem, MEMORY)
        hints = gather(lies, np.uint64(0), np.uint64(0))
        memory.table.take_hints(hints)
        told += int(np.count_nonzero(hints))
        ask_all(case, memory, Goal.SURVIVE)
    assert told > 2_000


@pytest.mark.slow
@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_bad_advice_changes_no_answer(batch: Batch) -> None:
    dice = np.random.default_rng(7)
    asked = 0

    def say_anything(positions: Positions) -> npt.NDArray[np.float32]:
        nonlocal asked
        asked += len(positions.player)
        return dice.normal(scale=4, size=positions.black.shape).astype(np.float32)

    for case in cases(batch):
        memory = Memory(case.problem, MEMORY)
        memory.take_adviser(say_anything)
        memory.tree[0]["settings"][tree.DEAR] = 1
        # A stretch begins at the top again. So one of a few nodes gets much advice, and may get nowhere; to
        # get somewhere it must be longer than the way down.
        with mock.patch.object(search, "STRETCH", 4):
            prover = Prover(case.problem, threats=(ENDLESS, 0), memory=memory)
            for first in (case.problem.attacker, case.problem.defender):
                prover.ask(first, budget=Budget(nodes=60))
        with mock.patch.object(search, "STRETCH", MAX_DEPTH):
            ask_all(case, memory, Goal.SURVIVE)
    assert asked > 200


@pytest.mark.slow
@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_bad_experience_changes_no_answer(batch: Batch) -> None:
    dice = np.random.default_rng(6)
    for case in cases(batch):
        memory = Memory(case.problem, MEMORY)
        counted = memory.table.experience.view(np.uint8)
        counted[:] = dice.integers(0, MOST, size=counted.shape, endpoint=True)
        ask_all(case, memory, Goal.SURVIVE)


@kernel
def count_in(tables, side, last, answer, won):  # type: ignore[no-untyped-def]
    count(tables[0].experience, 64, side, last, answer, won)


@kernel
def advice_in(tables, side, last, answer):  # type: ignore[no-untyped-def]
    return advice(tables[0].experience, 64, side, last, answer)


def test_experience_prefers_what_won_and_forgets_slowly() -> None:
    some = table.Table(1 << 6, 1)
    for _ in range(3):
        count_in(some.places, 0, 1, 2, 1)
        count_in(some.places, 0, 1, 3, 0)
    said = [advice_in(some.places, 0, 1, answer) for answer in (2, 0, 3)]
    assert said[0] > 0 == said[1] > said[2]
    assert advice_in(some.places, 1, 1, 2) == advice_in(some.places, 0, NO_MOVE, 2) == 0
    count_in(some.places, 1, NO_MOVE, 63, 1)  # the last but those of the other side's last moves
    assert advice_in(some.places, 1, NO_MOVE, 63) > 0 == advice_in(some.places, 0, 63, 63)
    for _ in range(MOST):
        count_in(some.places, 0, 1, 2, 1)
    assert tuple(some.experience[place_of(64, 0, 1, 2)]) == (0, MOST // 2 + 3)  # full after 252, then halved
    for _ in range(MOST):
        count_in(some.places, 0, 1, 2, 0)
    assert advice_in(some.places, 0, 1, 2) < 0


def test_hints_are_found_under_the_changed_keys() -> None:
    entries = np.zeros(3, dtype=table.ENTRY)
    entries["key"], entries["check"] = [7, 8, 9], [70, 80, 90]
    entries["phi"], entries["delta"] = [0, 5, 3], [9, 5, 0]
    entries["games"] = [1, 1, 2 + 8]
    change, other = np.uint64(1 << 40), np.uint64(1 << 50)
    hints = gather(entries, change, other)
    said = [
        hint(hints, np.uint64(key) ^ change, np.uint64(second) ^ other, game)
        for key, second, game in ((7, 70, 1), (7, 70, 2), (8, 80, 1), (9, 90, 2), (9, 90, 8))
    ]
    assert said == [WON, NOTHING, NOTHING, LOST, LOST]
    assert hint(hints, np.uint64(7), np.uint64(70), 1) == NOTHING
    assert hint(NO_HINTS, np.uint64(7), np.uint64(70), 1) == NOTHING


@kernel
def place_in(tables, key, check, games):  # type: ignore[no-untyped-def]
    return table.place_for(tables[0], key, check, games)


@kernel
def find_in(tables, key, check, game):  # type: ignore[no-untyped-def]
    return table.find(tables[0], key, check, game)


def place_for(some: table.Table, key: np.uint64, check: np.uint64, games: int) -> int:
    return int(place_in(some.places, key, check, games))


def find(some: table.Table, key: np.uint64, check: np.uint64, game: int) -> int:
    return int(find_in(some.places, key, check, game))


def test_the_filter_forgets_nothing_when_the_table_grows() -> None:
    dice = np.random.default_rng(5)
    keys = dice.integers(1, 2**63, size=(100, 2), dtype=np.uint64)
    small = table.Table(1 << 13, 1)  # no bucket is full
    for key, second in keys:
        place = place_for(small, key, second, 1)
        small.entry[place]["key"], small.entry[place]["check"], small.entry[place]["games"] = key, second, 1
    large = table.grown(small, 4)
    for key, second in keys:
        assert small.entry[find(small, key, second, 1)]["key"] == key
        assert large.entry[find(large, key, second, 1)]["key"] == key
        assert find(large, key ^ np.uint64(1 << 45), second, 1) == -1


def test_a_result_for_several_games_stands_in_the_table_once() -> None:
    some = table.Table(1 << 6, 1)
    key, check = np.uint64(12345), np.uint64(678)

    def write(games: int, phi: int) -> int:
        place = place_for(some, key, check, games)
        entry = some.entry[place]
        entry["key"], entry["check"], entry["games"], entry["phi"] = key, check, games, phi
        return place

    def read(game: int) -> int | None:
        found = find(some, key, check, game)
        return None if found < 0 else int(some.entry[found]["phi"])

    write(1, phi=7)
    write(2, phi=9)
    assert (read(1), read(2), read(4), some.filled[0]) == (7, 9, None, 2)
    write(1 | 2 | 4, phi=0)  # takes the place of both
    assert (read(1), read(2), read(4), some.filled[0]) == (0, 0, 0, 1)
    write(2, phi=5)  # what holds for the others stays
    assert (read(1), read(2), read(4), some.filled[0]) == (0, 5, 0, 2)
