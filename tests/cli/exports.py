"""Exports of the walkthrough as Markdown, LaTeX, notebook and comma-separated values, each read back."""

import csv
import json
import re
import shutil
import subprocess

import pytest

from program import environment, missing, ok, stages, steps, trace
from runs import flat

# Texts that one of the formats might read as a command.
HOSTILE = ["$a_b%#&{}", "\\end{document}", "你好 🙂", "`--` ``` <script>|~^\"'", "x,y", "\x1b[31m"]
DOCUMENTS = ".ipynb", ".md", ".tex"


@pytest.fixture
def hostile(tmp_path):
    rows = [[1e-7, 0.5 * i] for i in range(len(HOSTILE))]
    (tmp_path / "hostile.json").write_text(json.dumps({"tokens": HOSTILE, "embeddings": rows}))
    return f"--input={tmp_path}/hostile.json"


def export(suffix, *arguments, stdin=""):
    return ok(*arguments, f"--out=-{suffix}", stdin=stdin)


def plain(latex):
    return latex.replace("\\_", "_").replace("{-}", "-")


@pytest.mark.parametrize("suffix", DOCUMENTS)
def test_a_document_has_every_step_or_those_asked_for(suffix):
    for stage in stages("all"):
        text = plain(export(suffix, stage["name"]))
        for number, step in enumerate(stage["steps"], 1):
            assert f"{number}/{len(stage['steps'])}" in text and step["name"] in text, step["name"]
    text = export(suffix, "causal", "--step=mask", "--step=masked")
    assert "14/20" in text and not re.search(r"(?<!\d)13/20", text)


@pytest.mark.parametrize("options", [
    "causal", "causal --dropout=1", "multi-head --qkv-bias", "kv-cache --loss=mse"
])  # fmt: skip
def test_gradients_go_wherever_steps_do(options, tmp_path):
    command = [*options.split(), "--backward"]
    names = [step["name"] for step in trace(*command)["steps"] if "autograd" in step]
    assert len(names) > 10
    for suffix in (*DOCUMENTS, ".html"):
        text = plain(export(suffix, *command))
        assert [name for name in names if name not in text] == [], suffix
    for kind in ("npz", "safetensors"):
        ok(*command, f"--out={tmp_path}/gradients.{kind}")
        content = (tmp_path / f"gradients.{kind}").read_bytes()
        assert all(f"{command[0]}.{name}".encode() in content for name in names)
    assert "<svg" in export(".svg", *command, "--step", names[-1])
    assert export(".csv", *command, "--step", names[-1]).count("\n") > 2
    for shown in ("--heatmap", "--lang=zh", "--code=cpp", "--code=numpy"):
        assert names[-1] in ok(*command, shown)
    if "--dropout=1" in command:
        assert steps(*command)["jacobian_agrees"] == 1.0


@pytest.mark.parametrize("options", [[], ["--lang=zh", "--precision=2"], ["hostile"], ["--code=cpp"]])
def test_the_blocks_of_the_markdown_are_the_walkthroughs(options, hostile):
    options = [hostile if option == "hostile" else option for option in options]
    stage, text = trace("causal", *options), export(".md", "causal", *options)
    blocks = re.findall(r"^```(\w+)\n(.*?)\n```$", text, re.S | re.M)
    language = "cpp" if "--code=cpp" in options else "python"
    assert [kind for kind, _ in blocks] == [language, *[language, "text"] * len(stage["steps"])]
    assert blocks[0][1] == "\n".join(stage["setup"])
    for step, (_, code), (_, answer) in zip(stage["steps"], blocks[1::2], blocks[2::2]):
        assert (code.rsplit("\n", 1)[0], answer) == ("\n".join(step["code"]), step["printed"])
    assert text.count("$$\n") == 2 * sum(bool(step["formula"]) for step in stage["steps"])


def test_tokens_are_text_everywhere(hostile):
    markdown, latex = export(".md", "causal", hostile), export(".tex", "causal", hostile)
    notebook = json.loads(export(".ipynb", "causal", hostile))
    assert "\\$a_b%\\#\\&{}" in markdown and "\\<script\\>\\|" in markdown
    assert "\\$a_b%\\#\\&{}" in "".join(notebook["cells"][0]["source"])
    for text in ("\\$a\\_b\\%\\#\\&\\{\\}", "\\textbackslash{}end\\{document\\}", "\\character{4F60}{你}"):
        assert text in latex
    assert latex.count("\\end{document}") == 1
    for suffix in (*DOCUMENTS, ".csv"):
        assert "\x1b" not in export(suffix, "causal", "--step=attn_scores", hostile)


def test_the_notebook_contains_what_is_printed():
    notebook = json.loads(export(".ipynb", "causal", "multi-head"))
    kernel = notebook["metadata"]["kernelspec"]["name"]
    assert (notebook["nbformat"], notebook["nbformat_minor"], kernel) == (4, 5, "python3")
    names = [cell["id"] for cell in notebook["cells"]]
    assert len({*names}) == len(names) and all(re.fullmatch(r"[\w-]{1,64}", name) for name in names)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == [*range(1, len(code) + 1)]
    printed = ["".join(cell["outputs"][0]["text"]) for cell in code
               if cell["outputs"] and not cell["source"][0].startswith("class ")]
    expected = [step["printed"] for stage in stages("causal multi-head") for step in stage["steps"]]
    for text, step in zip(printed, expected, strict=True):
        assert text.endswith(step + "\n")


def table(*arguments, stdin=""):
    return [*csv.reader(export(".csv", *arguments, stdin=stdin).splitlines())]


def test_the_numbers_of_the_csv(hostile):
    for line in ("causal masked", "causal row_sums", "simplified query", "multi-head attn_weights"):
        stage, step = line.split()
        (found,) = trace(stage, f"--step={step}")["steps"]
        rows, heads = table(stage, f"--step={step}"), len(found["shape"]) - 1
        assert rows[0][:heads] == found["axes"][:heads]
        assert [float(x) for row in rows[1:] for x in row[heads:]] == [*flat(found["data"])], step
    rows = table("causal", "--step=masked", hostile)
    assert rows[0] == ["query", *HOSTILE[:-1], "\\x1b[31m"]
    assert (rows[1][2], [row[0] for row in rows[1:]]) == ("-inf", rows[0][1:])
    rows = table("masks", "--step=attn_weights_nan")
    assert [*rows[1][1:], *rows[2][1:3]] == [*["nan"] * 6, "0.0", "1.0"]  # as PyTorch prints them
    # A spreadsheet must not read a token as a formula.
    formulas = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1)", " =1+1", "\u3000 -2", "＝1+1", "＠SUM(1)"]
    tokens = [*formulas, "a=b", " a"]
    rows = table("causal", "--step=masked", "--input=-",
                 stdin=json.dumps({"tokens": tokens, "embeddings": [[1, 2, 3]] * len(tokens)}))  # fmt: skip
    escaped = [*("'" + formula for formula in formulas), "a=b", " a"]
    assert rows[0][1:] == [row[0] for row in rows[1:]] == escaped


@pytest.mark.parametrize("arguments", [["all"], ["causal", "hostile", "--code=cpp"]])
def test_the_latex_compiles_within_its_margins(arguments, hostile, tmp_path):
    if shutil.which("pdflatex") is None:
        missing("pdflatex (texlive-latex-base)")
    arguments = [hostile if word == "hostile" else word for word in arguments]
    (tmp_path / "x.tex").write_text(export(".tex", *arguments))
    command = "pdflatex -interaction=nonstopmode -halt-on-error x.tex".split()
    code = subprocess.run(
        command, cwd=tmp_path, capture_output=True, env=environment(HOME=str(tmp_path))
    ).returncode
    log = (tmp_path / "x.log").read_text(errors="replace")
    assert code == 0, log[-2000:]
    assert "Overfull" not in log and "Missing character" not in log
    assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")


def test_a_program_in_each_language_is_written_at_once(tmp_path):
    ok("causal --out both.py --out both.cpp --out both.ipynb", cwd=tmp_path)
    for suffix in ("py", "cpp", "ipynb"):
        assert ok("causal", f"--out=-.{suffix}") == (tmp_path / f"both.{suffix}").read_text()
