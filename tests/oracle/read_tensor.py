"""Lets our reader read what PyTorch and NumPy print, with random tensors of every kind."""

import collections
import json

from oracle import Probe, numpy, torch
from print_tensor import KINDS, choose, integer, shape

COUNT = 6000


def as_torch(x):
    x = choose([lambda: x, lambda: x.requires_grad_(), lambda: torch.nn.Parameter(x)])()
    return x.detach(), str(x * 1 if integer(0, 3) == 0 else x)


def as_torch_dtype(x):
    x = x.nan_to_num(0).clamp(-999, 999).to(choose([torch.float64, torch.float16, torch.bool, torch.int64]))
    return x, f"Attention weights:\n{x!s}\n"


def as_json(x):
    text = json.dumps({"x": x.tolist()})  # JSON needs quotes around inf and nan
    return x, text.replace("NaN", '"NaN"').replace("Infinity", '"Infinity"').replace('-"', '"-')


def as_session(x):
    return x, f">>> x = torch.rand(2, [2][0])\n>>> print(x)\n{x!s}\n>>> x.shape\n{x.shape}\nNote [1]: done.\n"


WRITERS = {
    "torch": as_torch,
    "torch of other types": as_torch_dtype,
    "print of NumPy": lambda x: (x, str(x.numpy())),
    "repr of NumPy": lambda x: (x, repr(x.numpy())),
    "lists": lambda x: (x, str(x.tolist())),
    "JSON": as_json,
    "sessions": as_session,
}


def set_options():
    chosen = {
        "precision": choose([4, 4, 4, 2, 3, 5, 6, 8]),
        "threshold": choose([1000, 1000, 20]),
        "edgeitems": integer(1, 4),
        "linewidth": choose([80, 80, 40, 120]),
    }
    torch.set_printoptions(**chosen)
    # Without suppress=True, because that prints 1e-9 as a whole 0.
    numpy.set_printoptions(**chosen)


def is_read(answer, x, rounding):
    """Returns True if the tensor has x's shape, and numbers within half a unit of their last digit."""
    head, _, numbers = answer.partition("|")
    axes = [word.split(":") for word in head.split()]
    shown = [int(size) for size, _ in axes]
    if "\n" in answer or len(axes) != x.dim():
        return False
    for axis, (size, (_, gap)) in enumerate(zip(shown, axes)):
        if size != x.shape[axis] if gap == "-" else size >= x.shape[axis]:
            return False
        if gap != "-":  # as many after the gap as are left
            kept = [*range(int(gap)), *range(x.shape[axis] - size + int(gap), x.shape[axis])]
            x = x.index_select(axis, torch.tensor(kept))
    words = [float(word) for word in numbers.split()]
    value, half_unit = torch.tensor(words, dtype=torch.float64).view(-1, 2).T
    was = x.double().flatten()
    if len(value) != len(was):
        return False
    near = (value - was).abs() <= half_unit * (1 + 1e-5) + rounding * was.abs() + 1e-45
    return bool(torch.where(was.isfinite(), near, (value == was) | (value.isnan() & was.isnan())).all())


def test_what_pytorch_and_numpy_print_is_read():
    probe, seen = Probe(), collections.Counter()
    for number in range(COUNT):
        kind = list(KINDS)[number % len(KINDS)]
        writer = choose(list(WRITERS))
        sizes = shape()
        if 0 in sizes or (not sizes and "torch" not in writer):
            continue  # nothing to read, or a single number, which only tensor(…) marks as a tensor
        set_options()
        x, text = WRITERS[writer](KINDS[kind](sizes))
        # Lists, JSON and NumPy's shortest text are exact up to float32's rounding.
        rounding = 2e-7 if writer in ("lists", "JSON", "print of NumPy", "repr of NumPy") else 0.0
        answer = probe.ask("read", text.encode().hex())
        assert is_read(answer, x, rounding), (number, kind, sizes, writer, text, answer)
        seen.update([writer, "summarised"] if "..." in text else [writer])
    print(f"{COUNT} tensors read. Among them:", *seen.items())
    assert len(seen) == len(WRITERS) + 1
