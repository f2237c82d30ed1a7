"""How fast positions become planes, from game record to tensor, on one core.

"In order" encodes every position of games one after the other; "at random" picks positions of many
games, as training does, and replays the game of each. The peer is a published figure: Deep-Go's 28 million
positions took 3 hours on 10 threads.
"""

from __future__ import annotations

import lzma
import os
from pathlib import Path

import numpy as np

from harness import Row, best_of, report
from miai.nets.planes import PLANE_SETS, encode_batch, records_from_text

DATA = Path(os.environ.get("MIAI_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
POSITIONS = 2_000
DEEPGO = 28e6 / (3 * 3600 * 10)
FLOORS = {"deepgo8": 100_000, "darkforest25": 50_000, "katago7": None}


def main() -> bool:
    path = DATA / "games" / "val.sgf.xz"
    if not path.exists():
        raise SystemExit(f"bench_planes: no games at {path}: set MIAI_DATA to the folder of corpora")
    text = lzma.decompress(path.read_bytes())
    records = records_from_text(text)
    seconds = best_of(lambda: records_from_text(text))
    rows = [Row(work="reading an archive into records", ours=len(records) / seconds, unit="games/s")]

    random = np.random.default_rng(0)
    some = random.integers(0, len(records), POSITIONS)
    lengths = records.lengths[:POSITIONS]
    batches = {
        "in order": (
            np.repeat(np.arange(len(lengths)), lengths)[:POSITIONS],
            np.concatenate([np.arange(length) for length in lengths])[:POSITIONS],
        ),
        "at random": (some, random.integers(0, records.lengths[some])),
    }
    for name, planes in PLANE_SETS.items():
        spatial = np.zeros((POSITIONS, len(planes.spatial), 19, 19), np.float32)
        scalars = np.zeros((POSITIONS, len(planes.scalars)), np.float32)
        for how, (games, moves) in batches.items():

            def work(
                name: str = name,
                games: np.ndarray = games,
                moves: np.ndarray = moves,
                spatial: np.ndarray = spatial,
                scalars: np.ndarray = scalars,
            ) -> None:
                encode_batch(name, records, games, moves, out_spatial=spatial, out_scalars=scalars)

            work()
            rate = POSITIONS / best_of(work, repeat=9)
            floor = FLOORS[name] if how == "in order" else None
            rows.append(Row(work=f"{name}, {how}", ours=rate, unit="positions/s", floor=floor))
            if name == "deepgo8":
                against = "Deep-Go, published, a thread"
                rows.append(
                    Row(
                        work=f"{name}, {how}, against Deep-Go",
                        ours=rate,
                        unit="positions/s",
                        peer_name=against,
                        peer=DEEPGO,
                    )
                )
    return report("Planes", rows)


if __name__ == "__main__":
    raise SystemExit(not main())
