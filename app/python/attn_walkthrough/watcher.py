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
import threading
from typing import Any, NamedTuple

import torch

from . import Explanation, Walk, _folder, _is_about_number, _question, _run, _whole, watch
from . import explain as explain_number
from . import walk as walk_stage
from .recorder import MOST_BYTES, MOST_NUMBERS, WIDTHS, Recorder, strides_of

BY_HEAD = "multi-head", "grouped-query"  # stages with axes for the batch and the heads
PROJECTIONS = "queries", "keys", "values"
HALF = torch.float16, torch.bfloat16


class _Result(NamedTuple):
    """The inputs or a result of a layer, or a later tensor."""

    verdict: str
    step: str
    tensor: int
    call: int


class _Forward:
    """The forward of a watched module, which one thread runs at a time, because a layer's calls must follow
    each other. Copies and files of the module have the forward without a watch.
    """

    def __init__(self, model: torch.nn.Module, recorder: Recorder) -> None:
        functools.update_wrapper(self, model.forward)
        self._model, self._recorder, self._runs = model, recorder, threading.RLock()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with self._runs, self._recorder:
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
            target = os.path.realpath(os.fsdecode(path))
            is_device = os.path.exists(target) and not os.path.isfile(target)
        except ValueError as error:
            raise ValueError(f"path: no file can have this name: {error}") from None
        written = target if is_device else f"{target}.{os.getpid()}.tmp"  # until all is written
        try:
            with open(written, "w", encoding="utf-8", errors="replace") as file:  # names may be no UTF-8
                file.write(text)
            if not is_device:
                os.replace(written, target)
        except OSError as error:
            if not is_device and os.path.exists(written):
                os.remove(written)
            raise type(error)(error.errno, error.strerror, os.fspath(path)) from None

    def _judged(self) -> tuple[int, str, list[dict[str, Any]]]:
        """Returns the number of calls, the program's answer as text, and the layers."""
        count = len(self._recorder.calls)
        if self._answer is None or self._answer[0] != count:
            with _folder() as folder:
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
        walked = walk_stage(**self._stage(layer, head))
        used = {self._type(place["tensor"]) for place in self._layer(layer)["weights"]}
        for half in used.intersection(HALF):
            said = f"Your code computes in {_name(half)}; these are the numbers in float32."
            walked.text = f"{said}\n\n{walked.text}"
        return walked

    def explain(
        self, cell: str | float, layer: int | None = None, head: int | None = None, depth: int | None = None
    ) -> Explanation:
        """Explains a number of a layer from its recorded inputs and weights. The cell has the name of a step
        or of the code's own variable, and the indices of the code's tensor. By default, it belongs to the
        last layer that has the name. With a head, the cell has no index for it. Steps that the code does not
        have are those of the first sequence of a batch.
        """
        question = _question(cell)
        if not _is_about_number(question):
            given = f"{question!r:.60}"
            raise ValueError(f"cell: a cell such as 'keys[1][0]' or a number is expected, not {given}")
        name, brackets, index = question.partition("[")
        name, indices = name.rstrip(), [int(one) for one in re.findall(r"-?\d+", index)]
        if layer is None:
            has_name = [bool(self._results(one, name)) for one in self.layers]
            layer = max((i for i, has in enumerate(has_name) if has), default=0)
        found = self._layer(layer)
        results = self._results(found, name)
        place = self._place(found, results, indices, head)
        result = place[0] if place else results[-1] if results else _Result(found["verdict"], "", 0, 0)
        _, sequence, inner, number = place or (None, 0, indices, None)
        step = result.step
        if brackets and result.verdict not in ("right", "detour"):
            reason = ", because your code has other numbers" if found["departs"] else ""
            raise ValueError(f"{name}: it cannot be explained{reason}: {_reason(found)}")
        if not results:
            try:
                options = self._stage(layer, head)
            except ValueError as error:
                is_missing = "there is no such variable or step; " if brackets else ""
                raise ValueError(f"{question}: {is_missing}{error}") from None
            return self._listed(explain_number(question, depth=depth, **options), layer, head)
        if place is None:
            self._require_cell(question, name, found, results, has_head=head is not None)
        options = self._stage(layer, head, sequence, needs_mask=place is None)
        if options["stage"] in BY_HEAD and place:
            inner = [0, *inner]
            projection = re.sub(r"_viewed$|\.view\(.*", "", step)
            step = projection + "_heads" if len(inner) == 4 and projection in PROJECTIONS else step
            if found["heads"] == 1 and len(inner) == 3 and step.startswith(("attn_", "masked")):
                inner.insert(1, 0)  # code with one head has no axis for it
            step = {"context_heads": "context_merged"}.get(step, step) if len(inner) == 3 else step
            step = "batch" if step == "inputs" else step
        elif head is not None:
            step = {"context_heads": "context_vec"}.get(step, step.removesuffix("_heads"))
        if options["stage"] != found["stage"] and step.startswith("attn_weights"):
            step = "attn_weights_causal" if options["stage"] == "causal" else "attn_weights"
        if not step.isidentifier():
            raise ValueError(
                f"{name}: it is {step} of {options['stage']}, which has no step of its own"
                if step
                else f"{name}: no step has its numbers; print(w) names the steps"
            )
        asked = step + (_cell(inner) if place else brackets + index)
        explained = explain_number(asked, depth=depth, **options)
        if sequence:
            shown = ", which is batch 0 here" if options["stage"] in BY_HEAD else ""
            explained.text = f"sequence {sequence} of your batch{shown}:\n{explained.text}"
        value = float(explained.data["explanation"]["value"])
        is_half = number is not None and self._type(result.tensor) in HALF
        if number is not None and not _is_close(value, number, 3e-2 if is_half else 1e-3):
            stage = options["stage"]
            stage += ", which adds no bias to the scores" if found["bias"] else ""
            stage += ", which drops no weights; use model.eval()" if found["dropout"] else ""
            raise ValueError(f"{question}: it is {number:.4f} in your code, but {value:.4f} in {stage}")
        later = self._place(found, self._changes(layer, name, results[-1]), indices, head)
        if number is not None and later and not _is_close(later[3], number):
            op, *_, line = self._recorder.calls[later[0].call][:11]
            before = f"; {result.step}{brackets}{index} explains" if name != result.step else ", from"
            raise ValueError(
                f"{question}: {op} of line {line} changed it to {later[3]:.4f}{before} {number:.4f}"
            )
        if is_half:
            half = _name(self._type(result.tensor))
            explained.text = (
                f"{question} is {number:.4f} in your code, which computes in {half}; in float32:\n"
                + explained.text
            )
        return explained

    def _listed(self, explained: Explanation, layer: int, head: int | None) -> Explanation:
        """Makes commands that explain cells calls of explain()."""
        found, which = self._layer(layer), f", layer={layer}" if len(self.layers) > 1 else ""
        which += "" if head is None else f", head={head}"

        def call(command: re.Match[str]) -> str:
            stage, step, index = command.groups()
            cell = [int(one) for one in re.findall(r"\d+", index)]
            inner, results = cell[1:] if stage in BY_HEAD else cell, self._results(found, step)
            axis = 1 if found["sequence_first"] else 0
            for order in inner, [*inner[:2][::-1], *inner[2:]]:  # the axis of the heads may be the second
                for own in [*order[:axis], 0, *order[axis:]], order:
                    place = self._place(found, results, own, head)
                    if place and place[1:3] == (0, inner):
                        return f'attn.explain("{step}{_cell(own)}"{which})'
            return f'attn.explain("{step}{index}"{which})'

        explained.text = re.sub(r"attn-walkthrough explain (\S+) '(\w+)(\S*)'", call, explained.text)
        return explained

    def _batch(self, found: dict[str, Any]) -> int:
        """Returns the number of sequences of a layer's inputs."""
        shape = self._recorder.tensors[found["inputs"]]["shape"]
        return shape[1 if found["sequence_first"] else 0] if len(shape) == 3 else 1

    def _results(self, found: dict[str, Any], name: str) -> list[_Result]:
        """Returns the inputs and the results of a layer that have the name of a variable, or else of a step,
        the latest last.
        """
        first = found["calls"][0]["call"] if found["calls"] else 0
        every = [_Result("right", "inputs", found["inputs"], first)]
        for call in found["calls"]:
            tensors = self._recorder.calls[call["call"]][3]
            steps = call["steps"] or [""] * len(tensors)
            every += [_Result(call["verdict"], *one, call["call"]) for one in zip(steps, tensors)]
        last = [one for one in every if self._names(one.tensor)[-1:] == [name]]
        last.sort(key=lambda one: (one.call, len(self._names(one.tensor))))  # v = k after q, k, v = ...
        named = last or [one for one in every if name in self._names(one.tensor)]
        return named or [one for one in every if one.step == name]

    def _type(self, tensor: int) -> torch.dtype:
        return self._recorder.tensors[tensor]["dtype"]  # type: ignore[no-any-return]

    def _names(self, tensor: int) -> list[str]:
        return self._recorder.tensors[tensor]["names"]

    def _changes(self, layer: int, name: str, last: _Result) -> list[_Result]:
        """Returns the tensors that a variable is after this result, up to the next layer."""
        following = [one["calls"][0]["call"] for one in self.layers[layer + 1 :] if one["calls"]]
        later = range(last.call + 1, min(following, default=len(self._recorder.calls)))
        results = [_Result("", "", one, at) for at in later for one in self._recorder.calls[at][3]]
        is_variable = name in self._names(last.tensor)
        return [one for one in results if is_variable and self._names(one.tensor)[-1:] == [name]]

    def _require_cell(
        self, question: str, name: str, found: dict[str, Any], results: list[_Result], has_head: bool
    ) -> None:
        """Raises ValueError if numbers of these results were recorded: none of them has the cell."""
        records = [self._recorder.tensors[one.tensor] for one in results]
        for shape in [one["shape"] for one in records if "data" in one][-1:]:
            first, last = name + len(shape) * "[0]", name + _cell([n - 1 for n in shape])
            batch = self._batch(found)
            raise ValueError(
                f"{question}: in your code {name} has shape {tuple(shape)}"
                + (f", for {batch} sequences; " if batch > 1 else "; ")
                + ("leave out the head's index only" if has_head else f"its cells are {first} to {last}")
            )

    def _place(
        self, found: dict[str, Any], results: list[_Result], indices: list[int], head: int | None
    ) -> tuple[_Result, int, list[int], float] | None:
        """Returns the last of the results that has a cell with these indices, the sequence, the other
        indices as the stages order them, and the number. Returns None if no result has the cell.
        """
        given = self._recorder.tensors[found["inputs"]]["shape"]
        axis = 1 if found["sequence_first"] else 0
        for has_sequence in (True, False) if len(given) == 3 else (False,):
            for result in reversed(results):
                record = self._recorder.tensors[result.tensor]
                if "data" not in record or record["dtype"] not in WIDTHS:
                    continue
                values, inner, sequence = _values(record), indices, 0
                if len(given) == 3 and values.dim() > 1 and values.shape[axis] == given[axis]:
                    if has_sequence and len(indices) > axis:
                        sequence, inner = indices[axis], indices[:axis] + indices[axis + 1 :]
                    sequence += given[axis] if sequence < 0 else 0
                    if not 0 <= sequence < given[axis] or (given[axis] > 1 and not has_sequence):
                        continue
                    values = values.select(axis, sequence)
                elif has_sequence:
                    continue
                heads, tokens = found["heads"], given[-2] if axis == 0 else given[0]
                is_swapped = values.dim() == 3 and values.shape[:2] == (tokens, heads) and tokens != heads
                values = values.transpose(0, 1) if is_swapped else values
                if head is not None and heads > 1:
                    is_shared = result.step.startswith(("key", "value"))
                    shared = found["kv_heads"] or heads if is_shared else heads
                    own = head * shared // heads
                    if values.dim() == 2 and result.step in (*PROJECTIONS, "context_heads"):
                        values = values.unflatten(1, (shared, -1)).transpose(0, 1)
                    if result.step != "inputs":
                        if values.dim() != 3 or values.shape[0] <= own:
                            continue
                        values = values[own]
                elif is_swapped and len(inner) == 3:
                    inner = [inner[1], inner[0], inner[2]]
                inner = [i + n if i < 0 else i for i, n in zip(inner, values.shape)] + inner[values.dim() :]
                if len(inner) == values.dim() and all(0 <= i < n for i, n in zip(inner, values.shape)):
                    return result, sequence, inner, float(values[tuple(inner)])
        return None

    def _layer(self, layer: int) -> dict[str, Any]:
        if not self.layers:
            raise ValueError(f"layer: there is none. {' '.join(str(self).split())}")
        return self.layers[_index("layer", layer, len(self.layers))]

    def _stage(
        self, layer: int, head: int | None, sequence: int = 0, needs_mask: bool = True
    ) -> dict[str, Any]:
        """Returns the stage of a layer, or of one head of it, and its recorded inputs and weights. Raises
        ValueError if no stage has the layer's mask, unless it may have another one.
        """
        found = self._layer(layer)
        is_seen = found["weights"] or found["stage"] == "simplified"
        if not is_seen or (needs_mask and found["verdict"] == "unknown"):
            remedy = self._remedy()
            raise ValueError(
                f"layer {layer} was too large to record, or fits no stage; {remedy}"
                if remedy and not found["stage"]
                else f"layer {layer} has keys and values of other inputs, which no stage walks"
                if found["memory"] is not None
                else f"layer {layer} begins with queries, keys and values; its weights are unknown"
                if found["verdict"] == "right" and not is_seen
                else f"layer {layer} cannot be walked: {_reason(found)}"
            )
        if needs_mask and found["bias"]:
            raise ValueError(f"layer {layer} adds a bias to its scores, which no stage does")
        if head is not None:
            head = _index("head", head, max(found["heads"], 1))
        if found["rotary"] and head is not None:
            raise ValueError("a head with rotary positions has no stage; walk the whole layer")
        inputs, heads = self._tensor(found["inputs"]), found["heads"]
        weights = self._weights(found, head)
        if inputs.dim() == 3:
            inputs = inputs[:, sequence] if found["sequence_first"] else inputs[sequence]
        options: dict[str, Any] = {"stage": found["stage"], "inputs": inputs}
        if weights:
            options["weights"] = weights
        n = inputs.shape[0]
        hidden, future = self._hidden(found, n, sequence), torch.ones(n, n).triu(1) > 0
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
        is_whole = "heads" in options and not found["rotary"]  # its heads can be walked
        reason = ""
        if "heads" in options and "out_proj.weight" not in weights:
            weights["out_proj.weight"] = torch.eye(len(weights["W_query.weight"]))  # no number needs it
            if needs_mask:
                reason = f"layer {layer} has no output projection, but {found['stage']} has one"
        elif needs_mask and "window" not in options and not torch.equal(hidden, future & is_masked):
            reason = f"no stage has the mask of layer {layer}"
            if is_whole:
                reason = f"{found['stage']} has a causal mask, and layer {layer} another or none"
        if reason and is_whole:
            self._stage(layer, 0, sequence, needs_mask)  # its error is the reason if no head can be walked
            reason += "; walk a head: head=0"
        if reason:
            raise ValueError(reason)
        return options

    def _weights(self, found: dict[str, Any], head: int | None) -> dict[str, torch.Tensor]:
        """Returns the weights of a layer, or of one head of it, by the stages' names."""
        heads, weights = found["heads"], {}
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
        parts = [name[:-6] for name in weights if re.fullmatch(r"W_\w+\.weight", name)]
        if any(f"{part}bias" in weights for part in parts):  # then the stages have one for each of them
            for part in parts:
                weights.setdefault(f"{part}bias", torch.zeros(len(weights[f"{part}weight"])))
        return weights

    def _hidden(self, found: dict[str, Any], n: int, sequence: int) -> torch.Tensor:
        """Returns the mask of a sequence of n tokens: true where a query does not see a key."""
        if found["own_mask"] and found["verdict"] == "right":  # else the mask may be what departs
            masks = torch.tensor(found["own_mask"]).view(-1, n, n) > 0
            return masks[sequence if len(masks) > 1 else 0]
        return torch.ones(n, n).triu(1) > 0 if found["masked"] else torch.zeros(n, n) > 0

    def _remedy(self) -> str:
        """Says how to record the tensors that lack their numbers. Empty if none does."""
        counts = [
            math.prod(one["shape"])
            for one in self._recorder.tensors
            if "data" not in one and one["dtype"] in WIDTHS
        ]
        if any(one.get("device") == "meta" for one in self._recorder.tensors):
            return "meta tensors have no numbers; create the model on the CPU"
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


def _cell(indices: list[int]) -> str:
    return "".join(f"[{i}]" for i in indices)


def _reason(found: dict[str, Any]) -> str:
    return str(found["headline"]).lstrip("✗✓? ")


def _is_close(value: float, number: float, most: float = 1e-3) -> bool:
    return value == number or abs(value - number) <= most + max(most, 1e-2) * abs(number)


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _index(name: str, value: Any, count: int) -> int:
    """Returns the number of a layer or head. Raises ValueError if there is none with this number."""
    index = _whole(value)
    if index not in range(count):
        those = f"{name}s 0 to {count - 1} exist" if count > 1 else f"only {name} 0 exists"
        raise ValueError(f"{name}: there is no {name} {value!r:.60}; {those}")
    return index


def _has_attention(layer: dict[str, Any], first: int) -> bool:
    """Returns False for projections without scores, and for layers without calls from the first one on."""
    if layer["calls"] and layer["calls"][-1]["call"] < first:
        return False
    steps = [call["step"] for call in layer["calls"]]
    return not steps or not all(step.startswith(("queries", "keys", "values")) for step in steps)


def register(shell: Any) -> None:
    """Adds the cell magic %%attn to IPython: runs a cell, and shows the program's answer below it. The calls
    of earlier cells that led to the cell's tensors are judged with it.
    """
    recorder = Recorder()

    def attn(line: str, cell: str) -> None:
        from IPython.display import display

        nonlocal recorder
        if recorder.bytes_left < MOST_BYTES // 2:
            recorder = Recorder()
        outer, parsed = shell.displayhook.exec_result, shell.history_manager.input_hist_parsed
        parsed.append(shell.transform_cell(cell))  # IPython looks there for a ";" that silences the output
        first = len(recorder.calls)
        try:
            with recorder:
                result = shell.run_cell("#\n" + cell)  # so that line 1 is the line of %%attn
        finally:
            parsed.pop()
        if outer is not None:  # the error was shown, and is one of the outer cell
            outer.error_before_exec, outer.error_in_exec = result.error_before_exec, result.error_in_exec
        seen = watch()
        seen._recorder = recorder.since(first)
        own = len(seen._recorder.calls) - (len(recorder.calls) - first)
        if any(_has_attention(layer, own) for layer in seen.layers):
            display(seen)

    shell.register_magic_function(attn, "cell")
