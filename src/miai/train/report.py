"""What a training run says: a bar where somebody watches, else a line now and then; and TensorBoard."""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from miai.train.checkpoint import Progress
from miai.train.config import Config

if TYPE_CHECKING:
    from miai.train.evaluate import Evaluation
    from miai.train.games import Sampler


class Report:
    """Collects what happens between two lines and says it. `log.jsonl` in the folder keeps it."""

    def __init__(self, config: Config, folder: Path, *, quiet: bool = False) -> None:
        self.config, self.folder, self.quiet = config, folder, quiet
        self.sums: defaultdict[str, float] = defaultdict(float)
        self.steps = 0
        self.waited = self.busy = 0.0
        self.said_at = time.monotonic()
        self.said_positions = 0
        self.bar: Any = None
        self.board: Any = None

    def say(self, text: str) -> None:
        """A line for people."""
        if self.quiet:
            return
        if self.bar is not None:
            self.bar.console.print(text, highlight=False, markup=False)
        else:
            print(f"miai: {text}", file=sys.stderr, flush=True)

    def begin(self, sampler: Sampler, parameters: int, progress: Progress) -> None:
        """Before the first step."""
        corpus = sampler.corpus
        self.said_positions = progress.positions
        for complaint in corpus.damaged:
            self.say(f"skipped {complaint}")
        self.say(
            f"{self.config.name}: {parameters:,} weights; {len(corpus.records):,} games, "
            f"{corpus.skipped:,} skipped; "
            f"{sampler.positions:,} positions, {sampler.labelled_positions:,} with a teacher; "
            f"{progress.positions:,} of {self.config.fit.positions:,} learned"
        )

    def __enter__(self) -> Report:
        if self.quiet:
            return self
        try:
            from torch.utils.tensorboard import SummaryWriter

            self.board = SummaryWriter(str(self.folder / "tensorboard"))
        except ImportError:
            self.say("TensorBoard is not installed: nothing is written for it")
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self.bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.completed:,.0f} of {task.total:,.0f}"),
                TextColumn("{task.fields[speed]:.0f}/s"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
            )
            self.task = self.bar.add_task("positions", total=self.config.fit.positions, speed=0.0)
            self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.bar is not None:
            self.bar.stop()
            self.bar = None
        if self.board is not None:
            self.board.close()

    def step(
        self, progress: Progress, parts: dict[str, float], waited: float, seconds: float, rate: float
    ) -> None:
        """After each step."""
        if self.quiet:
            return
        for name, value in parts.items():
            self.sums[name] += value
        self.steps += 1
        self.waited += waited
        self.busy += seconds
        now = time.monotonic()
        done = progress.positions >= self.config.fit.positions
        speed = (progress.positions - self.said_positions) / max(now - self.said_at, 1e-9)
        if self.bar is not None:
            self.bar.update(self.task, completed=progress.positions, speed=speed)
        if now - self.said_at < self.config.fit.log_seconds and not done:
            return
        means = {name: value / self.steps for name, value in self.sums.items()}
        left = (self.config.fit.positions - progress.positions) / max(speed, 1e-9)
        waiting = self.waited / max(self.busy, 1e-9)
        self._write(
            progress.positions, {**means, "positions/s": speed, "waiting": waiting, "learning rate": rate}
        )
        if self.bar is None:
            losses = " ".join(f"{name} {value:.3f}" for name, value in means.items())
            self.say(
                f"{progress.positions:,} positions, {speed:.0f}/s, {100 * waiting:.1f} % waiting, "
                f"{left / 60:.0f} min left; {losses}"
            )
        self.sums.clear()
        self.steps = 0
        self.waited = self.busy = 0.0
        self.said_at, self.said_positions = now, progress.positions

    def validated(self, progress: Progress, result: Evaluation) -> None:
        """After a look at games that are not learned from."""
        self.say(
            f"validation at {progress.positions:,}: "
            f"top-1 {100 * result.top1:.2f} % (± {100 * result.margin:.2f}), "
            f"top-5 {100 * result.top5:.2f} %, nll {result.nll:.4f}"
        )
        if not self.quiet:
            scores = {
                "validation/top1": result.top1,
                "validation/top5": result.top5,
                "validation/nll": result.nll,
            }
            self._write(progress.positions, {**scores, "hours": progress.seconds / 3600})

    def _write(self, positions: int, values: dict[str, float]) -> None:
        if self.board is not None:
            for name, value in values.items():
                self.board.add_scalar(name, value, positions)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with (self.folder / "log.jsonl").open("a", encoding="utf-8") as log:
                log.write(json.dumps({"positions": positions, **values}) + "\n")
        except OSError as error:
            self.say(f"the log cannot be written: {error.strerror}")
