"""A trained network as ONNX: in floats, or with the convolutions of its trunk in bytes.

    export(network, config, Path("net.onnx"), Labels…)          checked against torch on every board size
    quantise(Path("net.onnx"), Path("net-int8.onnx"), batches)  measured on real positions

In bytes, inputs of the trunk's convolutions are rounded to 256 steps, between limits that are measured on
positions of games; the sums that run through the network stay floats, and so do the heads. On processors
with instructions for it (VNNI) that is three to four times as fast. What it costs, `evaluate` says.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from miai.nets.metadata import Labels
from miai.nets.planes import plane_set
from miai.train import checkpoint
from miai.train.config import DataConfig, ModelConfig
from miai.train.fold import folded
from miai.train.games import Batch, Sampler, load_corpus
from miai.train.models import build, heads

OPSET = 17
TOLERANCE = 1e-3  # ONNX against torch, of the greatest output; both add up in 32 bits, in another order
SIZES = ((19, 19), (13, 13), (9, 9), (7, 7), (9, 13))  # that the export is checked on
SMALLEST, LARGEST = 7, 19
POLICY_HEAD = ("/point/", "/pooled/")  # modules of `models.Residual`, as the exporter names them
Floats = npt.NDArray[np.float32]


class ExportError(Exception):
    """A network that does not come out as it went in."""


class _Tuple(nn.Module):
    """The same network with its answers in order."""

    def __init__(self, network: nn.Module, names: Sequence[str]) -> None:
        super().__init__()
        self.network, self.names = network, names

    def forward(self, spatial: Tensor, scalars: Tensor) -> tuple[Tensor, ...]:
        outputs = self.network(spatial, scalars)
        return tuple(outputs[name] for name in self.names)


def labels_of(config: ModelConfig, name: str, source: str = "") -> Labels:
    """What a network says about itself."""
    planes = plane_set(config.planes)
    return Labels(
        name=name,
        planes=planes.name,
        planes_version=planes.version,
        steps=config.steps,
        heads=heads(config),
        source=source,
        smallest=SMALLEST,
        largest=LARGEST,
    )


def export(network: nn.Module, config: ModelConfig, path: Path, labels: Labels) -> float:
    """Write a network as ONNX, with dynamic batch and board. Returns its greatest difference from torch."""
    names = heads(config)
    planes = plane_set(config.planes)
    has_scalars = bool(planes.scalars)
    inputs = _random(config, 19, 19)
    dynamic: dict[str, dict[int, str]] = {
        "spatial": {0: "n", 2: "height", 3: "width"},
        "policy": {0: "n", 2: "moves"},
        "value": {0: "n"},
        "score": {0: "n"},
        "ownership": {0: "n", 2: "height", 3: "width"},
        "scalars": {0: "n"},
    }
    given = ["spatial", "scalars"] if has_scalars else ["spatial"]
    whole = _Tuple(network.eval().to(memory_format=torch.contiguous_format), names)  # type: ignore[call-overload]
    wrapped = _Tuple(folded(network).eval(), names)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about an exporter that is to replace this one some day
            torch.onnx.export(
                wrapped,
                inputs,
                str(path),
                input_names=["spatial", "scalars"],
                output_names=list(names),
                dynamic_axes={key: dynamic[key] for key in [*given, *names]},
                opset_version=OPSET,
                dynamo=False,
            )
        write_labels(path, labels)
    except OSError as error:
        raise ExportError(f"{path}: cannot be written: {(error.strerror or str(error)).lower()}") from error
    difference = compare(path, whole, config)
    if not difference < TOLERANCE:
        raise ExportError(f"{path}: the exported network differs from torch by {difference:.2g}")
    return difference


def compare(path: Path, wrapped: nn.Module, config: ModelConfig) -> float:
    """The greatest difference of any output, relative to the greatest output, over several board sizes."""
    session = open_session(path)
    wanted = [given.name for given in session.get_inputs()]
    worst = 0.0
    for height, width in SIZES:
        spatial, scalars = _random(config, height, width)
        with torch.inference_mode():
            ours = wrapped(spatial, scalars)
        feed = {"spatial": spatial.numpy(), "scalars": scalars.numpy()}
        theirs = session.run(None, {name: feed[name] for name in wanted})
        for a, b in zip(ours, theirs, strict=True):
            size = max(1.0, float(a.abs().max()))
            worst = max(worst, float(np.abs(a.numpy() - b).max()) / size)
    return worst


def _random(config: ModelConfig, height: int, width: int) -> tuple[Tensor, Tensor]:
    planes = plane_set(config.planes)
    random = torch.Generator().manual_seed(height * 100 + width)
    spatial = (torch.rand(2, len(planes.spatial), height, width, generator=random) < 0.2).float()
    return spatial, torch.rand(2, len(planes.scalars), generator=random)


def write_labels(path: Path, labels: Labels) -> None:
    """Put the labels into an ONNX file."""
    import onnx

    model = onnx.load(str(path))
    onnx.helper.set_model_props(model, labels.to_props())
    onnx.save(model, str(path))


# bytes ------------------------------------------------------------------------------------------


def quantise(source: Path, out: Path, batches: Sequence[Batch], *, method: str = "MinMax") -> None:
    """Write the network with the convolutions of its trunk in bytes, by the ranges seen in `batches`."""
    import onnx
    from onnxruntime import quantization
    from onnxruntime.quantization.shape_inference import quant_pre_process

    model = onnx.load(str(source))
    props = {prop.key: prop.value for prop in model.metadata_props}
    inputs = [given.name for given in model.graph.input]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tidy = Path(folder) / "tidy.onnx"
        quant_pre_process(str(source), str(tidy), skip_symbolic_shape=True)
        trunk = trunk_nodes(onnx.load(str(tidy)))
        if not trunk:
            raise ExportError(f"{source}: there is no convolution in it to write in bytes")
        quantization.quantize_static(
            str(tidy),
            str(out),
            _Reader(batches, inputs),
            quant_format=quantization.QuantFormat.QDQ,
            activation_type=quantization.QuantType.QUInt8,
            weight_type=quantization.QuantType.QInt8,
            per_channel=True,
            nodes_to_quantize=trunk,
            calibrate_method=quantization.CalibrationMethod[method],
        )
    model = onnx.load(str(out))
    onnx.helper.set_model_props(model, props)
    onnx.save(model, str(out))


def trunk_nodes(model: Any) -> list[str]:
    """What is computed in bytes: convolutions where the work is done, and what cuts their answers at 0.

    Those are the convolutions with a window of more than a point, and the first of the policy head. That of
    the value head is not among them: ownership is read off it without a step between, and shows every error.
    """
    sizes: dict[str, Sequence[int]] = {weight.name: weight.dims for weight in model.graph.initializer}
    found, made = [], set()
    for node in model.graph.node:
        shape: Sequence[int] = sizes.get(node.input[1], ()) if node.op_type == "Conv" else ()
        wide = len(shape) == 4 and (shape[2] > 1 or any(name in node.name for name in POLICY_HEAD))
        if wide or (node.op_type == "Relu" and node.input[0] in made):
            found.append(node.name)
        if wide:
            made.add(node.output[0])
    return found


class _Reader:
    """Real positions, for the library to run the network on. A CalibrationDataReader by its methods."""

    def __init__(self, batches: Sequence[Batch], inputs: Sequence[str]) -> None:
        self.batches, self.inputs = batches, inputs
        self.rest: Iterator[Batch] = iter(batches)

    def get_next(self) -> dict[str, Floats] | None:
        batch = next(self.rest, None)
        if batch is None:
            return None
        feed = {"spatial": batch.spatial, "scalars": batch.scalars}
        return {name: feed[name] for name in self.inputs}

    def rewind(self) -> None:
        self.rest = iter(self.batches)

    def set_range(self, start_index: int, end_index: int) -> None:
        self.rest = iter(self.batches[start_index:end_index])

    def __len__(self) -> int:
        return len(self.batches)


def open_session(path: Path) -> Any:
    """A network as ONNX Runtime sees it, to compare with torch."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


# from a checkpoint ------------------------------------------------------------------------------

CALIBRATION_BATCHES, CALIBRATION_BATCH = 24, 16


def export_checkpoint(path: Path, out: Path, *, name: str, games: str | None = None, source: str = "") -> str:
    """Write the averaged weights of a checkpoint as ONNX; in bytes if there are games to measure ranges on.

    Returns what was done, in words.
    """
    found = checkpoint.load(path)
    model = found.config.model
    network = build(model)
    checkpoint.fill(network, found.part("average"))
    labels = labels_of(model, name, source or origin(found))
    if games is None:
        difference = export(network, model, out, labels)
        return f"{out}: {out.stat().st_size:,} bytes, differs from torch by {difference:.1g} at most"
    corpus = load_corpus([games], limit=2000)
    sampler = Sampler(
        corpus,
        DataConfig(games=(games,)),
        planes=plane_set(model.planes),
        steps=model.steps,
        batch=CALIBRATION_BATCH,
    )
    batches = [sampler.batch(number) for number in range(CALIBRATION_BATCHES)]
    with tempfile.TemporaryDirectory() as folder:
        floats = Path(folder) / "floats.onnx"
        difference = export(network, model, floats, labels)
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            quantise(floats, out, batches)
        except OSError as error:
            raise ExportError(
                f"{out}: cannot be written: {(error.strerror or str(error)).lower()}"
            ) from error
        agree = agreement(floats, out, batches[:4])
    return (
        f"{out}: {out.stat().st_size:,} bytes, trunk in bytes; in floats it differs from torch by "
        f"{difference:.1g} at most; in bytes it prefers the same move in {100 * agree:.1f} % of positions"
    )


def origin(found: checkpoint.Checkpoint) -> str:
    """Where a network comes from, in words."""
    begun = found.config.init.katago or found.config.init.checkpoint
    before = f"begun from {Path(begun).name}, then " if begun else ""
    return f"{before}trained on {found.progress.positions:,} positions ({found.config.name}.toml)"


def agreement(first: Path, second: Path, batches: Sequence[Batch]) -> float:
    """In what share of positions two networks prefer the same move."""
    same = [a == b for a, b in zip(_best(first, batches), _best(second, batches), strict=True)]
    return sum(same) / max(len(same), 1)


def _best(path: Path, batches: Sequence[Batch]) -> list[int]:
    session = open_session(path)
    inputs = [given.name for given in session.get_inputs()]
    found: list[int] = []
    for batch in batches:
        feed = {"spatial": batch.spatial, "scalars": batch.scalars}
        policy = session.run(["policy"], {name: feed[name] for name in inputs})[0]
        found += policy[:, 0].argmax(1).tolist()
    return found
