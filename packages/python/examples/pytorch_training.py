"""Trains a network in PyTorch on labels of doublecross, and writes it as weights that doublecross plays with.

    doublecross label 3x3 --to labels/3x3 --shards 6
    python pytorch_training.py labels/3x3 --out weights.safetensors
    doublecross eval weights.safetensors --suite 3x3.tsv
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F

from doublecross import DataSet, input_planes

PLANES = 20


class Layer(nn.Module):
    """Weights of the shape that the file has, and a bias unless `bias` is False."""

    def __init__(self, *shape, outputs, zeros=False, bias=True):
        super().__init__()
        inputs = np.prod(shape) / outputs
        self.weight = nn.Parameter(torch.randn(shape) * (0.0 if zeros else (2 / inputs) ** 0.5))
        self.bias = nn.Parameter(torch.zeros(outputs)) if bias else None


class Convolution(Layer):
    def __init__(self, inputs, outputs, side, zeros=False):
        super().__init__(outputs, inputs, side, side, outputs=outputs, zeros=zeros)

    def forward(self, x):
        return F.conv2d(x, self.weight, self.bias, padding="same")


class Linear(Layer):
    def __init__(self, inputs, outputs, zeros=False, bias=True):
        super().__init__(inputs, outputs, outputs=outputs, zeros=zeros, bias=bias)

    def forward(self, x):
        x = x @ self.weight
        return x if self.bias is None else x + self.bias


def pool(x):
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


class Network(nn.Module):
    """The network of docs/formats.md; the names of its parameters are those of the file."""

    def __init__(self, boxes, channels, blocks, value_hidden):
        super().__init__()
        c = channels
        self.stem = Convolution(PLANES, c, 3)
        for index in range(blocks):
            block = {"conv1": Convolution(c, c, 3), "pool": Linear(2 * c, c, zeros=True, bias=False)}
            self.add_module(f"block{index}", nn.ModuleDict({**block, "conv2": Convolution(c, c, 3, zeros=True)}))
        self.blocks = blocks
        pooled = Linear(2 * c, c, zeros=True, bias=False)
        self.policy = nn.ModuleDict({"conv": Convolution(c, c, 1), "pool": pooled, "out": Convolution(c, 2, 1, zeros=True)})
        self.value = nn.ModuleDict({"hidden": Linear(2 * c, value_hidden), "out": Linear(value_hidden, 2 * boxes + 1, zeros=True)})

    def forward(self, planes):
        """Returns the logits of the edges, `[batch, edges]`, and of the margins, `[batch, margins]`."""
        x = F.relu(self.stem(planes))
        for index in range(self.blocks):
            block = getattr(self, f"block{index}")
            t = block["conv1"](x)
            t = F.relu(t + block["pool"](pool(F.relu(t)))[:, :, None, None])
            x = F.relu(x + block["conv2"](t))
        pooled = pool(x)
        q = F.relu(self.policy["conv"](x) + self.policy["pool"](pooled)[:, :, None, None])
        cells = self.policy["out"](q)
        edges = torch.cat([cells[:, 0, :, :-1].flatten(1), cells[:, 1, :-1, :].flatten(1)], 1)
        return edges, self.value["out"](F.relu(self.value["hidden"](pooled)))


def losses(network, planes, drawn, policy, margin):
    """The cross entropy of the policy, and that of the margins within their bounds."""
    edges, margins = network(planes)
    edges = F.log_softmax(edges.masked_fill(drawn, -1e9), 1)
    boxes = margins.shape[1] // 2
    number = torch.arange(-boxes, boxes + 1)
    # Plane 6 has the boxes, plane 7 those that are closed.
    open_boxes = (planes[:, 6] - planes[:, 7]).sum((1, 2), keepdim=True)[:, 0].round().long()
    possible = (number.abs() <= open_boxes) & ((number - open_boxes) % 2 == 0)
    margins = F.log_softmax(margins.masked_fill(~possible, -1e9), 1)
    within = (number >= margin[:, :1]) & (number <= margin[:, 1:]) & possible
    return -(policy * edges).sum(1).mean(), -margins.masked_fill(~within, -1e9).logsumexp(1).mean()


def main():
    formatter = argparse.ArgumentDefaultsHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], formatter_class=formatter)
    parser.add_argument("labels", help="the folder that `doublecross label` made")
    parser.add_argument("--out", required=True, help="the file to write")
    parser.add_argument("--channels", type=int, default=32, help="width, a multiple of 16")
    parser.add_argument("--blocks", type=int, default=3, help="residual blocks")
    parser.add_argument("--value-hidden", type=int, default=64, help="hidden units of the margin head")
    parser.add_argument("--epochs", type=int, default=4, help="times that all labels are learned, at least 1")
    parser.add_argument("--batch", type=int, default=128, help="samples of a step")
    parser.add_argument("--learning-rate", type=float, default=0.003, help="the highest one")
    options = parser.parse_args()
    if not Path(options.out).absolute().parent.is_dir():
        parser.error(f"--out {options.out}: there is no such folder")
    data = DataSet(options.labels)
    rows, cols = map(int, data.board.split("x"))
    network = Network(rows * cols, options.channels, options.blocks, options.value_hidden)
    shards = list(data)
    steps = options.epochs * sum(len(samples["margin"]) // options.batch for samples in shards)
    optimizer = torch.optim.AdamW(network.parameters(), lr=options.learning_rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, options.learning_rate, total_steps=steps, pct_start=0.05)
    for epoch in range(options.epochs):
        sums, count = np.zeros(2), 0
        for samples in shards:
            planes = torch.from_numpy(input_planes(data.board, samples["drawn"]))
            drawn, policy, margin = (torch.from_numpy(samples[name]) for name in ["drawn", "policy", "margin"])
            order = torch.randperm(len(planes))
            for batch in order[: len(order) // options.batch * options.batch].split(options.batch):
                parts = losses(network, planes[batch], drawn[batch], policy[batch], margin[batch])
                optimizer.zero_grad()
                sum(parts).backward()
                nn.utils.clip_grad_norm_(network.parameters(), 5.0)
                optimizer.step()
                schedule.step()
                sums += [part.item() for part in parts]
                count += 1
        print(f"epoch {epoch + 1}: policy loss {sums[0] / count:.3f}, margin loss {sums[1] / count:.3f}", flush=True)
    sizes = {"channels": options.channels, "blocks": options.blocks, "value_hidden": options.value_hidden}
    metadata = {"board": data.board, **{key: str(size) for key, size in sizes.items()}}
    save_file({name: tensor.contiguous() for name, tensor in network.state_dict().items()}, options.out, metadata)


if __name__ == "__main__":
    main()
