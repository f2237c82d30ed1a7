"""Reads KataGo's network files, `.bin.gz` and `.txt.gz` (or unpacked), versions 8 to 17.

A file is a stream of words: names, sizes, and then the weights of each layer, as text or, after the
word `@BIN@`, as 32-bit floats. It has no index and no checksum, so whatever does not fit what came
before is taken for damage. The order of the layers is that of `cpp/neuralnet/desc.cpp` in KataGo 1.17.

Kinds that are not read yet get a sentence that says so: transformer blocks, networks normalised by
RMS, and networks that want to know about the players ("human SL").
"""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Protocol

import numpy as np

from miai.nets.katago.layers import (
    Activation,
    Block,
    BottleneckBlock,
    Conv,
    Dense,
    Floats,
    Network,
    Norm,
    PolicyHead,
    PoolingBlock,
    ResidualBlock,
    ValueHead,
)

OLDEST, NEWEST = 8, 17
PLANES, SCALARS = 22, 19  # of inputs version 7, which all these versions read
SUFFIXES = (".bin.gz", ".txt.gz", ".bin", ".txt")
LONGEST_WORD = 1000
DEEPEST = 4  # blocks within blocks; KataGo's own have one level


class KataGoError(ValueError):
    """A file that is not a KataGo network that this program can read."""


def read(path: Path) -> Network:
    """The network in a file. KataGoError, one sentence, for one that is damaged, foreign or not read yet."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise KataGoError((error.strerror or str(error)).lower()) from error
    return parse(data)


def parse(data: bytes) -> Network:
    """The network in the bytes of a file, packed or not."""
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise KataGoError("the file is cut off or damaged") from error
    words: _Words = _BinaryWords(data) if b"@BIN@" in data[: 1 << 16] else _TextWords(data)
    return _Parser(words).network()


# words ------------------------------------------------------------------------------------------


class _Words(Protocol):
    """Where the next word and the next weights come from."""

    def word(self) -> str: ...

    def floats(self, count: int) -> Floats: ...


CUT_OFF = "the file is cut off or damaged"


class _BinaryWords:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def word(self) -> str:
        data, start = self.data, self.at
        while data[start : start + 1].isspace():
            start += 1
        end = start
        while end < len(data) and end - start < LONGEST_WORD and not data[end : end + 1].isspace():
            end += 1
        if end >= len(data):  # after every word there is more
            raise KataGoError(CUT_OFF)
        self.at = end
        return _text(data[start:end])

    def floats(self, count: int) -> Floats:
        start = self.data.find(b"@BIN@", self.at, self.at + 100) + 5
        end = start + 4 * count
        if start < 5 or end > len(self.data):
            raise KataGoError(CUT_OFF)
        self.at = end
        return np.frombuffer(self.data, "<f4", count, start).astype(np.float32)


class _TextWords:
    def __init__(self, data: bytes) -> None:
        letters = np.frombuffer(data, np.uint8) > ord(" ")
        edges = np.flatnonzero(np.diff(letters, prepend=False, append=False))
        self.data, self.starts, self.ends, self.at = data, edges[0::2], edges[1::2], 0

    def word(self) -> str:
        if self.at >= len(self.starts) - 1:
            raise KataGoError(CUT_OFF)
        start, end = self.starts[self.at], self.ends[self.at]
        self.at += 1
        return _text(self.data[start : min(end, start + LONGEST_WORD)])

    def floats(self, count: int) -> Floats:
        if self.at + count > len(self.starts):
            raise KataGoError(CUT_OFF)
        text = self.data[self.starts[self.at] : self.ends[self.at + count - 1]]
        self.at += count
        try:
            with np.errstate(over="ignore"):  # too large becomes infinite, which is noticed
                return np.array(text.split(), dtype=np.float32)
        except ValueError as error:
            raise KataGoError(CUT_OFF) from error


def _text(word: bytes) -> str:
    try:
        return word.decode("ascii")
    except UnicodeDecodeError as error:
        raise KataGoError("it is no KataGo network") from error


# layers -----------------------------------------------------------------------------------------


class _Parser:
    """Layers in the order of the file."""

    def __init__(self, words: _Words) -> None:
        self.words = words
        self.version = 0

    def integer(self, least: int = 1, most: int = 1 << 20) -> int:
        word = self.words.word()
        try:
            number = int(word)
        except ValueError as error:
            raise KataGoError(CUT_OFF) from error
        if not least <= number <= most:
            raise KataGoError(CUT_OFF)
        return number

    def positive(self) -> float:
        try:
            number = float(self.words.word())
        except ValueError as error:
            raise KataGoError(CUT_OFF) from error
        if not 0 < number < float("inf"):
            raise KataGoError(CUT_OFF)
        return number

    def options(self, count: int) -> None:
        """Places kept for later versions, which must be 0."""
        for _ in range(count):
            if self.integer(least=0) != 0:
                raise KataGoError("it uses an option of a newer KataGo, which is not read yet")

    def floats(self, *shape: int) -> Floats:
        array = self.words.floats(int(np.prod(shape, dtype=np.int64))).reshape(shape)
        if not np.isfinite(array).all():
            raise KataGoError("the file is damaged: a weight is not a number")
        return array

    def conv(self, inputs: int | None = None, outputs: int | None = None) -> Conv:
        name = self.words.word()
        height, width, found_inputs, found_outputs = (self.integer() for _ in range(4))
        dilation = self.integer(), self.integer()
        _same(name, inputs, found_inputs)
        _same(name, outputs, found_outputs)
        if height % 2 == 0 or width % 2 == 0 or max(height, width) > 99:
            raise KataGoError(CUT_OFF)
        weight = self.floats(height, width, found_inputs, found_outputs)
        return Conv(name, np.ascontiguousarray(weight.transpose(3, 2, 0, 1)), dilation)

    def norm(self, channels: int) -> Norm:
        name = self.words.word()
        _same(name, channels, self.integer())
        epsilon = self.positive()
        has_scale, has_bias = self.integer(0, 1), self.integer(0, 1)
        mean, variance = self.floats(channels), self.floats(channels)
        scale = self.floats(channels) if has_scale else np.ones(channels, np.float32)
        bias = self.floats(channels) if has_bias else np.zeros(channels, np.float32)
        if (variance + epsilon <= 0).any():
            raise KataGoError(CUT_OFF)
        slope = scale / np.sqrt(variance + np.float32(epsilon))
        return Norm(name, slope, bias - slope * mean, self.activation())

    def activation(self) -> Activation:
        self.words.word()  # its name
        if self.version < 11:
            return Activation.RELU
        kind = self.words.word()
        try:
            return Activation(kind)
        except ValueError as error:
            if kind.startswith("ACTIVATION_"):
                raise KataGoError(f"it uses {kind}, which is not read yet") from error
            raise KataGoError(CUT_OFF) from error

    def matrix(self, inputs: int | None = None, outputs: int | None = None) -> tuple[str, Floats]:
        name = self.words.word()
        found_inputs, found_outputs = self.integer(), self.integer()
        _same(name, inputs, found_inputs)
        _same(name, outputs, found_outputs)
        return name, self.floats(found_inputs, found_outputs)

    def bias(self, channels: int) -> Floats:
        name = self.words.word()
        _same(name, channels, self.integer())
        return self.floats(channels)

    # blocks -------------------------------------------------------------------------------------

    def blocks(self, count: int, channels: int, depth: int = 0) -> tuple[Block, ...]:
        return tuple(self.block(channels, depth) for _ in range(count))

    def block(self, channels: int, depth: int) -> Block:
        kind = self.words.word()
        match kind:
            case "ordinary_block":
                return self.residual_block(channels)
            case "gpool_block":
                return self.pooling_block(channels)
            case "nested_bottleneck_block" if depth < DEEPEST:
                return self.bottleneck_block(channels, depth)
            case "transformer_attention_block" | "transformer_ffn_block":
                raise KataGoError("it is a transformer, a kind of network that is not read yet")
        if kind.endswith("_block"):
            raise KataGoError(f"it has a {kind}, a kind that is not read yet")
        raise KataGoError(CUT_OFF)

    def residual_block(self, channels: int) -> ResidualBlock:
        name = self.words.word()
        pre = self.norm(channels)
        first = self.conv(channels)
        mid = self.norm(_outputs(first))
        return ResidualBlock(name, pre, first, mid, self.conv(_outputs(first), channels))

    def pooling_block(self, channels: int) -> PoolingBlock:
        name = self.words.word()
        pre = self.norm(channels)
        first, pooled = self.conv(channels), self.conv(channels)
        pooled_norm = self.norm(_outputs(pooled))
        to_bias = Dense(*self.matrix(3 * _outputs(pooled), _outputs(first)))
        mid = self.norm(_outputs(first))
        last = self.conv(_outputs(first), channels)
        return PoolingBlock(name, pre, first, pooled, pooled_norm, to_bias, mid, last)

    def bottleneck_block(self, channels: int, depth: int) -> BottleneckBlock:
        name = self.words.word()
        count = self.integer(most=1000)
        pre = self.norm(channels)
        down = self.conv(channels)
        blocks = self.blocks(count, _outputs(down), depth + 1)
        post = self.norm(_outputs(down))
        return BottleneckBlock(name, pre, down, blocks, post, self.conv(_outputs(down), channels))

    # heads and the whole --------------------------------------------------------------------------

    def policy_head(self, channels: int) -> PolicyHead:
        self.words.word()
        maps = {8: 1, 9: 1, 10: 1, 11: 1, 16: 4}.get(self.version, 2)
        if self.version >= 17:
            maps = self.integer(most=100)
            self.options(3)
        point, pooled = self.conv(channels), self.conv(channels)
        pooled_norm = self.norm(_outputs(pooled))
        seen = 3 * _outputs(pooled)
        to_bias = Dense(*self.matrix(seen, _outputs(point)))
        mid = self.norm(_outputs(point))
        last = self.conv(_outputs(point), maps)
        to_pass: tuple[Dense, ...]
        if self.version >= 15:
            name, weight = self.matrix(seen)
            hidden = weight.shape[1]
            first = Dense(name, weight, self.bias(hidden), self.activation())
            to_pass = first, Dense(*self.matrix(hidden, maps))
        else:
            to_pass = (Dense(*self.matrix(seen, maps)),)
        return PolicyHead(point, pooled, pooled_norm, to_bias, mid, last, to_pass)

    def value_head(self, channels: int) -> ValueHead:
        self.words.word()
        if self.version >= 17:
            self.options(3)
        first = self.conv(channels)
        norm = self.norm(_outputs(first))
        name, weight = self.matrix(3 * _outputs(first))
        width = weight.shape[1]
        hidden = Dense(name, weight, self.bias(width), self.activation())
        name, weight = self.matrix(width, 3)
        value = Dense(name, weight, self.bias(3))
        scores = 6 if self.version >= 9 else 4
        name, weight = self.matrix(width, scores)
        score = Dense(name, weight, self.bias(scores))
        return ValueHead(first, norm, hidden, value, score, self.conv(_outputs(first), 1))

    def network(self) -> Network:
        try:
            name = self.words.word()
            self.version = self.integer(least=0, most=10_000)
        except KataGoError as error:
            raise KataGoError("it is no KataGo network") from error
        if not name or not OLDEST <= self.version <= NEWEST:
            raise KataGoError(
                f"it is a KataGo network of version {self.version}; versions {OLDEST} to {NEWEST} are read"
            )
        planes, scalars = self.integer(), self.integer()
        if (planes, scalars) != (PLANES, SCALARS):
            raise KataGoError(
                f"it reads {planes} planes and {scalars} numbers, "
                f"where KataGo's networks of version {self.version} read {PLANES} and {SCALARS}"
            )
        lead_multiplier = 20.0
        if self.version >= 13:
            lead_multiplier = [self.positive() for _ in range(7)][3]  # after three for other scores
        if self.version >= 15:
            if self.integer(least=0) != 0:
                raise KataGoError("it wants to know about the players (human SL), which is not read yet")
            if self.integer(0, 1) == 1:
                raise KataGoError("it takes suicide as legal in its planes, which is not read yet")
            self.options(6)

        self.words.word()  # the name of the trunk
        count, channels = self.integer(most=10_000), self.integer()
        for _ in range(4):
            self.integer(least=0)  # widths that the blocks tell again
        if self.version >= 15:
            if self.integer(least=0) != 0:
                raise KataGoError(
                    "it is normalised by RMS, as transformers are, a kind of network that is not read yet"
                )
            self.options(5)
        first = self.conv(planes, channels)
        from_scalars = Dense(*self.matrix(scalars, channels))
        blocks = self.blocks(count, channels)
        tip = self.norm(channels)
        return Network(
            name=name,
            version=self.version,
            planes=planes,
            scalars=scalars,
            channels=channels,
            first=first,
            from_scalars=from_scalars,
            blocks=blocks,
            tip=tip,
            policy=self.policy_head(channels),
            value=self.value_head(channels),
            lead_multiplier=lead_multiplier,
        )


def _outputs(conv: Conv) -> int:
    return int(conv.weight.shape[0])


def _same(name: str, wanted: int | None, found: int) -> None:
    if wanted is not None and wanted != found:
        raise KataGoError(f"the file is damaged: layer {name[:60]} has {found} channels, not {wanted}")


__all__ = ["KataGoError", "parse", "read"]
