"""Compares the gradients of `--backward` with autograd: code lines, exported numbers and printed text."""

import json
import random

import pytest

from oracle import is_1_13, is_2_6, tensor_of, torch
from program import run, trace
from runs import STAGES, executed, trained_stages
from transcripts import MOST_ROUNDINGS, Count, check, random_runs, same_specials


# How many of each stage's numbers differ in 20 random runs: exported in their bits, printed by one in the
# last digit, further in a scientific column, and in the gradient of the keys' bias, which is noise. As in
# transcripts.py, they may differ only after a product whose order is OpenBLAS's own. With d_out below 8,
# these are the gradients of weights (at least 8 tokens in the batch, and a lesson at least 8 wide), the
# output projections, and what follows from them. They differ by at most 6.6 rounding errors of the largest
# number (multi-head), and 17.0 in causal-self-attention.
DIFFERENT = {
    "causal-batch": (210, 2, 0, 4),
    "multi-head-wrapper": (523, 0, 0, 10),
    "multi-head": (3038, 45, 0, 18),
    "causal-self-attention": (3012165, 745, 128, 2475),
    "sliding-window": (167, 9, 0, 0),
    "grouped-query": (11462, 333, 503, 17),
    "rotary": (53, 0, 0, 0),
}


def compare(stage, namespace, count):
    """Compares by-hand lines and exported numbers with autograd's."""
    for step in stage["steps"]:
        if "autograd" not in step:
            continue
        theirs, by_hand = eval(step["autograd"], namespace), namespace[step["name"]]
        assert theirs is not None and not by_hand.requires_grad, step["name"]
        ours = tensor_of(step)
        # In 1.13, repeat_interleave adds gradients in a different order.
        allowed = 1e-5 if is_1_13 else 0
        torch.testing.assert_close(by_hand, theirs, rtol=allowed, atol=allowed, equal_nan=True)
        count.gradients += 1
        count.exported += int(((ours != theirs) & ~(ours.isnan() & theirs.isnan())).sum())
        assert same_specials(ours.flatten(), theirs.flatten()), (step["name"], ours, theirs)


@pytest.mark.parametrize("seed", [789, 5])
def test_mistakes_on_the_way_back_are_told_by_their_numbers(seed):
    """Computes the tensors in PyTorch."""
    torch.set_grad_enabled(True)
    names = executed(trace("causal --backward", f"--seed={seed}"))
    root, keys, queries = 2**0.5, names["keys"].detach(), names["queries"].detach()
    grad, weights = names["attn_weights_causal_grad"], names["attn_weights_causal"].detach()
    without_sum = grad * weights / root
    for mistakes, tensor in (
        (["gradient-not-zeroed"], names["W_key"].grad.clone() * 2),  # the result of a second backward()
        (["softmax-gradient-without-sum"], without_sum),
        (["softmax-gradient-without-sum"], (without_sum.tril().T @ queries).T @ names["inputs"].detach()),
        (["gradient-not-scaled"], names["masked_grad"] * root),
        (["keys-gradient-not-transposed"], names["attn_scores_grad"] @ queries),
        ([], names["keys"].grad),
    ):
        answer = run("diagnose causal - --backward --json=-", f"--seed={seed}", stdin=str(tensor))
        (found,) = json.loads(answer.stdout)["tensors"]
        assert found["matches"][0]["mistakes"] == mistakes, tensor


@pytest.mark.parametrize("options", ["", "--qkv-bias --lr=0.1 --d-out=5", "--seed=3 --lr=1.7"])
def test_three_steps_of_sgd_leave_the_bits_of_the_stage(options):
    stage = trace(f"training-step {options}")
    steps = {step["name"]: tensor_of(step) for step in stage["steps"]}
    names = [name[:-2] for name in steps if name[:2] in ("W_", "b_") and name.endswith("_1")]
    weights = {name: torch.nn.Parameter(steps[f"{name}_1"]) for name in names}
    optimizer = torch.optim.SGD(weights.values(), lr=stage["parameters"]["lr"])
    torch.set_grad_enabled(True)
    for number in range(2, 5):
        queries, keys, values = (
            steps["inputs"] @ weights[f"W_{kind}"].T + weights.get(f"b_{kind}", 0.0)
            for kind in ("query", "key", "value")
        )
        scores = queries @ keys.T
        hidden = torch.ones_like(scores).triu(1).bool()
        attended = torch.softmax(scores.masked_fill(hidden, -torch.inf) / keys.shape[-1] ** 0.5, dim=-1)
        optimizer.zero_grad()
        (attended @ values).square().mean().backward()
        optimizer.step()
        for name, weight in weights.items():
            torch.testing.assert_close(weight.detach(), steps[f"{name}_{number}"], rtol=0, atol=0)
    assert steps["losses"][0] > steps["losses"][3], steps["losses"]


@pytest.mark.parametrize("name", trained_stages())
def test_gradients_are_autograds(name):
    torch.manual_seed(15)
    rng, count = random.Random(15), Count()
    count.gradients = count.exported = 0
    settings = ["d-out below 8" if setting == "d-out" else setting for setting in STAGES[name]]
    for options, lesson in random_runs(name, settings, rng, 20):
        loss = rng.choice([[], ["--loss=mean"], ["--loss=mse"]])
        compare(*check(name, [*options, "--backward", *loss], lesson, count), count)
    assert count.gradients > 100
    different = (count.exported, count.last_digit, count.scientific, count.noise)
    # In other versions, cosines (1.13) and gradients of softmax differ as well.
    assert not is_2_6 or all(a <= b for a, b in zip(different, DIFFERENT.get(name, (0, 0, 0, 0)))), (
        f"{different} numbers differ; DIFFERENT allows {DIFFERENT.get(name)}"
    )
    assert count.roundings <= MOST_ROUNDINGS, count.roundings


def test_there_are_stages_with_gradients():
    assert len(trained_stages()) >= 10
