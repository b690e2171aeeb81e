"""Holds the gradients of `--backward` against autograd: what the by-hand lines give in PyTorch, and what is exported, has
the bits of `X.grad`; what is printed is what PyTorch prints.

The runs differ at random in seed, widths, bias, dropout, weights and lesson. Where BLAS splits a product, or takes its
terms in another order, our numbers may differ from PyTorch's in their last bits: by one unit of the last printed digit.
Arguments: the probe (unused), the program, and how many runs of each stage; 20 unless given.
"""

import json
import random
import subprocess
import sys

from oracle import numpy, torch
from runs import STAGES, flat
from transcripts import Count, check, random_runs, same_specials


def trained_stages(program):
    """The stages that know --backward, as the program lists them to whom it refuses it."""
    refusal = subprocess.run([program, "simplified", "--backward"], capture_output=True, text=True)
    assert refusal.returncode == 2, refusal
    return [name.strip() for name in refusal.stderr.split("these do:")[1].split(".")[0].split(",")]


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


def main():
    program = sys.argv[2]
    torch.manual_seed(15)
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
        assert count.last_digit <= count.numbers / 400 and count.scientific <= count.numbers / 2000


if __name__ == "__main__":
    main()
