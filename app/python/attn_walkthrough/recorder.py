"""Records the calls that code makes on PyTorch's tensors: operation, arguments, results, names and lines.

The format is described in data/README.md. A mode belongs to the thread that entered
it, so calls of other threads are not recorded.
"""

from __future__ import annotations

import base64
import ctypes
import linecache
import math
import os
import re
import sys
import weakref
from collections.abc import Iterator
from types import FrameType
from typing import Any

import torch
from torch import overrides

MOST_NUMBERS = 1 << 21  # of one tensor; larger ones are recorded without their numbers
MOST_BYTES = 1 << 28  # of all tensors
NOT_THE_READERS = tuple(
    os.path.dirname(os.path.abspath(file)) + os.sep for file in (torch.__file__, __file__)
)
ASSIGNED = re.compile(r"\s*([^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*)\s*=(?!=)")
NOT_FINITE = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}
Tensor = torch.Tensor


class Unseen:
    """While it is entered, no other mode and no subclass of Tensor sees calls. In PyTorch 1.13,
    DisableTorchFunction leaves modes on.
    """

    def __enter__(self) -> None:
        self.modes = [overrides._pop_mode() for _ in range(overrides._len_torch_function_stack())]
        self.guard = torch._C.DisableTorchFunction()
        self.guard.__enter__()

    def __exit__(self, *error: object) -> None:
        self.guard.__exit__(*error)
        for mode in reversed(self.modes):
            overrides._push_mode(mode)


class Recorder(overrides.TorchFunctionMode):
    """Records while it is entered. Tensors are copied when first seen, and after each in-place call."""

    def __init__(self, most_numbers: int = MOST_NUMBERS) -> None:
        super().__init__()
        self.most_numbers = most_numbers
        self.bytes_left = MOST_BYTES
        self.tensors: list[dict[str, Any]] = []
        self.calls: list[tuple[Any, ...]] = []
        self._seen: dict[int, tuple[Any, int | None, int, list[str]]] = {}
        # Each tensor by its id: the tensor, its version, its number, its names.
        self.modules: dict[int, torch.nn.Module] = {}
        self._scopes: list[FrameType] = []  # module-level frames, whose names are read at the end

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        frame: FrameType | None = sys._getframe(1)
        while frame and frame.f_back and frame.f_code.co_filename.startswith(NOT_THE_READERS):
            frame = frame.f_back
        assert frame
        with Unseen():
            owner = self._name_locals(frame)
            arguments = [self._written(one) for one in args]
            keywords = {name: self._written(one) for name, one in kwargs.items()}
        result = func(*args, **kwargs)
        name = getattr(func, "__name__", "")
        with Unseen():
            results = [self._number(one) for one in _tensors(args[0] if name == "__setitem__" else result)]
        if results:
            name = func.__self__.__name__ if name == "__get__" else name
            place = frame.f_code.co_filename, frame.f_lineno, id(frame)
            self.calls.append((name, arguments, keywords, results, owner, *place))
        return result

    def name_parameters(self, module: torch.nn.Module) -> None:
        """Records the module's parameters and buffers, also those that no call uses, by their names."""
        self.modules[id(module)] = module
        with Unseen():
            self._name_parameters(module)

    def _name_parameters(self, module: torch.nn.Module) -> None:
        for kind in module.named_parameters(), module.named_buffers():
            for name, tensor in kind:
                record = self.tensors[self._number(tensor)]
                record["parameter"] = True
                if name not in record["names"]:
                    record["names"].append(name)

    def _name_locals(self, frame: FrameType) -> str:
        """Names the tensors of a frame. Returns the class of the module whose method runs."""
        local = frame.f_locals
        if local is frame.f_globals:
            if frame not in self._scopes:
                self._scopes.append(frame)
            return ""
        owner = local.get("self")
        if isinstance(owner, torch.nn.Module) and id(owner) not in self.modules:
            if frame.f_code.co_name != "__init__":  # which has not made all parameters yet
                self.name_parameters(owner)
        for name, value in local.items():
            seen = self._seen.get(id(value))
            if seen and name not in seen[3] and seen[0]() is value:
                seen[3].append(name)
        return type(owner).__name__ if owner is not None else ""

    def _number(self, tensor: Tensor) -> int:
        """Returns the number of a tensor in the recording. A tensor that was changed is another one."""
        seen = self._seen.get(id(tensor))
        try:
            version = tensor._version
        except RuntimeError:  # torch.inference_mode counts no versions
            version = None
        if seen and seen[1] == version is not None and seen[0]() is tensor:
            return seen[2]
        record = {"shape": tuple(tensor.shape), "dtype": str(tensor.dtype)[6:], "names": []}
        if tensor.device.type != "cpu":
            record["device"] = tensor.device.type
        if isinstance(tensor, torch.nn.Parameter):
            record["parameter"] = True
        try:
            self._copy(tensor, record)
        except (RuntimeError, NotImplementedError):
            pass  # no memory of its own, as within torch.func.vmap
        if seen and seen[0]() is tensor:  # changed in place: it has the same names
            if record.get("data") == self.tensors[seen[2]].get("data"):
                return seen[2]
            record["names"] = list(seen[3])
        self.tensors.append(record)
        self._seen[id(tensor)] = weakref.ref(tensor), version, len(self.tensors) - 1, record["names"]
        return len(self.tensors) - 1

    def _copy(self, tensor: Tensor, record: dict[str, Any]) -> None:
        """Copies the memory between the first and the last number. No operation of PyTorch runs, so other
        modes see nothing.
        """
        if tensor.layout != torch.strided or tensor.is_meta or tensor.is_complex() or _is_traced(tensor):
            return
        if tensor.device.type != "cpu":
            tensor = tensor.detach().cpu()
        count, stride = tensor.numel(), tensor.stride()
        span = count
        if not tensor.is_contiguous():
            span = 1 + sum((n - 1) * step for n, step in zip(record["shape"], stride))
        if span > max(4 * count, 64):  # few numbers of a large tensor
            tensor = tensor.detach().contiguous()
            span, stride = count, tensor.stride()
        length = span * tensor.element_size()
        if span <= self.most_numbers and length <= self.bytes_left:
            self.bytes_left -= length
            record["strides"] = stride
            record["data"] = ctypes.string_at(tensor.data_ptr(), length) if length else b""

    def _written(self, value: Any) -> Any:
        """Returns an argument as JSON can write it."""
        if isinstance(value, Tensor):
            return {"tensor": self._number(value)}
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, (int, float)):
            return value if math.isfinite(value) else NOT_FINITE[str(float(value))]
        if isinstance(value, (list, tuple)):
            return [self._written(one) for one in value]
        if isinstance(value, slice):
            return {"slice": [self._written(one) for one in (value.start, value.stop, value.step)]}
        return "..." if value is ... else str(value)

    def recording(self) -> dict[str, Any]:
        """Returns the recording as json.dumps() can write it."""
        with Unseen():
            for frame in self._scopes:
                for name, value in list(frame.f_globals.items()):
                    if isinstance(value, torch.nn.Module) and id(value) not in self.modules:
                        self.name_parameters(value)
                    seen = self._seen.get(id(value))
                    if seen and name not in seen[3] and seen[0]() is value:
                        seen[3].append(name)
        return {
            "format": "attn-walkthrough/calls",
            "version": 1,
            "torch": torch.__version__,
            "tensors": [
                {**one, "data": base64.b64encode(one["data"]).decode()} if "data" in one else one
                for one in self.tensors
            ],
            "calls": list(self._placed()),
        }

    def _placed(self) -> Iterator[dict[str, Any]]:
        for at, (op, arguments, keywords, results, module, file, line, frame) in enumerate(self.calls):
            text = linecache.getline(file, line).strip()
            after = self.calls[at + 1][5:] if at + 1 < len(self.calls) else ()
            target = ASSIGNED.match(text)
            if target and after != (file, line, frame):  # the last call of a statement makes its value
                names = re.split(r"\s*,\s*", target[1])
                for number, name in zip(results, names if len(names) == len(results) else names[:0]):
                    if name not in self.tensors[number]["names"]:
                        self.tensors[number]["names"].append(name)
            yield {
                "op": op,
                "arguments": arguments,
                **({"keywords": keywords} if keywords else {}),
                "results": results,
                **({"module": module} if module else {}),
                "file": file,
                "line": line,
                "text": text,
            }


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _tensors(one)


def _is_traced(tensor: Tensor) -> bool:
    """True for a tensor without numbers, with which torch.compile traces code."""
    return type(tensor).__module__.startswith("torch._subclasses")


def _leave_uncompiled() -> None:
    """Makes torch.compile run the recorder as it is, instead of compiling it and warning about it."""
    parts = _tensors, _is_traced, *vars(Unseen).values(), *vars(Recorder).values()
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
