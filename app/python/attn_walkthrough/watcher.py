"""Watches a block of code or a module run, and asks the program which line departs from the chapter."""

from __future__ import annotations

import copy
import functools
import html
import json
import math
import numbers
import os
import re
import tempfile
from typing import Any

import torch

from . import FOLDER, Explanation, Walk, _is_about_number, _question, _run, _whole, watch
from . import explain as explain_number
from . import walk as walk_stage
from .recorder import MOST_NUMBERS, WIDTHS, Recorder, strides_of

BY_HEAD = "multi-head", "grouped-query"  # stages with axes for the batch and the heads
PROJECTIONS = "queries", "keys", "values"
LEAST_SCORE = -1e3  # a smaller one hides a key


class _Forward:
    """The forward of a watched module. Copies and files of the module have the forward without a watch."""

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
        """Walks a layer, or one head of it, on its recorded inputs and weights, or the first sequence of a
        batch.
        """
        return walk_stage(**self._stage(layer, head))

    def explain(
        self, cell: str | float, layer: int | None = None, head: int | None = None, depth: int | None = None
    ) -> Explanation:
        """Explains a number of a layer from its recorded inputs and weights. The cell has the name of a step
        or of the code's own variable. By default, it belongs to the last layer that has the name, and to the
        first sequence of a batch. With a head, the cell has no index for it.
        """
        question = _question(cell)
        if not _is_about_number(question):
            given = f"{question!r:.60}"
            raise ValueError(f"cell: a cell such as 'keys[1][0]' or a number is expected, not {given}")
        name, brackets, index = question.partition("[")
        name, indices = name.rstrip(), [int(one) for one in re.findall(r"-?\d+", index)]
        if layer is None:
            has_name = [any(name in (c["label"], c["step"]) for c in one["calls"]) for one in self.layers]
            layer = max((i for i, has in enumerate(has_name) if has), default=0)
        found = self._layer(layer)
        calls = [c for c in found["calls"] if name == c["label"]]
        calls = calls or [c for c in found["calls"] if name == c["step"]]
        place = self._place(found, calls, indices, head)
        call, sequence, inner, number = place or ((calls or [found])[-1], 0, indices, None)
        if brackets and call["verdict"] != "right":
            reason = found["headline"].lstrip("✗✓? ")
            raise ValueError(f"{name}: it cannot be explained, because your code has other numbers: {reason}")
        if not calls:
            return explain_number(question, depth=depth, **self._stage(layer, head))
        step = call["step"]
        options = self._stage(layer, head, sequence, has_mask=place is None)
        if options["stage"] in BY_HEAD and place:
            inner = [0, *inner]
            step += "_heads" if len(inner) == 4 and step in PROJECTIONS else ""
            step = "context_merged" if len(inner) == 3 and step == "context_heads" else step
        elif head is not None:
            step = {"context_heads": "context_vec"}.get(step, step.removesuffix("_heads"))
        if options["stage"] != found["stage"] and step.startswith("attn_weights"):
            step = "attn_weights_causal" if options["stage"] == "causal" else "attn_weights"
        if not step.isidentifier():
            raise ValueError(f"{name}: it is {step} of {options['stage']}, which has no step of its own")
        asked = step + ("".join(f"[{i}]" for i in inner) if place else brackets + index)
        explained = explain_number(asked, depth=depth, **options)
        value = float(explained.data["explanation"]["value"])
        if number is not None and not (value == number or abs(value - number) <= 1e-3 + 1e-2 * abs(number)):
            stage = options["stage"]
            raise ValueError(f"{question}: it is {number:.4f} in your code, but {value:.4f} in {stage}")
        return explained

    def _place(
        self, found: dict[str, Any], calls: list[dict[str, Any]], indices: list[int], head: int | None
    ) -> tuple[dict[str, Any], int, list[int], float] | None:
        """Returns the last of the calls whose result has a cell with these indices, the sequence, the other
        indices as the stages order them, and the number. Returns None if no result has the cell.
        """
        given = self._recorder.tensors[found["inputs"]]["shape"]
        axis = 1 if found["sequence_first"] else 0
        for has_sequence in (True, False) if len(given) == 3 else (False,):
            for call in reversed(calls):
                record = self._recorder.tensors[self._recorder.calls[call["call"]][3][0]]
                if "data" not in record or record["dtype"] not in WIDTHS:
                    continue
                values, inner, sequence = _values(record), indices, 0
                if len(given) == 3 and values.dim() > 1 and values.shape[axis] == given[axis]:
                    if has_sequence and len(indices) > axis:
                        sequence, inner = indices[axis], indices[:axis] + indices[axis + 1 :]
                    sequence += given[axis] if sequence < 0 else 0
                    if not 0 <= sequence < given[axis]:
                        continue
                    values = values.select(axis, sequence)
                elif has_sequence:
                    continue
                heads, tokens = found["heads"], given[-2] if axis == 0 else given[0]
                is_swapped = values.dim() == 3 and values.shape[:2] == (tokens, heads) and tokens != heads
                values = values.transpose(0, 1) if is_swapped else values
                if head is not None and heads > 1:
                    is_shared = call["step"].startswith(("key", "value"))
                    shared = found["kv_heads"] or heads if is_shared else heads
                    own = head * shared // heads
                    if values.dim() == 2 and call["step"] in (*PROJECTIONS, "context_heads"):
                        values = values.unflatten(1, (shared, -1)).transpose(0, 1)
                    if values.dim() != 3 or values.shape[0] <= own:
                        continue
                    values = values[own]
                elif is_swapped and len(inner) == 3:
                    inner = [inner[1], inner[0], inner[2]]
                inner = [i + n if i < 0 else i for i, n in zip(inner, values.shape)] + inner[values.dim() :]
                if len(inner) == values.dim() and all(0 <= i < n for i, n in zip(inner, values.shape)):
                    return call, sequence, inner, float(values[tuple(inner)])
        return None

    def _layer(self, layer: int) -> dict[str, Any]:
        if not self.layers:
            raise ValueError(f"layer: there is none. {' '.join(str(self).split())}")
        return self.layers[_index("layer", layer, len(self.layers))]

    def _stage(
        self, layer: int, head: int | None, sequence: int = 0, has_mask: bool = True
    ) -> dict[str, Any]:
        """Returns the stage of a layer, or of one head of it, and its recorded inputs and weights. Raises
        ValueError if no stage has the layer's mask, unless it may have another one.
        """
        found = self._layer(layer)
        is_seen = found["weights"] or found["stage"] == "simplified"
        if not is_seen or (has_mask and found["verdict"] == "unknown"):
            remedy = self._remedy()
            raise ValueError(
                f"layer {layer} was too large to record, or fits no stage; {remedy}"
                if remedy and not found["stage"]
                else f"layer {layer} has keys and values of other inputs, which no stage walks"
                if found["memory"] is not None
                else f"layer {layer} cannot be walked: {found['headline'].lstrip('✗✓? ')}"
            )
        if head is not None:
            head = _index("head", head, max(found["heads"], 1))
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
        batch = 1
        if inputs.dim() == 3:
            batch = inputs.shape[1 if found["sequence_first"] else 0]
            inputs = inputs[:, sequence] if found["sequence_first"] else inputs[sequence]
        options: dict[str, Any] = {"stage": found["stage"], "inputs": inputs}
        if weights:
            options["weights"] = weights
        n = inputs.shape[0]
        hidden, future = self._hidden(found, n, sequence, batch), torch.ones(n, n).triu(1) > 0
        window = n - int(hidden[-1].sum()) if n else 0
        if weights and (head is not None or found["stage"] not in BY_HEAD):
            options["stage"] = "causal" if found["masked"] else "linear"
            if n > window > 0 and torch.equal(hidden, future | (torch.ones(n, n).tril(-window) > 0)):
                options.update(stage="sliding-window", window=window)
        elif found["stage"] in BY_HEAD:
            options["heads"] = heads
            if found["stage"] == "grouped-query":
                options["kv_heads"] = found["kv_heads"]
                options["rotary"] = found["rotary"] or "none"
        is_masked = options["stage"] not in ("linear", "simplified")
        if has_mask and "window" not in options and not torch.equal(hidden, future & is_masked):
            raise ValueError(
                f"{found['stage']} has a causal mask, and layer {layer} another or none; walk a head: head=0"
                if "heads" in options and not found["rotary"]
                else f"no stage has the mask of layer {layer}"
            )
        return options

    def _hidden(self, found: dict[str, Any], n: int, sequence: int, batch: int) -> torch.Tensor:
        """Returns the mask of a sequence of n tokens: true where a query does not see a key."""
        hidden = torch.zeros(n, n, dtype=torch.bool)
        masks: list[torch.Tensor] = []
        calls = found["calls"] if found["verdict"] == "right" else []  # the mask may be what departs
        for call in sorted(calls, key=lambda one: not one["step"].startswith("masked")):
            op, arguments, keywords, results = self._recorder.calls[call["call"]][:4]
            if op in ("scaled_dot_product_attention", "multi_head_attention_forward"):
                is_sdpa = op.startswith("scaled")
                if keywords.get("is_causal") or (is_sdpa and True in arguments[5:6]):
                    hidden |= torch.ones(n, n).triu(1) > 0
                given = [keywords.get("attn_mask"), keywords.get("key_padding_mask")]
                for one in given + (arguments[3:4] if is_sdpa else []):
                    if one is not None:
                        record = self._recorder.tensors[one["tensor"]]
                        mask = self._tensor(one["tensor"])
                        is_bool = record["dtype"] is torch.bool
                        mask = (mask == (0 if is_sdpa else 1)) if is_bool else mask < LEAST_SCORE
                        masks.append(mask.unsqueeze(-2) if one is given[1] else mask)
                break
            record = self._recorder.tensors[results[0]]
            if call["step"].startswith(("masked", "attn_weights")):
                if "data" in record and tuple(record["shape"][-2:]) == (n, n):
                    scores = _values(record)
                    is_score = call["step"].startswith("masked") and "simple" not in call["step"]
                    masks.append(scores < LEAST_SCORE if is_score else scores == 0)
                    break
        else:
            return hidden if not found["masked"] else torch.ones(n, n).triu(1) > 0
        for mask in masks:
            each = mask.expand(*mask.shape[:-2], n, n).reshape(-1, n, n)
            hidden |= each[sequence * len(each) // batch]
        return hidden

    def _remedy(self) -> str:
        """Says how to record the tensors that lack their numbers. Empty if none does."""
        counts = [
            math.prod(one["shape"])
            for one in self._recorder.tensors
            if "data" not in one and one["dtype"] in WIDTHS
        ]
        if any(count <= self._recorder.most_numbers for count in counts):
            return "the recording is full: watch one module, attn.watch(module), or fewer tokens"
        return f"use attn.watch(most_numbers={max(counts)}) or fewer tokens" if counts else ""

    def _tensor(self, number: int) -> torch.Tensor:
        record = self._recorder.tensors[number]
        if "data" not in record:
            raise ValueError(f"this tensor was too large to record; {self._remedy()}")
        return _values(record)


def _values(record: dict[str, Any]) -> torch.Tensor:
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
