"""Training of the endgame network: heads for regions, on a trunk that stays as it is.

    config = load_config(Path("configs/endgame.toml"))
    prepare(config)                       positions of games, and what the trunk sees of them: once
    fit(config)                           minutes on a processor; writes heads.safetensors and endgame.onnx

`endgame_data` says what an example is, `endgame_features` how positions are shown to the trunk,
`endgame_model` what the heads are, and `endgame_evaluate` how they are judged.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional

from miai.go.coords import EMPTY, WHITE
from miai.train.checkpoint import CheckpointError
from miai.train.config import Config, ConfigError, FitConfig, as_section, check_names, find, read_table
from miai.train.endgame_data import (
    AREA,
    DIRECTIONS,
    NOBODY,
    SIDE,
    UNKNOWN,
    Example,
    Mask,
    collect,
    dilate,
    draw,
    every,
    next_move,
)
from miai.train.endgame_evaluate import Judged, evaluate, from_views
from miai.train.endgame_features import Views, Way, make
from miai.train.endgame_model import IMPOSSIBLE, Heads, Trunk, export, load_trunk
from miai.train.fit import learning_rate
from miai.train.games import Prefetcher

HEADS, NETWORK = "heads.safetensors", "endgame.onnx"
WAYS = {
    "history": Way(turned=True),
    "alone": Way(turned=True, history=False),
    "near": Way(turned=True, history=False, far=False, share=0.4),
}
VALIDATION = "validation"
WINDOW, RIM = 13, 2  # side of the windows that are learned from, and what they hold around a mask
WHOLE_EVERY = 4


@dataclass(frozen=True)
class EndgameModel:
    """The network."""

    trunk: str  # a KataGo network, or a checkpoint of `miai train policy`
    width: int = 48
    blocks: int = 2
    init: str = ""  # heads of an earlier run to begin with


@dataclass(frozen=True)
class EndgameData:
    """Which positions, and how they are shown."""

    folder: str  # where positions and features are kept
    games: tuple[str, ...]
    labels: tuple[str, ...]  # the teacher whose ownership is learned
    validation_games: tuple[str, ...]
    validation_labels: tuple[str, ...]
    other_labels: tuple[str, ...] = ()  # for other games: they say where regions are, and no more
    views: tuple[str, ...] = ("history", "alone", "near")
    seed: int = 1


@dataclass(frozen=True)
class EndgameLoss:
    """How much each part counts, beside the next move."""

    ownership: float = 10.0
    inside: float = 4.0  # how much more a point inside the mask counts


@dataclass(frozen=True)
class EndgameConfig:
    """All of it. `fit.positions` counts regions."""

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
        check_names(table, SECTIONS)
        parts: dict[str, Any] = {
            name: as_section(cast(Any, kind), name, table.get(name, {})) for name, kind in SECTIONS.items()
        }
        found = EndgameConfig(**parts)
        for view in found.data.views:
            if view not in WAYS:
                raise ConfigError(f"data.views: {view!r} is not one of {', '.join(WAYS)}")
        return found
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


# data -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Set:
    """Views to draw examples from."""

    views: Views
    taught: bool  # the ownership is to be learned too


def prepare(config: EndgameConfig) -> tuple[list[Set], Views]:
    """Positions and features, those that are not in the folder yet made now. Training sets, validation."""
    data = config.data
    folder = Path(data.folder).expanduser()
    trunk = load_trunk(find([config.model.trunk])[0])
    if config.fit.threads:
        torch.set_num_threads(config.fit.threads)
    began = time.monotonic()

    def shown(
        name: str, labels: Sequence[str], games: Sequence[str], ways: Iterable[str], skip: int
    ) -> list[Views]:
        positions, corpus = collect(find(games), find(labels), skip=skip)
        found = []
        for i, way in enumerate(ways):
            place = f"{name}-{i}-{way}" if way else name
            found.append(
                make(folder, place, positions, corpus, trunk, WAYS.get(way, Way()), seed=data.seed * 100 + i)
            )
            seconds = time.monotonic() - began
            print(f"miai: {place}: {len(found[-1]):,} positions, {seconds:.0f} s", file=sys.stderr)
        return found

    sets = [Set(views, True) for views in shown("taught", data.labels, data.games, data.views, 0)]
    if data.other_labels:
        after = 1 + max(int(s.views.positions.game.max()) for s in sets)
        ways = [way for way in data.views if way != "near"]
        sets += [Set(views, False) for views in shown("other", data.other_labels, data.games, ways, after)]
    (validation,) = shown(VALIDATION, data.validation_labels, data.validation_games, [""], 0)
    return sets, validation


@dataclass(frozen=True)
class Batch:
    """Examples from the side to move: whole boards, or windows around the regions, all of one size."""

    features: npt.NDArray[np.float16]  # [n, channels, side, side]
    mask: npt.NDArray[np.float32]  # [n, side, side]
    empty: npt.NDArray[np.bool_]  # [n, side, side]
    label: npt.NDArray[np.int64]  # [n] a class of that side
    ownership: npt.NDArray[np.float32]  # [n, side, side]
    weight: npt.NDArray[np.float32]  # [n, side, side] of the ownership's errors


class Sampler:
    """Batches by number, drawn from all sets alike."""

    def __init__(self, sets: Sequence[Set], size: int, seed: int, inside: float) -> None:
        self.sets, self.size, self.seed, self.inside = sets, size, seed, inside
        ends = np.cumsum([len(s.views) for s in sets])
        self.ends, self.total = ends, int(ends[-1])

    def batch(self, number: int) -> Batch:
        """The same number gives the same batch; only every fourth is of whole boards, to save time."""
        random = np.random.default_rng([self.seed, number])
        side = SIDE if number % WHOLE_EVERY == 0 else WINDOW
        rows: list[tuple[Any, ...]] = []
        while len(rows) < self.size:
            place = int(random.integers(self.total))
            which = int(np.searchsorted(self.ends, place, side="right"))
            row = place - (int(self.ends[which - 1]) if which else 0)
            found = self._draw(random, self.sets[which].views, row)
            corner = None if found is None else window(random, found[0], side)
            if found is not None and corner is not None:
                rows.append(self.cut(self.sets[which], row, *found, *corner, side))
        features, mask, empty, labels, ownership, weight = (
            np.stack(column) for column in zip(*rows, strict=True)
        )
        return Batch(
            features,
            mask.astype(np.float32),
            empty,
            labels.astype(np.int64),
            ownership.astype(np.float32),
            weight.astype(np.float32),
        )

    def cut(
        self, drawn: Set, row: int, mask: Mask, label: int, top: int, left: int, side: int
    ) -> tuple[Any, ...]:
        """One example: the window of a position from the side to move."""
        positions, core = drawn.views.positions, drawn.views.core[row]
        white = bool(positions.side[row] == WHITE)
        if label == NOBODY:
            label = 2 * side * side
        else:
            colour, place = divmod(label, AREA)
            inside = (place // SIDE - top) * side + place % SIDE - left
            label = inside + (side * side if (colour == 1) != white else 0)
        near = dilate(mask) if core.any() else np.ones(AREA, np.bool_)
        weight = near * (1 + self.inside * mask) * float(drawn.taught)
        owned = positions.ownership[row] * np.float32(-0.01 if white else 0.01)
        part = slice(top, top + side), slice(left, left + side)
        features = drawn.views.features[row].reshape(-1, SIDE, SIDE)[:, *part]
        maps = (mask, positions.stones[row] == EMPTY, owned, weight)
        cut_mask, empty, cut_owned, cut_weight = (x.reshape(SIDE, SIDE)[part] for x in maps)
        return features, cut_mask, empty, label, cut_owned, cut_weight

    def _draw(
        self, random: np.random.Generator, views: Views, row: int
    ) -> tuple[npt.NDArray[np.bool_], int] | None:
        core = views.core[row]
        if not core.any():
            return draw(random, views.positions, row)
        mask = dilate(core, [DIRECTIONS[random.integers(4)]]) if random.random() < 0.3 else core
        label = next_move(views.positions, row, mask, sure=False)
        return None if label == UNKNOWN else (mask, label)


def window(random: np.random.Generator, mask: Mask, side: int) -> tuple[int, int] | None:
    """The upper left corner of a window that holds the whole mask, with a rim; None if it is too large."""
    if side == SIDE:
        return 0, 0
    rows, columns = np.nonzero(mask.reshape(SIDE, SIDE))
    corner = []
    for used in (rows, columns):
        first, last = max(int(used.min()) - RIM, 0), min(int(used.max()) + RIM, SIDE - 1)
        low, high = max(last - side + 1, 0), min(first, SIDE - side)
        if low > high:
            return None
        corner.append(int(random.integers(low, high + 1)))
    return corner[0], corner[1]


# learning ---------------------------------------------------------------------------------------


def losses(out: dict[str, Tensor], batch: Batch, config: EndgameLoss) -> tuple[Tensor, dict[str, float]]:
    """What is wrong with the answers for a batch."""
    empty = torch.from_numpy(batch.empty).flatten(1)
    barred = torch.cat([~empty, ~empty, torch.zeros(len(empty), 1, dtype=torch.bool)], 1)
    local = functional.cross_entropy(
        out["local"].masked_fill(barred, IMPOSSIBLE), torch.from_numpy(batch.label)
    )
    weight = torch.from_numpy(batch.weight)
    error = (out["ownership"][:, 0] - torch.from_numpy(batch.ownership)) ** 2
    ownership = (error * weight).sum() / weight.sum().clamp(min=1.0)
    total = local + config.ownership * ownership
    return total, {"local": float(local.detach()), "ownership": float(ownership.detach())}


def run(heads: Heads, batch: Batch) -> dict[str, Tensor]:
    """The heads' answers for a batch."""
    features = torch.from_numpy(batch.features.astype(np.float32))
    mask = torch.from_numpy(batch.mask).unsqueeze(1)
    out: dict[str, Tensor] = heads(features.contiguous(memory_format=torch.channels_last), mask)
    return out


def fit(config: EndgameConfig) -> Judged:
    """Train the heads, judge their average on the validation games, and write them."""
    fitting = config.fit
    folder = Path(fitting.out).expanduser()
    sets, validation = prepare(config)
    torch.manual_seed(config.data.seed)
    if fitting.threads:
        torch.set_num_threads(fitting.threads)
    heads = Heads(sets[0].views.features.shape[1], config.model.width, config.model.blocks)
    if config.model.init:
        heads.load_state_dict(read_heads(Path(find([config.model.init])[0]))[0])
    heads = heads.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    average = {name: t.detach().clone() for name, t in heads.state_dict().items()}
    optimiser = torch.optim.AdamW(
        heads.parameters(), lr=fitting.learning_rate, weight_decay=fitting.weight_decay
    )
    sampler = Sampler(sets, fitting.batch, config.data.seed, config.loss.inside)
    steps = -(-fitting.positions // fitting.batch)
    batches = Prefetcher(cast(Any, sampler.batch), range(steps), ahead=4, workers=1)
    examples = list(every(validation.positions))
    few = examples[:: max(1, len(examples) // max(1, fitting.validate_positions))]
    folder.mkdir(parents=True, exist_ok=True)
    said = validated = time.monotonic()
    sums = {"local": 0.0, "ownership": 0.0}
    counted = 0
    try:
        with (folder / "log.jsonl").open("a", encoding="utf-8") as log:
            for step in range(steps):
                batch = cast(Batch, batches.get())
                wrong, parts = losses(run(heads.train(), batch), batch, config.loss)
                optimiser.zero_grad(set_to_none=True)
                wrong.backward()
                nn.utils.clip_grad_norm_(heads.parameters(), fitting.clip)
                rate = learning_rate(cast(Config, config), step * fitting.batch)
                for group in optimiser.param_groups:
                    group["lr"] = rate
                optimiser.step()
                keep = min(fitting.ema, (1 + step) / (10 + step))
                with torch.no_grad():
                    for name, weight in heads.state_dict().items():
                        average[name].lerp_(weight, 1 - keep)
                sums = {name: sums[name] + value for name, value in parts.items()}
                counted += 1
                now = time.monotonic()
                if now - said > fitting.log_seconds or step == steps - 1:
                    means = {name: round(value / counted, 5) for name, value in sums.items()}
                    line = {"regions": (step + 1) * fitting.batch, "rate": rate, **means}
                    print(json.dumps(line), file=log, flush=True)
                    print(f"miai: {line}", file=sys.stderr, flush=True)
                    said, sums, counted = now, dict.fromkeys(sums, 0.0), 0
                if now - validated > 60 * fitting.validate_minutes:
                    save_heads(folder / HEADS, config, average)
                    judged = judge_heads(config, average, validation, few)
                    print(json.dumps(judged.to_json()), file=log, flush=True)
                    print(f"miai:\n{judged.table()}", file=sys.stderr, flush=True)
                    validated = time.monotonic()
    finally:
        batches.close()
    save_heads(folder / HEADS, config, average)
    judged = judge_heads(config, average, validation, examples)
    (folder / "judged.json").write_text(json.dumps(judged.to_json(), indent=1))
    return judged


def judge_heads(
    config: EndgameConfig, weights: dict[str, Tensor], views: Views, examples: Sequence[Example]
) -> Judged:
    """How good these weights are on kept features."""
    heads = Heads(views.features.shape[1], config.model.width, config.model.blocks)
    heads.load_state_dict(weights)
    return evaluate(from_views(heads, views), views.positions, examples)


def save_heads(path: Path, config: EndgameConfig, weights: dict[str, Tensor]) -> None:
    """As safetensors, with the configuration in the header."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        tensors = {name: t.clone(memory_format=torch.contiguous_format) for name, t in weights.items()}
        save_file(tensors, str(path), metadata={"config": json.dumps(config.to_json())})
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{path}: the heads cannot be written ({error})") from error


def read_heads(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Weights and configuration that `fit` wrote."""
    path = path / HEADS if path.is_dir() else path
    try:
        with safe_open(str(path), "pt") as file:
            config = json.loads((file.metadata() or {})["config"])
            return {key: file.get_tensor(key) for key in file.keys()}, config  # noqa: SIM118
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise CheckpointError(f"{path}: these are no heads ({str(error).splitlines()[0]})") from error


def load_heads(path: Path, trunk: Trunk) -> Heads:
    """Heads that `fit` wrote, for the trunk that they were trained on."""
    weights, config = read_heads(path)
    heads = Heads(trunk.channels, config["model"]["width"], config["model"]["blocks"], trunk.steps)
    try:
        heads.load_state_dict(weights)
    except RuntimeError as error:
        raise CheckpointError(f"{path}: these heads are not for {trunk.name}") from error
    return heads.eval()


def write_network(config: EndgameConfig, out: Path | None = None) -> tuple[Path, float]:
    """Export what `fit` wrote. Returns the file, and its greatest difference from torch."""
    folder = Path(config.fit.out).expanduser()
    trunk = load_trunk(find([config.model.trunk])[0])
    target = out or folder / NETWORK
    return target, export(trunk, load_heads(folder / HEADS, trunk), target)
