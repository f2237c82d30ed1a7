"""The training loop.

    fit(config)                      from the beginning
    fit(config, resume=True)         on from the last checkpoint

`Run.go` is the loop: get a batch, learn from it, move the average of the weights along; every few
minutes write a checkpoint and look at games that are not learned from. What comes next depends on the
number of the step alone, so a resumed run does what it would have done. Ctrl-C writes a checkpoint and
ends. Started by `torchrun`, every process takes its share of the batches and they average gradients: N
processes do what one does with `accumulate` N times as large.
"""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import torch
import torch.distributed as processes
from torch import nn

from miai.nets.planes import plane_set
from miai.train import checkpoint, labels, models
from miai.train.checkpoint import CheckpointError, Progress
from miai.train.config import Config, ConfigError, find
from miai.train.games import Batch, Corpus, Prefetcher, Sampler, load_corpus
from miai.train.losses import loss
from miai.train.report import Report

THREAD_TRIAL_SECONDS = 300.0
THREAD_TRIAL_STEPS = 2


def fit(config: Config, *, resume: bool = False) -> Progress:
    """Train. Returns where the run stands at its end."""
    rank, world = _join()
    try:
        return Run(config, resume, rank, world).go()
    finally:
        if world > 1:
            processes.destroy_process_group()


def _join() -> tuple[int, int]:
    """Number of this process and of all, as torchrun says."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world == 1:
        return 0, 1
    processes.init_process_group("gloo")
    return processes.get_rank(), world


class Run:
    def __init__(self, config: Config, resume: bool, rank: int, world: int) -> None:
        self.config, self.rank, self.world = config, rank, world
        self.folder = Path(os.path.expanduser(config.fit.out))
        self.path = self.folder / checkpoint.NAME
        if not resume and self.path.exists():
            raise ConfigError(f"{self.path} is there already: go on from it with --resume, or set fit.out")
        torch.manual_seed(config.data.seed)
        torch.set_num_threads(config.fit.threads or torch.get_num_threads())
        self.network = models.build(config.model).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.report = Report(config, self.folder, quiet=rank > 0)
        self.optimiser = self._optimiser()
        self.progress = Progress()
        self.stop = _Stop()
        self.sampler = self._sampler()
        if resume:
            found = checkpoint.load(self.path)
            if found.config.model != config.model:
                raise ConfigError("model: the checkpoint is of another network; set fit.out for a new run")
            checkpoint.restore(found, self.network, self.optimiser)
            self.average = found.part("average")
            self.progress = found.progress
        else:
            initialise(self.network, config, self.sampler)
            self.average = {name: t.detach().clone() for name, t in self.network.state_dict().items()}
        self.forward: Any = torch.compile(self.network) if config.fit.compile else self.network
        self.report.begin(self.sampler, models.parameters(self.network), self.progress)
        self.validation = self._validation() if rank == 0 else None

    def _sampler(self) -> Sampler:
        config = self.config
        return Sampler(
            load_corpus(find(config.data.games)),
            config.data,
            planes=plane_set(config.model.planes),
            steps=config.model.steps,
            batch=config.fit.batch,
            labels=labels.read(find(config.data.teacher)) if config.data.teacher else None,
        )

    def _optimiser(self) -> torch.optim.Optimizer:
        fit = self.config.fit
        groups = [
            {"params": [p for p in self.network.parameters() if p.dim() > 1 and p.shape[0] > 1]},
            {"params": [p for p in self.network.parameters() if not (p.dim() > 1 and p.shape[0] > 1)]},
        ]
        groups[0]["weight_decay"], groups[1]["weight_decay"] = fit.weight_decay, 0.0  # type: ignore[assignment]
        if fit.optimiser == "sgd":
            return torch.optim.SGD(
                groups, lr=fit.learning_rate, momentum=fit.momentum, nesterov=fit.momentum > 0
            )
        return torch.optim.AdamW(groups, lr=fit.learning_rate)

    def _validation(self) -> Corpus | None:
        if not self.config.data.validation:
            return None
        return load_corpus(find(self.config.data.validation), limit=self.config.fit.validate_positions)

    # the loop -------------------------------------------------------------------------------------

    def go(self) -> Progress:
        """Learn until the positions of the configuration are used up."""
        fit = self.config.fit
        each = fit.batch * fit.accumulate * self.world  # positions to a step
        steps = self.progress.step + math.ceil(max(0, fit.positions - self.progress.positions) / each)
        first = self.progress.step * fit.accumulate
        numbers = (n * self.world + self.rank for n in range(first, steps * fit.accumulate))
        batches = Prefetcher(
            self.sampler.batch, numbers, ahead=self.config.data.prefetch, workers=self.config.data.workers
        )
        saved = validated = time.monotonic()
        threads = _Threads(fit.threads)
        try:
            with self.report, self.stop:
                while self.progress.step < steps and not self.stop.asked:
                    began = time.monotonic()
                    threads.before_step(began)
                    waited, parts = self.step(batches)
                    threads.after_step(time.monotonic() - began)
                    now = time.monotonic()
                    self.progress = replace(
                        self.progress,
                        step=self.progress.step + 1,
                        positions=self.progress.positions + each,
                        seconds=self.progress.seconds + now - began,
                        waited=self.progress.waited + waited,
                    )
                    self.report.step(self.progress, parts, waited, now - began, self._rate())
                    if now - saved > 60 * fit.checkpoint_minutes:
                        self._save()
                        saved = time.monotonic()
                    if now - validated > 60 * fit.validate_minutes:
                        self._validate()
                        validated = time.monotonic()
        finally:
            batches.close()
        self._save(must=True)
        if self.stop.asked:
            self.report.say(f"stopped; --resume goes on from {self.path}")
            raise KeyboardInterrupt
        self._validate()
        return self.progress

    def step(self, batches: Prefetcher) -> tuple[float, dict[str, float]]:
        """One step of the optimiser; returns the seconds waited for data, and the parts of the loss."""
        fit = self.config.fit
        waited, sums = 0.0, defaultdict[str, float](float)
        self.optimiser.zero_grad(set_to_none=True)
        for _ in range(fit.accumulate):
            began = time.monotonic()
            batch = batches.get()
            waited += time.monotonic() - began
            wrong, parts = loss(self.outputs(batch), batch, self.config.loss)
            (wrong / fit.accumulate).backward()
            for name, value in parts.items():
                sums[name] += value / fit.accumulate
        if self.world > 1:
            self._share_gradients()
        nn.utils.clip_grad_norm_(self.network.parameters(), fit.clip)
        for group in self.optimiser.param_groups:
            group["lr"] = self._rate()
        self.optimiser.step()
        self._move_average()
        return waited, sums

    def outputs(self, batch: Batch) -> models.Outputs:
        spatial = torch.from_numpy(batch.spatial).contiguous(memory_format=torch.channels_last)
        outputs: models.Outputs = self.forward(spatial, torch.from_numpy(batch.scalars))
        return outputs

    def _share_gradients(self) -> None:
        """Every process gets the mean of all gradients."""
        gradients = [p.grad for p in self.network.parameters() if p.grad is not None]
        flat = torch.cat([*(g.flatten() for g in gradients), torch.tensor([float(self.stop.asked)])])
        processes.all_reduce(flat)
        self.stop.asked = bool(flat[-1] > 0)  # if one is to stop, all do, after the same step
        flat /= self.world
        at = 0
        for gradient in gradients:
            gradient.copy_(flat[at : at + gradient.numel()].view_as(gradient))
            at += gradient.numel()

    def _move_average(self) -> None:
        step = self.progress.step
        keep = min(self.config.fit.ema, (1 + step) / (10 + step))  # the first steps are not worth keeping
        with torch.no_grad():
            for name, weight in self.network.state_dict().items():
                self.average[name].lerp_(weight, 1 - keep)

    def _rate(self) -> float:
        return learning_rate(self.config, self.progress.positions)

    # now and then -----------------------------------------------------------------------------------

    def _save(self, must: bool = False) -> None:
        if self.rank > 0:
            return
        try:
            checkpoint.save(self.path, self.config, self.progress, self.network, self.average, self.optimiser)
        except CheckpointError as error:
            if must:
                raise
            self.report.say(f"{error}; trying again later")

    def _validate(self) -> None:
        if self.validation is None:
            return
        from miai.train.evaluate import Torch, evaluate_positions, spread

        network = models.build(self.config.model)
        checkpoint.fill(network, self.average)
        games, moves = spread(self.validation, self.config.fit.validate_positions)
        result = evaluate_positions(Torch(network, self.config.model), self.validation, games, moves)
        self.progress = replace(self.progress, best=max(self.progress.best, result.top1))
        self.report.validated(self.progress, result)


def learning_rate(config: Config, positions: int) -> float:
    """The rate after so many positions: a rise, then a cosine or a constant, and a fall at the end."""
    fit = config.fit
    rate = fit.learning_rate
    if fit.schedule == "cosine":
        rate *= 0.5 * (1 + math.cos(math.pi * min(1.0, positions / fit.positions)))
    left = fit.positions - positions
    if fit.cooldown and left < fit.cooldown:
        rate *= max(left, 0) / fit.cooldown
    if positions < fit.warmup:
        rate *= (positions + fit.batch) / (fit.warmup + fit.batch)
    return rate


def initialise(network: nn.Module, config: Config, sampler: Sampler | None = None) -> None:
    """Begin from the weights that the configuration names, if it does.

    `sampler` gives positions on which the use of a wider network's channels is measured.
    """
    from miai.train.inherit import inherit, narrow

    if config.init.checkpoint:
        found = checkpoint.load(Path(find([config.init.checkpoint])[0]))
        wider = models.build(found.config.model)
        checkpoint.fill(wider, found.part("average"))
        if found.config.model == config.model or sampler is None:
            checkpoint.fill(network, found.part("average"))
        else:
            narrow(network, wider, sampler.batch(0))
    elif config.init.katago:
        from miai.nets.katago import read

        if not isinstance(network, models.Residual):
            raise ConfigError("init.katago: only the residual kind can begin as a KataGo network")
        path = find([config.init.katago])[0]
        try:
            inherit(network, read.read(Path(path)))
        except read.KataGoError as error:
            raise ConfigError(f"init.katago: {path}: {error}") from error


class _Stop:
    """Ctrl-C, or a polite kill, ends the run after the step it is in; a second one ends it at once.

    Also in the background, where shells switch Ctrl-C off.
    """

    SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __init__(self) -> None:
        self.asked = False
        self.before: dict[int, Any] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self.before = {number: signal.signal(number, self._ask) for number in self.SIGNALS}

    def __exit__(self, *error: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


class _Threads:
    """How many threads torch uses: as told, or, on a machine that others use too, what is fastest now."""

    def __init__(self, wanted: int) -> None:
        self.choices = [wanted] if wanted else list(dict.fromkeys((1, os.cpu_count() or 1)))
        self.times: dict[int, float] = {}
        self.tried = -THREAD_TRIAL_SECONDS
        self.steps = 0

    def before_step(self, now: float) -> None:
        if len(self.choices) == 1:
            return
        if now - self.tried > THREAD_TRIAL_SECONDS:
            self.tried, self.steps, self.times = now, 0, dict.fromkeys(self.choices, math.inf)
        if self.steps < THREAD_TRIAL_STEPS * len(self.choices):
            torch.set_num_threads(self.choices[self.steps // THREAD_TRIAL_STEPS])
        else:
            torch.set_num_threads(min(self.choices, key=lambda n: self.times[n]))

    def after_step(self, seconds: float) -> None:
        self.times[torch.get_num_threads()] = min(self.times.get(torch.get_num_threads(), math.inf), seconds)
        self.steps += 1
