"""Samples a second that PyTorch learns, with a network and an optimizer like those of configs/5x5.toml.

A tower of 64 channels and 6 blocks with global pooling over 6x6 cells, Muon in its hidden layers and AdamW elsewhere,
on random samples: only the time of a step is compared. It is compiled, in bf16 and in f32 (TF32).
"""

import json
import time

import torch
from torch import nn
from torch.nn import functional as F

PLANES, CHANNELS, BLOCKS, HIDDEN, SIDE, MARGINS = 20, 64, 6, 64, 6, 51


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)
        self.pool = nn.Linear(2 * CHANNELS, CHANNELS, bias=False)
        self.conv2 = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)

    def forward(self, x):
        t = self.conv1(x)
        u = F.relu(t)
        pooled = torch.cat([u.mean((2, 3)), u.amax((2, 3))], 1)
        return F.relu(x + self.conv2(F.relu(t + self.pool(pooled)[:, :, None, None])))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(PLANES, CHANNELS, 3, padding=1)
        self.blocks = nn.Sequential(*[Block() for _ in range(BLOCKS)])
        self.policy = nn.Conv2d(CHANNELS, CHANNELS, 1)
        self.edges = nn.Conv2d(CHANNELS, 4, 1)
        self.hidden = nn.Linear(2 * CHANNELS, HIDDEN)
        self.margins = nn.Linear(HIDDEN, MARGINS)

    def forward(self, x):
        x = self.blocks(F.relu(self.stem(x)))
        edges = self.edges(F.relu(self.policy(x))).flatten(1)
        pooled = torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)
        return edges, self.margins(F.relu(self.hidden(pooled)))


@torch.compile
def orthogonal(matrices):
    x = matrices / matrices.norm(dim=(1, 2), keepdim=True).clamp_min(1e-7)
    for _ in range(5):
        square = x @ x.mT
        x = 3.4445 * x + (-4.775 * square + 2.0315 * square @ square) @ x
    return x


class Muon:
    def __init__(self, parameters):
        self.parameters = parameters
        self.velocity = [torch.zeros_like(parameter) for parameter in parameters]

    @torch.no_grad()
    def step(self):
        gradients = [parameter.grad for parameter in self.parameters]
        torch._foreach_mul_(self.velocity, 0.95)
        torch._foreach_add_(self.velocity, gradients)
        directions = torch._foreach_add(gradients, self.velocity, alpha=0.95)
        by_shape = {}
        for parameter, direction in zip(self.parameters, directions):
            by_shape.setdefault(parameter.shape, []).append((parameter, direction))
        for shape, members in by_shape.items():
            stacked = torch.stack([direction.reshape(shape[0], -1) for _, direction in members])
            for (parameter, _), change in zip(members, orthogonal(stacked)):
                parameter.mul_(1 - 0.0008 * 0.2).add_(change.reshape(shape), alpha=-0.001)


def rate(batch, dtype):
    network = Network().cuda()
    hidden = [parameter for block in network.blocks for parameter in block.parameters() if parameter.dim() > 1]
    names = {id(parameter) for parameter in hidden}
    others = [parameter for parameter in network.parameters() if id(parameter) not in names]
    adamw, muon = torch.optim.AdamW(others, fused=True), Muon(hidden)
    planes = torch.rand(batch, PLANES, SIDE, SIDE, device="cuda").to(memory_format=torch.channels_last)
    policy = torch.softmax(torch.rand(batch, 2 * SIDE * SIDE, device="cuda"), 1)
    margins = torch.randint(MARGINS, (batch,), device="cuda")
    network = network.to(memory_format=torch.channels_last)

    @torch.compile
    def loss():
        with torch.autocast("cuda", dtype, enabled=dtype != torch.float32):
            edges, logits = network(planes)
        edges, logits = edges.float(), logits.float()
        logits_of_edges, values = edges.split(2 * SIDE * SIDE, 1)
        return F.cross_entropy(logits_of_edges, policy) + F.cross_entropy(logits, margins) + values.square().mean()

    def step():
        loss().backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        adamw.step()
        muon.step()
        network.zero_grad(set_to_none=False)

    for _ in range(20):
        step()
    steps, seconds = 0, 0.0
    torch.cuda.synchronize()
    begin = time.perf_counter()
    while seconds < 1.5:
        for _ in range(20):
            step()
        steps += 20
        torch.cuda.synchronize()
        seconds = time.perf_counter() - begin
    return steps * batch / seconds


def main():
    if not torch.cuda.is_available():
        raise SystemExit("PyTorch sees no GPU")
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.benchmark = torch.backends.cudnn.allow_tf32 = True
    for batch, dtype in ((512, torch.bfloat16), (512, torch.float32), (2048, torch.bfloat16)):
        figure = {"torch": torch.__version__, "batch": batch, "dtype": str(dtype)}
        print(json.dumps({**figure, "samples_per_second": round(rate(batch, dtype))}), flush=True)


if __name__ == "__main__":
    main()
