"""Attention under the recorder: in right code no line is named, and in wrong code the line with the fault is."""

import json
import subprocess
import sys

import pytest

from oracle import torch
from program import PROGRAM, PROJECT
from watched_modules import FAULTS, HEAD, MODULES, PLAIN, PLAIN_FAULTS

sys.path.insert(0, str(PROJECT / "app/python"))
from attn_walkthrough.recorder import Recorder  # noqa: E402


def judged(recorder, file, *options):
    """Returns the program's answer to a recording, as JSON and as text."""
    calls, found = file.with_suffix(".json"), file.with_suffix(".answer.json")
    calls.write_text(json.dumps(recorder.recording()))
    command = [PROGRAM, "diagnose", calls, *options]
    answer = subprocess.run([*command, "--json", found], capture_output=True, text=True)
    assert answer.returncode in (0, 1), answer.stderr
    layers = json.loads(found.read_text())["layers"]
    assert (answer.returncode == 0) == (bool(layers) and all(layer["verdict"] == "right" for layer in layers))
    return layers, answer.stdout


def layers_of(source, file):
    """Runs a module under the recorder, and returns the program's answer."""
    file.write_text(source)
    torch.manual_seed(1)
    scope = {}
    size = (2, 6, 8 if "C // " in source or "nbatches" in source else 4)
    heads = 4 if "self.kv" in source else 2
    recorder = Recorder()
    with recorder:
        exec(compile(source, str(file), "exec"), scope)
        scope["A"](size[2], 8, size[1], heads).eval()(torch.randn(size))
    return judged(recorder, file)


def layers_of_plain(source, file):
    file.write_text(source)
    recorder = Recorder()
    with recorder:
        exec(compile(source, str(file), "exec"), {})
    return judged(recorder, file)


def first_departure(layers):
    return next((layer["departs"]["line"] for layer in layers if layer["departs"]), None)


@pytest.mark.parametrize("name", MODULES)
def test_no_line_of_a_right_module_is_named(name, tmp_path):
    found, text = layers_of(HEAD + MODULES[name], tmp_path / "module.py")
    assert first_departure(found) is None, text
    if name not in NOT_FOUND:
        assert found and all(layer["verdict"] == "right" for layer in found), text


# Weights with an axis for heads, and keys that are made transposed, are not followed.
NOT_FOUND = {"ellipsis", "weights_left"}


def test_at_least_forty_right_modules_are_judged():
    assert len(set(MODULES) - NOT_FOUND) >= 40


def wrong(fault):
    name, *changes = fault
    source = HEAD + MODULES[name]
    first = source.index(changes[0], source.index("class"))
    line = source[:first].count("\n") + 1
    for old, new in zip(changes[::2], changes[1::2]):
        source = source[:first] + source[first:].replace(old, new, 1)
    return source, line


def test_the_line_with_the_fault_is_named(tmp_path):
    missed = []
    for fault in FAULTS:
        source, line = wrong(fault)
        found, text = layers_of(source, tmp_path / "module.py")
        if first_departure(found) != line:
            missed.append(f"{fault}: expected line {line}, got {text.splitlines()[0]}")
    print(f"{len(FAULTS) - len(missed)} of {len(FAULTS)}", *missed, sep="\n")
    assert len(FAULTS) >= 60 and len(missed) <= 0.05 * len(FAULTS), "\n".join(missed)


def test_all_layers_of_the_chapter_are_right(tmp_path):
    found, text = layers_of_plain(PLAIN, tmp_path / "chapter.py")
    stages = ["simplified"] + 3 * ["linear"] + 4 * ["causal"] + ["multi-head"]
    assert [layer["stage"] for layer in found] == stages, text
    assert {layer["verdict"] for layer in found} == {"right"}, text


def test_the_line_of_the_chapter_with_the_fault_is_named(tmp_path):
    missed = []
    for right, wrong in PLAIN_FAULTS:
        assert PLAIN.count(right) == 1
        line = PLAIN[: PLAIN.index(right)].count("\n") + 1
        found, text = layers_of_plain(PLAIN.replace(right, wrong), tmp_path / "chapter.py")
        if {layer["departs"]["line"] for layer in found if layer["departs"]} != {line}:
            missed.append(f"{right} -> {wrong}: expected line {line}, got {text}")
    print(f"{len(PLAIN_FAULTS) - len(missed)} of {len(PLAIN_FAULTS)}", *missed, sep="\n")
    assert len(missed) <= 1, "\n".join(missed)
