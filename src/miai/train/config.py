"""What a training run is told: a TOML file, checked key by key.

    config = load(Path("configs/miai.toml"), overrides=["fit.positions=100000"])

Every key has a default except the ones that name the model and the games; a key that is not known is an
error, and says which ones are. Paths may contain `$MIAI_DATA` (by default `../shared/data`) and `*`.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields
from glob import glob
from pathlib import Path
from typing import Any, TypeVar

DEFAULT_DATA = "../shared/data"


class ConfigError(ValueError):
    """A configuration that cannot be used, in one sentence."""


@dataclass(frozen=True)
class ModelConfig:
    """Which network, and how large. See `models` for the kinds."""

    kind: str  # deepgo, darkforest or residual
    planes: str  # the plane set that it reads
    blocks: int  # layers of Deep-Go, inner layers of darkforest, residual blocks of our own
    channels: int
    steps: int = 1  # how many of the next moves it predicts
    first_channels: int = 92  # of the first layer of the published two
    pooling: tuple[int, ...] = ()  # which residual blocks pool over the whole board, from 0
    inner_channels: int = 0  # between the two convolutions of a residual block; 0: as many as outside
    pooled_channels: int = 32  # of those, in blocks that pool, the ones that do
    head_channels: int = 32
    value_channels: int = 32
    hidden: int = 64  # of the value head


@dataclass(frozen=True)
class DataConfig:
    """Which positions."""

    games: tuple[str, ...]  # archives or folders; all are held in memory
    validation: tuple[str, ...] = ()
    teacher: tuple[str, ...] = ()  # label files, as `miai data label` writes them
    labelled: float = 0.5  # share of positions that are drawn from those with a label
    seed: int = 1
    symmetries: bool = True  # turn every position in a random way
    skip_moves: int = 0  # positions after fewer moves are not learned from
    prefetch: int = 8  # batches made ahead
    workers: int = 1  # threads that make them


@dataclass(frozen=True)
class LossConfig:
    """How much each part of the answer counts."""

    teacher: float = (
        0.5  # of the policy: the teacher's distribution, where there is one; the rest is the game
    )
    later_steps: float = 0.2  # of each move after the next one
    value: float = 0.5
    score: float = 0.02  # a point
    ownership: float = 1.0
    results: float = 0.2  # of the value loss: where only the game's result is known


@dataclass(frozen=True)
class InitConfig:
    """Where the weights come from, if not from chance."""

    katago: str = ""  # a KataGo network, for our own kind of network
    checkpoint: str = ""  # a checkpoint of ours: its averaged weights; it may have more inner channels


@dataclass(frozen=True)
class FitConfig:
    """How it learns."""

    out: str  # folder of checkpoints and logs
    positions: int = 1_000_000  # to learn from, in all
    batch: int = 128  # positions at a time in each process
    accumulate: int = 1  # batches to a step
    learning_rate: float = 1e-3
    warmup: int = 20_000  # positions over which the rate rises
    schedule: str = "cosine"  # or constant
    cooldown: int = 0  # positions at the end over which the rate falls to nothing
    weight_decay: float = 1e-4
    momentum: float = 0.9  # of sgd
    optimiser: str = "adamw"  # or sgd
    clip: float = 1.0  # length of the gradient at most
    ema: float = 0.999  # how much of the averaged weights stays at each step
    threads: int = 0  # for torch; 0: try now and then how many are fastest
    compile: bool = False  # by torch.compile; needs a C++ compiler
    checkpoint_minutes: float = 5.0
    validate_minutes: float = 15.0
    validate_positions: int = 2000
    log_seconds: float = 30.0


@dataclass(frozen=True)
class Config:
    """All of it."""

    name: str
    model: ModelConfig
    data: DataConfig
    fit: FitConfig
    loss: LossConfig = field(default_factory=LossConfig)
    init: InitConfig = field(default_factory=InitConfig)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


SECTIONS: dict[str, type] = {
    "model": ModelConfig,
    "data": DataConfig,
    "fit": FitConfig,
    "loss": LossConfig,
    "init": InitConfig,
}
S = TypeVar("S")


def load(path: Path, overrides: Sequence[str] = ()) -> Config:
    """From a file. An override is `section.key=value`, the value as TOML would write it."""
    table = read_table(path, overrides)
    try:
        return parse(table, path.stem)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def read_table(path: Path, overrides: Sequence[str] = ()) -> dict[str, Any]:
    """What a TOML file says, and the overrides: sections, not checked yet."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: there is no such file") from error
    except OSError as error:
        raise ConfigError(f"{path}: {(error.strerror or str(error)).lower()}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error
    for override in overrides:
        key, equals, value = override.partition("=")
        section, dot, name = key.strip().partition(".")
        if not equals or not dot:
            raise ConfigError(f"--set {override}: write section.key=value")
        try:
            parsed = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            parsed = value
        if isinstance(keys := table.setdefault(section, {}), dict):  # else `as_section` will say so
            keys[name] = parsed
    return table


def parse(table: dict[str, Any], name: str) -> Config:
    """From what a TOML file, or a checkpoint, holds."""
    table = {key: value for key, value in table.items() if key != "name"}
    check_names(table, SECTIONS)
    for key in ("model", "data", "fit"):
        if key not in table:
            raise ConfigError(f"section [{key}] is missing")
    parts: dict[str, Any] = {
        key: as_section(kind, key, table[key]) for key, kind in SECTIONS.items() if key in table
    }
    config = Config(name=name, **parts)
    _check(config)
    return config


def check_names(table: Iterable[str], sections: Iterable[str]) -> None:
    """Complain of a section that there is not."""
    for key in table:
        if key not in sections:
            raise ConfigError(f"there is no section {key!r}: there are {', '.join(sections)}")


def as_section(kind: type[S], section: str, table: Any) -> S:
    """A section of a file as the dataclass `kind`, checked key by key."""
    if not isinstance(table, dict):
        raise ConfigError(f"{section}: is to be a section, [{section}]")
    known = {f.name: f for f in fields(kind)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise ConfigError(f"{section}.{key}: there is no such key; there are {', '.join(known)}")
        values[key] = _typed(f"{section}.{key}", str(known[key].type), value)
    try:
        return kind(**values)
    except TypeError as error:
        missing = [f.name for f in fields(kind) if f.name not in values and _required(f)]  # type: ignore[arg-type]
        raise ConfigError(f"{section}.{missing[0]} is missing") from error


def _required(f: Any) -> bool:
    from dataclasses import MISSING

    return f.default is MISSING and f.default_factory is MISSING


def _typed(key: str, kind: str, value: Any) -> Any:
    match kind:
        case "int" if isinstance(value, int) and not isinstance(value, bool):
            return value
        case "float" if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        case "bool" if isinstance(value, bool):
            return value
        case "str" if isinstance(value, str):
            return value
        case "tuple[str, ...]" if isinstance(value, str):
            return (value,)
        case "tuple[str, ...]" if isinstance(value, list | tuple) and all(isinstance(v, str) for v in value):
            return tuple(value)
        case "tuple[int, ...]" if isinstance(value, list | tuple) and all(isinstance(v, int) for v in value):
            return tuple(value)
    raise ConfigError(f"{key} = {value!r}: should be {kind.replace('tuple', 'a list ').replace(', ...', '')}")


def _check(config: Config) -> None:
    model, data, fit = config.model, config.data, config.fit
    rules = [
        (model.kind in ("deepgo", "darkforest", "residual"), "model.kind: deepgo, darkforest or residual"),
        (model.blocks >= (3 if model.kind == "deepgo" else 1), "model.blocks: too few"),
        (model.channels >= 1, "model.channels: at least 1"),
        (1 <= model.steps <= 3, "model.steps: 1, 2 or 3"),
        (
            not model.pooling or 1 <= model.pooled_channels < (model.inner_channels or model.channels),
            "model.pooled_channels: fewer than model.inner_channels",
        ),
        (bool(data.games), "data.games: name at least one archive"),
        (0 <= data.labelled <= 1, "data.labelled: a share, from 0 to 1"),
        (data.workers >= 1 and data.prefetch >= 1, "data.workers and data.prefetch: at least 1"),
        (fit.batch >= 1 and fit.accumulate >= 1, "fit.batch and fit.accumulate: at least 1"),
        (fit.schedule in ("cosine", "constant"), "fit.schedule: cosine or constant"),
        (fit.optimiser in ("adamw", "sgd"), "fit.optimiser: adamw or sgd"),
        (0 <= fit.ema < 1, "fit.ema: from 0 to less than 1"),
    ]
    for fine, sentence in rules:
        if not fine:
            raise ConfigError(sentence)


def find(patterns: Sequence[str]) -> list[str]:
    """The files behind paths of a configuration, in order of their names within each pattern."""
    found: list[str] = []
    for pattern in patterns:
        expanded = pattern.replace("$MIAI_DATA", os.environ.get("MIAI_DATA") or DEFAULT_DATA)
        expanded = os.path.expanduser(os.path.expandvars(expanded))
        if any(sign in expanded for sign in "*?["):
            matches = sorted(glob(expanded))
            if not matches:
                raise ConfigError(f"{pattern}: no such files ({expanded})")
            found += matches
        else:
            if not Path(expanded).exists():
                raise ConfigError(f"{pattern}: there is no {expanded}")
            found.append(expanded)
    return found
