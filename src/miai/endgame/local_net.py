"""What a best-first search has opened, as a graph whose value can be computed anew, kos decided, and drawn.

A position that was not opened stands at its lower bound, at its upper bound, or at its guess. The bounds
that `local_keep` gives are not in the moves, so they become moves: if Black keeps x points of a position
by answering, then every move of White's there has an answer that leaves x. Where the moves that were
opened do not show that, the position after White's move gets one more move of Black's, to a leaf with x.
If it was not opened, White gets one, too, with a threat that Black answers, so that the bound it has still
holds with White to move. All that is right whatever is said about kos, since what is kept is kept with
every ko lost.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from miai.endgame.local_dig import NODES, NOT_ASKED, UNOPENED, Dig
from miai.endgame.local_graph import Net
from miai.endgame.local_walls import LEFT_MIN, RIGHT_MAX, SCALE, Array, Shapes

NOTHING = 1 << 20  # more than any score
THREAT = 128  # points: more than any answer costs


def opened_net(dig: Dig, shapes: Shapes, unopened: str) -> Net:
    """The opened positions as a graph; the rest is "black", "white" or as it was "guessed"."""
    graphs, nodes = dig.graphs, int(dig.facts[NODES])
    start, end = graphs.start[:nodes], graphs.end[:nodes]
    opened = start != UNOPENED
    many = np.where(opened, end - start, 0)
    first = np.concatenate([[0], np.cumsum(many)])
    place = np.arange(first[-1]) + np.repeat(np.where(opened, start, 0) - first[:-1], many)
    bound = {"black": dig.high, "white": dig.low, "guessed": dig.guess}[unopened]
    rest = np.floor_divide(bound.at[:nodes], SCALE)
    net = Net(
        score=np.where(opened, graphs.score[:nodes], rest).astype(np.int32),
        room=graphs.room[:nodes].copy(),
        start=first,
        middle=first[:-1] + np.where(opened, graphs.middle[:nodes] - start, 0),
        to=graphs.to[place],
        gain=graphs.gain[place],
        ko=graphs.ko[place],
    )
    return net if unopened == "guessed" else with_kept(net, dig, shapes, opened, black=unopened == "white")


def with_kept(net: Net, dig: Dig, shapes: Shapes, opened: Array, *, black: bool) -> Net:
    """The net with what Black keeps (for a lower bound), or what White keeps, as moves."""
    nodes, sign = len(net.score), 1 if black else -1
    room = net.room.astype(np.int64)
    kept = sign * (dig.least if black else dig.most)[:nodes].astype(np.int64)  # from the keeper's side
    asked = opened & (dig.least[:nodes] != NOT_ASKED) & (kept > -room)
    source = np.repeat(np.arange(nodes), np.diff(net.start))
    theirs = np.arange(len(net.to)) >= net.middle[source]  # White's moves
    if not black:
        theirs = ~theirs
    answered = theirs & asked[source]
    answer = np.full(nodes, -NOTHING, dtype=np.int64)  # what the keeper's answer leaves at least
    np.maximum.at(answer, net.to[answered], (kept[source] - sign * net.gain)[answered])
    bound = dig.low if black else dig.high
    span = shapes.span[bound.shape[:nodes], LEFT_MIN if black else RIGHT_MAX]
    known = sign * (bound.at[:nodes] + span)  # the least of the keeper's wall
    chosen = np.flatnonzero((answer > -NOTHING) & (answer * SCALE > known))
    score = np.where(asked, sign * np.maximum(sign * net.score, kept), net.score)
    if not len(chosen):
        return replace(net, score=score.astype(np.int32))
    # Black's new moves come last among Black's, White's last among White's: in order of the nodes.
    shut = chosen[~opened[chosen]]
    node = np.concatenate([chosen, shut])
    by_black = np.concatenate([np.full(len(chosen), black), np.full(len(shut), not black)])
    worth = np.concatenate([sign * answer[chosen], net.score[shut]])
    leaf, threat = nodes, nodes + 1
    leads_to = np.concatenate([np.full(len(chosen), leaf), np.full(len(shut), threat)])
    order = np.lexsort((~by_black, node))
    node, by_black, worth, leads_to = node[order], by_black[order], worth[order], leads_to[order]
    where = np.where(by_black, net.middle[node], net.start[node + 1])
    more_black = np.bincount(node[by_black], minlength=nodes)
    more = np.bincount(node, minlength=nodes)
    start = net.start + np.concatenate([[0], np.cumsum(more)])
    middle = start[:-1] + (net.middle - net.start[:-1]) + more_black
    last = start[-1]
    return Net(
        score=np.append(score, [0, 0]).astype(np.int32),
        room=np.append(net.room, [0, THREAT]).astype(net.room.dtype),
        start=np.append(start, [last, last + 2]),
        middle=np.append(middle, [last, last + 1]),
        to=np.append(np.insert(net.to, where, leads_to), [leaf, leaf]).astype(net.to.dtype),
        gain=np.append(np.insert(net.gain, where, worth), [0, -THREAT] if black else [THREAT, 0]).astype(
            net.gain.dtype
        ),
        ko=np.append(np.insert(net.ko, where, 0), [0, 0]).astype(net.ko.dtype),
    )
