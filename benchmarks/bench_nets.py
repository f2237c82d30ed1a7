"""The shipped network beside KataGo's b6c96, both by our runtime; and our b6c96 beside KataGo's own.

Speed: evaluations a second on two cores, at batch 1 and 16, of planes that are made already; both
networks take turns, so that noise hits both, and the median round counts. `from records` adds the
planes, the legal moves and the softmax. Agreement: the largest difference to KataGo's raw outputs on the
76 reference positions, symmetry 0. Loss: what separates the shipped network's opinion from b6c96's, on
positions of the validation games.
"""

from __future__ import annotations

import json
import lzma
import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from harness import Row, report
from miai.go.coords import grid
from miai.go.game import Game
from miai.go.rules import Count, HandicapBonus, Ko, Rules
from miai.nets import registry
from miai.nets.planes import Records, encode_batch, records_from_text
from miai.nets.runtime import BATCH, Network, load

DATA = Path(os.environ.get("MIAI_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
THREADS = 2
ROUNDS, SECONDS = 7, 1.0
POSITIONS = 600  # for the losses
AGREE = 1e-3
BONUS = {"0": HandicapBonus.NONE, "N": HandicapBonus.STONES, "N-1": HandicapBonus.STONES_LESS_ONE}


def validation() -> Records:
    data = lzma.decompress((DATA / "games" / "val.sgf.xz").read_bytes())
    return records_from_text(data)


def some_positions(records: Records, count: int) -> tuple[Any, Any]:
    """Games and moves, drawn with a fixed seed: 19×19 only."""
    random = np.random.default_rng(0)
    fine = np.flatnonzero((records.width == 19) & (records.height == 19) & (records.lengths > 0))
    games = random.choice(fine, count)
    return games, random.integers(0, records.lengths[games])


# speed ------------------------------------------------------------------------------------------


def in_turns(works: list[Callable[[], int]]) -> list[float]:
    """How much of each kind of work is done a second: the median of rounds in which all take turns."""
    rates: list[list[float]] = [[] for _ in works]
    for work in works:
        work()
    for _ in range(ROUNDS):
        for i, work in enumerate(works):
            done, start = 0, time.perf_counter()
            while (spent := time.perf_counter() - start) < SECONDS / len(works):
                done += work()
            rates[i].append(done / spent)
    return [median(each) for each in rates]


def runs(network: Network, records: Records, batch: int) -> Callable[[], int]:
    spatial, scalars = encode_batch(network.planes, records, *some_positions(records, batch))

    def work() -> int:
        network.run(spatial, scalars)
        return batch

    return work


def evaluates(network: Network, records: Records) -> Callable[[], int]:
    games, moves = some_positions(records, BATCH)

    def work() -> int:
        return len(network.evaluate(records, games, moves))

    return work


# agreement --------------------------------------------------------------------------------------


def reference() -> list[tuple[Game, dict[str, Any]]]:
    found = []
    for line in lzma.decompress((DATA / "nets" / "reference.jsonl.xz").read_bytes()).splitlines():
        row = json.loads(line)
        said, points = row["rules"], grid(row["size"])
        rules = Rules(
            "reference",
            Count[said["scoring"]],
            Ko[said["ko"]],
            said["suicide"],
            row["komi"],
            BONUS[said["whiteHandicapBonus"]],
            seki_territory=said["tax"] == "NONE",
        )
        moves = "".join(f";{colour}[{points.sgf(points.parse(name))}]" for colour, name in row["moves"])
        text = f"(;SZ[{row['size']}]KM[{row['komi']}]PL[{row['to_move']}]{moves})"
        found.append((Game.read(text, rules=rules), row["output"]))
    return found


def differences(network: Network) -> dict[str, float]:
    """The largest difference to KataGo's own outputs, for each head."""
    worst = dict.fromkeys(("policy", "value", "score lead", "ownership"), 0.0)
    for game, out in reference():
        said = network.evaluate_game(game)
        assert said.value is not None and said.lead is not None and said.ownership is not None
        policy = np.array([*out["policy"], out["policyPass"]], dtype=float)
        results = [out["whiteLoss"], out["whiteWin"], out["noResult"]]
        assert np.array_equal(said.policy[0, 0] > 0, ~np.isnan(policy)), "other moves are legal"
        for head, distance in (
            ("policy", np.nanmax(abs(said.policy[0, 0] - policy))),
            ("value", abs(said.value[0] - results).max()),
            ("score lead", abs(said.lead[0] + out["whiteLead"])),
            ("ownership", abs(said.ownership[0].ravel() + np.array(out["whiteOwnership"])).max()),
        ):
            worst[head] = max(worst[head], float(distance))
    return worst


def losses(network: Network, teacher: Network, records: Records) -> list[Row]:
    """How far one network's opinion is from another's."""
    where = some_positions(records, POSITIONS)
    ours, theirs = network.evaluate(records, *where), teacher.evaluate(records, *where)
    p, q = ours.policy[:, 0].clip(1e-9), theirs.policy[:, 0]
    entropy = -(q * np.log(q.clip(1e-9))).sum(axis=1).mean()
    rows = [
        Row(
            work="the same likeliest move as b6c96",
            ours=100 * float((p.argmax(1) == q.argmax(1)).mean()),
            unit="%",
        ),
        Row(
            work=f"cross entropy to b6c96's policy (its own entropy: {entropy:.3f})",
            ours=float(-(q * np.log(p)).sum(axis=1).mean()),
            unit="nats",
        ),
    ]
    for head, unit in (("winrate", ""), ("lead", "points"), ("ownership", "")):
        mine, other = getattr(ours, head), getattr(theirs, head)
        if mine is not None:
            distance = float(abs(mine - other).mean())
            rows.append(Row(work=f"mean distance to b6c96's {head}", ours=distance, unit=unit))
    return rows


def main() -> bool:
    b6c96 = load(next(iter(sorted((DATA / "nets").glob("*b6c96*.bin.gz")))), threads=THREADS)
    rows = [
        Row(work=f"b6c96, largest difference to KataGo: {head}", ours=worst, unit="", ceiling=AGREE)
        for head, worst in differences(b6c96).items()
    ]
    records = validation()
    if registry.DEFAULT in registry.shipped():
        shipped = load(registry.DEFAULT, threads=THREADS)
        for name, works, floor in (
            ("batch 1", [runs(net, records, 1) for net in (shipped, b6c96)], 3.0),
            ("batch 16", [runs(net, records, 16) for net in (shipped, b6c96)], 3.0),
            ("from records", [evaluates(net, records) for net in (shipped, b6c96)], None),
        ):
            ours, theirs = in_turns(works)
            work = f"shipped network, {name}, {THREADS} threads"
            rows.append(
                Row(work=work, ours=ours, unit="evaluations/s", peer_name="b6c96", peer=theirs, floor=floor)
            )
        rows += losses(shipped, b6c96, records)
    else:
        for batch in (1, 16):
            (rate,) = in_turns([runs(b6c96, records, batch)])
            rows.append(Row(work=f"b6c96, batch {batch}, {THREADS} threads", ours=rate, unit="evaluations/s"))
    return report("Networks, on 19×19 but for the reference positions", rows)


if __name__ == "__main__":
    raise SystemExit(not main())
