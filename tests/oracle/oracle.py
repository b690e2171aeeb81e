"""Shared by the oracle tests: PyTorch, set to its reproducible digits, and a connection to our library."""

# Import this before anything that loads BLAS: `from oracle import Probe, torch`. A script that cannot run
# here is skipped.

import os
import subprocess

import pytest

from program import BUILD
from runs import flat

# Debian's OpenBLAS takes recent CPUs for old ones, threads change the order of summation, and PyTorch's and
# NumPy's kernels round differently by instruction set. So all of them are fixed here.
CORE = os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["ATEN_CPU_CAPABILITY"] = "avx2"
os.environ["NPY_DISABLE_CPU_FEATURES"] = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"


def skip(reason):
    if os.environ.get("ATTN_NO_SKIP"):  # for the gate, a skipped test is a failure
        raise AssertionError(reason)
    pytest.skip(reason, allow_module_level=True)


try:
    import numpy
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_flatten
except ImportError:
    skip("PyTorch (python3-torch) is not installed")
torch.set_num_threads(1)
is_1_13, is_2_6 = map(torch.__version__.startswith, ("1.13", "2.6"))
# With sci_mode=False, columns have the width of numbers without exponents.
has_narrow_columns = not (is_1_13 or is_2_6)


def loads_openblas():
    torch.ones(64, 64) @ torch.ones(64, 64)  # the library is certainly loaded after its first use
    with open("/proc/self/maps") as maps:
        return "libopenblas" in maps.read()


if not loads_openblas():
    skip("PyTorch's BLAS is not OpenBLAS; install libopenblas0-pthread")


class Probe:
    """Our library: runs attn-oracle-probe, one command at a time."""

    def __init__(self, **variables):
        command = [BUILD / "attn-oracle-probe"]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env=os.environ | variables,
        )

    def ask(self, *words):
        """Returns the answer to one command; tensors among the words are sent bit for bit."""
        line = " ".join(self.encode(word) for word in words)
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        lines = []
        for answer in self.process.stdout:
            if answer == "\x1e\n":
                return "".join(lines)[:-1]
            lines.append(answer)
        raise AssertionError(f"The probe gave up on: {line[:200]}")

    def bits(self, *words):
        """Returns an answer in bits as float32."""
        return (
            torch.tensor([int(word, 16) for word in self.ask(*words).split()], dtype=torch.int64)
            .int()
            .view(torch.float32)
        )

    @staticmethod
    def encode(word):
        if isinstance(word, torch.Tensor):
            numbers = word.detach().contiguous().numpy()
            assert numbers.dtype == numpy.float32
            bits = numbers.view(numpy.uint32).astype(">u4").tobytes().hex(" ", 4)
            return " ".join([str(word.dim()), *map(str, word.shape), bits]).rstrip()
        return str(int(word)) if isinstance(word, bool) else str(word)


def tensors_in(values):
    """Returns the tensors in nested lists, tuples and dictionaries."""
    return [x for x in tree_flatten(values)[0] if isinstance(x, torch.Tensor)]


def address(tensor):
    """Returns where the numbers of a tensor and of its views are in memory."""
    return getattr(tensor, "untyped_storage", tensor.storage)().data_ptr()


class Products(TorchDispatchMode):
    """Sees which of PyTorch's results follow from a sum whose terms it does not add one after the other.

    In products, OpenBLAS's kernels for SkylakeX split sums of more than 24 terms. Those for Haswell split
    sums of 8 terms or more, except sums of fewer than 100 in 7 columns or 3 rows. Both have an order of their
    own for a matrix times a vector. The sums in the gradient of softmax have our bits in PyTorch 2.6. After
    the first 8 products, the compiler fused multiplications and additions: in 2.14 those of a remainder of
    fewer than 8, in 1.13 all. 1.13 also rounds sines and cosines differently."""

    def __init__(self):
        super().__init__()
        self.found = {}  # for the address of a tensor's numbers: why they can differ from ours
        self.found_in_python = set()  # for numbers that left PyTorch

    def causes(self, result):
        """Returns why the bits of a result can differ from ours; an empty set if they cannot."""
        if isinstance(result, torch.Tensor):
            return self.found.get(address(result), set())
        return self.found_in_python

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        given = tensors_in((args, kwargs))
        causes = self.found_in_python.union(*map(self.causes, given), cause(func, given))
        result = func(*args, **(kwargs or {}))
        changed = {address(x): self.causes(x) for x in given}
        for place in map(address, tensors_in(result)):
            self.found[place] = causes | changed.get(place, set())  # forgets earlier tensors at this address
        if not tensors_in(result):
            self.found_in_python = causes
        return result


def cause(function, arguments):
    """Returns why PyTorch's function can give other bits than ours, as a set of at most one: see Products."""
    name, shapes = function.overloadpacket.__name__, [x.shape for x in arguments][-2:]
    differs = False
    if name in ("mm", "addmm", "bmm", "baddbmm"):
        (*_, n, k), (*_, m) = shapes
        differs = k > 24 if CORE == "SkylakeX" else k >= 8 and (k >= 100 or (n >= 4 and m >= 8))
    elif name in ("mv", "addmv"):
        differs = shapes[1][0] > 1
    elif name == "_softmax_backward_data":
        length = shapes[0][-1]
        differs = not is_2_6 and length > 8 and (is_1_13 or length % 8 > 0)
    elif name in ("sin", "cos"):
        differs = is_1_13
    return {name} if differs else set()


def cause_in_numpy(width):
    """Returns the same for NumPy's products with square matrices of this width, which Products cannot see."""
    return {"numpy"} if width == 1 or (width >= 8 and CORE != "SkylakeX") else set()


def tensor_of(step):
    """Returns the numbers of a step."""
    return torch.tensor([*flat(step["data"])]).view(step["shape"])


def in_2(text):
    """Returns a text of this PyTorch with PyTorch 2's names of grad_fn."""
    for old, new in (("IndexSelectBackward0", "ViewBackward0"), ("SqueezeBackward3", "SqueezeBackward4")):
        text = text.replace(old, new)
    return text


def same(ours, theirs):
    """Returns True where two tensors have the same bits, or both are NaN."""
    return (ours.view(torch.int32) == theirs.view(torch.int32)) | (ours.isnan() & theirs.isnan())
