"""Training of the endgame network: heads for regions, and the trunk below them.

    config = load_config(Path("configs/endgame.toml"))
    fit(config)                           an hour or two on a processor; fit(config, resume=True) goes on
    write_network(config)                 endgame.onnx, from the averaged weights of the last checkpoint

One look of the trunk at a position serves all of its regions. The trunk learns too, more slowly than the
heads, and is held to the ownership that it gave before. `endgame_batches` makes what is learned from,
`endgame_data` says what regions and labels are, `endgame_model` what the heads are, and `endgame_evaluate`
how they are judged.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from miai.train import checkpoint
from miai.train.checkpoint import Checkpoint, Progress
from miai.train.config import Config, ConfigError, FitConfig, as_section, check_names, find, read_table
from miai.train.endgame_batches import Batch, EndgameData, Sampler
from miai.train.endgame_data import Example, Positions, collect, every, labelled, load_games
from miai.train.endgame_evaluate import Judged, evaluate, from_torch
from miai.train.endgame_model import IMPOSSIBLE, Heads, Whole, export, load_trunk
from miai.train.fit import learning_rate
from miai.train.games import Corpus

NETWORK = "endgame.onnx"


@dataclass(frozen=True)
class EndgameModel:
    """The network."""

    trunk: str  # a KataGo network, or a checkpoint of `miai train policy`
    width: int = 48
    blocks: int = 2
    trunk_rate: float = 0.2  # how fast the trunk learns beside the heads; 0: it stays as it is


@dataclass(frozen=True)
class EndgameLoss:
    """How much each part counts, beside the next move."""

    ownership: float = 10.0  # that comes out, where there is a teacher
    inside: float = 4.0  # how much more a point inside the mask counts in it
    towards: float = 0.4  # how far that goes from what the trunk's was to the teacher's
    held: float = 80.0  # the trunk's own ownership, against what it was


@dataclass(frozen=True)
class EndgameConfig:
    """All of it."""

    model: EndgameModel
    data: EndgameData
    fit: FitConfig
    loss: EndgameLoss

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


SECTIONS = {"model": EndgameModel, "data": EndgameData, "fit": FitConfig, "loss": EndgameLoss}


def load_config(path: Path, overrides: Sequence[str] = ()) -> EndgameConfig:
    """From a TOML file; an override is `section.key=value`."""
    table = read_table(path, overrides)
    try:
        return as_config(table)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def as_config(table: dict[str, Any]) -> EndgameConfig:
    """From what a TOML file, or a checkpoint, holds."""
    check_names(table, SECTIONS)
    parts: dict[str, Any] = {
        name: as_section(cast(Any, kind), name, table.get(name, {})) for name, kind in SECTIONS.items()
    }
    found = EndgameConfig(**parts)
    data = found.data
    if min(data.alone, data.near) < 0 or data.alone + data.near > 1 or not 0 <= data.taught <= 1:
        raise ConfigError("data.alone, data.near and data.taught: shares, from 0 to 1 together")
    return found


def build(config: EndgameConfig) -> Whole:
    """The network as it is before it has learned anything."""
    trunk = load_trunk(find([config.model.trunk])[0])
    return Whole(trunk, Heads(trunk.channels, config.model.width, config.model.blocks, trunk.steps))


# learning ---------------------------------------------------------------------------------------


def losses(whole: Whole, batch: Batch, config: EndgameLoss) -> tuple[Tensor, dict[str, float]]:
    """What is wrong with the answers for a batch."""
    features = whole.trunk(batch.spatial, batch.scalars)
    out = whole.heads(features, batch.mask, batch.rows)
    barred = torch.cat([~batch.empty, ~batch.empty, torch.zeros(len(batch.label), 1, dtype=torch.bool)], 1)
    local = functional.cross_entropy(out["local"].masked_fill(barred, IMPOSSIBLE), batch.label)
    error = (out["ownership"][:, 0] - batch.teacher) ** 2 * batch.weight
    ownership = error.sum() / batch.weight.sum().clamp(min=1.0)
    moved = ((torch.tanh(features[:, -1]) - batch.owned) ** 2).mean((1, 2)) * batch.held
    held = moved.sum() / batch.held.sum().clamp(min=1.0)
    total = local + config.ownership * ownership + config.held * held
    parts = {"local": local, "ownership": ownership, "held": held}
    return total, {name: float(part.detach()) for name, part in parts.items()}


class Run:
    """A run, from its beginning or from its last checkpoint."""

    def __init__(self, config: EndgameConfig, resume: bool) -> None:
        fitting, model = config.fit, config.model
        self.config, self.path = config, Path(fitting.out).expanduser() / checkpoint.NAME
        if not resume and self.path.exists():
            raise ConfigError(f"{self.path} is there already: go on from it with --resume, or set fit.out")
        torch.manual_seed(config.data.seed)
        if fitting.threads:
            torch.set_num_threads(fitting.threads)
        self.whole = cast(Whole, build(config).to(memory_format=torch.channels_last))  # type: ignore[call-overload]
        self.whole.trunk.requires_grad_(model.trunk_rate > 0)
        groups = [
            {"params": list(self.whole.heads.parameters()), "share": 1.0},
            {"params": list(self.whole.trunk.parameters()), "share": model.trunk_rate},
        ]
        self.optimiser = torch.optim.AdamW(
            groups, lr=fitting.learning_rate, weight_decay=fitting.weight_decay
        )
        self.average = {name: t.detach().clone() for name, t in self.whole.state_dict().items()}
        self.progress = Progress()
        if resume:
            found = read(self.path)
            checkpoint.restore(found, self.whole, self.optimiser)
            self.average, self.progress = found.part("average"), found.progress
        self.sampler, self.validation = load_data(config)
        self.examples = list(every(self.validation[0]))

    def go(self) -> Judged:
        """Learn, and judge the averaged weights on the validation games."""
        fitting = self.config.fit
        few = self.examples[:: max(1, len(self.examples) // max(1, fitting.validate_positions))]
        steps = -(-fitting.positions // fitting.batch)
        said = saved = validated = time.monotonic()
        sums: dict[str, float] = {}
        counted = 0
        try:
            for step in range(self.progress.step, steps):
                parts, rate = self.step(step)
                sums = {name: sums.get(name, 0.0) + value for name, value in parts.items()}
                counted += 1
                now = time.monotonic()
                if now - said > fitting.log_seconds or step == steps - 1:
                    means = {name: round(value / counted, 5) for name, value in sums.items()}
                    self.say({"positions": self.progress.positions, "rate": rate, **means})
                    said, sums, counted = now, {}, 0
                if now - saved > 60 * fitting.checkpoint_minutes:
                    self.save()
                    saved = time.monotonic()
                if now - validated > 60 * fitting.validate_minutes:
                    judged = self.judge(few)
                    self.say(judged.to_json())
                    print(judged.table(), file=sys.stderr, flush=True)
                    validated = time.monotonic()
        except KeyboardInterrupt:
            self.save()
            raise
        self.save()
        judged = self.judge(self.examples)
        self.path.with_name("judged.json").write_text(json.dumps(judged.to_json(), indent=1))
        return judged

    def step(self, step: int) -> tuple[dict[str, float], float]:
        """One batch. Returns the parts of its loss, and the rate."""
        fitting = self.config.fit
        batch = self.sampler.batch(step)
        with torch.autocast("cpu", torch.bfloat16):
            wrong, parts = losses(self.whole, batch, self.config.loss)
        self.optimiser.zero_grad(set_to_none=True)
        wrong.backward()
        nn.utils.clip_grad_norm_(self.whole.parameters(), fitting.clip)
        rate = learning_rate(cast(Config, self.config), step * fitting.batch)
        for group in self.optimiser.param_groups:
            group["lr"] = rate * group["share"]
        self.optimiser.step()
        keep = min(fitting.ema, (1 + step) / (10 + step))
        with torch.no_grad():
            for name, weight in self.whole.state_dict().items():
                self.average[name].lerp_(weight, 1 - keep)
        self.progress = replace(self.progress, step=step + 1, positions=(step + 1) * fitting.batch)
        return parts, rate

    def judge(self, examples: Sequence[Example]) -> Judged:
        """How good the averaged weights are."""
        whole = build(self.config)
        checkpoint.fill(whole, self.average)
        positions, corpus = self.validation
        return evaluate(from_torch(whole, positions, corpus), positions, examples)

    def save(self) -> None:
        checkpoint.save(
            self.path, cast(Config, self.config), self.progress, self.whole, self.average, self.optimiser
        )

    def say(self, line: dict[str, Any]) -> None:
        """To the log, and to whoever watches."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.with_name("log.jsonl").open("a", encoding="utf-8") as log:
            print(json.dumps(line), file=log)
        if "groups" not in line:
            print(f"miai: {line}", file=sys.stderr, flush=True)


def load_data(config: EndgameConfig) -> tuple[Sampler, tuple[Positions, Corpus]]:
    """What is learned from, and what it is judged by."""
    data = config.data
    corpus, counted = load_games(find(data.games))
    labels = labelled(corpus, find(data.labels))
    twin = load_trunk(find([config.model.trunk])[0])
    size, loss = config.fit.batch, config.loss
    sampler = Sampler(
        corpus, counted, labels, twin, data, size=size, inside=loss.inside, towards=loss.towards
    )
    print(f"miai: {len(sampler.games):,} games, {len(labels.place):,} labels", file=sys.stderr, flush=True)
    return sampler, collect(find(data.validation_games), find(data.validation_labels))


def fit(config: EndgameConfig, *, resume: bool = False) -> Judged:
    """Train, judge, and leave a checkpoint."""
    return Run(config, resume).go()


def read(path: Path) -> Checkpoint:
    """A checkpoint of `fit`."""
    table, progress, tensors = checkpoint.read(path)
    return Checkpoint(cast(Config, as_config(table)), progress, tensors)


def write_network(config: EndgameConfig, out: Path | None = None) -> tuple[Path, float]:
    """Export what `fit` wrote. Returns the file, and its greatest difference from torch."""
    folder = Path(config.fit.out).expanduser()
    whole = build(config)
    checkpoint.fill(whole, read(folder).part("average"))
    target = out or folder / NETWORK
    return target, export(whole, target)
