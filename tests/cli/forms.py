"""The forms in which people paste a tensor: from terminals, notebooks, chats, spreadsheets and other
languages. Each form shows a right tensor, which must be found unchanged. Argument: the program.
"""

import json
import pprint
import unittest

from program import run

TOKENS = ["Your", "journey", "starts", "with", "one", "step"]
STEPS = {
    step["name"]: step["data"]
    for step in json.loads(run("causal", "--json", "-").stdout)["stages"][0]["steps"]
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
# The text, and the piece and step that it shows.
FORMS = {
    # One column, whole and in part.
    "a column": (tensor(COLUMN), "values", "[:, 1:2]"),
    "a column whose top is lost": (tensor(COLUMN).split("\n", 3)[3], "values", "[3:6, 1:2]"),
    "a column whose end is lost": ("\n".join(tensor(COLUMN).split("\n")[:3]), "values", "[0:3, 1:2]"),
    "a column whose top and end are lost": (
        "\n".join(tensor(COLUMN).split("\n")[2:5]),
        "values",
        "[2:5, 1:2]",
    ),
    # diff, and lines with something before them.
    "added": (lines(W, lambda i, line: "+" + line), "attn_weights_causal", ""),
    "added, with a blank": (lines(W, lambda i, line: "+ " + line), "attn_weights_causal", ""),
    "taken away": (lines(W, lambda i, line: "-" + line), "attn_weights_causal", ""),
    "a hunk": (
        "--- a\n+++ b\n@@ -1,6 +1,6 @@\n" + lines(W, lambda i, line: "+" + line),
        "attn_weights_causal",
        "",
    ),
    "one tensor for another": (
        lines(K, lambda i, line: "-" + line) + "\n" + lines(Q, lambda i, line: "+" + line),
        "queries",
        "",
    ),
    "added rows": (each(W, lambda i, x: "+" + row(x, " ")), "attn_weights_causal", ""),
    "rows that begin with a minus": ("\n".join(row(reversed(x), " ") for x in Q), None, None),
    "a log": (lines(W, lambda i, line: f"2024-05-01 12:00:0{i} INFO {line}"), "attn_weights_causal", ""),
    "grep -n": (lines(W, lambda i, line: f"out.txt:{i + 41}:{line}"), "attn_weights_causal", ""),
    "line numbers with a colon": (lines(W, lambda i, line: f"{i + 41}: {line}"), "attn_weights_causal", ""),
    "line numbers with a bar": (
        "\n".join(
            f"{i + 1:2}| {line}"
            for i, line in enumerate(tensor(W, ", grad_fn=<SoftmaxBackward0>").split("\n"))
        ),
        "attn_weights_causal",
        "",
    ),
    "a quotation in a quotation": (lines(W, lambda i, line: "> > " + line), "attn_weights_causal", ""),
    "an e-mail": (lines(W, lambda i, line: ">" + line), "attn_weights_causal", ""),
    "a fence": ("```python\n" + tensor(W) + "\n```", "attn_weights_causal", ""),
    "a terminal's frame": (lines(W, lambda i, line: f"│ {line} │"), "attn_weights_causal", ""),
    # Rows one by one.
    "row 0: [...]": (each(W, lambda i, x: f"row {i}: [{row(x)}]"), "attn_weights_causal", ""),
    "Row 1 = ...": (each(W, lambda i, x: f"Row {i + 1} = {row(x)}"), "attn_weights_causal", ""),
    "Row 1 = [...]": (each(W, lambda i, x: f"Row {i + 1} = [{row(x)}]"), "attn_weights_causal", ""),
    "enumerate": (each(W, lambda i, x: f"{i} tensor([{row(x)}])"), "attn_weights_causal", ""),
    "enumerate with grad_fn": (
        each(W, lambda i, x: f"{i}: tensor([{row(x)}], grad_fn=<SelectBackward0>)"),
        "attn_weights_causal",
        "",
    ),
    "a loop": (
        each(W, lambda i, x: f"tensor([{row(x)}], grad_fn=<UnbindBackward0>)"),
        "attn_weights_causal",
        "",
    ),
    "w[0] = [...]": (each(W, lambda i, x: f"w[{i}] = [{row(x)}]"), "attn_weights_causal", ""),
    "queries[0]: tensor": (each(Q, lambda i, x: f"queries[{i}]: tensor([{row(x)}])"), "queries", ""),
    "two rows that are counted": (
        each(W[2:4], lambda i, x: f"row {i + 2}: [{row(x)}]"),
        "attn_weights_causal",
        "[2:4]",
    ),
    "tokens": (each(W, lambda i, x: f"{TOKENS[i]}: [{row(x)}]"), "attn_weights_causal", ""),
    "tokens in a table": (each(W, lambda i, x: f"{TOKENS[i]:>10} {row(x, ' ')}"), "attn_weights_causal", ""),
    "bullets": (each(W, lambda i, x: f"- {row(x)}"), "attn_weights_causal", ""),
    "bullets before lists": (each(W, lambda i, x: f"* [{row(x)}]"), "attn_weights_causal", ""),
    "a numbered list": (each(W, lambda i, x: f"{i + 1}. {row(x)}"), "attn_weights_causal", ""),
    "a list numbered with parentheses": (
        each(W, lambda i, x: f"{i + 1}) {row(x)}"),
        "attn_weights_causal",
        "",
    ),
    "YAML": ("queries:\n" + each(Q, lambda i, x: f"  - [{row(x)}]"), "queries", ""),
    # Half of a terminal's output.
    "without its top": ("\n".join(PRINTED[2:]), "attn_weights_causal", "[2:6]"),
    "from the middle of a line": (
        PRINTED[1][20:] + "\n" + "\n".join(PRINTED[2:]),
        "attn_weights_causal",
        "[2:6]",
    ),
    "without its end": ("\n".join(PRINTED[:4]), "attn_weights_causal", "[0:4]"),
    "to the middle of a line": ("\n".join(PRINTED[:4])[:-10], "attn_weights_causal", "[0:3]"),
    "between prompts": (
        "user@host:~$ python attn.py\n" + tensor(W) + "\nuser@host:~$ ",
        "attn_weights_causal",
        "",
    ),
    "a debugger": ("(Pdb) p queries\n" + tensor(Q) + "\n(Pdb) ", "queries", ""),
    "an f-string": (f"queries={tensor(Q)}", "queries", ""),
    # Notebooks and the web.
    "IPython": ("In [3]: w\nOut[3]: " + tensor(W), "attn_weights_causal", ""),
    "a notebook's file": (
        ",\n".join(f'   "{line}\\n"' for line in PRINTED[:-1]) + f',\n   "{PRINTED[-1]}"',
        "attn_weights_causal",
        "",
    ),
    "repr of the text": ('"' + tensor(W).replace("\n", "\\n") + '"', "attn_weights_causal", ""),
    "HTML": (
        '<div class="output"><pre>' + tensor(W, ", grad_fn=&lt;SoftmaxBackward0&gt;") + "</pre></div>",
        "attn_weights_causal",
        "",
    ),
    "HTML's spaces": (tensor(W).replace(" ", "&nbsp;"), "attn_weights_causal", ""),
    "HTML's line ends": (tensor(W).replace("\n", "<br>\n"), "attn_weights_causal", ""),
    "an HTML table": (
        "<table>"
        + "".join("<tr>" + "".join(f"<td>{f(v)}</td>" for v in x) + "</tr>" for x in W)
        + "</table>",
        "attn_weights_causal",
        "",
    ),
    "HTML's minus": (tensor(Q).replace("-", "&minus;"), "queries", ""),
    "Markdown's escapes": (tensor(W).replace("[", "\\[").replace("]", "\\]"), "attn_weights_causal", ""),
    "a Markdown table with bold labels": (
        "| token |"
        + " a |" * 6
        + "\n|:-|"
        + "-:|" * 6
        + "\n"
        + each(W, lambda i, x: f"| **t{i}** | {row(x, ' | ')} |"),
        "attn_weights_causal",
        "",
    ),
    # Chats and word processors.
    "a real minus": (tensor(Q).replace("-", "\u2212"), "queries", ""),
    "an en dash": (tensor(Q).replace("-", "\u2013"), "queries", ""),
    "curly quotes around a key": (
        "{\u201cqueries\u201d: [" + ", ".join(f"[{row(x)}]" for x in Q) + "]}",
        "queries",
        "",
    ),
    "curly quotes around numbers": (
        "[" + ", ".join("[" + ", ".join(f"\u201c{f(v)}\u201d" for v in x) + "]" for x in Q) + "]",
        "queries",
        "",
    ),
    "thin spaces": ("\n".join(row(x, "\u2009") for x in Q), "queries", ""),
    "a question below": (
        "here is what I get:\n" + tensor(W) + "\n...is that right?",
        "attn_weights_causal",
        "",
    ),
    # Spreadsheets and data frames.
    "a sheet": (
        "\tA\tB\tC\tD\tE\tF\n" + each(W, lambda i, x: f"{i + 1}\t{row(x, chr(9))}"),
        "attn_weights_causal",
        "",
    ),
    "a sheet with tokens": (
        "\t" + "\t".join(TOKENS) + "\n" + each(W, lambda i, x: f"{TOKENS[i]}\t{row(x, chr(9))}"),
        "attn_weights_causal",
        "",
    ),
    "CSV with a heading that counts": (
        "token,0,1,2,3,4,5\n" + each(W, lambda i, x: f"t{i},{row(x, ',')}"),
        "attn_weights_causal",
        "",
    ),
    "CSV in quotes": (each(W, lambda i, x: ",".join(f'"{f(v)}"' for v in x)), "attn_weights_causal", ""),
    "CSV in quotes with decimal commas": (
        each(W, lambda i, x: ";".join(f'"{f(v)}"'.replace(".", ",") for v in x)),
        "attn_weights_causal",
        "",
    ),
    "percent": (each(W, lambda i, x: "  ".join(f"{v * 100:.2f}%" for v in x)), "attn_weights_causal", ""),
    "without leading zeros": (
        each(Q, lambda i, x: " ".join(f(v).replace("0.", ".") for v in x)),
        "queries",
        "",
    ),
    "pandas": (
        "          0         1\n" + each(Q, lambda i, x: f"{i} {row(x, '  ')}") + "\n\n[6 rows x 2 columns]",
        "queries",
        "",
    ),
    "pandas with names": (
        "         " + "  ".join(TOKENS) + "\n" + each(W, lambda i, x: f"{TOKENS[i]:8}{row(x, '   ')}"),
        "attn_weights_causal",
        "",
    ),
    "a pandas series": (
        each(Q, lambda i, x: f"{i}    {f(x[0])}") + "\nName: 0, dtype: float32",
        "queries",
        "[:, 0]",
    ),
    "polars": (
        "shape: (6, 2)\n┌────┬────┐\n│ a  ┆ b  │\n│ ---┆ ---│\n│ f32┆ f32│\n╞════╪════╡\n"
        + each(Q, lambda i, x: f"│ {f(x[0])} ┆ {f(x[1])} │")
        + "\n└────┴────┘",
        "queries",
        "",
    ),
    "a table in a frame": (
        "┌────┐\n" + each(W, lambda i, x: f"│ {row(x, ' │ ')} │") + "\n└────┘",
        "attn_weights_causal",
        "",
    ),
    # NumPy, other libraries and other languages.
    "NumPy's repr": (
        "array([[" + "],\n       [".join(row(x) for x in W) + "]], dtype=float32)",
        "attn_weights_causal",
        "",
    ),
    "a matrix": ("matrix([[" + "],\n        [".join(row(x) for x in Q) + "]])", "queries", ""),
    "TensorFlow": (
        "<tf.Tensor: shape=(6, 2), dtype=float32, numpy=\narray([["
        + "],\n       [".join(row(x) for x in Q)
        + "]], dtype=float32)>",
        "queries",
        "",
    ),
    "Candle": ("[[" + "],\n [".join(row(x) for x in Q) + "]]\nTensor[[6, 2], f32]", "queries", ""),
    "LibTorch": (each(Q, lambda i, x: f" {row(x, '  ')}") + "\n[ CPUFloatType{6,2} ]", "queries", ""),
    "LibTorch with a factor": (
        "0.01 *\n" + each(Q, lambda i, x: "  ".join(f(100 * v) for v in x)) + "\n[ CPUFloatType{6,2} ]",
        "queries",
        "",
    ),
    "pprint": (pprint.pformat([[round(v, 4) for v in x] for x in Q], width=30), "queries", ""),
    "pprint, a number a line": (
        pprint.pformat([[round(v, 4) for v in x] for x in Q], width=1),
        "queries",
        "",
    ),
    "tuples": ("(" + ", ".join(f"({row(x)})" for x in Q) + ")", "queries", ""),
    "braces": ("{" + ", ".join("{" + row(x) + "}" for x in Q) + "}", "queries", ""),
    "C++": (
        "float q[6][2] = {\n"
        + ",\n".join("  {" + ", ".join(f(v) + "f" for v in x) + "}" for x in Q)
        + "\n};",
        "queries",
        "",
    ),
    "Rust": ("vec![\n" + ",\n".join(f"    vec![{row(x)}]" for x in Q) + "\n]", "queries", ""),
    "MATLAB": ("Q = [" + "; ".join(row(x, " ") for x in Q) + "];", "queries", ""),
    "MATLAB's print": ("Q =\n\n" + each(Q, lambda i, x: f"   {row(x, '   ')}") + "\n", "queries", ""),
    "R": ("           [,1]    [,2]\n" + each(Q, lambda i, x: f"[{i + 1},] {row(x, '  ')}"), "queries", ""),
    "Julia": ("6×2 Matrix{Float32}:\n" + each(Q, lambda i, x: f" {row(x, '  ')}"), "queries", ""),
    # LaTeX.
    "rows of LaTeX": (" \\\\\n".join(row(x, " & ") for x in W), "attn_weights_causal", ""),
    "bmatrix in a line": (
        "A = \\begin{bmatrix} " + " \\\\ ".join(row(x, " & ") for x in Q) + " \\end{bmatrix}",
        "queries",
        "",
    ),
    "an array in brackets": (
        "$$\\left[\\begin{array}{cc}" + " \\\\ ".join(row(x, " & ") for x in Q) + "\\end{array}\\right]$$",
        "queries",
        "",
    ),
    "a tabular": (
        "\\begin{tabular}{c|cccccc}\n"
        + each(W, lambda i, x: f"{i} & {row(x, ' & ')} \\\\ \\hline")
        + "\n\\end{tabular}",
        "attn_weights_causal",
        "",
    ),
    # Pieces that are left out.
    "rows left out": (
        "tensor([["
        + row(W[0])
        + "],\n        ["
        + row(W[1])
        + "],\n        ...,\n        ["
        + row(W[5])
        + "]])",
        "attn_weights_causal",
        "",
    ),
    "rows left out by hand": (
        PRINTED[0] + "\n" + PRINTED[1] + "\n        ...\n" + PRINTED[5],
        "attn_weights_causal",
        "",
    ),
    "the end left out": ("\n".join(PRINTED[:2]) + "\n        ...", "attn_weights_causal", "[0:2]"),
    # Chinese.
    "Chinese commas": ("[" + "，".join("[" + row(x, "，") + "]" for x in Q) + "]", "queries", ""),
    "Chinese enumeration": (each(Q, lambda i, x: row(x, "、")), "queries", ""),
    "Chinese semicolons": ("；".join(row(x, "，") for x in Q), "queries", ""),
    "Chinese parentheses": ("tensor（[" + ", ".join(f"[{row(x)}]" for x in Q) + "]）", "queries", ""),
    "Chinese brackets": ("【" + "，".join("【" + row(x, "，") + "】" for x in Q) + "】", "queries", ""),
    "Chinese labels": (each(Q, lambda i, x: f"第{i + 1}行：{row(x)}"), "queries", ""),
    "a Chinese sentence": ("我得到的结果是：\n" + tensor(Q) + "。\n为什么不对？", "queries", ""),
    "Chinese full stops": (each(Q, lambda i, x: row(x, "，") + "。"), "queries", ""),
    # Cell by cell.
    "a cell a line": (
        each(W, lambda i, x: "\n".join(f"{i} {j} {f(v)}" for j, v in enumerate(x))),
        "attn_weights_causal",
        "",
    ),
    "a cell a line, with indices": (
        each(Q, lambda i, x: "\n".join(f"({i}, {j}): {f(v)}" for j, v in enumerate(x))),
        "queries",
        "",
    ),
    "a cell a line, as code has it": (
        each(W, lambda i, x: "\n".join(f"w[{i}][{j}] = {f(v)}" for j, v in enumerate(x))),
        "attn_weights_causal",
        "",
    ),
    "a cell a line, by one subscript": (
        each(Q, lambda i, x: "\n".join(f"queries[{i}, {j}]: {f(v)}" for j, v in enumerate(x))),
        "queries",
        "",
    ),
    "cells of a loop, with text": (
        "cells:\n" + each(Q, lambda i, x: "\n".join(f"  [{i},{j}] -> {f(v)}" for j, v in enumerate(x))),
        "queries",
        "",
    ),
    "the letter O": (tensor(W).replace("0.", "O."), "attn_weights_causal", ""),
    "the letter O here and there": (
        tensor(W).replace("00", "0O").replace("0.1", "o.1"),
        "attn_weights_causal",
        "",
    ),
    "a triangle": (each(W, lambda i, x: row(x[: i + 1], " ")), "attn_weights_causal", ""),
    "a triangle of a spreadsheet": (
        each(W, lambda i, x: "\t".join([f(v) for v in x[: i + 1]] + ["N/A"] * (5 - i))),
        "attn_weights_causal",
        "",
    ),
    "cells of a triangle": (
        each(W, lambda i, x: "\n".join(f"w[{i}, {j}] = {f(v)}" for j, v in enumerate(x[: i + 1]))),
        "attn_weights_causal",
        "",
    ),
    "one number with more decimals": (tensor(Q).replace(f(Q[3][1]), f(Q[3][1], 8), 1), "queries", ""),
    "numbers one by one, as PyTorch has them": (
        "[" + ", ".join(f"tensor({f(v)})" for v in W[5]) + "]",
        "attn_weights_causal",
        "[5]",
    ),
    "percent with a blank": (
        each(W, lambda i, x: "; ".join(f"{100 * v:.2f} %" for v in x)),
        "attn_weights_causal",
        "",
    ),
    "a sentence in percent": (
        "I get " + ", ".join(f"{100 * v:.2f}%" for v in W[5]) + " there.",
        "attn_weights_causal",
        "[5]",
    ),
    "a fenced diff with blanks": (
        "```diff\n"
        + lines(K, lambda i, line: "- " + line)
        + "\n"
        + lines(Q, lambda i, line: "+ " + line)
        + "\n```",
        "queries",
        "",
    ),
    "without the last brackets": (tensor(W)[:-3], "attn_weights_causal", ""),
    "MATLAB's factor": (
        "   1.0e-01 *\n\n" + each(Q, lambda i, x: "   ".join(f(10 * v) for v in x)),
        "queries",
        "",
    ),
    "bold cells": (
        "\\begin{pmatrix}\n"
        + each(W, lambda i, x: "\\mathbf{" + f(x[0]) + "} & " + row(x[1:], " & ") + " \\\\")
        + "\n\\end{pmatrix}",
        "attn_weights_causal",
        "",
    ),
    "nearly": (each(Q, lambda i, x: "≈" + row(x, " ")), "queries", ""),
    "numbers behind Chinese": (each(W, lambda i, x: f"第{i + 1}行是" + row(x, "、")), "attn_weights_causal", ""),
    "cells counted from 1": (
        each(Q, lambda i, x: "\n".join(f"{i + 1},{j + 1},{f(v)}" for j, v in enumerate(x))),
        "queries",
        "",
    ),
    # In sentences.
    "a sentence": (f"My second row is {row(W[1])}. Why is it not the book's?", "attn_weights_causal", "[1]"),
    "a sentence with and": (f"I got {row(W[2][:-1])} and {f(W[2][-1])} there", "attn_weights_causal", "[2]"),
    "rows with names and without brackets": (
        each(W, lambda i, x: f"w[{i}] = {row(x, ' ')}"),
        "attn_weights_causal",
        "",
    ),
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
    "wide spaces": (each(Q, lambda i, x: row(x, "\u3000")), "queries", ""),
}


class Forms(unittest.TestCase):
    def test_each_form_is_found_as_what_it_shows(self):
        for name, (text, step, piece) in FORMS.items():
            with self.subTest(name):
                answer = run("causal", "diagnose", "-", "--json", "-", stdin=text)
                self.assertIn(answer.returncode, (0, 1), answer.stderr)
                (tensor,) = json.loads(answer.stdout)["tensors"]
                if step is None:  # its columns are exchanged
                    self.assertEqual(tensor["shape"], [6, 2])
                    continue
                best = tensor["matches"][0]["bits"]
                found = [
                    (match["step"], match["piece"], match["mistakes"])
                    for match in tensor["matches"]
                    if match["bits"] == best
                ]
                self.assertIn((step, piece, []), found)

    def test_tensors_of_one_length_that_follow_each_other_stay_apart(self):
        for text, count in (
            ("query_2 = tensor([0.4306, 1.4551])\nkey_2 = tensor([0.4433, 1.1419])", 2),
            ("tensor([0.4306, 1.4551])\ntensor([0.4433, 1.1419])", 2),
        ):
            self.assertEqual(
                len(
                    json.loads(run("trainable", "diagnose", "-", "--json", "-", stdin=text).stdout)["tensors"]
                ),
                count,
            )


if __name__ == "__main__":
    unittest.main()
