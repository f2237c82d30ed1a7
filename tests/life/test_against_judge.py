"""The solver against the plain judge, on thousands of random enclosed positions.

The judge enumerates everything that can follow a position, so the positions it met on the way are
judged for free: each random position brings a few of those along, deep in the middle of a fight. A
disagreement prints the position; find out which of the two is wrong before touching either.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from life.judge import ATTACKER, DEFENDER, Judge, TooLarge
from life.judge import ENDLESS as JUDGE_ENDLESS
from life.positions import Position, legal, positions
from miai.go.board import Board
from miai.go.coords import BLACK, NO_POINT, PASS, WHITE
from miai.life import space, tree
from miai.life.problem import Problem
from miai.life.search import ENDLESS, Answer, Budget, Goal, Memory, Prover, Winner
from miai.life.space import POINTS, WORDS, lay_out

SIDES = ("attacker", "defender")
EXEMPT = ((ENDLESS, 0), (0, ENDLESS))
COUNTED = ((0, 0), (1, 0), (0, 1), (1, 1))
MEMORY = 8  # MB, a table for each question
MANY = 190  # numbers to scatter points over


class Batch(NamedTuple):
    """A number of random walls, and of positions met while judging each."""

    seed: int
    walls: int
    fewest: int  # empty points
    most: int
    most_states: int  # leave a wall out whose judging takes more
    more: int  # positions on the way

    def __str__(self) -> str:
        return f"{self.fewest}-{self.most}-empty-seed-{self.seed}"


class Case(NamedTuple):
    """A position with the judge that knows it, by a number."""

    position: Position
    judge: Judge
    number: int
    black_attacks: bool

    @property
    def problem(self) -> Problem:
        board = Board(self.position.width, self.position.height)
        attacker = [board.grid.point(*point) for point in self.position.attacker]
        defender = [board.grid.point(*point) for point in self.position.defender]
        black, white = (attacker, defender) if self.black_attacks else (defender, attacker)
        board.setup(black=black, white=white)
        target = tuple(sorted(board.grid.point(*point) for point in self.position.target))
        region = tuple(sorted(board.grid.point(*point) for point in self.position.region))
        return Problem(board, target, region, BLACK if self.black_attacks else WHITE)

    def attacker_wins(
        self, first: int, threats: tuple[int, int], goal: Goal, number: int = -1, ban: int = 0
    ) -> bool:
        """The judge's answer; for another board of the same wall, if a number is given."""
        left = tuple(JUDGE_ENDLESS if count == ENDLESS else count for count in threats)
        number = self.number if number < 0 else number
        if goal is Goal.SURVIVE:
            return self.judge.captures(number, first, threats=left, ban=ban)
        return not self.judge.makes_eyes(number, first, threats=left, ban=ban)

    def told(self, first: int, threats: tuple[int, int], goal: Goal, truth: bool, answer: Answer) -> str:
        judged = SIDES[ATTACKER if truth else DEFENDER]
        return (
            f"\n{self.position}\n{SIDES[first]} first, {'black' if self.black_attacks else 'white'} attacks, "
            f"threats {threats}, goal: {goal.value}\njudge: {judged} wins; solver: {answer}"
        )


def cases(batch: Batch) -> Iterator[Case]:
    dice = random.Random(batch.seed)
    walls = positions(batch.seed, batch.walls, fewest=batch.fewest, most=batch.most)
    for i, position in enumerate(walls):
        judge = position.judge(batch.most_states)
        try:
            judge.captures(judge.start, ATTACKER, threats=(JUDGE_ENDLESS, 0))
            judge.captures(judge.start, DEFENDER, threats=(0, JUDGE_ENDLESS))
        except TooLarge:
            continue
        whole = [n for n in range(1, len(judge.boards)) if judge.boards[n][2] == judge.target]
        whole.remove(judge.start)
        whole.sort(key=lambda n: (judge.boards[n][0] | judge.boards[n][1]).bit_count())
        whole = whole[: max(2 * batch.more, len(whole) // 4)]  # rather those with more room to play
        for number in (judge.start, *dice.sample(whole, min(batch.more, len(whole)))):
            met = position.at(judge, number)
            if legal(met):  # the wall may have lost its last liberty; to the judge it is safe all the same
                yield Case(met, judge, number, black_attacks=i % 2 == 0)


def check(
    case: Case, threats: tuple[int, int], goal: Goal, memory: Memory | int = MEMORY, **settings: int
) -> None:
    """Both movers; the solver keeps its table between the two. `settings`: by their names in `tree`."""
    problem = case.problem
    prover = Prover(problem, threats=threats, goal=goal, memory=memory)
    for name, value in settings.items():
        prover.tree[0]["settings"][getattr(tree, name)] = value
    for first, colour in ((ATTACKER, problem.attacker), (DEFENDER, problem.defender)):
        try:
            truth = case.attacker_wins(first, threats, goal)
        except TooLarge:
            continue
        answer = prover.ask(colour)
        wanted = Winner.ATTACKER if truth else Winner.DEFENDER
        assert answer.winner is wanted, case.told(first, threats, goal, truth, answer)


BATCHES = (
    Batch(seed=11, walls=600, fewest=1, most=4, most_states=3_000, more=4),
    Batch(seed=12, walls=560, fewest=5, most=6, most_states=5_000, more=6),
    Batch(seed=13, walls=70, fewest=7, most=8, most_states=15_000, more=25),
)
LEAST_CHECKED = {11: 2_000, 12: 2_400, 13: 600}  # 5,000 in all


@pytest.mark.slow
@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_agreement_with_either_side_exempt_from_the_ko_ban(batch: Batch) -> None:
    checked = set()
    for case in cases(batch):
        for threats in EXEMPT:
            check(case, threats, Goal.SURVIVE)
        checked.add(case.position)
    print(f"{len(checked)} positions agree")
    assert len(checked) >= LEAST_CHECKED[batch.seed], len(checked)


FEW = (
    Batch(seed=21, walls=150, fewest=2, most=5, most_states=2_000, more=3),
    Batch(seed=22, walls=12, fewest=6, most=8, most_states=6_000, more=6),
)


@pytest.mark.slow
@pytest.mark.parametrize("batch", FEW, ids=str)
def test_agreement_with_counted_threats(batch: Batch) -> None:
    for case in cases(batch):
        for threats in COUNTED:
            check(case, threats, Goal.SURVIVE)


def scattered(problem: Problem) -> npt.NDArray[np.void]:
    """The layout of a problem with its points numbered all over the place, as if the region were large."""
    layout = lay_out(problem)
    s = layout[0]
    count = len(problem.region)
    place = np.random.default_rng(count).permutation(MANY)[:count]

    def moved(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
        bits = np.unpackbits(words.view(np.uint8), bitorder="little")
        found = np.zeros_like(bits)
        found[place] = bits[:count]
        return np.packbits(found, bitorder="little").view(np.uint64)

    for name in ("left", "inside", "by_friend", "by_foe", "by_void"):
        s[name][:] = moved(s[name])
    for row in s["stones"]:
        row[:] = moved(row)
    around = [moved(row) for row in s["around"][:count]]
    points = s["point"][:count].copy()
    s["around"][:], s["point"][:] = 0, 0
    s["around"][place], s["point"][place], s["bit"][points] = around, points, place
    s["within"][:] = MANY
    s["facts"][POINTS], s["facts"][WORDS] = MANY, (MANY + 63) // 64
    return layout


@pytest.mark.slow
@pytest.mark.parametrize("goal", Goal)
@pytest.mark.parametrize("batch", FEW, ids=str)
def test_agreement_where_sets_have_several_words(
    batch: Batch, goal: Goal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(space, "lay_out", scattered)
    for case in cases(batch):
        memory = Memory(case.problem, MEMORY)
        assert int(memory.layout[0]["facts"][WORDS]) > 1
        for threats in (*EXEMPT, (0, 0), (1, 1)):
            check(case, threats, goal, memory)


@pytest.mark.slow
@pytest.mark.parametrize("batch", FEW, ids=str)
def test_agreement_about_two_eyes(batch: Batch) -> None:
    for case in cases(batch):
        for threats in (*EXEMPT, (0, 0), (1, 1)):
            check(case, threats, Goal.TWO_EYES)


@pytest.mark.slow
@pytest.mark.parametrize("goal", Goal)
@pytest.mark.parametrize("batch", FEW, ids=str)
def test_moves_that_are_said_to_win_do_win(batch: Batch, goal: Goal) -> None:
    """The move of an answer, judged; and every first move, asked of the solver and judged."""
    for case in cases(batch):
        problem = case.problem
        grid = problem.board.grid
        for threats in (*EXEMPT, (0, 0)):
            prover = Prover(problem, threats=threats, goal=goal, memory=MEMORY)
            for first, colour in ((ATTACKER, problem.attacker), (DEFENDER, problem.defender)):
                answer = prover.ask(colour)
                wins = answer.winner is (Winner.ATTACKER if first == ATTACKER else Winner.DEFENDER)
                assert wins == (answer.move != NO_POINT), case.told(first, threats, goal, not wins, answer)
                after = {
                    grid.point(*point): (number, ban)
                    for bit, number, ban in case.judge.moves(case.number, first)
                    for point in case.position.region
                    if case.judge.bit(point) == bit
                }
                first_moves = list(after)
                for shared in (False, True):
                    fresh = Prover(problem, threats=threats, goal=goal, memory=MEMORY)
                    winners = fresh.decide(colour, first_moves, budget=Budget(), shared=shared)
                    for move, winner in winners.items():
                        number, ban = after[move]
                        truth = not number or case.attacker_wins(1 - first, threats, goal, number, ban)
                        told = case.told(first, threats, goal, truth, answer)
                        assert (winner is Winner.ATTACKER) == truth, f"{told}\nby {grid.name(move)}"
                after[PASS] = (case.number, 0)
                assert not wins or answer.move in after, case.told(first, threats, goal, not wins, answer)
                for move, (number, ban) in after.items():
                    truth = case.attacker_wins(1 - first, threats, goal, number, ban)
                    if wins and move == answer.move:
                        assert truth == (first == ATTACKER), case.told(first, threats, goal, truth, answer)
                    if number:  # else the target is gone: there is nothing left to ask
                        later = prover.ask(colour, [move])
                        told = case.told(first, threats, goal, truth, later)
                        name = grid.name(move) if move != PASS else "pass"
                        wanted = Winner.ATTACKER if truth else Winner.DEFENDER
                        assert later.winner is wanted, f"{told}\nafter {name}"


ZONES = (
    Batch(seed=23, walls=250, fewest=2, most=6, most_states=2_500, more=3),
    Batch(seed=24, walls=40, fewest=6, most=8, most_states=6_000, more=8),
)


@pytest.mark.slow
@pytest.mark.parametrize("goal", Goal)
@pytest.mark.parametrize("batch", ZONES, ids=str)
def test_nothing_outside_the_zone_matters(batch: Batch, goal: Goal) -> None:
    """Whatever is put on the region's other points, the same side wins: the promise of `zones`."""
    dice = random.Random(batch.seed)
    changed = 0
    for case in cases(batch):
        problem = case.problem
        position, judge, grid = case.position, case.judge, problem.board.grid
        for threats in EXEMPT:
            prover = Prover(problem, threats=threats, goal=goal, memory=MEMORY)
            for first, colour in ((ATTACKER, problem.attacker), (DEFENDER, problem.defender)):
                answer = prover.ask(colour)
                zone = {grid.row_column(point) for point in answer.zone}
                free = sorted(position.region - zone - position.target)
                for _ in range(6 if free else 0):
                    sides = position.attacker & position.region, position.defender & position.region
                    stones = [set(side) - set(free) for side in sides]
                    for point in free:
                        put = dice.choice((ATTACKER, DEFENDER, None))
                        if put is not None:
                            stones[put].add(point)
                    number = judge.board(*stones)
                    if not judge.legal(number):
                        continue
                    try:
                        truth = case.attacker_wins(first, threats, goal, number)
                    except TooLarge:
                        continue
                    changed += 1
                    wanted = Winner.ATTACKER if truth else Winner.DEFENDER
                    told = case.told(first, threats, goal, truth, answer)
                    names = [grid.name(point) for point in sorted(answer.zone)]
                    now = position.at(judge, number)
                    assert answer.winner is wanted, f"zone {names}, changed to\n{now}\nfrom{told}"
    print(f"{changed} changed positions keep their winner")
    assert changed > 100
