"""KataGo's network files: every version and kind against a network computed by hand, and bad files."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from miai.nets.katago.layers import BottleneckBlock, PoolingBlock
from miai.nets.katago.onnx import to_onnx
from miai.nets.katago.read import KataGoError, parse, read
from miai.nets.metadata import Labels
from nets.katago_files import Maker, make

OUTPUTS = ["policy", "value", "score", "ownership"]


def inputs(n: int, rows: int, columns: int) -> dict[str, Any]:
    random = np.random.default_rng(5)
    return {
        "spatial": (random.random((n, 22, rows, columns)) < 0.3).astype(np.float32),
        "scalars": random.uniform(-1, 1, (n, 19)).astype(np.float32),
    }


def run(model: bytes, feed: dict[str, Any]) -> dict[str, Any]:
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return dict(zip(OUTPUTS, session.run(OUTPUTS, feed), strict=True))


@pytest.mark.parametrize("version", range(8, 18))
def test_every_version_computes_what_it_should(version: int) -> None:
    data, by_hand = make(version, seed=version)
    model = to_onnx(parse(data))
    for feed in (inputs(3, 7, 7), inputs(1, 5, 9), inputs(2, 19, 19)):
        found, wanted = run(model, feed), by_hand(feed["spatial"], feed["scalars"])
        for name in OUTPUTS:
            assert found[name].shape == wanted[name].shape
            np.testing.assert_allclose(found[name], wanted[name], rtol=1e-3, atol=1e-3, err_msg=name)


@pytest.mark.parametrize("activation", ["RELU", "MISH", "SILU", "IDENTITY"])
def test_activations(activation: str) -> None:
    data, by_hand = make(14, activation=activation)
    feed = inputs(2, 9, 9)
    found, wanted = run(to_onnx(parse(data)), feed), by_hand(feed["spatial"], feed["scalars"])
    for name in OUTPUTS:
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-3, atol=1e-3, err_msg=name)


@pytest.mark.parametrize("version", [8, 15])
def test_text_and_binary_are_the_same_network(version: int) -> None:
    binary, _ = make(version, binary=True)
    text, _ = make(version, binary=False)
    assert to_onnx(parse(binary)) == to_onnx(parse(text))
    assert to_onnx(parse(gzip.decompress(text))) == to_onnx(parse(text))


def test_blocks_of_every_kind_are_there() -> None:
    network = parse(make(17)[0])
    assert [type(block).__name__ for block in network.blocks] == [
        "ResidualBlock",
        "PoolingBlock",
        "ResidualBlock",
        "BottleneckBlock",
    ]
    assert isinstance(network.blocks[3], BottleneckBlock)
    assert isinstance(network.blocks[3].blocks[1], PoolingBlock)


def test_onnx_is_valid_and_labelled() -> None:
    onnx = pytest.importorskip("onnx")
    model = onnx.load_from_string(to_onnx(parse(make(15)[0])))
    onnx.checker.check_model(model, full_check=True)
    labels = Labels.from_props({item.key: item.value for item in model.metadata_props})
    assert (labels.name, labels.planes, labels.steps) == ("tiny-v15", "katago7", 1)


def test_torch_computes_the_same_and_can_be_trained() -> None:
    torch = pytest.importorskip("torch")
    from miai.train.katago import to_torch

    network = parse(make(15)[0])
    module = to_torch(network)
    feed = inputs(3, 9, 7)
    tensors = {name: torch.from_numpy(array) for name, array in feed.items()}
    found, wanted = module(**tensors), run(to_onnx(network), feed)
    for name in OUTPUTS:
        np.testing.assert_allclose(found[name].detach(), wanted[name], rtol=1e-3, atol=1e-3, err_msg=name)
    assert module.trunk(**tensors).shape == (3, network.channels, 9, 7)
    assert sum(p.numel() for p in module.parameters()) == network.parameters()
    found["policy"].square().sum().backward()
    trained = [name for name, p in module.named_parameters() if p.grad is not None and p.grad.abs().sum() > 0]
    assert any("conv1" in name for name in trained)
    assert not any("sv3" in name for name in trained)


# bad files --------------------------------------------------------------------------------------


def test_a_file_cut_off_anywhere_is_one_sentence() -> None:
    data = gzip.decompress(make(15)[0])
    for length in range(0, len(data) - 1, 97):
        with pytest.raises(KataGoError, match=r"cut off|no KataGo network|damaged"):
            parse(data[:length])
    packed = make(15)[0]
    with pytest.raises(KataGoError, match="cut off"):
        parse(packed[: len(packed) // 2])


@pytest.mark.parametrize("binary", [True, False])
def test_a_flipped_byte_never_breaks_the_reader(binary: bool) -> None:
    data = bytearray(gzip.decompress(make(11, binary=binary)[0]))
    random = np.random.default_rng(1)
    for _ in range(300):
        at, before = int(random.integers(len(data))), 0
        before, data[at] = data[at], int(random.integers(256))
        try:
            parse(bytes(data))
        except KataGoError as error:
            assert "\n" not in str(error)
        data[at] = before


@pytest.mark.parametrize(
    "data", [b"", b"\x00" * 100, b"(;GM[1]SZ[19];B[pd])", b"PK\x03\x04zip", b"\x89PNG\r\n\x1a\n" + b"x" * 500]
)
def test_foreign_files(data: bytes) -> None:
    for packed in (data, gzip.compress(data)):
        with pytest.raises(KataGoError, match=r"no KataGo network|cut off"):
            parse(packed)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (b"tiny-v15 15\n", b"tiny-v15 7\n", "version 7; versions 8 to 17 are read"),
        (b"tiny-v15 15\n", b"tiny-v15 18\n", "version 18"),
        (b"22 19\n", b"22 14\n", "reads 22 planes and 14 numbers"),
        (b"ordinary_block", b"transformer_attention_block", "transformer"),
        (b"ordinary_block", b"dilated_block", "a dilated_block, a kind that is not read yet"),
        (b"ACTIVATION_MISH", b"ACTIVATION_GELU", "ACTIVATION_GELU, which is not read yet"),
        (b"30.0\n0 0 0", b"30.0\n1 0 0", "about the players"),
        (b"30.0\n0 0 0", b"30.0\n0 1 0", "suicide"),
        (b"30.0\n0 0 0", b"30.0\n0 0 1", "option of a newer KataGo"),
        (b"5 0 2\n0 0", b"5 0 2\n1 0", "normalised by RMS"),
    ],
)
def test_kinds_that_are_not_read_yet(old: bytes, new: bytes, complaint: str) -> None:
    data = gzip.decompress(make(15)[0])
    assert old in data
    with pytest.raises(KataGoError, match=complaint):
        parse(data.replace(old, new, 1))


def test_layers_that_do_not_fit_each_other() -> None:
    data = gzip.decompress(make(8, binary=False)[0])
    with pytest.raises(KataGoError, match="block1/norm2 has 6 channels, not 7"):
        parse(data.replace(b"block1/norm2\n7 ", b"block1/norm2\n6 ", 1))


def test_weights_that_are_no_numbers() -> None:
    maker = Maker(8)
    maker.say("bad", 8)
    maker.say(22, 19)
    maker.say("trunk")
    maker.say(1, 6, 6, 6, 0, 6)
    maker.say("conv1")
    maker.say(1, 1, 22, 6, 1, 1)
    maker.parts.append(b"@BIN@" + np.full(22 * 6, np.nan, "<f4").tobytes() + b"\n")
    with pytest.raises(KataGoError, match="not a number"):
        parse(maker.file())


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(KataGoError, match="no such file"):
        read(tmp_path / "nowhere.bin.gz")
