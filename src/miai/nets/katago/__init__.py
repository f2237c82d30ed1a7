"""KataGo's networks: `read` parses their files, `forward` says how they compute, `onnx` converts them.

    from miai.nets.katago import read, onnx
    network = read.read(Path("kata1-b18c384nbt.bin.gz"))
    Path("b18.onnx").write_bytes(onnx.to_onnx(network))

`miai.nets.runtime.load` does both for a user who names such a file; `miai.train.katago` makes it torch.
"""
