"""Whole-board endgame analysis of strong programs' games: how long it takes, and how good the count is.

Speed: positions of the last 60 moves of 100 games, a few of each game, by `analyse` with its default
time; the 95th percentile and the number of crashes are judged.

Accuracy: the position 20 moves before the end, for the games that were played to the end: all but
FINISHED points of the last position are settled by the network. The final score is that of the last
position by area, points owned to less than a share of DECIDED counting for nobody, and regions with an
exact value (a seki, a group that the network takes to be alive) counting for that. Games whose counted
result is another are left out. Beside the sum of the counts stand the
result with correct play, which knows whose move it is, and the network's ownership added up; and how
often count and result are no more than a point apart: where they are further, no count can be right for
a game played well: then the final score lies between the results with either side to move, which is counted
too. By area every dame is worth a point and a last ko two, and programs that know who
wins give such points away: so each region is judged too, by whether it ended within its temperature of
its count, and the settled points by whether they stayed.

    bench_endgame_board.py [GAMES [POSITIONS_A_GAME [NET]]]
"""

from __future__ import annotations

import lzma
import os
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
import numpy.typing as npt

from harness import Row, report
from miai.endgame.local import RegionError
from miai.endgame.whole import SECONDS, Analysis, analyse, look
from miai.go.coords import BLACK, WHITE, Grid
from miai.go.game import Ending, Game
from miai.go.rules import CHINESE
from miai.go.sgf import parse
from miai.nets.runtime import Network, load

DATA = Path(os.environ.get("MIAI_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
Map = npt.NDArray[np.floating]  # [height, width]
GAMES, POSITIONS = 100, 3
FINISHED_GAMES = 60
LAST = 60  # moves
BEFORE_END = 20
FINISHED = 20  # points that may be open at the end of a game that counts as finished
SURE, DECIDED = 0.9, 0.6
WITHIN = 1.0


def games() -> Iterator[Game]:
    data = lzma.decompress((DATA / "games" / "ai.sgf.xz").read_bytes())
    for root in parse(data).games:
        game = Game(root, rules=CHINESE, on_illegal="stop")
        if game.size == (19, 19) and len(game) > LAST:
            yield game


@dataclass(frozen=True)
class Final:
    """How a game ended."""

    owners: Map  # 1, -1 or 0, as the network has it
    score: float  # Black's minus White's, komi included
    counted: bool  # the score is the game's own


def final(game: Game, network: Network) -> Final | None:
    """None where the game was not played to its end, or the margin it gives is another."""
    komi = game.komi or 0.0
    board = game.board_at()
    owned = look(network, board, komi)
    if int((np.abs(owned) < SURE).sum()) > FINISHED:
        return None
    owners = np.where(np.abs(owned) >= DECIDED, np.sign(owned), 0)
    score = float(owners.sum()) - komi
    for answer in analyse(board, network=network, komi=komi).regions:
        value = answer.value
        if value.exact and value.area_temperature == 0:
            score += float(value.area_count) - in_region(board.grid, value.region, owners)
    result = game.result
    if result.ending is Ending.POINTS and result.margin is not None:
        said = result.margin if result.winner == BLACK else -result.margin
        return Final(owners, said, counted=True) if abs(said - score) <= WITHIN else None
    return Final(owners, score, counted=False)


def in_region(grid: Grid, region: Sequence[int], owners: Map) -> float:
    """Black's points of a region minus White's."""
    return sum(float(owners[grid.row_column(p)]) for p in region)


def regions_held(found: Analysis, final: Map) -> tuple[int, int, int]:
    """Regions that ended within their temperature of their count, regions, settled points that changed."""
    grid = found.board.grid
    held = 0
    inside: set[int] = set()
    for answer in found.regions:
        value = answer.value
        inside |= set(value.region)
        ended = in_region(grid, value.region, final)
        held += abs(ended - float(value.area_count)) <= float(value.area_temperature) + WITHIN
    signs = {BLACK: 1, WHITE: -1}
    outside = [p for p in grid.points.tolist() if p not in inside]
    changed = sum(final[grid.row_column(p)] != signs[int(found.owner[p])] for p in outside)
    return held, len(found.regions), int(changed)


def beyond(found: Analysis, score: float) -> float:
    """How far a score lies outside of what comes out with Black and with White to move."""
    assert found.black_first is not None and found.white_first is not None
    low, high = sorted((float(found.black_first), float(found.white_first)))
    return max(low - score, score - high, 0.0)


def measure(chosen: list[Game], positions: int, network: Network) -> tuple[list[float], int]:
    """Seconds of every position, and how many failed."""
    seconds: list[float] = []
    failed = 0
    analyse(chosen[0].board_at(), network=network)  # compiles
    for game in chosen:
        for back in np.linspace(LAST, 1, positions).astype(int).tolist():
            board = game.board_at(len(game) - back)
            began = time.perf_counter()
            try:
                analyse(board, network=network, komi=game.komi or 0.0)
            except RegionError:  # nothing is settled yet: an answer, not a crash
                continue
            except Exception:
                traceback.print_exc()
                failed += 1
            seconds.append(time.perf_counter() - began)
    return seconds, failed


def main() -> bool:
    arguments = sys.argv[1:]
    count = int(arguments[0]) if arguments else GAMES
    positions = int(arguments[1]) if len(arguments) > 1 else POSITIONS
    network = load(arguments[2] if len(arguments) > 2 else "default")
    games_wanted = min(count, FINISHED_GAMES)
    every = list(games())
    seconds, failed = measure(every[:count], positions, network)

    off: dict[str, list[float]] = {"count": [], "result": [], "network": [], "apart": [], "between": []}
    counted: list[bool] = []
    held = regions = changed = 0
    for game in every:
        if len(off["count"]) >= games_wanted or (end := final(game, network)) is None:
            continue
        board, komi = game.board_at(len(game) - BEFORE_END), game.komi or 0.0
        found = analyse(board, network=network, komi=komi)
        if found.count is None or found.result is None:
            continue
        off["count"].append(abs(float(found.count) - end.score))
        off["result"].append(abs(float(found.result) - end.score))
        off["network"].append(abs(float(look(network, board, komi).sum()) - komi - end.score))
        off["apart"].append(abs(float(found.count - found.result)))
        off["between"].append(beyond(found, end.score))
        counted.append(end.counted)
        here = regions_held(found, end.owners)
        held, regions, changed = held + here[0], regions + here[1], changed + here[2]
    within = {name: np.array(each) <= WITHIN for name, each in off.items()}
    share = {name: 100 * float(each.mean()) for name, each in within.items()}
    of_counted = {name: 100 * float(each[counted].mean()) for name, each in within.items()}
    n = len(off["count"])
    rows = [
        Row(work=f"seconds a position, 95th percentile of {len(seconds)}",
            ours=float(np.quantile(seconds, 0.95)), unit="s", ceiling=SECONDS),
        Row(work="seconds a position, median", ours=median(seconds), unit="s"),
        Row(work="positions that failed", ours=failed, unit="", ceiling=0),
        Row(work=f"count within {WITHIN:g} of the final score, {n} games, {BEFORE_END} moves before the end",
            ours=share["count"], unit="%", floor=90),
        Row(work="result with correct play within 1", ours=share["result"], unit="%"),
        Row(work="count and result no more than 1 apart", ours=share["apart"], unit="%"),
        Row(work="final score between the results with either to move, or within 1",
            ours=share["between"], unit="%"),
        Row(work=f"count within 1, the {sum(counted)} games that were counted",
            ours=of_counted["count"], unit="%"),
        Row(work="result with correct play within 1, those games", ours=of_counted["result"], unit="%"),
        Row(work="the network's ownership added up within 1", ours=share["network"], unit="%"),
        Row(work=f"regions that ended within their temperature and 1 of their count, of {regions}",
            ours=100 * held / max(regions, 1), unit="%"),
        Row(work=f"settled points that changed their owner, of {n} boards", ours=changed, unit=""),
        Row(work="median points off: result", ours=median(off["result"]), unit="points"),
        Row(work="median points off: the network's ownership", ours=median(off["network"]), unit="points"),
    ]  # fmt: skip
    return report("Whole-board endgame analysis", rows)


if __name__ == "__main__":
    raise SystemExit(not main())
