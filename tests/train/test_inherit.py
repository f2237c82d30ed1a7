"""Our network begun from KataGo's: the same numbers where the sizes are the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from miai.nets.katago.read import read
from miai.nets.planes import encode_batch, plane_set, records_from_text
from miai.train import models
from miai.train.config import ConfigError, DataConfig, load
from miai.train.games import Sampler, load_corpus
from miai.train.inherit import inherit, narrow
from miai.train.katago import to_torch
from train.games_made import random_game
from train.test_models import KINDS


@pytest.fixture(scope="module")
def file(data: Path) -> Path:
    return next((data / "nets").glob("*b6c96*.bin.gz"))


def planes(side: int) -> tuple[torch.Tensor, torch.Tensor]:
    records = records_from_text(random_game(3, size=side, moves=60))
    spatial, scalars = encode_batch(plane_set("katago7"), records, [0] * 4, [5, 20, 40, 60])
    return torch.from_numpy(spatial), torch.from_numpy(scalars)


@pytest.mark.parametrize("side", [19, 9])
def test_it_says_what_katago_says(project: Path, file: Path, side: int) -> None:
    network = models.build(load(project / "configs" / "miai-wide.toml").model)
    assert isinstance(network, models.Residual)
    katago = read(file)
    inherit(network, katago)
    spatial, scalars = planes(side)
    with torch.inference_mode():
        ours, theirs = network(spatial, scalars), to_torch(katago)(spatial, scalars)
    for head in ("policy", "value", "score", "ownership"):
        a, b = ours[head].numpy(), theirs[head].numpy()
        a, b = (a[:, :1], b[:, :1]) if head == "policy" else (a, b)
        np.testing.assert_allclose(a, b, atol=1e-3, rtol=1e-4, err_msg=head)


def test_fewer_channels_are_taken_from_it(project: Path, file: Path) -> None:
    config = load(project / "configs" / "miai-wide.toml").model
    network = models.build(replace(config, channels=64, pooled_channels=16))
    assert isinstance(network, models.Residual)
    katago = read(file)
    inherit(network, katago)
    taken = network.first.weight.detach().numpy()
    assert all((katago.first.weight == kernel).all((1, 2, 3)).any() for kernel in taken)
    spatial, scalars = planes(9)
    assert torch.isfinite(network(spatial, scalars)["policy"]).all()


def test_what_does_not_fit_is_said(project: Path, file: Path) -> None:
    config = load(project / "configs" / "miai-wide.toml").model
    for changes, words in (
        ({"blocks": 5}, "set model.blocks and model.pooling"),
        ({"pooling": (1, 4)}, "set model.blocks and model.pooling"),
        ({"channels": 128}, "it has 96 channels"),
        ({"head_channels": 16}, "model.head_channels"),
    ):
        network = models.build(replace(config, **changes))  # type: ignore[arg-type]
        assert isinstance(network, models.Residual)
        with pytest.raises(ConfigError, match=words):
            inherit(network, read(file))


def test_channels_that_do_nothing_can_go(archive: Path) -> None:
    """With the channels dead that are one too many, the narrower network says what the wider one said."""
    wide = replace(KINDS[3], inner_channels=8, pooling=(1,), pooled_channels=3)
    torch.manual_seed(6)
    wider, ours = models.build(wide), models.build(replace(wide, inner_channels=6))
    assert isinstance(wider, models.Residual)
    with torch.no_grad():
        for i, block in enumerate(wider.blocks):
            torch.nn.init.normal_(block.last.weight)  # type: ignore[arg-type, union-attr]
            block.last.weight[:, [0, 3 if i != 1 else 2]] = 0  # type: ignore[index, union-attr]
    corpus = load_corpus([str(archive)])
    sampler = Sampler(corpus, DataConfig(games=("x",)), planes=plane_set("deepgo8"), steps=1, batch=8)
    narrow(ours, wider, sampler.batch(0))
    batch = sampler.batch(1)
    given = torch.from_numpy(batch.spatial), torch.from_numpy(batch.scalars)
    with torch.inference_mode():
        a, b = ours(*given), wider(*given)
    for head in a:
        torch.testing.assert_close(a[head], b[head])
    with pytest.raises(ConfigError, match="fewer channels"):
        narrow(wider, ours, batch)
    with pytest.raises(ConfigError, match="differs in more"):
        narrow(models.build(replace(wide, inner_channels=6, channels=4)), wider, batch)
