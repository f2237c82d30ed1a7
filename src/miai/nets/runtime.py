"""Runs networks: positions in, and what the network thinks of them out.

    network = load("default")                                # or a .onnx, or KataGo's .bin.gz
    records = records_from_games([game])
    said = network.evaluate(records, games=[0, 0], moves=[20, 60], symmetries=8)
    said.policy[0, 0].argmax(), said.winrate[0], said.lead[0], said.ownership[0]

Every network has the inputs and outputs that `metadata` describes, so there is one path for ours and for
KataGo's. Positions of one call are on boards of one size; `evaluate` cuts them into batches, turns boards
for the average over symmetries, and masks illegal moves. Everything in an `Evaluation` is from Black's
side. `registry` knows which networks there are; `predict` is what a person sees of this.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from miai.go.board import Board
from miai.go.coords import WHITE
from miai.go.game import Game
from miai.nets import registry
from miai.nets.metadata import HEADS, Labels
from miai.nets.planes import (
    PlaneSet,
    Records,
    UnknownPlaneSet,
    encode_batch,
    inverse,
    permute,
    plane_set,
    records_from_board,
    records_from_games,
)
from miai.nets.positions import board_at, can_have_no_result, legal_mask
from miai.nets.registry import DEFAULT, NetworkError

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.integer] | Sequence[int]

BATCH = 16  # positions at a time: more gains nothing on processors, and waits longer
WIN, LOSS, NO_RESULT = 0, 1, 2  # columns of `Evaluation.value`, for Black
ONE_SIZE = "the positions of one call must be on boards of one size"

# What is tried for provider="auto", best first.
_PROVIDERS = {
    "cuda": "CUDAExecutionProvider",
    "rocm": "ROCMExecutionProvider",
    "directml": "DmlExecutionProvider",
    "coreml": "CoreMLExecutionProvider",
    "openvino": "OpenVINOExecutionProvider",
    "cpu": "CPUExecutionProvider",
}


@dataclass(frozen=True)
class Evaluation:
    """What a network says of n positions, all from Black's side. Heads that it does not have are None."""

    width: int
    height: int
    to_move: npt.NDArray[np.int8]  # [n]
    policy: Floats  # [n, step, height * width + 1] probabilities, pass last; step 0 has legal moves only
    value: Floats | None  # [n, 3] probabilities: Black wins, White wins, no result
    lead: Floats | None  # [n] points that Black is ahead
    ownership: Floats | None  # [n, height, width] 1 Black … -1 White

    def __len__(self) -> int:
        return len(self.policy)

    @property
    def winrate(self) -> Floats | None:
        """[n] how likely Black wins; a game without result counts half."""
        return None if self.value is None else self.value[:, WIN] + np.float32(0.5) * self.value[:, NO_RESULT]


class Network:
    """A network ready to run. Get one from `load`; it may be shared between threads."""

    def __init__(self, name: str, session: Any, labels: Labels, planes: PlaneSet) -> None:
        self.name = name
        self.labels = labels
        self.planes = planes
        self.steps = labels.steps
        self._session = session
        self._outputs = [output.name for output in session.get_outputs() if output.name in HEADS]
        self._wants_scalars = any(given.name == "scalars" for given in session.get_inputs())

    @property
    def heads(self) -> tuple[str, ...]:
        """Which of policy, value, score and ownership it has."""
        return tuple(head for head in HEADS if head in self._outputs)

    @property
    def provider(self) -> str:
        """What computes: the name that ONNX Runtime gives it."""
        return str(self._session.get_providers()[0])

    def run(self, spatial: Floats, scalars: Floats) -> dict[str, Floats]:
        """The bare outputs for planes of one batch, as `metadata` describes them."""
        feed = {"spatial": np.ascontiguousarray(spatial)}
        if self._wants_scalars:
            feed["scalars"] = scalars
        try:
            answers = self._session.run(self._outputs, feed)
        except Exception as error:  # whatever the library throws, it has no common base
            reason = str(error).strip().split("\n")[0]
            shape = "×".join(map(str, spatial.shape))
            raise NetworkError(f"{self.name}: cannot compute planes of {shape}: {reason}") from error
        if not np.isfinite(answers[self._outputs.index("policy")]).all():
            raise NetworkError(f"{self.name}: gives answers that are not numbers: its weights are damaged")
        return dict(zip(self._outputs, answers, strict=True))

    def warm(self, size: int = 19, batch: int = 1) -> Network:
        """Run once on nothing, so that the first real position does not wait for memory and threads."""
        spatial = np.zeros((batch, len(self.planes.spatial), size, size), np.float32)
        self.run(spatial, np.zeros((batch, len(self.planes.scalars)), np.float32))
        return self

    def evaluate(
        self,
        records: Records,
        games: Integers | None = None,
        moves: Integers | None = None,
        *,
        symmetries: int = 1,
        batch: int = BATCH,
    ) -> Evaluation:
        """Positions after `moves[i]` moves of game `games[i]`; by default the last of every game.

        All boards must have one size. With `symmetries=8` (4 on rectangles) each position is looked at
        from all sides, and the answers are averaged.
        """
        chosen = np.arange(len(records)) if games is None else np.asarray(games, np.int64).reshape(-1)
        ends = records.lengths[chosen] if moves is None else np.asarray(moves, np.int64).reshape(-1)
        self._check(records, chosen)
        boards = [board_at(records, int(g), int(m)) for g, m in zip(chosen, ends, strict=True)]
        parts = []
        for at in range(0, len(chosen), max(1, batch // symmetries)):
            part = slice(at, at + max(1, batch // symmetries))
            spatial, scalars = encode_batch(self.planes, records, chosen[part], ends[part])
            parts.append(self.evaluate_planes(spatial, scalars, boards[part], symmetries=symmetries))
        return _joined(parts)

    def evaluate_game(
        self, game: Game, moves: Integers | None = None, *, symmetries: int = 1, batch: int = BATCH
    ) -> Evaluation:
        """Positions of one game after so many moves, by default at its end."""
        ends = [len(game)] if moves is None else [int(move) for move in moves]
        records = records_from_games([game])
        if records.lengths[0] == len(game):
            return self.evaluate(records, [0] * len(ends), ends, symmetries=symmetries, batch=batch)
        # stones were set up on the way: a record begins at the last set-up before its end
        parts = [records_from_games([game], until=end) for end in ends]
        return _joined([self.evaluate(part, symmetries=symmetries) for part in parts])

    def evaluate_boards(
        self,
        boards: Sequence[Board],
        *,
        komi: float | None = None,
        symmetries: int = 1,
        batch: int = BATCH,
    ) -> Evaluation:
        """Boards as they stand, with the moves that were played on them; komi is by default the rules'."""
        if len({board.size for board in boards}) > 1:
            raise NetworkError(ONE_SIZE)
        parts = []
        for at in range(0, len(boards), max(1, batch // symmetries)):
            some = boards[at : at + max(1, batch // symmetries)]
            records = [records_from_board(board, komi=komi) for board in some]
            for record in records:
                self._check(record, np.zeros(1, np.int64))
            planes = [encode_batch(self.planes, record, [0], record.lengths) for record in records]
            spatial, scalars = (np.concatenate(arrays) for arrays in zip(*planes, strict=True))
            parts.append(self.evaluate_planes(spatial, scalars, some, symmetries=symmetries))
        return _joined(parts)

    def evaluate_planes(
        self, spatial: Floats, scalars: Floats, boards: Sequence[Board], *, symmetries: int = 1
    ) -> Evaluation:
        """Planes that are made already, and the boards that they are of: for rules, sides, legal moves."""
        height, width = spatial.shape[2:]
        chosen = _symmetries(symmetries, width, height)
        outputs = self._turned(spatial, scalars, chosen)
        n = len(boards)
        to_move = np.array([board.to_move for board in boards], np.int8)
        white = to_move == WHITE
        policy = np.zeros((n, self.steps, height * width + 1), np.float32)
        legal = np.stack([legal_mask(board) for board in boards])
        value = lead = ownership = None
        share = np.float32(1 / len(chosen))
        for out in outputs:
            logits = out["policy"].astype(np.float32)
            logits[:, 0][~legal] = -np.inf
            policy += softmax(logits) * share
        if "value" in self._outputs:
            possible = np.array([can_have_no_result(board.rules) for board in boards])
            results = np.zeros((n, 3), np.float32)
            leads = np.zeros(n, np.float32)
            for out in outputs:
                logits = out["value"].astype(np.float32)
                logits[~possible, NO_RESULT] = -np.inf
                result = softmax(logits)
                results += result * share
                if "score" in out:  # the lead, if there is a result
                    leads += out["score"][:, 0] * (1 - result[:, NO_RESULT]) * share
            results[white] = results[white][:, [LOSS, WIN, NO_RESULT]]
            value = results
            lead = np.where(white, -leads, leads) if "score" in self._outputs else None
        if "ownership" in self._outputs:
            maps = sum(out["ownership"][:, 0] for out in outputs) * share
            ownership = np.where(white[:, None, None], -maps, maps).astype(np.float32)
        return Evaluation(width, height, to_move, policy, value, lead, ownership)

    def _turned(self, spatial: Floats, scalars: Floats, chosen: Sequence[int]) -> list[dict[str, Floats]]:
        """The outputs for each symmetry, turned back."""
        n, (height, width) = len(spatial), spatial.shape[2:]
        found: list[dict[str, Floats]] = []
        # those that swap rows and columns change the shape of rectangles, and were left out for them
        stacked = np.concatenate([permute(symmetry, spatial) for symmetry in chosen])
        answers = self.run(stacked, np.tile(scalars, (len(chosen), 1)))
        for i, symmetry in enumerate(chosen):
            out = {head: array[i * n : (i + 1) * n] for head, array in answers.items()}
            if symmetry:
                back = inverse(symmetry)
                square = out["policy"][:, :, :-1].reshape(n, self.steps, height, width)
                points = permute(back, square).reshape(n, self.steps, height * width)
                out["policy"] = np.concatenate([points, out["policy"][:, :, -1:]], axis=2)
                if "ownership" in out:
                    out["ownership"] = permute(back, out["ownership"])
            found.append(out)
        return found

    def _check(self, records: Records, games: npt.NDArray[np.int64]) -> None:
        if not len(games):
            raise NetworkError("there is no position to evaluate")
        widths, heights = records.width[games], records.height[games]
        if (widths != widths[0]).any() or (heights != heights[0]).any():
            raise NetworkError(ONE_SIZE)
        low, high = self.labels.smallest, self.labels.largest
        if min(widths[0], heights[0]) < low or max(widths[0], heights[0]) > high:
            raise NetworkError(
                f"{self.name}: reads boards from {low} to {high} lines, not {widths[0]}×{heights[0]}"
            )


# loading ----------------------------------------------------------------------------------------


def load(
    name: str | Path = DEFAULT, *, threads: int | None = None, provider: str = "auto", warm: int | None = None
) -> Network:
    """A network by name or file; the same one, if it was loaded before with the same options.

    `threads` is for one batch, by default as many as this process may use; `provider` is "auto", "cpu",
    "cuda" …; `warm` is a board size to run once on. NetworkError, one sentence, if it cannot be.
    """
    model = registry.find(name)
    stamp = model.stat().st_mtime_ns if isinstance(model, Path) else 0
    network = _load(str(name), model, stamp, threads, provider)
    return network if warm is None else network.warm(warm)


@lru_cache(maxsize=4)
def _load(name: str, model: registry.Model, stamp: int, threads: int | None, provider: str) -> Network:
    session, labels = open_model(name, model, threads=threads, provider=provider)
    planes = planes_of(name, labels)
    _check_shapes(name, session, labels, planes)
    return Network(labels.name or name, session, labels, planes)


def open_model(
    name: str, model: registry.Model, *, threads: int | None = None, provider: str = "auto"
) -> tuple[Any, Labels]:
    """A session of ONNX Runtime and what the model says about itself, for any kind of network of ours.

    NetworkError, one sentence that begins with the `name` the user gave it, if it cannot be.
    """
    import onnxruntime

    try:
        labels = registry.read_labels(model)
    except NetworkError as error:  # name it as the user did, not as the cache does
        raise NetworkError(f"{name}: {str(error).split(': ', 1)[-1]}") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or available_cores()
    options.log_severity_level = 3  # errors only
    chosen = _providers(provider, onnxruntime.get_available_providers())
    try:
        given = model if isinstance(model, bytes) else str(model)
        return onnxruntime.InferenceSession(given, options, providers=chosen), labels
    except Exception as error:  # whatever the library throws, it has no common base
        reason = str(error).strip().split("\n")[0]
        raise NetworkError(f"{name}: cannot be loaded: {reason}") from error


def available_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def planes_of(name: str, labels: Labels) -> PlaneSet:
    """The plane set that a network reads."""
    try:
        planes = plane_set(labels.planes)
    except UnknownPlaneSet as error:
        raise NetworkError(f"{name}: the network does not fit: {error}") from error
    if planes.version != labels.planes_version:
        raise NetworkError(
            f"{name}: the network reads version {labels.planes_version} of the planes {planes.name}, "
            f"and this program makes version {planes.version}: export it again, or take another"
        )
    return planes


def _check_shapes(name: str, session: Any, labels: Labels, planes: PlaneSet) -> None:
    inputs = {given.name: given.shape for given in session.get_inputs()}
    outputs = {given.name: given.shape for given in session.get_outputs()}
    if "spatial" not in inputs or not inputs.keys() <= {"spatial", "scalars"} or "policy" not in outputs:
        raise NetworkError(
            f"{name}: the network does not fit: it reads {', '.join(inputs)} and gives {', '.join(outputs)}, "
            "where spatial, scalars and policy are wanted"
        )
    for kind, wanted in (("spatial", len(planes.spatial)), ("scalars", len(planes.scalars))):
        found = inputs[kind][1] if kind in inputs else wanted
        if isinstance(found, int) and found != wanted:
            what = "planes" if kind == "spatial" else "scalars"
            raise NetworkError(
                f"{name}: the network does not fit: it reads {found} {what}, and {planes.name} has {wanted}"
            )
    steps = outputs["policy"][1]
    if isinstance(steps, int) and steps != labels.steps:
        raise NetworkError(
            f"{name}: the network does not fit: it predicts {steps} moves ahead and says {labels.steps}"
        )


def _providers(wanted: str, available: Sequence[str]) -> list[str]:
    """What ONNX Runtime should try, in order; the processor is always the last resort of "auto"."""
    names = {key: value for key, value in _PROVIDERS.items() if value in available}
    if wanted == "auto":
        return [*names.values()]
    for key, value in names.items():
        if wanted.lower() in (key, value.lower()):
            return [value]
    raise NetworkError(f"{wanted}: nothing here computes by that name: there is auto, {', '.join(names)}")


# numbers -----------------------------------------------------------------------------------------


def softmax(logits: Floats) -> Floats:
    """Over the last axis; minus infinity gets 0."""
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    result: Floats = shifted / shifted.sum(axis=-1, keepdims=True)
    return result


def _symmetries(count: int, width: int, height: int) -> range:
    """Which symmetries to look from; on rectangles those that keep the shape."""
    if count == 1:
        return range(1)
    if count != 8:
        raise NetworkError(f"{count} symmetries: there are 1 (the board as it is) and 8 (all)")
    return range(8) if width == height else range(4)


def _joined(parts: Sequence[Evaluation]) -> Evaluation:
    if not parts:
        raise NetworkError("there is no position to evaluate")
    if len(parts) == 1:
        return parts[0]
    first = parts[0]

    def join(name: str) -> Any:
        arrays = [getattr(part, name) for part in parts]
        return None if arrays[0] is None else np.concatenate(arrays)

    names = ("to_move", "policy", "value", "lead", "ownership")
    return Evaluation(first.width, first.height, *(join(name) for name in names))
