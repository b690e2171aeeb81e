"""Holds the gradients of `--backward` against autograd: what the by-hand lines give in PyTorch, and what is exported, has
the bits of `X.grad`; what is printed is what PyTorch prints.

The runs differ at random in seed, widths, bias, dropout, weights and lesson. Where BLAS splits a product, or takes its
terms in another order, our numbers may differ from PyTorch's in their last bits: by one unit of the last printed digit.
How many do in the 20 runs is known (DIFFERENT): one more fails.
Arguments: the probe (unused), the program, and how many runs of each stage; 20 unless given.
"""

import json
import random
import subprocess
import sys

from oracle import numpy, torch
from runs import STAGES, flat, trained_stages
from transcripts import Count, check, random_runs, same_specials


# Of each stage's numbers, how many differ: exported in their bits, printed by one in the last digit, further in a
# scientific column, and in the gradient of the keys' bias, which is noise. Wide products of several heads, batches and
# means differ; the others do not.
DIFFERENT = {
    "linear": (0, 1, 0, 0),
    "causal-batch": (230, 2, 0, 24),
    "multi-head-wrapper": (613, 0, 0, 94),
    "multi-head": (3043, 45, 0, 22),
    "causal-self-attention": (3012220, 740, 128, 2495),
    "sliding-window": (167, 9, 0, 0),
    "grouped-query": (11396, 344, 503, 19),
    "rotary": (48, 2, 0, 0),
}


def same_bits(a, b):
    return a.equal(b) or bool(((a == b) | (a.isnan() & b.isnan())).all())


def compare(stage, namespace, count):
    """By-hand lines and exported numbers against autograd's."""
    for step in stage["steps"]:
        if "autograd" not in step:
            continue
        theirs, by_hand = eval(step["autograd"], namespace), namespace[step["name"]]
        assert theirs is not None and theirs.shape == by_hand.shape and not by_hand.requires_grad, step["name"]
        ours = torch.tensor([float(x) for x in flat(step["data"])]).view(theirs.shape)
        assert same_bits(by_hand, theirs), (step["name"], step["code"], by_hand, theirs)
        count.gradients += 1
        count.cells += theirs.numel()
        count.exported += int(((ours != theirs) & ~(ours.isnan() & theirs.isnan())).sum())
        assert same_specials(ours.flatten(), theirs.flatten()), (step["name"], ours, theirs)


def check_numpy(program, name):
    """NumPy, which has no autograd, computes the same by hand, within a few roundings of the largest number."""
    command = [program, name, "--backward", "--code", "numpy", "--json", "-", "--d-out=8"]
    stage = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["stages"][0]
    assert not any("grad_mode" in line for line in stage["setup"]), stage["setup"]
    namespace = {}
    exec("\n".join(stage["setup"]), namespace)
    for step in stage["steps"]:
        exec("\n".join(step["code"]), namespace)
        assert "autograd" not in step and step["grad_fn"] is None, step["name"]
        ours = numpy.array([float(x) for x in flat(step["data"])])
        theirs = numpy.float32(namespace[step["name"]]).flatten()
        finite = numpy.isfinite(ours)
        assert numpy.abs(ours[finite] - theirs[finite]).max(initial=0) <= 1e-5, (name, step["name"])


def diagnosed(program, tensor, options):
    """The mistake the program finds in a pasted tensor."""
    command = [program, "diagnose", "causal", "-", "--backward", "--json=-", *options]
    answer = subprocess.run(command, input=str(tensor), capture_output=True, text=True)
    assert answer.returncode in (0, 1), answer.stderr
    (tensor,) = json.loads(answer.stdout)["tensors"]
    return tensor["matches"][0]["mistakes"] if tensor["matches"] else None


def check_mistakes(program):
    """Mistakes on the way back, made in PyTorch, are told by their numbers."""
    for seed in (789, 5):
        options = [f"--seed={seed}"]
        stage = json.loads(subprocess.run([program, "causal", "--backward", "--json=-", *options], capture_output=True, check=True).stdout)["stages"][0]
        names = {}
        torch.set_grad_enabled(True)
        exec("\n".join(stage["setup"] + [line for step in stage["steps"] for line in step["code"]]), names)
        root, keys, queries = 2**0.5, names["keys"].detach(), names["queries"].detach()
        grad, weights = names["attn_weights_causal_grad"], names["attn_weights_causal"].detach()
        twice = names["W_key"].grad.clone() * 2  # what a second backward() leaves
        without_sum = grad * weights / root
        for mistake, tensor in (
            (["gradient-not-zeroed"], twice),
            (["softmax-gradient-without-sum"], without_sum),
            (["softmax-gradient-without-sum"], (without_sum.tril().T @ queries).T @ names["inputs"].detach()),
            (["gradient-not-scaled"], names["masked_grad"] * root),
            (["keys-gradient-not-transposed"], names["attn_scores_grad"] @ queries),
            ([], names["keys"].grad),
        ):
            found = diagnosed(program, tensor, options)
            assert found == mistake, (seed, mistake, found, tensor)


def check_training(program):
    """Three steps of torch.optim.SGD leave the bits that the stage does."""
    for options in ([], ["--qkv-bias", "--lr=0.1", "--d-out=5"], ["--seed=3", "--lr=1.7"]):
        stage = json.loads(subprocess.run([program, "training-step", "--json=-", *options], capture_output=True, check=True).stdout)["stages"][0]
        steps = {step["name"]: torch.tensor(step["data"]) for step in stage["steps"]}
        weights = {name[:-2]: torch.nn.Parameter(x) for name, x in steps.items() if name[:2] in ("W_", "b_") and name.endswith("_1")}
        optimizer = torch.optim.SGD(weights.values(), lr=stage["parameters"]["lr"])
        torch.set_grad_enabled(True)
        for number in range(2, 5):
            inputs = steps["inputs"]
            queries, keys, values = (inputs @ weights[f"W_{kind}"].T for kind in ("query", "key", "value"))
            if "b_query" in weights:
                queries, keys, values = queries + weights["b_query"], keys + weights["b_key"], values + weights["b_value"]
            hidden = torch.triu(torch.ones(len(inputs), len(inputs)), diagonal=1).bool()
            scores = (queries @ keys.T).masked_fill(hidden, -torch.inf) / keys.shape[-1] ** 0.5
            optimizer.zero_grad()
            (torch.softmax(scores, dim=-1) @ values).square().mean().backward()
            optimizer.step()
            for name, weight in weights.items():
                assert weight.equal(steps[f"{name}_{number}"]), (options, name, number, weight, steps[f"{name}_{number}"])
        assert steps["losses"][0] > steps["losses"][3], steps["losses"]


def main():
    program = sys.argv[2]
    torch.manual_seed(15)
    check_training(program)
    check_mistakes(program)
    stages = trained_stages(program)
    assert len(stages) >= 10, stages
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    for name in stages:
        check_numpy(program, name)
        rng, count = random.Random(15), Count()
        count.gradients = count.cells = count.exported = 0
        settings = ["d-out below 8" if setting == "d-out" else setting for setting in STAGES[name]]
        for options, lesson in random_runs(name, settings, rng, runs):
            loss = rng.choice([[], ["--loss=mean"], ["--loss=mse"]])
            compare(*check(program, name, [*options, "--backward", *loss], lesson, count), count)
        print(
            f"{name}: {count.transcripts} transcripts, {count.gradients} gradients, {count.cells} numbers: by hand all in "
            f"autograd's bits, exported {count.exported} in others; printed {count.last_digit} off by one in the last digit, {count.scientific} further off in a scientific column, "
            f"{count.noise} in what is noise"
        )
        assert count.transcripts == runs
        if runs == 20:
            different = (count.exported, count.last_digit, count.scientific, count.noise)
            assert all(a <= b for a, b in zip(different, DIFFERENT.get(name, (0, 0, 0, 0)))), (name, different)


if __name__ == "__main__":
    main()
