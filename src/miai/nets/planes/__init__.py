"""Planes: positions as the tensors that networks read.

`sets` says which plane sets there are and what each plane means, `records` holds many games in flat
arrays, `encode` makes planes of their positions, and `symmetry` turns boards and policies.

    records = records_from_text(data)
    spatial, scalars = encode_batch("deepgo8", records, games=[0, 7], moves=[120, 33])
    spatial, scalars = encode("katago7", game, move=50)
"""

from miai.nets.planes.encode import encode, encode_batch, encode_games
from miai.nets.planes.records import (
    PASS_MOVE,
    Records,
    records_from_board,
    records_from_games,
    records_from_text,
)
from miai.nets.planes.sets import PLANE_SETS, Plane, PlaneSet, UnknownPlaneSet, plane_set
from miai.nets.planes.symmetry import SYMMETRIES, inverse, permute, symmetry_table

__all__ = [
    "PASS_MOVE",
    "PLANE_SETS",
    "SYMMETRIES",
    "Plane",
    "PlaneSet",
    "Records",
    "UnknownPlaneSet",
    "encode",
    "encode_batch",
    "encode_games",
    "inverse",
    "permute",
    "plane_set",
    "records_from_board",
    "records_from_games",
    "records_from_text",
    "symmetry_table",
]
