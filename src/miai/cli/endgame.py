"""The command `miai endgame`: what is a move here worth? Reads, calls `miai.endgame`, prints."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from miai.cli.nets import bad_network
from miai.cli.options import AsciiOption, FileArgument, GameOption, JsonOption, MoveOption, SvgOption
from miai.cli.output import can_print, check_writable, write
from miai.files import InputError

if TYPE_CHECKING:
    from miai.nets.runtime import Network


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(endgame)


def endgame(
    file: FileArgument,
    game: GameOption = 1,
    move: MoveOption = None,
    region: Annotated[
        str | None,
        typer.Option("--region", metavar="C3,A1:E4,…", help="Only this region: points and rectangles."),
    ] = None,
    whole: Annotated[
        bool, typer.Option("--all", help="The whole board, though a region is marked with SQ.")
    ] = False,
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules", metavar="RULES", help="Count by these, not by the record's: chinese, japanese …"
        ),
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Search only, no network's guesses.")] = False,
    estimate: Annotated[bool, typer.Option("--estimate", help="The network only, no search.")] = False,
    net: Annotated[
        str | None,
        typer.Option(
            "--net", metavar="NET", help="A network: a name of `miai nets`, an .onnx, KataGo's .bin.gz."
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            metavar="T",
            min=0.5,
            max=1.0,
            help="Ownership from which points are settled, else 0.9.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", metavar="S", min=0.05, help="Time to think, else 3; for one region 20."),
    ] = None,
    as_json: JsonOption = False,
    sgf: Annotated[Path | None, typer.Option("--sgf", metavar="OUT", help="Write the game trees.")] = None,
    svg: SvgOption = None,
    ascii: AsciiOption = False,
) -> None:
    """What is a move here worth? Values of the regions still open.

    Each has its count, what a move gains, and whether that is sente or gote.

    Looks at the region of --region, else at the one marked with SQ, else at the whole board, for which
    it needs a network. Counts are Black's points minus White's.
    """
    from miai import files

    if exact and estimate:
        raise InputError("--exact", "it cannot be combined with --estimate: one excludes the other")
    if region is not None and whole:
        raise InputError("--region", "it cannot be combined with --all: one region, or the whole board")
    check_writable(sgf, svg)
    place = files.read_place(files.sources(file), game, move)

    from miai.endgame import drawing
    from miai.endgame import whole as analysing
    from miai.endgame.estimate import EstimateError
    from miai.endgame.judge import load_judge
    from miai.endgame.local import RegionError
    from miai.endgame.regions import THRESHOLD, checked, hand_mask
    from miai.go.rules import UnknownRules, rules_named
    from miai.go.sgf import SgfError, serialise
    from miai.nets.registry import NetworkError
    from miai.nets.runtime import load

    board = place.board
    if rules is not None:
        try:
            board.rules = rules_named(rules)
        except UnknownRules as error:
            raise InputError("--rules", str(error)) from error
    masks = None
    try:
        if region is not None:
            masks = [hand_mask(board, region.split(","))]
        elif not whole and (marked := place.node.points("SQ", board.grid)):
            masks = [checked(board, marked)]
    except RegionError as error:
        raise InputError("--region" if region is not None else place.name, str(error)) from error
    except SgfError as error:
        raise InputError(place.name, error.reason, error.line) from error

    mode = analysing.Mode.EXACT if exact else analysing.Mode.ESTIMATE if estimate else analysing.Mode.AUTO

    def no_network(error: NetworkError) -> InputError:
        bad = bad_network(error)
        way_out = "" if masks is not None else "; a region named with --region needs no network"
        return InputError(bad.name, bad.reason + way_out)

    def analyse(network: Network | None) -> analysing.Analysis:
        try:
            return analysing.analyse(
                board,
                network=network,
                judge=None if network is None else load_judge(net),
                regions=masks,
                komi=place.game.komi or 0.0,
                handicap=place.game.handicap,
                mode=mode if network is None or masks is None else analysing.Mode.ESTIMATE,
                threshold=THRESHOLD if threshold is None else threshold,
                seconds=seconds or (analysing.SECONDS if masks is None else analysing.SECONDS_FOR_ONE),
            )
        except NetworkError as error:
            raise no_network(error) from error
        except (RegionError, EstimateError, analysing.AnalysisError) as error:
            raise InputError(place.name, str(error)) from error

    def network() -> Network:
        try:
            return load(net or "default")
        except NetworkError as error:
            raise no_network(error) from error

    if masks is None or estimate:
        try:
            found = analyse(network())
        except InputError:
            if not exact or net is not None:
                raise
            found = analyse(None)  # then only what lives for certain is settled
    else:
        found = analyse(None)  # search needs no network
        if found.undecided and not exact:
            found = analyse(network())
    if masks is not None and found.undecided:
        reason = f"{found.undecided[0].reason}: give it more --seconds, a smaller --region, or no --exact"
        raise InputError(place.name, reason)
    if svg is not None:
        write(drawing.picture(found), svg)
    if sgf is not None:
        from miai.endgame.tree_sgf import tree

        write(serialise(tree(found)).decode("utf-8"), sgf)
    if as_json:
        print(json.dumps(found.to_json()))
    else:
        print(drawing.text(found, unicode=not ascii and can_print()))
    if found.undecided:
        count = len(found.undecided)
        regions = "1 region" if count == 1 else f"{count} regions"
        print(f"miai: {regions} got no value: give it more --seconds", file=sys.stderr)
