"""The endgame network: the trunk of another network, and two heads that are told which region is meant.

    trunk = load_trunk("g170-b6c96….bin.gz")          or a checkpoint of `miai train policy`
    features = trunk(spatial, scalars)                [n, channels, height, width], once for all regions
    heads = Heads(trunk.channels)
    heads(features, mask)                             {"local": [n, 2 h w + 1], "ownership": [n, 1, h, w]}

`local` are logits of who plays where next inside the mask [n, 1, h, w]: the side to move on each point,
the opponent on each point, and nobody, the last. Points outside the mask are as good as impossible; stones
in it are for the caller to leave out. `ownership` is that of the position, −1 … 1 from the side to move;
it begins as the trunk's own and learns what to add. `export` writes both as one ONNX file, with weights of
two bytes. `endgame` trains it, `miai.endgame.judge` runs it.
"""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from miai.nets.katago import forward as computing
from miai.nets.katago import read
from miai.nets.metadata import Labels
from miai.nets.planes.sets import PlaneSet, plane_set
from miai.train.config import ConfigError
from miai.train.export import OPSET, ExportError, open_session, write_labels
from miai.train.katago import KataGoNet, TorchEngine, to_torch
from miai.train.models import Residual, pool, pool_for_value, side_of

POLICY_UNIT = 0.2  # of the policy among the features
IMPOSSIBLE = -30.0  # added to logits outside the mask
SUREST = 3.8  # of the ownership before tanh: an ownership of 0.999
KATAGO = (".gz", ".bin", ".txt")
TOLERANCE = 2e-2  # of the exported network against torch, with weights rounded to two bytes
SIZES = ((19, 19), (13, 13), (9, 9), (9, 13))


class Trunk(nn.Module):
    """A whole network, asked for what its heads see and for what they say: maps to learn from."""

    def __init__(self, network: nn.Module, channels: int, steps: int, planes: PlaneSet, name: str) -> None:
        super().__init__()
        self.network, self.planes, self.name = network.eval().requires_grad_(False), planes, name
        self.channels, self.steps = channels + steps + 1, steps

    def forward(self, spatial: Tensor, scalars: Tensor) -> Tensor:
        """[n, channels, h, w]: what the heads see; then the policy of each step; last, the ownership."""
        seen, policy, ownership = self._run(spatial, scalars)
        policy = policy.float()
        maps = policy[:, :, :-1].reshape(policy.shape[0], policy.shape[1], *ownership.shape[2:])
        maps = maps - policy.amax(2)[:, :, None, None]  # logits are the same, moved: the best move is 0
        owned = ownership.float().clamp(-SUREST, SUREST)
        return torch.cat([seen.float(), maps.clamp(min=-20) * POLICY_UNIT, owned], 1)

    def _run(self, spatial: Tensor, scalars: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """What the heads see, the policy [n, steps, h · w + 1], and the ownership before tanh."""
        raise NotImplementedError


class KataGoTrunk(Trunk):
    """Of a KataGo network."""

    def _run(self, spatial: Tensor, scalars: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        network = cast(KataGoNet, self.network)
        out = computing.forward(network.network, _AnySize(network), spatial, scalars)
        policy = torch.cat([out.policy[:, :1].flatten(2), out.passing[:, :1, None]], 2)
        return out.trunk, policy, out.ownership


class _AnySize(TorchEngine):
    """The side of the board is a value here, not a constant: so an ONNX is right for every size."""

    def pool(self, x: Tensor) -> Tensor:
        return pool(x, side_of(x))

    def pool_value(self, x: Tensor) -> Tensor:
        return pool_for_value(x, side_of(x))


class OurTrunk(Trunk):
    """Of our own kind of network: what comes out of its tip is kept on the way."""

    def _run(self, spatial: Tensor, scalars: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        kept: list[Tensor] = []
        network = cast(Residual, self.network)
        hook = network.tip.register_forward_hook(lambda module, given, out: kept.append(out))
        try:
            outputs = network(spatial, scalars)
        finally:
            hook.remove()
        return kept[0], outputs["policy"], untanh(outputs["ownership"])


def load_trunk(path: str) -> Trunk:
    """A KataGo network, or a checkpoint of ours with an ownership head."""
    if path.lower().endswith(KATAGO):
        try:
            network = read.read(Path(path))
        except read.KataGoError as error:
            raise ConfigError(f"{path}: {error}") from error
        return KataGoTrunk(to_torch(network), network.channels, 1, plane_set("katago7"), network.name)
    from miai.train.evaluate import weights_of

    ours, config = weights_of(Path(path))
    if not isinstance(ours, Residual):
        raise ConfigError(f"{path}: only the residual kind of network has an ownership to begin with")
    model = config.model
    return OurTrunk(ours, model.channels, model.steps, plane_set(model.planes), config.name)


def untanh(ownership: Tensor) -> Tensor:
    """What tanh made the ownership of, within bounds."""
    surest = math.tanh(SUREST)
    y = ownership.float().clamp(-surest, surest)
    return 0.5 * torch.log((1 + y) / (1 - y))


class Heads(nn.Module):
    """See the top of this file."""

    def __init__(self, channels: int, width: int = 48, blocks: int = 2, steps: int = 1) -> None:
        super().__init__()
        self.likely = channels - 1 - steps  # the trunk's policy for the next move
        self.mix = nn.Conv2d(channels, width, 1)
        self.tell = nn.Conv2d(2, width, 1, bias=False)  # the mask, and the ownership in it
        self.blocks = nn.ModuleList(_Block(width) for _ in range(blocks))
        self.policy = nn.Conv2d(width, 2, 1)
        self.trust = nn.Parameter(torch.tensor([0.7, 0.2]))  # in the trunk's policy, for both sides' moves
        self.who = nn.Sequential(nn.Linear(3 * width + 1, 64), nn.ReLU(), nn.Linear(64, 3))
        self.ownership = nn.Conv2d(width, 1, 1)
        for last in (self.policy, self.ownership):
            nn.init.normal_(last.weight, std=0.01)
            nn.init.zeros_(cast(Tensor, last.bias))

    def forward(self, features: Tensor, mask: Tensor, rows: Tensor | None = None) -> dict[str, Tensor]:
        """Each mask belongs to one position; or to that of its number in `rows`, if there are more masks."""
        mixed = self.mix(features)
        maps = features[:, [self.likely, -1]]
        if rows is not None:
            mixed, maps = mixed.index_select(0, rows), maps.index_select(0, rows)
        likely, base = maps[:, :1] / POLICY_UNIT, maps[:, 1:]
        x = functional.relu(mixed + self.tell(torch.cat([mask, mask * base], 1)))
        size = mask.sum((2, 3)).clamp(min=1.0)
        for block in self.blocks:
            x = block(x, mask, size)
        who = self.who(pooled(x, mask, size)).float()  # moves every logit of a side together
        points = self.policy(x).float() + likely * self.trust[:, None, None] + who[:, :2, None, None]
        local = torch.cat([(points + IMPOSSIBLE * (1 - mask)).flatten(1), who[:, 2:]], 1)
        return {"local": local, "ownership": torch.tanh(base + self.ownership(x).float())}


class _Block(nn.Module):
    """Two convolutions, and what is in the mask told to every point; added to what came in."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1)
        self.told = nn.Linear(3 * width + 1, width)
        self.last = nn.Conv2d(width, width, 3, padding=1)
        nn.init.zeros_(self.last.weight)

    def forward(self, x: Tensor, mask: Tensor, size: Tensor) -> Tensor:
        told = self.told(pooled(x, mask, size))[:, :, None, None]
        return functional.relu(x + self.last(functional.relu(self.first(x) + told)))


def pooled(x: Tensor, mask: Tensor, size: Tensor) -> Tensor:
    """[n, 3c + 1]: mean and greatest inside the mask, mean of the board, and how large the mask is."""
    inside = x * mask
    return torch.cat([inside.sum((2, 3)) / size, inside.amax((2, 3)), x.mean((2, 3)), size.log() * 0.3], 1)


class Whole(nn.Module):
    """Trunk and heads as one network of planes and a mask."""

    def __init__(self, trunk: Trunk, heads: Heads) -> None:
        super().__init__()
        self.trunk, self.heads = trunk, heads

    def forward(
        self, spatial: Tensor, scalars: Tensor, mask: Tensor, rows: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        out = self.heads(self.trunk(spatial, scalars), mask, rows)
        return out["local"], out["ownership"]


def export(whole: Whole, path: Path, *, source: str = "") -> float:
    """Write one ONNX file. Returns how far its answers are from torch's; ExportError if that is far."""
    trunk = whole.trunk
    if not trunk.planes.scalars:
        raise ExportError("a trunk that reads planes only cannot be exported here")
    whole = whole.eval()
    free = {0: "n", 2: "height", 3: "width"}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                whole,
                _inputs(trunk, 19, 19),
                str(path),
                input_names=["spatial", "scalars", "mask"],
                output_names=["local", "ownership"],
                dynamic_axes={
                    "spatial": free,
                    "scalars": {0: "n"},
                    "mask": free,
                    "local": {0: "n", 1: "classes"},
                    "ownership": free,
                },
                opset_version=OPSET,
                dynamo=False,
            )
        _halve(path)
        labels = Labels(
            path.stem,
            trunk.planes.name,
            trunk.planes.version,
            heads=("local", "ownership"),
            source=source or f"{trunk.name}, with heads for regions",
        )
        write_labels(path, labels)
    except OSError as error:
        raise ExportError(f"{path}: cannot be written: {(error.strerror or str(error)).lower()}") from error
    difference = compare(path, whole)
    if not difference < TOLERANCE:
        raise ExportError(f"{path}: the exported network differs from torch by {difference:.2g}")
    return difference


def compare(path: Path, whole: Whole) -> float:
    """The greatest difference of a probability or an ownership between file and torch."""
    session = open_session(path)
    worst = 0.0
    for height, width in SIZES:
        inputs = _inputs(whole.trunk, height, width)
        with torch.inference_mode():
            local, ownership = whole(*inputs)
        names = ("spatial", "scalars", "mask")
        feed = {name: x.numpy() for name, x in zip(names, inputs, strict=True)}
        theirs = [torch.from_numpy(x) for x in session.run(["local", "ownership"], feed)]
        worst = max(worst, float((theirs[0].softmax(1) - local.softmax(1)).abs().max()))
        worst = max(worst, float((theirs[1] - ownership).abs().max()))
    return worst


def _inputs(trunk: Trunk, height: int, width: int) -> tuple[Tensor, Tensor, Tensor]:
    """Something like a position: a random board, the planes of which do not fit together too badly."""
    random = torch.Generator().manual_seed(height * 100 + width)
    spatial = torch.zeros(2, len(trunk.planes.spatial), height, width)
    spatial[:, 0] = 1
    stone = torch.randint(0, 3, (2, height, width), generator=random)
    spatial[:, 1], spatial[:, 2] = (stone == 1).float(), (stone == 2).float()
    mask = torch.zeros(2, 1, height, width)
    mask[:, :, 2:7, 2:6] = 1
    return spatial, torch.zeros(2, len(trunk.planes.scalars)), mask


def _halve(path: Path) -> None:
    """Keep large weights in two bytes each; they are widened again when the network is loaded."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    model = onnx.load(str(path))
    casts = []
    for weight in model.graph.initializer:
        if weight.data_type != TensorProto.FLOAT or np.prod(weight.dims) < 64:
            continue
        name = weight.name
        halved = numpy_helper.from_array(numpy_helper.to_array(weight).astype(np.float16), name + ".half")
        weight.CopyFrom(halved)
        casts.append(helper.make_node("Cast", [name + ".half"], [name], to=TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.save(model, str(path))


__all__ = ["Heads", "Trunk", "Whole", "export", "load_trunk"]
