"""Compares thousands of random tensors with PyTorch's, as printed text: steps of all stages, and operations.

$ATTN_TENSORS sets their number, and $ATTN_TENSORS_SEED draws others."""

import os
import random

# These kernels of OpenBLAS add up to 24 terms in our order. Haswell's, where other tests run, split some
# sums.
with open("/proc/cpuinfo") as cpuinfo:
    if "avx512f" in cpuinfo.read():
        os.environ["OPENBLAS_CORETYPE"] = "SkylakeX"

from oracle import CORE, Probe, Products, is_2_6, torch
from print_tensor import KINDS, choose, draw, integer, options, shape
from runs import STAGES, trained_stages
from transcripts import MOST_ROUNDINGS, Count, check, random_runs

COUNT = int(os.environ.get("ATTN_TENSORS", 1000))
SEED = int(os.environ.get("ATTN_TENSORS_SEED", 46))
# The operations below multiply without numbers so large that sums overflow.
FINITE = [kind for kind in KINDS if kind not in ("largest", "any bits")]


def operands():
    """Returns a random tensor with at least one axis and one number."""
    while True:
        size = shape()
        if size and 0 not in size:
            return KINDS[choose(FINITE)](size)


def softmax(x):
    axis = integer(0, x.dim() - 1)
    return torch.softmax(x, axis), "softmax", x, axis


def softmax_gradient(x):
    grad, output = torch.randn(x.shape, generator=draw), torch.softmax(x.detach(), -1)
    torch.softmax(x, -1).backward(grad)
    return x.grad, "softmax_backward", grad, output


def total(x):
    axis = integer(0, x.dim() - 1)
    return x.sum(axis), "sum", x, axis


def mean(x):
    axis = integer(0, x.dim() - 1)
    return x.mean(axis), "mean", x, axis


def dropout(x):
    seed, p = integer(0, 2**31), choose([0.1, 0.25, 0.5, 0.9, integer(1, 999) / 1000])
    torch.manual_seed(seed)
    return torch.dropout(x, p, True), "dropout", seed, x, p


def product(x):
    x = x.flatten(0, -2) if x.dim() > 1 else x.unsqueeze(0)
    y = torch.randn(x.shape[1], integer(1, 12), generator=draw)
    return x @ y, "matmul", x, y


OPERATIONS = [softmax, softmax_gradient, total, mean, dropout, product]


@torch.enable_grad()
def test_operations():
    """Sums of any length have PyTorch's order, and so have products of up to 24 terms."""
    draw.manual_seed(SEED)
    probe, compared, differing, long = Probe(), 0, [], 0
    while compared < COUNT // 2:
        operation = choose(OPERATIONS)
        x = operands().requires_grad_(operation is softmax_gradient or integer(0, 1) == 1)
        products = Products()
        with products:
            theirs, name, *arguments = operation(x)
        if not products.in_order:
            long += 1
            continue
        grad_fn = type(theirs.grad_fn).__name__ if theirs.grad_fn is not None else "-"
        chosen = options()
        torch.set_printoptions(**chosen)
        ours = probe.bits(name, *arguments).view(theirs.shape)
        printed = probe.ask("print", *chosen.values(), grad_fn, theirs.requires_grad, False, ours)
        if printed != str(theirs):
            differing.append((name, tuple(x.shape), arguments[1:], chosen, printed, str(theirs)))
        compared += 1
    print(f"{compared} results of operations compared, and {long} with sums in another order left out")
    assert not differing, (len(differing), differing[:3])


def test_steps_of_stages():
    """Compares the text that the program prints. It differs only after a sum whose order is BLAS's own.

    `check` bounds by how much. Of 10,000 steps, 50 differ, all after sums of more than 24 terms."""
    torch.manual_seed(SEED)
    rng, count = random.Random(SEED), Count()
    cases = [(name, STAGES[name], []) for name in STAGES]
    cases += [(name, STAGES[name], ["--backward"]) for name in trained_stages()]
    rng.shuffle(cases)
    while count.steps < COUNT // 2:
        name, settings, backward = cases[0]
        cases.append(cases.pop(0))
        for chosen, lesson in random_runs(name, settings, rng, 2):
            loss = rng.choice([[], ["--loss=mean"], ["--loss=mse"]]) if backward else []
            check(name, [*chosen, *backward, *loss], lesson, count)
    print(f"{count.steps} steps compared, {count.texts} texts differ: {count.last_digit} numbers in the last")
    print(f"digit, {count.scientific} further in a scientific column, {count.noise} of the keys' bias;")
    print(f"at most by {count.roundings:.1f} rounding errors of the largest number")
    assert count.roundings <= MOST_ROUNDINGS
    assert not is_2_6 or CORE != "SkylakeX" or count.texts <= count.steps / 100
