"""What every benchmark shares: a timer, a row, and a report that says whether each floor was met.

A benchmark is a file `bench_<name>.py` that measures, builds rows and ends with

    raise SystemExit(not report("Replaying games", rows))

`report` prints the table, writes `results/<name>.json` and tells whether every floor was met.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).resolve().parent / "results"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One measured piece of work, our figure beside the peer's from the same run.

    The bar is put on the ratio ours / peer when there is a peer, and on our own figure when there is
    none. Rates have a `floor`; times, where less is better, have a `ceiling`.
    """

    work: str
    ours: float
    unit: str  # of both figures: "moves/s", "s"
    peer_name: str | None = None
    peer: float | None = None
    floor: float | None = None
    ceiling: float | None = None

    def __post_init__(self) -> None:
        if (self.peer is None) != (self.peer_name is None):
            raise ValueError(f"{self.work}: a peer needs both a name and a figure")

    @property
    def ratio(self) -> float | None:
        return None if self.peer is None else self.ours / self.peer

    @property
    def judged(self) -> float:
        """The number that the floor or the ceiling is about."""
        return self.ours if self.ratio is None else self.ratio

    @property
    def met(self) -> bool:
        above = self.floor is None or self.judged >= self.floor
        below = self.ceiling is None or self.judged <= self.ceiling
        return above and below

    @property
    def bar(self) -> str:
        """The bar in words: `at least 100 ×`, `at most 1.5 ×`, `at least 25,000 games/s`."""
        unit = self.unit if self.ratio is None else "×"
        bars = [("at least", self.floor), ("at most", self.ceiling)]
        return ", ".join(f"{words} {figure(value)} {unit}" for words, value in bars if value is not None)


def figure(value: float) -> str:
    """`value` with as many digits as are worth reading."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def best_of(function: Callable[[], object], repeat: int = 3) -> float:
    """Seconds that the fastest of `repeat` calls took. Warm up first if `function` compiles."""
    fastest = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        function()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest


def report(title: str, rows: Sequence[Row], *, name: str | None = None) -> bool:
    """Print `rows`, write them to `results/<name>.json`, and return whether every bar was met.

    `name` is by default that of the running script, without its `bench_`.
    """
    name = name or Path(sys.argv[0]).stem.removeprefix("bench_")
    table = Table(title=title, title_justify="left")
    table.add_column("work")
    for heading in ("ours", "peer", "ratio"):
        table.add_column(heading, justify="right")
    table.add_column("wanted")
    table.add_column("met")
    for row in rows:
        peer = "" if row.peer is None else f"{figure(row.peer)} {row.unit}\n({row.peer_name})"
        ratio = "" if row.ratio is None else f"{figure(row.ratio)} ×"
        met = ("yes" if row.met else "NO") if row.bar else ""
        table.add_row(row.work, f"{figure(row.ours)} {row.unit}", peer, ratio, row.bar, met)
    console = Console() if sys.stdout.isatty() else Console(width=110)
    console.print(table)

    RESULTS.mkdir(exist_ok=True)
    found: dict[str, Any] = {
        "title": title,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "rows": [asdict(row) | {"ratio": row.ratio, "met": row.met} for row in rows],
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    return all(row.met for row in rows)
