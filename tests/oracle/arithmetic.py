"""Compares the generator and the kernels with PyTorch and NumPy, bit for bit."""

import collections
import random

import pytest

from oracle import Probe, is_1_13, numpy, same, torch

# Where PyTorch rounds differently, the numbers must be close: its BLAS splits some sums in two from 8 columns
# and 8 terms on, and the C library's powf is off by one bit for one number in thousands.
CLOSE = {"rtol": 2e-6, "atol": 2e-6, "equal_nan": True}


class Comparison:
    """Sends commands to the probe, and counts the numbers compared for each subject."""

    def __init__(self):
        self.probe, self.rng, self.counts = Probe(), random.Random(7), collections.Counter()
        torch.manual_seed(0)
        numpy.seterr(all="ignore")  # overflow and NaN are intended

    def same(self, theirs, *command, close=False, part=slice(None)):
        theirs = torch.as_tensor(theirs).detach().contiguous().flatten()
        ours = self.probe.bits(*command)[part]
        if close:
            torch.testing.assert_close(ours, theirs, **CLOSE)
        else:
            assert same(ours, theirs).all(), command
        self.counts[command[0]] += theirs.numel()


@pytest.fixture
def held():
    comparison = Comparison()
    yield comparison
    print(*comparison.counts.items())
    assert min(comparison.counts.values()) > 1000


def test_draws(held):
    rng = held.rng
    for _ in range(60):
        seed, count = rng.randrange(2**64), rng.choice([1, 2, 7, 15, 16, 17, 31, 32, 100, 1600])
        drawn = lambda draw: (torch.manual_seed(seed), draw())[1]
        held.same(drawn(lambda: torch.rand(count)), "rand", seed, count)
        held.same(drawn(lambda: torch.randn(count)), "randn", seed, count)
        if count == 1600:  # sometimes enough numbers to show rare bits
            held.same(drawn(lambda: torch.randn(20_000)), "randn", seed, 20_000)
        size, out, bias = rng.randint(1, 40), rng.randint(1, 40), rng.random() < 0.5
        layer = drawn(lambda: torch.nn.Linear(size, out, bias=bias))
        theirs = torch.cat([parameter.flatten() for parameter in layer.parameters()])
        held.same(theirs, "linear", seed, size, out, bias)
        p = rng.choice([0.1, 0.5, 0.9, rng.random()])
        held.same(drawn(lambda: torch.empty(count).bernoulli_(1 - p)), "keep_mask", seed, count, p)


def test_kernels(held):
    rng = held.rng
    for _ in range(400):
        rows, length = rng.randint(1, 5), rng.choice([rng.randint(1, 70), rng.randint(1, 3000)])
        x = torch.randn(rows, length) * rng.choice([0.01, 1, 1, 10, 80])
        if rng.random() < 0.3:
            x[torch.rand(x.shape) < 0.3] = -torch.inf
        held.same(torch.exp(x), "exp", x)
        for axis, of in (-1, x), (0, x), (0, x.view(-1, 1)):
            held.same(torch.softmax(of, axis), "softmax", of, axis)
        x = torch.randn(rows, length)
        for axis in (-1, 0):
            held.same(x.sum(axis), "sum", x, axis)
        x = torch.randn(rng.randint(1, 4), rng.randint(1, 40), rng.randint(1, 40))
        for axis in range(3):
            held.same(x.sum(axis), "sum", x, axis)
            held.same(x.mean(axis), "mean", x, axis)
    for _ in range(400):
        n, k, m = rng.randint(1, 12), rng.randint(1, 24), rng.randint(1, 12)
        split = min(k, m) >= 8 and n >= 4
        a, b = torch.randn(n, k), torch.randn(m, k)
        held.same(a @ b.T, "matmul", a, b.T, close=split)
        batch, heads = rng.randint(1, 3), rng.randint(1, 3)
        a, b = torch.randn(batch, heads, n, k), torch.randn(batch, heads, k, m)
        held.same(a @ b, "matmul", a, b, close=split and n * k * m >= 400)
        for a, b in (b, torch.randn(m)), (a, b[0, 0]), (a[0, 0, 0], b[0, 0]), (a[0, 0], b[0, 0, :, 0]):
            held.same(a @ b, "matmul", a, b, close=True)  # of other ranks


def test_sums_with_every_level_of_partial_sums(held):
    for rows, length in (1, 500), (1, 9000), (2, 140_000), (300, 9), (5000, 40):
        x = torch.randn(rows, length)
        for axis in (-1, 0):
            held.same(x.sum(axis), "sum", x, axis)


def test_batches_from_400_multiplications_on_are_fused(held):
    for _ in range(20):
        for n, k, m in (2, 10, 20), (2, 20, 10), (3, 7, 19), (3, 19, 7):
            a, b = torch.randn(3, n, k), torch.randn(3, k, m)
            held.same(a @ b, "matmul", a, b)


def test_exponentials_of_all_bits(held):
    x = torch.arange(-(2**31), 2**31, 4093, dtype=torch.int64).to(torch.int32).view(torch.float32)
    for part in x.split(100_000):
        held.same(torch.exp(part), "exp", part)


@pytest.mark.skipif(is_1_13, reason="PyTorch 1.13 has other sines and cosines")
# With a number beyond 125, vectors are reduced differently.
@pytest.mark.parametrize("furthest", [0.01, 1, 100, 125, 130, 1000, 1e5, 1e9])
def test_sines(furthest, held):
    x = (torch.rand(20_000, dtype=torch.float64) * 2 - 1).mul(furthest).float()
    for part in x.split([1, 7, 992, 9000, 10_000]):
        held.same(torch.sin(part), "sin", part)
        held.same(torch.cos(part), "cos", part)


def test_rotations(held):
    rng = held.rng
    for _ in range(600):
        base, width = rng.choice([10000, 500000, rng.uniform(1.1, 1e6)]), 2 * rng.randint(1, 128)
        exponents = torch.arange(0, width, 2).float() / width
        theirs, vectors = base**exponents, len(exponents) // 16 * 16
        for part in slice(vectors), slice(vectors, None):
            close = part.start is not None and base not in (10000, 500000)
            held.same(theirs[part], "pow", base, exponents, close=close, part=part)
    for _ in range(200):
        x = torch.randn(rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 9), 2 * rng.randint(1, 9))
        angles = torch.randn(rng.choice([1, x.shape[2]]), x.shape[3] // 2)
        c, s = torch.cos(angles), torch.sin(angles)
        a, b = x.chunk(2, dim=-1)
        held.same(torch.cat((a * c - b * s, a * s + b * c), dim=-1), "rotate_halves", x, c, s)
        a, b = x[..., 0::2], x[..., 1::2]
        turned = torch.stack((a * c - b * s, a * s + b * c), dim=-1)
        held.same(turned, "rotate_neighbours", x, c, s)


def test_numpy(held):
    rng = held.rng
    for _ in range(200):
        seed, count = rng.randrange(2**32), rng.choice([1, 2, 7, 100, 1601])
        numpy.random.seed(seed)
        held.same(numpy.float32(numpy.random.randn(count)), "numpy_randn", seed, count)
        for name, drawn in ("random", "random"), ("normal", "standard_normal"):
            theirs = getattr(numpy.random.default_rng(seed), drawn)(count)
            held.same(numpy.float32(theirs), "pcg64_" + name, seed, count)
        x = torch.randn(rng.randint(1, 4), rng.choice([rng.randint(1, 40), rng.randint(1, 3000)]))
        for axis in (0, 1):
            held.same(numpy.sum(x.numpy(), axis=axis), "numpy_sum", x, axis)
    for scale in (0.1, 1, 10, 40, 100):
        x = torch.randn(20_000) * scale
        held.same(numpy.exp(x.numpy()), "numpy_exp", x)
