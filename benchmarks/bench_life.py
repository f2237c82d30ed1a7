"""How strong the solver is: book problems, each within its budget on one core, GNU Go beside it.

    bench_life.py                      a fixed random sample of each corpus
    bench_life.py --full               everything: many hours
    bench_life.py --corpus cho-advanced --limit 20 --seconds 10

A problem goes to `miai.solve` as SGF, as a user would give it. It counts as right when a move of the
book is among the winning first moves of the verdict, which are all proved. Otherwise either nothing
was proved about the book's moves within the budget (open), or our proof says that they do not win (it
differs); those go to `results/life-disagreements.txt`, with diagrams, since books have misprints and
frames have faults. A problem of rzs106 without a move to find asks whether the target survives.

GNU Go gets the same position and the same target, by `owl_attack` or `owl_defend`, without a clock.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

import miai
from harness import RESULTS, Row, report
from miai.go import sgf
from miai.go.coords import BLACK, COLOUR_LETTERS, EMPTY, PASS, WHITE, colour_of, grid
from miai.go.diagram import Markup, text
from miai.life.problem import Problem, ProblemError
from miai.life.solve import read_problem
from miai.life.verdict import KoRule, Result, Verdict
from miai.life.warm import solving
from miai.life.words import sentence

DATA = Path(os.environ.get("MIAI_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
SEED = 2026
RIGHT, OPEN, DIFFERS, REFUSED = "right", "open", "differs", "refused"
GNUGO = shutil.which("gnugo", path=f"{os.environ.get('PATH', '')}:/usr/games")
GNUGO_SECONDS = 120  # it has no clock of its own; this only keeps the run from hanging


@dataclass(frozen=True)
class Case:
    """A problem of a book."""

    name: str
    record: bytes
    book: tuple[int, ...]  # the first moves it gives; () asks whether the target survives
    to_move: int
    unconditional: bool = False  # the book's result is survival without a ko


@dataclass(frozen=True)
class Corpus:
    """Problems that are solved with one budget."""

    name: str
    cases: Callable[[], Iterator[Case]]
    seconds: float  # a problem
    sample: int  # how many of them by default
    floor: float  # per cent
    ko: KoRule = KoRule.BOTH
    quick: float | None = None  # seconds a problem in a sample, where the real budget takes too long
    median: float | None = None  # ceilings, in seconds
    p95: float | None = None
    slowest: float | None = None
    survival: bool = False  # count too how often the target is proved to survive, by whichever move


@dataclass
class Outcome:
    """What came of one problem."""

    name: str
    outcome: str
    seconds: float
    nodes: int = 0
    status: str = ""
    result: str = ""  # of the side to move
    survives: bool | None = None  # whatever the threats, if the side to move begins
    moves: list[str] = field(default_factory=list)
    book: list[str] = field(default_factory=list)
    gnugo: str | None = None
    gnugo_right: bool | None = None


# the corpora ------------------------------------------------------------------------------------


def marked_right(path: Path, *, unconditional: bool = False) -> Iterator[Case]:
    """Problems of a collection: the first moves with RIGHT are the book's."""
    for root in sgf.parse(path.read_bytes(), strict=True).games:
        moves = [child for child in root.children if "RIGHT" in child.get_text("C")]
        yield make_case(root.get_text("GN"), root, moves, unconditional)


def small_problems() -> Iterator[Case]:
    """d180cf's problems with a target, a side to move, and variations that begin with a move of its own."""
    for path in sorted((DATA / "tsumego-d180cf").glob("*.sgf")):
        root = sgf.parse(path.read_bytes(), strict=True).games[0]
        player = root.get_text("PL")
        if "MA" in root and player:
            moves = [child for child in root.children if player in child]
            if moves:
                yield make_case(path.stem, root, moves)


def both_first() -> Iterator[Case]:
    """goproblems 13083: White kills at B2, and Black lives there."""
    record = (DATA / "tsumego-d180cf" / "gop-13083.sgf").read_bytes()
    for player in (WHITE, BLACK):
        name = f"gop-13083 {COLOUR_LETTERS[player]}"
        yield Case(name, record, (grid(9).parse("B2"),), player)


def make_case(name: str, root: sgf.Node, moves: Sequence[sgf.Node], unconditional: bool = False) -> Case:
    letter = root.get_text("PL")
    board = grid(*root.size())
    book = {point for node in moves for point in node.points(letter, board)}
    return Case(name, sgf.serialise(root), tuple(sorted(book)), colour_of(letter), unconditional)


def books(pattern: str) -> Callable[[], Iterator[Case]]:
    """The problems of every collection whose name matches."""
    return lambda: (
        case for path in sorted((DATA / "tsumego").glob(f"{pattern}.sgf")) for case in marked_right(path)
    )


CORPORA = [
    Corpus("cho-elementary", books("cho-elementary"), 1, 60, 95),
    Corpus("cho-intermediate", books("cho-intermediate"), 10, 12, 85),
    Corpus("cho-advanced", books("cho-advanced"), 60, 3, 70),
    Corpus("hashimoto", books("hashimoto-*"), 10, 6, 0),  # no bar but to be better than GNU Go
    Corpus("tsumego-d180cf", small_problems, 60, 24, 100, median=0.01, p95=1),
    # the ko assumption that tsumego.js knows, to compare with its times: no bar, for some answers are kos
    Corpus("tsumego-d180cf-as-tsumego.js", small_problems, 60, 24, 0, ko=KoRule.ATTACKER),
    Corpus("gop-13083", both_first, 60, 2, 100, slowest=1),
    # as in its published times, 27.6 s and 7.8 s; the bar stays on the whole verdict above
    Corpus("gop-13083-as-tsumego.js", both_first, 60, 2, 100, ko=KoRule.ATTACKER),
    Corpus(
        "rzs106",
        lambda: marked_right(DATA / "rzs106" / "rzs106.sgf", unconditional=True),
        300,
        4,
        100 * 84 / 106,
        quick=20,
        survival=True,
    ),
]


# our answer -------------------------------------------------------------------------------------


def names_a_move(case: Case, problem: Problem) -> bool:
    """Is there a move to find? Three in rzs106 are on a stone or outside the region that it marks itself."""
    playable = [p for p in case.book if p in problem.region and problem.board[p] == EMPTY]
    return bool(playable) if case.unconditional else bool(case.book)


def judge(case: Case, verdict: Verdict) -> str:
    """Is the book's move proved, is nothing proved about it, or does our proof say something else?"""
    first = verdict.first
    decided = first.survives is not None or first.result is not Result.UNKNOWN
    if not names_a_move(case, verdict.problem):
        return OPEN if not decided else RIGHT if first.survives else DIFFERS
    if set(case.book) & set(first.moves) and (first.survives or not case.unconditional):
        return RIGHT
    if not decided or set(case.book) & set(first.undecided):
        return OPEN
    if first.result is Result.UNKNOWN and case.to_move == verdict.problem.attacker:
        return OPEN  # it survives, but the book's move may be the one that leaves it in seki
    return DIFFERS


def run_case(case: Case, seconds: float, ko: KoRule = KoRule.BOTH) -> tuple[Outcome, Verdict | None]:
    started = time.perf_counter()
    try:
        verdict = miai.solve(case.record, to_move=case.to_move, seconds=seconds, ko=ko)
    except ProblemError as error:
        return Outcome(case.name, REFUSED, time.perf_counter() - started, status=str(error)), None
    took = time.perf_counter() - started
    names = verdict.board.grid.names
    outcome = Outcome(
        case.name,
        judge(case, verdict),
        took,
        verdict.nodes,
        verdict.status.value,
        verdict.first.result.value,
        verdict.first.survives,
        names(list(verdict.moves)),
        names(list(case.book)),
    )
    return outcome, verdict


def diagram(case: Case, outcome: Outcome, verdict: Verdict) -> str:
    """The problem as the report shows it: b the book's moves, a ours, c both."""
    problem = verdict.problem
    labels = dict.fromkeys(verdict.moves, "a") | {
        point: "c" if point in verdict.moves else "b" for point in case.book
    }
    labels.pop(PASS, None)
    markup = Markup(labels=labels, marks=dict.fromkeys(problem.target, "triangle"), region=problem.region)
    shown = [*problem.region, *case.book]
    fault = "" if set(case.book) <= set(problem.region) else " (not all in the region: the frame's fault)"
    return "\n".join(
        [
            f"{case.name}: {COLOUR_LETTERS[case.to_move]} to move{', framed' if problem.framed else ''}",
            f"book: {' '.join(outcome.book) or 'the target survives'}{fault}; ours: {outcome.status}, "
            f"{outcome.result} by {' '.join(outcome.moves) or 'no move'}",
            sentence(verdict),
            text(verdict.board, markup, crop=shown),
        ]
    )


# GNU Go's answer --------------------------------------------------------------------------------


def ask_gnugo(case: Case) -> tuple[str, bool]:
    """What GNU Go says, and whether that is the book's answer."""
    problem = read_problem(case.record, to_move=case.to_move)
    board = problem.board
    command = "owl_attack" if case.to_move == problem.attacker else "owl_defend"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.sgf"
        path.write_text(position_record(problem))
        commands = f"loadsgf {path} 1\n{command} {board.grid.name(problem.target[0])}\nquit\n"
        try:
            found = subprocess.run(
                [str(GNUGO), "--mode", "gtp"],
                input=commands,
                capture_output=True,
                text=True,
                timeout=GNUGO_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return f"nothing in {GNUGO_SECONDS} s", False
    answers = [answer.strip() for answer in found.stdout.split("\n\n")]
    words = answers[1].split() if len(answers) > 1 else []
    if len(words) < 2 or words[0] != "=":
        return " ".join(words) or "nothing", False
    if not names_a_move(case, problem):
        return words[1], (words[1] == "0") == (command == "owl_attack")
    names = board.grid.names(list(case.book))
    return " ".join(words[1:]), words[1] != "0" and len(words) > 2 and words[2] in names


def position_record(problem: Problem) -> str:
    board = problem.board
    setup = "".join(
        name + "".join(f"[{board.grid.sgf(point)}]" for point in board.stones(colour))
        for name, colour in (("AB", BLACK), ("AW", WHITE))
        if board.stones(colour)
    )
    return f"(;GM[1]FF[4]SZ[{board.size[0]}]PL[{COLOUR_LETTERS[problem.to_move]}]{setup})"


# a corpus ---------------------------------------------------------------------------------------


def run_corpus(
    corpus: Corpus, options: argparse.Namespace, differing: list[str]
) -> tuple[list[Row], list[Outcome]]:
    everything = list(corpus.cases())
    count = options.limit or (len(everything) if options.full else corpus.sample)
    whole = count >= len(everything)
    cases = everything if whole else random.Random(SEED).sample(everything, count)
    cut = not options.full and not whole and corpus.quick
    seconds = options.seconds or (corpus.quick if cut else corpus.seconds) or corpus.seconds
    outcomes = []
    for case in cases:
        outcome, verdict = run_case(case, seconds, corpus.ko)
        if GNUGO and verdict is not None:
            outcome.gnugo, outcome.gnugo_right = ask_gnugo(case)
        if outcome.outcome == DIFFERS and verdict is not None:
            differing.append(f"[{corpus.name}] {diagram(case, outcome, verdict)}")
        outcomes.append(outcome)
        if options.verbose:
            print(f"  {outcome.name}: {outcome.outcome} in {outcome.seconds:.2f} s", flush=True)
    which = f"all {len(cases)}" if whole else f"SAMPLE of {len(cases)} of {len(everything)}"
    title = f"{corpus.name}, {which}, {seconds:g} s each"
    if seconds < corpus.seconds:
        title += f" (not the {corpus.seconds:g} s of the bar)"
    return summarise(corpus, title, outcomes, judged=seconds >= corpus.seconds), outcomes


def summarise(corpus: Corpus, title: str, outcomes: Sequence[Outcome], *, judged: bool) -> list[Row]:
    """Print what came of the problems; rows with bars, unless the budget was cut."""
    total = {kind: sum(o.outcome == kind for o in outcomes) for kind in (RIGHT, OPEN, DIFFERS, REFUSED)}
    times = [outcome.seconds for outcome in outcomes]
    median, p95 = (float(np.percentile(times, share)) for share in (50, 95))
    rate = 100 * total[RIGHT] / len(outcomes)
    met = "met" if rate >= corpus.floor - 1e-9 else "NOT met"
    print(
        f"{title}:\n  {total[RIGHT]} right ({rate:.1f} %; wanted {corpus.floor:.1f} %: {met}), "
        f"{total[OPEN]} open, {total[DIFFERS]} differ from the book, {total[REFUSED]} refused\n"
        f"  median {median:.3f} s, 95th percentile {p95:.2f} s, slowest {max(times):.2f} s",
        flush=True,
    )
    rows = [Row(work=title, ours=rate, unit="% right", floor=corpus.floor if judged else None)]
    for what, value, ceiling in (
        ("median", median, corpus.median),
        ("95th percentile", p95, corpus.p95),
        ("slowest", max(times), corpus.slowest),
    ):
        rows.append(
            Row(work=f"{corpus.name}, {what}", ours=value, unit="s", ceiling=ceiling if judged else None)
        )
    if corpus.survival:
        survive = 100 * sum(bool(outcome.survives) for outcome in outcomes) / len(outcomes)
        rows.append(Row(work=f"{corpus.name}, proved to survive, by whichever move", ours=survive, unit="%"))
    if GNUGO:
        theirs = sum(bool(outcome.gnugo_right) for outcome in outcomes)
        print(f"  GNU Go: {theirs} right ({100 * theirs / len(outcomes):.1f} %)", flush=True)
        if theirs:
            more = 1 + 0.5 / theirs  # one more than it, or better
            rows.append(
                Row(
                    work=f"{corpus.name}, right answers",
                    ours=total[RIGHT],
                    unit="right",
                    peer_name="GNU Go 3.8",
                    peer=theirs,
                    floor=more if judged and total[RIGHT] < len(outcomes) else None,
                )
            )
        else:
            work = f"{corpus.name}, right answers (GNU Go has none)"
            rows.append(Row(work=work, ours=total[RIGHT], unit="right", floor=1 if judged else None))
    return rows


def write_details(found: dict[str, list[dict[str, object]]], differing: list[str]) -> None:
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "life-problems.json").write_text(json.dumps(found, indent=1) + "\n")
    header = (
        "Problems where a proof of ours differs from the book.\n"
        "a: we say it wins; b: the book does; c: both. A colon is an empty point of the region."
    )
    (RESULTS / "life-disagreements.txt").write_text("\n\n".join([header, *differing]) + "\n")


def main() -> bool:
    parser = argparse.ArgumentParser(description="How strong the life-and-death solver is.")
    parser.add_argument("--full", action="store_true", help="every problem with its whole budget")
    parser.add_argument("--corpus", action="append", choices=[corpus.name for corpus in CORPORA])
    parser.add_argument("--limit", type=int, help="so many problems of each corpus")
    parser.add_argument("--seconds", type=float, help="another budget a problem")
    parser.add_argument("--verbose", action="store_true", help="a line for each problem")
    options = parser.parse_args()
    if not (DATA / "tsumego").is_dir():
        raise SystemExit(f"bench_life: no problems at {DATA}: set MIAI_DATA to the folder of corpora")
    if not GNUGO:
        print("GNU Go is not installed (no gnugo on the PATH or in /usr/games): no peer in this run.")
    solving()  # compiles, if need be
    rows: list[Row] = []
    differing: list[str] = []
    found: dict[str, list[dict[str, object]]] = {}
    for corpus in CORPORA:
        if options.corpus is None or corpus.name in options.corpus:
            new_rows, outcomes = run_corpus(corpus, options, differing)
            rows += new_rows
            found[corpus.name] = [asdict(outcome) for outcome in outcomes]
            write_details(found, differing)  # now, since a full run may be interrupted
    print(f"{len(differing)} disagreements: benchmarks/results/life-disagreements.txt")
    return report("Life and death", rows)


if __name__ == "__main__":
    raise SystemExit(not main())
