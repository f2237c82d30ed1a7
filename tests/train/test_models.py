"""The networks: their shapes, layer by layer as published, and that they work on any board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from miai.nets.planes import plane_set
from miai.train import models
from miai.train.config import ModelConfig, load


def tiny(kind: str, planes: str, **changes: Any) -> ModelConfig:
    sizes = {"blocks": 4, "channels": 8, "first_channels": 6, "steps": 3, "pooled_channels": 4}
    return ModelConfig(kind=kind, planes=planes, **{**sizes, **changes})


KINDS = [
    tiny("deepgo", "deepgo8"),
    tiny("darkforest", "darkforest25", steps=2),
    tiny("residual", "katago7", pooling=(1, 3)),
    tiny("residual", "deepgo8", steps=1),
]


@pytest.mark.parametrize("config", KINDS, ids=lambda c: f"{c.kind}-{c.planes}")
@pytest.mark.parametrize(("height", "width"), [(19, 19), (7, 7), (9, 13)])
def test_answers_on_any_board(config: ModelConfig, height: int, width: int) -> None:
    network = models.build(config)
    planes = plane_set(config.planes)
    spatial = torch.rand(2, len(planes.spatial), height, width)
    answers = network(spatial, torch.rand(2, len(planes.scalars)))
    assert tuple(answers) == models.heads(config)
    assert answers["policy"].shape == (2, config.steps, height * width + 1)
    if config.kind == "residual":
        assert answers["value"].shape == (2, 3) and answers["score"].shape == (2, 1)
        assert answers["ownership"].shape == (2, 1, height, width)
        assert answers["ownership"].abs().max() <= 1
    sum(answer.sum() for answer in answers.values()).backward()
    assert all(p.grad is not None for p in network.parameters())


def layers(project: Path, name: str) -> list[tuple[int, int, int]]:
    """Inputs, outputs and side of every convolution of a configuration that comes with the program."""
    with torch.device("meta"):
        network = models.build(load(project / "configs" / f"{name}.toml").model)
    return [
        (layer.in_channels, layer.out_channels, layer.kernel_size[0])
        for layer in network.modules()
        if isinstance(layer, nn.Conv2d)
    ]


def test_deepgo_is_as_published(project: Path) -> None:
    assert layers(project, "deepgo12") == [
        (8, 92, 5), (92, 384, 5), *[(384, 384, 5)] * 9, (384, 1, 3)
    ]  # fmt: skip
    assert layers(project, "deepgo5") == [(8, 92, 5), (92, 384, 5), *[(384, 384, 5)] * 2, (384, 1, 3)]


def test_darkforest_is_as_published(project: Path) -> None:
    assert layers(project, "darkforest") == [
        (25, 92, 5), (92, 384, 3), *[(384, 384, 3)] * 9, (384, 3, 3)
    ]  # fmt: skip


def test_the_same_seed_gives_the_same_network() -> None:
    def made() -> torch.Tensor:
        torch.manual_seed(4)
        return torch.cat([p.flatten() for p in models.build(KINDS[2]).parameters()])

    assert torch.equal(made(), made())


def test_ours_knows_the_size_of_the_board() -> None:
    network = models.build(KINDS[2])
    assert isinstance(network, models.Residual)
    nn.init.normal_(network.to_pass.weight)
    same = [
        network(torch.ones(1, 22, side, side), torch.zeros(1, 19))["policy"][0, 0, -1] for side in (9, 19)
    ]
    assert (same[0] - same[1]).abs() > 1e-6
