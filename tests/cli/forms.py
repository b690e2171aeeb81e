"""The forms in which people paste a tensor: from terminals, notebooks, chats, spreadsheets and other
languages. Each form shows a right tensor, which must be found unchanged. Argument: the program.
"""

import json
import pprint
import unittest

from program import run

TOKENS = ["Your", "journey", "starts", "with", "one", "step"]
STEPS = {
    step["name"]: step["data"] for step in json.loads(run("causal --json -").stdout)["stages"][0]["steps"]
}
W, Q, K = STEPS["attn_weights_causal"], STEPS["queries"], STEPS["keys"]


def f(value, decimals=4):
    return f"{value:.{decimals}f}"


def row(numbers, separator=", "):
    return separator.join(f(number) for number in numbers)


def tensor(x, suffix=""):
    return "tensor([[" + "],\n        [".join(row(numbers) for numbers in x) + "]]" + suffix + ")"


def each(x, form):
    return "\n".join(form(i, numbers) for i, numbers in enumerate(x))


def lines(x, form):
    return "\n".join(form(i, line) for i, line in enumerate(tensor(x).split("\n")))


COLUMN = [[numbers[1]] for numbers in STEPS["values"]]
PRINTED = tensor(W).split("\n")
# Texts that show all weights, all queries, and a piece of a step.
WEIGHTS = {
    "added": lines(W, lambda i, line: "+" + line),
    "added, with a blank": lines(W, lambda i, line: "+ " + line),
    "taken away": lines(W, lambda i, line: "-" + line),
    "a hunk": "--- a\n+++ b\n@@ -1,6 +1,6 @@\n" + lines(W, lambda i, line: "+" + line),
    "added rows": each(W, lambda i, x: "+" + row(x, " ")),
    "a log": lines(W, lambda i, line: f"2024-05-01 12:00:0{i} INFO {line}"),
    "grep -n": lines(W, lambda i, line: f"out.txt:{i + 41}:{line}"),
    "line numbers with a colon": lines(W, lambda i, line: f"{i + 41}: {line}"),
    "line numbers with a bar": "\n".join(
        f"{i + 1:2}| {line}" for i, line in enumerate(tensor(W, ", grad_fn=<SoftmaxBackward0>").split("\n"))
    ),
    "a quotation in a quotation": lines(W, lambda i, line: "> > " + line),
    "an e-mail": lines(W, lambda i, line: ">" + line),
    "a fence": "```python\n" + tensor(W) + "\n```",
    "a terminal's frame": lines(W, lambda i, line: f"│ {line} │"),
    "row 0: [...]": each(W, lambda i, x: f"row {i}: [{row(x)}]"),
    "Row 1 = ...": each(W, lambda i, x: f"Row {i + 1} = {row(x)}"),
    "Row 1 = [...]": each(W, lambda i, x: f"Row {i + 1} = [{row(x)}]"),
    "enumerate": each(W, lambda i, x: f"{i} tensor([{row(x)}])"),
    "enumerate with grad_fn": each(W, lambda i, x: f"{i}: tensor([{row(x)}], grad_fn=<SelectBackward0>)"),
    "a loop": each(W, lambda i, x: f"tensor([{row(x)}], grad_fn=<UnbindBackward0>)"),
    "w[0] = [...]": each(W, lambda i, x: f"w[{i}] = [{row(x)}]"),
    "tokens": each(W, lambda i, x: f"{TOKENS[i]}: [{row(x)}]"),
    "tokens in a table": each(W, lambda i, x: f"{TOKENS[i]:>10} {row(x, ' ')}"),
    "bullets": each(W, lambda i, x: f"- {row(x)}"),
    "bullets before lists": each(W, lambda i, x: f"* [{row(x)}]"),
    "a numbered list": each(W, lambda i, x: f"{i + 1}. {row(x)}"),
    "a list numbered with parentheses": each(W, lambda i, x: f"{i + 1}) {row(x)}"),
    "between prompts": "user@host:~$ python attn.py\n" + tensor(W) + "\nuser@host:~$ ",
    "IPython": "In [3]: w\nOut[3]: " + tensor(W),
    "a notebook's file": ",\n".join(f'   "{line}\\n"' for line in PRINTED[:-1]) + f',\n   "{PRINTED[-1]}"',
    "repr of the text": '"' + tensor(W).replace("\n", "\\n") + '"',
    "HTML": '<div class="output"><pre>' + tensor(W, ", grad_fn=&lt;SoftmaxBackward0&gt;") + "</pre></div>",
    "HTML's spaces": tensor(W).replace(" ", "&nbsp;"),
    "HTML's line ends": tensor(W).replace("\n", "<br>\n"),
    "an HTML table": "<table>"
    + "".join("<tr>" + "".join(f"<td>{f(v)}</td>" for v in x) + "</tr>" for x in W)
    + "</table>",
    "Markdown's escapes": tensor(W).replace("[", "\\[").replace("]", "\\]"),
    "a Markdown table with bold labels": "| token |"
    + " a |" * 6
    + "\n|:-|"
    + "-:|" * 6
    + "\n"
    + each(W, lambda i, x: f"| **t{i}** | {row(x, ' | ')} |"),
    "a question below": "here is what I get:\n" + tensor(W) + "\n...is that right?",
    "a sheet": "\tA\tB\tC\tD\tE\tF\n" + each(W, lambda i, x: f"{i + 1}\t{row(x, chr(9))}"),
    "a sheet with tokens": "\t"
    + "\t".join(TOKENS)
    + "\n"
    + each(W, lambda i, x: f"{TOKENS[i]}\t{row(x, chr(9))}"),
    "CSV with a heading that counts": "token,0,1,2,3,4,5\n" + each(W, lambda i, x: f"t{i},{row(x, ',')}"),
    "CSV in quotes": each(W, lambda i, x: ",".join(f'"{f(v)}"' for v in x)),
    "CSV in quotes with decimal commas": each(
        W, lambda i, x: ";".join(f'"{f(v)}"'.replace(".", ",") for v in x)
    ),
    "percent": each(W, lambda i, x: "  ".join(f"{v * 100:.2f}%" for v in x)),
    "pandas with names": "         "
    + "  ".join(TOKENS)
    + "\n"
    + each(W, lambda i, x: f"{TOKENS[i]:8}{row(x, '   ')}"),
    "a table in a frame": "┌────┐\n" + each(W, lambda i, x: f"│ {row(x, ' │ ')} │") + "\n└────┘",
    "NumPy's repr": "array([[" + "],\n       [".join(row(x) for x in W) + "]], dtype=float32)",
    "rows of LaTeX": " \\\\\n".join(row(x, " & ") for x in W),
    "a tabular": "\\begin{tabular}{c|cccccc}\n"
    + each(W, lambda i, x: f"{i} & {row(x, ' & ')} \\\\ \\hline")
    + "\n\\end{tabular}",
    "rows left out": "tensor([["
    + row(W[0])
    + "],\n        ["
    + row(W[1])
    + "],\n        ...,\n        ["
    + row(W[5])
    + "]])",
    "rows left out by hand": PRINTED[0] + "\n" + PRINTED[1] + "\n        ...\n" + PRINTED[5],
    "a cell a line": each(W, lambda i, x: "\n".join(f"{i} {j} {f(v)}" for j, v in enumerate(x))),
    "a cell a line, as code has it": each(
        W, lambda i, x: "\n".join(f"w[{i}][{j}] = {f(v)}" for j, v in enumerate(x))
    ),
    "the letter O": tensor(W).replace("0.", "O."),
    "the letter O here and there": tensor(W).replace("00", "0O").replace("0.1", "o.1"),
    "a triangle": each(W, lambda i, x: row(x[: i + 1], " ")),
    "a triangle of a spreadsheet": each(
        W, lambda i, x: "\t".join([f(v) for v in x[: i + 1]] + ["N/A"] * (5 - i))
    ),
    "cells of a triangle": each(
        W, lambda i, x: "\n".join(f"w[{i}, {j}] = {f(v)}" for j, v in enumerate(x[: i + 1]))
    ),
    "percent with a blank": each(W, lambda i, x: "; ".join(f"{100 * v:.2f} %" for v in x)),
    "without the last brackets": tensor(W)[:-3],
    "bold cells": "\\begin{pmatrix}\n"
    + each(W, lambda i, x: "\\mathbf{" + f(x[0]) + "} & " + row(x[1:], " & ") + " \\\\")
    + "\n\\end{pmatrix}",
    "numbers behind Chinese": each(W, lambda i, x: f"第{i + 1}行是" + row(x, "、")),
    "rows with names and without brackets": each(W, lambda i, x: f"w[{i}] = {row(x, ' ')}"),
}
QUERIES = {
    "one tensor for another": lines(K, lambda i, line: "-" + line)
    + "\n"
    + lines(Q, lambda i, line: "+" + line),
    "queries[0]: tensor": each(Q, lambda i, x: f"queries[{i}]: tensor([{row(x)}])"),
    "YAML": "queries:\n" + each(Q, lambda i, x: f"  - [{row(x)}]"),
    "a debugger": "(Pdb) p queries\n" + tensor(Q) + "\n(Pdb) ",
    "an f-string": f"queries={tensor(Q)}",
    "HTML's minus": tensor(Q).replace("-", "&minus;"),
    "a real minus": tensor(Q).replace("-", "\u2212"),
    "an en dash": tensor(Q).replace("-", "\u2013"),
    "curly quotes around a key": "{\u201cqueries\u201d: [" + ", ".join(f"[{row(x)}]" for x in Q) + "]}",
    "curly quotes around numbers": "["
    + ", ".join("[" + ", ".join(f"\u201c{f(v)}\u201d" for v in x) + "]" for x in Q)
    + "]",
    "thin spaces": "\n".join(row(x, "\u2009") for x in Q),
    "without leading zeros": each(Q, lambda i, x: " ".join(f(v).replace("0.", ".") for v in x)),
    "pandas": "          0         1\n"
    + each(Q, lambda i, x: f"{i} {row(x, '  ')}")
    + "\n\n[6 rows x 2 columns]",
    "polars": "shape: (6, 2)\n┌────┬────┐\n│ a  ┆ b  │\n│ ---┆ ---│\n│ f32┆ f32│\n╞════╪════╡\n"
    + each(Q, lambda i, x: f"│ {f(x[0])} ┆ {f(x[1])} │")
    + "\n└────┴────┘",
    "a matrix": "matrix([[" + "],\n        [".join(row(x) for x in Q) + "]])",
    "TensorFlow": "<tf.Tensor: shape=(6, 2), dtype=float32, numpy=\narray([["
    + "],\n       [".join(row(x) for x in Q)
    + "]], dtype=float32)>",
    "Candle": "[[" + "],\n [".join(row(x) for x in Q) + "]]\nTensor[[6, 2], f32]",
    "LibTorch": each(Q, lambda i, x: f" {row(x, '  ')}") + "\n[ CPUFloatType{6,2} ]",
    "LibTorch with a factor": "0.01 *\n"
    + each(Q, lambda i, x: "  ".join(f(100 * v) for v in x))
    + "\n[ CPUFloatType{6,2} ]",
    "pprint": pprint.pformat([[round(v, 4) for v in x] for x in Q], width=30),
    "pprint, a number a line": pprint.pformat([[round(v, 4) for v in x] for x in Q], width=1),
    "tuples": "(" + ", ".join(f"({row(x)})" for x in Q) + ")",
    "braces": "{" + ", ".join("{" + row(x) + "}" for x in Q) + "}",
    "C++": "float q[6][2] = {\n"
    + ",\n".join("  {" + ", ".join(f(v) + "f" for v in x) + "}" for x in Q)
    + "\n};",
    "Rust": "vec![\n" + ",\n".join(f"    vec![{row(x)}]" for x in Q) + "\n]",
    "MATLAB": "Q = [" + "; ".join(row(x, " ") for x in Q) + "];",
    "MATLAB's print": "Q =\n\n" + each(Q, lambda i, x: f"   {row(x, '   ')}") + "\n",
    "R": "           [,1]    [,2]\n" + each(Q, lambda i, x: f"[{i + 1},] {row(x, '  ')}"),
    "Julia": "6×2 Matrix{Float32}:\n" + each(Q, lambda i, x: f" {row(x, '  ')}"),
    "bmatrix in a line": "A = \\begin{bmatrix} "
    + " \\\\ ".join(row(x, " & ") for x in Q)
    + " \\end{bmatrix}",
    "an array in brackets": "$$\\left[\\begin{array}{cc}"
    + " \\\\ ".join(row(x, " & ") for x in Q)
    + "\\end{array}\\right]$$",
    "Chinese commas": "[" + "，".join("[" + row(x, "，") + "]" for x in Q) + "]",
    "Chinese enumeration": each(Q, lambda i, x: row(x, "、")),
    "Chinese semicolons": "；".join(row(x, "，") for x in Q),
    "Chinese parentheses": "tensor（[" + ", ".join(f"[{row(x)}]" for x in Q) + "]）",
    "Chinese brackets": "【" + "，".join("【" + row(x, "，") + "】" for x in Q) + "】",
    "Chinese labels": each(Q, lambda i, x: f"第{i + 1}行：{row(x)}"),
    "a Chinese sentence": "我得到的结果是：\n" + tensor(Q) + "。\n为什么不对？",
    "Chinese full stops": each(Q, lambda i, x: row(x, "，") + "。"),
    "a cell a line, with indices": each(
        Q, lambda i, x: "\n".join(f"({i}, {j}): {f(v)}" for j, v in enumerate(x))
    ),
    "a cell a line, by one subscript": each(
        Q, lambda i, x: "\n".join(f"queries[{i}, {j}]: {f(v)}" for j, v in enumerate(x))
    ),
    "cells of a loop, with text": "cells:\n"
    + each(Q, lambda i, x: "\n".join(f"  [{i},{j}] -> {f(v)}" for j, v in enumerate(x))),
    "one number with more decimals": tensor(Q).replace(f(Q[3][1]), f(Q[3][1], 8), 1),
    "a fenced diff with blanks": "```diff\n"
    + lines(K, lambda i, line: "- " + line)
    + "\n"
    + lines(Q, lambda i, line: "+ " + line)
    + "\n```",
    "MATLAB's factor": "   1.0e-01 *\n\n" + each(Q, lambda i, x: "   ".join(f(10 * v) for v in x)),
    "nearly": each(Q, lambda i, x: "≈" + row(x, " ")),
    "cells counted from 1": each(
        Q, lambda i, x: "\n".join(f"{i + 1},{j + 1},{f(v)}" for j, v in enumerate(x))
    ),
    "wide spaces": each(Q, lambda i, x: row(x, "\u3000")),
}
PIECES = {
    "a column": (tensor(COLUMN), "values", "[:, 1:2]"),
    "a column whose top is lost": (tensor(COLUMN).split("\n", 3)[3], "values", "[3:6, 1:2]"),
    "a column whose end is lost": ("\n".join(tensor(COLUMN).split("\n")[:3]), "values", "[0:3, 1:2]"),
    "a column whose top and end are lost": (
        "\n".join(tensor(COLUMN).split("\n")[2:5]),
        "values",
        "[2:5, 1:2]",
    ),
    "rows that begin with a minus": ("\n".join(row(reversed(x), " ") for x in Q), None, None),
    "two rows that are counted": (
        each(W[2:4], lambda i, x: f"row {i + 2}: [{row(x)}]"),
        "attn_weights_causal",
        "[2:4]",
    ),
    "without its top": ("\n".join(PRINTED[2:]), "attn_weights_causal", "[2:6]"),
    "from the middle of a line": (
        PRINTED[1][20:] + "\n" + "\n".join(PRINTED[2:]),
        "attn_weights_causal",
        "[2:6]",
    ),
    "without its end": ("\n".join(PRINTED[:4]), "attn_weights_causal", "[0:4]"),
    "to the middle of a line": ("\n".join(PRINTED[:4])[:-10], "attn_weights_causal", "[0:3]"),
    "a pandas series": (
        each(Q, lambda i, x: f"{i}    {f(x[0])}") + "\nName: 0, dtype: float32",
        "queries",
        "[:, 0]",
    ),
    "the end left out": ("\n".join(PRINTED[:2]) + "\n        ...", "attn_weights_causal", "[0:2]"),
    "numbers one by one, as PyTorch has them": (
        "[" + ", ".join(f"tensor({f(v)})" for v in W[5]) + "]",
        "attn_weights_causal",
        "[5]",
    ),
    "a sentence in percent": (
        "I get " + ", ".join(f"{100 * v:.2f}%" for v in W[5]) + " there.",
        "attn_weights_causal",
        "[5]",
    ),
    "a sentence": (f"My second row is {row(W[1])}. Why is it not the book's?", "attn_weights_causal", "[1]"),
    "a sentence with and": (f"I got {row(W[2][:-1])} and {f(W[2][-1])} there", "attn_weights_causal", "[2]"),
    "rows whose ends are left out": (
        each(W, lambda i, x: f"{row(x[:3], ' ')} ..."),
        "attn_weights_causal",
        "[:, 0:3]",
    ),
    "wide digits": (
        row(Q[0], " ").translate(str.maketrans("0123456789.-", "０１２３４５６７８９．－")),
        "queries",
        "[0]",
    ),
}
FORMS = {name: (text, "attn_weights_causal", "") for name, text in WEIGHTS.items()}
FORMS |= {name: (text, "queries", "") for name, text in QUERIES.items()} | PIECES


class Forms(unittest.TestCase):
    def test_each_form_is_found_as_what_it_shows(self):
        for name, (text, step, piece) in FORMS.items():
            with self.subTest(name):
                answer = run("causal diagnose - --json -", stdin=text)
                assert answer.returncode in (0, 1), answer.stderr
                (tensor,) = json.loads(answer.stdout)["tensors"]
                if step is None:  # its columns are exchanged
                    assert tensor["shape"] == [6, 2]
                    continue
                best = tensor["matches"][0]["bits"]
                found = [
                    (match["step"], match["piece"], match["mistakes"])
                    for match in tensor["matches"]
                    if match["bits"] == best
                ]
                assert (step, piece, []) in found

    def test_tensors_of_one_length_that_follow_each_other_stay_apart(self):
        for text, count in (
            ("query_2 = tensor([0.4306, 1.4551])\nkey_2 = tensor([0.4433, 1.1419])", 2),
            ("tensor([0.4306, 1.4551])\ntensor([0.4433, 1.1419])", 2),
        ):
            assert (
                len(json.loads(run("trainable diagnose - --json -", stdin=text).stdout)["tensors"]) == count
            )


if __name__ == "__main__":
    unittest.main()
