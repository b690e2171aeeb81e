"""Holds the library and the program against PyTorch where float32 ends: overflow, NaN, subnormals, -0., rows masked whole,
scores that are all equal, and the smallest shapes there are. Which number is NaN, which infinite and which sign a zero has
is never a matter of rounding. What a lesson may not hold is refused with exit 2.

The kernels of every instruction-set level this processor has are asked, and two threads: none may flush subnormals to
zero. ATTN_EXTREMES is how many runs of the program are made. Arguments: the probe, the program.
"""

import collections
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from oracle import Probe, numpy, torch
from formats import write_safetensors
from runs import STAGES, random_options
from transcripts import WEIGHTS, Count, check, random_weights

RUNS = int(os.environ.get("ATTN_EXTREMES", "600"))
LARGEST = torch.finfo(torch.float32).max
SUBNORMAL = [1e-40, -1e-40, 1.4e-45, -1.4e-45, 1.17e-38]
ZEROS = [0.0, -0.0]
HUGE = [1e38, 3e38, -3e38, LARGEST, -LARGEST]

# What a tensor is made of. All but the last kind are finite, so that a lesson may hold them.
KINDS = {
    "huge": lambda rng: rng.choice([*HUGE, rng.uniform(-1, 1)]),
    "squares overflow": lambda rng: rng.uniform(-1, 1) * 10 ** rng.choice([18, 19, 20]),
    "subnormal": lambda rng: rng.choice([*SUBNORMAL, *ZEROS]),
    "subnormal beside ordinary": lambda rng: rng.choice([*SUBNORMAL, *ZEROS, 1.0, rng.uniform(-1, 1)]),
    "products are subnormal": lambda rng: rng.uniform(-1, 1) * 10 ** rng.choice([-19, -21, -22]),
    "zeros of both signs": lambda rng: rng.choice(ZEROS),
    "zeros beside ordinary": lambda rng: rng.choice([*ZEROS, 1.0, -1.0, rng.uniform(-1, 1)]),
    "all equal": None,
    "from end to end": lambda rng: rng.choice([*HUGE, *SUBNORMAL, *ZEROS, 1.0, rng.uniform(-100, 100)]),
    "not finite": lambda rng: rng.choice([*HUGE, *SUBNORMAL, *ZEROS, math.inf, -math.inf, math.nan, rng.uniform(-100, 100)]),
}
FINITE = [kind for kind in KINDS if kind != "not finite"]


def numbers(kind, rng, *shape):
    """Nested lists."""
    draw = KINDS[kind]
    if draw is None:
        value = rng.choice([*HUGE, *SUBNORMAL, *ZEROS, 1.0, 0.3])
        draw = lambda _: value
    return [numbers_of(draw, rng, shape[1:]) for _ in range(shape[0])]


def numbers_of(draw, rng, shape):
    return [numbers_of(draw, rng, shape[1:]) for _ in range(shape[0])] if shape else draw(rng)


def tensor(kind, rng, *shape):
    """Float32; of what is not finite, every other one has rows that are masked whole."""
    x = torch.tensor(numbers(kind, rng, *shape), dtype=torch.float64).float()
    if kind == "not finite" and rng.random() < 0.5:
        x[torch.tensor([rng.random() < 0.25 for _ in range(shape[0])])] = -torch.inf
    return x


def levels():
    with open("/proc/cpuinfo") as file:
        flags = set(next(line for line in file if line.startswith("flags")).split())
    yield "baseline"
    if {"avx2", "fma", "bmi1", "bmi2"} <= flags:
        yield "v3"
        if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= flags:
            yield "v4"


class Tally:
    """Counts the numbers compared and what they were."""

    def __init__(self):
        self.compared = collections.Counter()
        self.seen = collections.Counter()

    def compare(self, subject, answer, theirs, *operands):
        ours = torch.from_numpy(numpy.array([int(word, 16) for word in answer.split()], dtype=numpy.uint32).view(numpy.float32))
        theirs = theirs.contiguous().flatten()
        same = (ours.view(torch.int32) == theirs.view(torch.int32)) | (ours.isnan() & theirs.isnan())
        if "max" in subject:  # of 0. and -0. PyTorch takes the one or the other by where they stand in a vector
            same |= (ours == 0) & (theirs == 0)
        if not same.all():
            sys.exit(f"{subject} of {operands}: ours\n{ours[~same]}\nPyTorch's\n{theirs[~same]}")
        self.compared[subject.split()[0]] += len(ours)
        magnitude = ours.abs()
        self.seen["nan"] += int(ours.isnan().sum())
        self.seen["inf"] += int(magnitude.isinf().sum())
        self.seen["subnormal"] += int(((magnitude > 0) & (magnitude < 2.0**-126)).sum())
        self.seen["-0."] += int(((ours == 0) & ours.signbit()).sum())


def kernels(probe, level, tally, rng):
    binary = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "maximum": torch.maximum}
    unary = {"exp": torch.exp, "sqrt": torch.sqrt, "abs": torch.abs}
    for number in range(150):
        kind = list(KINDS)[number % len(KINDS)]
        n, k, m = (rng.choice([1, 1, 2, 3, 5, 7]) for _ in range(3))
        wide = rng.choice([1, 2, 7, 8, 9, 16, 31, 32, 33, 40, 64, 100])
        x, row = tensor(kind, rng, n, wide), tensor(kind, rng, rng.choice([1, n]), rng.choice([1, wide]))
        for name, function in binary.items():
            tally.compare(f"{name} at {level}", probe.ask(name, x, row), function(x, row), x, row)
        for name, function in unary.items():
            tally.compare(f"{name} at {level}", probe.ask(name, x), function(x), x)
        for axis in (-1, 0):
            tally.compare(f"sum along {axis} at {level}", probe.ask("sum", axis, x), x.sum(axis), x)
            tally.compare(f"amax along {axis} at {level}", probe.ask("amax", axis, x), x.amax(axis), x)
            tally.compare(f"softmax along {axis} at {level}", probe.ask("softmax", axis, x), torch.softmax(x, axis), x)
        for name, function in (("tril", torch.tril), ("triu", torch.triu)):
            diagonal = rng.randint(-2, 2)
            tally.compare(f"{name} at {level}", probe.ask(name, diagonal, x), function(x, diagonal), x)
        mask = torch.tensor(numbers_of(lambda rng: float(rng.random() < 0.5), rng, (n, wide)))
        filled = x.masked_fill(mask.bool(), -torch.inf)
        tally.compare(f"masked_fill at {level}", probe.ask("masked_fill", x, mask), filled, x)
        tally.compare(f"softmax of a masked tensor at {level}", probe.ask("softmax", -1, filled), torch.softmax(filled, -1), filled)
        a, b = tensor(kind, rng, n, k), tensor(kind, rng, k, m)
        tally.compare(f"matmul at {level}", probe.ask("matmul", a, b), a @ b, a, b)
        a, b = tensor(kind, rng, 2, n, k), tensor(kind, rng, 2, k, m)
        tally.compare(f"matmul in batches at {level}", probe.ask("matmul", a, b), a @ b, a, b)
        for p in (0, 1):  # what is dropped from inf is NaN
            torch.manual_seed(number)
            tally.compare(f"dropout at {level}", probe.ask("dropout", number, p, x), torch.dropout(x, p, True), x)


def large(probe, level, tally, rng):
    """Enough to be packed, tiled and shared out. Sums of few multiples of the smallest subnormal are exact, in any order."""
    smallest = 2.0**-149
    for n, k, m in ((97, 300, 101), (160, 161, 163), (40, 900, 65)):
        a = torch.randint(-9, 10, (n, k)).float() * smallest
        b = torch.randint(-3, 4, (k, m)).float()
        tally.compare(f"matmul of subnormals at {level}", probe.ask("matmul", a, b), a @ b)
        a[:, rng.randrange(k)], b[rng.randrange(k), :] = 3.0, 0.0
        for value in (torch.nan, torch.inf):
            a[rng.randrange(n), rng.randrange(k)] = value
        tally.compare(f"matmul with NaN and inf at {level}", probe.ask("matmul", a, b), a @ b)
    for shape in ((300, 301), (3, 40_000)):
        x = torch.randn(shape) * 30  # exp goes down to the subnormals
        x[torch.rand(shape) < 0.2] = -torch.inf
        x[0] = -torch.inf
        x[-1, -1] = torch.nan
        x[1] = torch.linspace(-104, 0, shape[1])
        tally.compare(f"softmax of many rows at {level}", probe.ask("softmax", -1, x), torch.softmax(x, -1))


def lesson_of(kind, rng):
    tokens, width = rng.choice([(1, 1), (1, rng.randint(1, 7)), (rng.randint(1, 7), 1), (rng.randint(2, 7), rng.randint(2, 7))])
    return {"tokens": [f"t{i}" for i in range(tokens)], "embeddings": numbers(kind, rng, tokens, width)}


def weights_of(kind, name, width, rng):
    """Weights of the kind for the stage, and the options that fit them."""
    weights, options = random_weights(name, width, rng)
    shapes = {key: numpy.shape(value) for key, value in weights.items()}
    return {key: numbers(kind, rng, *shape) for key, shape in shapes.items()}, options


def options_of(name, rng):
    """Random ones, with every size 1 now and then and always for stages whose numbers cannot be chosen."""
    options = [o for o in random_options([o for o in STAGES[name] if o not in ("context-length", "tokens", "window", "short-length")], rng) if o != "--precision=5"]
    if "input" not in STAGES[name] or rng.random() < 0.3:
        options = [o for o in options if not o.startswith(("--d-out=", "--heads=", "--kv-heads=", "--batch=", "--rotary"))]
        taken = " ".join(STAGES[name]).replace("d-model", "d-out")
        options += [f"--{size}=1" for size in ("d-out", "heads", "batch") if size in taken.replace("d-out in pairs", "")]
        options += ["--d-out=2"] * ("d-out in pairs" in taken)
        options += ["--kv-heads=1"] * ("groups of heads" in taken)
    if "dropout" in STAGES[name] and rng.random() < 0.3:
        options = [o for o in options if not o.startswith("--dropout=")] + [f"--dropout={rng.choice([0, 1])}"]
    return options


def runs(program, folder, rng):
    """Every stage in turn, with lessons and weights of every kind."""
    count, numbers_of_stage = Count(), collections.Counter()
    for run in range(RUNS):
        name = list(STAGES)[run % len(STAGES)]
        kind = rng.choice(FINITE)
        lesson = lesson_of(kind, rng) if "input" in STAGES[name] else None
        options = options_of(name, rng)
        if name in WEIGHTS and rng.random() < 0.4:
            weights, options = weights_of(rng.choice([kind, *FINITE]), name, len(lesson["embeddings"][0]), rng)
            (folder / "weights.json").write_text(json.dumps(weights))
            options.append(f"--weights={folder / 'weights.json'}")
        before = count.numbers
        check(program, name, options, lesson, count)
        numbers_of_stage[name] += count.numbers - before
    print(
        f"{count.transcripts} transcripts, {count.steps} steps, {count.numbers} numbers: {count.last_digit} off by one in the "
        f"last printed digit, {count.scientific} further off in a scientific column, {count.bits} in other bits; {count.nan} are NaN"
    )
    assert count.nan > count.numbers / 1000
    assert len(numbers_of_stage) == len(STAGES) and min(numbers_of_stage.values()) > 20, numbers_of_stage


def refused(program, *arguments, lesson=None):
    answer = subprocess.run([program, *map(str, arguments)], input=lesson, capture_output=True, text=True)
    assert (answer.returncode, answer.stdout) == (2, ""), (arguments, answer.stderr)
    return answer.stderr


def refusals(program, folder):
    """A lesson and weights are finite: NaN, inf and what float32 cannot hold have a message that says where they are."""
    count = 0
    for value in (math.nan, -math.nan, math.inf, -math.inf, 1e39, -3.5e38):
        x = numpy.full((3, 4), 0.5)
        x[1, 2] = value
        words = "expected a finite number within float32's range"
        for dtype in ("<f8",) if math.isfinite(value) else ("<f4", "<f8"):
            for file, where in (("x.npy", "/1/2"), ("x.npz", "/inputs/1/2"), ("x.safetensors", "/inputs/1/2")):
                write(folder / file, x.astype(dtype))
                message = refused(program, "causal", "--input", folder / file)
                assert f"{file}: at {where}: {words}" in message and message.count("\n") == 1, message
                weights = {f"W_{name}.weight": x.astype(dtype) for name in ("query", "key", "value")}
                if file != "x.npy":
                    write(folder / file, **weights)
                    message = refused(program, "causal", "--input=-", "--weights", folder / file, lesson=json.dumps({"tokens": ["a"], "embeddings": [[1, 2, 3, 4]]}))
                    assert f"at /W_query.weight/1/2: {words}" in message and message.count("\n") == 1, message
                count += 1
        message = refused(program, "causal", "--input=-", lesson=json.dumps({"tokens": ["a", "b"], "embeddings": [[1, 2], [3, value]]}))
        assert "standard input" in message, message
        count += 1
    print(f"{count} lessons that are not finite refused")


def write(path, *array, **arrays):
    arrays = arrays or {"inputs": array[0]}
    if path.suffix == ".npy":
        numpy.save(path, array[0])
    elif path.suffix == ".npz":
        numpy.savez(path, **arrays)
    else:
        write_safetensors(path, {name: torch.from_numpy(x) for name, x in arrays.items()})


def main():
    torch.manual_seed(31)
    probe, program = sys.argv[1:3]
    tally = Tally()
    for level in levels():
        os.environ["ATTN_ISA"] = level  # of the probe, and of what is left to run of the program
        kernels(Probe(probe), level, tally, random.Random(31))
        large(Probe(probe), level, tally, random.Random(31))
    print(", ".join(f"{name} {count}" for name, count in tally.compared.items()))
    print(", ".join(f"{count} {name}" for name, count in tally.seen.items()))
    assert min(tally.seen.values()) > 1000
    del os.environ["ATTN_ISA"]
    with tempfile.TemporaryDirectory() as name:
        runs(program, pathlib.Path(name), random.Random(31))
        refusals(program, pathlib.Path(name))


if __name__ == "__main__":
    main()
