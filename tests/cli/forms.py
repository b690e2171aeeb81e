"""The forms in which people paste a tensor: from terminals, notebooks, chats, spreadsheets and other
languages. Each form shows a right tensor, which must be found unchanged.
"""

import json
import pprint

import pytest

from program import run, steps

TOKENS = ["Your", "journey", "starts", "with", "one", "step"]
STEPS = steps("causal")
W, Q = STEPS["attn_weights_causal"], STEPS["queries"]
COLUMN = [[numbers[1]] for numbers in STEPS["values"]]


def f(value, decimals=4):
    return f"{value:.{decimals}f}"


def row(numbers, separator=", ", form="{}"):
    return separator.join(form.format(f(number)) for number in numbers)


def tensor(x, begin="tensor([[", indent=8, end="]])"):
    return begin + ("],\n" + " " * indent + "[").join(map(row, x)) + end


def lines(x, form, text=None):
    """Fills a form with each line that PyTorch prints, and its number from 0 or 1."""
    shown = (text or tensor(x)).split("\n")
    return "\n".join(form.format(line, i=i, n=i + 1, m=i + 41) for i, line in enumerate(shown))


def rows(x, form, separator=", ", between="\n", cell="{}"):
    """Fills a form with each row, its number from 0 or 1, and its token."""
    return between.join(
        form.format(row(numbers, separator, cell), i=i, n=i + 1, t=TOKENS[i % 6])
        for i, numbers in enumerate(x)
    )


PRINTED = tensor(W).split("\n")
TRIANGLE = [numbers[: i + 1] for i, numbers in enumerate(W)]
GRAD = tensor(W, end="]], grad_fn=<SoftmaxBackward0>)")
BOX = "│ {} │"
# Texts that show all weights, all queries, and a piece of a step.
WEIGHTS = {
    "added": lines(W, "+{}"),
    "added, with a blank": lines(W, "+ {}"),
    "taken away": lines(W, "-{}"),
    "a hunk": "--- a\n+++ b\n@@ -1,6 +1,6 @@\n" + lines(W, "+{}"),
    "added rows": rows(W, "+{}", " "),
    "a log": lines(W, "2024-05-01 12:00:0{i} INFO {}"),
    "grep -n": lines(W, "out.txt:{m}:{}"),
    "line numbers with a colon": lines(W, "{m}: {}"),
    "line numbers with a bar": lines(W, "{n:2}| {}", GRAD),
    "a quotation in a quotation": lines(W, "> > {}"),
    "an e-mail": lines(W, ">{}"),
    "a fence": f"```python\n{tensor(W)}\n```",
    "a terminal's frame": lines(W, BOX),
    "row 0: [...]": rows(W, "row {i}: [{}]"),
    "Row 1 = ...": rows(W, "Row {n} = {}"),
    "Row 1 = [...]": rows(W, "Row {n} = [{}]"),
    "enumerate": rows(W, "{i} tensor([{}])"),
    "enumerate with grad_fn": rows(W, "{i}: tensor([{}], grad_fn=<SelectBackward0>)"),
    "a loop": rows(W, "tensor([{}], grad_fn=<UnbindBackward0>)"),
    "w[0] = [...]": rows(W, "w[{i}] = [{}]"),
    "tokens": rows(W, "{t}: [{}]"),
    "tokens in a table": rows(W, "{t:>10} {}", " "),
    "bullets": rows(W, "- {}"),
    "bullets before lists": rows(W, "* [{}]"),
    "a numbered list": rows(W, "{n}. {}"),
    "a list numbered with parentheses": rows(W, "{n}) {}"),
    "between prompts": f"user@host:~$ python attn.py\n{tensor(W)}\nuser@host:~$ ",
    "IPython": "In [3]: w\nOut[3]: " + tensor(W),
    "a notebook's file": ",\n".join(f'   "{line}\\n"' for line in PRINTED[:-1]) + f',\n   "{PRINTED[-1]}"',
    "repr of the text": '"' + tensor(W).replace("\n", "\\n") + '"',
    "HTML": f'<div class="output"><pre>{GRAD.replace("<", "&lt;").replace(">", "&gt;")}</pre></div>',
    "HTML's spaces": tensor(W).replace(" ", "&nbsp;"),
    "Markdown's escapes": tensor(W).replace("[", "\\[").replace("]", "\\]"),
    "a Markdown table with bold labels": "| token | a | a | a | a | a | a |\n|:-|-:|-:|-:|-:|-:|-:|\n"
    + rows(W, "| **t{i}** | {} |", " | "),
    "a question below": f"here is what I get:\n{tensor(W)}\n...is that right?",
    "a sheet": "\tA\tB\tC\tD\tE\tF\n" + rows(W, "{n}\t{}", "\t"),
    "a sheet with tokens": "\t" + "\t".join(TOKENS) + "\n" + rows(W, "{t}\t{}", "\t"),
    "CSV with a heading that counts": "token,0,1,2,3,4,5\n" + rows(W, "t{i},{}", ","),
    "CSV in quotes": rows(W, "{}", ",", cell='"{}"'),
    "CSV in quotes with decimal commas": rows(W, "{}", ";", cell='"{}"').replace(".", ","),
    "pandas with names": "         " + "  ".join(TOKENS) + "\n" + rows(W, "{t:8}{}", "   "),
    "a table in a frame": f"┌────┐\n{rows(W, BOX, ' │ ')}\n└────┘",
    "NumPy's repr": tensor(W, "array([[", 7, "]], dtype=float32)"),
    "rows of LaTeX": rows(W, "{}", " & ", " \\\\\n"),
    "a tabular": "\\begin{tabular}{c|cccccc}\n"
    + rows(W, "{i} & {} \\\\ \\hline", " & ")
    + "\n\\end{tabular}",
    "rows left out": tensor([*W[:2], W[5]]).replace(
        "\n        [" + row(W[5]), "\n        ...,\n        [" + row(W[5])
    ),
    "rows left out by hand": f"{PRINTED[0]}\n{PRINTED[1]}\n        ...\n{PRINTED[5]}",
    "the letter O": tensor(W).replace("0.", "O."),
    "the letter O here and there": tensor(W).replace("00", "0O").replace("0.1", "o.1"),
    "a triangle": rows(TRIANGLE, "{}", " "),
    "without the last brackets": tensor(W)[:-3],
    "bold cells": "\\begin{pmatrix}\n"
    + "\n".join("\\mathbf{" + f(x[0]) + "} & " + row(x[1:], " & ") + " \\\\" for x in W)
    + "\n\\end{pmatrix}",
    "numbers behind Chinese": rows(W, "第{n}行是{}", "、"),
    "rows with names and without brackets": rows(W, "w[{i}] = {}", " "),
}
QUERIES = {
    "queries[0]: tensor": rows(Q, "queries[{i}]: tensor([{}])"),
    "YAML": "queries:\n" + rows(Q, "  - [{}]"),
    "a debugger": f"(Pdb) p queries\n{tensor(Q)}\n(Pdb) ",
    "an f-string": f"queries={tensor(Q)}",
    "HTML's minus": tensor(Q).replace("-", "&minus;"),
    "a real minus": tensor(Q).replace("-", "\u2212"),
    "an en dash": tensor(Q).replace("-", "\u2013"),
    "curly quotes around a key": "{\u201cqueries\u201d: [" + rows(Q, "[{}]", between=", ") + "]}",
    "curly quotes around numbers": "[" + rows(Q, "[{}]", between=", ", cell="\u201c{}\u201d") + "]",
    "thin spaces": rows(Q, "{}", "\u2009"),
    "without leading zeros": rows(Q, "{}", " ").replace("0.", "."),
    "pandas": "          0         1\n" + rows(Q, "{i} {}", "  ") + "\n\n[6 rows x 2 columns]",
    "polars": "shape: (6, 2)\n┌────┬────┐\n│ a  ┆ b  │\n│ ---┆ ---│\n│ f32┆ f32│\n╞════╪════╡\n"
    + rows(Q, BOX, " ┆ ")
    + "\n└────┴────┘",
    "a matrix": tensor(Q, "matrix([["),
    "TensorFlow": tensor(
        Q, "<tf.Tensor: shape=(6, 2), dtype=float32, numpy=\narray([[", 7, "]], dtype=float32)>"
    ),
    "Candle": tensor(Q, "[[", 1, "]]\nTensor[[6, 2], f32]"),
    "LibTorch": rows(Q, " {}", "  ") + "\n[ CPUFloatType{6,2} ]",
    "pprint": pprint.pformat([[round(v, 4) for v in x] for x in Q], width=30),
    "pprint, a number a line": pprint.pformat([[round(v, 4) for v in x] for x in Q], width=1),
    "tuples": "(" + rows(Q, "({})", between=", ") + ")",
    "braces": "{" + rows(Q, "{{{}}}", between=", ") + "}",
    "C++": "float q[6][2] = {\n" + rows(Q, "  {{{}}}", between=",\n", cell="{}f") + "\n};",
    "Rust": "vec![\n" + rows(Q, "    vec![{}]", between=",\n") + "\n]",
    "MATLAB": "Q = [" + rows(Q, "{}", " ", "; ") + "];",
    "MATLAB's print": "Q =\n\n" + rows(Q, "   {}", "   ") + "\n",
    "R": "           [,1]    [,2]\n" + rows(Q, "[{n},] {}", "  "),
    "Julia": "6×2 Matrix{Float32}:\n" + rows(Q, " {}", "  "),
    "bmatrix in a line": "A = \\begin{bmatrix} " + rows(Q, "{}", " & ", " \\\\ ") + " \\end{bmatrix}",
    "an array in brackets": "$$\\left[\\begin{array}{cc}"
    + rows(Q, "{}", " & ", " \\\\ ")
    + "\\end{array}\\right]$$",
    "Chinese commas": "[" + rows(Q, "[{}]", "，", "，") + "]",
    "Chinese enumeration": rows(Q, "{}", "、"),
    "Chinese semicolons": rows(Q, "{}", "，", "；"),
    "Chinese parentheses": "tensor（[" + rows(Q, "[{}]", between=", ") + "]）",
    "Chinese brackets": "【" + rows(Q, "【{}】", "，", "，") + "】",
    "Chinese labels": rows(Q, "第{n}行：{}"),
    "a Chinese sentence": f"我得到的结果是：\n{tensor(Q)}。\n为什么不对？",
    "Chinese full stops": rows(Q, "{}。", "，"),
    "one number with more decimals": tensor(Q).replace(f(Q[3][1]), f(Q[3][1], 8), 1),
    "nearly": rows(Q, "≈{}", " "),
    "wide spaces": rows(Q, "{}", "\u3000"),
}
BOTTOM = "\n".join(tensor(COLUMN).split("\n")[3:])
PIECES = {
    "a column": (tensor(COLUMN), "values", "[:, 1:2]"),
    "a column whose top is lost": (BOTTOM, "values", "[3:6, 1:2]"),
    "a column whose end is lost": ("\n".join(tensor(COLUMN).split("\n")[:3]), "values", "[0:3, 1:2]"),
    "a column whose top and end are lost": (
        "\n".join(tensor(COLUMN).split("\n")[2:5]), "values", "[2:5, 1:2]"
    ),
    "rows that begin with a minus": (rows([x[::-1] for x in Q], "{}", " "), None, None),
    "two rows that are counted": (
        "\n".join(rows(W, "row {i}: [{}]").split("\n")[2:4]), "attn_weights_causal", "[2:4]"
    ),
    "without its top": ("\n".join(PRINTED[2:]), "attn_weights_causal", "[2:6]"),
    "from the middle of a line": ("\n".join([PRINTED[1][20:], *PRINTED[2:]]), "attn_weights_causal", "[2:6]"),
    "without its end": ("\n".join(PRINTED[:4]), "attn_weights_causal", "[0:4]"),
    "to the middle of a line": ("\n".join(PRINTED[:4])[:-10], "attn_weights_causal", "[0:3]"),
    "a pandas series": (
        rows([x[:1] for x in Q], "{i}    {}") + "\nName: 0, dtype: float32", "queries", "[:, 0]"
    ),
    "the end left out": ("\n".join(PRINTED[:2]) + "\n        ...", "attn_weights_causal", "[0:2]"),
    "numbers one by one, as PyTorch has them": (
        rows(W[5:], "[{}]", cell="tensor({})"), "attn_weights_causal", "[5]"
    ),
    "a sentence": (f"My second row is {row(W[1])}. Why is it not the book's?", "attn_weights_causal", "[1]"),
    "a sentence with and": (f"I got {row(W[2][:-1])} and {f(W[2][-1])} there", "attn_weights_causal", "[2]"),
    "rows whose ends are left out": (
        rows([x[:3] for x in W], "{} ...", " "), "attn_weights_causal", "[:, 0:3]"
    ),
    "wide digits": (
        row(Q[0], " ").translate(str.maketrans("0123456789.-", "０１２３４５６７８９．－")), "queries", "[0]"
    ),
}  # fmt: skip
FORMS = {name: (text, "attn_weights_causal", "") for name, text in WEIGHTS.items()}
FORMS |= {name: (text, "queries", "") for name, text in QUERIES.items()} | PIECES


def tensors(stage, text):
    answer = run(f"{stage} diagnose - --json=-", stdin=text)
    assert answer.returncode in (0, 1), answer.stderr
    return json.loads(answer.stdout)["tensors"]


@pytest.mark.parametrize("name", FORMS)
def test_each_form_is_found_as_what_it_shows(name):
    text, step, piece = FORMS[name]
    (found,) = tensors("causal", text)
    if step is None:  # its columns are exchanged
        assert found["shape"] == [6, 2]
        return
    best = [match for match in found["matches"] if match["bits"] == found["matches"][0]["bits"]]
    assert (step, piece, []) in [(match["step"], match["piece"], match["mistakes"]) for match in best]


def test_tensors_of_one_length_that_follow_each_other_stay_apart():
    query, key = "tensor([0.4306, 1.4551])", "tensor([0.4433, 1.1419])"
    for text in f"query_2 = {query}\nkey_2 = {key}", f"{query}\n{key}":
        assert len(tensors("trainable", text)) == 2
