"""KataGo networks as ONNX models, with the names and shapes that `miai.nets.metadata` describes.

Board size and batch are free. Norms after a convolution are folded into it. Of several policy maps the
first is kept, the plain policy; of the scores, the lead, in points.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from miai.nets.katago.forward import forward
from miai.nets.katago.layers import LEAD, Activation, Conv, Dense, Floats, Network, Norm
from miai.nets.metadata import Labels
from miai.nets.onnx_writer import Graph
from miai.nets.planes.sets import KATAGO7

CONVERTER = 1  # raise it when the same file would become another model: cached conversions are named by it


def to_onnx(network: Network) -> bytes:
    """The bytes of an ONNX model that computes what `network` does."""
    kept = _only_what_is_used(network)
    graph = Graph(network.name)
    spatial = graph.input("spatial", ["n", network.planes, "height", "width"])
    scalars = graph.input("scalars", ["n", network.scalars])
    engine = _OnnxEngine(graph, spatial)
    out = forward(kept, engine, spatial, scalars)

    points = graph.node("Reshape", out.policy, engine.ints("policy_shape", [0, 1, -1]))
    passing = graph.node("Unsqueeze", out.passing, engine.ints("pass_axis", [2]))
    policy = graph.node("Concat", points, passing, axis=2)
    graph.output(policy, "policy", ["n", 1, "moves"])
    graph.output(out.value, "value", ["n", 3])
    graph.output(out.score, "score", ["n", 1])
    graph.output(graph.node("Tanh", out.ownership), "ownership", ["n", 1, "height", "width"])
    return graph.model(labels(network).to_props())


def labels(network: Network) -> Labels:
    """What the model says about itself."""
    source = f"KataGo's {network.name}, model version {network.version}"
    return Labels(network.name, KATAGO7.name, KATAGO7.version, source=source)


def _only_what_is_used(network: Network) -> Network:
    """The first policy map, and of the scores the lead, times its multiplier."""
    *before, last = network.policy.to_pass
    policy = replace(
        network.policy,
        last=replace(network.policy.last, weight=network.policy.last.weight[:1]),
        to_pass=(*before, replace(last, weight=last.weight[:, :1])),
    )
    points = np.float32(network.lead_multiplier)
    score = network.value.score
    assert score.bias is not None
    lead = replace(
        score,
        weight=score.weight[:, LEAD : LEAD + 1] * points,
        bias=score.bias[LEAD : LEAD + 1] * points,
    )
    return replace(network, policy=policy, value=replace(network.value, score=lead))


class _OnnxEngine:
    """Writes each step into a graph. See `forward.Engine`."""

    def __init__(self, graph: Graph, spatial: str) -> None:
        self.graph = graph
        shape = graph.node("Shape", spatial, start=2, end=4)  # [row, column]
        area = graph.node("ReduceProd", shape, axes=[0], keepdims=1)
        side = graph.node("Sqrt", graph.node("Cast", area, to=1))
        # how much larger than 14×14, in tens of lines; and its square less its mean over training
        larger = graph.node("Sub", side, self.number("fourteen", 14.0))
        self.larger = graph.node("Mul", larger, self.number("a_tenth", 0.1))
        square = graph.node("Mul", self.larger, self.larger)
        self.square = graph.node("Sub", square, self.number("a_tenth", 0.1))

    def number(self, name: str, value: float) -> str:
        return self.graph.weight(name, np.array([value], np.float32))

    def ints(self, name: str, values: list[int]) -> str:
        return self.graph.weight(name, np.array(values, np.int64))

    def activate(self, x: str, activation: Activation) -> str:
        graph = self.graph
        match activation:
            case Activation.RELU:
                return graph.node("Relu", x)
            case Activation.MISH:
                # x tanh(log(1 + e)) with e = exp(x), without the slow logarithm: x m / (m + 2), m = e (e + 2)
                e = graph.node("Exp", graph.node("Min", x, self.number("large", 20.0)))
                m = graph.node("Mul", e, graph.node("Add", e, self.number("two", 2.0)))
                share = graph.node("Div", m, graph.node("Add", m, self.number("two", 2.0)))
                return graph.node("Mul", x, share)
            case Activation.SILU:
                return graph.node("Mul", x, graph.node("Sigmoid", x))
        return x

    def norm(self, x: str, norm: Norm) -> str:
        scale, bias = (
            self.graph.weight(f"{norm.name}/{what}", array)
            for what, array in (("scale", norm.scale), ("bias", norm.bias))
        )
        zeros = self.graph.weight(f"{norm.name}/mean", np.zeros_like(norm.scale))
        ones = self.graph.weight(f"{norm.name}/variance", np.ones_like(norm.scale))
        y = self.graph.node("BatchNormalization", x, scale, bias, zeros, ones, name=norm.name, epsilon=0.0)
        return self.activate(y, norm.activation)

    def conv(self, x: str, conv: Conv, norm: Norm | None = None, bias: str | None = None) -> str:
        weight: Floats = conv.weight
        rows, columns = weight.shape[2:]
        down, across = conv.dilation
        pads = [down * (rows // 2), across * (columns // 2)] * 2
        inputs = [x]
        if norm is not None:
            weight = weight * norm.scale[:, None, None, None]
        inputs.append(self.graph.weight(f"{conv.name}/weight", weight))
        if norm is not None:
            inputs.append(self.graph.weight(f"{conv.name}/bias", norm.bias))
        y = self.graph.node(
            "Conv",
            *inputs,
            name=conv.name,
            kernel_shape=[rows, columns],
            dilations=[down, across],
            pads=pads,
        )
        if bias is not None:
            if norm is not None:
                bias = self.graph.node("Mul", bias, self.graph.weight(f"{norm.name}/scale", norm.scale))
            y = self.graph.node("Add", y, self.graph.node("Unsqueeze", bias, self.ints("point_axes", [2, 3])))
        return y if norm is None else self.activate(y, norm.activation)

    def dense(self, x: str, dense: Dense) -> str:
        inputs = [x, self.graph.weight(f"{dense.name}/weight", dense.weight)]
        if dense.bias is not None:
            inputs.append(self.graph.weight(f"{dense.name}/bias", dense.bias))
        return self.activate(self.graph.node("Gemm", *inputs, name=dense.name), dense.activation)

    def add(self, x: str, y: str) -> str:
        return self.graph.node("Add", x, y)

    def mean(self, x: str) -> str:
        return self.graph.node("ReduceMean", x, axes=[2, 3], keepdims=0)

    def pool(self, x: str) -> str:
        mean = self.mean(x)
        largest = self.graph.node("ReduceMax", x, axes=[2, 3], keepdims=0)
        return self.graph.node("Concat", mean, self.graph.node("Mul", mean, self.larger), largest, axis=1)

    def pool_value(self, x: str) -> str:
        mean = self.mean(x)
        scaled = [self.graph.node("Mul", mean, factor) for factor in (self.larger, self.square)]
        return self.graph.node("Concat", mean, *scaled, axis=1)
