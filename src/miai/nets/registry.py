"""Which networks there are: those that ship, with their cards, and files that a user names.

A shipped network is `weights/NAME.onnx` with its card beside it, `weights/NAME.md`: a title, a first
paragraph that says what it is, and then data, hours, accuracy and how to make it again. What the file
itself knows (planes, heads, size) is read from its labels. `find` turns what a user wrote into a file,
and `runtime.load` runs it. Nothing here needs ONNX Runtime.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from miai.nets.metadata import BadLabels, Labels
from miai.nets.onnx_writer import NotOnnx, read_metadata

WEIGHTS = Path(__file__).parent / "weights"
DEFAULT = "default"
KATAGO_SUFFIXES = (".bin.gz", ".txt.gz", ".bin", ".txt", ".gz")

Model = Path | bytes  # an ONNX file, or what would be in it


class NetworkError(ValueError):
    """A network that cannot be used, in one sentence that begins with its name."""


@dataclass(frozen=True)
class Card:
    """What is known of a network."""

    name: str
    labels: Labels
    text: str  # of the card, Markdown; empty if there is none
    bytes: int

    @property
    def summary(self) -> str:
        """The first paragraph of the card, in one line."""
        paragraphs = [part for part in self.text.split("\n\n") if part.strip() and not part.startswith("#")]
        return " ".join(paragraphs[0].split()) if paragraphs else self.labels.source

    def describe(self) -> str:
        """What `miai nets show` prints: what the file says about itself, then the card."""
        labels = self.labels
        steps = f"the next {labels.steps} moves" if labels.steps > 1 else "the next move"
        facts = [
            f"{self.name}: {labels.source}".removesuffix(": "),
            f"Reads the planes {labels.planes}, version {labels.planes_version}, "
            f"of boards from {labels.smallest} to {labels.largest} lines.",
            f"Gives {', '.join(labels.heads)}; predicts {steps}. {self.bytes / 1e6:.1f} MB.",
        ]
        return "\n".join(facts) + (f"\n\n{self.text.strip()}" if self.text else "")

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "summary": self.summary,
            "planes": self.labels.planes,
            "planes_version": self.labels.planes_version,
            "steps": self.labels.steps,
            "heads": list(self.labels.heads),
            "boards": [self.labels.smallest, self.labels.largest],
            "bytes": self.bytes,
            "card": self.text,
        }


def shipped(folder: Path | None = None) -> list[str]:
    """The names of the networks that came with the program."""
    return sorted(path.stem for path in (folder or WEIGHTS).glob("*.onnx"))


def card(name: str, folder: Path | None = None) -> Card:
    """What is known of a shipped network."""
    if name not in shipped(folder):
        raise unknown(name, folder)
    path = (folder or WEIGHTS) / f"{name}.onnx"
    beside = path.with_suffix(".md")
    text = beside.read_text(encoding="utf-8") if beside.is_file() else ""
    return Card(name, read_labels(path), text, path.stat().st_size)


def card_of_file(name: str | Path) -> Card:
    """What a file says about itself: an .onnx, or one of KataGo's."""
    model = find(name)
    size = len(model) if isinstance(model, bytes) else model.stat().st_size
    return Card(str(name), read_labels(model), "", size)


def unknown(name: str, folder: Path | None = None) -> NetworkError:
    names = shipped(folder)
    known = f"there is {', '.join(names)}" if names else "none came with this copy"
    return NetworkError(f"{name}: no network has this name ({known}), and there is no such file")


def read_labels(model: Model) -> Labels:
    """What an ONNX model says about itself."""
    path = "the network" if isinstance(model, bytes) else model
    try:
        return Labels.from_props(read_metadata(model))
    except (NotOnnx, BadLabels) as error:
        raise NetworkError(f"{path}: {error}") from error
    except OSError as error:
        raise NetworkError(f"{path}: {(error.strerror or str(error)).lower()}") from error


def find(name: str | Path) -> Model:
    """The ONNX model of a shipped network or of a file: `.onnx` as it is, KataGo's `.bin.gz` converted."""
    text = str(name)
    if text in shipped():
        return WEIGHTS / f"{text}.onnx"
    path = Path(name)
    if not text:
        raise NetworkError("the name of the network is empty: `miai nets` lists those there are")
    if path.is_dir():
        raise NetworkError(f"{text}: is a folder, not a network")
    if not path.is_file():
        raise unknown(text)
    if text.lower().endswith(".onnx"):
        return path
    if text.lower().endswith(KATAGO_SUFFIXES):
        return converted(path)
    raise NetworkError(f"{text}: a network is an .onnx file or one of KataGo's, .bin.gz or .txt.gz")


# KataGo files, converted once ---------------------------------------------------------------------


def converted(path: Path) -> Model:
    """The ONNX model made of a KataGo network: from the cache, by what the file contains, or made now."""
    from miai.nets.katago.onnx import CONVERTER, to_onnx
    from miai.nets.katago.read import KataGoError, parse

    try:
        data = path.read_bytes()
    except OSError as error:
        raise NetworkError(f"{path}: {(error.strerror or str(error)).lower()}") from error
    folder = cache_folder() / "networks"
    target = folder / f"{hashlib.sha256(data).hexdigest()[:32]}-{CONVERTER}.onnx"
    if target.is_file():
        return target
    try:
        model = to_onnx(parse(data))
    except KataGoError as error:
        raise NetworkError(f"{path}: {error}") from error
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(dir=folder, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(model)
            os.replace(scratch, target)  # whole, or not at all
        except BaseException:
            Path(scratch).unlink(missing_ok=True)
            raise
    except OSError:
        return model  # no place to keep it: convert again next time
    return target


def cache_folder() -> Path:
    """Where what can be made again is kept: `$MIAI_CACHE`, else the system's folder for such things."""
    if own := os.environ.get("MIAI_CACHE"):
        return Path(own)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "miai"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "miai"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "miai"
