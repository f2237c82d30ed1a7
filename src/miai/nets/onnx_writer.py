"""ONNX files written, and their labels read, with nothing but the standard library and NumPy.

The `onnx` package belongs to training; whoever only runs the program must still be able to turn a
KataGo network into ONNX. A `Graph` collects nodes and weights and becomes the bytes of a model:

    graph = Graph("tiny")
    x = graph.input("x", ["n", 3])
    y = graph.node("MatMul", x, graph.weight("w", np.eye(3, dtype=np.float32)))
    graph.output(y, "y", ["n", 3])
    Path("tiny.onnx").write_bytes(graph.model())

ONNX is a protocol buffer: fields of (number, kind, value), one after the other. The numbers below are
those of onnx.proto3. `read_metadata` gets the labels of a model without loading it, and notices a file
that is cut off or is no model at all. `katago.onnx` is the main user.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

IR_VERSION = 8
OPSET = 17

Attribute = int | float | str | Sequence[int] | Sequence[float]

_TENSOR_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "bool": 9, "float16": 10}
_FLOAT, _INT, _STRING, _FLOATS, _INTS = 1, 2, 3, 6, 7  # AttributeProto.AttributeType
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # how a field is stored


class NotOnnx(ValueError):
    """Bytes that are not a whole ONNX model."""


# fields -----------------------------------------------------------------------------------------


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # negative numbers are written as 64 bits
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3 | _VARINT) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | _BYTES) + _varint(len(data)) + data


def _float(field: int, value: float) -> bytes:
    return _varint(field << 3 | _FIXED32) + struct.pack("<f", value)


# messages ---------------------------------------------------------------------------------------


def _tensor(name: str, array: npt.NDArray[np.generic]) -> bytes:
    kind = _TENSOR_TYPES[array.dtype.name]
    data = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    dims = b"".join(_number(1, size) for size in array.shape)
    return dims + _number(2, kind) + _bytes(8, name) + _bytes(9, data)


def _attribute(name: str, value: Attribute) -> bytes:
    head = _bytes(1, name)
    match value:
        case int():
            return head + _number(3, value) + _number(20, _INT)
        case float():
            return head + _float(2, value) + _number(20, _FLOAT)
        case str():
            return head + _bytes(4, value) + _number(20, _STRING)
    if all(isinstance(item, int) for item in value):
        return head + b"".join(_number(8, int(item)) for item in value) + _number(20, _INTS)
    return head + b"".join(_float(7, item) for item in value) + _number(20, _FLOATS)


def _value(name: str, shape: Sequence[int | str], kind: str) -> bytes:
    """A named input or output; a size given as a word is free, and the same wherever the word is."""
    dims = b"".join(
        _bytes(1, _number(1, size) if isinstance(size, int) else _bytes(2, size)) for size in shape
    )
    tensor = _number(1, _TENSOR_TYPES[kind]) + _bytes(2, dims)
    return _bytes(1, name) + _bytes(2, _bytes(1, tensor))


class Graph:
    """A model under construction. Values are strings: their names in the graph."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._nodes: list[bytes] = []
        self._weights: list[bytes] = []
        self._inputs: list[bytes] = []
        self._outputs: list[bytes] = []
        self._taken: set[str] = set()

    def _fresh(self, wanted: str) -> str:
        name, again = wanted, 1
        while name in self._taken:
            again += 1
            name = f"{wanted}_{again}"
        self._taken.add(name)
        return name

    def input(self, name: str, shape: Sequence[int | str], kind: str = "float32") -> str:
        name = self._fresh(name)
        self._inputs.append(_value(name, shape, kind))
        return name

    def weight(self, name: str, array: npt.NDArray[np.generic]) -> str:
        """A constant of the model."""
        name = self._fresh(name)
        self._weights.append(_tensor(name, array))
        return name

    def node(self, kind: str, *inputs: str, name: str = "", **attributes: Attribute) -> str:
        """Apply an operator of ONNX, and get the name of its (first and only) result."""
        out = self._fresh(name or kind.lower())
        self._append(kind, inputs, out, attributes)
        return out

    def output(self, value: str, name: str, shape: Sequence[int | str], kind: str = "float32") -> None:
        """Declare a value as an output under a name of its own."""
        name = self._fresh(name)
        self._append("Identity", [value], name, {})
        self._outputs.append(_value(name, shape, kind))

    def _append(
        self, kind: str, inputs: Sequence[str], out: str, attributes: Mapping[str, Attribute]
    ) -> None:
        self._nodes.append(
            b"".join(_bytes(1, name) for name in inputs)
            + _bytes(2, out)
            + _bytes(3, out)
            + _bytes(4, kind)
            + b"".join(_bytes(5, _attribute(key, value)) for key, value in attributes.items())
        )

    def model(self, metadata: Mapping[str, str] | None = None) -> bytes:
        """The bytes of the model file, with `metadata` as its labels."""
        graph = (
            b"".join(_bytes(1, node) for node in self._nodes)
            + _bytes(2, self.name)
            + b"".join(_bytes(5, weight) for weight in self._weights)
            + b"".join(_bytes(11, value) for value in self._inputs)
            + b"".join(_bytes(12, value) for value in self._outputs)
        )
        labels = b"".join(
            _bytes(14, _bytes(1, key) + _bytes(2, value)) for key, value in (metadata or {}).items()
        )
        opset = _bytes(1, "") + _number(2, OPSET)
        return _number(1, IR_VERSION) + _bytes(2, "miai") + _bytes(7, graph) + _bytes(8, opset) + labels


# reading labels ---------------------------------------------------------------------------------


def read_metadata(model: Path | bytes) -> dict[str, str]:
    """The labels of a model file. Skips the graph unread; NotOnnx when the file is no whole model."""
    size = len(model) if isinstance(model, bytes) else model.stat().st_size
    labels: dict[str, str] = {}
    graph = False
    with io.BytesIO(model) if isinstance(model, bytes) else model.open("rb") as file:
        for field, data in _fields(file, size, wanted={14}):
            graph = graph or field == 7
            if field == 14 and data is not None:
                pair = {number: value.decode("utf-8", "replace") for number, value in _pairs(data)}
                labels[pair.get(1, "")] = pair.get(2, "")
    if not graph:
        raise NotOnnx("it is no ONNX model")
    return labels


def _pairs(data: bytes) -> Iterator[tuple[int, bytes]]:
    for field, value in _fields(io.BytesIO(data), len(data), wanted={1, 2}):
        if value is not None:
            yield field, value


def _fields(file: BinaryIO, size: int, wanted: set[int]) -> Iterator[tuple[int, bytes | None]]:
    """Each field of a message: its number, and its bytes if it is wanted and has some."""
    while file.tell() < size:
        key = _read_varint(file)
        field, kind = key >> 3, key & 7
        data = None
        match kind:
            case 0:
                _read_varint(file)
            case 1 | 5:
                file.seek(8 if kind == _FIXED64 else 4, 1)
            case 2:
                length = _read_varint(file)
                if file.tell() + length > size:
                    raise NotOnnx("it is cut off, or no ONNX model")
                if field in wanted:
                    data = file.read(length)
                else:
                    file.seek(length, 1)
            case _:
                raise NotOnnx("it is no ONNX model")
        if field == 0 or file.tell() > size:
            raise NotOnnx("it is no ONNX model")
        yield field, data


def _read_varint(file: BinaryIO) -> int:
    value, shift = 0, 0
    while shift < 70:
        byte = file.read(1)
        if not byte:
            raise NotOnnx("it is cut off, or no ONNX model")
        value |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return value
        shift += 7
    raise NotOnnx("it is no ONNX model")
