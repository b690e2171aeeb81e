"""Causal attention, digit for digit as PyTorch computes it, from Python.

>>> import attn_walkthrough as attn
>>> attn.check([[1.0, 0.0], [0.4, 0.6]], inputs=[[1.0, 0.0], [0.0, 1.0]], stage="causal").right
False
>>> attn.walk("causal", seed=123)["mask"][0]
[0.0, 1.0, 1.0, 1.0, 1.0, 1.0]

The package contains the program itself and needs only the standard library. Tensors may come from torch,
NumPy or nested lists. They are returned as NumPy arrays if NumPy has been imported, and otherwise as nested
lists.
"""

from __future__ import annotations

import array
import errno
import html
import io
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["Check", "Explanation", "Page", "Walk", "check", "explain", "page", "run", "walk", "watch"]

PROGRAM = os.environ.get(
    "ATTN_WALKTHROUGH", os.path.join(os.path.dirname(os.path.abspath(__file__)), "attn-walkthrough")
)

Tensor = Any  # torch.Tensor, numpy.ndarray, nested lists of numbers, or one number


def run(*arguments: str, stdin: bytes = b"") -> bytes:
    """Runs the program and returns its standard output: `run("compare", "causal").decode()`.

    Raises ValueError with the program's message when it rejects its arguments.
    """
    return _run(arguments, stdin)[1]


def _run(arguments: Sequence[str], stdin: bytes = b"") -> tuple[bool, bytes]:
    """Returns a pair: whether all compared numbers agree, and the standard output."""
    try:
        answer = subprocess.run(
            [PROGRAM, *arguments], input=stdin, capture_output=True, check=False,
            env={**os.environ, "ATTN_MESSAGES": "plain"},
        )
    except FileNotFoundError:
        remedy = "the program is missing; install the package again, or set ATTN_WALKTHROUGH"
        raise FileNotFoundError(errno.ENOENT, remedy, PROGRAM) from None
    except ValueError as error:  # a NUL, or half of a character
        raise ValueError(f"an argument cannot be passed to the program: {error}") from None
    except OSError as error:
        if error.errno != errno.E2BIG:
            raise
        raise ValueError(
            "the arguments are too long for a command line; pass tensors as inputs or weights"
        ) from None
    if answer.returncode not in (0, 1):
        message = _named(answer.stderr.decode(errors="replace").strip())
        raise ValueError(message or f"the program ended with {answer.returncode}")
    return answer.returncode == 0, answer.stdout


IN_MEMORY = {"lesson.json": "inputs", "weights.npz": "weights", "tensor.npy": "the tensor"}


def _named(message: str) -> str:
    """Replaces the paths of temporary files by the names of the arguments in memory."""
    folder = re.escape(os.path.join(tempfile.gettempdir(), FOLDER)) + r"\w+" + re.escape(os.sep)
    return re.sub(
        rf"(?:--input: |--weights: )?{folder}([\w.]+)", lambda path: IN_MEMORY.get(path[1], path[1]), message
    )


def _printed(output: bytes) -> str:
    """Returns printed text, or raises ValueError for the bytes of a file that goes to standard output."""
    try:
        return output.decode()
    except UnicodeDecodeError:
        raise ValueError("these options make the program print a file; use run() for them") from None


def _written(path: str) -> bytes:
    """Returns the content of the file the program should have written. With an option such as help=True, it
    writes none.
    """
    if not os.path.exists(path):
        raise ValueError("these options make the program print something else; use run() for them")
    with open(path, "rb") as file:
        return file.read()


# ---- input and output ----


MOST_AXES = 32  # as in NumPy 1
MOST_LETTERS = 65535 - len(".npy")  # of a name in a ZIP file
FOLDER = "attn_walkthrough_"  # the temporary folders begin so


def _nested(x: Tensor, axes: int = MOST_AXES) -> Any:
    """Returns nested lists of Python numbers. Tensors are detached and moved to the CPU."""
    if axes < 0:
        raise ValueError(f"lists are nested more than {MOST_AXES} deep")
    if hasattr(x, "detach"):
        x = x.detach().cpu()
        if str(x.dtype) == "torch.bfloat16":
            x = x.float()
    if hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, (list, tuple)):
        return [_nested(part, axes - 1) for part in x]
    if isinstance(x, (bool, int, float)):
        try:
            return float(x)
        except OverflowError:
            raise ValueError("an integer is too large for a float") from None
    raise TypeError(f"a tensor, an array or nested lists of numbers are expected, not {type(x).__name__}")


def _shape(x: Any) -> tuple[int, ...]:
    if not isinstance(x, list):
        return ()
    shapes = {_shape(part) for part in x}
    if len(shapes) > 1:
        raise ValueError("rows of different lengths make no tensor")
    return (len(x), *(shapes.pop() if shapes else ()))


def _flat(x: Any) -> Iterator[float]:
    if isinstance(x, list):
        for part in x:
            yield from _flat(part)
    else:
        yield x


def _npy(x: Tensor) -> bytes:
    """Writes the exact numbers as a .npy file of version 1: float32 as they are, others as doubles."""
    if hasattr(x, "detach") and "numpy" in sys.modules and str(x.dtype) != "torch.bfloat16":
        x = x.detach().cpu().numpy()
    if type(x).__module__.split(".")[0] == "numpy" and hasattr(x, "dtype"):
        numpy = sys.modules["numpy"]
        if x.dtype.kind not in "fiub":
            raise TypeError(f"an array of numbers is expected, not one of {x.dtype}")
        kind = "<f4" if x.dtype.itemsize <= 4 and x.dtype.kind == "f" else "<f8"
        shape, data = x.shape, numpy.ascontiguousarray(x, dtype=kind).tobytes()
    else:
        nested = _nested(x)
        kind, shape, numbers = "<f8", _shape(nested), array.array("d", _flat(nested))
        if sys.byteorder == "big":
            numbers.byteswap()
        data = numbers.tobytes()
    header = (
        f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {tuple(int(size) for size in shape)!r}, }}"
    )
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def _array(npy: bytes) -> Tensor:
    """Reads a .npy file that the program wrote."""
    if "numpy" in sys.modules:
        return sys.modules["numpy"].load(io.BytesIO(npy))
    (length,) = struct.unpack_from("<H", npy, 8)
    header = npy[10 : 10 + length].decode()
    sizes = header[header.index("(") + 1 : header.index(")")]
    shape = [int(size) for size in sizes.split(",") if size.strip()]
    numbers = array.array("f", npy[10 + length :])
    if sys.byteorder == "big":
        numbers.byteswap()
    values: list[Any] = numbers.tolist()
    for size in reversed(shape[1:]):
        values = [values[start : start + size] for start in range(0, len(values), size)]
    return values if shape else values[0]


def _arguments(
    stage: str | None, inputs: Tensor, tokens: Sequence[Any] | None, options: Mapping[str, Any], folder: str
) -> list[str]:
    arguments = [f"--stage={stage}"] if stage else []
    if inputs is None:
        if tokens is not None:
            arguments.append(f"--tokens={','.join(map(str, tokens))}")
    else:
        embeddings = _nested(inputs)
        lesson = {
            "tokens": list(tokens) if tokens else [str(i) for i in range(len(embeddings))],
            "embeddings": embeddings,
        }
        path = os.path.join(folder, "lesson.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(lesson, file)
        arguments.append(f"--input={path}")
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if name == "weights" and isinstance(value, Mapping):
            value = os.path.join(folder, "weights.npz")
            with zipfile.ZipFile(value, "w") as archive:
                for key, tensor in options["weights"].items():
                    letters = key.encode(errors="replace") if isinstance(key, str) else b"\0"
                    if b"\0" in letters or letters.decode() != key or len(letters) > MOST_LETTERS:
                        raise ValueError(
                            f"weights: {key!r:.60} is no name of a tensor; names are text of at most "
                            f"{MOST_LETTERS} bytes without NUL"
                        )
                    archive.writestr(f"{key}.npy", _npy(tensor))
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                arguments.append(option)
            elif one is not None and one is not False:
                arguments.append(f"{option}={one}")
    return arguments


# ---- check ----


MOST_CELLS = 1024  # beyond this, no table is shown


class Check:
    """The result of check(): the step that a tensor is, or the mistake that gave its numbers.

    `right` is True if the tensor is a right step, and has enough digits to decide. `stage`, `step`, `piece`
    (as a Python index), `mistakes` (their ids) and `parameters` belong to the best answer; `matches` has all
    answers. A Check is true when it is right.
    """

    def __init__(self, value: Tensor, right: bool, answer: Mapping[str, Any], text: str) -> None:
        self._value = value
        self.right = right
        self.text = text
        self.matches: list[dict[str, Any]] = list(answer["matches"])
        self.nearest: dict[str, Any] | None = answer.get("nearest")
        first = self.matches[0] if self.matches else {}
        self.stage: str | None = first.get("stage")
        self.step: str | None = first.get("step")
        self.piece: str = first.get("piece", "")
        self.mistakes: list[str] = list(first.get("mistakes", []))
        self.parameters: dict[str, Any] = dict(first.get("parameters", {}))

    def __bool__(self) -> bool:
        return self.right

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Returns the verdict and a heat map of the numbers; the first number that differs has a frame."""
        text = html.escape(self.text.strip()).replace("\n", "<br>")
        verdict = f"<p><b>{'✓' if self.right else '✗'}</b> {text}</p>"
        if math.prod(getattr(self._value, "shape", ())) > MOST_CELLS:
            return verdict
        nested = _nested(self._value)
        shape = _shape(nested)
        if len(shape) != 2 or shape[0] * shape[1] > MOST_CELLS:
            return verdict
        differs = tuple(self.nearest["first_difference"]) if self.nearest and not self.right else None
        largest = max((abs(x) for x in _flat(nested) if math.isfinite(x)), default=0.0) or 1.0
        rows = []
        for i, row in enumerate(nested):
            cells = "".join(_cell(x, largest, (i, j) == differs) for j, x in enumerate(row))
            rows.append(f"<tr>{cells}</tr>")
        return (
            verdict + f'<table style="border-collapse:collapse;font-family:monospace">{"".join(rows)}</table>'
        )


def _cell(x: float, largest: float, differs: bool) -> str:
    share = abs(x) / largest if math.isfinite(x) else 0.0
    colour = f"rgba(33,102,172,{share:.2f})" if x >= 0 else f"rgba(178,88,0,{share:.2f})"
    ink = "#fff" if share > 0.6 else "inherit"
    frame = "outline:2px solid #d00;" if differs else ""
    return f'<td style="{frame}padding:2px 6px;text-align:right;background:{colour};color:{ink}">{x:.4f}</td>'


def check(
    x: Tensor,
    step: str | None = None,
    *,
    stage: str | None = None,
    inputs: Tensor = None,
    tokens: Sequence[Any] | None = None,
    **options: Any,
) -> Check:
    """Identifies a tensor by its exact numbers.

    x: a tensor from torch (on any device) or NumPy, or nested lists. step: the step to compare with; by
    default, all steps are searched. stage, inputs, tokens and options (seed=123, d_out=4, dropout=0.1 …) are
    those of the program; weights is a file or a state_dict, and an option that can be repeated takes a list.

    >>> check([[1.0, 0.0], [0.3, 0.7]], stage="causal", inputs=[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]).right
    False

    Raises TypeError if x is not a tensor, and ValueError if the program rejects the arguments.
    """
    with tempfile.TemporaryDirectory(prefix=FOLDER) as folder:
        path = os.path.join(folder, "tensor.npy")
        with open(path, "wb") as file:
            file.write(_npy(x))
        found = os.path.join(folder, "answer.json")
        arguments = ["diagnose", *_arguments(stage, inputs, tokens, options, folder), f"--json={found}"]
        if step:
            arguments.append(f"--as={step}")
        right, output = _run([*arguments, path])
        answer = json.loads(_written(found))
    return Check(x, right, answer["tensors"][0], _printed(output).replace(f"{path}, ", ""))


# ---- walk, explain, page ----


class Walk(Mapping[str, Tensor]):
    """The steps of a stage by name. Printing it shows the walkthrough."""

    def __init__(self, tensors: Mapping[str, Tensor], text: str) -> None:
        self._tensors = dict(tensors)
        self.text = text

    def __getitem__(self, name: str) -> Tensor:
        if name not in self._tensors:
            raise KeyError(f"{name}; there are {', '.join(self._tensors)}")
        return self._tensors[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


def walk(stage: Any, *, inputs: Tensor = None, tokens: Sequence[Any] | None = None, **options: Any) -> Walk:
    """Walks a stage and returns its tensors by the names of the steps; for "all", the names are stage.step.
    A watch instead of a stage walks a layer of the reader's own model: walk(w, layer=3, head=7).

    >>> walk("causal", seed=789)["attn_weights_causal"][0][0]
    1.0
    """
    if hasattr(stage, "walk"):
        return stage.walk(**options)
    with tempfile.TemporaryDirectory(prefix=FOLDER) as folder:
        arguments = _arguments(stage, inputs, tokens, options, folder)
        text = _printed(run(*arguments))  # a run that writes a file prints nothing
        found = os.path.join(folder, "tensors.npz")
        run(*arguments, f"--out={found}")
        with zipfile.ZipFile(io.BytesIO(_written(found))) as archive:
            names = archive.namelist()
            stages = {name.partition(".")[0] for name in names}  # "3.5" stands for causal
            prefix = f"{stages.pop()}." if len(stages) == 1 else ""
            tensors = {
                name.removeprefix(prefix).removesuffix(".npy"): _array(archive.read(name)) for name in names
            }
    return Walk(tensors, text)


class Explanation:
    """The arithmetic of one number. Printing it shows the explanation."""

    def __init__(self, text: str, data: Mapping[str, Any]) -> None:
        self.text = text
        self.data = dict(data)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def explain(
    cell: str,
    *,
    stage: str | None = None,
    inputs: Tensor = None,
    tokens: Sequence[Any] | None = None,
    depth: int = 1,
    **options: Any,
) -> Explanation:
    """Explains one number of a step. After a watch that found attention, the number is one of the watched
    code, unless a stage, inputs or options are given.

    >>> print(explain("attn_weights_causal[1][0]").text.splitlines()[-1])
    attn_weights_causal[1][0] = 1 / 1.8127 = 0.5517
    """
    if _last_watch is not None and stage is None and inputs is None and tokens is None:
        if not options.keys() - {"layer", "head"} and _last_watch.layers:
            return _last_watch.explain(cell, depth=depth, **options)
    with tempfile.TemporaryDirectory(prefix=FOLDER) as folder:
        common = _arguments(stage or "causal", inputs, tokens, options, folder)
        arguments = ["explain", *common, f"--depth={depth}"]
        found = os.path.join(folder, "answer.json")
        run(*arguments, f"--json={found}", "--", cell)
        return Explanation(_printed(run(*arguments, "--", cell)), json.loads(_written(found)))


class Page:
    """A page with the arithmetic of every number. A notebook shows it below the cell; str() returns its
    HTML.
    """

    def __init__(self, markup: str, height: int) -> None:
        self.html = markup
        self.height = int(height)

    def __str__(self) -> str:
        return self.html

    def _repr_html_(self) -> str:
        frame = f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="{self.height}"'
        return frame + ' style="border:0" sandbox="allow-scripts"></iframe>'


def page(
    stage: str,
    *,
    inputs: Tensor = None,
    tokens: Sequence[Any] | None = None,
    height: int = 700,
    **options: Any,
) -> Page:
    """Returns the page of a stage.

    >>> str(page("causal")).startswith("<!doctype html>")
    True
    """
    with tempfile.TemporaryDirectory(prefix=FOLDER) as folder:
        found = os.path.join(folder, "page.html")
        run(*_arguments(stage, inputs, tokens, options, folder), f"--out={found}")
        return Page(_written(found).decode(), height)


# ---- watch ----


_last_watch: Any = None


def watch(model: Any = None, **options: Any) -> Any:
    """Records the calls on PyTorch's tensors of a block of code, `with watch() as w:`, or of a module,
    `w = watch(model)`. Printing w shows which line departs from the chapter; w.save("calls.json") writes the
    calls. Needs PyTorch 2 or newer, and raises ImportError otherwise.
    """
    global _last_watch
    from .watcher import Watch

    _last_watch = Watch(model, **options)
    return _last_watch


def load_ipython_extension(shell: Any) -> None:
    """Adds %%attn to IPython: `%load_ext attn_walkthrough`."""
    from .watcher import register

    register(shell)
