"""Compares our tensor printer with PyTorch's, on random tensors of every kind."""

import collections
import math
import re

from oracle import Probe, has_narrow_columns, torch

COUNT = 20000

draw = torch.Generator().manual_seed(20240501)


def integer(low, high):
    return int(torch.randint(low, high + 1, (), generator=draw))


def choose(items):
    return items[integer(0, len(items) - 1)]


def uniform(shape):
    return torch.rand(shape, generator=draw)


def normal(shape):
    return torch.randn(shape, generator=draw)


def integers(shape, bound):
    return torch.randint(-bound, bound + 1, shape, generator=draw).float()


def any_bits(shape):
    """Draws from all float32 numbers, including infinities, subnormals and NaN of either sign."""
    return torch.randint(-(2**31), 2**31, shape, generator=draw).int().view(torch.float32)


def sprinkled(x, *specials):
    for special in specials:
        x = torch.where(uniform(x.shape) < 0.2, torch.tensor(special), x)
    return x


def near_bounds(shape):
    """Draws numbers at and just beside the limits of the notations: 1e-4, a ratio of 1000, 1e8."""
    bounds = torch.tensor([1e-4, 1e-1, 1.0, 1e3, 1e5, 1e8])[torch.randint(6, shape, generator=draw)]
    step = torch.randint(-1, 2, shape, generator=draw).int()
    return (bounds.view(torch.int32) + step).view(torch.float32)


def masked(shape):
    x = uniform(shape)
    return x.masked_fill(torch.triu(torch.ones(shape), 1).bool(), -math.inf) if len(shape) > 1 else x


NEGATIVE_NAN = torch.tensor(-1).int().view(torch.float32).item()

KINDS = {
    "normal": normal,
    "uniform": uniform,
    "zeros": torch.zeros,
    "negative zeros": lambda s: sprinkled(torch.zeros(s), -0.0),
    "zeros among numbers": lambda s: sprinkled(normal(s), 0.0, -0.0),
    "ones and zeros": lambda s: (uniform(s) < 0.5).float(),
    "small integers": lambda s: integers(s, 9),
    "integers": lambda s: integers(s, 1000),
    "integers too wide for one notation": lambda s: integers(s, 100000),
    "large integers": lambda s: integers(s, 50) + 99999970,
    "integers and one fraction": lambda s: sprinkled(integers(s, 20), 0.5),
    "integers with inf and nan": lambda s: sprinkled(integers(s, 20), math.inf, -math.inf, math.nan),
    "tiny": lambda s: normal(s) * 1e-6,
    "subnormal": lambda s: normal(s) * 1e-40,
    "huge": lambda s: normal(s) * 1e12,
    "largest": lambda s: sprinkled(normal(s) * 1e37, torch.finfo(torch.float32).max),
    "mixed magnitudes": lambda s: normal(s) * 10 ** (normal(s) * 3),
    "nearly mixed": lambda s: (1 + uniform(s) * 1100) * choose([1e-3, 1.0, 1e4]),
    "any bits": any_bits,
    "halves": lambda s: integers(s, 4000) / choose([2, 4, 8, 16, 64, 1024]),
    "bounds": near_bounds,
    "inf": lambda s: sprinkled(normal(s), math.inf),
    "-inf": lambda s: sprinkled(normal(s), -math.inf),
    "nan": lambda s: sprinkled(normal(s), math.nan, NEGATIVE_NAN),
    "nothing finite": lambda s: sprinkled(torch.full(s, math.nan), math.inf, -math.inf),
    "nothing finite but zero": lambda s: sprinkled(torch.zeros(s), math.nan, math.inf),
    "scientific with inf and nan": lambda s: sprinkled(normal(s) * 1e-7, math.inf, -math.inf, math.nan, 0.0),
    "masked": masked,
}

# Operations that keep the shape, with a grad_fn of a short, a middle and a long name.
OPERATIONS = [
    lambda x: -x,
    lambda x: x**1,
    lambda x: x.view(x.shape),
    lambda x: x.unsqueeze(0)[0],
    lambda x: x.unsqueeze(0).squeeze(0),
    lambda x: x.masked_fill(torch.zeros(x.shape).bool(), 0.0),
]


def shape():
    rank = integer(0, 4)
    style = integer(0, 19)
    if style == 0:
        return tuple(choose([0, 1, 2, 3]) for _ in range(rank))
    if style == 1:  # more than 1000 elements, in axes shorter and longer than six
        return {
            0: (),
            1: (integer(990, 3000),),
            2: choose([(integer(5, 8), integer(140, 300)), (integer(140, 300), integer(5, 8)), (40, 40)]),
            3: (integer(2, 8), integer(5, 8), integer(35, 60)),
            4: (integer(1, 7), integer(2, 8), integer(5, 9), integer(20, 40)),
        }[rank]
    longest = {0: 1, 1: 40, 2: 14, 3: 6, 4: 4}[rank]
    return tuple(integer(1, longest) for _ in range(rank))


def with_autograd(x):
    """Returns the tensor unchanged, as a parameter, as a leaf, or as the result of an operation."""
    style = integer(0, 7)
    if style < 2:
        return torch.nn.Parameter(x, requires_grad=style == 1)
    if style < 4:
        return x.requires_grad_()
    if style < 7:
        torch.manual_seed(integer(0, 1000))
        return choose(OPERATIONS)(x.requires_grad_())
    return x


def options():
    """In three of four cases, at most the precision differs from PyTorch's defaults."""
    precision = choose([4, 4, 4, 0, 1, 2, 3, 5, 6, 7, 8])
    chosen = {"precision": precision, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}
    if integer(0, 3) == 0:
        chosen["threshold"] = choose([0, 5, 20, 100, 1000])
        chosen["edgeitems"] = integer(1, 4)
        chosen["linewidth"] = integer(5, 120)
        if not has_narrow_columns:
            chosen["sci_mode"] = choose([None, False])
    return chosen


def printed(probe, chosen, grad_fn, requires_grad, is_parameter, x):
    """Returns a tensor as our library prints it with these options."""
    may_have_exponents = chosen["sci_mode"] is None
    return probe.ask(
        "print", *[*chosen.values()][:4], may_have_exponents, grad_fn, requires_grad, is_parameter, x
    )


# The cases that must have occurred for the comparison to mean anything.
SIGHTS = {
    "summarised": lambda x, text: "..." in text,
    "scientific": lambda x, text: "e+" in text or "e-" in text,
    "wrapped": lambda x, text: re.search(r"[^\].],\n|\d\.,\n", text),
    "with a suffix on its own line": lambda x, text: re.search(r"\n {7}(grad_fn|requires_grad)", text),
    "parameters": lambda x, text: isinstance(x, torch.nn.Parameter),
    "empty": lambda x, text: x.numel() == 0,
}


@torch.enable_grad()  # the lines that other scripts run may have switched it off
def test_tensors_are_printed_as_pytorch_prints_them():
    probe, seen, grad_fns = Probe(), collections.Counter(), set()
    for number in range(COUNT):
        kind = list(KINDS)[number % len(KINDS)]
        x = with_autograd(KINDS[kind](shape()))
        chosen = options()
        torch.set_printoptions(**chosen)
        text = str(x)
        grad_fn = type(x.grad_fn).__name__ if x.grad_fn is not None else "-"
        is_parameter = isinstance(x, torch.nn.Parameter)
        ours = printed(probe, chosen, grad_fn, x.requires_grad, is_parameter, x)
        assert ours == text, (number, kind, x.shape, chosen)
        seen.update(sight for sight, is_seen in SIGHTS.items() if is_seen(x, text))
        grad_fns.add(grad_fn)
        torch.set_printoptions(sci_mode=None)
        if chosen["sci_mode"] is False and SIGHTS["scientific"](x, str(x)):
            seen["without exponents"] += 1
    print(f"{COUNT} tensors compared. Among them:", *seen.items())
    assert len(seen) >= len(SIGHTS) + 1 - has_narrow_columns and len(grad_fns) > 1
