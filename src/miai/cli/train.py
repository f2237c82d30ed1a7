"""The commands about training: train, evaluate, data.

miai train policy --config configs/miai.toml [--resume]
miai train export CHECKPOINT OUT.onnx [--int8 --games GAMES]
miai train habits PROBLEMS… OUT.npz [--nodes N]
miai evaluate policy NET GAMES [--games N] [--json]
miai data label --teacher NET GAMES OUT
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from miai.cli.output import check_writable, progress
from miai.files import InputError

SettingsOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Another value for a key: --set fit.positions=100000."),
]

train_app = typer.Typer(help="Train networks.", no_args_is_help=True, rich_markup_mode=None)
evaluate_app = typer.Typer(help="Measure networks.", no_args_is_help=True, rich_markup_mode=None)
data_app = typer.Typer(help="Make data for training.", no_args_is_help=True, rich_markup_mode=None)


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.add_typer(train_app, name="train")
    app.add_typer(evaluate_app, name="evaluate")
    app.add_typer(data_app, name="data")


@train_app.callback()
def _train() -> None:
    """Train networks."""


@evaluate_app.callback()
def _evaluate() -> None:
    """Measure networks."""


@data_app.callback()
def _data() -> None:
    """Make data for training."""


@train_app.command("policy")
def train_policy(
    config: Annotated[Path, typer.Option("--config", metavar="FILE", help="A TOML file, as in configs/.")],
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint.")] = False,
    settings: SettingsOption = None,
) -> None:
    """Train a network that predicts moves."""
    with plain_errors("train policy"):
        from miai.train.config import load
        from miai.train.fit import fit

        fit(load(config, settings or []), resume=resume)


@train_app.command("export")
def train_export(
    checkpoint: Annotated[str, typer.Argument(metavar="CHECKPOINT", help="A .safetensors, or its folder.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The .onnx to write.")],
    int8: Annotated[bool, typer.Option("--int8", help="Compute the trunk in bytes: faster.")] = False,
    games: Annotated[
        str | None, typer.Option("--games", metavar="GAMES", help="Games to measure ranges on, for --int8.")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="What the network is called.")] = "",
    source: Annotated[str, typer.Option("--source", help="Where it comes from, in words.")] = "",
) -> None:
    """Write a trained network as ONNX.

    What it computes is checked against the one that was trained.
    """
    with plain_errors("train export"):
        from miai.train.export import export_checkpoint

        if int8 and games is None:
            raise InputError("--int8", "needs --games, to measure ranges on")
        words = export_checkpoint(
            Path(checkpoint), out, name=name or out.stem, games=games if int8 else None, source=source
        )
    print(f"miai: {words}", file=sys.stderr)


@train_app.command("habits")
def train_habits(
    files: Annotated[list[str], typer.Argument(metavar="PROBLEMS…", help="SGF files of problems.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The .npz to write.")],
    nodes: Annotated[
        int, typer.Option("--nodes", metavar="N", min=1, help="Budget of each search.")
    ] = 50_000,
) -> None:
    """Learn which moves win in life-and-death problems, from proofs.

    The search tries likely moves first by these weights: src/miai/life/habits.npz are those that ship.
    """
    with plain_errors("train habits"):
        from miai.train.habits import learn, problems_in

        check_writable(out)
        problems = problems_in(files)
        with progress(len(problems), "problems") as done:
            choices, first = learn(problems, out, nodes=nodes, done=done)
    print(
        f"miai: {choices:,} choices; in problems not learned from, the proof's move is first in {first:.0%}"
    )


@evaluate_app.command("policy")
def evaluate_policy(
    net: Annotated[
        str, typer.Argument(metavar="NET", help="default, an .onnx, a KataGo network, or a checkpoint.")
    ],
    games: Annotated[str, typer.Argument(metavar="GAMES", help="Archive or folder of games.")],
    limit: Annotated[
        int | None, typer.Option("--games", metavar="N", min=1, help="Only the first N games.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    threads: Annotated[
        int | None, typer.Option("--threads", metavar="T", min=1, help="By default all cores.")
    ] = None,
) -> None:
    """How often does a network find the move that was played?"""
    with plain_errors("evaluate policy"):
        from miai.train.evaluate import evaluate, every, predictor
        from miai.train.games import load_corpus

        judged = predictor(net, threads=threads)
        corpus = load_corpus([games], limit=limit)
        for complaint in corpus.damaged:
            print(f"miai: skipped {complaint}", file=sys.stderr)
        with progress(len(every(corpus)[0]), "positions") as done:
            result = evaluate(judged, corpus, done=done)
    if as_json:
        print(json.dumps({**result.to_json(), "skipped": corpus.skipped}))
    else:
        print(result.table())


@data_app.command("label")
def data_label(
    games: Annotated[str, typer.Argument(metavar="GAMES", help="Archive or folder of games.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder of label files; what is there is kept.")],
    teacher: Annotated[str, typer.Option("--teacher", metavar="NET", help="The network that is asked.")],
    positions: Annotated[int, typer.Option("--positions", metavar="N", min=1, help="Of each game.")] = 8,
    limit: Annotated[
        int | None, typer.Option("--games", metavar="N", min=1, help="Only the first N games.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Which positions.")] = 1,
    jobs: Annotated[int, typer.Option("--jobs", metavar="J", min=1, help="Processes.")] = 1,
    cluster: Annotated[
        str, typer.Option("--cluster", metavar="ADDRESS", help="A Dask scheduler, tcp://…")
    ] = "",
) -> None:
    """Ask a network about positions of games.

    What it says is what others can then learn from.
    """
    with plain_errors("data label"):
        from miai.train import labels

        count = labels.write(
            teacher,
            [games],
            out,
            positions=positions,
            seed=seed,
            limit=limit,
            jobs=jobs,
            cluster=cluster,
            done=lambda path, count: print(f"miai: {path}: {count:,} positions", file=sys.stderr),
        )
    print(f"miai: {count:,} positions are labelled in {out}", file=sys.stderr)


@contextmanager
def plain_errors(what: str) -> Iterator[None]:
    """Turn what can go wrong in training into the one line that commands print."""
    if find_spec("torch") is None or find_spec("safetensors") is None:
        raise InputError(what, "needs torch: pip install miai[train]")
    from miai.nets.registry import NetworkError
    from miai.train.checkpoint import CheckpointError
    from miai.train.config import ConfigError
    from miai.train.export import ExportError
    from miai.train.games import NoPositions
    from miai.train.labels import LabelError

    try:
        yield
    except (ConfigError, CheckpointError, ExportError, NoPositions, LabelError, NetworkError) as error:
        raise InputError(what, str(error)) from error
