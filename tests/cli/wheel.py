"""The wheel as its users have it, installed without a network, with and without NumPy and torch."""

import json
import os
import pathlib
import re
import subprocess
import time

import pytest

from program import PROGRAM, PROJECT, PYTHON, missing, output

OFFLINE = {
    **os.environ,
    "LC_ALL": "C.UTF-8",
    "PIP_NO_INDEX": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}
WRONG = [[1.0, 0.0], [0.3, 0.7]]
CUDA = """
class Cuda:  # as a tensor on another device behaves
    dtype, shape = "torch.float32", (2, 2)
    def detach(self): return self
    def cpu(self): return Host()
class Host:
    dtype = "torch.float32"
    def tolist(self): return [[1.0, 0.0], [0.5, 0.5]]
"""


def needs(*modules):
    """Skips the test if one is missing, or fails if skipping is not allowed."""
    for module in modules:
        if subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True).returncode:
            missing(module)


class Wheel:
    def __init__(self, folder):
        self.folder = folder
        built = output(PROJECT / "app/python/build.sh", PROGRAM, folder / "wheel", env=OFFLINE)
        self.file = pathlib.Path(built.split()[-1])
        output(PYTHON, "-m", "venv", folder / "venv", env=OFFLINE)
        self.python = folder / "venv/bin/python"
        output(self.python, "-m", "pip", "-q", "install", self.file, env=OFFLINE)
        (self.site,) = folder.glob("venv/lib/python3*/site-packages")

    def run(self, code, python=None, is_noisy=False):
        """Returns the output of a program, run by the system's Python, which has PyTorch, if requested.
        Messages are errors, unless it is noisy.
        """
        env = OFFLINE | ({"PYTHONPATH": str(self.site)} if python else {})
        command = [python or self.python, "-c", "import attn_walkthrough as attn\n" + code]
        answer = subprocess.run(command, capture_output=True, text=True, env=env, cwd=self.folder)
        assert answer.returncode == 0 and (is_noisy or answer.stderr == ""), answer.stderr
        return answer.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    needs("setuptools", "wheel", "venv", "ensurepip")
    return Wheel(tmp_path_factory.mktemp("wheel"))


def test_it_says_which_system_it_is_for(wheel):
    assert re.search(r"^attn_walkthrough-[\d.]+-py3-none-linux_\w+\.whl$", wheel.file.name)


def test_the_examples_of_the_docstrings(wheel):
    command = wheel.python, "-m", "doctest", "-v", wheel.site / "attn_walkthrough/__init__.py"
    assert re.search(r"\n[6-9] passed and 0 failed\.", output(*command, env=OFFLINE))


RIGHT = "right = attn.walk('causal', seed=123)['attn_weights_causal']\n"
FOUND = "found = attn.check(right, 'attn_weights_causal', stage='causal', seed=123)\n"
WEIGHTS = "weights = {f'W_{x}.weight': [[0.5, 0.25, 1.0]] * 2 for x in ('query', 'key', 'value')}\n"


# Without NumPy and torch.
@pytest.mark.parametrize("code, printed", [
    (f"{RIGHT}{FOUND}print(found.right, bool(found), found.stage, found.step, found.mistakes)",
     "True True causal attn_weights_causal []"),
    (f"{RIGHT}{FOUND}print(repr(found.piece), found.parameters['seed'])", "'' 123"),
    (f"{RIGHT}right[2][1] = 0.25\n{FOUND}print(found.right, found.nearest['step'], found.mistakes)",
     "False attn_weights_causal []"),
    ("print(attn.check([0.5, 0.5], stage='causal').right)", "False"),
    (f"{WEIGHTS}changes = ['inputs[0][0]=2', 'inputs[0][1]=4']\n"
     "walked = attn.walk('causal', weights=weights, set=changes, step=['inputs', 'keys'])\n"
     "print(list(walked), walked['inputs'][0][:2], round(walked['keys'][0][0], 4))",
     "['inputs', 'keys'] [2.0, 4.0] 2.89"),
    ("found = attn.check([[0.5]])\nprint(found.right, 'cannot tell' in found.text, bool(found.matches))",
     "False True True"),
    ("print(attn.walk('3.5')['mask'] == attn.walk('causal')['mask'])", "True"),
    ("print([name for name in attn.walk('all') if name.endswith('inputs')][:2])",
     "['encoder-decoder.fixed_inputs', 'encoder-decoder.decoder_inputs']"),
    (f"found = attn.check({WRONG})\n"
     "print(found.right, found.text == str(found) == repr(found), found.text[:12])",
     "False True shape (2, 2)"),
    ("html = attn.check([[0.1605, 0.0], [0.1818, 0.2057]], stage='causal')._repr_html_()\n"
     "print('<table' in html, '<script' in html)", "True False"),
    ("import re\nhtml = attn.check([[4.0, -1.0], [2.0, 0.0]], stage='causal')._repr_html_()\n"
     "print(re.findall(r'rgba\\([^)]*,([\\d.]+)\\)', html))",
     "['1.00', '0.25', '0.50', '0.00']"),  # of the largest number
    ("text = str(attn.explain('attn_weights_causal[1][0]'))\n"
     "print('attn_weights_causal[1][0] = 1 / 1.8127 = 0.5517' in text)", "True"),
    ("texts = [str(attn.explain(number)) for number in (0.5517, '0.5517', ' .5517')]\n"
     "print(*(\"explain causal 'attn_weights_causal[1][0]'\" in text for text in texts))", "True True True"),
    ("notions = 'softmax', 'keys', 'why is the mask -inf', 'nan'\n"
     "print(*(attn.explain(one).data['explanation']['notions'][0]['notion'] for one in notions))",
     "softmax key infinity nan"),
    (f"{WEIGHTS}print(\"causal 'W_key[1][2]'\" in str(attn.explain(1.0, weights=weights)))", "True"),
    ("print(str(attn.explain('keys[1][0]', inputs=[[1, 2, 3], [4, 5, 6]])).split()[-1])", "0.6920"),
    ("for options in ({}, {'depth': None}, {'depth': 2}):\n"
     "    print('queries[0][1] · token' in str(attn.explain('attn_scores[0][0]', **options)))",
     "False\nFalse\nTrue"),
    ("print('b_key' in str(attn.walk('causal', qkv_bias=True, step=['keys', 'queries'])))", "True"),
    ("print('“88”' in str(attn.explain('keys[1][0]', inputs=[[1, 2, 3]] * 2, tokens=['a', 88])))", "True"),
    ("html = attn.page('causal')._repr_html_()\nprint(html[:15], '&lt;!doctype html' in html.lower())",
     "<iframe srcdoc= True"),
    (CUDA + "print(attn.check(Cuda()).matches == attn.check(Host().tolist()).matches)", "True"),
])  # fmt: skip
def test_what_is_printed(code, printed, wheel):
    assert wheel.run(code) == printed + "\n"


def test_what_is_refused(wheel):
    for call, kind, message in (
        ("attn.check('abc')", "TypeError", "not str"),
        ("attn.check([[1.0], [1.0, 2.0]])", "ValueError", "rows of different lengths"),
        ("attn.check([[1.0]], 'no_such_step')", "ValueError", "no_such_step"),
        ("attn.walk('causl')", "ValueError", 'Did you mean "causal"?'),
        ("attn.check([[0.5]], stage='.')", "ValueError", 'there is no stage or command "."'),
        ("attn.check([[0.5]], stage='--seed=3')", "ValueError", 'there is no stage or command "--seed=3"'),
        ("attn.walk('causal')['no_such']", "KeyError", "attn_weights_causal"),
        ("attn.walk('causal', seed='x')", "ValueError", "--seed: expected"),
        ("attn.walk('causal', seed=True)", "ValueError", 'but received "True"'),
        ("attn.walk('causal', seed=[1, 2])", "ValueError", "seed: one value is expected, not a list"),
        ("attn.walk('causal', d_out=(2, 3))", "ValueError", "d_out: one value is expected, not a tuple"),
        *(
            (f"attn.{call}", "ValueError", f"stage: the name of a stage is expected, such as {end}")
            for call, end in (
                ("walk(None)", '"causal", not NoneType'),
                ("walk('')", "\"causal\", not ''"),
                ("walk([])", '"causal", not list'),
                ("walk(True)", '"causal", not bool'),
                ("page(None)", '"causal", not NoneType'),
                ("page(' ')", "\"causal\", not ' '"),
                ("check([[1.0]], stage='')", "\"causal\", not ''"),
                ("explain('keys[0][0]', stage=[])", '"causal", not list'),
            )
        ),
        ("attn.check([[1.0]], '')", "ValueError", "--as: expected"),
        ("attn.explain('')", "ValueError", 'there is no entry for ""'),
        ("attn.explain(None)", "TypeError", "TypeError cell: text such as 'keys[1][0]' or a number is"),
        ("attn.explain(True)", "TypeError", "not bool"),
        ("attn.explain('softmax', depth=2)", "ValueError", "--depth: changes nothing"),
        ("attn.run(3)", "TypeError", "run() takes text"),
        ("attn.run('list', stdin='a')", "TypeError", "bytes as stdin, not str"),
        ("attn.run('list', stdin=array.array('d', [0]))", "TypeError", "bytes as stdin, not array"),
        ("attn.check([[1.0]], atol=3)", "ValueError", "ValueError atol: changes nothing about check()"),
        ("attn.walk('simplified', inputs=1)", "ValueError", "ValueError inputs: a row of numbers per token"),
        ("attn.walk('causal', inputs=[[float('nan')]])", "ValueError", "inputs: nan is not a finite number"),
        ("attn.walk('causal', inputs=[[1, -1e999]])", "ValueError", "inputs: -inf is not a finite number"),
        ("attn.walk('causal', inputs=[['a']])", "TypeError", "TypeError inputs: a tensor, an array or"),
        ("attn.walk('causal', inputs=[[10**400]])", "ValueError", "inputs: an integer is too large"),
        ("attn.walk('causal', tokens=3)", "TypeError", "TypeError tokens: a list is expected"),
        ("attn.walk('causal', tokens='ab', inputs=[[1, 2, 3]])", "TypeError", "['Hello', 'world'], not str"),
        ("attn.walk('causal', weights=3)", "TypeError", "model.state_dict() is expected, not int"),
        ("attn.walk('causal', weights=[[1.0]])", "TypeError", "model.state_dict() is expected, not list"),
        ("attn.walk('causal', weights={})", "ValueError", "ValueError weights: the state_dict is empty"),
        ("attn.walk('causal', weights={'x': [[1], [1, 2]]})", "ValueError", "weights: x: rows of different"),
        ("attn.walk('--errata')", "ValueError", 'there is no stage or command "--errata"'),
        ("attn.walk('causal', tokens=['a'])", "ValueError", "tokens: the inputs are missing"),
        *(
            (f"attn.{call}, help=True)", "ValueError", "use run()")
            for call in ("walk('causal'", "page('causal'", "explain('keys[0][0]'", "check([[1.0]]")
        ),
        *(
            (f"attn.page('causal', height={wrong})", "ValueError", "ValueError height: a whole number of")
            for wrong in ("'1\" onload=\"x'", "None", "float('nan')", "True", "-1", "0", "10**30", "10**5000")
        ),
        ("attn.walk('causal', tokens=['\\ud800'], inputs=[[1, 2, 3]])", "ValueError", "ValueError tokens: "),
        *(
            (f"attn.{call})", "ValueError", f"ValueError {name}: cannot be passed to the program, because")
            for name, call in (
                ("seed", "walk('causal', seed=10**5000"),
                ("tokens", "walk('causal', tokens=[10**5000]"),
                ("stage", "walk(10**5000"),
                ("cell", "explain(10**5000"),
                ("cell", "explain('\\ud800'"),
                ("step", "check([[1.0]], '\\ud800'"),
            )
        ),
        ("attn.check(deep)", "ValueError", "more than 32 deep"),
        ("attn.check([[10**400]])", "ValueError", "too large"),
        ("attn.walk('causal', step='a' * 3000000)", "ValueError", "too long"),
        ("attn.walk('causal', weights={'W_query.weight': 'a'})", "TypeError", "not str"),
        ("attn.walk('causal', weights={'a' * 70000: [[1.0]]})", "ValueError", "at most 65531 bytes"),
        ("attn.walk('causal', weights={'a\\0b': [[1.0]]})", "ValueError", "without NUL"),
        ("attn.walk('causal', weights={'x': [[1.0]]})", "ValueError", "ValueError weights: W_query.weight"),
        ("attn.walk('causal', inputs=[])", "ValueError", "ValueError inputs: at /tokens"),
        ("attn.check([[[[[1.0]]]]])", "ValueError", "ValueError the tensor: has 5 dimensions"),
        ("attn.walk('causal', weights={'\\ud800': [[1.0]]})", "ValueError", "is no name of a tensor"),
        ("attn.walk('causal', step='\\ud800')", "ValueError", "cannot be passed to the program"),
        ("attn.walk('causal\\0')", "ValueError", "cannot be passed to the program"),
        ("attn.walk('causal', out='-.npz')", "ValueError", "use run()"),
        ("attn.PROGRAM = '/no/program'; attn.walk('causal')", "FileNotFoundError", "set ATTN_WALKTHROUGH"),
    ):
        code = "import array\ndeep = 1.0\nfor _ in range(500):\n    deep = [deep]\n"
        code += f"try:\n    {call}\nexcept Exception as error:\n    print(type(error).__name__, error)"
        answer = wheel.run(code)
        assert answer.startswith(kind + " "), (call, answer)
        assert message in answer
        assert "\n    attn-walkthrough" not in answer, (call, answer)


# The numbers are counted before they are copied: a copy would not fit into the memory.
def test_too_many_numbers_are_refused_at_once(wheel):
    needs("numpy")
    code = """
import resource
import numpy
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))  # a copy of the lists takes over 15 s
wide = numpy.broadcast_to(numpy.float32(0.5), (10**5, 10**5))
for x in (wide, [wide[0]] * 10**5, numpy.broadcast_to(1.0, (16000, 768)), [[0.5] * 1100] * 10000):
    for name, call in (
        ("the tensor", lambda: attn.check(x)),
        ("inputs", lambda: attn.walk("linear", inputs=x)),
        ("weights: W_query", lambda: attn.walk("linear", weights={"W_query": wide})),
    ):
        try:
            call()
        except ValueError as error:
            limit = 1 << 30 if name.startswith("weights") else 10**7
            print(str(error).startswith(f"{name}: more than {limit} numbers"))
"""
    assert wheel.run(code, PYTHON).splitlines() == ["True"] * 12


def test_arrays_without_plain_numbers_are_refused(wheel):
    needs("numpy")
    code = """
import numpy
for x in (numpy.ma.masked_array(numpy.eye(3), numpy.eye(3)), numpy.eye(3) * 1j, numpy.array([["a"]])):
    for name, call in (
        ("the tensor", lambda: attn.check(x)),
        ("inputs", lambda: attn.walk("simplified", inputs=x)),
        ("weights: W_query.weight", lambda: attn.walk("causal", weights={"W_query.weight": x})),
    ):
        try:
            print(call())
        except TypeError as error:
            print(str(error).startswith(name + ": "), "x.filled" in str(error), "expected" in str(error))
wide = numpy.eye(3, dtype=numpy.longdouble)
print((attn.walk("simplified", inputs=wide)["inputs"] == wide).all())
print(attn.explain(numpy.float32(0.5517)).text == attn.explain("0.5517").text)
"""
    lines = wheel.run(code, PYTHON).splitlines()
    assert lines == ["True True False"] * 3 + ["True False True"] * 6 + ["True"] * 2


def test_tensors_of_torch_and_numpy(wheel):
    needs("torch")
    code = """
import numpy, torch
weights = attn.walk("causal", seed=123)["attn_weights_causal"]
print(type(weights).__name__, weights.dtype, weights.shape)
check = lambda x: attn.check(x, "attn_weights_causal", stage="causal", seed=123)
tensor = torch.from_numpy(weights)
for x in (weights, tensor, tensor.double().requires_grad_(), tensor.T.contiguous().T, weights.tolist(),
          numpy.asfortranarray(weights)):
    print(check(x).right, check(x).matches[0]["max_abs_diff"])
print(check(tensor[1:4]).piece)
print(len(attn.check(torch.zeros(300, 300), stage="causal")._repr_html_()) < 5000)
torch.manual_seed(123)
names = ("W_query", "W_key", "W_value")
model = torch.nn.ModuleDict({name: torch.nn.Linear(3, 2, bias=False) for name in names})
own = attn.walk("causal", weights=model.state_dict())
print((own["attn_weights_causal"] == weights).all())
"""
    lines = wheel.run(code, PYTHON).splitlines()
    assert lines == ["ndarray float32 (6, 6)", *["True 0.0"] * 6, "[1:4]", "True", "True"]


def test_in_a_notebook(wheel):
    needs("nbclient", "ipykernel", "torch")
    code = """
import sys, nbclient, nbformat
cells = ["import torch, attn_walkthrough as attn",
         "x = torch.from_numpy(attn.walk('causal')['attn_weights'])",
         "attn.check(x * 2)", "attn.page('head-split')"]
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
nbclient.NotebookClient(book, kernel_name="python3", timeout=120).execute()
import json
outputs = [cell.outputs for cell in book.cells]
print(json.dumps([[sorted(o["data"]) if "data" in o else o.get("text") for o in one] for one in outputs]))
checked, page = (one[0]["data"]["text/html"] for one in outputs[2:])
print("<table" in checked, page.startswith("<iframe"))
"""
    outputs, shown = wheel.run(code, PYTHON, is_noisy=True).splitlines()[-2:]
    assert json.loads(outputs) == [[], [], [["text/html", "text/plain"]], [["text/html", "text/plain"]]]
    assert shown == "True True"


def test_a_question_that_is_ended_leaves_no_folder(wheel, tmp_path):
    program, begun = tmp_path / "program", tmp_path / "begun"
    program.write_text(f"#!/bin/sh\ntouch {begun}\nexec sleep 60\n")
    program.chmod(0o755)
    (tmp_path / "temporary").mkdir()
    env = OFFLINE | {"ATTN_WALKTHROUGH": str(program), "TMPDIR": str(tmp_path / "temporary")}
    code = "import attn_walkthrough as attn\nattn.explain('keys[1][0]')"
    question = subprocess.Popen([wheel.python, "-c", code], env=env)
    try:
        while not begun.exists() and question.poll() is None:
            time.sleep(0.05)
        question.terminate()
        assert question.wait(timeout=20) == 143
    finally:
        question.kill()
    assert list((tmp_path / "temporary").iterdir()) == []
