"""The plane set `deepgo8`: liberties of both sides, ko, border. `sets` says what each plane means."""

from __future__ import annotations

from miai.go.coords import EMPTY, NO_POINT
from miai.go.kernels.arrays import KO, KO_COLOUR, index
from miai.go.kernels.moves import place
from miai.kernel import inlined, kernel
from miai.nets.planes.walk import begin, side_to_move

KO_PLANE, BORDER_PLANE, PLANES = 6, 7, 8


@kernel
def deepgo_positions(a, walk, border, out):  # type: ignore[no-untyped-def]
    """Write every position of `walk` to `out` [row, plane, point]; `border` lists points of the edge."""
    game, played = -1, 0
    for row in walk.rows:
        if walk.games[row] != game or walk.moves[row] < played:
            game, played = walk.games[row], 0
            begin(a, walk, game)
        first = walk.start[game]
        while played < walk.moves[row]:
            place(a, walk.place[walk.points[first + played]], walk.colours[first + played])
            played += 1
        own = side_to_move(walk, game, played)
        symmetry = walk.symmetries[row]
        out[row, :PLANES] = 0
        stones_by_liberties(a, walk, own, row, symmetry, out)
        for p in border:
            out[row, BORDER_PLANE, walk.turn[symmetry, p]] = 1


@inlined
def stones_by_liberties(a, walk, own, row, symmetry, out):  # type: ignore[no-untyped-def]
    """The first seven planes, which darkforest shares: stones by liberties, and the ko."""
    ko = a.state[KO] if a.state[KO_COLOUR] == own else NO_POINT
    for p in range(walk.place.size - 1):
        point = walk.place[index(p)]
        colour = a.colour[index(point)]
        if colour != EMPTY:
            liberties = min(a.libs[index(a.head[index(point)])], 3)
            plane = liberties - 1 if colour == own else liberties + 2
            out[index(row), index(plane), index(walk.turn[symmetry, p])] = 1
        elif point == ko:
            out[index(row), KO_PLANE, index(walk.turn[symmetry, p])] = 1
