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
import contextlib
import errno
import functools
import html
import io
import itertools
import json
import math
import numbers
import operator
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    if not isinstance(stdin, (bytes, bytearray, memoryview)):
        raise TypeError(f"run() takes text, and bytes as stdin, not {type(stdin).__name__}")
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
    except TypeError as error:
        raise TypeError(f"run() takes text: {error}") from None
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


IN_MEMORY = {
    "calls.json": "the recording", "lesson.json": "inputs", "tensor.npy": "the tensor",
    "weights.npz": "weights",
}  # fmt: skip


def _named(message: str) -> str:
    """Replaces the paths of temporary files by the names of the arguments in memory."""
    folder = re.escape(os.path.join(tempfile.gettempdir(), FOLDER)) + r"\w+" + re.escape(os.sep)
    return re.sub(
        rf"(?:--input: |--weights: )?{folder}([\w.]+)", lambda path: IN_MEMORY.get(path[1], path[1]), message
    )


@contextlib.contextmanager
def _folder() -> Iterator[str]:
    """A temporary folder, which also SIGTERM deletes, unless the caller handles it."""
    is_main = threading.current_thread() is threading.main_thread()  # others cannot handle signals
    ends = is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if ends:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        with tempfile.TemporaryDirectory(prefix=FOLDER) as folder:
            yield folder
    finally:
        if ends:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


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
MOST_NUMBERS = 10_000_000  # that the program compares, or reads as inputs
MOST_WEIGHTS = 1 << 30  # numbers of 4 bytes in the largest ZIP file that the program reads
MOST_LETTERS = 65535 - len(".npy")  # of a name in a ZIP file
FOLDER = "attn_walkthrough_"  # the temporary folders begin so
UNREADABLE = {  # tensors of torch, and what to pass instead
    "meta": "it has no numbers; create it on the CPU",
    "quantized": "pass x.dequantize()",
    "nested": "pass one of x.unbind()",
}


def _require_few(count: int, most: int, name: str) -> None:
    if count > most:
        raise ValueError(f"{name}: more than {most} numbers, the limit; pass only a part of them")


def _host(x: Tensor, name: str, most: int, copies: int = 1) -> Tensor:
    """Returns a tensor of torch as a NumPy array, or as lists if NumPy has not been imported. Returns
    anything else as it is. Raises TypeError if the numbers cannot be read, and ValueError if so many copies
    have more than `most` numbers; `name` is that of the argument.
    """
    if hasattr(x, "filled") and hasattr(x, "mask"):
        raise TypeError(f"{name}: a masked array; pass an array without a mask, such as x.filled(0.0)")
    is_of_torch = hasattr(x, "detach")
    for kind, remedy in UNREADABLE.items() if is_of_torch else ():
        if getattr(x, f"is_{kind}", False):
            raise TypeError(f"{name}: a {kind} tensor; {remedy}")
    if is_of_torch and str(getattr(x, "layout", "torch.strided")) != "torch.strided":
        raise TypeError(f"{name}: a sparse tensor; pass x.to_dense()")
    _require_few(copies * math.prod(filter(None, getattr(x, "shape", ()))), most, name)
    if not is_of_torch:
        return x
    try:
        x = x.detach().cpu()
        if str(x.dtype).startswith(("torch.bfloat16", "torch.float8")):  # not in NumPy
            x = x.float()
        try:
            return x.numpy() if "numpy" in sys.modules else x.tolist()
        except RuntimeError:  # a PyTorch that does not know this version of NumPy
            return x.tolist()
    except (RuntimeError, TypeError) as error:
        reason = str(error).split("\n")[0]
        raise TypeError(f"{name}: not a plain tensor; pass one with the same numbers ({reason})") from None


def _numbers(x: Tensor, name: str, most: int = MOST_NUMBERS) -> tuple[list[int], list[float]]:
    """Returns the shape and the numbers of a tensor or of nested lists. Counts the numbers before it copies
    them.
    """
    shape: list[int] = []
    parts = [x]
    while True:
        if any(hasattr(kind, "detach") or hasattr(kind, "tolist") for kind in set(map(type, parts))):
            hosts = [_host(part, name, most, len(parts)) for part in parts]
            parts = [host.tolist() if hasattr(host, "tolist") else host for host in hosts]
        kinds = set(map(type, parts))
        for kind in kinds:
            if not issubclass(kind, (list, tuple, numbers.Real)):
                raise TypeError(
                    f"{name}: a tensor, an array or nested lists of numbers are expected, not {kind.__name__}"
                )
        if not any(issubclass(kind, (list, tuple)) for kind in kinds):
            break
        sizes = {len(part) if isinstance(part, (list, tuple)) else -1 for part in parts}
        if len(sizes) > 1:
            raise ValueError(f"{name}: rows of different lengths make no tensor")
        if len(shape) == MOST_AXES:
            raise ValueError(f"{name}: lists are nested more than {MOST_AXES} deep")
        shape += sizes
        _require_few(len(parts) * shape[-1], most, name)
        parts = list(itertools.chain.from_iterable(parts))
    try:
        return shape, [float(part) for part in parts]
    except OverflowError:
        raise ValueError(f"{name}: an integer is too large for a float") from None


def _rows(values: list[Any], shape: Sequence[int]) -> Any:
    """Returns numbers as nested lists of this shape."""
    for axis in reversed(range(1, len(shape))):
        size = shape[axis]
        values = [values[i * size : (i + 1) * size] for i in range(math.prod(shape[:axis]))]
    return values if shape else values[0]


def _npy(x: Tensor, name: str, most: int = MOST_NUMBERS) -> bytes:
    """Writes the exact numbers as a .npy file of version 1: float32 as they are, others as doubles."""
    x = _host(x, name, most)
    if type(x).__module__.split(".")[0] == "numpy" and hasattr(x, "dtype"):
        numpy = sys.modules["numpy"]
        if x.dtype.kind not in "fiub":
            raise TypeError(f"{name}: an array of real numbers is expected, not one of {x.dtype}")
        kind = "<f4" if x.dtype.itemsize <= 4 and x.dtype.kind == "f" else "<f8"
        shape, data = x.shape, numpy.ascontiguousarray(x, dtype=kind).tobytes()
    else:
        shape, values = _numbers(x, name, most)
        kind, doubles = "<f8", array.array("d", values)
        if sys.byteorder == "big":
            doubles.byteswap()
        data = doubles.tobytes()
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
    floats = array.array("f", npy[10 + length :])
    if sys.byteorder == "big":
        floats.byteswap()
    return _rows(floats.tolist(), shape)


def _text(value: Any, name: str, encode: Callable[[str], bytes] = os.fsencode) -> str:
    """Returns a value as text that can be passed to the program."""
    try:
        text = str(value)
        encode(text)
    except ValueError as error:
        reason = "a broken character" if isinstance(error, UnicodeError) else "too many digits"
        raise ValueError(f"{name}: cannot be passed to the program, because it has {reason}") from None
    return text


def _stage_name(stage: Any) -> str:
    is_named = isinstance(stage, (str, int, float)) and not isinstance(stage, bool)
    if not is_named or not _text(stage, "stage").strip():
        given = repr(stage) if is_named else type(stage).__name__
        raise ValueError(f'stage: the name of a stage is expected, such as "causal", not {given}')
    return str(stage)


def _token_names(tokens: Any) -> list[str]:
    if isinstance(tokens, (str, bytes)) or not isinstance(tokens, Iterable):
        kind = type(tokens).__name__
        raise TypeError(f"tokens: a list is expected, such as ['Hello', 'world'], not {kind}")
    return [_text(token, "tokens", str.encode) for token in tokens]


def _embeddings(inputs: Tensor) -> list[Any]:
    shape, values = _numbers(inputs, "inputs")
    if not shape:
        raise ValueError("inputs: a row of numbers per token is expected, as in [[1.0, 2.0]]")
    for x in values:
        if not math.isfinite(x):
            raise ValueError(f"inputs: {x} is not a finite number; replace it")
    return _rows(values, shape)


def _write_weights(weights: Mapping[str, Tensor], path: str) -> None:
    """Writes a state_dict as an .npz file."""
    if not weights:
        raise ValueError("weights: the state_dict is empty; pass that of a model with parameters")
    with zipfile.ZipFile(path, "w") as archive:
        for key, tensor in weights.items():
            letters = key.encode(errors="replace") if isinstance(key, str) else b"\0"
            if b"\0" in letters or letters.decode() != key or len(letters) > MOST_LETTERS:
                raise ValueError(
                    f"weights: {key!r:.60} is no name of a tensor; names are text of at most "
                    f"{MOST_LETTERS} bytes without NUL"
                )
            archive.writestr(f"{key}.npy", _npy(tensor, f"weights: {key:.60}", MOST_WEIGHTS))


@functools.lru_cache(maxsize=None)
def _declared() -> dict[str, tuple[str, bool]]:
    """Returns the program's options: what the value of each is, empty for a switch, and whether it can be
    repeated.
    """
    declared: dict[str, tuple[str, bool]] = {}
    for one in json.loads(run("form"))["options"]:
        is_repeatable = one["repeatable"] or declared.get(one["name"], ("", False))[1]
        declared[one["name"]] = one["value"], is_repeatable
    return declared


def _option(name: str, value: Any) -> list[str]:
    """Returns the arguments for an option. None and False leave it out."""
    option = name.replace("_", "-")
    if isinstance(value, (list, tuple)) and not _declared().get(option, ("", True))[1]:
        raise ValueError(f"{name}: one value is expected, not a {type(value).__name__}")
    arguments = []
    for one in value if isinstance(value, (list, tuple)) else [value]:
        if one is True and not _declared().get(option, ("", False))[0]:
            arguments.append(f"--{option}")
        elif one is not None and one is not False:
            arguments.append(f"--{option}={_text(one, name)}")
    return arguments


def _arguments(
    stage: str | None, inputs: Tensor, tokens: Sequence[Any] | None, options: Mapping[str, Any], folder: str
) -> list[str]:
    arguments = [] if stage is None else [f"--stage={_stage_name(stage)}"]
    names = [] if tokens is None else _token_names(tokens)
    if inputs is not None:
        embeddings = _embeddings(inputs)
        path = os.path.join(folder, "lesson.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(
                {"tokens": names or [str(i) for i in range(len(embeddings))], "embeddings": embeddings}, file
            )
        arguments.append(f"--input={path}")
    elif any(not name.isdecimal() for name in names):
        raise ValueError("tokens: the inputs are missing; give inputs=, one row of numbers for each token")
    elif tokens is not None:
        arguments.append(f"--tokens={','.join(names)}")
    for name, value in options.items():
        if name == "weights" and isinstance(value, Mapping):
            path = os.path.join(folder, "weights.npz")
            _write_weights(value, path)
            value = path
        elif name == "weights" and not isinstance(value, (str, os.PathLike, type(None))):
            kind = type(value).__name__
            raise TypeError(f"weights: a file or model.state_dict() is expected, not {kind}")
        arguments += _option(name, value)
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
        shape, values = _numbers(self._value, "the tensor")
        if len(shape) != 2 or len(values) > MOST_CELLS:
            return verdict
        differs = tuple(self.nearest["first_difference"]) if self.nearest and not self.right else None
        largest = max((abs(x) for x in values if math.isfinite(x)), default=0.0) or 1.0
        rows = []
        for i, row in enumerate(_rows(values, shape)):
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
    if options.get("atol") is not None:  # with it, the program would run compare
        raise ValueError("atol: changes nothing about check(); leave it out")
    with _folder() as folder:
        path = os.path.join(folder, "tensor.npy")
        with open(path, "wb") as file:
            file.write(_npy(x, "the tensor"))
        found = os.path.join(folder, "answer.json")
        arguments = ["diagnose", *_arguments(stage, inputs, tokens, options, folder), f"--json={found}"]
        if step is not None:
            arguments.append(f"--as={_text(step, 'step')}")
        right, output = _run([*arguments, path])
        answer = json.loads(_written(found))
    text = re.sub(rf"{re.escape(path)}(?:, |，)", "", _printed(output))
    return Check(x, right, answer["tensors"][0], text)


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
        given = {"inputs": inputs, "tokens": tokens, **options}
        for name in given.keys() - {"layer", "head"}:
            if given.pop(name) is not None:
                raise ValueError(f"{name}: changes nothing about a watch, which takes only layer and head")
        return stage.walk(**given)
    with _folder() as folder:
        arguments = _arguments(_stage_name(stage), inputs, tokens, options, folder)
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


PRINTED_NUMBER = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?")


def _question(cell: Any) -> str:
    """Returns what is to be explained as text: a cell, a number or a notion."""
    if isinstance(cell, numbers.Real) and not isinstance(cell, bool):
        return _text(cell, "cell")
    if not isinstance(cell, str):
        kind = type(cell).__name__
        raise TypeError(f"cell: text such as 'keys[1][0]' or a number is expected, not {kind}")
    return _text(cell, "cell").strip()


def _is_about_number(question: str) -> bool:
    """True for a cell or a printed number, and false for a notion."""
    return "[" in question or PRINTED_NUMBER.fullmatch(question) is not None


def explain(
    cell: str | float,
    *,
    stage: str | None = None,
    inputs: Tensor = None,
    tokens: Sequence[Any] | None = None,
    depth: int | None = None,
    **options: Any,
) -> Explanation:
    """Explains one number of a step, by its cell or its printed digits, or a notion such as "softmax". After
    a watch that found attention, the number is one of the watched code, unless a stage, inputs or options
    are given. Weights without a stage are those of causal. depth: also explain the operands, up to so many
    steps back.

    >>> print(explain("attn_weights_causal[1][0]").text.splitlines()[-1])
    attn_weights_causal[1][0] = 1 / 1.8127 = 0.5517
    """
    question = _question(cell)
    if _last_watch is not None and stage is None and inputs is None and tokens is None:
        is_watched = _is_about_number(question) and _last_watch.layers
        if not options.keys() - {"layer", "head"} and (options or is_watched):
            return _last_watch.explain(question, depth=depth, **options)
    if stage is None and "weights" in options:
        stage = "causal"
    with _folder() as folder:
        arguments = ["explain", *_arguments(stage, inputs, tokens, {"depth": depth, **options}, folder)]
        found = os.path.join(folder, "answer.json")
        shown = run(*arguments, f"--json={found}", "--", question)  # nothing for a whole step
        return Explanation(_printed(shown or run(*arguments, "--", question)), json.loads(_written(found)))


MOST_HEIGHT = 100_000  # pixels


class Page:
    """A page with the arithmetic of every number. A notebook shows it below the cell; str() returns its
    HTML.
    """

    def __init__(self, markup: str, height: int) -> None:
        self.html = markup
        self.height = height

    def __str__(self) -> str:
        return self.html

    def _repr_html_(self) -> str:
        frame = f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="{self.height}"'
        return frame + ' style="border:0" sandbox="allow-scripts"></iframe>'


def _whole(value: Any) -> int:
    """Returns a whole number as Python's, and -1 for anything else."""
    try:
        return -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return -1


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
    if _whole(height) not in range(1, MOST_HEIGHT + 1):
        raise ValueError(f"height: a whole number of pixels from 1 to {MOST_HEIGHT} is expected")
    with _folder() as folder:
        found = os.path.join(folder, "page.html")
        run(*_arguments(_stage_name(stage), inputs, tokens, options, folder), f"--out={found}")
        return Page(_written(found).decode(), _whole(height))


# ---- watch ----


_last_watch: Any = None


def watch(model: Any = None, *, most_numbers: int | None = None) -> Any:
    """Records the calls on PyTorch's tensors of a block of code, `with watch() as w:`, or of a module,
    `w = watch(model)`. Printing w shows which line departs from the chapter; w.save("calls.json") writes the
    calls. A watch of a block belongs to the thread that runs the block: calls of threads that the block
    starts are not recorded, so open the watch in the thread itself, or watch the module. most_numbers:
    tensors with more numbers are recorded without them.

    Needs PyTorch 2 or newer, and raises ImportError otherwise. Raises TypeError if model is not a module.
    """
    global _last_watch
    from .watcher import Watch

    _last_watch = Watch(model, most_numbers)
    return _last_watch


def load_ipython_extension(shell: Any) -> None:
    """Adds %%attn to IPython: `%load_ext attn_walkthrough`."""
    from .watcher import register

    register(shell)
