"""The training loop: that it learns, that it goes on where it stopped, and what it leaves on disk."""

from __future__ import annotations

import copy
import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from miai.train import checkpoint, fit
from miai.train.checkpoint import CheckpointError
from miai.train.config import Config, ConfigError, parse
from train.games_made import toml

Table = dict[str, dict[str, Any]]


def config(table: Table, **changes: Any) -> Config:
    """The configuration with other settings; `data_…`, `model_…` and `loss_…` go to their sections."""
    table = copy.deepcopy(table)
    for key, value in changes.items():
        section, _, name = key.partition("_")
        table.setdefault(section, {})[name] = value
    return parse(table, "tiny")


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / checkpoint.NAME)


def assert_same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor], *, close: float = 0.0) -> None:
    assert a.keys() == b.keys()
    for name in a:
        torch.testing.assert_close(
            a[name], b[name], rtol=0, atol=close, msg=lambda words, n=name: f"{n}: {words}"
        )


def test_it_learns(table: Table) -> None:
    chosen = config(table, fit_positions=3000, fit_batch=32, fit_learning_rate=0.01, data_symmetries=False)
    run = fit.Run(chosen, False, 0, 1)
    first = [
        fit.loss(run.outputs(run.sampler.batch(n)), run.sampler.batch(n), chosen.loss)[1]["move"]
        for n in range(3)
    ]
    progress = run.go()
    last = [
        fit.loss(run.outputs(run.sampler.batch(n)), run.sampler.batch(n), chosen.loss)[1]["move"]
        for n in range(3)
    ]
    assert progress.positions >= 3000
    assert np.mean(last) < np.mean(first) - 0.5


@pytest.mark.parametrize("optimiser", ["adamw", "sgd"])
def test_a_resumed_run_ends_with_the_same_numbers(table: Table, tmp_path: Path, optimiser: str) -> None:
    straight = config(table, fit_optimiser=optimiser, fit_schedule="constant")
    fit.fit(straight)
    half = config(table, fit_optimiser=optimiser, fit_schedule="constant", fit_out=str(tmp_path / "two"))
    fit.fit(
        config(
            table, fit_optimiser=optimiser, fit_schedule="constant", fit_out=half.fit.out, fit_positions=64
        )
    )
    progress = fit.fit(half, resume=True)
    assert progress.positions == 128
    assert_same(weights(tmp_path / "run"), weights(tmp_path / "two"))


def test_accumulation_is_one_large_batch(table: Table, tmp_path: Path) -> None:
    """Of unlabelled positions with every next move known, two batches of 8 make one step of 16."""
    chosen = config(table, fit_accumulate=2, fit_positions=16)
    assert fit.fit(chosen).step == 1
    run = fit.Run(config(table, fit_accumulate=2, fit_out=str(tmp_path / "b")), False, 0, 1)
    total = sum(
        fit.loss(run.outputs(run.sampler.batch(n)), run.sampler.batch(n), chosen.loss)[0] / 2
        for n in range(2)
    )
    assert isinstance(total, torch.Tensor)
    total.backward()
    torch.nn.utils.clip_grad_norm_(run.network.parameters(), chosen.fit.clip)
    for group in run.optimiser.param_groups:
        group["lr"] = fit.learning_rate(chosen, 0)
    run.optimiser.step()
    done = weights(tmp_path / "run")
    for name, weight in run.network.state_dict().items():
        torch.testing.assert_close(done[f"weights.{name}"], weight, rtol=0, atol=1e-6)


def test_two_processes_do_what_one_does_with_twice_the_batches(table: Table, tmp_path: Path) -> None:
    fit.fit(config(table, fit_accumulate=2, fit_positions=64))
    path = toml(table, tmp_path / "tiny.toml")
    command = [
        sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", "--master-port=0",
        "--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0", "-m", "miai", "train", "policy",
        "--config", str(path), "--set", f"fit.out={tmp_path / 'two'}", "--set", "fit.positions=64",
    ]  # fmt: skip
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert_same(weights(tmp_path / "run"), weights(tmp_path / "two"), close=1e-5)


def test_stopping_saves(table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = config(table, fit_schedule="constant")
    steps = fit.Run.step
    count = 0

    def stopped(run: Any, batches: Any) -> Any:
        nonlocal count
        count += 1
        if count == 4:
            signal.raise_signal(signal.SIGTERM)
        return steps(run, batches)

    with monkeypatch.context() as patch:
        patch.setattr(fit.Run, "step", stopped)
        with pytest.raises(KeyboardInterrupt):
            fit.fit(chosen)
    assert checkpoint.load(tmp_path / "run").progress.step == 4
    fit.fit(chosen, resume=True)
    fit.fit(config(table, fit_schedule="constant", fit_out=str(tmp_path / "straight")))
    assert_same(weights(tmp_path / "run"), weights(tmp_path / "straight"))


def test_a_full_disk_leaves_the_last_checkpoint(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = config(table, fit_positions=16)
    fit.fit(chosen)
    before = (tmp_path / "run" / checkpoint.NAME).read_bytes()

    def full(tensors: Any, path: str, metadata: Any) -> None:
        Path(path).write_bytes(b"half of it")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(checkpoint, "save_file", full)
    with pytest.raises(CheckpointError, match=r"no space left on device.*the last one is still there"):
        fit.fit(config(table, fit_positions=64), resume=True)
    assert [p.name for p in (tmp_path / "run").iterdir() if p.suffix == ".part"] == []
    assert (tmp_path / "run" / checkpoint.NAME).read_bytes() == before


def test_a_run_is_not_overwritten(table: Table) -> None:
    fit.fit(config(table, fit_positions=8))
    with pytest.raises(ConfigError, match="--resume"):
        fit.fit(config(table, fit_positions=8))
    with pytest.raises(ConfigError, match="another network"):
        fit.fit(config(table, model_channels=16), resume=True)


def test_damaged_checkpoints_are_said(table: Table, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="there is no checkpoint"):
        fit.fit(config(table), resume=True)
    fit.fit(config(table, fit_positions=8))
    path = tmp_path / "run" / checkpoint.NAME
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match="damaged"):
        fit.fit(config(table), resume=True)


def test_the_rate_rises_holds_and_falls(table: Table) -> None:
    held = config(
        table,
        fit_schedule="constant",
        fit_warmup=100,
        fit_cooldown=200,
        fit_positions=1000,
        fit_learning_rate=1.0,
    )
    rates = [fit.learning_rate(held, n) for n in (0, 50, 100, 500, 800, 900, 1000)]
    assert rates[0] < rates[1] < rates[2] == rates[3] == rates[4] == 1.0
    assert rates[5:] == [0.5, 0.0]
    cosine = config(table, fit_positions=1000, fit_learning_rate=1.0)
    assert fit.learning_rate(cosine, 500) == pytest.approx(0.5)


def test_weights_can_begin_from_a_checkpoint(table: Table, tmp_path: Path) -> None:
    fit.fit(config(table, fit_positions=32))
    begun = fit.Run(
        config(table, fit_out=str(tmp_path / "b"), init_checkpoint=str(tmp_path / "run" / checkpoint.NAME)),
        False,
        0,
        1,
    )
    wanted = checkpoint.load(tmp_path / "run").part("average")
    assert_same(dict(begun.network.state_dict()), wanted)
