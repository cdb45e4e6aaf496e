"""The engine beside onnxruntime: the same weights, one thread, in turns.

    pip install onnx onnxruntime numpy
    python3 experiments/beside_onnxruntime.py CONFIG CHECKPOINT.dxw [ROUNDS]

The network of a weights file is written as an ONNX graph; onnxruntime has to give the answers that burn left in the
file (its canaries) before anything is timed. Then `doublecross bench` and onnxruntime take turns, and the medians of
both and of their ratio over the rounds are printed.
"""

import json
import statistics
import struct
import subprocess
import sys
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

PLANES = 20
BATCHES = (1, 32)


class File:
    """A weights file of all input planes, with blocks of kind 0."""

    def __init__(self, path):
        data = open(path, "rb").read()
        assert data[:8] == b"DXWEIGHT", f"{path} is not a weights file"
        version, self.rows, self.cols, c, self.blocks, hidden, *rest = struct.unpack_from("<9I", data, 8)
        assert (version, rest[:2]) == (4, [PLANES, 0]), f"{path} has another version, or other planes or blocks"
        self.channels, self.at, self.data = c, 44 + 2 * rest[2], data
        self.cells = (self.rows + 1) * (self.cols + 1)
        self.margins = 2 * self.rows * self.cols + 1
        shapes = [("stem.weight", (c, PLANES, 3, 3)), ("stem.bias", (c,))]
        for b in range(self.blocks):
            shapes += [(f"{b}.conv1.weight", (c, c, 3, 3)), (f"{b}.conv1.bias", (c,)), (f"{b}.pool", (2 * c, c))]
            shapes += [(f"{b}.conv2.weight", (c, c, 3, 3)), (f"{b}.conv2.bias", (c,))]
        shapes += [("policy.conv.weight", (c, c, 1, 1)), ("policy.conv.bias", (c,)), ("policy.pool", (2 * c, c))]
        shapes += [("policy.out.weight", (2, c, 1, 1)), ("policy.out.bias", (2,))]
        shapes += [("hidden.weight", (2 * c, hidden)), ("hidden.bias", (hidden,))]
        shapes += [("margins.weight", (hidden, self.margins)), ("margins.bias", (self.margins,))]
        self.tensors = {name: self.floats(int(np.prod(shape))).reshape(shape) for name, shape in shapes}
        (count,) = struct.unpack_from("<I", data, self.at)
        self.at += 4
        self.canaries = [self.canary() for _ in range(count)]

    def floats(self, count):
        numbers = np.frombuffer(self.data, "<f4", count, self.at)
        self.at += 4 * count
        return numbers

    def canary(self):
        (drawn,) = struct.unpack_from("<Q", self.data, self.at)
        self.at += 8
        return drawn, self.floats(2 * self.cells), self.floats(self.margins)


def graph(file):
    """The network as an ONNX model: planes [batch, 20, height, width] to policy and margin logits."""
    nodes = []

    def add(kind, *inputs, **attributes):
        output = f"t{len(nodes)}"
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def convolution(x, name):
        return add("Conv", x, f"{name}.weight", f"{name}.bias", pads=[file.tensors[f"{name}.weight"].shape[2] // 2] * 4)

    def pool(x):
        flat = "flat"
        pooled = add("Concat", add("GlobalAveragePool", x), add("GlobalMaxPool", x), axis=1)
        return add("Reshape", pooled, flat)

    def spread(pooled, name):
        return add("Reshape", add("MatMul", pooled, name), "cells")

    x = add("Relu", convolution("planes", "stem"))
    for b in range(file.blocks):
        t = convolution(x, f"{b}.conv1")
        t = add("Relu", add("Add", t, spread(pool(add("Relu", t)), f"{b}.pool")))
        x = add("Relu", add("Add", x, convolution(t, f"{b}.conv2")))
    pooled = pool(x)
    q = add("Relu", add("Add", convolution(x, "policy.conv"), spread(pooled, "policy.pool")))
    policy = convolution(q, "policy.out")
    hidden = add("Relu", add("Add", add("MatMul", pooled, "hidden.weight"), "hidden.bias"))
    margins = add("Add", add("MatMul", hidden, "margins.weight"), "margins.bias")
    height, width = file.rows + 1, file.cols + 1
    info = helper.make_tensor_value_info
    model = helper.make_model(
        helper.make_graph(
            nodes,
            "network",
            [info("planes", TensorProto.FLOAT, ["batch", PLANES, height, width])],
            [
                info(policy, TensorProto.FLOAT, ["batch", 2, height, width]),
                info(margins, TensorProto.FLOAT, ["batch", file.margins]),
            ],
            [numpy_helper.from_array(np.ascontiguousarray(tensor), name) for name, tensor in file.tensors.items()]
            + [
                numpy_helper.from_array(np.array([-1, 2 * file.channels], np.int64), "flat"),
                numpy_helper.from_array(np.array([-1, file.channels, 1, 1], np.int64), "cells"),
            ],
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=9,
    )
    onnx.checker.check_model(model)
    return model.SerializeToString()


def session(file):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    return onnxruntime.InferenceSession(graph(file), options, providers=["CPUExecutionProvider"])


def empty_board(file):
    """The planes of the empty board, as crates/core/src/net/planes.rs encodes it."""
    height, width = file.rows + 1, file.cols + 1
    planes = np.zeros((PLANES, height, width), np.float32)
    planes[[0, 4], :, :-1] = 1.0  # horizontal edges: undrawn, safe
    planes[[1, 5], :-1, :] = 1.0  # vertical ones
    planes[[6, 10], :-1, :-1] = 1.0  # boxes, with four undrawn sides
    edges = height * file.cols + file.rows * width
    planes[[15, 16]] = 1.0
    planes[14] = file.rows * file.cols % 2
    planes[[17, 18]] = edges % 2
    return planes


def rate(run, count):
    run()
    start, calls = time.perf_counter(), 0
    while time.perf_counter() - start < 0.5:
        run()
        calls += 1
    return calls * count / (time.perf_counter() - start)


def main():
    config, path = sys.argv[1], sys.argv[2]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    file = File(path)
    onnx_network = session(file)
    drawn, policy, margins = file.canaries[0]
    assert drawn == 0, "the first canary is the empty board"
    answers = onnx_network.run(None, {"planes": empty_board(file)[None]})
    ours = np.concatenate([policy.reshape(-1, 2).T.ravel(), margins])
    off = np.abs(ours - np.concatenate([answer.ravel() for answer in answers])).max()
    assert off <= 1e-4 * np.abs(ours).max(), f"onnxruntime differs from burn by {off}"

    inputs = {size: {"planes": np.repeat(empty_board(file)[None], size, 0)} for size in BATCHES}
    rates = {}
    command = ["target/release/doublecross", "bench", "net", "--config", config, "--net", path, "--rounds", "1", "--games", "2", "--json"]
    for _ in range(rounds):
        bench = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for line in bench["network"]:
            rates.setdefault(f"{line['by']}, batch {line['batch']}", []).append(line["evaluations_per_second"])
        for size, planes in inputs.items():
            once = rate(lambda: onnx_network.run(None, planes), size)
            rates.setdefault(f"onnxruntime {onnxruntime.__version__}, batch {size}", []).append(once)
    best = [max(both) for both in zip(*(rates[name] for name in rates if name.startswith("onnxruntime")))]
    print(f"{'':34} evaluations/s  of onnxruntime's best batch")
    for name, found in rates.items():
        ratio = statistics.median(a / b for a, b in zip(found, best))
        print(f"{name:34} {statistics.median(found):13.0f}  {ratio:.2f}")


if __name__ == "__main__":
    main()
