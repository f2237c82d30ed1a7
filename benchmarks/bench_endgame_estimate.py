"""The endgame network on games nobody trained on, and its estimates beside published values.

Next move: for every region of the validation positions (teacher's |ownership| below 0.90, parts over 60
points cut at lower thresholds, masks one point wider; and one blob of sure territory a position) the class
out of 2·361 + 1: the right point for the right colour, or rightly nobody. Regions of resigned games in
which nobody played are left out: nothing is known of them. Ownership: mean square error against the
teachers' labels, over the whole board and over the masks, with the moves before the position shown to the
network and without; the labels were made without. The thesis (57 %, 0.0012) measured on data of its own and
does not say over which points; its labels came from its own trunk, as b6's do here.

Estimates: the miai values of `nerds-open.jsonl`, by the tree alone (nothing solved exactly) and with the
exact engine for what is small. `--positions N` and `--problems N` make it shorter.
"""

from __future__ import annotations

import argparse
import json
import os
from fractions import Fraction
from pathlib import Path

from harness import Row, report
from miai.endgame.estimate import estimate_region
from miai.go import sgf
from miai.go.game import Game
from miai.train.endgame_data import collect, every
from miai.train.endgame_evaluate import Judged, evaluate, from_onnx

DATA = Path(os.environ.get("MIAI_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
THESIS, THESIS_TOP1, THESIS_MSE = "EndgameBot (its own data)", 0.57, 0.0012
SECONDS = 10.0
NEAR = Fraction(1, 2)


def judged(labels: str, limit: int | None, *, history: bool) -> Judged:
    """The shipped network on the validation games."""
    positions, corpus = collect(
        [str(DATA / "games" / "val.sgf.xz")], [str(DATA / "ownership" / labels)], limit=limit
    )
    answers = from_onnx("endgame", positions, corpus, history=history)
    return evaluate(answers, positions, list(every(positions)))


def problems(limit: int | None, exact_below: int) -> tuple[float, float, float, float]:
    """Shares of problems: value equal, within half a point, inside the interval; and seconds each."""
    rows = [json.loads(line) for line in (DATA / "endgame" / "nerds-open.jsonl").read_text().splitlines()]
    rows = rows[:limit]
    equal = near = inside = 0
    seconds = 0.0
    for row in rows:
        board = Game(sgf.parse(row["sgf"]).games[0]).board_at(0)
        region = [board.grid.parse_sgf(letters) for letters in row["region"]]
        found = estimate_region(board, region, seconds=SECONDS, exact_below=exact_below)
        wanted = Fraction(row["miai_value"])
        equal += found.miai_value == wanted
        near += abs(found.miai_value - wanted) <= NEAR
        inside += found.temperature_low <= wanted <= found.temperature_high
        seconds += found.seconds
    return equal / len(rows), near / len(rows), inside / len(rows), seconds / len(rows)


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=None)
    parser.add_argument("--problems", type=int, default=None)
    options = parser.parse_args()
    strong = judged("val-b10.npz", options.positions, history=True)
    print(strong.table())
    plain = judged("val-b10.npz", options.positions, history=False)
    own = judged("val-b6.npz", options.positions, history=True)
    own_plain = judged("val-b6.npz", options.positions, history=False)
    rows = []
    for name, group in strong.groups.items():
        anchor = {"peer_name": THESIS, "peer": THESIS_TOP1, "floor": 1.0} if name == "all" else {}
        rows.append(Row(work=f"next move, {name}", ours=group.top1, unit="share", **anchor))  # type: ignore[arg-type]
    for teacher, result in (
        ("b10", strong),
        ("b10, no moves shown", plain),
        ("b6, the trunk's own", own),
        ("b6, no moves shown", own_plain),
    ):
        for where, error in result.ownership.items():
            rows.append(Row(work=f"ownership against {teacher}: {where}", ours=error, unit="mean square"))
    rows.append(
        Row(
            work="ownership against the trunk's own labels, shown what they were made from: board",
            ours=own_plain.ownership["board"],
            unit="mean square",
            peer_name=THESIS,
            peer=THESIS_MSE,
            ceiling=1.0,
        )
    )
    for how, exact_below in (("tree alone", 0), ("with the exact engine", 8)):
        equal, near, inside, seconds = problems(options.problems, exact_below)
        rows.append(Row(work=f"nerds-open, {how}: value equal", ours=equal, unit="share"))
        rows.append(Row(work=f"nerds-open, {how}: within half a point", ours=near, unit="share"))
        rows.append(Row(work=f"nerds-open, {how}: inside the interval", ours=inside, unit="share"))
        rows.append(Row(work=f"nerds-open, {how}: a problem", ours=seconds, unit="s"))
    return report("Endgame estimates", rows)


if __name__ == "__main__":
    raise SystemExit(not main())
