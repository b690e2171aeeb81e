"""Watches a block of code or a module run, and saves the recording."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import torch

from .recorder import MOST_NUMBERS, Recorder


class Watch:
    """The calls of a block of code, or of a module."""

    def __init__(self, model: torch.nn.Module | None = None, most_numbers: int = MOST_NUMBERS) -> None:
        self._recorder = Recorder(most_numbers)
        self._model = model
        self._forward: Callable[..., Any] | None = None
        if model is not None:
            self._forward = model.forward
            model.forward = self._watched  # type: ignore[method-assign]

    def __enter__(self) -> Watch:
        if self._model is None:
            self._recorder.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._model is None:
            self._recorder.__exit__(*error)
        self.close()

    def _watched(self, *args: Any, **kwargs: Any) -> Any:
        assert self._forward and self._model is not None
        with self._recorder:
            if id(self._model) not in self._recorder.modules:
                self._recorder.name_parameters(self._model)
            return self._forward(*args, **kwargs)

    def close(self) -> None:
        """Stops watching the module."""
        if self._model is not None:
            self._model.__dict__.pop("forward", None)

    def recording(self) -> dict[str, Any]:
        """Returns the recording; its format is described in data/README.md."""
        return self._recorder.recording()

    def save(self, path: str) -> None:
        """Writes the recording as JSON."""
        text = json.dumps(self.recording())
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
