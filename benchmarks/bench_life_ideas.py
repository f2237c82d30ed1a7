"""What each idea of the search is worth: nodes and time with one of them changed, beside the default.

The positions are shapes of our own, and a few book problems where the corpora are there; each question
(both sides first, both ko assumptions) gets a fresh table and a limit of nodes. A question that is
still open at the limit counts with what it cost, so a ratio may be too small; their number is shown.
Nothing here has a bar: an idea with a ratio near or below 1 does not pay and should go.

    bench_life_ideas.py                          2 or 3 minutes
    bench_life_ideas.py --nodes 1000000 --book 30
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from harness import Row, report
from life.shapes import drawn, placed, walled
from life.test_shapes import SHAPES, problem_from_shape
from miai.go import sgf
from miai.life import tree
from miai.life.problem import Problem, problem_from_node
from miai.life.search import ENDLESS, Budget, Prover, Winner
from miai.life.warm import solving

DATA = Path(os.environ.get("MIAI_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
SEED = 2026
MEMORY = 64  # MB
ROOMS = ("####/####", "###/###/###", "#####/####.", "####/###./#...", "####/##../##../#...", "####/####/##..")
EXEMPT = ((ENDLESS, 0), (0, ENDLESS))

# what is changed: the setting's name and its value
CHANGES: dict[str, dict[str, int]] = {
    "no killer moves": {"KILLERS": 0},
    "killers count double": {"KILLERS": 2},
    "no estimate at all": {"EYE": 0, "ROOM": 0, "LIBERTY": 0, "NEED": 0},
    "estimate without eyes": {"EYE": 0},
    "estimate without room": {"ROOM": 0},
    "estimate without liberties": {"LIBERTY": 0},
    "estimate without need": {"NEED": 0},
    "no stop at hopeless positions": {"WANT_OF_ROOM": 0},
    "no cuts by a lost pass": {"CUTS": 0},
    "first moves only next to the target": {"NEAR": 1},
    "first moves anywhere": {"NEAR": 99},
    "no widening of thresholds": {"WIDEN": 4},
    "more widening": {"WIDEN": 6},
}


@dataclass
class Cost:
    """What all questions took."""

    nodes: int = 0
    seconds: float = 0.0
    unanswered: int = 0


def own_problems() -> Iterator[Problem]:
    for _, diagram, _, _ in SHAPES:
        yield problem_from_shape(diagram)
    for room in ROOMS:
        for place in ("corner", "side"):
            yield walled(next(placed(drawn(room), place)), outside=2)


def book_problems(count: int) -> Iterator[Problem]:
    """A fixed sample of a book; none where the corpora are absent."""
    path = DATA / "tsumego" / "cho-intermediate.sgf"
    if path.exists():
        games = sgf.parse(path.read_bytes(), strict=True).games
        for root in random.Random(SEED).sample(games, count):
            yield problem_from_node(root)


def cost_of(problems: list[Problem], change: dict[str, int], limit: int) -> Cost:
    cost = Cost()
    for problem in problems:
        for threats in EXEMPT:
            prover = Prover(problem, threats=threats, memory=MEMORY)
            for name, value in change.items():
                prover.tree[0]["settings"][getattr(tree, name)] = value
            for first in (problem.attacker, problem.defender):
                started = time.perf_counter()
                answer = prover.ask(first, budget=Budget(nodes=limit))
                cost.seconds += time.perf_counter() - started
                cost.nodes += answer.nodes
                cost.unanswered += answer.winner is Winner.UNKNOWN
    return cost


def main() -> bool:
    parser = argparse.ArgumentParser(description="What each idea of the search is worth.")
    parser.add_argument("--nodes", type=int, default=100_000, help="limit for each question")
    parser.add_argument("--book", type=int, default=8, help="how many book problems, where there are any")
    options = parser.parse_args()
    solving()  # compiles, if need be
    rows = []
    sets = {"shapes": list(own_problems()), "book": list(book_problems(options.book))}
    for title, problems in sets.items():
        if not problems:
            print("no corpora: shapes of our own only")
            continue
        default = cost_of(problems, {}, options.nodes)
        print(
            f"{title}, {len(problems)} problems: {default.nodes:,} nodes, {default.seconds:.2f} s, "
            f"{default.unanswered} of {4 * len(problems)} questions open",
            flush=True,
        )
        for what, change in CHANGES.items():
            if all(hasattr(tree, name) for name in change):
                cost = cost_of(problems, change, options.nodes)
                print(
                    f"  {what}: nodes × {cost.nodes / default.nodes:.2f}, "
                    f"time × {cost.seconds / default.seconds:.2f}, {cost.unanswered} open",
                    flush=True,
                )
                for unit, ours, theirs in (
                    ("nodes", cost.nodes, default.nodes),
                    ("s", cost.seconds, default.seconds),
                ):
                    work = f"{title}: {what} ({cost.unanswered} open)"
                    rows.append(Row(work=work, ours=ours, unit=unit, peer_name="default", peer=theirs))
    return report("Search ideas", rows)


if __name__ == "__main__":
    raise SystemExit(not main())
