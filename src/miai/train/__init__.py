"""Training: games in, networks out. The only room that imports torch.

    config       what a training run is told, from a TOML file
    games        positions from archives of games, in random order, as tensors
    labels       what a teacher network says about positions: made here, read by `games`
    models       Deep-Go, darkforest and our own network, with sizes as configuration
    katago       a KataGo network as a torch module
    inherit      our own network begun from KataGo's, or from a wider one of ours
    losses       how wrong a network is about a batch
    fit          the training loop; `checkpoint` is what it keeps on disk, `report` what it says
    evaluate     how often a network finds the move that was played
    export       a trained network as ONNX, in floats or in bytes; `fold` makes it shorter first

Start reading at `fit`. Nothing imports this room, except the command line when a command needs it.
"""
