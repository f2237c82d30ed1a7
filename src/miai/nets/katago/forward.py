"""How a KataGo network computes, written once for every engine that runs it.

`forward` walks through the layers and asks an engine for each step: `onnx` is one that writes down a
graph, `miai.train.katago` one that computes in torch. A norm that follows a convolution is handed over
together with it, so that an engine may fold the two into one.

On a board of any size, pooling tells the mean, the mean times how much larger or smaller than 14×14 the
board is, and the maximum; in the value head, in place of the maximum, the mean times the square of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from miai.nets.katago.layers import (
    Block,
    BottleneckBlock,
    Conv,
    Dense,
    Network,
    Norm,
    PolicyHead,
    PoolingBlock,
    ResidualBlock,
    ValueHead,
)

T = TypeVar("T")


class Engine(Protocol[T]):
    """The steps of a network, on values of type T: maps [n, channel, row, column], vectors [n, channel]."""

    def norm(self, x: T, norm: Norm) -> T:
        """Scale, bias and activation."""

    def conv(self, x: T, conv: Conv, norm: Norm | None = None, bias: T | None = None) -> T:
        """Convolve; add a vector to every point; scale, bias and activation."""

    def dense(self, x: T, dense: Dense) -> T:
        """A matrix on a vector, with its bias and activation."""

    def add(self, x: T, y: T) -> T:
        """The sum of two maps."""

    def pool(self, x: T) -> T:
        """A map to a vector of three times its channels, as the blocks and the policy head do."""

    def pool_value(self, x: T) -> T:
        """The same, as the value head does."""


@dataclass(frozen=True)
class Outputs(Generic[T]):
    """What comes out, before softmax, multipliers and tanh."""

    trunk: T  # [n, channel, row, column], after the last norm
    policy: T  # [n, map, row, column]
    passing: T  # [n, map]
    value: T  # [n, 3]
    score: T  # [n, 4 or 6]
    ownership: T  # [n, 1, row, column]


def forward(network: Network, engine: Engine[T], spatial: T, scalars: T) -> Outputs[T]:
    """The network on planes [n, 22, row, column] and numbers [n, 19]."""
    x = trunk(network, engine, spatial, scalars)
    policy, passing = policy_head(network.policy, engine, x)
    value, score, ownership = value_head(network.value, engine, x)
    return Outputs(x, policy, passing, value, score, ownership)


def trunk(network: Network, engine: Engine[T], spatial: T, scalars: T) -> T:
    """Everything before the heads."""
    x = engine.conv(spatial, network.first, bias=engine.dense(scalars, network.from_scalars))
    for block in network.blocks:
        x = run_block(block, engine, x)
    return engine.norm(x, network.tip)


def run_block(block: Block, engine: Engine[T], x: T) -> T:
    y = engine.norm(x, block.pre)
    match block:
        case ResidualBlock():
            y = engine.conv(y, block.first, block.mid)
            y = engine.conv(y, block.last)
        case PoolingBlock():
            seen = engine.pool(engine.conv(y, block.pooled, block.pooled_norm))
            y = engine.conv(y, block.first, block.mid, bias=engine.dense(seen, block.to_bias))
            y = engine.conv(y, block.last)
        case BottleneckBlock():
            y = engine.conv(y, block.down)
            for inner in block.blocks:
                y = run_block(inner, engine, y)
            y = engine.conv(engine.norm(y, block.post), block.up)
    return engine.add(x, y)


def policy_head(head: PolicyHead, engine: Engine[T], x: T) -> tuple[T, T]:
    seen = engine.pool(engine.conv(x, head.pooled, head.pooled_norm))
    y = engine.conv(x, head.point, head.mid, bias=engine.dense(seen, head.to_bias))
    for dense in head.to_pass:
        seen = engine.dense(seen, dense)
    return engine.conv(y, head.last), seen


def value_head(head: ValueHead, engine: Engine[T], x: T) -> tuple[T, T, T]:
    y = engine.conv(x, head.first, head.norm)
    hidden = engine.dense(engine.pool_value(y), head.hidden)
    return engine.dense(hidden, head.value), engine.dense(hidden, head.score), engine.conv(y, head.ownership)
