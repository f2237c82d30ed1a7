"""Our own network begun from a KataGo network: the same shape, or fewer channels of it.

KataGo's batch normalisations are folded into the convolutions before them where there is one. Heads that
KataGo lacks (the moves after the next one) start from fresh weights beside it. Where our network has
fewer channels, those are kept on which most of the later layers' weight rests; the result then has to
learn before it is good for anything, and is still far ahead of a network begun from nothing.

`narrow` makes a network of ours from a wider one of ours: of the channels inside its blocks it keeps those
that do most on real positions. Of six blocks a sixth can go at little cost.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from miai.nets.katago.layers import (
    LEAD,
    Activation,
    Conv,
    Dense,
    Floats,
    Network,
    Norm,
    ResidualBlock,
)
from miai.nets.katago.layers import PoolingBlock as KataGoPoolingBlock
from miai.train.config import ConfigError
from miai.train.games import Batch
from miai.train.models import POINTS_PER_UNIT, Affine, Block, PoolingBlock, Residual

Kept = npt.NDArray[np.int64]  # which channels, in order


def inherit(ours: Residual, katago: Network) -> None:
    """Overwrite the weights of `ours` by those of a KataGo network of the same blocks."""
    _check(ours, katago)
    trunk = _best(_trunk_effect(katago), ours.first.out_channels)
    _put(ours.first.weight, katago.first.weight[trunk])
    if ours.from_scalars is None:
        raise ConfigError("model.planes: a network that begins as KataGo's reads the planes katago7")
    _put(ours.from_scalars.weight, katago.from_scalars.weight[:, trunk].T)
    nn.init.zeros_(ours.from_scalars.bias)
    for block, theirs in zip(ours.blocks, katago.blocks, strict=True):
        if isinstance(block, PoolingBlock) and isinstance(theirs, KataGoPoolingBlock):
            _pooling_block(block, theirs, trunk)
        elif isinstance(block, Block) and isinstance(theirs, ResidualBlock):
            _block(block, theirs, trunk)
    _affine(ours.tip, katago.tip, trunk)
    _policy_head(ours, katago, trunk)
    _value_head(ours, katago, trunk)


def _check(ours: Residual, katago: Network) -> None:
    shapes = [isinstance(block, PoolingBlock) for block in ours.blocks]
    theirs = [isinstance(block, KataGoPoolingBlock) for block in katago.blocks]
    plain = all(isinstance(block, ResidualBlock | KataGoPoolingBlock) for block in katago.blocks)
    if not plain or katago.tip.activation is not Activation.RELU:
        raise ConfigError(f"init.katago: {katago.name} has blocks of another kind than our network")
    if shapes != theirs:
        pooling = [i for i, pools in enumerate(theirs) if pools]
        raise ConfigError(
            f"init.katago: {katago.name} has {len(theirs)} blocks, of which {pooling} pool: "
            "set model.blocks and model.pooling to that"
        )
    if ours.first.kernel_size != katago.first.weight.shape[2:]:
        raise ConfigError(f"init.katago: the first layer of {katago.name} is of another size than ours")


def narrow(ours: nn.Module, wider: nn.Module, batch: Batch) -> None:
    """Overwrite the weights of `ours` by those of a network that differs in `inner_channels` only."""
    if not isinstance(ours, Residual) or not isinstance(wider, Residual):
        raise ConfigError("init.checkpoint: only the residual kind can begin from a network of another size")
    use = _inner_use(wider, batch)
    wanted = ours.state_dict()
    weights = {name: weight.clone() for name, weight in wider.state_dict().items()}
    for i in range(min(len(ours.blocks), len(wider.blocks))):
        count = len(wanted[f"blocks.{i}.first.weight"])
        if count > len(use[i]):
            raise ConfigError("init.checkpoint: its blocks have fewer channels than model.inner_channels")
        kept = torch.from_numpy(_best(use[i], count))
        for name in ("first.weight", "first.bias", "to_bias.weight"):
            if f"blocks.{i}.{name}" in weights:
                weights[f"blocks.{i}.{name}"] = weights[f"blocks.{i}.{name}"][kept]
        weights[f"blocks.{i}.last.weight"] = weights[f"blocks.{i}.last.weight"][:, kept]
    try:
        ours.load_state_dict(weights)
    except RuntimeError as error:
        raise ConfigError("init.checkpoint: it differs in more than model.inner_channels") from error


def _inner_use(network: Residual, batch: Batch) -> list[Floats]:
    """[block][channel] how much each channel moves what its block adds."""
    use: list[Floats] = []

    def look(last: nn.Module, given: tuple[Tensor], answer: Tensor) -> None:
        moves = given[0].std((0, 2, 3)) * last.weight.square().sum((0, 2, 3)).sqrt()  # type: ignore[operator]
        use.append(moves.numpy())

    hooks = [block.last.register_forward_hook(look) for block in network.blocks]  # type: ignore[union-attr]
    with torch.inference_mode():
        network(torch.from_numpy(batch.spatial), torch.from_numpy(batch.scalars))
    for hook in hooks:
        hook.remove()
    return use


# parts ------------------------------------------------------------------------------------------


def _block(ours: Block, theirs: ResidualBlock, trunk: Kept) -> None:
    inner = _best(_through(theirs.first, theirs.mid, theirs.last), ours.first.out_channels)
    _affine(ours.pre, theirs.pre, trunk)
    _folded(ours.first, theirs.first, theirs.mid, inner, trunk)
    _put(ours.last.weight, theirs.last.weight[trunk][:, inner])


def _pooling_block(ours: PoolingBlock, theirs: KataGoPoolingBlock, trunk: Kept) -> None:
    inner = _best(_through(theirs.first, theirs.mid, theirs.last), ours.first.out_channels)
    seen = _best(_pooled_effect(theirs.pooled, theirs.pooled_norm, theirs.to_bias), ours.pooled.out_channels)
    _affine(ours.pre, theirs.pre, trunk)
    _folded(ours.first, theirs.first, theirs.mid, inner, trunk)
    _folded(ours.pooled, theirs.pooled, theirs.pooled_norm, seen, trunk)
    told = _pooled_rows(theirs.to_bias.weight, seen)[:, inner] * theirs.mid.scale[inner]
    _put(ours.to_bias.weight, told.T)
    _put(ours.last.weight, theirs.last.weight[trunk][:, inner])


def _policy_head(ours: Residual, katago: Network, trunk: Kept) -> None:
    """Theirs is the first step; channels that ours has beyond theirs are for the steps after it."""
    head = katago.policy
    width, theirs = ours.point.out_channels, head.point.weight.shape[0]
    seen = _best(_pooled_effect(head.pooled, head.pooled_norm, head.to_bias), ours.pooled.out_channels)
    if width < theirs or len(head.to_pass) != 1:
        raise ConfigError(f"model.head_channels: at least {theirs}, to begin as {katago.name}")
    _folded(ours.pooled, head.pooled, head.pooled_norm, seen, trunk)
    with torch.no_grad():
        point, bias, told = ours.point.weight, ours.point.bias, ours.to_bias.weight
        assert bias is not None
        scale = head.mid.scale
        _put(point[:theirs], (head.point.weight * scale[:, None, None, None])[:, trunk])
        _put(bias[:theirs], head.mid.bias)
        _put(told[:theirs], (_pooled_rows(head.to_bias.weight, seen) * scale).T)
        nn.init.zeros_(told[theirs:])
        ours.policy.weight[:1] = 0
        _put(ours.policy.weight[:1, :theirs], head.last.weight[:1])
        ours.to_pass.weight.zero_()
        _put(ours.to_pass.weight[:1], _pooled_rows(head.to_pass[0].weight, seen)[:, :1].T)


def _value_head(ours: Residual, katago: Network, trunk: Kept) -> None:
    head = katago.value
    owned = _best(_pooled_effect(head.first, head.norm, head.hidden), ours.value_first.out_channels)
    hidden = _best(_norms(head.value.weight, 0), ours.hidden.out_features)
    assert head.hidden.bias is not None and head.value.bias is not None and head.score.bias is not None
    _folded(ours.value_first, head.first, head.norm, owned, trunk)
    _put(ours.hidden.weight, _pooled_rows(head.hidden.weight, owned)[:, hidden].T)
    _put(ours.hidden.bias, head.hidden.bias[hidden])
    _put(ours.value.weight, head.value.weight[hidden].T)
    _put(ours.value.bias, head.value.bias)
    unit = katago.lead_multiplier / POINTS_PER_UNIT
    _put(ours.score.weight, head.score.weight[hidden, LEAD : LEAD + 1].T * unit)
    _put(ours.score.bias, head.score.bias[LEAD : LEAD + 1] * unit)
    _put(ours.ownership.weight, head.ownership.weight[:, owned])


# layers -----------------------------------------------------------------------------------------


def _put(ours: Tensor, theirs: Floats) -> None:
    with torch.no_grad():
        ours.copy_(torch.from_numpy(np.ascontiguousarray(theirs, dtype=np.float32)))


def _affine(ours: Affine, theirs: Norm, kept: Kept) -> None:
    _put(ours.scale[0, :, 0, 0], theirs.scale[kept])
    _put(ours.bias[0, :, 0, 0], theirs.bias[kept])


def _folded(ours: nn.Conv2d, theirs: Conv, norm: Norm, outputs: Kept, inputs: Kept) -> None:
    """A convolution and the normalisation after it, as one convolution with a bias."""
    assert ours.bias is not None
    _put(ours.weight, (theirs.weight * norm.scale[:, None, None, None])[outputs][:, inputs])
    _put(ours.bias, norm.bias[outputs])


def _pooled_rows(weight: Floats, kept: Kept) -> Floats:
    """The rows of a matrix [3 × channels, out] that read the kept channels."""
    return weight.reshape(3, -1, weight.shape[1])[:, kept].reshape(-1, weight.shape[1])


# which channels matter --------------------------------------------------------------------------


def _best(effect: Floats, count: int) -> Kept:
    """The `count` channels of greatest effect, in their old order."""
    if count > len(effect):
        raise ConfigError(f"init.katago: it has {len(effect)} channels where the configuration has {count}")
    return np.sort(np.argsort(-effect, kind="stable")[:count])


def _norms(weight: Floats, axis: int) -> Floats:
    """Lengths of the slices of a weight along an axis that is kept."""
    moved = np.moveaxis(weight, axis, 0)
    return np.asarray(np.linalg.norm(moved.reshape(len(moved), -1), axis=1), dtype=np.float32)


def _through(first: Conv, norm: Norm, last: Conv) -> Floats:
    """How much goes through each channel between two convolutions."""
    return np.asarray(_norms(first.weight, 0) * np.abs(norm.scale) * _norms(last.weight, 1))


def _pooled_effect(pooled: Conv, norm: Norm, reader: Dense) -> Floats:
    rows = reader.weight.reshape(3, pooled.weight.shape[0], -1).transpose(1, 0, 2)
    return np.asarray(_norms(pooled.weight, 0) * np.abs(norm.scale) * _norms(rows, 0))


def _trunk_effect(katago: Network) -> Floats:
    """How much the layers that read the trunk rely on each of its channels."""
    effect = np.zeros(katago.channels, np.float32)
    for block in katago.blocks:
        assert isinstance(block, ResidualBlock | KataGoPoolingBlock)
        effect += np.abs(block.pre.scale) * _norms(block.first.weight, 1)
        effect += _norms(block.last.weight, 0)
    for reader in (katago.policy.point, katago.value.first):
        effect += np.abs(katago.tip.scale) * _norms(reader.weight, 1)
    return effect
