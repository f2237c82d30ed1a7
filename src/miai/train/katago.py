"""A KataGo network in torch: the same numbers as the original, or the pretrained trunk of a new network.

    network = to_torch(read(path))                     # an nn.Module: outputs as `metadata` names them
    features = network.trunk(spatial, scalars)         # [n, channels, row, column], for heads of your own

Every weight is a parameter, so all of it can be trained on; norms are a scale and a bias for each
channel, as they were when the training of the original ended. How a network computes is told once, in
`miai.nets.katago.forward`; here are only its steps.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional

from miai.nets.katago import forward as computing
from miai.nets.katago.layers import LEAD, Activation, Conv, Dense, Floats, Network, Norm


def to_torch(network: Network) -> KataGoNet:
    """The network as a module, in evaluation mode; gradients are on."""
    return KataGoNet(network).eval()


class KataGoNet(nn.Module):
    """Planes [n, 22, row, column] and numbers [n, 19] to policy, value, score and ownership."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network  # the plan of the layers; its weights are where training began
        self.channels = network.channels
        self.weights = nn.ParameterDict()
        self.names = dict(name_layers(network))
        for layer, name in self.names.items():
            for what, array in arrays(layer):
                self.weights[f"{name}/{what}"] = nn.Parameter(torch.from_numpy(array.copy()))

    def trunk(self, spatial: Tensor, scalars: Tensor) -> Tensor:
        """What the heads see: [n, channels, row, column]."""
        return computing.trunk(self.network, TorchEngine(self), spatial, scalars)

    def forward(self, spatial: Tensor, scalars: Tensor) -> dict[str, Tensor]:
        """Names, shapes and meaning as in `miai.nets.metadata`."""
        out = computing.forward(self.network, TorchEngine(self), spatial, scalars)
        policy = torch.cat([out.policy[:, :1].flatten(2), out.passing[:, :1, None]], dim=2)
        return {
            "policy": policy,
            "value": out.value,
            "score": out.score[:, LEAD : LEAD + 1] * self.network.lead_multiplier,
            "ownership": torch.tanh(out.ownership),
        }


Layer = Conv | Norm | Dense


def layers(part: object) -> Iterator[Layer]:
    """Every layer of a network, block or head."""
    if isinstance(part, Conv | Norm | Dense):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from layers(item)
    elif hasattr(part, "__dataclass_fields__"):
        for field in part.__dataclass_fields__:
            yield from layers(getattr(part, field))


def arrays(layer: Layer) -> Iterator[tuple[str, Floats]]:
    """The weights of a layer, by name."""
    for what in ("weight", "scale", "bias"):
        array = getattr(layer, what, None)
        if array is not None:
            yield what, array


def name_layers(network: Network) -> Iterator[tuple[Layer, str]]:
    """Each layer with a name that no other has, without dots, which torch would take for levels."""
    taken: set[str] = set()
    for layer in layers(network):
        plain = layer.name.replace(".", "/")
        names = (plain, *(f"{plain}-{again}" for again in range(2, len(taken) + 2)))
        name = next(name for name in names if name not in taken)
        taken.add(name)
        yield layer, name


class TorchEngine:
    """Computes each step. See `miai.nets.katago.forward.Engine`."""

    def __init__(self, net: KataGoNet) -> None:
        self.net = net

    def get(self, layer: Layer, what: str) -> Tensor:
        weight: Tensor = self.net.weights[f"{self.net.names[layer]}/{what}"]
        return weight

    def norm(self, x: Tensor, norm: Norm) -> Tensor:
        scale, bias = self.get(norm, "scale")[:, None, None], self.get(norm, "bias")[:, None, None]
        return activate(x * scale + bias, norm.activation)

    def conv(self, x: Tensor, conv: Conv, norm: Norm | None = None, bias: Tensor | None = None) -> Tensor:
        weight = self.get(conv, "weight")
        pads = [step * (size // 2) for step, size in zip(conv.dilation, weight.shape[2:], strict=True)]
        y = functional.conv2d(x, weight, padding=pads, dilation=conv.dilation)
        if bias is not None:
            y = y + bias[:, :, None, None]
        return y if norm is None else self.norm(y, norm)

    def dense(self, x: Tensor, dense: Dense) -> Tensor:
        y = x @ self.get(dense, "weight")
        if dense.bias is not None:
            y = y + self.get(dense, "bias")
        return activate(y, dense.activation)

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y

    def pool(self, x: Tensor) -> Tensor:
        mean = x.mean(dim=(2, 3))
        return torch.cat([mean, mean * larger(x), x.amax(dim=(2, 3))], dim=1)

    def pool_value(self, x: Tensor) -> Tensor:
        mean = x.mean(dim=(2, 3))
        return torch.cat([mean, mean * larger(x), mean * (larger(x) ** 2 - 0.1)], dim=1)


def larger(x: Tensor) -> float:
    """How much larger than 14×14 the board is, in tens of lines."""
    return float((x.shape[2] * x.shape[3]) ** 0.5 - 14) * 0.1


def activate(x: Tensor, activation: Activation) -> Tensor:
    match activation:
        case Activation.RELU:
            return functional.relu(x)
        case Activation.MISH:
            return functional.mish(x)
        case Activation.SILU:
            return functional.silu(x)
    return x
