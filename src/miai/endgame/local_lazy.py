"""The exact value of a region without looking at all its positions: drives `local_descend`.

Positions are opened where the value is in doubt until the lower and the upper bound of the first one
agree and the correct moves are known. What was opened is then a graph like that of `local_graph`, with
every position that was not opened standing at its lower (or its upper) bound; its value is the same
either way. Where the budget ends first, the guess remains.
"""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np

from miai.endgame.local_answer import Answer, agreed, kos_decide, root_moves, undecided, without_search
from miai.endgame.local_descend import BLACK_TURN, BOTH, FULL, WHITE_TURN, dig_on
from miai.endgame.local_dig import (
    BANS,
    EDGES,
    FACTS_LENGTH,
    FAILED,
    NODES,
    OPENED,
    SEED,
    UNOPENED,
    Dig,
    enter,
    sweep,
)
from miai.endgame.local_graph import FREE_SLOT, Net, OutOfBudget, find, rehash
from miai.endgame.local_hold import make_table, settle_all
from miai.endgame.local_moves import SCORE, STATE_LENGTH, settle
from miai.endgame.local_reduce import RootMoves
from miai.endgame.local_space import Space
from miai.endgame.local_thermo import Bound, Graphs, Values
from miai.endgame.local_walls import SCALE, Array, grown, make_scratch, make_shapes, thermograph_of
from miai.endgame.thermograph import Thermograph
from miai.endgame.values import Option

DESCENTS = 50  # between two looks at the clock; each opens several positions
LOOK_EVERY, LOOK_FIRST = 1.01, 300  # times as many positions opened, and so many more: then ask if it is done
SWEEP_EVERY, SWEEP_FIRST = 1.5, 1_000  # times as many positions opened, and so many more: then correct all
SWEPT = 2_000  # positions between two looks at the clock
STUCK = 3_000  # descents in a row that found nothing to open
NO_EDGE = 1 << 60  # fills the list of bans, so that it stays sorted
FIRST_SEED = 12345

MOVES_OPEN = "Count and miai value are proved; the correct moves and the type are not."
SENSIBLE_ONLY = "A guess, from {positions:,} positions: only moves near stones of both sides were looked at."
GUESSED = (
    "The search was cut short after {positions:,} positions: the value is a guess, by area between"
    " {low} and {high}."
)


class LazySearch:
    """A best-first search of one region."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.first = space.first.copy()  # the settled position of node 0
        table = make_table()
        settle(space.beside, self.first)
        settle_all(space.beside, self.first, table, np.zeros(2, dtype=np.int64))
        self.shift = space.settled + int(self.first[SCORE])
        self.shapes, self.scratch = make_shapes(1 << 14), make_scratch()
        self.dig = make_dig(space.beside, table, 1 << 14, 1 << 17, 1 << 12)
        self.dig.facts[SEED] = FIRST_SEED
        find(self.dig.state, self.dig.slots, self.dig.facts, self.first)
        enter(self.dig, 0, self.shapes, self.scratch, np.zeros(2, dtype=np.int64))
        self.moves: RootMoves = ([], [])
        self.stuck = False  # nothing to open is left, but the bounds differ: kos

    def __len__(self) -> int:
        return int(self.dig.facts[NODES])

    def solve(self, *, node_limit: int, deadline: float) -> Answer:
        """The answer, once it is proved. Raises OutOfBudget."""
        swept = look = 0
        roots = self._roots([])
        while True:
            if dig_on(self.dig, self.shapes, self.scratch, roots, DESCENTS) == FULL:
                self._grow()
            facts = self.dig.facts
            stuck = facts[FAILED] >= STUCK
            if facts[OPENED] > SWEEP_EVERY * swept + SWEEP_FIRST or stuck:
                swept = int(facts[OPENED])
                self.sweep(deadline)
            due = facts[OPENED] >= look or facts[FAILED]
            if due:
                look = int(LOOK_EVERY * facts[OPENED]) + LOOK_FIRST
            if due and agreed(*self.bounds()):
                values = self.values()
                answer = without_search(
                    values,
                    self.first_moves(),
                    self.shift,
                    lambda: self._kos_decide(deadline),
                    in_territory=True,
                )
                if answer is not None:
                    return answer
                roots = self._roots(undecided(values, self.moves, self.shift))
            if stuck:
                self.stuck = True
                raise OutOfBudget("kos leave the bounds apart")
            if len(self) > node_limit:
                raise OutOfBudget(f"more than {node_limit:,} positions")
            if time.perf_counter() > deadline:
                raise OutOfBudget(f"out of time after {len(self):,} positions")

    def guessed(self) -> Answer:
        """What is most likely: the value too, or only the moves, where the bounds agree on the value."""
        low, high = self.bounds()
        known = agreed(low, high)
        dig = self.dig
        values = Values(self.values().graphs, self.shapes, dig.guess, dig.guess)
        area = high if known else self.guess()
        sides = [
            tuple(
                Option(
                    label,
                    wall.right if black else wall.left,
                    values.bounds(node, self.shift + gain)[0],
                    bool(ko),
                )
                for node, gain, ko, label in row
                for wall in values.after(0, node, gain, ko, self.shift)[:1]
            )
            for black, row in zip((True, False), self.first_moves(), strict=True)
        ]
        if self.space.for_a_guess:
            said = SENSIBLE_ONLY.format(positions=len(self))
        elif known:
            said = MOVES_OPEN
        else:
            said = GUESSED.format(positions=len(self), low=low.mean, high=high.mean)
        return Answer(area, sides[0], sides[1], kos_matter=False, exact=False, said=(said,))

    def half_proved(self) -> bool:
        """Is the guess what one of the bounds says, too?"""
        low, high = self.bounds()
        guess = self.guess()
        return agreed(low, guess) or agreed(guess, high)

    def first_moves(self) -> RootMoves:
        """Both sides' moves at node 0, which must be open."""
        if not any(self.moves):
            self.moves = root_moves(self.space, self.first, self.dig, self.dig.table)
        return self.moves

    def _roots(self, open_moves: list[tuple[int, bool]]) -> Array:
        """Where descents begin: the node, whose turn it is there, at which temperature."""
        if not open_moves:
            return np.array([[0, BOTH, 0]], dtype=np.int64)
        when = int(self.bounds()[1].temperature * SCALE)
        turns = [(node, WHITE_TURN if black else BLACK_TURN, when) for node, black in open_moves]
        return np.array([*turns, *((node, BOTH, 0) for node, _ in open_moves)], dtype=np.int64)

    def bounds(self) -> tuple[Thermograph, Thermograph]:
        """The lower and the upper thermograph by area."""
        return self._of(self.dig.low), self._of(self.dig.high)

    def width(self) -> Fraction:
        """How far the bounds on the count are apart."""
        low, high = self.bounds()
        return high.mean - low.mean

    def guess(self) -> Thermograph:
        return self._of(self.dig.guess)

    def values(self) -> Values:
        """The bounds of all positions, opened or not."""
        dig, bans = self.dig, int(self.dig.facts[BANS])
        graphs = dig.graphs._replace(ban=dig.graphs.ban[:bans], ban_from=dig.graphs.ban_from[:bans])
        return Values(graphs, self.shapes, dig.low, dig.high)

    def net(self, unopened: str) -> Net:
        """What was opened as a graph; the rest is "black", "white" or as it was "guessed"."""
        graphs, nodes = self.dig.graphs, len(self)
        start, end = graphs.start[:nodes], graphs.end[:nodes]
        opened = start != UNOPENED
        many = np.where(opened, end - start, 0)
        first = np.concatenate([[0], np.cumsum(many)])
        place = np.arange(first[-1]) + np.repeat(np.where(opened, start, 0) - first[:-1], many)
        bound = {"black": self.dig.high, "white": self.dig.low, "guessed": self.dig.guess}[unopened]
        rest = np.floor_divide(bound.at[:nodes], SCALE)
        return Net(
            score=np.where(opened, graphs.score[:nodes], rest).astype(np.int32),
            room=graphs.room[:nodes].copy(),
            start=first,
            middle=first[:-1] + np.where(opened, graphs.middle[:nodes] - start, 0),
            to=graphs.to[place],
            gain=graphs.gain[place],
            ko=graphs.ko[place],
        )

    def _of(self, bound: Bound) -> Thermograph:
        return thermograph_of(self.shapes, int(bound.shape[0]), int(bound.at[0]) + self.shift * SCALE)

    def _kos_decide(self, deadline: float) -> bool:
        here = self.values().bounds(0)[0]
        return kos_decide(self.net("white"), self.net("black"), here, deadline)

    def sweep(self, deadline: float = float("inf")) -> None:
        """Correct all opened positions, as far as the time goes."""
        left = int(self.dig.facts[OPENED])
        while left and time.perf_counter() < deadline:
            until = max(0, left - SWEPT)
            left = int(sweep(self.dig, self.shapes, self.scratch, left, until))
            if left > until:
                self._grow()

    def _grow(self) -> None:
        """Twice the room where it is more than half used."""
        old, facts = self.dig, self.dig.facts
        sizes = (len(old.visits), len(old.graphs.to), len(old.graphs.ban))
        used = (facts[NODES], facts[EDGES], facts[BANS])
        larger = [2 * size if 2 * many > size else size for size, many in zip(sizes, used, strict=True)]
        new = make_dig(old.beside, old.table, *larger)
        pairs = [(old, new, ("state", "facts", "visits", "opened"))]
        pairs += [(old.graphs, new.graphs, Graphs._fields)]  # type: ignore[list-item]
        pairs += [(getattr(old, b), getattr(new, b), Bound._fields) for b in ("low", "guess", "high")]
        for source, target, names in pairs:
            for name in names:
                array = getattr(source, name)
                getattr(target, name)[: len(array)] = array
        rehash(new.state, new.slots, new.facts)
        self.dig = new
        shapes = self.shapes
        if 2 * shapes.facts[0] > len(shapes.start) or 2 * shapes.facts[1] > len(shapes.t):
            self.shapes = grown(shapes)


def make_dig(beside: Array, table: Array, nodes: int, edges: int, bans: int) -> Dig:
    """Empty arrays of these sizes."""

    def bound() -> Bound:
        return Bound(
            np.zeros(nodes, dtype=np.int32),
            np.zeros(nodes, dtype=np.int64),
            np.zeros(bans, dtype=np.int32),
            np.zeros(bans, dtype=np.int64),
        )

    graphs = Graphs(
        score=np.zeros(nodes, dtype=np.int32),
        room=np.zeros(nodes, dtype=np.int16),
        start=np.zeros(nodes, dtype=np.int64),
        middle=np.zeros(nodes, dtype=np.int64),
        end=np.zeros(nodes, dtype=np.int64),
        to=np.zeros(edges, dtype=np.int32),
        gain=np.zeros(edges, dtype=np.int16),
        ko=np.zeros(edges, dtype=np.int8),
        group=np.zeros(1, dtype=np.int32),
        order=np.zeros(1, dtype=np.int32),
        ban=np.full(bans, NO_EDGE, dtype=np.int64),
        ban_from=np.zeros(bans, dtype=np.int32),
    )
    return Dig(
        beside=beside,
        table=table,
        state=np.zeros((nodes, STATE_LENGTH), dtype=np.int64),
        slots=np.full(4 * nodes, FREE_SLOT, dtype=np.int32),
        facts=np.zeros(FACTS_LENGTH, dtype=np.int64),
        graphs=graphs,
        visits=np.zeros(nodes, dtype=np.int32),
        opened=np.zeros(nodes, dtype=np.int32),
        low=bound(),
        guess=bound(),
        high=bound(),
    )
