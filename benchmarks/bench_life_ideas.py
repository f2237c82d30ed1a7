"""What each idea of the search is worth: nodes and time with one of them changed, beside the default.

The positions are shapes of our own, and a few book problems where the corpora are there. Questions (each
side first, each ko assumption; a fresh table for each) that the default answers within the limit of
nodes are asked again with each change. One that then stays open at four times the limit counts with
that much, and the ratio is too small; their number is shown. What a wider frame learns from a tight one is
compared on book problems alone, and the network's advice in wide frames within the regions of rzs106, after
the first move of the book. Nothing here has a bar: an idea whose absence costs no more nodes and no
more time does not pay and should go.

    bench_life_ideas.py                          2 or 3 minutes
    bench_life_ideas.py --nodes 1000000 --book 30
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from harness import Row, report
from life.shapes import drawn, placed, walled
from life.test_shapes import SHAPES, problem_from_shape
from miai.go import sgf
from miai.go.coords import EMPTY
from miai.life import frame, search, tree
from miai.life.problem import Problem, problem_from_node
from miai.life.search import ENDLESS, Answer, Budget, Memory, Prover, Winner
from miai.life.warm import solving

DATA = Path(os.environ.get("MIAI_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
SEED = 2026
MEMORY = 16  # MB
LARGE_MEMORY = 256
WIDEST = frame.ROOMS[-1]
ROOMS = ("####/####", "###/###/###", "#####/####.", "####/###./#...", "####/##../##../#...", "####/####/##..")
EXEMPT = ((ENDLESS, 0), (0, ENDLESS))

# what is changed: the setting's name and its value
CHANGES: dict[str, dict[str, int]] = {
    "no estimate at all": {"EYE": 0, "ROOM": 0, "SNUG": 0, "LIBERTY": 0, "NEED": 0},
    "estimate without eyes": {"EYE": 0},
    "estimate without room": {"ROOM": 0, "SNUG": 0},
    "room in the open counts like any other": {"ROOM": 4, "SNUG": 0},
    "estimate without liberties": {"LIBERTY": 0},
    "estimate without need": {"NEED": 0},
    "no stop at hopeless positions": {"WANT_OF_ROOM": 0},
    "no look one move ahead for life": {"LOOKAHEAD": 0},
    "no cuts by a lost pass": {"CUTS": 0},
    "no moves left out for better ones": {"DOMINANCE": 0},
    "first moves only next to the target": {"NEAR": 1},
    "first moves anywhere": {"NEAR": 99},
    "no widening of thresholds": {"WIDEN": 4},
    "more widening": {"WIDEN": 8},
    "no replay of refutations": {"REPLAY": 0},
    "no patterns of the latest results": {"PATTERNS": 0},
    "no habits": {"HABIT": 0},
    "no experience": {"EXPERIENCE": 0},
    "an unlikely move costs more only at first": {"TOLL": 0, "HABIT": 6, "EXPERIENCE": 4},
    "first numbers of moves not on the node's scale": {"FIRST_OWN": 0, "FIRST_OTHER": 0},
}


class Question(NamedTuple):
    """Who wins, if this side moves first under this ko assumption?"""

    problem: Problem
    threats: tuple[int, int]
    first: int


@dataclass
class Cost:
    """What all questions took."""

    nodes: int = 0
    seconds: float = 0.0
    unanswered: int = 0


def own_problems() -> Iterator[Problem]:
    for _, diagram, *_ in SHAPES:
        yield problem_from_shape(diagram)
    for room in ROOMS:
        for place in ("corner", "side"):
            yield walled(next(placed(drawn(room), place)), outside=2)


def book_problems(count: int) -> Iterator[Problem]:
    """A fixed sample of a book; none where the corpora are absent."""
    path = DATA / "tsumego" / "cho-elementary.sgf"
    if path.exists():
        games = sgf.parse(path.read_bytes(), strict=True).games
        for root in random.Random(SEED).sample(games, count):
            yield problem_from_node(root)


def ask(question: Question, change: dict[str, int], limit: int) -> tuple[float, Answer]:
    """Seconds of processor time, which other programs disturb less, and the answer."""
    prover = Prover(question.problem, threats=question.threats, memory=MEMORY)
    for name, value in change.items():
        prover.tree[0]["settings"][getattr(tree, name)] = value
    started = time.process_time()
    answer = prover.ask(question.first, budget=Budget(nodes=limit))
    return time.process_time() - started, answer


def cost_of(questions: list[Question], change: dict[str, int], limit: int) -> Cost:
    cost = Cost()
    for question in questions:
        seconds, answer = ask(question, change, limit)
        cost.seconds += seconds
        cost.nodes += answer.nodes
        cost.unanswered += answer.winner is Winner.UNKNOWN
    return cost


def compare(title: str, problems: list[Problem], limit: int) -> Iterator[Row]:
    """Two rows for each change, nodes and seconds."""
    questions = [
        Question(problem, threats, first)
        for problem in problems
        for threats in EXEMPT
        for first in (problem.attacker, problem.defender)
    ]
    answered = [q for q in questions if ask(q, {}, limit)[1].winner is not Winner.UNKNOWN]
    default = cost_of(answered, {}, limit)
    print(
        f"{title}, {len(problems)} problems: {len(answered)} of {len(questions)} questions answered within "
        f"{limit:,} nodes each, {default.nodes:,} nodes and {default.seconds:.2f} s in all",
        flush=True,
    )
    for what, change in CHANGES.items():
        if not all(hasattr(tree, name) for name in change):
            print(f"  {what}: the search has no such setting any more")
            continue
        cost = cost_of(answered, change, 4 * limit)
        work = f"{title}: {what}" + (f" ({cost.unanswered} open)" if cost.unanswered else "")
        yield Row(work=work, ours=cost.nodes, unit="nodes", peer_name="default", peer=default.nodes)
        yield Row(work=work, ours=cost.seconds, unit="s", peer_name="default", peer=default.seconds)


def ask_wider(question: Question, tight: Memory | None, limit: int, *, hints_only: bool = False) -> Answer:
    """The question within the next wider frame, with what was learned in the tight one."""
    wider = question.problem.widened()
    assert wider is not None
    nothing = {"side_effect": lambda table, touched: np.zeros(table.entries, dtype=np.bool_)}
    with mock.patch.object(search, "find_proofs", **nothing) if hints_only else nullcontext():
        memory = Memory(wider, MEMORY, tighter=tight)
    prover = Prover(wider, threats=question.threats, memory=memory)
    return prover.ask(question.first, budget=Budget(nodes=limit))


def compare_frames(problems: list[Problem], limit: int) -> Iterator[Row]:
    """What a tight frame teaches a wider one: nodes there with hints only, and with nothing.

    Apart for targets that are captured in the tight frame, whose proofs lean on its fence, and for others.
    """
    nodes, unanswered = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for problem in problems:
        for threats in EXEMPT:
            question = Question(problem, threats, problem.to_move)
            tight = Memory(problem, MEMORY)
            within = Prover(problem, threats=threats, memory=tight).ask(
                problem.to_move, budget=Budget(nodes=limit)
            )
            default = ask_wider(question, tight, limit)
            if Winner.UNKNOWN in (within.winner, default.winner):
                continue
            tightly = "captured" if within.winner is Winner.ATTACKER else "survives"
            nodes[tightly, "default"] += default.nodes
            for what, answer in (
                ("only hints", ask_wider(question, tight, 4 * limit, hints_only=True)),
                ("nothing", ask_wider(question, None, 4 * limit)),
            ):
                nodes[tightly, what] += answer.nodes
                unanswered[tightly, what] += answer.winner is Winner.UNKNOWN
    for (tightly, what), count in nodes.items():
        if what != "default":
            work = f"wider frame, {tightly} in the tight one: {what} of it"
            if unanswered[tightly, what]:
                work += f" ({unanswered[tightly, what]} open)"
            default_nodes = nodes[tightly, "default"]
            yield Row(work=work, ours=count, unit="nodes", peer_name="default", peer=default_nodes)


def large_regions(count: int) -> Iterator[tuple[Problem, int]]:
    """A fixed sample of rzs106: a wide frame within the region, and the first move of the book."""
    path = DATA / "rzs106" / "rzs106.sgf"
    games = sgf.parse(path.read_bytes(), strict=True).games if path.exists() else []
    for root in random.Random(SEED).sample(games, len(games)):
        problem = problem_from_node(root)
        right = [child for child in root.children if "RIGHT" in child.get_text("C")]
        moves = [p for node in right for p in node.points(root.get_text("PL"), problem.board.grid)]
        wide = [narrow for narrow in problem.narrowed() if narrow.frame.room == WIDEST]
        if wide and moves and moves[0] in wide[-1].region and wide[-1].board[moves[0]] == EMPTY and count:
            count -= 1
            yield wide[-1], moves[0]


def compare_advice(problems: list[tuple[Problem, int]], limit: int) -> Iterator[Row]:
    """What the network's advice is worth where either search finds an answer: nodes and time without it."""
    cost = {True: Cost(), False: Cost()}
    for problem, move in problems:
        found = {}
        for advised in cost:
            memory = Memory(problem, LARGE_MEMORY, advised=advised)
            prover = Prover(problem, threats=EXEMPT[0], memory=memory)
            started = time.process_time()
            answer = prover.ask(problem.to_move, [move], budget=Budget(nodes=limit))
            found[advised] = time.process_time() - started, answer
        if all(answer.winner is Winner.UNKNOWN for _, answer in found.values()):
            continue
        for advised, (seconds, answer) in found.items():
            cost[advised].seconds += seconds
            cost[advised].nodes += answer.nodes
            cost[advised].unanswered += answer.winner is Winner.UNKNOWN
    with_it, without = cost[True], cost[False]
    work = f"large regions: no advice ({without.unanswered} open, {with_it.unanswered} with it)"
    yield Row(work=work, ours=without.nodes, unit="nodes", peer_name="default", peer=with_it.nodes)
    yield Row(work=work, ours=without.seconds, unit="s", peer_name="default", peer=with_it.seconds)


def main() -> bool:
    parser = argparse.ArgumentParser(description="What each idea of the search is worth.")
    parser.add_argument("--nodes", type=int, default=50_000, help="limit for each question")
    parser.add_argument("--book", type=int, default=12, help="how many book problems, where there are any")
    options = parser.parse_args()
    solving()  # compiles, if need be
    rows = list(compare("shapes", list(own_problems()), options.nodes))
    if book := list(book_problems(options.book)):
        rows += compare("book", book, options.nodes)
        rows += compare_frames([problem for problem in book if problem.widened()], options.nodes)
    else:
        print(f"no problems at {DATA}: shapes of our own only")
    if large := list(large_regions(options.book)):
        rows += compare_advice(large, 4 * options.nodes)
    return report("Search ideas", rows)


if __name__ == "__main__":
    raise SystemExit(not main())
