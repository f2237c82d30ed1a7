"""The commands about training the endgame network, for the groups of `train` to take up.

miai data endgame GAMES… OUT.npz --labels FILE
miai train endgame --config configs/endgame.toml [--resume] [--out NET.onnx]
miai evaluate endgame GAMES --labels FILE [--net NET] [--alone] [--json]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from miai.cli.output import check_writable, progress
from miai.cli.train import SettingsOption, plain_errors

ConfigOption = Annotated[
    Path, typer.Option("--config", metavar="FILE", help="A TOML file, as configs/endgame.toml.")
]


LabelsOption = Annotated[
    list[str],
    typer.Option("--labels", metavar="FILE", help="A teacher's ownership for positions of them."),
]
LimitOption = Annotated[
    int | None, typer.Option("--positions", metavar="N", min=1, help="Only the first N positions.")
]


def register(data: typer.Typer, train: typer.Typer, evaluate: typer.Typer) -> None:
    """Add the commands to the groups `data`, `train` and `evaluate`."""
    data.command("endgame")(data_endgame)
    train.command("endgame")(train_endgame)
    evaluate.command("endgame")(evaluate_endgame)


def data_endgame(
    games: Annotated[list[str], typer.Argument(metavar="GAMES…", help="Archives of games.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The .npz to write.")],
    labels: LabelsOption,
    limit: LimitOption = None,
) -> None:
    """Write local endgames of games to a file.

    That is regions that the teacher is not sure of, and who played there next, and where. `train endgame`
    needs no such file: it draws its own.
    """
    with plain_errors("data endgame"):
        from miai.train.endgame_data import write

        check_writable(out)
        positions, regions = write(games, labels, out, limit=limit)
    print(f"miai: {out}: {regions:,} regions of {positions:,} positions", file=sys.stderr)


def train_endgame(
    config: ConfigOption,
    settings: SettingsOption = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="NET", help="The .onnx to write; else in fit.out.")
    ] = None,
) -> None:
    """Train the endgame network.

    It is judged on games it has not seen, and written as ONNX.
    """
    with plain_errors("train endgame"):
        from miai.train.endgame import fit, load_config, write_network

        read = load_config(config, settings or [])
        judged = fit(read, resume=resume)
        path, difference = write_network(read, out)
    print(judged.table())
    print(
        f"miai: {path}: {path.stat().st_size:,} bytes, differs from torch by {difference:.1g}",
        file=sys.stderr,
    )


def evaluate_endgame(
    games: Annotated[list[str], typer.Argument(metavar="GAMES", help="Archive of games.")],
    labels: LabelsOption,
    net: Annotated[
        str, typer.Option("--net", metavar="NET", help="An endgame network: a name, or an .onnx.")
    ] = "endgame",
    limit: LimitOption = None,
    alone: Annotated[bool, typer.Option("--alone", help="Do not show the moves that led there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """How well does the endgame network know regions?

    That is who plays there next, and where, and whose the points are.
    """
    with plain_errors("evaluate endgame"):
        from miai.train.endgame_data import collect, every
        from miai.train.endgame_evaluate import evaluate, from_onnx

        positions, corpus = collect(games, labels, limit=limit)
        examples = list(every(positions))
        with progress(len(examples), "regions") as done:
            answers = from_onnx(net, positions, corpus, history=not alone)
            judged = evaluate(answers, positions, examples, done=done)
    print(json.dumps(judged.to_json()) if as_json else judged.table())
