"""Notebooks that diagnose judges cell by cell: verdicts, exit codes, the checked notebook, and reports."""

import csv
import io
import json
import resource
import subprocess

import pytest

from program import PROGRAM, environment, limited, ok, run

INPUTS = """import torch
inputs = torch.tensor([
    [0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
    [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])"""
SCORES = """tensor([[0.9995, 0.9544, 0.9422, 0.4753, 0.4576, 0.6310],
        [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865],
        [0.9422, 1.4754, 1.4570, 0.8296, 0.7154, 1.0605],
        [0.4753, 0.8434, 0.8296, 0.4937, 0.3474, 0.6565],
        [0.4576, 0.7070, 0.7154, 0.3474, 0.6654, 0.2935],
        [0.6310, 1.0865, 1.0605, 0.6565, 0.2935, 0.9450]])
"""
COLUMNS = """tensor([[0.2098, 0.1385, 0.1390, 0.1435, 0.1526, 0.1385],
        [0.2006, 0.2379, 0.2369, 0.2074, 0.1958, 0.2184],
        [0.1981, 0.2333, 0.2326, 0.2046, 0.1975, 0.2128],
        [0.1242, 0.1240, 0.1242, 0.1462, 0.1367, 0.1420],
        [0.1220, 0.1082, 0.1108, 0.1263, 0.1879, 0.0988],
        [0.1452, 0.1581, 0.1565, 0.1720, 0.1295, 0.1896]])
"""
SUMS = "tensor([0.9220, 1.2970, 1.2788, 0.7974, 0.7540, 0.9508])\n"
WRONG = [
    (INPUTS, ""),
    ("scores = inputs @ inputs.T\nprint(scores)", SCORES),
    ("weights = torch.softmax(scores, dim=0)\nprint(weights)", COLUMNS),
    ("print(weights.sum(dim=-1))", SUMS),
    ("print(scores.sum())", "tensor(29.0070)\n"),
]


def notebook(cells):
    """Returns a notebook of (source, output) pairs, run in order."""
    return json.dumps(
        {
            "cells": [
                {
                    "cell_type": "code",
                    "execution_count": count,
                    "metadata": {},
                    "outputs": [{"name": "stdout", "output_type": "stream", "text": text}] if text else [],
                    "source": source,
                }
                for count, (source, text) in enumerate(cells, 1)
            ],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        indent=1,
    )


@pytest.fixture
def wrong(tmp_path):
    path = tmp_path / "wrong.ipynb"
    path.write_text(notebook(WRONG))
    return path


def test_every_output_has_a_verdict_and_the_first_departure_is_named(wrong):
    judged = json.loads(ok("diagnose --json -", wrong, code=1))["tensors"]
    assert [one["verdict"] for one in judged] == ["right", "mistake", "follows", "by-product"]
    assert [one["cell"] for one in judged] == [1, 2, 3, 4]
    assert judged[1]["matches"][0]["mistakes"] == ["softmax-wrong-axis"]
    assert judged[1]["yours"]["line"] == "weights = torch.softmax(scores, dim=0)"
    text = ok("diagnose", wrong, code=1)
    assert "The first output that departs is cell 3 [3], weights:" in text


def test_right_outputs_exit_with_0(tmp_path):
    path = tmp_path / "right.ipynb"
    path.write_text(notebook(WRONG[:2]))
    assert "right, step" in ok("diagnose", path)


def test_a_checked_notebook_differs_only_by_the_verdicts(wrong, tmp_path):
    checked = tmp_path / "checked.ipynb"
    ok("diagnose", wrong, "--out", checked, code=1)
    after = json.loads(checked.read_text())
    added = [cell["outputs"].pop() for cell in after["cells"] if cell["source"] != INPUTS]
    assert after == json.loads(wrong.read_text())
    assert "softmax-wrong-axis" in added[1]["data"]["text/plain"]


def test_a_checked_notebook_keeps_foreign_keys_and_a_byte_order_mark(wrong, tmp_path):
    cell = json.dumps({"outputs": []})
    text = wrong.read_text().rstrip().removesuffix("}")
    wrong.write_text(f'{text}, "cells/1": {cell}, "cells/2/outputs": []}}', "utf-8-sig")
    checked = tmp_path / "checked.ipynb"
    ok("diagnose", wrong, "--out", checked, code=1)
    after = json.loads(checked.read_text("utf-8-sig"))
    assert [len(cell["outputs"]) for cell in after["cells"]] == [0, 2, 2, 2, 2]
    assert (after["cells/1"], after["cells/2/outputs"]) == ({"outputs": []}, [])


def test_a_folder_gives_a_report_with_a_row_for_each_notebook(wrong, tmp_path):
    (tmp_path / "right.ipynb").write_text(notebook(WRONG[:2]))
    report = tmp_path / "report.csv"
    ok("diagnose", tmp_path, "--out", report, code=1)
    rows = list(csv.DictReader(io.StringIO(report.read_text())))
    assert [row["outputs"] for row in rows] == ["1", "4"]
    assert [row["first departure"] for row in rows] == ["", "cell 3 [3]"]
    (tmp_path / "helper.py").write_text("x = 1\n")  # is not handed in
    ok("diagnose", tmp_path, "--out", report, code=1)
    assert len(list(csv.DictReader(io.StringIO(report.read_text())))) == 2
    said = run("diagnose", tmp_path / "helper.py", tmp_path / "right.ipynb")
    assert said.returncode == 2 and f"python {tmp_path}/helper.py | attn" in said.stderr


def test_names_in_a_report_are_only_text(tmp_path):
    code = WRONG[2][0].replace("dim=0", "dim=0, _stacklevel='`<b>|``'")
    (tmp_path / "[x](javascript:y).ipynb").write_text(notebook([*WRONG[:2], (code, COLUMNS)]))
    report = tmp_path / "x.md"
    assert run("diagnose", "[x](javascript:y).ipynb", "--out", report, cwd=tmp_path).returncode == 1
    row = report.read_text().splitlines()[2]
    assert row.startswith(r"| \[x\](javascript:y).ipynb |"), row
    assert row.endswith(r"| ``` weights = torch.softmax(scores, dim=0, _stacklevel='`<b>\|``') ``` |"), row


def test_no_report_is_written_if_another_is_refused(tmp_path):
    (tmp_path / "x.md").write_text(">>> x = 1\n>>> x\n1\n")
    answer = run("diagnose x.md --out report.csv --out checked.ipynb", cwd=tmp_path)
    assert answer.returncode == 2 and "or .ipynb for one checked notebook" in answer.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["x.md"]


def test_code_is_not_executed(tmp_path):
    path = tmp_path / "loop.ipynb"
    path.write_text(notebook([("open('made', 'w')\nwhile True:\n    x = 1\nprint(x)", "1.2345\n")]))
    ok("diagnose", path, code=1, cwd=tmp_path)
    assert not (tmp_path / "made").exists()


# The outputs below are those of PyTorch 2.6.
WEIGHTS = """import torch
torch.manual_seed(123)
W_query = torch.rand(3, 2)
W_key = torch.rand(3, 2)
W_value = torch.rand(3, 2)"""
LAYERS = """torch.manual_seed(789)
W_q = torch.nn.Linear(3, 2, bias=False)
W_k = torch.nn.Linear(3, 2, bias=False)
w = torch.softmax(W_q(inputs) @ W_k(inputs).T / 2**0.5, dim=-1)"""
VALUES = """tensor([[0.1855, 0.8812],
        [0.3951, 1.0037],
        [0.3879, 0.9831],
        [0.2393, 0.5493],
        [0.1492, 0.3346],
        [0.3221, 0.7863]])
"""
KEYS = """tensor([[0.3669, 0.7646],
        [0.4433, 1.1419],
        [0.4361, 1.1156],
        [0.2408, 0.6706],
        [0.1827, 0.3292],
        [0.3275, 0.9642]])
"""
MIXED = """tensor([[0.2897, 0.8043],
        [0.3069, 0.8188],
        [0.3063, 0.8173],
        [0.2972, 0.7936],
        [0.2848, 0.7650],
        [0.3043, 0.8105]])
"""
DIAGONAL_HIDDEN = """tensor([[0., 0., 0., 0., 0., 0.],
        [1., 0., 0., 0., 0., 0.],
        [1., 1., 0., 0., 0., 0.],
        [1., 1., 1., 0., 0., 0.],
        [1., 1., 1., 1., 0., 0.],
        [1., 1., 1., 1., 1., 0.]])
"""
MASKED = """tensor([[0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.2041, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.2036, 0.1659, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.1869, 0.1667, 0.1668, 0.0000, 0.0000, 0.0000],
        [0.1830, 0.1669, 0.1670, 0.1588, 0.0000, 0.0000],
        [0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.0000]],
       grad_fn=<MulBackward0>)
"""
TWICE = """tensor([[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.5096, 0.4904, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.3417, 0.3291, 0.3292, 0.0000, 0.0000, 0.0000],
        [0.2544, 0.2493, 0.2494, 0.2469, 0.0000, 0.0000],
        [0.2030, 0.1997, 0.1997, 0.1981, 0.1995, 0.0000],
        [0.1712, 0.1666, 0.1666, 0.1646, 0.1666, 0.1644]],
       grad_fn=<SoftmaxBackward0>)
"""
OWN_MASKED = """tensor([[0.9848,   -inf,   -inf,   -inf,   -inf,   -inf],
        [1.7785, 2.4118,   -inf,   -inf,   -inf,   -inf],
        [1.7564, 2.3791, 2.3439,   -inf,   -inf,   -inf],
        [1.0241, 1.3941, 1.3737, 0.7712,   -inf,   -inf],
        [0.8626, 1.1195, 1.1018, 0.6166, 0.4726,   -inf],
        [1.3009, 1.7952, 1.7695, 0.9943, 0.8085, 1.3083]])
"""


def judged(folder, cells, counts=None):
    """Returns the verdict and the first mistake of each output, and the text. The cells ran in the order of
    `counts`, by default one after the other."""
    path = folder / "x.ipynb"
    book = json.loads(notebook(cells))
    for cell, count in zip(book["cells"], counts or range(1, len(cells) + 1)):
        cell["execution_count"] = count
    path.write_text(json.dumps(book))
    verdicts = json.loads(run("diagnose --json -", path).stdout)["tensors"]
    mistakes = [one["matches"][0]["mistakes"][:1] if one["matches"] else [] for one in verdicts]
    return [[one["verdict"], *more] for one, more in zip(verdicts, mistakes)], run("diagnose", path).stdout


def test_a_mask_departs_where_it_is_shown(tmp_path):
    cells = [
        (INPUTS, ""),
        (LAYERS, ""),
        ("own = torch.tril(torch.ones(6, 6), diagonal=-1)\nown", DIAGONAL_HIDDEN),
        ("hidden = w * own\nprint(hidden)", MASKED),
    ]
    verdicts, text = judged(tmp_path, cells)
    assert verdicts == [["mistake", "mask-excludes-diagonal"], ["follows", "mask-excludes-diagonal"]]
    assert "departs is cell 3 [3], own:" in text
    assert text.endswith("1 more output follows from it: cell 4 [4].\n")


def test_values_that_are_computed_like_the_keys(tmp_path):
    cells = [
        (INPUTS, ""),
        (WEIGHTS, ""),
        ("keys = inputs @ W_key\nprint(keys)", KEYS),
        ("values = inputs @ W_key\nprint(values)", KEYS),
    ]
    verdicts, text = judged(tmp_path, cells)
    assert verdicts == [["right"], ["mistake", "same-projection"]]
    assert "    right  values = inputs @ W_value\n" in text


def test_a_mask_between_two_softmaxes(tmp_path):
    line = "w = torch.softmax(w.masked_fill(torch.triu(torch.ones(6, 6), 1).bool(), -torch.inf), dim=-1)"
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (LAYERS, ""), (line + "\nprint(w)", TWICE)])
    assert verdicts[0][0] == "mistake" and verdicts[0][1] in ("softmax-twice", "masked-between-softmaxes")
    assert "    yours  " + line in text


def test_weights_drawn_in_another_way_with_a_seed_of_ones_own_are_a_setting(tmp_path):
    code = """torch.manual_seed(7)
Q = inputs @ torch.rand(3, 2)
K = inputs @ torch.rand(3, 2)
S = (Q @ K.T).masked_fill(torch.triu(torch.ones(6, 6), 1).bool(), -torch.inf)
print(S)"""
    assert judged(tmp_path, [(INPUTS, ""), (code, OWN_MASKED)])[0] == [["settings"]]


def test_a_print_in_a_function_belongs_to_the_cell_that_calls_it(tmp_path):
    cells = [
        (INPUTS, ""),
        ("def show(x):\n    found = torch.softmax(x, dim=0)\n    print(found)", ""),
        ("show(inputs @ inputs.T)", COLUMNS),
    ]
    verdicts, text = judged(tmp_path, cells)
    assert verdicts == [["mistake", "softmax-wrong-axis"]]
    assert "departs is cell 3 [3], found:\n    yours  found = torch.softmax(x, dim=0)    # cell 2 [2]" in text


def test_a_name_assigned_twice_is_told_with_both_cells(tmp_path):
    cells = [
        (INPUTS, ""),
        (WEIGHTS + "\nqueries, keys, values = inputs @ W_query, inputs @ W_key, inputs @ W_value", ""),
        ("attn_weights = torch.softmax(queries @ keys.T / 2**0.5, dim=-1)", ""),
        ("attn_weights = torch.softmax(inputs @ inputs.T, dim=-1)", ""),
        ("print(attn_weights @ values)", MIXED),
    ]
    verdicts, text = judged(tmp_path, cells)
    assert verdicts[0][0] == "mistake"
    assert "attn_weights is assigned in cell 3 [3] and again in cell 4 [4]." in text


def test_a_line_that_no_cell_has_is_not_called_the_readers(tmp_path):
    cells = [(INPUTS, ""), ("weights = torch.softmax(inputs @ inputs.T, dim=-1)\nweights", COLUMNS)]
    verdicts, text = judged(tmp_path, cells)
    assert verdicts == [["mistake", "softmax-wrong-axis"]]
    assert "yours" not in text and "    as if  attn_weights = torch.softmax(attn_scores, dim=0)\n" in text
    assert "the output is older than its code" in text


SETUP = "i = 1\nquery = inputs[i]"
LOOP = "for i, x in enumerate(inputs):\n    pass"
LAST_ROW = "tensor([0.6310, 1.0865, 1.0605, 0.6565, 0.2935, 0.9450])\n"
CAUSAL = """tensor([[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.5517, 0.4483, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.3800, 0.3097, 0.3103, 0.0000, 0.0000, 0.0000],
        [0.2758, 0.2460, 0.2462, 0.2319, 0.0000, 0.0000],
        [0.2175, 0.1983, 0.1984, 0.1888, 0.1971, 0.0000],
        [0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.1529]])
"""


def test_an_index_that_a_loop_overwrote(tmp_path):
    cells = [(INPUTS, ""), (SETUP, ""), (LOOP, ""), ("print(inputs[i] @ inputs.T)", LAST_ROW)]
    verdicts, text = judged(tmp_path, cells)
    assert verdicts == [["mistake", "loop-variable"]]
    assert "i had its value from cell 2 [2], until the loop in cell 3 [3]" in text
    cells[3] = ("i = 5\nprint(inputs[i] @ inputs.T)", LAST_ROW)
    assert judged(tmp_path, cells)[0] == [["right"]]


def test_a_tensor_that_was_changed_in_place_under_a_second_name(tmp_path):
    mask = "mask = torch.triu(torch.ones(6, 6), diagonal=1).bool()\nscores = W_q(inputs) @ W_k(inputs).T\n"
    weights = "w = torch.softmax(masked / 2**0.5, dim=-1)\nw"
    masked = mask + "masked = scores.masked_fill_(mask, -torch.inf)\n" + weights
    again = ("plain = torch.softmax(scores / 2**0.5, dim=-1)\nplain", CAUSAL)
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (LAYERS, ""), (masked, CAUSAL), again])
    assert verdicts == [["right"], ["mistake", "changed-in-place"]]
    assert "    right  masked = scores.masked_fill(mask, -torch.inf)\n" in text
    other = masked.replace("masked / 2", "scores / 2")
    assert judged(tmp_path, [(INPUTS, ""), (LAYERS, ""), (other, CAUSAL)])[0] == [["right"]]


def test_a_cell_that_ran_twice(tmp_path):
    first = "tensor([[0.0756, 0.1966],\n        [0.3164, 0.4017],\n        [0.1186, 0.8274]])\n"
    queries = """tensor([[0.2309, 1.0966],
        [0.4306, 1.4551],
        [0.4300, 1.4343],
        [0.2355, 0.7990],
        [0.2983, 0.6565],
        [0.2568, 1.0533]])
"""
    book = json.loads(
        notebook(
            [
                (INPUTS + "\ntorch.manual_seed(123)", ""),
                ("W_query = torch.rand(3, 2)\nW_key = torch.rand(3, 2)\nW_query", first),
                ("inputs @ W_query", queries),
                ("inputs[1] @ W_key", "tensor([1.3730, 1.5279])\n"),
            ]
        )
    )
    for cell, count in zip(book["cells"], (1, 4, 3, 5)):
        cell["execution_count"] = count
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps(book))
    text = run("diagnose", path).stdout
    assert "the same cell also ran as cell 2 [2]" in text
    assert [one["verdict"] for one in json.loads(run("diagnose --json -", path).stdout)["tensors"]] == [
        "mistake", "right", "follows"
    ]


def test_an_output_that_is_older_than_a_cell_it_uses(tmp_path):
    old = "tensor([[1.0222, 0.7723],\n        [1.4117, 0.8305]])\n"
    sums = ("(inputs @ W_key).sum(dim=1)[:2]", TWO_SUMS)
    cells = [(INPUTS, ""), (WEIGHTS, ""), ("inputs[:2] @ W_key", old), sums]
    verdicts, text = judged(tmp_path, cells, counts=(1, 5, 3, 4))
    assert [one[0] for one in verdicts] == ["mistake", "follows"]
    assert "cell 3 [3]: cell 2 [5] ran again after this output was printed" in text


def test_tensors_that_a_loop_prints_below_each_other(tmp_path):
    loop = "for i, x in enumerate(inputs[:2]):\n    print(i, x @ inputs.T)"
    first, second = SCORES.removeprefix("tensor([").split("\n")[:2]
    text = f"0 tensor({first.strip(' ,')})\n1 tensor({second.strip(' ,')})\n"
    assert [one[0] for one in judged(tmp_path, [(INPUTS, ""), (loop, text)])[0]] == ["right", "right"]


def test_dropout_of_scores(tmp_path):
    code = "d = torch.nn.functional.dropout(inputs @ inputs.T, 1.0)\nd"
    zeros = "tensor([" + ",\n        ".join(["[0., 0., 0., 0., 0., 0.]"] * 6) + "])\n"
    assert judged(tmp_path, [(INPUTS + "\ntorch.manual_seed(1)", ""), (code, zeros)])[0] == [
        ["mistake", "dropout-before-softmax"]
    ]


def test_own_sentences_that_the_code_draws_and_full_width_labels(tmp_path):
    own = """注意力：tensor([[0.2544, 0.2343, 0.1916, 0.3197],
        [0.2413, 0.2385, 0.1898, 0.3304],
        [0.2167, 0.2085, 0.2386, 0.3362],
        [0.1963, 0.1970, 0.1825, 0.4242]])
"""
    code = "torch.manual_seed(7)\nE = torch.rand(4, 3)\nw = torch.softmax(E @ E.T, dim=1)\nprint(f'注意力：{w}')"
    verdicts, text = judged(tmp_path, [("import torch", ""), (code, own)])
    assert verdicts == [["settings"]]
    assert "4 tokens of width 3 (cell 2 [2])" in text


def test_outputs_that_a_mistake_does_not_change_are_right(tmp_path):
    code = "w = torch.softmax(inputs @ inputs.T, dim=0)\nprint(w)\nprint(w.sum(dim=0))\nprint(w.diagonal())"
    sums = "tensor([1., 1., 1., 1., 1., 1.])\n"
    text = COLUMNS + sums + "tensor([0.2098, 0.2379, 0.2326, 0.1462, 0.1879, 0.1896])\n"
    verdicts = judged(tmp_path, [(INPUTS, ""), (code, text)])[0]
    assert [one[0] for one in verdicts] == ["mistake", "follows", "by-product"]


TWO_SUMS = "tensor([1.7945, 2.2422])\n"
DRAWN = """torch.manual_seed(123)
q, k = torch.rand(3, 2), torch.rand(3, 2)
torch.manual_seed(123)
"""
QUERIES = """tensor([[0.2309, 1.0966],
        [0.4306, 1.4551],
        [0.4300, 1.4343],
        [0.2355, 0.7990],
        [0.2983, 0.6565],
        [0.2568, 1.0533]])
"""


SCALED_DRAWS = [
    (
        """import torch
torch.manual_seed(520)
x = torch.tensor([[0.1, 0.9, -0.3], [0.7, -0.2, 0.4], [-0.5, 0.6, 0.8], [0.3, 0.3, -0.6]])
Wq, Wk, Wv = (torch.randn(3, 2) * 0.2 for _ in range(3))
q, k, v = (torch.einsum("ti,io->to", x, w) for w in (Wq, Wk, Wv))
print(q)""",
        """tensor([[ 0.0576, -0.1755],
        [ 0.1731,  0.1292],
        [ 0.1664,  0.0138],
        [-0.0474, -0.1247]])
""",
    ),
    (
        "weights = torch.softmax(q @ k.T / 2**0.5, dim=0)\nprint(weights)",
        """tensor([[0.2510, 0.2467, 0.2550, 0.2483],
        [0.2464, 0.2565, 0.2424, 0.2513],
        [0.2464, 0.2547, 0.2460, 0.2495],
        [0.2561, 0.2421, 0.2566, 0.2509]])
""",
    ),
]


def test_weights_that_the_code_computes_are_those_of_the_stages(tmp_path):
    verdicts, text = judged(tmp_path, SCALED_DRAWS)
    assert [verdict[0] for verdict in verdicts] == ["settings", "mistake"], text
    assert "softmax-wrong-axis" in text and "dim=-1)" in text


def test_heads_that_a_class_splits_without_an_argument_of_that_name(tmp_path):
    source = """import torch
from torch import nn
torch.manual_seed(31)
class Heads(nn.Module):
    def __init__(self, d=4, h=2):
        super().__init__()
        self.h = h
        self.W_query = nn.Linear(d, d)
        self.W_key = nn.Linear(d, d)
        self.W_value = nn.Linear(d, d)
        self.out_proj = nn.Linear(d, d)
    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (f(x).reshape(b, n, self.h, d // self.h) for f in (self.W_query, self.W_key, self.W_value))
        s = torch.einsum("bihd,bjhd->bhij", q, k) / (d // self.h) ** 0.5
        w = (s + torch.full((n, n), float("-inf")).triu(1)).softmax(-1).nan_to_num(0)
        return self.out_proj(torch.einsum("bhij,bjhd->bihd", w, v).flatten(2))
tokens = torch.randn(1, 3, 4)
heads = Heads()
print(heads(tokens)[0])"""
    output = """tensor([[ 0.3272,  0.5667, -0.4870, -0.0370],
        [ 0.4162,  0.6296, -0.5390, -0.0359],
        [ 0.3887,  0.5690, -0.5074, -0.0256]], grad_fn=<SelectBackward0>)
"""
    verdicts, text = judged(tmp_path, [(source, output)])
    assert verdicts[0][0] == "settings" and "context_vec" in text, text


@pytest.mark.parametrize(
    "code",
    [
        "(lambda m: m @ torch.rand(3, 2))(inputs)",
        "[m for m in (None, inputs @ torch.rand(3, 2)) if m is not None][0]",
        "([inputs @ torch.rand(3, 2)] + [torch.rand(3, 2)])[0]",  # the left operand draws first
        "torch.flip(torch.flip(inputs, [0]) @ torch.rand(3, 2), [0])",
        "torch.einsum('...c,cd->...d', inputs, torch.rand(3, 2))",
        "(inputs @ torch.rand(3, 2)).view(1, 1, 1, 6, 2).permute(2, 0, 1, 3, 4)[0, 0, 0]",
        "parts = {}\nparts['q'] = inputs @ torch.rand(3, 2)\nparts['q']",
        "W = torch.rand(3, 2)\nx = []\nwhile len(x) < 6:\n    x.append(inputs[len(x)] @ W)\ntorch.stack(x)",
        "class Config:\n    d = 2\ninputs @ torch.rand(3, Config.d)",
        "torch.repeat_interleave(inputs @ torch.rand(3, 2), 2, dim=0)[::2]",
        "torch.index_select(inputs @ torch.rand(3, 2), 0, torch.arange(6))",
        "d = torch.nn.ParameterDict({n: torch.rand(3, 2) for n in 'qk'})\ninputs @ d['q']",
        "d = torch.nn.ParameterDict()\nd['q'] = torch.rand(3, 2)\n[inputs @ W for _, W in d.items()][0]",
        "d = torch.nn.ParameterDict({'q': torch.ones(3, 2)})\n"
        "getattr(d, 'q').copy_(torch.rand(3, 2))\ninputs @ d.q",
        "layer = torch.nn.Linear(3, 2, bias=False)\ntorch.manual_seed(123)\n"
        "layer.weight.data = torch.rand(3, 2).T\nlayer(inputs)",
        "layer = torch.nn.Linear(3, 2, bias=False)\ntorch.manual_seed(123)\n"
        "layer.load_state_dict({'weight': torch.rand(3, 2).T})\nlayer(inputs)",
        "layer = torch.nn.Linear(3, 2)\ntorch.nn.init.zeros_(layer.bias)\ntorch.manual_seed(123)\n"
        "for p in layer.parameters():\n    if p.dim() == 2:\n        p.copy_(torch.rand(3, 2).T)\n"
        "layer(inputs)",
    ],
)
def test_more_of_python_is_followed(code, tmp_path):
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (DRAWN + code, QUERIES)])
    assert verdicts == [["right"]]
    assert "queries" in text


def test_a_factor_of_the_second_summand(tmp_path):
    sums = "tensor([[0.6927, 3.2898],\n        [1.2919, 4.3652],\n        [1.2901, 4.3029]])\n"
    code = "q = inputs @ torch.rand(3, 2)\nprint(torch.add(q, q, alpha=2)[:3])"
    assert judged(tmp_path, [(INPUTS, ""), (DRAWN + code, sums)])[0] == [["by-product"]]


DRAWN_INPUTS = """import torch
import numpy as np
from torch import nn
x = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33]])
"""
DRAWN_WEIGHTS = [
    (
        "g = torch.Generator().manual_seed(5)\n"
        "W_q, W_k, W_v = (torch.randn(3, 2, generator=g) for _ in range(3))",
        """tensor([[-0.0046,  0.5184],
        [-0.0260,  0.5187],
        [-0.0198,  0.5197],
        [ 0.0541,  0.5284]])
""",
    ),
    (
        "torch.manual_seed(1)\n"
        "np.random.seed(7)\n"
        "draws = [np.random.normal(0, 0.5, (3, 2)) for _ in range(3)]\n"
        "W_q, W_k, W_v = (torch.tensor(draw, dtype=torch.float32) for draw in draws)",
        """tensor([[ 0.2126, -0.4639],
        [ 0.2099, -0.4701],
        [ 0.2097, -0.4707],
        [ 0.2110, -0.4660]])
""",
    ),
    (
        "r = np.random.RandomState(20)\n"
        "W_q, W_k, W_v = [torch.from_numpy(r.rand(3, 2)).float() for _ in range(3)]",
        """tensor([[0.9351, 0.9109],
        [0.9742, 0.9317],
        [0.9737, 0.9313],
        [0.9414, 0.9083]])
""",
    ),
    (
        "torch.manual_seed(3)\n"
        "W_q, W_k, W_v = [torch.empty(3, 2).uniform_(-0.5, 0.5) for _ in range(3)]",
        """tensor([[-0.6213,  0.2147],
        [-0.6159,  0.2148],
        [-0.6160,  0.2148],
        [-0.6234,  0.2147]])
""",
    ),
    (
        "torch.manual_seed(4)\n"
        "W_q, W_k, W_v = [nn.init.xavier_uniform_(torch.empty(3, 2)) for _ in range(3)]",
        """tensor([[ 0.8760, -0.1272],
        [ 0.8713, -0.1564],
        [ 0.8717, -0.1521],
        [ 0.8804, -0.0990]])
""",
    ),
    (
        "torch.manual_seed(5)\n"
        "ids = torch.randint(0, 10, (4,))\n"
        "W_q, W_k, W_v = [torch.randn(3, 2) for _ in range(3)]",
        """tensor([[-0.0446,  0.0342],
        [-0.0839,  0.1095],
        [-0.0834,  0.1087],
        [-0.0621,  0.0674]])
""",
    ),
]


@pytest.mark.parametrize("draws, output", DRAWN_WEIGHTS)
def test_weights_of_all_kinds_of_draws_are_followed(draws, output, tmp_path):
    code = "w = torch.softmax((x @ W_q) @ (x @ W_k).T / 2**0.5, dim=-1)\nprint(w @ (x @ W_v))"
    verdicts, text = judged(tmp_path, [(DRAWN_INPUTS, ""), (draws + "\n" + code, output)])
    assert verdicts[0][0] == "settings" and "context_vec" in text, text


def test_weights_are_known_by_their_use(tmp_path):
    draws = "torch.manual_seed(6)\nA = torch.rand(3, 2)\nB = torch.rand(3, 2)\nC = torch.rand(3, 2)\n"
    code = "w = torch.softmax((x @ A) @ (x @ B).T / 2**0.5, dim=-1)\nprint(w @ (x @ C))"
    output = """tensor([[0.9917, 1.2522],
        [1.0165, 1.2953],
        [1.0160, 1.2945],
        [0.9931, 1.2569]])
"""
    verdicts, text = judged(tmp_path, [(DRAWN_INPUTS, ""), (draws + code, output)])
    assert verdicts[0][0] == "settings" and "context_vec" in text, text


def test_a_tensor_that_a_loop_overwrote(tmp_path):
    scores = "query = inputs[1]\nfor i, query in enumerate(inputs):\n    query @ inputs.T"
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (scores, ""), ("print(inputs @ query)", LAST_ROW)])
    assert verdicts == [["mistake", "loop-variable"]], text


MODULE = """import torch
from torch import nn
import torch.nn.functional as F
x = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33]])
d = 64
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_query = nn.Linear(3, 2, bias=False)
        self.W_key = nn.Linear(3, 2, bias=False)
        self.W_value = nn.Linear(3, 2, bias=False)
    def forward(self, x):
        w = torch.softmax(self.W_query(x) @ self.W_key(x).T / {}, dim=-1)
        return {} @ self.W_value(x)
torch.manual_seed(9)
attention = Attention()
{}print(attention(x))
"""
EVAL_OUTPUT = """tensor([[-0.2712, -0.0548],
        [-0.5084, -0.1510],
        [ 0.0000,  0.0000],
        [-0.5080, -0.1558]], grad_fn=<MmBackward0>)
"""
SCALED_OUTPUT = """tensor([[-0.3836, -0.1053],
        [-0.3839, -0.1052],
        [-0.3839, -0.1052],
        [-0.3830, -0.1054]], grad_fn=<MmBackward0>)
"""


def test_dropout_by_a_function_after_eval(tmp_path):
    code = MODULE.format("2**0.5", "F.dropout(w, 0.5)", "attention.eval()\n")
    verdicts, text = judged(tmp_path, [(code, EVAL_OUTPUT)])
    assert verdicts[0] == ["mistake", "dropout-in-eval"], text


def test_scores_divided_by_a_variable_of_the_notebook(tmp_path):
    verdicts, text = judged(tmp_path, [(MODULE.format("d**0.5", "w", ""), SCALED_OUTPUT)])
    assert verdicts[0] == ["mistake", "scaled-by-other-number"], text


ONE_HEAD = """tensor([[-0.3903, -0.1042, -0.3903, -0.1042],
        [-0.3921, -0.1042, -0.3921, -0.1042],
        [-0.3920, -0.1042, -0.3920, -0.1042],
        [-0.3873, -0.1049, -0.3873, -0.1049]])
"""


def test_one_head_of_a_list_that_is_multiplied(tmp_path):
    heads = "y = [head(x) for head in [attention] * 2]\n"
    cells = [
        (MODULE.format("2**0.5", "w", "").replace("print", ""), ""),
        (heads + "print(torch.hstack(y))", ONE_HEAD),
        (heads + "print(torch.stack(y).transpose(0, 1).reshape(4, 4))", ONE_HEAD),
        ("print(torch.stack(y)[:, 0])", "tensor([[-0.3903, -0.1042],\n        [-0.3903, -0.1042]])\n"),
    ]
    verdicts, text = judged(tmp_path, cells)
    assert verdicts[:2] == [["mistake", "same-head-twice"]] * 2, text
    assert verdicts[2][0] in ("settings", "by-product"), text


DROPPED = [
    (INPUTS, ""),
    (
        """from torch import nn
class Weights(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_query = nn.Linear(3, 2, bias=False)
        self.W_key = nn.Linear(3, 2, bias=False)
        self.dropout = nn.Dropout(0.5)
    def forward(self, x):
        scores = self.W_query(x) @ self.W_key(x).T
        scores = scores.masked_fill(torch.ones(6, 6).triu(1).bool(), -torch.inf)
        return self.dropout(torch.softmax(scores / 2**0.5, dim=-1))
torch.manual_seed(789)
weights = Weights()""",
        "",
    ),
    (
        "print(weights(inputs))",
        """tensor([[0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.0000, 0.8966, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.0000, 0.0000, 0.6206, 0.0000, 0.0000, 0.0000],
        [0.5517, 0.0000, 0.0000, 0.4638, 0.0000, 0.0000],
        [0.4350, 0.3966, 0.3968, 0.0000, 0.3941, 0.0000],
        [0.0000, 0.0000, 0.0000, 0.3084, 0.3331, 0.0000]],
       grad_fn=<MulBackward0>)
""",
    ),
    (
        "torch.manual_seed(123)\nprint(nn.Dropout(0.1)(weights.eval()(inputs)))",
        """tensor([[1.1111, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.6130, 0.4981, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.4222, 0.3441, 0.3448, 0.0000, 0.0000, 0.0000],
        [0.3065, 0.2734, 0.2736, 0.2576, 0.0000, 0.0000],
        [0.2417, 0.2203, 0.0000, 0.2097, 0.2189, 0.0000],
        [0.2150, 0.1848, 0.1851, 0.1713, 0.1851, 0.1699]],
       grad_fn=<MulBackward0>)
""",
    ),
    (
        "torch.manual_seed(123)\nprint(nn.Dropout(0.1)(torch.ones(6, 6)))",
        """tensor([[1.1111, 1.1111, 1.1111, 1.1111, 1.1111, 1.1111],
        [1.1111, 1.1111, 0.0000, 1.1111, 1.1111, 1.1111],
        [1.1111, 1.1111, 1.1111, 1.1111, 1.1111, 1.1111],
        [1.1111, 1.1111, 1.1111, 1.1111, 1.1111, 1.1111],
        [1.1111, 1.1111, 0.0000, 1.1111, 1.1111, 1.1111],
        [1.1111, 1.1111, 1.1111, 1.1111, 1.1111, 1.1111]])
""",
    ),
]


def test_a_probability_of_dropout_and_a_mask_of_a_module_are_settings(tmp_path):
    verdicts, text = judged(tmp_path, DROPPED)
    assert [one[0] for one in verdicts] == ["settings", "settings", "by-product"], text


def test_a_mask_on_products_of_the_inputs_is_no_mistake(tmp_path):
    code = """masked = (inputs @ inputs.T).masked_fill(torch.ones(6, 6).triu(1).bool(), -torch.inf)
print(torch.softmax(masked, dim=-1) @ inputs)"""
    output = """tensor([[0.4300, 0.1500, 0.8900],
        [0.5058, 0.6050, 0.7447],
        [0.5302, 0.6979, 0.7049],
        [0.4625, 0.6565, 0.6325],
        [0.5292, 0.5599, 0.5231],
        [0.4177, 0.6503, 0.5645]])
"""
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (code, output)])
    assert verdicts == [["consistent"]], text


def test_numbers_of_numpys_new_generator(tmp_path):
    code = """import numpy as np
x = np.array([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33]])
rng = np.random.default_rng(7)
W_q, W_k = rng.normal(0, 0.5, (3, 2)), rng.uniform(-1, 1, size=(3, 2))
rng.integers(0, 10, 5)
W_v = rng.random((3, 2))
def softmax(row):
    e = np.exp(row - row.max())
    return e / e.sum()
w = np.apply_along_axis(softmax, 1, (x @ W_q) @ (x @ W_k).T / 2**0.5)
print((w @ (x @ W_v)).round(4))"""
    output = "[[1.3533 0.9526]\n [1.3525 0.9506]\n [1.3526 0.9509]\n [1.3528 0.9533]]\n"
    verdicts, text = judged(tmp_path, [(code, output)])
    assert verdicts[0][0] in ("settings", "by-product"), text


UNFLATTENED = [
    (
        """import torch
from torch import nn
torch.manual_seed(7)
x = torch.randn(2, 4, 5)
to_q, to_k, to_v, to_out = nn.Linear(5, 6), nn.Linear(5, 6), nn.Linear(5, 6), nn.Linear(6, 6)
q, k = to_q(x).unflatten(-1, (3, 2)), to_k(x).unflatten(-1, (3, 2))
v = to_v(x).unflatten(-1, (3, 2))
scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / 2**0.5
scores = scores.masked_fill(torch.ones(4, 4).triu(1).bool(), -torch.inf)
print(scores[0, 2])""",
        """tensor([[-0.0446,    -inf,    -inf,    -inf],
        [-0.0070,  0.3547,    -inf,    -inf],
        [-0.0198,  0.1554,  0.1975,    -inf],
        [ 0.0737,  0.3371,  0.3021,  0.3678]], grad_fn=<SelectBackward0>)
""",
    ),
    (
        """print(torch.softmax(scores, dim=-1)[0, 2])""",
        """tensor([[1.0000, 0.0000, 0.0000, 0.0000],
        [0.4105, 0.5895, 0.0000, 0.0000],
        [0.2912, 0.3469, 0.3619, 0.0000],
        [0.2041, 0.2656, 0.2565, 0.2739]], grad_fn=<SelectBackward0>)
""",
    ),
]


def test_heads_that_unflatten_splits_and_scores_scaled_before_the_mask(tmp_path):
    verdicts, text = judged(tmp_path, UNFLATTENED)
    assert verdicts == [["settings"], ["settings"]], text


PLAIN_WEIGHTS = (
    """import numpy as np
x = np.array([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33]])
rng = np.random.default_rng(7)
W_q, W_k, W_v = (rng.normal(0, 2, (3, 2)) for _ in range(3))
s = (x @ W_q) @ (x @ W_k).T
def softmax(row):
    e = np.exp(row - row.max())
    return e / e.sum()
print(np.apply_along_axis(softmax, 0, s / 2**0.5))
print(np.exp(s) / np.exp(s).sum(-1, keepdims=True))""",
    """[[0.30262969 0.29157309 0.2941862  0.25496996]
 [0.11630218 0.18720395 0.18246583 0.24810309]
 [0.13045388 0.19688792 0.1926756  0.24858485]
 [0.45061425 0.32433504 0.33067237 0.2483421 ]]
[[0.01943443 0.16282818 0.14497686 0.67276053]
 [0.00618119 0.10701519 0.09073808 0.79606553]
 [0.00713933 0.11284498 0.09622516 0.78379054]
 [0.0327305  0.18155346 0.16405101 0.62166503]]
""",
)


def test_weights_that_numpy_normalises_along_the_columns_or_without_scaling(tmp_path):
    verdicts, text = judged(tmp_path, [PLAIN_WEIGHTS])
    assert verdicts == [["mistake", "softmax-wrong-axis"], ["mistake", "no-scaling"]], text


ROWS = """import torch
from torch import nn
x = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33]])"""
ORDER = [
    (ROWS, ""),
    (
        """torch.manual_seed(1337)
key = nn.Linear(3, 2, bias=False)
query = nn.Linear(3, 2, bias=False)
value = nn.Linear(3, 2, bias=False)
k, q, v = key(x), query(x), value(x)
wei = torch.softmax(q @ k.T * 2**-0.5, dim=-1)
print(k)""",
        """tensor([[-0.0836, -0.5748],
        [-0.1784, -0.7095],
        [-0.1909, -0.6934],
        [-0.0632, -0.4000]], grad_fn=<MmBackward0>)
""",
    ),
    (
        "print(wei)",
        """tensor([[0.2479, 0.2522, 0.2528, 0.2470],
        [0.2504, 0.2475, 0.2479, 0.2541],
        [0.2504, 0.2478, 0.2480, 0.2538],
        [0.2506, 0.2475, 0.2478, 0.2541]], grad_fn=<SoftmaxBackward0>)
""",
    ),
    (
        "print(wei @ v)",
        """tensor([[0.2377, 0.0912],
        [0.2372, 0.0912],
        [0.2372, 0.0912],
        [0.2372, 0.0912]], grad_fn=<MmBackward0>)
""",
    ),
]


def test_layers_drawn_from_ones_own_seed_may_have_any_order(tmp_path):
    verdicts, text = judged(tmp_path, ORDER)
    assert verdicts == [["settings"]] * 3, text
    assert "keys" in text and "context_vec" in text, text

CACHE = [
    (ROWS, ""),
    (
        """class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_query = nn.Linear(3, 2, bias=False)
        self.W_key = nn.Linear(3, 2, bias=False)
        self.W_value = nn.Linear(3, 2, bias=False)
        self.k = self.v = None
    def forward(self, x):
        k, v = self.W_key(x), self.W_value(x)
        self.k = k if self.k is None else torch.cat([self.k, k])
        self.v = v if self.v is None else torch.cat([self.v, v])
        n, m = x.shape[0], self.k.shape[0]
        hidden = torch.triu(torch.ones(n, m), diagonal=1 + m - n).bool()
        scores = (self.W_query(x) @ self.k.T).masked_fill(hidden, -torch.inf)
        return torch.softmax(scores / 2**0.5, dim=-1) @ self.v
torch.manual_seed(12)
head = Head()
head(x).detach()
head.k = head.v = None""",
        "",
    ),
    (
        """with torch.no_grad():
    for i in range(4):
        print(head(x[i : i + 1]))""",
        """tensor([[0.1215, 0.2512]])
tensor([[0.1778, 0.3864]])
tensor([[0.1942, 0.4181]])
tensor([[0.1771, 0.4007]])
""",
    ),
    (
        "print(head.k[1:3].detach())",
        """tensor([[ 0.0043, -0.0124],
        [ 0.0080, -0.0048]])
""",
    ),
]


def test_a_loop_with_a_cache_of_keys(tmp_path):
    path = tmp_path / "x.ipynb"
    path.write_text(notebook(CACHE))
    answer = limited("diagnose", path)
    assert answer.returncode == 0 and "context_vec" in answer.stdout, answer  # 7 s if each token is a lesson
    assert "keys[1:3]" in answer.stdout, answer

DROP = [
    (ROWS, ""),
    (
        """torch.manual_seed(7)
W_q, W_k, W_v = (nn.Linear(3, 2, bias=False) for _ in range(3))
hidden = torch.ones(4, 4).triu(1).bool()
w = torch.softmax((W_q(x) @ W_k(x).T).masked_fill(hidden, -torch.inf) / 2**0.5, dim=-1)
drop = nn.Dropout(0.3)
torch.manual_seed(8)
dropped = drop(w)
print(dropped)""",
        """tensor([[0.0000, 0.0000, 0.0000, 0.0000],
        [0.7373, 0.6913, 0.0000, 0.0000],
        [0.4957, 0.0000, 0.4666, 0.0000],
        [0.3684, 0.0000, 0.3511, 0.3583]], grad_fn=<MulBackward0>)
""",
    ),
    (
        "print(dropped @ W_v(x))",
        """tensor([[ 0.0000,  0.0000],
        [-0.4836, -0.4805],
        [-0.3246, -0.3227],
        [-0.3406, -0.2589]], grad_fn=<MmBackward0>)
""",
    ),
    (
        """torch.manual_seed(9)
print(sum(drop(w) for _ in range(500)) / 500)""",
        """tensor([[1.0086, 0.0000, 0.0000, 0.0000],
        [0.5102, 0.4922, 0.0000, 0.0000],
        [0.3529, 0.3469, 0.3155, 0.0000],
        [0.2424, 0.2547, 0.2563, 0.2501]], grad_fn=<DivBackward0>)
""",
    ),
]


def test_dropout_with_seeds_of_ones_own(tmp_path):
    verdicts, text = judged(tmp_path, DROP)
    assert verdicts == [["settings"], ["settings"], ["by-product"]], text

TWO_FAULTS = [
    (ROWS, ""),
    (
        """class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(3, 2, bias=False)
        self.key = nn.Linear(3, 2, bias=False)
        self.value = nn.Linear(3, 2, bias=False)
    def forward(self, x):
        n, d = x.shape
        s = self.query(x) @ self.key(x).T * d**-0.5
        s = s.masked_fill(torch.tril(torch.ones(n, n)) == 1, float("-inf")).nan_to_num(0.0)
        self.wei = s.softmax(-1)
        return self.wei @ self.value(x)
torch.manual_seed(1235)
head = Head()
print(head(x))""",
        """tensor([[-0.1507, -0.3129],
        [-0.1322, -0.2868],
        [-0.0644, -0.2113],
        [-0.1248, -0.2555]], grad_fn=<MmBackward0>)
""",
    ),
    (
        "print(head.wei)",
        """tensor([[0.0000, 0.3380, 0.3370, 0.3251],
        [0.0000, 0.0000, 0.5005, 0.4995],
        [0.0000, 0.0000, 0.0000, 1.0000],
        [0.2500, 0.2500, 0.2500, 0.2500]], grad_fn=<SoftmaxBackward0>)
""",
    ),
    (
        "print(head.query(x) @ head.key(x).T * 3**-0.5)",
        """tensor([[ 0.0207,  0.1178,  0.1149,  0.0789],
        [ 0.0254, -0.0078, -0.0075, -0.0095],
        [ 0.0226, -0.0129, -0.0126, -0.0126],
        [ 0.0207, -0.0090, -0.0088, -0.0096]], grad_fn=<MulBackward0>)
""",
    ),
]


def test_scores_that_are_divided_by_the_root_of_another_width(tmp_path):
    verdicts, text = judged(tmp_path, TWO_FAULTS)
    assert verdicts[0] == ["mistake", "scaled-by-d-in"], text
    assert [one[0] for one in verdicts[1:]] == ["follows", "follows"], text

INVERTED = """tensor([[0.0000, 0.3357, 0.3352, 0.3290],
        [0.0000, 0.0000, 0.5003, 0.4997],
        [0.0000, 0.0000, 0.0000, 1.0000],
        [0.2500, 0.2500, 0.2500, 0.2500]], grad_fn=<SoftmaxBackward0>)
"""


def test_an_inverted_mask_beside_a_scale_of_ones_own(tmp_path):
    code = TWO_FAULTS[1][0].replace("d**-0.5", "0.3").replace("print(head(x))", "head(x)\nprint(head.wei)")
    verdicts, text = judged(tmp_path, [(ROWS, ""), (code, INVERTED)])
    assert verdicts == [["mistake", "mask-flipped"]], text


TEMPS = [
    (ROWS, ""),
    (
        """torch.manual_seed(1235)
W_q, W_k = nn.Linear(3, 2, bias=False), nn.Linear(3, 2, bias=False)
s = W_q(x) @ W_k(x).T
for t in (0.5, 1.0, 2.0):
    print(torch.softmax(s / t, dim=-1)[3].detach())""",
        """tensor([0.2699, 0.2435, 0.2437, 0.2430])
tensor([0.2598, 0.2468, 0.2469, 0.2465])
tensor([0.2549, 0.2484, 0.2485, 0.2483])
""",
    ),
]


def test_a_loop_over_temperatures_is_no_mistake(tmp_path):
    verdicts, text = judged(tmp_path, TEMPS)
    assert [one[0] for one in verdicts] == ["consistent"] * 3, text

SHOWN_ROWS = [
    (ROWS, ""),
    (
        """for row in torch.softmax(x @ x.T, dim=-1):
    print(*(f"{z:.4f}" for z in row))""",
        """0.2863 0.2737 0.2704 0.1695
0.1888 0.3242 0.3179 0.1690
0.1897 0.3233 0.3174 0.1695
0.2046 0.2956 0.2915 0.2084
""",
    ),
    (
        """for row in torch.softmax(x @ x.T, dim=0):
    print([f"{z:.3f}" for z in row])""",
        """['0.286', '0.189', '0.190', '0.205']
['0.274', '0.324', '0.323', '0.296']
['0.270', '0.318', '0.317', '0.292']
['0.170', '0.169', '0.170', '0.208']
""",
    ),
]


def test_rows_of_numbers_that_are_shown_one_by_one(tmp_path):
    verdicts, text = judged(tmp_path, SHOWN_ROWS)
    assert [one[0] for one in verdicts] == ["settings", "mistake", *["follows"] * 3], text

WINDOW = [
    (ROWS, ""),
    (
        """n = 5
band = torch.tril(torch.ones(n, n)) - torch.tril(torch.ones(n, n), -2)
print(band)""",
        """tensor([[1., 0., 0., 0., 0.],
        [1., 1., 0., 0., 0.],
        [0., 1., 1., 0., 0.],
        [0., 0., 1., 1., 0.],
        [0., 0., 0., 1., 1.]])
""",
    ),
    (
        "print(torch.tril(torch.ones(n, n)))",
        """tensor([[1., 0., 0., 0., 0.],
        [1., 1., 0., 0., 0.],
        [1., 1., 1., 0., 0.],
        [1., 1., 1., 1., 0.],
        [1., 1., 1., 1., 1.]])
""",
    ),
]


def test_a_mask_of_a_window_is_not_of_the_chapter(tmp_path):
    verdicts, text = judged(tmp_path, WINDOW)
    assert [one[0] for one in verdicts] == ["unknown", "by-product"], text

CAT = [
    (
        """import torch
from torch import nn
torch.manual_seed(77)
x = torch.randn(1, 4, 5)
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_query = nn.Linear(5, 2, bias=False)
        self.W_key = nn.Linear(5, 2, bias=False)
        self.W_value = nn.Linear(5, 2, bias=False)
    def forward(self, x):
        s = self.W_query(x) @ self.W_key(x).transpose(1, 2)
        s = s.masked_fill(torch.ones(4, 4).triu(1).bool(), -torch.inf)
        return torch.softmax(s / 2**0.5, dim=-1) @ self.W_value(x)
class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList([Head() for _ in range(3)])
    def forward(self, x):
        return torch.cat([h(x) for h in self.heads], dim=1)
torch.manual_seed(78)
out = Heads()(x).detach()
print(out[0, :5])""",
        """tensor([[ 0.0185,  0.2385],
        [ 0.0848, -0.2098],
        [ 0.0400, -0.3512],
        [-0.0845, -0.2011],
        [-0.2499, -0.3717]])
""",
    ),
    (
        "print(out.sum())",
        """tensor(-2.8470)
""",
    ),
]


def test_a_sum_over_all_numbers_that_a_mistake_does_not_change(tmp_path):
    verdicts, text = judged(tmp_path, CAT)
    assert verdicts == [["mistake", "heads-concatenated-on-tokens"], ["by-product"]], text

def test_numbers_that_the_notebook_has_no_operands_for_are_not_recognised(tmp_path):
    verdicts, text = judged(tmp_path, [("q = x @ W", ""), ("print(q)", "tensor([0.3137])\n")])
    assert verdicts == [["unknown"]], text


def test_outputs_that_follow_from_an_older_run(tmp_path):
    code = "w = torch.softmax(inputs @ inputs.T, dim=-1)\nprint(w)"
    last = "tensor([0.4000, 0.6000, 0.5000])\n"
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (code, COLUMNS), ("(w @ inputs)[-1] * 0.9", last)])
    assert verdicts == [["mistake", "softmax-wrong-axis"], ["follows", "softmax-wrong-axis"]], text


def test_the_cell_that_ran_again_is_the_one_that_ran_late(tmp_path):
    rows = {
        "W_query": "[0.3821, 0.6605],\n        [0.8536, 0.5932],\n        [0.6367, 0.9826]",
        "W_key": "[0.1366, 0.1025],\n        [0.1841, 0.7264],\n        [0.3153, 0.6871]",
        "W_value": "[0.0756, 0.1966],\n        [0.3164, 0.4017],\n        [0.1186, 0.8274]",
    }
    draws = [(f"{name} = torch.rand(3, 2)\n{name}", f"tensor([{of}])\n") for name, of in rows.items()]
    book = json.loads(notebook([(INPUTS + "\ntorch.manual_seed(123)", ""), *draws]))
    for cell, count in zip(book["cells"], (1, 5, 3, 4)):
        cell["execution_count"] = count
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps(book))
    verdicts = json.loads(run("diagnose --json -", path).stdout)["tensors"]
    assert [one["verdict"] for one in verdicts] == ["mistake", "right", "right"]


FUSED = [
    (
        """import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(1337)
x = torch.randn(2, 4, 6)
c_attn = nn.Linear(6, 18)
c_proj = nn.Linear(6, 6)
h = nn.LayerNorm(6)(x)
q, k, v = (z.view(2, 4, 3, 2).transpose(1, 2) for z in c_attn(h).split(6, dim=2))
bias = torch.tril(torch.ones(4, 4)).view(1, 1, 4, 4)
att = (q @ k.transpose(-2, -1) * 2**-0.5).masked_fill(bias == 0, float("-inf")).softmax(-1)
print(att[0, 1])""",
        """tensor([[1.0000, 0.0000, 0.0000, 0.0000],
        [0.5929, 0.4071, 0.0000, 0.0000],
        [0.2032, 0.4877, 0.3091, 0.0000],
        [0.1939, 0.2848, 0.2377, 0.2836]], grad_fn=<SelectBackward0>)
""",
    ),
    (
        """y = (att @ v).transpose(1, 2).reshape(2, 4, 6)
print(c_proj(y)[0])""",
        """tensor([[-0.5537, -0.7101, -0.5846, -0.5001, -0.3698, -0.1522],
        [-0.4923, -0.3903, -0.4560, -0.2008, -0.3456, -0.3505],
        [-0.2269,  0.0368, -0.3519, -0.1950, -0.2169, -0.2919],
        [-0.2065,  0.0511, -0.3131, -0.2444, -0.0148, -0.2690]],
       grad_fn=<SelectBackward0>)
""",
    ),
]


def test_one_layer_for_queries_keys_and_values(tmp_path):
    verdicts, text = judged(tmp_path, FUSED)
    assert verdicts == [["settings"], ["settings"]], text


HALF = [
    (
        """import torch
inputs = torch.tensor([
    [0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
    [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])
print(inputs.half()[:2])""",
        """tensor([[0.4299, 0.1500, 0.8901],
        [0.5498, 0.8701, 0.6602]], dtype=torch.float16)
""",
    ),
    (
        """for dtype in (torch.float16, torch.bfloat16):
    x = inputs.to(dtype)
    print((torch.softmax(x @ x.T, dim=-1) @ x)[1])""",
        """tensor([0.4417, 0.6514, 0.5684], dtype=torch.float16)
tensor([0.4414, 0.6523, 0.5703], dtype=torch.bfloat16)
""",
    ),
]


def test_half_precision_is_right_up_to_its_rounding(tmp_path):
    verdicts, text = judged(tmp_path, HALF)
    assert verdicts == [["right"]] * 3, text


def test_the_right_line_has_the_operands_of_the_readers(tmp_path):
    code = """from torch import nn
torch.manual_seed(789)
W_query, W_key = nn.Linear(3, 2, bias=False), nn.Linear(3, 2, bias=False)
keys = W_key(inputs)
masked = (W_query(inputs) @ keys.T).masked_fill(torch.ones(6, 6).triu(1).bool(), -torch.inf)
attn_weights = torch.softmax(masked / keys.shape[0]**0.5, dim=-1)
attn_weights[1:4]"""
    rows = """tensor([[0.5299, 0.4701, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.3599, 0.3199, 0.3202, 0.0000, 0.0000, 0.0000],
        [0.2647, 0.2478, 0.2479, 0.2395, 0.0000, 0.0000]], grad_fn=<SliceBackward0>)
"""
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (code, rows)])
    assert verdicts == [["mistake", "scaled-by-root-tokens"]], text
    assert "right  attn_weights = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)" in text


def test_scores_that_a_cell_scales_each_time_it_runs(tmp_path):
    weights = "torch.manual_seed(5)\nW_q, W_k = torch.rand(3, 2), torch.rand(3, 2)\n"
    scores = "attn = (x @ W_q) @ (x @ W_k).T\nprint(attn[1])"
    cells = [
        (ROWS, ""),
        (weights + scores, "tensor([1.9735, 2.3758, 2.3441, 1.2691])\n"),
        ("attn /= 2**0.5\nprint(attn[1])", "tensor([0.9868, 1.1879, 1.1721, 0.6346])\n"),
    ]
    book = json.loads(notebook(cells))
    book["cells"][2]["execution_count"] = 4
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps(book))
    verdicts = json.loads(run("diagnose --json -", path).stdout)["tensors"]
    assert [one["verdict"] for one in verdicts] == ["settings", "mistake"]
    assert "the cell ran more than once, and attn kept" in run("diagnose", path).stdout


NOISE = [
    (ROWS, ""),
    (
        """w = torch.softmax(x @ x.T, dim=-1)
print(w @ x - torch.matmul(w.double(), x.double()).float())""",
        """tensor([[ 2.9802e-08,  5.9605e-08, -5.9605e-08],
        [ 0.0000e+00,  0.0000e+00,  5.9605e-08],
        [ 0.0000e+00, -5.9605e-08,  0.0000e+00],
        [ 0.0000e+00,  0.0000e+00,  0.0000e+00]])
""",
    ),
]


def test_differences_of_rounding_are_those_of_the_code(tmp_path):
    verdicts, text = judged(tmp_path, NOISE)
    assert verdicts == [["by-product"]], text


def test_the_same_seed_before_each_weight(tmp_path):
    draw = "torch.manual_seed(123)\n{} = torch.rand(3, 2)\n"
    code = "".join(draw.format(name) for name in ("W_query", "W_key", "W_value"))
    row = "tensor([0.4306, 1.4551])\n"
    cells = [(INPUTS, ""), (code + "x_2 = inputs[1]", ""), ("query_2 = x_2 @ W_query\nquery_2", row)]
    cells.append(("key_2 = x_2 @ W_key\nkey_2", row))
    verdicts, text = judged(tmp_path, cells)
    assert [one[0] for one in verdicts] == ["right", "mistake"], text


def test_twenty_thousand_cells_are_read_in_seconds(tmp_path):
    path = tmp_path / "long.ipynb"
    path.write_text(notebook([*[("q = x @ W", "")] * 20_000, ("print(q)", "tensor([1.])")]))
    answer = limited("diagnose", path, seconds=5)
    assert "cell 20001 [20001]  q" in answer.stdout, answer  # 50 s if each name is looked for in all cells


def test_a_loop_that_adds_to_an_earlier_sum(tmp_path):
    weights = "torch.softmax(inputs @ inputs[1], dim=0)"
    loop = f"for a, x in zip({weights}, inputs):\n    total += a * x\nprint(total)"
    cells = [
        (INPUTS, ""),
        ("total = torch.zeros(3)", ""),
        (loop, "tensor([0.8837, 1.3030, 1.1366])\n"),
        ("total / total.norm()", "tensor([0.4551, 0.6710, 0.5853])\n"),
    ]
    verdicts, text = judged(tmp_path, cells, counts=(1, 2, 4, 5))
    assert [one[0] for one in verdicts] == ["mistake", "by-product"]
    assert "the cell ran more than once, and total kept" in text


def test_a_step_has_its_number_in_the_walk(tmp_path):
    """Also where no code tells the step, and for a tensor between steps."""
    path = tmp_path / "x.md"
    between = "tensor([0.8984, 1.3098, 1.2806, 0.7633, 0.3944, 1.0918])"  # attn_scores_2 / sqrt(2)
    rows = ok("causal --step masked_simple_norm --quiet")
    path.write_text(f"```python\nimport torch\n```\n\n```\n{rows}```\n\n```\n{between}\n```\n")
    text = run("diagnose", path).stdout
    assert "right, step 13 of causal: masked_simple_norm" in text
    assert "right, step 13 of trainable: attn_scores_2 / keys.shape[-1]**0.5" in text


def test_a_document_without_numbers_says_so(tmp_path):
    path = tmp_path / "x.ipynb"
    path.write_text(notebook([("x = 1", "")]))
    assert "no outputs with numbers" in ok("diagnose", path, code=1)
    path.write_text(notebook([("for x in row: print(f'{x:.4f}')", "0.9544\n1.4950\n")]))
    assert "cell 1 [1]: single numbers that could not be followed" in ok("diagnose", path, code=1)


def test_an_output_in_a_string_of_several_lines(tmp_path):
    path = tmp_path / "x.py"
    path.write_text(INPUTS + "\nprint(inputs @ inputs.T)\n\"\"\"\n" + SCORES + "\"\"\"\n")
    assert "right, step" in ok("diagnose", path)


@pytest.mark.skipif("/sanitize" in PROGRAM, reason="times under a sanitizer say nothing")
@pytest.mark.parametrize("text", ["x = tensor([[0.7]])\n" * 2000, "[" * 100_000], ids=["tensors", "brackets"])
def test_a_report_takes_time_that_grows_like_its_input(text, tmp_path):
    def took(text):
        (tmp_path / "x.txt").write_text(text)
        begun = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        assert run("diagnose", tmp_path / "x.txt", "--out", tmp_path / "x.md").returncode == 1
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begun

    half = took(text[: len(text) // 2])
    assert took(text) < 3 * half + 1


def test_the_same_bytes_under_load_and_with_any_number_of_threads(wrong):
    command = [PROGRAM, "diagnose", str(wrong), "--json", "-"]
    runs = [
        subprocess.Popen([*command, "--threads", threads], stdout=subprocess.PIPE, env=environment())
        for threads in ("1", "8") * 4
    ]
    outputs = [one.communicate()[0] for one in runs]
    alone = ok("diagnose --json -", wrong, code=1)
    for output in outputs:
        assert output.decode() == alone


def test_a_failing_comparison_shows_ten_lines():
    with pytest.raises(AssertionError) as failed:
        assert (0, "a\nb\n" * 9000, {"x": b"1"}) == (0, "a\nb\n" * 8000, {"x": b"1"}), "run"
    assert "[1] 18000 lines instead of 16000; line 16001 differs" in str(failed.value)
    assert len(str(failed.value).splitlines()) <= 12 and len(str(failed.value)) < 2000


SHARED_KEYS = """import torch
from torch import nn
torch.manual_seed(5)
x = torch.randn(3, 4)
a, b, c = (nn.Linear(4, n, bias=False) for n in (4, 2, 2))
def parts(t, n): return t.view(3, n, 2).transpose(0, 1)
one = parts(a(x), 2)
two, three = (parts(f(x), 1).repeat_interleave(2, dim=0) for f in (b, c))
w = (one @ two.mT / 2**0.5).softmax(-1)
print(w[1].data)
z = (w @ three).transpose(0, 1).flatten(1)
print(z.data)"""
SHARED_RIGHT = """tensor([[0.3071, 0.3506, 0.3423],
        [0.4227, 0.2705, 0.3068],
        [0.2542, 0.4339, 0.3119]])
tensor([[-0.3764, -0.2288, -0.3787, -0.2385],
        [-0.4472, -0.3363, -0.3542, -0.1430],
        [-0.3369, -0.1671, -0.4335, -0.3354]])
"""
SHARED_UNSCALED = """tensor([[0.2966, 0.3577, 0.3457],
        [0.4614, 0.2454, 0.2932],
        [0.2239, 0.4770, 0.2991]])
tensor([[-0.3775, -0.2333, -0.3808, -0.2470],
        [-0.4791, -0.3879, -0.3476, -0.1129],
        [-0.3221, -0.1473, -0.4606, -0.3857]])
"""
SHARED_KEYS_AS_VALUES = """tensor([[0.3071, 0.3506, 0.3423],
        [0.4227, 0.2705, 0.3068],
        [0.2542, 0.4339, 0.3119]])
tensor([[ 0.4000, -0.2724,  0.3982, -0.2660],
        [ 0.3654, -0.2303,  0.4164, -0.3280],
        [ 0.4195, -0.2973,  0.3700, -0.2222]])
"""


def test_heads_that_no_stage_has_are_judged_by_the_structure_of_their_code(tmp_path):
    verdicts, text = judged(tmp_path, [(SHARED_KEYS, SHARED_RIGHT)])
    assert verdicts == [["settings"], ["settings"]], text
    verdicts, text = judged(tmp_path, [(SHARED_KEYS.replace(" / 2**0.5", ""), SHARED_UNSCALED)])
    assert verdicts[0] == ["mistake", "no-scaling"] and verdicts[1][0] == "follows", text
    swapped = SHARED_KEYS.replace("w @ three", "w @ two")
    verdicts, text = judged(tmp_path, [(swapped, SHARED_KEYS_AS_VALUES)])
    assert verdicts == [["settings"], ["mistake", "keys-for-values"]], text


OWN_SOFTMAX = """import numpy as np
np.random.seed(3)
x = np.random.rand(3, 4)
Wq, Wk, Wv = (np.random.rand(4, 2) for _ in range(3))
def softmax(s, axis):
    e = np.exp(s - s.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
A = softmax((x @ Wq) @ (x @ Wk).T / np.sqrt(2), -1)
print(A.round(4))
context = A @ (x @ Wv)"""


@pytest.mark.parametrize(
    "right, own, printed, verdict",
    [
        (
            "",
            "",
            "[[0.3927 0.4108 0.1965]\n [0.3985 0.4163 0.1852]\n [0.3655 0.374  0.2605]]\n",
            "by-product",
        ),
        (
            "sqrt(2)",
            "sqrt(4)",
            "[[0.3781 0.3902 0.2317]\n [0.3827 0.3947 0.2226]\n [0.3567 0.3625 0.2808]]\n",
            "mistake scaled-by-d-in",
        ),
        (
            "-1)\n",
            "0)\n",
            "[[0.3677 0.3696 0.3474]\n [0.4232 0.4249 0.3714]\n [0.209  0.2055 0.2813]]\n",
            "mistake softmax-wrong-axis",
        ),
    ],
)
def test_a_softmax_of_ones_own(tmp_path, right, own, printed, verdict):
    verdicts, text = judged(tmp_path, [(OWN_SOFTMAX.replace(right, own) if right else OWN_SOFTMAX, printed)])
    assert verdicts == [verdict.split()], text


MUCH_PYTHON = """import torch
from torch import nn
words = "Ein Hund sieht einen Hund".lower().split()
place = dict.fromkeys(words)
for i, word in enumerate(place, start=1):
    place[word] = i
options = dict(d=3, bias=None)
torch.manual_seed(9)
class Head(nn.Module):
    def __init__(self, d, bias=None):
        super().__init__()
        self.table = nn.Embedding(8, d)
        self.layers = nn.ModuleDict({name: nn.Linear(d, d, bias=bias or False) for name in ("q", "k", "v")})
        self.apply(self.start)
    def start(self, layer):
        if isinstance(layer, nn.Linear):
            nn.init.normal_(layer.weight, std=0.5)
    def forward(self, ids):
        x = self.table(ids)
        q, k, v = (self.layers[name](x) for name in "qkv")
        if "k" in self.layers and (n := len(ids)) > 1 and not None:
            s = q @ k.T / max([3, 1]) ** 0.5
            s = s.masked_fill(torch.ones(n, n).triu(1) > 0, -torch.inf)
        return s.softmax(-1) @ v
head = Head(**options)
print(head(torch.LongTensor([place[w] for w in words])).data)"""
MUCH_PRINTED = """tensor([[ 2.3756, -1.7562, -1.3368],
        [ 2.1340, -1.6814, -1.1754],
        [ 0.1779, -0.8000,  0.0521],
        [ 0.5423, -0.6252, -0.2631],
        [ 0.6795, -0.5382, -0.3964]])
"""


def test_python_that_people_write_around_their_tensors(tmp_path):
    verdicts, text = judged(tmp_path, [(MUCH_PYTHON, MUCH_PRINTED)])
    assert verdicts == [["settings"]], text


def test_a_cell_that_took_the_softmax_of_its_own_result(tmp_path):
    layers = "torch.manual_seed(6)\nWq, Wk = torch.rand(3, 2), torch.rand(3, 2)\nattn = (x @ Wq) @ (x @ Wk).T"
    rows = "import torch\nx = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64]])\n"
    weights = """tensor([[0.3220, 0.3390, 0.3390],
        [0.3115, 0.3443, 0.3441],
        [0.3117, 0.3443, 0.3440]])
"""
    cells = [(rows + layers, ""), ("attn = torch.softmax(attn / 2**0.5, dim=-1)\nprint(attn)", weights)]
    book = json.loads(notebook(cells))
    book["cells"][1]["execution_count"] = 3
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps(book))
    verdict = json.loads(run("diagnose --json -", path).stdout)["tensors"][0]
    assert verdict["verdict"] == "mistake" and "softmax-twice" in verdict["matches"][0]["mistakes"]


def test_a_loop_over_scores_that_python_scales_and_rows_with_words(tmp_path):
    code = """import torch
torch.manual_seed(6)
x = torch.rand(3, 2)
Wq, Wk = torch.rand(2, 2), torch.rand(2, 2)
s = torch.zeros(3, 3)
for i in range(3):
    for j in range(3):
        s[i, j] = (x[i] @ Wq).dot(x[j] @ Wk).item() / 2**0.5
w = torch.softmax(s, -1)
for word, row in zip("abc", w):
    print(f"{word}: {row.tolist()}")"""
    printed = """a: [0.3304884135723114, 0.39219900965690613, 0.27731257677078247]
b: [0.3263545334339142, 0.42406460642814636, 0.24958086013793945]
c: [0.332643061876297, 0.36452895402908325, 0.30282798409461975]
"""
    verdicts, text = judged(tmp_path, [(code, printed)])
    assert verdicts == [["settings"]] * 3, text


def test_a_product_of_a_matrix_with_itself_is_no_lesson(tmp_path):
    code = "import torch\na = torch.tensor([[1., 2.], [3., 4.]])\nprint(a @ a)"
    verdicts, text = judged(tmp_path, [(code, "tensor([[ 7., 10.],\n        [15., 22.]])\n")])
    assert verdicts == [["unknown"]], text


UNSCALED = """tensor([[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.5728, 0.4272, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.4000, 0.2996, 0.3004, 0.0000, 0.0000, 0.0000],
        [0.2870, 0.2441, 0.2444, 0.2245, 0.0000, 0.0000],
        [0.2251, 0.1974, 0.1976, 0.1842, 0.1957, 0.0000],
        [0.2054, 0.1659, 0.1662, 0.1490, 0.1662, 0.1472]])
"""


def test_numbers_of_variables_that_a_session_does_not_have(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text(">>> w = torch.softmax(masked, dim=-1)\n>>> w\n" + UNSCALED)
    assert "a mistake: no-scaling" in run("diagnose", path).stdout


def lines_of(tmp_path, text):
    """The lines about the outputs of a text of code and outputs."""
    path = tmp_path / "x.txt"
    path.write_text(text)
    return [line for line in run("diagnose", path).stdout.splitlines() if line.startswith("line ")]


def test_the_sum_of_right_numbers_of_an_unknown_variable(tmp_path):
    text = f"import torch\nscores = x @ x.T\nprint(scores)\n{SCORES}print(scores.sum())\ntensor(29.0070)\n"
    first, second = lines_of(tmp_path, text)
    assert "right, " in first and "computed from right numbers" in second


PRODUCT = """import torch
a = torch.tensor([[[[0.2745, 0.6584, 0.2775, 0.8573],
                    [0.8993, 0.0390, 0.9268, 0.7388],
                    [0.7179, 0.7058, 0.9156, 0.4340]],

                   [[0.0772, 0.3565, 0.1479, 0.5331],
                    [0.4066, 0.2318, 0.4545, 0.9737],
                    [0.4606, 0.5159, 0.4220, 0.5786]]]])

print(a @ a.transpose(2, 3))
tensor([[[[1.3208, 1.1631, 1.2879],
          [1.1631, 2.2150, 1.8424],
          [1.2879, 1.8424, 2.0402]],

         [[0.4391, 0.7003, 0.5903],
          [0.7003, 1.3737, 1.0620],
          [0.5903, 1.0620, 0.9912]]]])
"""


@pytest.mark.parametrize("blank", [" ", "\u00a0"])
def test_a_part_with_a_tensor_of_the_documents_beside_the_inputs(tmp_path, blank):
    (line,) = lines_of(tmp_path, PRODUCT.replace(" ", blank))
    assert line.endswith("right, step 2 of head-split: product"), line


ROW_BY_ROW = """import torch
inputs = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                       [0.22, 0.58, 0.33], [0.77, 0.25, 0.10]])
def scores(x):
    return x @ x.T
for row in scores(inputs):
    print(row)
tensor([0.9995, 0.9544, 0.9422, 0.4753, 0.4576])
tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070])
tensor([0.9422, 1.4754, 1.4570, 0.8296, 0.7154])
tensor([0.4753, 0.8434, 0.8296, 0.4937, 0.3474])
tensor([0.4576, 0.7070, 0.7154, 0.3474, 0.6654])
"""


def test_each_of_many_rows_in_a_loop_is_judged(tmp_path):
    lines = lines_of(tmp_path, ROW_BY_ROW)
    assert len(lines) == 5 and all("right with your settings" in line for line in lines)


# Right numbers of another step, and a last digit that no order of the sum gives.
@pytest.mark.parametrize("code, printed", [
    ("print(torch.softmax(inputs @ inputs.T, dim=-1))", SCORES),
    ("print(inputs @ inputs.T)", SCORES.replace("0.4937", "0.4938")),
])  # fmt: skip
def test_an_output_is_not_right_against_the_code_beside_it(tmp_path, code, printed):
    verdicts, text = judged(tmp_path, [(INPUTS, ""), (code, printed)])
    assert verdicts[0][0] == "unknown" and "the code beside these numbers gives others" in text


FIRST_STEPS = """masked_simple = attn_weights * mask_simple
print(masked_simple)
tensor([[0.1921, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.2041, 0.1659, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.2036, 0.1659, 0.1662, 0.0000, 0.0000, 0.0000],
        [0.1869, 0.1667, 0.1668, 0.1571, 0.0000, 0.0000],
        [0.1830, 0.1669, 0.1670, 0.1588, 0.1658, 0.0000],
        [0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.1529]], grad_fn=<MulBackward0>)
row_sums = masked_simple.sum(dim=-1, keepdim=True)
print(row_sums)
tensor([[0.1921],
        [0.3700],
        [0.5357],
        [0.6775],
        [0.8415],
        [1.0000]], grad_fn=<SumBackward1>)
"""


def test_a_step_that_is_computed_from_printed_numbers(tmp_path):
    assert lines_of(tmp_path, FIRST_STEPS)[1].endswith("right, step 12 of causal: row_sums")


def test_the_first_steps_of_grouped_queries_are_not_a_mistake(tmp_path):
    code = f"""import torch
{INPUTS}
torch.manual_seed(123)
W_query = torch.nn.Linear(3, 8, bias=False)
W_key = torch.nn.Linear(3, 4, bias=False)
W_value = torch.nn.Linear(3, 4, bias=False)
values = W_value(inputs)
print(values)
"""
    rows = ok("grouped-query --step values --quiet").replace("[[[", "[[").replace("]]]", "]]")
    (line,) = lines_of(tmp_path, code + rows)
    assert "right" in line, line


def test_a_line_that_is_right_is_not_blamed_for_its_operands(tmp_path):
    lines = lines_of(tmp_path, ok("sliding-window --step masked --code torch"))
    assert lines and "a mistake" not in lines[-1], lines


def test_a_number_that_is_set_before_a_loop_is_code(tmp_path):
    text = "import torch\n" + INPUTS + """
print(inputs[0])
res = 0.
for x in inputs[0]:
    res += x * x
print(res)
tensor([0.4300, 0.1500, 0.8900])
tensor(0.9995)
"""
    assert [line.split("  ")[1] for line in lines_of(tmp_path, text)] == ["inputs[0]", "res"]


def test_a_batch_that_the_text_does_not_define(tmp_path):
    code = """import torch
torch.manual_seed(7)
layer = torch.nn.Linear(3, 2, bias=False)
print(layer(batch)[1])
"""
    printed = ok("linear --seed 7 --step queries").split("print(queries)\n")[1].split("\n\n")[0]
    (line,) = lines_of(tmp_path, code + printed)
    assert "right with your settings" in line, line


def test_a_column_of_numbers_beside_another_file(tmp_path):
    column = tmp_path / "column.txt"
    column.write_text("0.9544\n1.4950\n1.4754\n0.8434\n0.7070\n1.0865\n")
    other = tmp_path / "scores.txt"
    other.write_text(SCORES)
    assert "[6]  right, step 3 of simplified: attn_scores_2" in ok("diagnose", column, other)


def test_inputs_that_are_a_product_need_no_scale(tmp_path):
    code = """import torch
torch.manual_seed(3)
rows = torch.eye(3) @ torch.randn(3, 2)
print(torch.softmax(rows @ rows.T, -1))"""
    printed = """tensor([[0.5245, 0.2575, 0.2180],
        [0.2027, 0.3087, 0.4886],
        [0.0846, 0.2408, 0.6747]])
"""
    verdicts, text = judged(tmp_path, [(code, printed)])
    assert verdicts[0][0] != "mistake", text


def test_inputs_that_the_text_does_not_define(tmp_path):
    verdicts, text = judged(tmp_path, WRONG[1:])
    assert verdicts[1] == ["mistake", "softmax-wrong-axis"], text
    assert "does not define inputs" in text and "weights = torch.softmax(scores, dim=0)    #" in text


@pytest.mark.parametrize("code", [
    "inputs = load()\nscores = inputs @ inputs.T\nprint(scores)",
    "for step, (inputs, targets) in loader:\n    scores = inputs @ inputs.T\nprint(scores)",
    "scores = 2 * inputs @ inputs.T\nprint(scores)",
])  # fmt: skip
def test_inputs_are_not_assumed_beside_others_or_against_the_outputs(tmp_path, code):
    _, text = judged(tmp_path, [(code, SCORES)])
    assert "does not define inputs" not in text, text
