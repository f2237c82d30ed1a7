"""How often the shipped network finds the move of a 9-dan player, and how far it is from its teacher.

The games are the validation games, which nobody trains on; KataGo's b6c96, from which the shipped
network was begun, is judged on the same positions. Then both are asked about the same positions: how far
the shipped network's policy, winning probability, score and ownership are from b6c96's. `--games N` takes
fewer games than 200; `--all` takes all 2,000, which takes a quarter of an hour.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np

from harness import Row, report
from miai.nets.runtime import load, softmax
from miai.train.evaluate import BATCH, Onnx, evaluate, spread
from miai.train.games import gather, load_corpus

DATA = Path(os.environ.get("MIAI_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
TOP1 = 42.0  # %
COMPARED = 2000  # positions on which the two networks are compared


def compare(ours: str, theirs: str, games: str) -> dict[str, float]:
    """Mean differences of two networks over positions of games."""
    corpus = load_corpus([games])
    chosen, moves = spread(corpus, COMPARED)
    networks = load(ours), load(theirs)
    sums: dict[str, float] = {"kl": 0, "same": 0, "win": 0, "lead": 0, "ownership": 0}
    for at in range(0, len(chosen), BATCH):
        part = slice(at, at + BATCH)
        still = np.zeros(len(chosen[part]), np.int64)
        batch = gather(corpus, networks[0].planes, chosen[part], moves[part], still, steps=1)
        a, b = (network.run(batch.spatial, batch.scalars) for network in networks)
        p, q = softmax(a["policy"][:, 0]), softmax(b["policy"][:, 0])
        sums["kl"] += float((q * (np.log(q + 1e-12) - np.log(p + 1e-12))).sum())
        sums["same"] += float((p.argmax(1) == q.argmax(1)).sum())
        win, their_win = softmax(a["value"])[:, 0], softmax(b["value"])[:, 0]
        sums["win"] += float(np.abs(win - their_win).sum())
        sums["lead"] += float(np.abs(a["score"] - b["score"]).sum())
        sums["ownership"] += float(np.abs(a["ownership"] - b["ownership"]).mean((1, 2, 3)).sum())
    return {name: value / len(chosen) for name, value in sums.items()}


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--net", default="default")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--all", action="store_true", help="all 2,000 games")
    arguments = parser.parse_args()
    games = str(DATA / "games" / "val.sgf.xz")
    teacher = str(next((DATA / "nets").glob("*b6c96*.bin.gz")))
    corpus = load_corpus([games], limit=None if arguments.all else arguments.games)
    ours, theirs = (evaluate(Onnx(name), corpus) for name in (arguments.net, teacher))
    print(f"{arguments.net}:\n{ours.table()}\n\nb6c96:\n{theirs.table()}\n")
    apart = compare(arguments.net, teacher, games)
    where = f"{len(corpus.records):,} validation games"
    rows = [
        Row(work=f"top-1, {where}", ours=100 * ours.top1, unit="%", floor=TOP1),
        Row(work="top-1 of b6c96, the same games", ours=100 * theirs.top1, unit="%"),
        Row(work="top-5", ours=100 * ours.top5, unit="%"),
        Row(work="nll of the next move", ours=ours.nll, unit="nat"),
        Row(work="nll of b6c96", ours=theirs.nll, unit="nat"),
        *(
            Row(work=f"top-1, move {step} from here", ours=100 * score.top1, unit="%")
            for step, score in enumerate(ours.steps[1:], 2)
        ),
        Row(work="policy: divergence from b6c96", ours=apart["kl"], unit="nat"),
        Row(work="policy: the same first move as b6c96", ours=100 * apart["same"], unit="%"),
        Row(work="winning probability: difference from b6c96", ours=apart["win"], unit=""),
        Row(work="lead: difference from b6c96", ours=apart["lead"], unit="points"),
        Row(work="ownership: difference from b6c96", ours=apart["ownership"], unit=""),
    ]
    return report("The shipped network against players and against its teacher", rows)


if __name__ == "__main__":
    raise SystemExit(not main())
