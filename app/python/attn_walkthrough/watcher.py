"""Watches a block of code or a module run, and asks the program which line departs from the chapter."""

from __future__ import annotations

import copy
import functools
import html
import json
import numbers
import os
import tempfile
from typing import Any

import torch

from . import FOLDER, Explanation, Walk, _is_about_number, _question, _run, _whole, watch
from . import explain as explain_number
from . import walk as walk_stage
from .recorder import MOST_NUMBERS, Recorder, strides_of


class _Forward:
    """The forward of a watched module. A copy of the module, or a saved one, has the forward without a watch."""

    def __init__(self, model: torch.nn.Module, recorder: Recorder) -> None:
        functools.update_wrapper(self, model.forward)
        self._model, self._recorder = model, recorder

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with self._recorder:
            self._recorder.modules[id(self._model)] = self._model
            return self.__wrapped__(*args, **kwargs)  # type: ignore[attr-defined]

    def __reduce__(self) -> tuple[Any, ...]:
        return copy.copy, (self.__wrapped__,)  # type: ignore[attr-defined]


class Watch:
    """The calls of a block of code, or of a module, and the program's answer, which printing it shows."""

    def __init__(self, model: torch.nn.Module | None = None, most_numbers: int | None = None) -> None:
        if not isinstance(model, (torch.nn.Module, type(None))):
            raise TypeError(f"model: a torch.nn.Module is expected, not {type(model).__name__}")
        if isinstance(model, torch.jit.ScriptModule):
            raise TypeError("model: a compiled module cannot be watched; pass the module it was made from")
        most_numbers = MOST_NUMBERS if most_numbers is None else most_numbers
        if not isinstance(most_numbers, numbers.Real) or not most_numbers >= 0:
            raise ValueError(f"most_numbers: a number from 0 on is expected, not {most_numbers!r:.60}")
        self._recorder = Recorder(most_numbers)
        self._model = model
        self._answer: tuple[int, str, list[dict[str, Any]]] | None = None
        if model is not None:
            self._replaced = vars(model).get("forward")
            model.forward = _Forward(model, self._recorder)  # type: ignore[method-assign]

    def __enter__(self) -> Watch:
        if self._model is None:
            self._recorder.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._model is None:
            self._recorder.__exit__(*error)
        self.close()

    def close(self) -> None:
        """Stops watching the module."""
        if self._model is not None:
            vars(self._model).pop("forward", None)
            if self._replaced is not None:
                self._model.forward = self._replaced  # type: ignore[method-assign]

    def recording(self) -> dict[str, Any]:
        """Returns the recording; its format is described in data/README.md."""
        return self._recorder.recording()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the recording as JSON."""
        if not isinstance(path, (str, os.PathLike)):  # open() would take a number for an open file
            raise TypeError(f"path: a file name is expected, not {type(path).__name__}")
        text = json.dumps(self.recording(), ensure_ascii=False)
        try:
            file = open(path, "w", encoding="utf-8", errors="replace")  # names of files may be no UTF-8
        except ValueError as error:
            raise ValueError(f"path: no file can have this name: {error}") from None
        with file:
            file.write(text)

    def _judged(self) -> tuple[int, str, list[dict[str, Any]]]:
        """Returns the number of calls, the program's answer as text, and the layers."""
        count = len(self._recorder.calls)
        if self._answer is None or self._answer[0] != count:
            with tempfile.TemporaryDirectory(prefix=FOLDER) as folder:
                calls, found = os.path.join(folder, "calls.json"), os.path.join(folder, "answer.json")
                self.save(calls)
                text = _run(["diagnose", calls, f"--json={found}"])[1].decode()
                with open(found, encoding="utf-8") as file:
                    self._answer = count, text, json.load(file)["layers"]
        return self._answer

    @property
    def layers(self) -> list[dict[str, Any]]:
        """The attention layers: stage, verdict, headline, calls, and the call that departs."""
        return self._judged()[2]

    @property
    def right(self) -> bool:
        return bool(self.layers) and all(layer["verdict"] == "right" for layer in self.layers)

    def __str__(self) -> str:
        return self._judged()[1]

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Returns the headlines, with the details on a click."""
        headlines = [layer["headline"] for layer in self.layers] or ["no attention layer"]
        summary = "<br>".join(map(html.escape, headlines))
        return f"<details><summary>{summary}</summary><pre>{html.escape(str(self))}</pre></details>"

    def walk(self, layer: int = 0, head: int | None = None) -> Walk:
        """Walks a layer, or one head of it, on its recorded inputs and weights."""
        return walk_stage(**self._stage(layer, head))

    def explain(
        self, cell: str | float, layer: int | None = None, head: int | None = None, depth: int | None = None
    ) -> Explanation:
        """Explains a number of a layer from its recorded inputs and weights. The cell has the name of a step
        or of the code's own variable. By default, it belongs to the last layer that has the name.
        """
        question = _question(cell)
        if not _is_about_number(question):
            given = f"{question!r:.60}"
            raise ValueError(f"cell: a cell such as 'keys[1][0]' or a number is expected, not {given}")
        name, brackets, index = question.partition("[")
        name = name.rstrip()
        if layer is None:
            has_name = [any(name in (c["label"], c["step"]) for c in one["calls"]) for one in self.layers]
            layer = max((i for i, has in enumerate(has_name) if has), default=0)
        steps = [c["step"] for c in self._layer(layer)["calls"] if c["label"] == name]
        name = next((step for step in steps if step.isidentifier()), name)
        options = self._stage(layer, head)
        return explain_number(name + brackets + index, depth=depth, **options)

    def _layer(self, layer: int) -> dict[str, Any]:
        if not self.layers:
            raise ValueError(f"layer: there is none. {' '.join(str(self).split())}")
        return self.layers[_index("layer", layer, len(self.layers))]

    def _stage(self, layer: int, head: int | None) -> dict[str, Any]:
        """Returns the stage of a layer, or of one head of it, and its recorded inputs and weights."""
        found = self._layer(layer)
        if head is not None:
            head = _index("head", head, max(found["heads"], 1))
        if not found["weights"] and found["stage"] != "simplified":
            raise ValueError(f"layer {layer} has no inputs and weights from which a stage can be walked")
        if found["rotary"] and head is not None:
            raise ValueError("a head with rotary positions has no stage; walk the whole layer")
        inputs, heads, weights = self._tensor(found["inputs"]), found["heads"], {}
        for place in found["weights"]:
            tensor, (first, last) = self._tensor(place["tensor"]), place["rows"]
            if tensor.dim() == 3:
                raise ValueError("weights with an axis for heads cannot be walked; use two axes")
            if place["transposed"] and tensor.dim() == 2:
                tensor = tensor.T
            if head is not None:
                if place["name"].startswith("out_proj"):
                    continue
                shared = heads if "query" in place["name"] else found["kv_heads"] or heads
                width = (last - first) // shared
                first += head * shared // heads * width
                last = first + width
            weights[place["name"]] = tensor[first:last]
        if inputs.dim() == 3:  # the first sequence
            inputs = inputs[:, 0] if found["sequence_first"] else inputs[0]
        options: dict[str, Any] = {"stage": found["stage"], "inputs": inputs}
        if weights:
            options["weights"] = weights
        if head is not None and weights:
            options["stage"] = "causal" if found["masked"] else "linear"
        elif heads > 1:
            options["heads"] = heads
            if found["stage"] == "grouped-query":
                options["kv_heads"] = found["kv_heads"]
                options["rotary"] = found["rotary"] or "none"
        return options

    def _tensor(self, number: int) -> torch.Tensor:
        record = self._recorder.tensors[number]
        if "data" not in record:
            raise ValueError(
                "this tensor was too large to record; use attn.watch(most_numbers=…) or fewer tokens"
            )
        memory = torch.frombuffer(bytearray(record["data"]), dtype=record["dtype"])
        return memory.as_strided(record["shape"], strides_of(record)).float()


def _index(name: str, value: Any, count: int) -> int:
    """Returns the number of a layer or head. Raises ValueError if there is none with this number."""
    index = _whole(value)
    if index not in range(count):
        those = f"{name}s 0 to {count - 1} exist" if count > 1 else f"only {name} 0 exists"
        raise ValueError(f"{name}: there is no {name} {value!r:.60}; {those}")
    return index


def _has_attention(layer: dict[str, Any]) -> bool:
    """Returns False for projections without scores."""
    steps = [call["step"] for call in layer["calls"]]
    return not steps or not all(step.startswith(("queries", "keys", "values")) for step in steps)


def register(shell: Any) -> None:
    """Adds the cell magic %%attn to IPython: runs a cell, and shows the program's answer below it."""

    def attn(line: str, cell: str) -> None:
        from IPython.display import display

        outer, parsed = shell.displayhook.exec_result, shell.history_manager.input_hist_parsed
        parsed.append(shell.transform_cell(cell))  # IPython looks there for a ";" that silences the output
        try:
            with watch() as seen:
                result = shell.run_cell("#\n" + cell)  # so that line 1 is the line of %%attn
        finally:
            parsed.pop()
        if outer is not None:  # the error was shown, and is one of the outer cell
            outer.error_before_exec, outer.error_in_exec = result.error_before_exec, result.error_in_exec
        if any(_has_attention(layer) for layer in seen.layers):
            display(seen)

    shell.register_magic_function(attn, "cell")
