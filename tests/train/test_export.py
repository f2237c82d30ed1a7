"""Networks as ONNX: the same answers in the runtime as in torch, and nearly the same in bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from miai.nets import runtime
from miai.nets.planes import plane_set
from miai.train import checkpoint, models
from miai.train.config import ModelConfig, parse
from miai.train.evaluate import evaluate, predictor
from miai.train.export import ExportError, export, export_checkpoint, labels_of
from miai.train.fold import folded
from miai.train.games import load_corpus
from train.test_models import KINDS


@pytest.mark.parametrize("config", KINDS, ids=lambda c: f"{c.kind}-{c.planes}")
def test_the_runtime_says_what_torch_says(config: ModelConfig, tmp_path: Path) -> None:
    torch.manual_seed(2)
    network = models.build(config).eval()
    path = tmp_path / "net.onnx"
    assert export(network, config, path, labels_of(config, "tiny", "a test")) < 1e-4
    loaded = runtime.load(path, threads=1)
    assert loaded.labels.name == "tiny" and loaded.steps == config.steps
    assert loaded.heads == models.heads(config) and loaded.planes == plane_set(config.planes)
    for side, batch in ((9, 3), (11, 1)):
        spatial = torch.rand(batch, len(loaded.planes.spatial), side, side)
        scalars = torch.rand(batch, len(loaded.planes.scalars))
        with torch.inference_mode():
            wanted = network(spatial, scalars)
        found = loaded.run(spatial.numpy(), scalars.numpy())
        for head in loaded.heads:
            np.testing.assert_allclose(found[head], wanted[head].numpy(), atol=1e-4)


@pytest.mark.parametrize("config", KINDS[2:], ids=lambda c: c.planes)
def test_folding_changes_no_answer(config: ModelConfig) -> None:
    torch.manual_seed(3)
    network = models.build(config).eval()
    assert isinstance(network, models.Residual)
    with torch.no_grad():
        for part in network.modules():
            if isinstance(part, models.Affine):
                part.scale.uniform_(0.3, 2)
                part.bias.uniform_(-1, 1)
        for block in network.blocks:
            torch.nn.init.normal_(block.last.weight, std=0.2)  # type: ignore[arg-type, union-attr]
        smaller = folded(network)
        assert not any(isinstance(part, models.Affine) for part in smaller.modules())
        planes = plane_set(config.planes)
        given = torch.rand(2, len(planes.spatial), 9, 9), torch.rand(2, len(planes.scalars))
        a, b = network(*given), smaller(*given)
        for head in a:
            torch.testing.assert_close(a[head], b[head], rtol=1e-4, atol=1e-4)
        network.tip.scale[0, 2] = -1  # cannot be folded: left as it is
        assert folded(network) is network


def test_bytes_agree_with_floats(table: dict[str, dict[str, Any]], archive: Path, tmp_path: Path) -> None:
    torch.manual_seed(2)
    table["model"]["channels"] = 16
    config = parse(table, "tiny")
    network = models.build(config.model)
    for weight in network.parameters():  # blocks that do something, and moves that differ
        if weight.dim() > 1:
            torch.nn.init.normal_(weight, std=0.2)
    path = tmp_path / checkpoint.NAME
    checkpoint.save(path, config, checkpoint.Progress(), network, dict(network.state_dict()), None)
    floats, bytes_ = tmp_path / "floats.onnx", tmp_path / "bytes.onnx"
    assert "differs from torch" in export_checkpoint(path, floats, name="f")
    assert "trunk in bytes" in export_checkpoint(path, bytes_, name="b", games=str(archive))
    corpus = load_corpus([str(archive)])
    said = [evaluate(predictor(str(p), threads=1), corpus) for p in (path, floats, bytes_)]
    assert said[0].nll == pytest.approx(said[1].nll, abs=1e-4)
    assert said[0].top1 == said[1].top1
    assert said[2].nll != said[1].nll and said[2].nll == pytest.approx(said[1].nll, abs=0.1)
    assert runtime.load(bytes_).labels.planes == "deepgo8"


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    config = KINDS[0]
    with pytest.raises(ExportError, match="cannot be written"):
        export(models.build(config), config, tmp_path / "file" / "net.onnx", labels_of(config, "x"))
