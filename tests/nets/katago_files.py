"""Small random KataGo networks: the bytes of their files, and what they compute, both by hand.

A `Maker` writes a layer into the file and gives back the function that the layer is, in NumPy and in
double precision. It shares nothing with `miai.nets.katago`, whose answers are compared with it.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Step = Callable[[Array], Array]

MULTIPLIERS = ["20.0", "20.0", "20.0", "17.0", "40.0", "0.25", "30.0"]  # the fourth is the lead's


class Maker:
    """One network file of a version, as text or binary."""

    def __init__(self, version: int, *, binary: bool = True, seed: int = 0, activation: str = "MISH") -> None:
        self.version, self.binary = version, binary
        self.random = np.random.default_rng(seed)
        self.kind = activation if version >= 11 else "RELU"
        self.parts: list[bytes] = []

    # words --------------------------------------------------------------------------------------

    def say(self, *words: object) -> None:
        self.parts.append(" ".join(map(str, words)).encode() + b"\n")

    def floats(self, *shape: int, low: float = -0.5, high: float = 0.5) -> Array:
        array = self.random.uniform(low, high, shape).astype(np.float32)
        if self.binary:
            self.parts.append(b"@BIN@" + array.astype("<f4").tobytes() + b"\n")
        else:
            self.say(*(repr(float(x)) for x in array.ravel()))
        return array.astype(np.float64)

    def file(self) -> bytes:
        return gzip.compress(b"".join(self.parts))

    # layers -------------------------------------------------------------------------------------

    def conv(self, name: str, inputs: int, outputs: int, size: int, dilation: int = 1) -> Step:
        self.say(name)
        self.say(size, size, inputs, outputs, dilation, dilation)
        weight = self.floats(size, size, inputs, outputs)
        edge = dilation * (size // 2)

        def run(x: Array) -> Array:
            rows, columns = x.shape[2:]
            padded = np.pad(x, ((0, 0), (0, 0), (edge, edge), (edge, edge)))
            y = np.zeros((len(x), outputs, rows, columns))
            for down in range(size):
                for across in range(size):
                    top, left = down * dilation, across * dilation
                    part = padded[:, :, top : top + rows, left : left + columns]
                    y += np.einsum("nirc,io->norc", part, weight[down, across])
            return y

        return run

    def norm(self, name: str, channels: int, *, scale: bool = True, bias: bool = True) -> Step:
        self.say(name)
        self.say(channels, 0.001, int(scale), int(bias))
        mean, variance = self.floats(channels), self.floats(channels, low=0.5, high=2.0)
        gamma = self.floats(channels, low=0.5, high=1.5) if scale else np.ones(channels)
        beta = self.floats(channels) if bias else np.zeros(channels)
        act = self.act(name + "/act")

        def run(x: Array) -> Array:
            by_channel = (slice(None), None, None)
            y = (x - mean[by_channel]) / np.sqrt(variance + 0.001)[by_channel]
            return act(y * gamma[by_channel] + beta[by_channel])

        return run

    def act(self, name: str) -> Step:
        self.say(name, *([f"ACTIVATION_{self.kind}"] if self.version >= 11 else []))
        return {
            "RELU": lambda x: np.maximum(x, 0),
            "MISH": lambda x: x * np.tanh(np.log1p(np.exp(x))),
            "SILU": lambda x: x / (1 + np.exp(-x)),
            "IDENTITY": lambda x: x,
        }[self.kind]

    def matmul(self, name: str, inputs: int, outputs: int) -> Step:
        self.say(name)
        self.say(inputs, outputs)
        weight = self.floats(inputs, outputs)
        return lambda x: x @ weight

    def bias(self, name: str, channels: int) -> Step:
        self.say(name)
        self.say(channels)
        bias = self.floats(channels)
        return lambda x: x + bias

    # blocks -------------------------------------------------------------------------------------

    def ordinary(self, name: str, c: int) -> Step:
        self.say("ordinary_block")
        self.say(name)
        steps = [
            self.norm(name + "/norm1", c, scale=False),
            self.conv(name + "/w1", c, c + 1, 3),
            self.norm(name + "/norm2", c + 1),
            self.conv(name + "/w2", c + 1, c, 3, dilation=2 if self.version == 8 else 1),
        ]
        return lambda x: x + chain(steps, x)

    def pooling(self, name: str, c: int) -> Step:
        self.say("gpool_block")
        self.say(name)
        pre = self.norm(name + "/norm1", c)
        first, pooled = self.conv(name + "/w1a", c, c - 1, 3), self.conv(name + "/w1b", c, 2, 3)
        seen = [self.norm(name + "/norm1b", 2), pool, self.matmul(name + "/w1r", 6, c - 1)]
        rest = [self.norm(name + "/norm2", c - 1), self.conv(name + "/w2", c - 1, c, 3)]

        def run(x: Array) -> Array:
            y = pre(x)
            return x + chain(rest, first(y) + chain(seen, pooled(y))[:, :, None, None])

        return run

    def nested(self, name: str, c: int) -> Step:
        self.say("nested_bottleneck_block")
        self.say(name, 2)
        steps = [
            self.norm(name + "/normp", c),
            self.conv(name + "/convp", c, c - 2, 1),
            self.ordinary(name + "/block1", c - 2),
            self.pooling(name + "/block2", c - 2),
            self.norm(name + "/normq", c - 2, bias=False),
            self.conv(name + "/convq", c - 2, c, 1),
        ]
        return lambda x: x + chain(steps, x)


def chain(steps: list[Step], x: Array) -> Array:
    for step in steps:
        x = step(x)
    return x


def pool(x: Array) -> Array:
    mean, larger = x.mean(axis=(2, 3)), (np.sqrt(x.shape[2] * x.shape[3]) - 14) / 10
    return np.concatenate([mean, mean * larger, x.max(axis=(2, 3))], axis=1)


def pool_value(x: Array) -> Array:
    mean, larger = x.mean(axis=(2, 3)), (np.sqrt(x.shape[2] * x.shape[3]) - 14) / 10
    return np.concatenate([mean, mean * larger, mean * (larger**2 - 0.1)], axis=1)


def make(version: int, **options: Any) -> tuple[bytes, Callable[[Array, Array], dict[str, Array]]]:
    """A file of that version, and what its network gives: our names, our shapes."""
    m = Maker(version, **options)
    c = 6
    m.say(f"tiny-v{version}", version)
    m.say(22, 19)
    if version >= 13:
        m.say(*MULTIPLIERS)
    if version >= 15:
        m.say(*[0] * 8)
    m.say("trunk")
    m.say(4 if version >= 11 else 3, c, c + 1, c - 1, 0, 2)
    if version >= 15:
        m.say(*[0] * 6)
    first, from_scalars = m.conv("conv1", 22, c, 5), m.matmul("ginputw", 19, c)
    blocks = [m.ordinary("block1", c), m.pooling("block2", c), m.ordinary("block3", c)]
    if version >= 11:
        blocks.append(m.nested("block4", c))
    tip = m.norm("trunk/norm", c)

    maps = {8: 1, 9: 1, 10: 1, 11: 1, 16: 4}.get(version, 2)
    m.say("policyhead")
    if version >= 17:
        m.say(maps, 0, 0, 0)
    p1, g1 = m.conv("p1/w", c, 4, 1), m.conv("g1/w", c, 3, 1)
    g1_norm, to_bias = m.norm("g1/norm", 3), m.matmul("matmulg2w", 9, 4)
    p1_norm, p2 = m.norm("p1/norm", 4), m.conv("p2/w", 4, maps, 1)
    to_pass = [m.matmul("matmulpass", 9, 5 if version >= 15 else maps)]
    if version >= 15:
        to_pass += [m.bias("biaspass", 5), m.act("actpass"), m.matmul("matmulpass2", 5, maps)]

    m.say("valuehead")
    if version >= 17:
        m.say(0, 0, 0)
    v1, v1_norm = m.conv("v1/w", c, 4, 1), m.norm("v1/norm", 4)
    hidden = [m.matmul("v2/w", 12, 7), m.bias("v2/b", 7), m.act("v2/act")]
    value = [m.matmul("v3/w", 7, 3), m.bias("v3/b", 3)]
    scores = 6 if version >= 9 else 4
    score = [m.matmul("sv3/w", 7, scores), m.bias("sv3/b", scores)]
    ownership = m.conv("vownership/w", 4, 1, 1)

    def run(spatial: Array, scalars: Array) -> dict[str, Array]:
        x = first(spatial) + from_scalars(scalars)[:, :, None, None]
        x = tip(chain(blocks, x))
        seen = pool(g1_norm(g1(x)))
        policy = p2(p1_norm(p1(x) + to_bias(seen)[:, :, None, None]))[:, 0].reshape(len(x), -1)
        passing = chain(to_pass, seen)[:, :1]
        y = v1_norm(v1(x))
        h = chain(hidden, pool_value(y))
        return {
            "policy": np.concatenate([policy, passing], axis=1)[:, None],
            "value": chain(value, h),
            "score": chain(score, h)[:, 2:3] * (17.0 if version >= 13 else 20.0),
            "ownership": np.tanh(ownership(y)),
        }

    return m.file(), run
