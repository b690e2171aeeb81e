"""Compares the last step of stages with torch.nn modules, which draw weights and masks in their own order."""

import random

import pytest

from oracle import torch
from program import trace

RUNS = 40  # runs of each stage


class Causal(torch.nn.Module):
    """Causal attention with one projection for all heads; with `out`, also an output projection."""

    def __init__(self, d_in, d_out, length, dropout, bias, heads=1, out=False):
        super().__init__()
        self.heads = heads
        self.W_query, self.W_key, self.W_value = (torch.nn.Linear(d_in, d_out, bias=bias) for _ in range(3))
        self.out_proj = torch.nn.Linear(d_out, d_out) if out else torch.nn.Identity()
        self.dropout = torch.nn.Dropout(dropout)
        self.register_buffer("future", torch.ones(length, length).triu(1).bool())

    def forward(self, x):
        batch, n, _ = x.shape
        q, k, v = (
            layer(x).reshape(batch, n, self.heads, -1).permute(0, 2, 1, 3)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        scores = (q @ k.mT).masked_fill(self.future[:n, :n], -torch.inf) / k.shape[-1] ** 0.5
        return self.out_proj((self.dropout(scores.softmax(-1)) @ v).permute(0, 2, 1, 3).reshape(batch, n, -1))


class Stacked(torch.nn.Module):
    def __init__(self, d_in, d_out, length, dropout, bias, heads):
        super().__init__()
        self.heads = torch.nn.ModuleList(Causal(d_in, d_out, length, dropout, bias) for _ in range(heads))

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)


STAGES = {
    "causal-batch": lambda *sizes, heads: Causal(*sizes),
    "multi-head-wrapper": lambda *sizes, heads: Stacked(*sizes, heads),
    "multi-head": lambda *sizes, heads: Causal(*sizes, heads, out=True),
}


@pytest.mark.parametrize("stage", STAGES)
def test_a_module_computes_the_last_step(stage):
    inputs = torch.tensor(trace("causal --step=inputs")["steps"][0]["data"])
    rng, dropped = random.Random(3), 0
    for _ in range(RUNS):
        heads = 1 if stage == "causal-batch" else rng.randint(1, 4)
        p = {"d-out": heads * rng.randint(1, 3), "context-length": rng.randint(6, 9),
             "dropout": rng.choice([0, 0.1, 0.5]), "batch": rng.randint(1, 3), "seed": rng.randrange(2**32),
             "dropout-seed": rng.randrange(2**32)}  # fmt: skip
        bias = rng.random() < 0.5
        torch.manual_seed(p["seed"])
        sizes = p["d-out"], p["context-length"], p["dropout"]
        module = STAGES[stage](inputs.shape[1], *sizes, bias, heads=heads)
        torch.manual_seed(p["dropout-seed"])
        theirs = module(inputs.expand(p["batch"], -1, -1))
        options = [f"--{name}={value}" for name, value in p.items()] + ["--qkv-bias"] * bias
        options += [f"--heads={heads}"] * (stage != "causal-batch")
        ours = torch.tensor(trace(stage, *options)["steps"][-1]["data"])
        assert torch.allclose(ours, theirs, rtol=1e-5, atol=1e-6), (options, ours, theirs)
        dropped += p["dropout"] > 0
    assert 0 < dropped < RUNS
