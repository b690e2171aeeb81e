"""Compares the generator and the kernels with PyTorch and NumPy, bit for bit."""

import random

from oracle import Probe, numpy, same, torch


# Subjects where PyTorch rounds differently: its BLAS splits some sums in two from 8 columns and 8 terms on,
# and the C library's powf is off by one bit for one number in thousands. There the numbers must be close.
CLOSE = {"matmul, split sums", "batched matmul, split sums", "pow of any base, the rest"}


class Tally:
    """Counts, for each subject, the numbers compared and those whose bits differ."""

    def __init__(self):
        self.rows = {}

    def add(self, subject, ours, theirs):
        theirs = theirs.detach().contiguous().flatten()
        row = self.rows.setdefault(subject, [0, 0])
        row[0] += theirs.numel()
        row[1] += int((~same(ours, theirs)).sum())
        if subject in CLOSE:
            torch.testing.assert_close(ours, theirs, rtol=2e-6, atol=2e-6, equal_nan=True)

    def report(self):
        for subject, (numbers, different) in self.rows.items():
            print(f"{subject:28} {numbers:8} numbers, {different} differ")
        assert all(different == 0 for subject, (_, different) in self.rows.items() if subject not in CLOSE)


def draws(probe, tally, rng):
    for _ in range(60):
        seed, count = rng.randrange(2**64), rng.choice([1, 2, 7, 15, 16, 17, 31, 32, 100, 1600])
        torch.manual_seed(seed)
        tally.add("rand", probe.bits("rand", seed, count), torch.rand(count))
        torch.manual_seed(seed)
        tally.add(
            "randn below 16" if count < 16 else "randn", probe.bits("randn", seed, count), torch.randn(count)
        )
        if count == 1600:  # sometimes enough numbers to show rare bits
            torch.manual_seed(seed)
            tally.add("randn", probe.bits("randn", seed, 20_000), torch.randn(20_000))
        size, out, bias = rng.randint(1, 40), rng.randint(1, 40), rng.random() < 0.5
        torch.manual_seed(seed)
        layer = torch.nn.Linear(size, out, bias=bias)
        theirs = torch.cat([parameter.flatten() for parameter in layer.parameters()])
        tally.add("linear", probe.bits("linear", seed, size, out, bias), theirs)
        p = rng.choice([0.1, 0.5, 0.9, rng.random()])
        torch.manual_seed(seed)
        tally.add(
            "dropout mask", probe.bits("keep_mask", seed, p, count), torch.empty(count).bernoulli_(1 - p)
        )


def kernels(probe, tally, rng):
    for _ in range(400):
        rows, length = rng.randint(1, 5), rng.choice([rng.randint(1, 70), rng.randint(1, 3000)])
        x = torch.randn(rows, length) * rng.choice([0.01, 1, 1, 10, 80])
        if rng.random() < 0.3:
            x[torch.rand(x.shape) < 0.3] = -torch.inf
        tally.add("exp", probe.bits("exp", x), torch.exp(x))
        tally.add("softmax, last axis", probe.bits("softmax", -1, x), torch.softmax(x, -1))
        for x_wide in (x, x.view(-1, 1)):
            tally.add("softmax, other axis", probe.bits("softmax", 0, x_wide), torch.softmax(x_wide, 0))
        x = torch.randn(rows, length)
        tally.add("row sums", probe.bits("sum", -1, x), x.sum(-1))
        tally.add("column sums", probe.bits("sum", 0, x), x.sum(0))
        x = torch.randn(rng.randint(1, 4), rng.randint(1, 40), rng.randint(1, 40))
        for axis in range(3):
            tally.add("sums along an axis", probe.bits("sum", axis, x), x.sum(axis))
            tally.add("means along an axis", probe.bits("mean", axis, x), x.mean(axis))
    for _ in range(400):
        n, k, m = rng.randint(1, 12), rng.randint(1, 24), rng.randint(1, 12)
        split = ", split sums" if min(k, m) >= 8 and n >= 4 else ""
        a, b = torch.randn(n, k), torch.randn(m, k)
        tally.add("matmul" + split, probe.bits("matmul", a, b.T), a @ b.T)
        batch, heads = rng.randint(1, 3), rng.randint(1, 3)
        split = split if n * k * m >= 400 else ""
        a, b = torch.randn(batch, heads, n, k), torch.randn(batch, heads, k, m)
        tally.add("batched matmul" + split, probe.bits("matmul", a, b), a @ b)


def exponentials(probe, tally):
    x = torch.arange(-(2**31), 2**31, 4093, dtype=torch.int64).to(torch.int32).view(torch.float32)
    for part in x.split(100_000):
        tally.add("exp over all bits", probe.bits("exp", part), torch.exp(part))


def rotations(probe, tally, rng):
    for furthest in (
        0.01,
        1,
        100,
        125,
        130,
        1000,
        1e5,
        1e9,
    ):  # with a number beyond 125, vectors are reduced differently
        x = (torch.rand(20_000, dtype=torch.float64) * 2 - 1).mul(furthest).float()
        for part in x.split([1, 7, 992, 9000, 10_000]):
            tally.add("sin", probe.bits("sin", part), torch.sin(part))
            tally.add("cos", probe.bits("cos", part), torch.cos(part))
    for _ in range(600):
        base, width = rng.choice([10000, 500000, rng.uniform(1.1, 1e6)]), 2 * rng.randint(1, 128)
        exponents = torch.arange(0, width, 2).float() / width
        vectors = len(exponents) // 16 * 16
        ours = probe.bits("pow", base, exponents)
        tally.add("pow in vectors", ours[:vectors], (base**exponents)[:vectors])
        rest = "pow, the rest" if base in (10000, 500000) else "pow of any base, the rest"
        tally.add(rest, ours[vectors:], (base**exponents)[vectors:])
    for _ in range(200):
        x = torch.randn(rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 9), 2 * rng.randint(1, 9))
        angles = torch.randn(rng.choice([1, x.shape[2]]), x.shape[3] // 2)
        c, s = torch.cos(angles), torch.sin(angles)
        a, b = x.chunk(2, dim=-1)
        theirs = torch.cat((a * c - b * s, a * s + b * c), dim=-1)
        tally.add("rotation of halves", probe.bits("rotate_halves", x, c, s), theirs)
        # The formula as Hugging Face writes it.
        twice = x * torch.cat((c, c), -1) + torch.cat((-b, a), -1) * torch.cat((s, s), -1)
        tally.add("rotation by rotate_half", probe.bits("rotate_halves", x, c, s), twice)
        # The formula as Meta writes it: pairs are complex numbers.
        pairs = torch.view_as_complex(x.view(*x.shape[:-1], -1, 2).double()) * torch.complex(c, s)
        theirs = torch.view_as_real(pairs).flatten(-2)
        ours = probe.bits("rotate_neighbours", x, c, s)
        torch.testing.assert_close(ours, theirs.float().flatten(), rtol=1e-6, atol=1e-6)
        a, b = x[..., 0::2], x[..., 1::2]
        tally.add(
            "rotation of neighbours", ours, torch.stack((a * c - b * s, a * s + b * c), dim=-1).view_as(x)
        )


def of_numpy(probe, tally, rng):
    numpy.seterr(all="ignore")  # overflow and NaN are intended
    for _ in range(200):
        seed, count = rng.randrange(2**32), rng.choice([1, 2, 7, 100, 1601])
        numpy.random.seed(seed)
        theirs = torch.from_numpy(numpy.float32(numpy.random.randn(count)))
        tally.add("NumPy's randn", probe.bits("numpy_randn", seed, count), theirs)
        x = torch.randn(rng.randint(1, 4), rng.choice([rng.randint(1, 40), rng.randint(1, 3000)]))
        for axis in (0, 1):
            theirs = torch.from_numpy(numpy.sum(x.numpy(), axis=axis))
            tally.add("NumPy's sum", probe.bits("numpy_sum", axis, x), theirs)
    for scale in (0.1, 1, 10, 40, 100):
        x = torch.randn(20_000) * scale
        tally.add("NumPy's exp", probe.bits("numpy_exp", x), torch.from_numpy(numpy.exp(x.numpy())))


def test_numbers_have_the_bits_of_pytorch_and_numpy():
    torch.manual_seed(0)
    probe, tally, rng = Probe(), Tally(), random.Random(7)
    draws(probe, tally, rng)
    kernels(probe, tally, rng)
    exponentials(probe, tally)
    rotations(probe, tally, rng)
    of_numpy(probe, tally, rng)
    tally.report()
