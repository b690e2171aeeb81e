"""Compares the last step of stages with the modules of tests/diagnosis/reader.py, for random parameters."""

import random

import pytest

from oracle import torch
from program import trace
from reader import JOURNEY, Reader

RUNS = 40  # runs of each stage


@pytest.mark.parametrize("stage", ["causal-batch", "multi-head-wrapper", "multi-head"])
def test_a_module_computes_the_last_step(stage):
    rng, dropped = random.Random(3), 0
    for _ in range(RUNS):
        heads = 1 if stage == "causal-batch" else rng.randint(1, 4)
        p = {"d_out": heads * rng.randint(1, 3), "context_length": rng.randint(6, 9),
             "dropout": rng.choice([0, 0.1, 0.5]), "batch": rng.randint(1, 3), "seed": rng.randrange(2**32),
             "dropout_seed": rng.randrange(2**32)}  # fmt: skip
        bias = rng.random() < 0.5
        own = {"d_in": 3, "heads": heads, "bias": bias, "drops": True, "variant": 0}
        theirs = Reader(stage, p | own, "").run(JOURNEY)["context_vec"]
        options = [f"--{name.replace('_', '-')}={value}" for name, value in p.items()] + ["--qkv-bias"] * bias
        options += [f"--heads={heads}"] * (stage != "causal-batch")
        ours = torch.tensor(trace(stage, *options)["steps"][-1]["data"])
        assert torch.allclose(ours, theirs, rtol=1e-5, atol=1e-6), (options, ours, theirs)
        dropped += p["dropout"] > 0
    assert 0 < dropped < RUNS
