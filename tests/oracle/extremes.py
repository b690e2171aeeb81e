"""Compares the library and the program with PyTorch at the limits of float32 and of sizes."""

import collections
import json
import math
import random

import pytest

from oracle import Probe, is_1_13, numpy, same, torch
from runs import STAGES, as_lesson, random_options
from transcripts import WEIGHTS, Count, check, check_differences, random_weights

RUNS = 28  # runs of each stage
LARGEST = torch.finfo(torch.float32).max
# How many numbers of each stage differ, as in transcripts.py, and in which steps: from 8 columns on, BLAS
# adds the products of an output projection in its own order, and NumPy's also those of a matrix with one
# column.
DIFFERENT = {"multi-head": (1, 1, 47), "numpy": (0, 0, 82), "grouped-query": (2, 0, 127)}
DIFFERING = {"out", "context_vec"}
SUBNORMAL = [1e-40, -1e-40, 1.4e-45, -1.4e-45, 1.17e-38]
ZEROS = [0.0, -0.0]
HUGE = [1e38, 3e38, -3e38, LARGEST, -LARGEST]

# The kinds of numbers in a tensor. All but the last are finite, so that a lesson may contain them.
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
    "not finite": lambda rng: rng.choice(
        [*HUGE, *SUBNORMAL, *ZEROS, math.inf, -math.inf, math.nan, rng.uniform(-100, 100)]
    ),
}
FINITE = [kind for kind in KINDS if kind != "not finite"]


def nested(draw, rng, *shape):
    return [nested(draw, rng, *shape[1:]) for _ in range(shape[0])] if shape else draw(rng)


def numbers(kind, rng, *shape):
    """Returns nested lists."""
    value = rng.choice([*HUGE, *SUBNORMAL, *ZEROS, 1.0, 0.3])
    return nested(KINDS[kind] or (lambda _: value), rng, *shape)


def tensor(kind, rng, *shape):
    """Returns float32 numbers. If some are not finite, every other tensor also has fully masked rows."""
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


class Comparison:
    """Sends a command to the probe, compares the answer with PyTorch, and counts the kinds of numbers."""

    def __init__(self, level):
        self.probe, self.seen = Probe(ATTN_ISA=level), collections.Counter()

    def same(self, theirs, *command):
        ours, theirs = self.probe.bits(*command), theirs.contiguous().flatten()
        agree = same(ours, theirs)
        if command[0] in ("amax", "maximum"):  # PyTorch's 0. or -0. depends on the place in a vector
            agree |= (ours == 0) & (theirs == 0)
        assert agree.all(), f"{command}: ours\n{ours[~agree]}\nPyTorch's\n{theirs[~agree]}"
        magnitude = ours.abs()
        self.seen["nan"] += int(ours.isnan().sum())
        self.seen["inf"] += int(magnitude.isinf().sum())
        self.seen["subnormal"] += int(((magnitude > 0) & (magnitude < 2.0**-126)).sum())
        self.seen["-0."] += int(((ours == 0) & ours.signbit()).sum())


def kernels(held, rng):
    for number in range(150):
        kind = list(KINDS)[number % len(KINDS)]
        n, k, m = (rng.choice([1, 1, 2, 3, 5, 7]) for _ in range(3))
        wide = rng.choice([1, 2, 7, 8, 9, 16, 31, 32, 33, 40, 64, 100])
        x, row = tensor(kind, rng, n, wide), tensor(kind, rng, rng.choice([1, n]), rng.choice([1, wide]))
        for name in "add sub mul div maximum".split():
            held.same(getattr(torch, name)(x, row), name, x, row)
        for shape in (1, n, 1, wide), (n, 1), (1,), ():  # broadcast with x
            other = torch.randn(shape)
            for name in "add sub mul div".split():
                held.same(getattr(torch, name)(other, x), name, other, x)
        for name in "exp sqrt abs".split():
            held.same(getattr(torch, name)(x), name, x)
        for axis in (-1, 0):
            held.same(x.sum(axis), "sum", x, axis)
            held.same(x.amax(axis), "amax", x, axis)
            held.same(torch.softmax(x, axis), "softmax", x, axis)
        for name in "tril triu".split():
            diagonal = rng.randint(-2, 2)
            held.same(getattr(torch, name)(x, diagonal), name, x, diagonal)
        mask = torch.tensor(nested(lambda rng: float(rng.random() < 0.5), rng, n, wide))
        filled = x.masked_fill(mask.bool(), -torch.inf)
        held.same(filled, "masked_fill", x, mask)
        held.same(torch.softmax(filled, -1), "softmax", filled, -1)
        for batch in (), (2,):
            a, b = tensor(kind, rng, *batch, n, k), tensor(kind, rng, *batch, k, m)
            held.same(a @ b, "matmul", a, b)
        for p in (0, 1):  # dropping inf gives NaN
            torch.manual_seed(number)
            held.same(torch.dropout(x, p, True), "dropout", number, x, p)


def large(held, rng):
    """Uses enough numbers for packing, tiling and threads."""
    # Sums of few multiples of the smallest subnormal are exact in any order.
    smallest = 2.0**-149
    for n, k, m in ((97, 300, 101), (160, 161, 163), (40, 900, 65)):
        a = torch.randint(-9, 10, (n, k)).float() * smallest
        b = torch.randint(-3, 4, (k, m)).float()
        held.same(a @ b, "matmul", a, b)
        a[:, rng.randrange(k)], b[rng.randrange(k), :] = 3.0, 0.0
        for value in (torch.nan, torch.inf):
            a[rng.randrange(n), rng.randrange(k)] = value
        held.same(a @ b, "matmul", a, b)
    for shape in ((300, 301), (3, 40_000)):
        x = torch.randn(shape) * 30  # exp reaches the subnormals
        x[torch.rand(shape) < 0.2] = -torch.inf
        x[0] = -torch.inf
        x[-1, -1] = torch.nan
        x[1] = torch.linspace(-104, 0, shape[1])
        held.same(torch.softmax(x, -1), "softmax", x, -1)


def lesson_of(kind, rng):
    tokens, width = rng.choice(
        [(1, 1), (1, rng.randint(1, 7)), (rng.randint(1, 7), 1), (rng.randint(2, 7), rng.randint(2, 7))]
    )
    return as_lesson(numbers(kind, rng, tokens, width))


def weights_of(kind, name, width, rng):
    """Returns weights of the kind for the stage, and the options that fit them."""
    weights, options = random_weights(name, width, rng)
    return {key: numbers(kind, rng, *numpy.shape(value)) for key, value in weights.items()}, options


# The smallest sizes, by option of a stage.
ONE = ["--d-out=1", "--heads=1"]
SMALLEST = {
    "d-out": ONE[:1], "d-out below 8": ONE[:1], "d-out in pairs": ["--d-out=2"], "heads": ONE[1:],
    "heads of d-out": ONE, "heads of d-model": ONE,
    "groups of heads": [ONE[1], "--kv-heads=1", "--rotary=none"],
    "batch": ["--batch=1"],
}  # fmt: skip


def options_of(name, rng):
    """Returns random options, of which the last of a name counts."""
    fixed = "context-length", "tokens", "window", "short-length"
    options = random_options([option for option in STAGES[name] if option not in fixed], rng)
    options = [option for option in options if option != "--precision=5"]
    # Sizes are always the smallest if the stage's numbers cannot be chosen.
    if "input" not in STAGES[name] or rng.random() < 0.3:
        options += [one for option in STAGES[name] for one in SMALLEST.get(option, [])]
    if "dropout" in STAGES[name] and rng.random() < 0.3:
        options.append(f"--dropout={rng.choice([0, 1])}")
    return options


# No level of instructions may flush subnormals to zero.
@pytest.mark.parametrize("level", levels())
def test_kernels(level):
    torch.manual_seed(31)
    held = Comparison(level)
    kernels(held, random.Random(31))
    large(held, random.Random(31))
    assert min(held.seen.values()) > 300


@pytest.mark.parametrize("name", STAGES)
def test_walks(name, tmp_path):
    """Runs the stages with lessons and weights of every kind."""
    rng, count = random.Random(31), Count()
    for _ in range(RUNS):
        kind = rng.choice(FINITE)
        lesson = lesson_of(kind, rng) if "input" in STAGES[name] else None
        options = options_of(name, rng)
        if name in WEIGHTS and rng.random() < 0.4:
            weights, options = weights_of(
                rng.choice([kind, *FINITE]), name, len(lesson["embeddings"][0]), rng
            )
            (tmp_path / "weights.json").write_text(json.dumps(weights))
            options.append(f"--weights={tmp_path / 'weights.json'}")
        check(name, options, lesson, count)
    assert count.steps > 20
    check_differences(count, DIFFERENT.get(name, (0, 0, 0)))
    # 1.13 rounds sines and cosines differently, and so the rotations of these stages.
    assert is_1_13 or count.differing <= DIFFERING
