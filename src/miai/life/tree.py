"""The path a proof-number search is on, a row a depth, its settings, and the latest results.

All of it is one record, for that is one address to a kernel: to hand over dozens of arrays at each call
costs as much as the work it is for.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from miai.kernel import as_records
from miai.life.eyes import AREAS
from miai.life.habits import FEATURES
from miai.life.patterns import LATEST
from miai.life.space import MAX_DEPTH, MAX_POINTS, MAX_WORDS

ENDLESS_WORK = 1_000_000_000
UNIT = 8  # the work of one likely move
LARGE = 100_000_000  # what an unproved number may grow to
MOST_BASE = 30_000  # what a first number counts as at most, for the table has 16 bits for it

# places in `count`
NODES, NODE_LIMIT, CAPTURES = 0, 1, 2

# places in `settings`: none changes what is proved, only how soon
NEAR = 0  # how far from the target the first moves of a node may be
WIDEN = 1  # how much longer than its rival, in quarters, a child is kept
EYE, ROOM, SNUG, LIBERTY, NEED = 2, 3, 4, 5, 6  # weights of `guess`, in quarters
WANT_OF_ROOM = 7  # 1: stop at positions that `eyes.hopeless` knows
CUTS = 8  # 1: let a lost pass refute every move outside its zone
DOMINANCE = 9  # 1: leave out moves that another does as well (`dominance.left_out`)
LOOKAHEAD = 10  # 1: look one move ahead for life
REPLAY = 11  # 1: try what refuted a move against the others
FIRST_OWN, FIRST_OTHER = 12, 13  # the first numbers of a likely move, in sixteenths of the node's own
HABIT = 14  # how much habits count, in quarters
EXPERIENCE = 15  # how much experience counts, in eighths
PATTERNS = 16  # 1: compare positions with the latest results
# How much better the numbers of a position are that a hint says is won, and how much likelier a move is that
# leads to one, as a logarithm in sixteenths: where the target was captured, and where it survived, for what
# survives within a tight frame mostly does in a wider one.
TRUST_CAPTURE, BONUS_CAPTURE, TRUST_SURVIVAL, BONUS_SURVIVAL = 17, 18, 19, 20
TOLL = 21  # how much of what an unlikely move costs more at first it goes on costing, in sixteenths
ADVICE = 22  # how much advice counts, in eighths
DEAR = 23  # nodes that a position must have cost before advice on it is asked for

SETTINGS = {
    NEAR: 4,
    WIDEN: 6,
    EYE: 8,
    ROOM: 2,
    SNUG: 2,
    LIBERTY: 2,
    NEED: 24,
    WANT_OF_ROOM: 1,
    CUTS: 1,
    DOMINANCE: 1,
    LOOKAHEAD: 1,
    REPLAY: 1,
    FIRST_OWN: 16,
    FIRST_OTHER: 16,
    HABIT: 3,
    EXPERIENCE: 6,
    PATTERNS: 1,
    TRUST_CAPTURE: 4,
    BONUS_CAPTURE: 24,
    TRUST_SURVIVAL: 100,
    BONUS_SURVIVAL: 160,
    TOLL: 16,
    ADVICE: 8,
    DEAR: 800,
}

DEPTHS = MAX_DEPTH + 4
MOST = MAX_POINTS + 2  # moves at a node

# The path the search is on, one row a depth, and its counters.
TREE = np.dtype(
    [
        ("move", np.int64, (DEPTHS, MOST)),
        ("phi", np.int32, (DEPTHS, MOST)),  # of the children, from their side to move
        ("delta", np.int32, (DEPTHS, MOST)),
        ("listed", np.uint64, (DEPTHS, MAX_WORDS)),  # moves that are children already
        ("zone", np.uint64, (DEPTHS, MAX_WORDS)),  # of the node: what its lost children rest on so far
        ("cut", np.uint64, (DEPTHS, MAX_WORDS)),  # every move outside this zone loses; empty if unknown
        ("stop", np.uint64, (DEPTHS, MAX_WORDS)),  # where the attacker must play, or the target lives at once
        ("must", np.uint64, (DEPTHS, MAX_WORDS)),  # what that rests on
        ("trial", np.uint64, MAX_WORDS),  # scratch of `ahead`
        ("tries", np.int64, MAX_POINTS),  # scratch of `ahead`
        ("won", np.uint64, (DEPTHS, MAX_WORDS)),  # zone of the winning child
        # lo, hi, and whether a ko ban stands in the proof (`node.games_of`)
        ("lost_by", np.int64, (DEPTHS, 3)),  # over the lost children
        ("won_by", np.int64, (DEPTHS, 3)),  # of the winning child
        ("result", np.int64, (DEPTHS, 6)),  # phi, delta, lo, hi, best move, ko of the node just searched
        ("key", np.uint64, (DEPTHS, 2)),  # position on the path
        ("path", np.uint64, DEPTHS),  # hash of the path down to here
        ("base", np.int64, (DEPTHS, 2)),  # first guess at the node's phi and delta
        # attacker's moves that stand for all like them: how many, then the points (`dominance.left_out`)
        ("outer", np.int64, (DEPTHS, 9)),
        ("likely", np.int32, (DEPTHS, MOST)),  # of the children: by habit; KNOWN where it is decided
        ("likeliest", np.int64, DEPTHS),
        ("toll", np.int32, (DEPTHS, MOST)),  # what a child costs on top of its delta, for being unlikely
        ("fresh", np.int8, (DEPTHS, MOST)),  # 1: the table had no numbers of the child
        ("advised", np.int64, DEPTHS),  # row of the advice on the node, or NO_ADVICE
        ("played", np.int64, DEPTHS),  # the move that leads from here to the next depth
        ("classes", np.int64, FEATURES),  # scratch of `habits`
        ("scratch", np.uint64, MAX_WORDS),
        ("count", np.int64, 3),
        ("settings", np.int64, len(SETTINGS)),
        ("areas", AREAS),
        ("patterns", LATEST),  # the latest results
    ],
    align=True,
)


def make_tree() -> npt.NDArray[np.void]:
    """An array of one TREE record."""
    trees = as_records(np.zeros(1, dtype=TREE))
    trees[0]["settings"][list(SETTINGS)] = list(SETTINGS.values())
    return trees
