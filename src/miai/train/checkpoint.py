"""What a training run keeps on disk: weights, their average, the optimiser, and where it stands.

One file of safetensors, with the rest as JSON in its header: no pickle. It is written beside the old one
and then takes its name, so that a full disk or a power cut leaves the last good checkpoint as it was.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from miai.train.config import Config, ConfigError, parse

NAME = "checkpoint.safetensors"
KIND = "miai checkpoint 1"


class CheckpointError(Exception):
    """A checkpoint that cannot be written or read, in one sentence."""


@dataclass(frozen=True)
class Progress:
    """Where a run stands."""

    step: int = 0
    positions: int = 0
    seconds: float = 0.0  # of training, all sessions together
    waited: float = 0.0  # of those, for data
    best: float = 0.0  # best share of moves found in validation


@dataclass(frozen=True)
class Checkpoint:
    """What was read."""

    config: Config
    progress: Progress
    tensors: dict[str, Tensor]  # weights.…, average.…, optimiser.<slot>.…

    def part(self, name: str) -> dict[str, Tensor]:
        """The tensors under a name, without it."""
        start = name + "."
        return {key.removeprefix(start): t for key, t in self.tensors.items() if key.startswith(start)}


def save(
    path: Path,
    config: Config,
    progress: Progress,
    network: nn.Module,
    average: dict[str, Tensor],
    optimiser: torch.optim.Optimizer | None,
) -> None:
    """Write a checkpoint. CheckpointError if that fails; then the old one is still there."""
    tensors = {f"weights.{name}": t.detach() for name, t in network.state_dict().items()}
    tensors |= {f"average.{name}": t for name, t in average.items()}
    if optimiser is not None:
        for name, parameter in network.named_parameters():
            for slot, value in optimiser.state.get(parameter, {}).items():
                if isinstance(value, Tensor) and value.dim() > 0:
                    tensors[f"optimiser.{slot}.{name}"] = value
    header = {
        "kind": KIND,
        "config": json.dumps(config.to_json()),
        "progress": json.dumps(vars(progress)),
    }
    temporary = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_file(
            {key: t.clone(memory_format=torch.contiguous_format) for key, t in tensors.items()},
            str(temporary),
            metadata=header,
        )
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except (OSError, SafetensorError) as error:
        temporary.unlink(missing_ok=True)
        kept = "; the last one is still there" if path.exists() else ""
        raise CheckpointError(f"{path}: the checkpoint cannot be written ({_reason(error)}){kept}") from error


def load(path: Path) -> Checkpoint:
    """Read a checkpoint, or the one in a folder."""
    table, progress, tensors = read(path)
    try:
        return Checkpoint(parse(table, table["name"]), progress, tensors)
    except (KeyError, TypeError, ValueError, ConfigError) as error:
        raise CheckpointError(f"{path}: the checkpoint is damaged ({_reason(error)})") from error


def read(path: Path) -> tuple[dict[str, Any], Progress, dict[str, Tensor]]:
    """What a checkpoint holds, or the one in a folder: its configuration as it was written, the rest."""
    path = path / NAME if path.is_dir() else path
    try:
        with safe_open(str(path), "pt") as file:
            header = file.metadata() or {}
            if header.get("kind") != KIND:
                raise CheckpointError(f"{path}: is not a checkpoint of this program")
            tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
        return json.loads(header["config"]), Progress(**json.loads(header["progress"])), tensors
    except FileNotFoundError as error:
        raise CheckpointError(f"{path}: there is no checkpoint") from error
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{path}: the checkpoint is damaged ({_reason(error)})") from error


def restore(checkpoint: Checkpoint, network: nn.Module, optimiser: torch.optim.Optimizer | None) -> None:
    """Put the weights and the state of the optimiser back."""
    fill(network, checkpoint.part("weights"))
    if optimiser is None:
        return
    slots = checkpoint.part("optimiser")
    for name, parameter in network.named_parameters():
        state: dict[str, Any] = {
            slot: slots[f"{slot}.{name}"].clone()
            for slot in ("exp_avg", "exp_avg_sq", "momentum_buffer")
            if f"{slot}.{name}" in slots
        }
        if "exp_avg" in state:
            state["step"] = torch.tensor(float(checkpoint.progress.step))
        if state:
            optimiser.state[parameter] = state


def fill(network: nn.Module, weights: dict[str, Tensor]) -> None:
    """Load weights that must fit."""
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        raise CheckpointError(
            "the checkpoint is of a network of another size than the configuration"
        ) from error


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error).splitlines()[0].lower() if str(error) else type(error).__name__
