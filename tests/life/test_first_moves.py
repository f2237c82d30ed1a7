"""Deciding every first move: that none is forgotten, and that those one would play get their share.

Whether the answers are right is for the judge to say: see `test_against_judge`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from life.test_shapes import problem_from_shape
from miai.go.coords import EMPTY
from miai.life import space
from miai.life.first_moves import CHEAP, LOSES, OPEN, PROMISING, WINS, decide_moves, share_out, weigh
from miai.life.search import ENDLESS, Prover

WIDE = """
    X X X X X X .
    o o o o o X .
    . . . . o X .
    . . . . o X .
    . . . . o X ."""
NODES, STRETCH = 20_000, 1_000


def at_the_start() -> tuple[Prover, npt.NDArray[np.int64]]:
    """A search that shows the position, and the defender's first moves there."""
    problem = problem_from_shape(WIDE)
    prover = Prover(problem, threats=(ENDLESS, 0), memory=16)
    space.start_from(prover.space, problem.defender, np.zeros(0, dtype=np.int64))
    return prover, np.array([p for p in problem.region if problem.board[p] == EMPTY], dtype=np.int64)


def test_every_move_gets_its_share() -> None:
    """Of the open moves the one searched next is always the one that has had least for how likely it is."""
    prover, moves = at_the_start()
    found, work, rarity = (np.zeros(len(moves), dtype=np.int64) for _ in range(3))
    tables = prover.memory.table.places
    weigh(prover.space[0], prover.tree[0], tables[0], moves, rarity)
    assert rarity.min() == 16 < rarity.max()
    still_open = len(moves)
    for _ in range(4 * NODES // STRETCH):
        if not still_open:
            break
        still_open = int(share_out(prover.space, prover.tree, tables, moves, found, work, STRETCH // 10))
        is_open = found == OPEN
        assert np.count_nonzero(is_open) == still_open
        had, least = work[is_open] * rarity[is_open], ((work + 1) * rarity)[is_open].min(initial=1 << 40)
        assert np.all(had <= least + (STRETCH // 10 + 1) * rarity[is_open])
    assert work.sum() > 2 * STRETCH, "too easy to tell"
    assert WINS in found and set(found.tolist()) <= {OPEN, WINS, LOSES}


def test_both_turns_get_as_much() -> None:
    """The move that is cheapest to decide and the one that is cheapest to win with share the nodes, over
    one stretch of the search after the other."""
    prover, moves = at_the_start()
    found, spent = np.zeros(len(moves), dtype=np.int64), np.zeros(2, dtype=np.int64)
    still_open = len(moves)
    for _ in range(NODES // STRETCH):
        if still_open:
            arguments = (prover.space, prover.tree, prover.memory.table.places, moves, found, spent, STRETCH)
            still_open = int(decide_moves(*arguments))
        assert np.count_nonzero(found == OPEN) == still_open
        assert abs(int(spent[CHEAP] - spent[PROMISING])) <= STRETCH + 1
    assert spent.sum() > 2 * STRETCH, "too easy to tell"
    assert set(found.tolist()) <= {OPEN, WINS, LOSES}
