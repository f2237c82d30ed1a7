"""A KataGo network as plain data: layers with NumPy weights. `read` makes them, `forward` runs them.

Weights are stored as the computation wants them: convolutions as [out, in, height, width], matrices as
[in, out], and a batch normalisation as the scale and the bias that it amounts to once trained.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


class Activation(Enum):
    """The name in the file."""

    IDENTITY = "ACTIVATION_IDENTITY"
    RELU = "ACTIVATION_RELU"
    MISH = "ACTIVATION_MISH"
    SILU = "ACTIVATION_SILU"


@dataclass(frozen=True, eq=False)
class Conv:
    """A convolution that keeps the size of the board, without bias."""

    name: str
    weight: Floats  # [out, in, height, width]
    dilation: tuple[int, int] = (1, 1)


@dataclass(frozen=True, eq=False)
class Norm:
    """Scale and bias for each channel, and the activation that follows."""

    name: str
    scale: Floats  # [channel]
    bias: Floats  # [channel]
    activation: Activation


@dataclass(frozen=True, eq=False)
class Dense:
    """A matrix, perhaps a bias, perhaps an activation."""

    name: str
    weight: Floats  # [in, out]
    bias: Floats | None = None  # [out]
    activation: Activation = Activation.IDENTITY


@dataclass(frozen=True, eq=False)
class ResidualBlock:
    """norm, conv, norm, conv; added to what came in."""

    name: str
    pre: Norm
    first: Conv
    mid: Norm
    last: Conv


@dataclass(frozen=True, eq=False)
class PoolingBlock:
    """A residual block in which what some channels see on the whole board is told to all points."""

    name: str
    pre: Norm
    first: Conv
    pooled: Conv
    pooled_norm: Norm
    to_bias: Dense
    mid: Norm
    last: Conv


@dataclass(frozen=True, eq=False)
class BottleneckBlock:
    """Down to fewer channels, a few blocks there, and up again; added to what came in."""

    name: str
    pre: Norm
    down: Conv
    blocks: tuple[Block, ...]
    post: Norm
    up: Conv


Block = ResidualBlock | PoolingBlock | BottleneckBlock


@dataclass(frozen=True, eq=False)
class PolicyHead:
    """Points and the pass. A head with several maps has the plain policy as its first."""

    point: Conv
    pooled: Conv
    pooled_norm: Norm
    to_bias: Dense
    mid: Norm
    last: Conv
    to_pass: tuple[Dense, ...]


@dataclass(frozen=True, eq=False)
class ValueHead:
    """Who wins, by how much, and who owns each point."""

    first: Conv
    norm: Norm
    hidden: Dense
    value: Dense  # win, loss, no result
    score: Dense  # mean, deviation, lead, …
    ownership: Conv


LEAD = 2  # column of ValueHead.score


@dataclass(frozen=True, eq=False)
class Network:
    """A whole network. `lead_multiplier` turns the lead's output into points."""

    name: str
    version: int
    planes: int  # spatial inputs
    scalars: int  # global inputs
    channels: int  # of the trunk
    first: Conv
    from_scalars: Dense
    blocks: tuple[Block, ...]
    tip: Norm
    policy: PolicyHead
    value: ValueHead
    lead_multiplier: float = 20.0

    def parameters(self) -> int:
        """How many numbers there are in it."""
        return sum(array.size for array in _arrays(self))


def _arrays(part: object) -> list[Floats]:
    if isinstance(part, np.ndarray):
        return [part]
    if isinstance(part, tuple):
        return [array for item in part for array in _arrays(item)]
    if hasattr(part, "__dataclass_fields__"):
        return [array for field in part.__dataclass_fields__ for array in _arrays(getattr(part, field))]
    return []
