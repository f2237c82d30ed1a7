"""The commands about networks: `miai predict`, `miai nets`, `miai nets show`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from miai.cli.options import (
    AsciiOption,
    FileArgument,
    GameOption,
    JsonOption,
    MoveOption,
    NetOption,
    SvgOption,
)
from miai.cli.output import SIGNS, can_print, check_writable, write
from miai.files import InputError

nets = typer.Typer(
    name="nets",
    help="The networks that came with the program.",
    invoke_without_command=True,
    rich_markup_mode=None,
    add_completion=False,
)


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command()(predict)
    app.add_typer(nets)


def predict(
    file: FileArgument,
    game: GameOption = 1,
    move: MoveOption = None,
    top: Annotated[int, typer.Option("--top", metavar="T", min=1, help="How many moves to list.")] = 10,
    net: NetOption = "default",
    symmetries: Annotated[
        int, typer.Option("--symmetries", metavar="1|8", help="From how many sides to look at the board.")
    ] = 8,
    threads: Annotated[
        int | None, typer.Option("--threads", metavar="T", min=1, help="Cores to use; else all.")
    ] = None,
    provider: Annotated[
        str, typer.Option("--provider", metavar="P", help="What computes: auto, cpu, cuda …")
    ] = "auto",
    as_json: JsonOption = False,
    svg: SvgOption = None,
    ascii: AsciiOption = False,
) -> None:
    """Where would a strong player play next? Asks a network.

    It tells the next moves, the win rate, the score, and who owns what.
    """
    from miai import files

    if symmetries not in (1, 8):
        raise InputError("--symmetries", f"{symmetries}: there are 1 (the board as it is) and 8 (all)")
    check_writable(svg)
    place = files.read_place(files.sources(file), game, move)

    from miai.nets import predict as predicting
    from miai.nets.registry import NetworkError
    from miai.nets.runtime import load

    try:
        network = load(net, threads=threads, provider=provider)
        found = predicting.predict(network, place.game, place.move, top=top, symmetries=symmetries)
    except NetworkError as error:
        raise bad_network(error) from error
    if svg is not None:
        write(predicting.picture(found), svg)
    if as_json:
        print(json.dumps(found.to_json()))
    else:
        print(predicting.text(found, unicode=not ascii and can_print(SIGNS + "■□")))


@nets.callback()
def list_nets(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the networks that came with the program; `miai nets show NAME` tells more of one."""
    if context.invoked_subcommand is not None:
        return
    from miai.nets import registry

    try:
        cards = [registry.card(name) for name in registry.shipped()]
    except registry.NetworkError as error:
        raise bad_network(error) from error
    if as_json:
        print(json.dumps([card.to_json() for card in cards]))
        return
    for card in cards:
        heads = ", ".join(card.labels.heads)
        print(f"{card.name}  {card.bytes / 1e6:.1f} MB  reads {card.labels.planes}, gives {heads}")
        print(f"    {card.summary}")
    if not cards:
        print("no network came with this copy; --net takes .onnx files, and KataGo's .bin.gz")


@nets.command("show")
def show_net(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name that `miai nets` lists, or a file.")],
    as_json: JsonOption = False,
) -> None:
    """Show the card of a network.

    What it is, how it was made, how good it is.
    """
    from miai.nets import registry

    try:
        card = registry.card(name) if name in registry.shipped() else registry.card_of_file(name)
    except registry.NetworkError as error:
        raise bad_network(error) from error
    print(json.dumps(card.to_json()) if as_json else card.describe())


def bad_network(error: Exception) -> InputError:
    """The sentence of a NetworkError, which begins with the name of the network."""
    name, _, reason = str(error).partition(": ")
    return InputError(name, reason) if reason else InputError("the network", name)
