"""Holds every number of every gradient of `--backward` against central differences in double: each number of each step is
moved a little both ways, all that is computed from it is computed again, and the loss moves as the gradient says.

Reports the largest error, as a share of the largest number among the gradients of its run.
Arguments: the probe (unused), the program.
"""

import json
import subprocess
import sys

from oracle import torch
from runs import STAGES, trained_stages

STEP = 1e-5
LARGEST_ERROR = 2e-6  # of gradients in float32, held against differences in double
RUNS = {  # of each stage that knows the options
    "": [],
    "with biases and other widths": ["--qkv-bias", "--d-out=4", "--dropout=0.3", "--dropout-rng=mkl"],
}


def forward_lines(stage):
    """The statements up to the loss, compiled, and the name that each assigns to."""
    statements = list(stage["setup"])
    for step in stage["steps"]:
        statements += step["code"]
        if step["name"] == "loss":
            break
    return [(statement.split(" = ")[0], compile(statement, stage["name"], "exec")) for statement in statements]


def loss(lines, leaves, moved=None, by=None):
    """The loss in double; one step is moved by a tensor once it is there. The leaves keep their float32 numbers."""
    torch.set_default_dtype(torch.float64)
    namespace = {}
    for name, line in lines:
        exec(line, namespace)
        if name in leaves:
            namespace[name] = leaves[name]
        if name == moved:
            namespace[name] = namespace[name] + by
    torch.set_default_dtype(torch.float32)
    return float(namespace["loss"])


def largest_error(stage):
    gradients = {step["autograd"][: -len(".grad")]: torch.tensor(step["data"], dtype=torch.float64) for step in stage["steps"] if "autograd" in step}
    scale = max(float(gradient.abs().max()) for gradient in gradients.values())
    lines, leaves = forward_lines(stage), {}
    namespace = {}
    for name, line in lines:
        exec(line, namespace)
    for name in gradients:
        if namespace[name].is_leaf:
            leaves[name] = namespace[name].detach().double()
    error, cells = 0.0, 0
    with torch.no_grad():
        for name, gradient in gradients.items():
            if name == "loss":
                continue
            for i in range(gradient.numel()):
                by = torch.zeros(gradient.numel(), dtype=torch.float64)
                by[i] = STEP
                by = by.view(gradient.shape)
                difference = (loss(lines, leaves, name, by) - loss(lines, leaves, name, -by)) / (2 * STEP)
                error = max(error, abs(difference - float(gradient.flatten()[i])) / scale)
                cells += 1
    return error, cells


def main():
    program = sys.argv[2]
    for name in trained_stages(program):
        if name == "causal-self-attention":
            runs = {"": ["--d-out=4", "--heads=2", "--batch=1"]}  # by default it has a million weights
        else:
            runs = RUNS
        for what, options in runs.items():
            known = {f"--{option.split()[0]}" for option in STAGES[name]} | {"--heads", "--d-out"}
            fitting = [option for option in options if option.split("=")[0] in known]
            command = [program, name, "--backward", "--json", "-", *fitting]
            answer = subprocess.run(command, capture_output=True, text=True)
            assert answer.returncode == 0, (command, answer.stderr)
            torch.set_grad_enabled(True)
            error, cells = largest_error(json.loads(answer.stdout)["stages"][0])
            print(f"{name} {what}: {cells} numbers, largest error {error:.1e} of the largest gradient")
            assert cells > 100 and error < LARGEST_ERROR, command


if __name__ == "__main__":
    main()
