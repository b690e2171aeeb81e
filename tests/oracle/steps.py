"""Each step shown by itself, with the lines it takes and no others, is still the same tensor where its code is run.
Arguments: the probe's path (unused), the program.
"""

import json
import subprocess
import sys

from oracle import numpy, torch
from runs import STAGES, flat

OPTIONS = ([], ["--code=numpy"], ["--dropout-rng=mkl"])  # with --backward every line is taken


def trace(program, *arguments):
    answer = subprocess.run([program, *arguments, "--json=-"], capture_output=True, text=True)
    return json.loads(answer.stdout)["stages"][0] if answer.returncode == 0 else None


def as_tensor(value):
    return value.detach() if isinstance(value, torch.Tensor) else torch.tensor(numpy.float32(value))


def lines(stage):
    return "\n".join(stage["setup"] + [line for step in stage["steps"] for line in step["code"]])


def main():
    program, count, shorter = sys.argv[2], 0, 0
    for name in STAGES:
        for options in OPTIONS:
            whole = trace(program, name, *options)
            if whole is None:  # a stage without dropout
                assert options == OPTIONS[2]
                continue
            for step in whole["steps"]:
                alone = trace(program, name, *options, f"--step={step['name']}")
                namespace = {}
                exec(lines(alone), namespace)
                numbers = torch.tensor([float(x) for x in flat(step["data"])])
                found = as_tensor(namespace[step["name"]]).flatten().float()
                assert torch.allclose(found, numbers, rtol=1e-4, atol=1e-5, equal_nan=True), (name, options, step["name"])
                count += 1
                shorter += len(lines(alone)) < len(lines(whole))
    print(f"{count} steps by themselves, {shorter} of them with fewer lines")
    assert count > 400 and shorter > count * 3 / 4


if __name__ == "__main__":
    main()
