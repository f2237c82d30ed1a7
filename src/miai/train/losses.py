"""How wrong a network is about a batch: one number for the optimiser, and its parts for the log."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from miai.train.config import LossConfig
from miai.train.games import NO_MOVE, Batch
from miai.train.models import Outputs

BIG_ERROR = 10.0  # points of score: beyond it the loss grows no faster


def loss(outputs: Outputs, batch: Batch, config: LossConfig) -> tuple[Tensor, dict[str, float]]:
    """The loss, and its parts by name."""
    logits = outputs["policy"]
    log_policy = functional.log_softmax(logits.float(), 2)
    moves = torch.from_numpy(batch.moves)
    labelled = torch.from_numpy(batch.labelled)

    next_move = _chosen(log_policy[:, 0], moves[:, 0])
    known = (moves[:, 0] != NO_MOVE).float()
    soft = -(torch.from_numpy(batch.policy) * log_policy[:, 0]).sum(1)
    of_teacher = torch.maximum(config.teacher * labelled, labelled * (1 - known))
    policy = (next_move * (1 - of_teacher) * known + soft * of_teacher).mean()
    parts = {"policy": policy.item(), "move": _mean(next_move, known).item()}
    if labelled.any():
        parts["teacher"] = _mean(soft, labelled).item()
    total = policy

    for step in range(1, logits.shape[1]):
        there = (moves[:, step] != NO_MOVE).float()
        later = _mean(_chosen(log_policy[:, step], moves[:, step]), there)
        parts[f"move{step + 1}"] = later.item()
        total = total + config.later_steps * later

    if "value" in outputs:
        win = torch.from_numpy(batch.win)
        target = torch.stack([win, 1 - win, torch.zeros_like(win)], 1)
        wrong = -(target * functional.log_softmax(outputs["value"].float(), 1)).sum(1)
        weight = torch.from_numpy(np.maximum(batch.labelled, config.results * batch.decided))
        value = (wrong * weight).mean()
        error = (outputs["score"].float()[:, 0] - torch.from_numpy(batch.score)).abs()
        huber = torch.where(error < BIG_ERROR, error * error / (2 * BIG_ERROR), error - BIG_ERROR / 2)
        score = _mean(huber, labelled)
        owned = outputs["ownership"].float()[:, 0] - torch.from_numpy(batch.ownership)
        ownership = _mean((owned * owned).mean((1, 2)), labelled)
        parts |= {"value": _mean(wrong, labelled).item(), "score": _mean(error, labelled).item()}
        parts["ownership"] = ownership.item()
        total = total + config.value * value + config.score * score + config.ownership * ownership
    parts["loss"] = total.item()
    return total, parts


def _chosen(log_policy: Tensor, moves: Tensor) -> Tensor:
    return -log_policy.gather(1, moves.clamp(min=0)[:, None])[:, 0]


def _mean(values: Tensor, weight: Tensor) -> Tensor:
    return (values * weight).sum() / weight.sum().clamp(min=1)
