"""Records the calls that code makes on PyTorch's tensors: operation, arguments, results, names and lines.

The format is described in data/README.md. A mode belongs to the thread that entered
it, so calls of other threads are not recorded.
"""

from __future__ import annotations

import base64
import ctypes
import itertools
import linecache
import math
import os
import re
import sys
import weakref
from collections.abc import Iterable, Iterator
from types import CodeType, FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

if torch.__version__ < "2":
    raise ImportError(f"attn.watch() needs PyTorch 2 or newer; this is {torch.__version__}")

MOST_NUMBERS = 1 << 21  # of one tensor; larger ones are recorded without their numbers
MOST_CALLERS = 3  # of one call
MOST_EARLIER = 1000  # calls of earlier cells of a notebook that are judged with those of a cell
MOST_BYTES = 190_000_000  # of all tensors; the program reads files of 256 MiB, and base64 adds a third
MOST_REPEATED = 1 << 24  # numbers that views repeat; the program reads no more
NOT_THE_READERS = tuple(
    os.path.dirname(os.path.abspath(file)) + os.sep for file in (torch.__file__, __file__)
)
ASSIGNED = re.compile(r"\s*([^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*)\s*=(?!=)")
WIDTHS = {
    torch.float32: 4, torch.float64: 8, torch.float16: 2, torch.bfloat16: 2,
    torch.bool: 1, torch.uint8: 1, torch.int64: 8, torch.int32: 4,
}  # fmt: skip
PLAIN = "torch", "numpy"  # the modules of dtypes, devices and numbers of NumPy
NOT_FINITE = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}
Tensor = torch.Tensor
COPY = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_ssize_t)(
    ("PyBytes_FromStringAndSize", ctypes.pythonapi)
)
Unseen = torch._C.DisableTorchFunction  # while it is entered, no mode and no subclass of Tensor sees calls


class Recorder(TorchFunctionMode):
    """Records while it is entered. Tensors are copied when first seen, and after each in-place call."""

    def __init__(self, most_numbers: int = MOST_NUMBERS) -> None:
        super().__init__()
        self.most_numbers = most_numbers
        self.bytes_left = MOST_BYTES
        self.repeated_left = MOST_REPEATED
        self.tensors: list[dict[str, Any]] = []
        self.calls: list[tuple[Any, ...]] = []
        # Each tensor by its id: a weak reference to it, its version, its number, its names.
        self._seen: dict[int, tuple[Any, int | None, int, list[str]]] = {}
        self.modules: dict[int, torch.nn.Module] = {}
        self._scopes: list[FrameType] = []  # module-level frames, whose names are read at the end
        self._functions: dict[CodeType, dict[str, Any]] = {}  # with their global variables
        self._attributes: dict[int, dict[str, Any]] = {}  # of the objects whose methods ran
        self._unseen = Unseen()
        self._last = 0, 0, 0  # frame, line and instruction of the last call
        self._owner = "", False  # the class whose method makes it; true for a module in eval mode

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if torch._C._get_tracing_state():  # torch.jit.trace would record the recorder's own calls
            return func(*args, **kwargs)
        frame: FrameType | None = sys._getframe(1)
        while frame and frame.f_back and frame.f_code.co_filename.startswith(NOT_THE_READERS):
            frame = frame.f_back
        assert frame
        file, line, last = frame.f_code.co_filename, frame.f_lineno, self._last
        with self._unseen:
            self._last = id(frame), line, frame.f_lasti
            if self._last[:2] != last[:2] or frame.f_lasti <= last[2]:  # names change between statements
                self._owner = self._name_locals(frame)
            arguments = [self._written(one) for one in args]
            keywords = {name: self._written(one) for name, one in kwargs.items()} if kwargs else kwargs
        result = func(*args, **kwargs)
        name, owner = getattr(func, "__name__", ""), self._owner
        with self._unseen:
            if "empty" in name and type(result) is Tensor:
                _fill_with_nan(result)
            result_or_target = args[0] if name == "__setitem__" else result
            results = (
                [self._number(result)]
                if type(result) is Tensor
                else [self._number(one) for one in _tensors(result_or_target)]
            )
        if results:
            name = func.__self__.__name__ if name == "__get__" else name
            place = file, line, self._last[0]
            callers = _callers(frame)
            self.calls.append(
                (name, arguments, keywords, results, *owner, callers, frame.f_code, frame.f_lasti, *place)
            )
            if name == "data":  # changes of it do not count as versions of the tensor
                seen = self._seen[id(args[0])]
                self._seen[id(args[0])] = seen[0], None, seen[2], seen[3]
        return result

    def _name_parameters(self) -> None:
        """Records the parameters and buffers of the modules, also those that no call uses, by their names."""
        paths: dict[int, list[str]] = {}
        for module in self.modules.values():
            if "_modules" not in vars(module):  # its __init__ did not call that of torch.nn.Module
                continue
            for kind in module.named_parameters(), module.named_buffers():
                for name, tensor in kind:
                    number = self._number(tensor)
                    self.tensors[number]["parameter"] = True
                    paths.setdefault(id(tensor), []).append(name)
        for key, names in paths.items():
            own = self._seen[key][3]
            own[:] = dict.fromkeys(sorted(names, key=len, reverse=True) + own)

    def _name_locals(self, frame: FrameType) -> tuple[str, bool]:
        """Names the tensors of a frame. Returns the class whose method runs, and True in eval mode."""
        local = frame.f_locals
        if local is frame.f_globals:
            if frame not in self._scopes:
                self._scopes.append(frame)
            return "", False
        self._name(local.items())
        code = frame.f_code
        self._functions[code] = frame.f_globals
        owner = local.get(code.co_varnames[0]) if code.co_argcount else None  # self
        if owner is None:
            return "", False
        if type(owner).__dictoffset__ and not isinstance(owner, Tensor):
            self._attributes[id(owner)] = vars(owner)
        is_module = isinstance(owner, torch.nn.Module)
        if is_module:
            self.modules[id(owner)] = owner
        return type(owner).__name__, is_module and not vars(owner).get("training", True)

    def _name(self, variables: Iterable[tuple[str, Any]]) -> None:
        get = self._seen.get
        for name, value in variables:
            seen = get(id(value))
            if seen and name not in seen[3] and seen[0]() is value:
                seen[3].append(name)

    def _name_unnamed(self, variables: Iterable[tuple[str, Any]]) -> None:
        unnamed = {key for key, seen in self._seen.items() if not seen[3]}
        self._name((name, value) for name, value in variables if id(value) in unnamed)

    def _number(self, tensor: Tensor) -> int:
        """Returns the number of a tensor in the recording. A tensor that was changed is another one."""
        seen = self._seen.get(id(tensor))
        same = seen if seen and seen[0]() is tensor else None
        try:
            version = tensor._version
        except RuntimeError:  # torch.inference_mode counts no versions
            version = None
        if same and same[1] == version is not None:
            return same[2]
        names = same[3] if same else []
        record: dict[str, Any] = {"shape": (), "dtype": tensor.dtype, "names": names}
        if type(tensor) is not Tensor and isinstance(tensor, torch.nn.Parameter):
            record["parameter"] = True
        try:
            record["shape"] = () if _is_traced(tensor) else tensor.shape
            self._copy(tensor, record, version)
        except (RuntimeError, NotImplementedError):
            pass  # no memory of its own, as within torch.func.vmap
        if same and record.get("data") == self.tensors[same[2]].get("data"):
            return same[2]
        self.tensors.append(record)
        self._seen[id(tensor)] = weakref.ref(tensor), version, len(self.tensors) - 1, names
        return len(self.tensors) - 1

    def _copy(self, tensor: Tensor, record: dict[str, Any], version: int | None) -> None:
        """Copies the memory between the first and the last number. No operation of PyTorch runs on a CPU's
        tensor, so other modes see nothing.
        """
        width = WIDTHS.get(record["dtype"])
        if width is None or _is_traced(tensor):
            return
        if not tensor.is_cpu:
            record["device"] = tensor.device.type
            tensor = tensor.detach().cpu()
        count, stride, address = tensor.numel(), None, tensor.data_ptr()
        base = tensor._base if count > 1024 and version is not None else None
        seen = self._seen.get(id(base))
        if seen and seen[1] == version and seen[0]() is base:  # a view of recorded memory
            data = self.tensors[seen[2]].get("data", b"")
            is_whole = len(data) == count * width and address == base.data_ptr() and base.is_contiguous()
            if is_whole and len(data) <= self.bytes_left:
                self.bytes_left -= len(data)
                record.update(strides=tensor.stride(), data=data)
                return
        span = count
        if not tensor.is_contiguous():
            stride = tensor.stride()
            span = 1 + sum((n - 1) * step for n, step in zip(record["shape"], stride))
        if span > max(4 * count, 64):  # few numbers of a large tensor
            tensor = tensor.detach().contiguous()
            span, stride, address = count, None, tensor.data_ptr()
        length, repeated = span * width, max(count - span, 0)
        if span <= self.most_numbers and length <= self.bytes_left and repeated <= self.repeated_left:
            self.bytes_left -= length
            self.repeated_left -= repeated
            if stride:
                record["strides"] = stride
            record["data"] = COPY(address, length) if length else b""

    def _written(self, value: Any) -> Any:
        """Returns an argument as JSON can write it. Of other objects it is the name of the type: to write
        their text would run the reader's code.
        """
        if isinstance(value, Tensor):
            return {"tensor": self._number(value)}
        if value is None or isinstance(value, (int, str)):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else NOT_FINITE[str(float(value))]
        if isinstance(value, (list, tuple)):
            return [self._written(one) for one in value]
        if isinstance(value, slice):
            return {"slice": [self._written(one) for one in (value.start, value.stop, value.step)]}
        kind = type(value)
        return "..." if value is ... else str(value) if kind.__module__ in PLAIN else kind.__name__

    def recording(self) -> dict[str, Any]:
        """Returns the recording as json.dumps() can write it."""
        with Unseen():
            for frame in self._scopes:
                scope = dict(frame.f_globals)
                self._name(scope.items())
                modules = (one for one in scope.values() if isinstance(one, torch.nn.Module))
                self.modules.update((id(one), one) for one in modules)
            self._name_parameters()
            for code, variables in self._functions.items():
                self._name_unnamed((name, variables.get(name)) for name in code.co_names)
            for attributes in self._attributes.values():
                self._name_unnamed(attributes.items())
        return {
            "format": "attn-walkthrough/calls",
            "version": 1,
            "torch": torch.__version__,
            "tensors": [
                {
                    **one,
                    **({"strides": strides_of(one)} if "data" in one else {}),
                    "dtype": str(one["dtype"])[6:],
                    **({"data": base64.b64encode(one["data"]).decode()} if "data" in one else {}),
                }
                for one in self.tensors
            ],
            "calls": list(self._placed()),
        }

    def since(self, first: int) -> Recorder:
        """Returns a recorder with the calls from this one on, and with those that led to their operands."""
        made, calls = Recorder(self.most_numbers), self.calls[first:]
        wanted = {number for call in calls for number in _numbers(call[1:3])}
        for call in reversed(self.calls[:first]):
            if wanted.intersection(call[3]) and len(calls) < len(self.calls) - first + MOST_EARLIER:
                calls.insert(0, call)
                wanted.update(_numbers(call[1:3]))
        made.__dict__.update(self.__dict__, calls=calls)
        return made

    def _placed(self) -> Iterator[dict[str, Any]]:
        for at, recorded in enumerate(self.calls):
            op, arguments, keywords, results, module, is_eval, callers, code, instruction, *place = recorded
            file, line, _ = place
            text = linecache.getline(file, line).strip()
            after = self.calls[at + 1][9:] if at + 1 < len(self.calls) else ()
            keyword_lines = _keyword_lines(keywords, code, instruction)
            target = None if ";" in text else ASSIGNED.match(text)  # a line of several statements
            if target and after != tuple(place):  # the last call of a statement makes its value
                names = re.split(r"\s*,\s*", target[1])
                for number, name in zip(results, names if len(names) == len(results) else names[:0]):
                    if name not in self.tensors[number]["names"]:
                        self.tensors[number]["names"].insert(0, name)  # before those given later
            yield {
                "op": op,
                "arguments": arguments,
                **({"keywords": keywords} if keywords else {}),
                **({"keyword_lines": keyword_lines} if keyword_lines else {}),
                "results": results,
                **({"module": module} if module else {}),
                **({"eval": True} if is_eval else {}),
                "file": file,
                "line": line,
                "text": text,
                **({"callers": [_caller(*one) for one in callers]} if callers else {}),
            }


def _fill_with_nan(tensor: Tensor) -> None:
    """Fills memory that nothing was written to: otherwise the answer would depend on what is left in it."""
    width = WIDTHS.get(tensor.dtype, 0)
    if width and tensor.is_cpu and tensor.is_contiguous():
        ctypes.memset(tensor.data_ptr(), 1 if tensor.dtype is torch.bool else 255, tensor.numel() * width)


def _callers(frame: FrameType) -> list[tuple[str, str, int]]:
    """Returns the lines of the reader that lead to a function's call, the nearest first."""
    callers: list[tuple[str, str, int]] = []
    function, caller = frame.f_code.co_name, frame.f_back
    while caller and function != "<module>" and len(callers) < MOST_CALLERS:
        code = caller.f_code
        if not code.co_filename.startswith(NOT_THE_READERS):
            callers.append((function, code.co_filename, caller.f_lineno))
            function = code.co_name
        caller = caller.f_back
    return callers


def _caller(function: str, file: str, line: int) -> dict[str, Any]:
    return {"function": function, "file": file, "line": line, "text": linecache.getline(file, line).strip()}


def _keyword_lines(keywords: Iterable[str], code: CodeType, instruction: int) -> dict[str, dict[str, Any]]:
    """Returns the lines of a call's keywords that stand below its first line. Needs Python 3.11."""
    lines: dict[str, dict[str, Any]] = {}
    if keywords and hasattr(code, "co_positions"):
        first, last, *_ = next(itertools.islice(code.co_positions(), instruction // 2, None))
        for line in range((first or 0) + 1, (last or 0) + 1):
            text = linecache.getline(code.co_filename, line).strip()
            for name in keywords:
                if re.search(rf"\b{name}\s*=(?!=)", text):
                    lines.setdefault(name, {"line": line, "text": text})
    return lines


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _tensors(one)


def _numbers(written: Any) -> Iterator[int]:
    """Returns the numbers of the tensors in arguments as they are written."""
    parts = written.items() if isinstance(written, dict) else enumerate(written)
    for name, one in parts:
        if isinstance(one, (dict, list, tuple)):
            yield from _numbers(one)
        elif name == "tensor":
            yield one


def strides_of(record: dict[str, Any]) -> tuple[int, ...]:
    """Returns the strides of a recorded tensor; without any, its rows follow each other."""
    shape = record["shape"]
    return record.get("strides") or tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def _is_traced(tensor: Tensor) -> bool:
    """True for a tensor without numbers, with which torch.compile traces code."""
    return type(tensor) is not Tensor and type(tensor).__module__.startswith("torch._subclasses")


def _leave_uncompiled() -> None:
    """Makes torch.compile run the recorder as it is, instead of compiling it and warning about it."""
    parts = _tensors, _is_traced, *vars(Recorder).values()
    codes = [part.__code__ for part in parts if hasattr(part, "__code__")]
    eval_frame = getattr(getattr(torch._C, "_dynamo", None), "eval_frame", None)
    Recorder.__torch_function__._torchdynamo_disable = True  # type: ignore[attr-defined]
    for code in codes if eval_frame else ():
        if hasattr(eval_frame, "skip_code"):
            eval_frame.skip_code(code)
        elif hasattr(eval_frame, "set_code_exec_strategy"):
            action = eval_frame._FrameAction
            eval_frame.set_code_exec_strategy(
                code, eval_frame._FrameExecStrategy(action.SKIP, action.DEFAULT)
            )


_leave_uncompiled()
