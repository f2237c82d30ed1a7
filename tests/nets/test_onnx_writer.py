"""The ONNX writer against the `onnx` package and ONNX Runtime; labels read without either."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from miai.nets.metadata import BadLabels, Labels
from miai.nets.onnx_writer import Graph, NotOnnx, read_metadata
from nets.tiny import policy_net


def model(metadata: dict[str, str] | None = None) -> bytes:
    graph = Graph("sums")
    x = graph.input("x", ["n", 3])
    w = graph.weight("w", np.arange(6, dtype=np.float32).reshape(3, 2))
    y = graph.node("Gemm", x, w, alpha=0.5, transB=0)
    z = graph.node("Transpose", graph.node("LeakyRelu", y, alpha=0.25), perm=[1, 0])
    graph.output(z, "y", [2, "n"])
    return graph.model(metadata)


def test_it_computes() -> None:
    session = onnxruntime.InferenceSession(model(), providers=["CPUExecutionProvider"])
    x = np.array([[1, -2, 3], [0, -1, 0]], np.float32)
    y = x @ np.arange(6, dtype=np.float32).reshape(3, 2) / 2
    np.testing.assert_allclose(session.run(None, {"x": x})[0], np.where(y > 0, y, y / 4).T, rtol=1e-6)


def test_the_checker_of_onnx_agrees() -> None:
    onnx = pytest.importorskip("onnx")
    loaded = onnx.load_from_string(model({"a": "b"}))
    onnx.checker.check_model(loaded, full_check=True)
    assert loaded.SerializeToString(deterministic=True)
    assert [node.op_type for node in loaded.graph.node][:2] == ["Gemm", "LeakyRelu"]
    assert onnx.numpy_helper.to_array(loaded.graph.initializer[0]).tolist() == [[0, 1], [2, 3], [4, 5]]


def test_names_are_made_different() -> None:
    graph = Graph("twice")
    assert graph.weight("w", np.zeros(1, np.float32)) != graph.weight("w", np.ones(1, np.float32))


def test_labels_come_back(tmp_path: Path) -> None:
    labels = {"miai.name": "Shūsaku", "long": "x" * 1000, "": "empty"}
    file = tmp_path / "m.onnx"
    file.write_bytes(model(labels))
    assert read_metadata(file) == labels == read_metadata(file.read_bytes())
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    assert session.get_modelmeta().custom_metadata_map == labels


def test_labels_of_a_model_by_the_onnx_package(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    loaded = onnx.load_from_string(model())
    onnx.helper.set_model_props(loaded, {"k": "v", "k2": "v2"})
    onnx.save(loaded, tmp_path / "m.onnx")
    assert read_metadata(tmp_path / "m.onnx") == {"k": "v", "k2": "v2"}


def test_a_model_cut_off_is_noticed() -> None:
    whole = model({"a": "b", "c": "d"})
    for length in range(len(whole)):
        try:
            found = read_metadata(whole[:length])
        except NotOnnx:
            continue
        assert len(found) < 2  # cut between two fields, after the graph: then nothing but labels is lost


@pytest.mark.parametrize("data", [b"", b"(;GM[1])", b"\x1f\x8b\x08\x00abc", b"\x00" * 50, b"\xff" * 50])
def test_foreign_bytes(data: bytes) -> None:
    with pytest.raises(NotOnnx, match="ONNX"):
        read_metadata(data)


def test_labels_are_read_or_refused(tmp_path: Path) -> None:
    labels = Labels("x", "katago7", 7, steps=3, heads=("policy", "value"), source="here", smallest=7)
    assert Labels.from_props(labels.to_props()) == labels
    with pytest.raises(BadLabels, match="which planes it reads"):
        Labels.from_props({"author": "somebody"})
    with pytest.raises(BadLabels, match="damaged"):
        Labels.from_props(labels.to_props() | {"miai.steps": "three"})
    assert Labels.from_props(read_metadata(policy_net(tmp_path / "p.onnx"))).planes == "deepgo8"
