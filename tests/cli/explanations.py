"""Every equation in explanations is true as printed, in double precision with the range of float32."""

import collections
import json
import math
import random
import re

import numpy as np
import pytest

from program import listed, ok, refuses, run, steps, trace

FUNCTIONS = {
    "exp": lambda x: in_range(np.exp(x)), "log": np.log, "sin": np.sin, "cos": np.cos, "tanh": np.tanh,
    "sqrt": np.sqrt, "abs": np.abs, "max": lambda *numbers: np.max(numbers),
    "inf": np.inf, "nan": np.nan, "pi": np.pi,
}  # fmt: skip
CELL = re.compile(r"[A-Za-z_]\w*(\[\d+\])*")


def in_range(x):
    return math.copysign(math.inf, x) if abs(x) > np.finfo(np.float32).max else x


def evaluated(text):
    """Evaluates the text as Python. Returns None if it is not arithmetic, such as the name of a cell."""
    doubles = re.sub(r"\d+\.?\d*(e[+-]\d+)?", r"double(\g<0>)", text)
    try:
        with np.errstate(all="ignore"):
            return in_range(float(eval(doubles, {"__builtins__": {}, "double": np.float64}, FUNCTIONS)))
    except (SyntaxError, NameError, TypeError):
        return None


def rounds_to(value, number, precision):
    """A number rounded to the written one differs from it by at most half a unit of the last place."""
    digits, _, exponent = number.partition("e")
    decimals = max(precision, len(digits.partition(".")[2]))
    half_unit = 0.5 * 10 ** (int(exponent or 0) - decimals) * (1 + 1e-6)
    written = evaluated(number)
    return same(value, written) or abs(value - written) <= half_unit


def lines_of(text):
    """Returns the lines of a text; an equation that is broken into several lines becomes one."""
    lines = []
    for line in text.splitlines():
        bare = line.lstrip()
        goes_on = bare != line and lines and (bare.startswith(("+ ", "= ")) or lines[-1].endswith(","))
        if goes_on:
            lines[-1] += " " + bare
        else:
            lines.append(bare)
    return lines


def sides_of(line):
    return line.partition("  (")[0].split(" = ")


def same(a, b):
    return np.array_equal(a, b, equal_nan=True)


SEEN = collections.Counter()
UNNAMED = ("scaling", "multi-head-wrapper")  # the cells drawn here begin no equation


def holds(left, right, precision):
    value = evaluated(left)
    assert value is not None, left
    return rounds_to(value, right, precision)


def check_tree(cell, precision):
    """Checks each line as shown, and with its operands inserted."""
    SEEN["cells"] += 1
    for line in cell.get("lines", []):
        shown = line["shown"]
        if " ≈ " in shown:  # the difference is due to rounding only
            left, right = shown.split(" ≈ ")
            assert not holds(left, right, precision), shown
            unit = 0.5 * 10**-precision
            assert math.isclose(evaluated(left), evaluated(right), rel_tol=1e-5, abs_tol=unit + 2e-6), shown
        else:
            left, right = sides_of(shown)
            assert holds(left, right, precision), shown
        numbers = [float(operand["value"]) for operand in line["operands"]]
        assert line["arithmetic"].count("{}") == len(numbers)
        exact = evaluated(line["arithmetic"].format(*(f"({number!r})" for number in numbers)))
        value = float(line["value"])
        assert same(exact, value) or math.isclose(exact, value, rel_tol=1e-5, abs_tol=2e-6), line
        SEEN["evaluated"] += 1
    for operand in cell.get("from", []):
        check_tree(operand, precision)


def check_text(held, text, precision):
    """The last side of an equation is the value of the side before, or the number of the cell named there."""
    for line in lines_of(text):
        sides = sides_of(line)
        if len(sides) < 2 or evaluated(sides[-1]) is None or line.endswith("."):
            continue
        before = sides[-2]
        if evaluated(before) is not None:
            assert holds(before, sides[-1], precision), line
            SEEN["evaluated"] += 1
        elif before != "their sum":  # the sum of one number
            assert re.search(CELL, before)
            if before in held:
                assert rounds_to(held[before], sides[-1], precision), line
                SEEN["looked up"] += 1


def cells_of(data, at=""):
    if not isinstance(data, list):
        yield at, float(data)
        return
    for i, part in enumerate(data):
        yield from cells_of(part, f"{at}[{i}]")


@pytest.mark.parametrize("line", [
    *listed(), *(f"{stage} --backward --loss=mse"
                 for stage in ("linear", "causal", "multi-head", "kv-cache", "grouped-query")),
])  # fmt: skip
def test_equations_hold_as_they_are_written(line):
    SEEN.clear()
    held = {step["name"] + at: value for step in trace(line)["steps"] for at, value in cells_of(step["data"])}
    gradients = [address for address in held if "_grad[" in address or "jacobian[" in address]
    for number, address in enumerate(random.Random(line).sample(gradients or [*held], 12)):
        precision = (4, 6, 2)[number % 3]
        options = f"{line} explain --precision={precision} --depth=9 {address}"
        text = run(options)
        if text.returncode == 2:
            assert "more than 500 cells" in text.stderr
            options = options.replace("--depth=9", "--depth=2")
            text = run(options)
        assert (text.returncode, text.stderr) == (0, "")
        check_text(held, text.stdout, precision)
        check_tree(json.loads(ok(options, "--json=-"))["explanation"], precision)
    assert SEEN["cells"] >= 12 and SEEN["evaluated"] >= 24, SEEN
    assert SEEN["looked up"] or line in UNNAMED


@pytest.mark.parametrize("stage", listed())
def test_each_step_without_axes_is_explained_by_its_name(stage):
    for step in trace(stage)["steps"]:
        if not step["shape"]:
            name = step["name"]
            assert ok("explain", stage, name).startswith(f"{stage} · {name}\n"), name
            assert f"· {name}\n" in ok("explain", name).splitlines(True)[0], name


def test_a_cell_is_written_as_in_pytorch_too():
    for written in ("keys[1, 0]", "keys[1 , 0]", "keys[journey, 0]", "keys[-5, 0]"):
        assert ok("explain causal", written) == ok("explain causal keys[1][0]"), written
        assert ok("explain causal", *written.split()) == ok("explain causal keys[1][0]"), written
    explained = ok("explain multi-head", "values_heads[1, 1, 2, 0]")
    assert explained.startswith("multi-head · values_heads[1][1][2][0]")
    assert steps("causal", "--set", "inputs[1, 0]=0.75")["inputs"][1][0] == 0.75


@pytest.mark.parametrize("slice, cell", [
    ("keys[:, 0]", "keys[0][0]"), ("keys[1:3, 0]", "keys[1][0]"), ("keys[..., 1]", "keys[0][1]"),
    ("keys[2:]", "keys[2][0]"), ("keys[9:, :]", "keys[0][0]"),
])  # fmt: skip
def test_a_slice_is_told_from_a_cell(slice, cell):
    message = refuses("explain causal", slice, message="expected one cell but received the slice")
    assert f"name a cell of it, such as {cell}.\n" in message
    assert message.endswith(f"    attn-walkthrough explain causal '{cell}'\n")
