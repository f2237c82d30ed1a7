"""Tiny networks for tests: policies that are one convolution, and the labels that go with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from miai.nets.metadata import Labels
from miai.nets.onnx_writer import Graph
from miai.nets.planes import plane_set


def policy_net(
    path: Path,
    *,
    planes: str = "deepgo8",
    version: int | None = None,
    steps: int = 3,
    channels: int | None = None,
    output: str = "policy",
    labels: bool = True,
    size: int = 3,
    side: int | None = None,
    spoilt: bool = False,
    **more: Any,
) -> Path:
    """Write a random policy over the planes of a set; the pass gets the mean of the points."""
    known = plane_set(planes) if planes in ("deepgo8", "darkforest25", "katago7") else None
    channels = channels or (len(known.spatial) if known else 8)
    graph = Graph("tiny")
    spatial = graph.input("spatial", ["n", channels, side or "height", side or "width"])
    weight = np.random.default_rng(3).normal(0, 0.5, (steps, channels, size, size)).astype(np.float32)
    if spoilt:
        weight[:] = np.nan
    maps = graph.node("Conv", spatial, graph.weight("w", weight), pads=[size // 2] * 4)
    points = graph.node("Reshape", maps, graph.weight("shape", np.array([0, steps, -1], np.int64)))
    passing = graph.node("ReduceMean", points, axes=[2], keepdims=1)
    graph.output(graph.node("Concat", points, passing, axis=2), output, ["n", steps, "moves"])
    said = Labels(
        "tiny",
        planes,
        version if version is not None else (known.version if known else 1),
        steps=more.pop("said_steps", steps),
        heads=("policy",),
        **more,
    )
    path.write_bytes(graph.model(said.to_props() if labels else {}))
    return path
