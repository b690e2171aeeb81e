"""Runs what the program exports, set-up and code lines, in PyTorch, and holds what PyTorch prints for every step
against `printed`.

The runs differ in seed, widths, bias, dropout and lesson, drawn from one seed. A number may differ by one unit in its
last printed digit, which PyTorch's own builds disagree on, and in a scientific column, where a small number may be what
is left of large ones, by a few float32 roundings of the largest (ROUNDINGS). How many did is known (DIFFERENT): one more
fails.
Arguments: the probe (unused), the program.
"""

import json
import random
import re
import subprocess
import sys
import tempfile

from oracle import numpy, torch
from runs import STAGES, command_line, flat, listed, random_lesson, random_options

RUNS = 60  # of each stage
NUMBER = re.compile(r"-?\d+\.\d*(?:e[+-]\d+)?|-?inf|nan")


WEIGHTS = {"trainable", "linear", "causal", "causal-batch", "multi-head", "leakage", "streaming"}  # stages run with weights of their own


def random_weights(name, width, rng):
    """A state_dict for the stage, and the options that fit it."""

    def numbers(*sizes):
        return (torch.rand(sizes) * 2 - 1).tolist()

    d_out, bias = rng.randint(1, 6), rng.random() < 0.5
    projections = [rng.choice([f"W_{kind}", f"W_{kind[0]}"]) for kind in ("query", "key", "value")]
    if name == "trainable":
        return {key: numbers(width, d_out) for key in projections}, []
    weights = {f"{key}.weight": numbers(d_out, width) for key in projections}
    if bias:
        weights |= {f"{key}.bias": numbers(d_out) for key in projections}
    if name == "multi-head":
        weights |= {"out_proj.weight": numbers(d_out, d_out), "out_proj.bias": numbers(d_out)}
        return weights, [f"--heads={rng.choice([h for h in range(1, d_out + 1) if d_out % h == 0])}"]
    return weights, []


def one_unit_apart(ours, theirs):
    """Whether two printed numbers differ by one in their last digit only."""
    if ours == theirs:
        return True
    mantissas = [text.partition("e") for text in (ours, theirs)]
    if mantissas[0][1:] != mantissas[1][1:] or not all("." in m[0] for m in mantissas):
        return False
    digits = [int(m[0].replace(".", "")) for m in mantissas]
    return abs(digits[0] - digits[1]) <= 1


# How many roundings of its largest number a column may be off by; sums of 512 products collect more of them.
ROUNDINGS = {"causal-self-attention": 16}
FEW_ROUNDINGS = 4


def layout(printed):
    return re.sub(" *#", "#", NUMBER.sub("#", printed))


def largest(tensor):
    finite = tensor.detach()[tensor.isfinite()]
    return float(finite.abs().max()) if finite.numel() else 0.0


def rounding_apart(ours, theirs, scale, roundings):
    return "e" in ours and abs(float(ours) - float(theirs)) <= roundings * 2**-24 * scale


# Of each stage's numbers, how many differ: by one in the last printed digit, further in a scientific column, in their bits.
# BLAS adds products of 8 and more columns in its own order, and NumPy's exp is its own; nothing else differs.
DIFFERENT = {
    "simplified": (8, 0, 685),
    "trainable": (6, 1, 148),
    "linear": (7, 0, 759),
    "causal": (20, 0, 940),
    "causal-batch": (4, 2, 277),
    "multi-head-wrapper": (15, 0, 225),
    "multi-head": (28, 0, 1095),
    "causal-self-attention": (436, 129, 229780),
    "numpy": (13, 4, 1616),
    "streaming": (9, 1, 999),
    "masks": (2, 0, 366),
    "kv-cache": (2, 0, 314),
    "sliding-window": (2, 0, 416),
    "grouped-query": (28, 4, 6923),
}


class Count:
    transcripts = steps = numbers = last_digit = scientific = noise = bits = nan = 0


def check(program, name, options, lesson, count):
    command = command_line(program, name, options, lesson)
    torch.set_printoptions(profile="default")
    torch.set_grad_enabled(True)
    answer = subprocess.run(command, input=json.dumps(lesson), capture_output=True, text=True)
    assert answer.returncode == 0, (command, answer.stderr)
    stage = json.loads(answer.stdout)["stages"][0]
    namespace = {}
    exec("\n".join(stage["setup"]), namespace)
    count.transcripts += 1
    for step in stage["steps"]:
        exec("\n".join(step["code"]), namespace)
        tensor = as_tensor(namespace[step["name"]])
        theirs = str(tensor)
        count.steps += 1
        count.numbers += tensor.numel()
        data = torch.tensor([float(x) for x in flat(step["data"])])
        count.nan += int(data.isnan().sum())
        if not same_specials(data, tensor.detach().flatten()):
            sys.exit(f"{' '.join(command)}\n{step['name']}: NaN, inf or -0. where PyTorch has none: ours\n{data}\nPyTorch's\n{tensor}")
        count.bits += int((data != tensor.detach().flatten()).logical_and(~data.isnan()).sum())
        if step["printed"] == theirs:
            continue
        differing = [p for p in zip(NUMBER.findall(step["printed"]), NUMBER.findall(theirs)) if p[0] != p[1]]
        if "autograd" in step and step["name"].startswith("b_k"):  # softmax ignores it: all that is left of it is noise
            count.noise += len(differing)
            continue
        far = [p for p in differing if not one_unit_apart(*p)]
        scale = largest(tensor)
        # Gradients are differences, and may be what is left of the larger ones they came from.
        if "autograd" in step or step["name"] == "row_by_jacobian":
            scale = max(largest(namespace[other["name"]]) for other in stage["steps"] if other["name"] in namespace)
        same_layout = layout(step["printed"]) == layout(theirs)
        if not same_layout or not all(rounding_apart(*p, scale, ROUNDINGS.get(name, FEW_ROUNDINGS)) for p in far):
            sys.exit(f"{' '.join(command)}\n{step['name']}: ours\n{step['printed']}\nPyTorch's\n{theirs}")
        count.last_digit += len(differing) - len(far)
        count.scientific += len(far)
    return stage, namespace


def same_specials(ours, theirs):
    """Whether the same numbers are NaN and infinite, and zeros that both have are of one sign."""
    infinite, zeros = ours.isinf(), (ours == 0) & (theirs == 0)
    return (
        ours.isnan().equal(theirs.isnan())
        and infinite.equal(theirs.isinf())
        and ours[infinite].equal(theirs[infinite])
        and ours.signbit()[zeros].equal(theirs.signbit()[zeros])
    )


def as_tensor(value):
    return value if isinstance(value, torch.Tensor) else torch.from_numpy(numpy.float32(value))


def random_runs(name, options, rng, runs=RUNS):
    """Options and a lesson for each run: every other one has a lesson of its own, every third brings its weights."""
    for run in range(runs):
        own_lesson = "input" in options and run % 2
        lesson = random_lesson(rng) if own_lesson else None
        if name in WEIGHTS and run % 3 == 0:
            weights, fitting = random_weights(name, len(lesson["embeddings"][0]) if lesson else 3, rng)
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                json.dump(weights, file)
                file.flush()
                yield [f"--weights={file.name}", *fitting], lesson
        else:
            yield random_options(options, rng, lesson), lesson


def main():
    program = sys.argv[2]
    torch.manual_seed(20)
    assert listed(subprocess.run([program, "list"], capture_output=True, text=True).stdout) == list(STAGES), "every stage has its transcripts"
    for name, options in STAGES.items():
        rng, count = random.Random(20), Count()
        for run_options, lesson in random_runs(name, options, rng):
            check(program, name, run_options, lesson, count)
        print(
            f"{name}: {count.transcripts} transcripts, {count.steps} steps, {count.numbers} numbers: {count.last_digit} off "
            f"by one in the last printed digit, {count.scientific} further off in a scientific column, {count.bits} in "
            "other bits"
        )
        assert count.steps > RUNS
        different = (count.last_digit, count.scientific, count.bits)
        assert all(a <= b for a, b in zip(different, DIFFERENT.get(name, (0, 0, 0)))), (name, different)


if __name__ == "__main__":
    main()
