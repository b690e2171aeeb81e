"""Every equation in explanations is true as printed. This script reads and evaluates the text by independent
rules.
"""

import ast
import collections
import json
import math
import operator
import random
import re

import pytest

from program import listed, ok, run, trace

LARGEST = 3.4028234663852886e38  # the largest float32
FUNCTIONS = {
    "exp": math.exp,
    "log": math.log,
    "sin": math.sin,
    "cos": math.cos,
    "sqrt": math.sqrt,
    "abs": abs,
}
SUMS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}
NAMES = {"inf": math.inf, "nan": math.nan, "pi": math.pi}
CELL = re.compile(r"[A-Za-z_]\w*(\[\d+\])*")


def largest(*numbers):
    return math.nan if any(map(math.isnan, numbers)) else max(numbers)


def quotient(a, b):
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


def value_of(node):
    """Evaluates in double precision, with the range of float32."""
    match node:
        case ast.Constant(value=int() | float() as value):
            result = float(value)
        case ast.Name(id=name):
            result = NAMES[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            result = -value_of(operand)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            result = quotient(value_of(left), value_of(right))
        case ast.BinOp(left=left, op=sign, right=right):
            result = SUMS[type(sign)](value_of(left), value_of(right))
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            a, b = value_of(left), value_of(right)
            result = float({ast.LtE: a <= b, ast.Eq: a == b, ast.NotEq: a != b}[type(sign)])
        case ast.Call(func=ast.Name(id="max"), args=numbers):
            result = largest(*map(value_of, numbers))
        case ast.Call(func=ast.Name(id=name), args=[x]):
            try:
                result = FUNCTIONS[name](value_of(x))
            except OverflowError:
                result = math.inf
        case _:
            raise ValueError(ast.dump(node))
    return math.copysign(math.inf, result) if abs(result) > LARGEST else result


def evaluated(text):
    """Evaluates the text as Python. Returns None if it is not arithmetic, such as the name of a cell."""
    try:
        return value_of(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, KeyError):
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
    return a == b or (math.isnan(a) and math.isnan(b))


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
