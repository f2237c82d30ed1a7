"""The networks that are trained here, as torch modules that all answer alike.

    deepgo      Deep-Go: 5×5 convolutions from 8 planes to the next move; 12 layers, or 5 for the light one
    darkforest  25 planes; 5×5, then 3×3 convolutions, to k maps: the next k moves, one softmax each
    residual    our own: pre-activated residual blocks, some of which pool over the whole board, and heads
                for policy, value, score and ownership; shaped so that it can begin as a KataGo network

`build` makes one from a `ModelConfig`. Whatever it is, `forward(spatial, scalars)` gives a dict with
`policy` [n, steps, height * width + 1] and the other heads that it has, by the names and from the point
of view that `miai.nets.metadata` fixes. All work on any board size. There is no batch normalisation:
a layer has a scale and a bias of its own, so that training and use compute the same.
"""

from __future__ import annotations

from itertools import pairwise
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from miai.nets.planes import plane_set
from miai.train.config import ConfigError, ModelConfig

Outputs = dict[str, Tensor]
POINTS_PER_UNIT = 20.0  # the score head counts in twenties of points, as KataGo's does
SIDE_MIDDLE, SIDE_UNIT = 14.0, 0.1  # how pooling says the side of the board, as KataGo does


def build(config: ModelConfig) -> nn.Module:
    """The network that a configuration describes, with fresh weights from torch's generator."""
    match config.kind:
        case "deepgo":
            return DeepGo(config)
        case "darkforest":
            return Darkforest(config)
        case "residual":
            return Residual(config)
    raise ConfigError(f"model.kind: {config.kind!r} is not deepgo, darkforest or residual")


def heads(config: ModelConfig) -> tuple[str, ...]:
    """What a network of this kind answers."""
    return ("policy", "value", "score", "ownership") if config.kind == "residual" else ("policy",)


def parameters(network: nn.Module) -> int:
    """How many numbers are learned."""
    return sum(weight.numel() for weight in network.parameters())


def conv(inputs: int, outputs: int, side: int, *, bias: bool = True) -> nn.Conv2d:
    """A convolution that keeps the size of the board."""
    return nn.Conv2d(inputs, outputs, side, padding=side // 2, bias=bias)


# the published two ------------------------------------------------------------------------------


class Maps(nn.Module):
    """Convolutions to `steps` maps, with one more number for the pass: what the published two share.

    Neither paper has a pass; ours is a bias and the mean of the map before it, so that it can be learned.
    """

    def __init__(self, config: ModelConfig, layers: list[nn.Conv2d]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.to_pass = nn.Linear(layers[-1].in_channels, config.steps)
        for layer in layers[:-1]:
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.zeros_(cast(Tensor, layer.bias))

    def forward(self, spatial: Tensor, scalars: Tensor) -> Outputs:
        x = spatial
        for layer in self.layers[:-1]:
            x = functional.relu(layer(x))
        points = self.layers[-1](x).flatten(2)
        passes = self.to_pass(x.mean((2, 3)))
        return {"policy": torch.cat([points, passes.unsqueeze(2)], 2)}


class DeepGo(Maps):
    """`blocks` layers: 5×5 with 92 filters first, 5×5 with `channels` between, 3×3 at the end."""

    def __init__(self, config: ModelConfig) -> None:
        inputs = len(plane_set(config.planes).spatial)
        widths = [config.first_channels] + [config.channels] * (config.blocks - 2)
        layers = [conv(a, b, 5) for a, b in zip([inputs, *widths[:-1]], widths, strict=True)]
        super().__init__(config, [*layers, conv(widths[-1], config.steps, 3)])


class Darkforest(Maps):
    """5×5 with 92 filters, `blocks` layers of 3×3 with `channels`, 3×3 to `steps` maps."""

    def __init__(self, config: ModelConfig) -> None:
        inputs = len(plane_set(config.planes).spatial)
        widths = [config.first_channels] + [config.channels] * config.blocks
        layers = [conv(inputs, widths[0], 5)]
        layers += [conv(a, b, 3) for a, b in pairwise(widths)]
        super().__init__(config, [*layers, conv(widths[-1], config.steps, 3)])


# our own ----------------------------------------------------------------------------------------


def side_of(x: Tensor) -> Tensor:
    """How far the board's side is from the middling one; also right for an ONNX with any board size."""
    height, width = x.shape[2], x.shape[3]
    area = torch.as_tensor(height * width, dtype=x.dtype)
    return (area.sqrt() - SIDE_MIDDLE) * SIDE_UNIT


def pool(x: Tensor, side: Tensor) -> Tensor:
    """[n, c, h, w] → [n, 3c]: the mean, the mean by board size, and the greatest."""
    mean = x.mean((2, 3))
    return torch.cat([mean, mean * side, x.amax((2, 3))], 1)


def pool_for_value(x: Tensor, side: Tensor) -> Tensor:
    """[n, c, h, w] → [n, 3c]: the mean, and the mean by board size and by its square."""
    mean = x.mean((2, 3))
    return torch.cat([mean, mean * side, mean * (side * side - 0.1)], 1)


class Affine(nn.Module):
    """A scale and a bias for each channel, and what is above zero of it."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1, channels, 1, 1))
        self.bias = nn.Parameter(torch.zeros(1, channels, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        if torch.onnx.is_in_onnx_export():  # which would write addcmul with one more multiplication
            return functional.relu(x * self.scale + self.bias)
        return functional.relu(torch.addcmul(self.bias, x, self.scale))


class Block(nn.Module):
    """Scale, convolve, convolve; added to what came in."""

    def __init__(self, channels: int, inner: int) -> None:
        super().__init__()
        self.pre = Affine(channels)
        self.first = conv(channels, inner, 3)
        self.last = conv(inner, channels, 3, bias=False)

    def forward(self, x: Tensor, side: Tensor) -> Tensor:
        return x + cast(Tensor, self.last(functional.relu(self.first(self.pre(x)))))


class PoolingBlock(nn.Module):
    """A block in which what some channels see on the whole board is told to all points."""

    def __init__(self, channels: int, inner: int, pooled: int) -> None:
        super().__init__()
        self.pre = Affine(channels)
        self.first = conv(channels, inner, 3)
        self.pooled = conv(channels, pooled, 3)
        self.to_bias = nn.Linear(3 * pooled, inner, bias=False)
        self.last = conv(inner, channels, 3, bias=False)

    def forward(self, x: Tensor, side: Tensor) -> Tensor:
        seen = self.pre(x)
        told = self.to_bias(pool(functional.relu(self.pooled(seen)), side))
        inner = functional.relu(self.first(seen) + told[:, :, None, None])
        return x + cast(Tensor, self.last(inner))


class Residual(nn.Module):
    """Our own network: see the top of this file."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        planes = plane_set(config.planes)
        width, head = config.channels, config.head_channels
        self.first = conv(len(planes.spatial), width, 5, bias=not planes.scalars)
        self.from_scalars = nn.Linear(len(planes.scalars), width) if planes.scalars else None
        inner = config.inner_channels or config.channels
        told = inner - config.pooled_channels  # the others of a block that pools
        self.blocks = nn.ModuleList(
            PoolingBlock(width, told, config.pooled_channels) if i in config.pooling else Block(width, inner)
            for i in range(config.blocks)
        )
        self.tip = Affine(width)
        self.point = conv(width, head, 1)
        self.pooled = conv(width, config.pooled_channels, 1)
        self.to_bias = nn.Linear(3 * config.pooled_channels, head, bias=False)
        self.policy = conv(head, config.steps, 1, bias=False)
        self.to_pass = nn.Linear(3 * config.pooled_channels, config.steps, bias=False)
        self.value_first = conv(width, config.value_channels, 1)
        self.hidden = nn.Linear(3 * config.value_channels, config.hidden)
        self.value = nn.Linear(config.hidden, 3)
        self.score = nn.Linear(config.hidden, 1)
        self.ownership = conv(config.value_channels, 1, 1, bias=False)
        self._begin()

    def _begin(self) -> None:
        """Weights with which every block first passes its input on, so that depth does no harm."""
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        for block in self.blocks:
            nn.init.zeros_(cast(nn.Conv2d, block.last).weight)
        for last in (self.policy, self.ownership):
            nn.init.normal_(last.weight, std=0.01)

    def forward(self, spatial: Tensor, scalars: Tensor) -> Outputs:
        side = side_of(spatial)
        x = self.first(spatial)
        if self.from_scalars is not None:
            x = x + self.from_scalars(scalars)[:, :, None, None]
        for block in self.blocks:
            x = block(x, side)
        x = self.tip(x)

        seen = pool(functional.relu(self.pooled(x)), side)
        points = self.policy(functional.relu(self.point(x) + self.to_bias(seen)[:, :, None, None]))
        policy = torch.cat([points.flatten(2), self.to_pass(seen).unsqueeze(2)], 2)

        owned = functional.relu(self.value_first(x))
        hidden = functional.relu(self.hidden(pool_for_value(owned, side)))
        return {
            "policy": policy,
            "value": self.value(hidden),
            "score": self.score(hidden) * POINTS_PER_UNIT,
            "ownership": torch.tanh(self.ownership(owned)),
        }
