"""Arguments that the program rejects, its messages, and that nothing is left half done."""

import json
import re
import shlex
import subprocess

import pytest

import program
from program import LESSON, PROGRAM, ok, own_weights, run

# A command line as a shell reads it, and a part of the message. The exit code is 2, and standard output is
# empty.
CASES = [
    'causal --no-pager=x → --no-pager: takes no value, but received "x".',
    'causal --quiet=x → --quiet: takes no value, but received "x".',
    'causal --backward=y → --backward: takes no value, but received "y".',
    'causl → there is no stage or command "causl". Did you mean "causal"?',
    "--stage nonsense → "
    'there is no stage or command "nonsense". See attn-walkthrough help and attn-walkthrough list.',
    'lsit → Did you mean "list"?',
    'explain --stage nosuch 0.5517 → there is no stage or command "nosuch".',
    'sofmax → there is no stage or command "sofmax".',
    'causal maskd → the chosen stages have no step "maskd". Did you mean "mask"?',
    'causal seed → the chosen stages have no step "seed". Did you mean "--seed"?',
    'causal lniear → Did you mean "linear"?',
    'json causal → Did you mean "--json trace.json"?',
    "--color never → no stage chosen.",
    "causal --html → there is no option \"--html\". Did you mean \"--out causal.html\"?",
    'help check → there is no stage or command "check". Did you mean "attn-walkthrough diagnose"?',
    "causal --unknown --layer 1 → there is no option \"--unknown\".",
    'help no_such → there is no stage or command "no_such".',
    'causal --sed 5 → there is no option "--sed". Did you mean "--seed"?',
    'causal --sed=5 → there is no option "--sed". Did you mean "--seed"?',
    'causal -x → there is no option "-x".',
    'exercises causal --n 5 → there is no option "--n". See',
    'compare causal --heeatmap → there is no option "--heeatmap". See',
    "walk 'keys[1][0' → there is no stage or command \"keys[1][0\". See",
    'causal --step mask_simpl → the chosen stages have no step "mask_simpl". Did you mean "mask_simple"?',
    'causal --step 21 → the chosen stages have no step "21".',
    'diagnose - compare → "compare" is a second command; give one at a time.',
    'causal compare quiz → "quiz" is a second command; give one at a time.',
    "compare --heatmap causal → --heatmap: compare has no such option; walk does.",
    "causal --depth 2 → --depth: walk has no such option; explain does.",
    "compare --set inputs[1][0]=1 → --set: compare has no such option; walk does.",
    "explain causal values[0][0] --step values → --step: explain has no such option; walk does.",
    'explain causal attn_weight[0][0] → causal has no step "attn_weight". Did you mean "attn_weights"?',
    "explain causal attn_weights[6][0] → "
    "attn_weights has shape (6, 6): expected an index from -6 to 5 for query but received 6.",
    'explain causal attn_weights[9] → expected attn_weights[query][key] but received "attn_weights[9]"',
    'explain causal attn_weights[Yuor][0] → there is no token "Yuor". Did you mean "Your"?',
    "explain causal values[0][Your] → the axis feature has no tokens",
    "explain causal values[0][0 → expected a cell such as attn_weights[1][0]",
    "explain simplified attn_scores_2[1][0] → expected attn_scores_2[key]",
    "explain causal linear values[0][0] → a cell belongs to one stage",
    "explain → explain: there is no entry for",
    "explain softmx → Did you mean \"softmax\"? Name a cell, such as 'keys[1][0]', a number, such as 0.5517,",
    "explain mask --seed 1 → --seed: changes nothing about \"mask\"",
    'explain causal 7.7777 → these stages print no cell as "7.7777"',
    'explain keys[0][0] keys[0][1] → there is no stage or command "keys[0][0]".',
    'walk "linear --d-out 4" → there is no stage or command "linear --d-out 4". Did you mean "linear"?',
    'walk "causal linear" → there is no stage or command "causal linear". Did you mean "causal"?',
    'explain causl keys[0][0] → there is no stage or command "causl". Did you mean "causal"?',
    "explain causal values[0][0] --depth 0 → --depth: expected a whole number from 1 to 1000",
    "explain scaling score_sizes[3][0] --depth=20 → "
    "would explain more than 500 cells, the limit; use --depth",
    "causal --rows → --rows: expected A:B|TOKEN but received nothing.",
    "causal --rows 2:x → --rows: expected rows such as 2:5, :3 or -2:, or a token, but received",
    'causal --modle m.npz → there is no option "--modle". Did you mean "--model"?',
    "list x.ipynb → x.ipynb: there is no such file; give the path of one, or - for standard input.",
    "compare x.npy y.npy → x.npy: there is no such file; give the path of one, or - for standard input.",
    'diagnose --torch → Did you mean "attn-walkthrough causal --code torch"?',
    "causal --seed → --seed: expected N but received nothing.",
    "causal --seed= → --seed: expected N but received nothing.",
    'causal --seed --quiet → --seed: expected N but received "--quiet"',
    "causal --step → --step: without a value, it shows one step at a time and needs a terminal;",
    "causal --step --heatmap → needs a terminal",
    "compare causal --step → --step: expected STEP but received nothing.",
    "compare causal nofile.npy → nofile.npy: there is no such file",
    "compare causal --atol 1e-3 → --atol: name a file with your numbers",
    "compare causal x.npy --atol=-1 → --atol: expected a number such as 1e-5 but received \"-1\".",
    "grade my_attention.py → To judge code and its outputs, use attn-walkthrough diagnose my_attention.py.",
    "sliding-window --heads 2 → --heads: sliding-window does not use it. These stages do: multi-head",
    "causal --tokens 1,2 → --tokens: causal does not use it. These stages do: complexity",
    "training-step causal --tokens 1,2 → --tokens: training-step does not use it. These stages do: comp",
    "kv-cache --window 2 → --window: kv-cache does not use it. These stages do: sliding-window",
    "kv-cache --short-length 2 → --short-length: kv-cache does not use it. These stages do: masks",
    "causal --rotary halves → --rotary: causal does not use it. These stages do: grouped-query",
    "kv-cache --heads 2 → --heads: kv-cache does not use it.",
    "causal --loss=mse → --loss needs --backward; add it, or leave --loss out.",
    "causal --layer 1 → --layer needs --weights; add it, or leave --layer out.",
    "causal multi-head --d-out 3 → multi-head: --heads: 2 heads do not divide d_out, which is 3",
    "multi-head --heads 3 --d-out 4 → --heads: 3 heads do not divide d_out, which is 4",
    "causal-self-attention --heads 7 --d-out 512 → "
    "--heads: 7 heads do not divide d_model, which is 512, into equal parts.",
    "causal-batch --context-length 5 → --context-length: a context of 5 is too short for 6 tokens.",
    "multi-head-wrapper --context-length 5 → --context-length: a context of 5 is too short for 6 tokens.",
    "multi-head --context-length 5 → --context-length: a context of 5 is too short for 6 tokens.",
    "sliding-window --window 7 → --window: 7 is wider than the sentence; expected 1 to 6.",
    "grouped-query --kv-heads 3 → "
    "--kv-heads: 3 does not divide the 4 query heads into equal groups; these do: 1, 2, 4.",
    "grouped-query --heads 3 --d-out 8 → --heads: 3 heads do not divide d_out, which is 8",
    "grouped-query --rotary halves --heads 8 → "
    "--d-out: 8 makes each head 1 wide, but rotation needs an even width; 16 or 32 would fit.",
    "grouped-query --rotary :500 → "
    "--rotary: has no effect without rotation; add --rotary halves or neighbours.",
    "rotary --d-out 3 → "
    "--d-out: 3 makes each head 3 wide, but rotation needs an even width; 2 or 4 would fit.",
    "rotary --d-out 1 → 2 or 4 would fit.",
    "masks --short-length 7 → "
    "--short-length: the shorter sentence has 7 tokens and the longer one 6; expected 1 to 6.",
    "causal --set → --set: expected CELL=X but received nothing.",
    "causal --set mask=nofile.npy → nofile.npy: there is no such file",
    'causal --set=nothing[0]=1 → --set: causal has no step "nothing".',
    "causal --set=inputs[6][0]=1 → expected an index from -6 to 5 for token but received 6",
    'causal --set=inputs[nobody][0]=1 → there is no token "nobody"',
    "causal --set=keys[0][0]=1 → "
    "--set: keys is computed from inputs, W_key; set a number of the inputs, weights or masks instead",
    'simplified --focus=jorney → Did you mean "journey"?',
    '"`dropout_seed`" → there is no stage or command "`dropout_seed`".',
    "causal --input /no/such/file → /no/such/file",
    "causal --input / → /",
    "causal --json /no/such/folder/x.json → /no/such/folder",
    'compare causal keys nope → the chosen stages have no step "nope".',
    "causal --json=- --out=-.npz → only one file can go to standard output; name the others.",
    "causal --input - --weights - → only one file can come from standard input",
    "diagnose - --input - → only one file can come from standard input",
    'causal --out x.png → but received "x.png". Did you mean "x.svg"?',
    "causal --out x.foo → --out: expected a file that ends in .json, .npz",
    "causal --out x.svg → a .csv or .svg shows one step of one stage: choose it with --step NAME.",
    "causal --step=mask --step=masked --out x.svg → a .csv or .svg shows one step of one stage",
    "causal linear --step=queries --out -.csv → a .csv or .svg shows one step of one stage",
    "trainable --step=attn_score_22 --out x.svg → more than one number, and attn_score_22 has only one",
    "causal --code=cpp --out -.ipynb → "
    "Python runs .ipynb and .py, but --code cpp gives C++; leave one of the two out.",
    "causal --heatmap --color=sometimes → --color: expected auto|always|never but received",
    "simplified compare --focus step → --focus",
    "causal --out - → for standard output, -.json and the like",
    "causal --out -.csv → a .csv or .svg shows one step of one stage: choose it with --step NAME.",
    "exercises --out x.npz → a file that ends in .ipynb, .md, .tex (for standard output, -.ipynb and",
    'exercises --key x.csv → but received "x.csv". Did you mean "x.md"?',
    "grade → grade: name a file, or - for standard input",
    "diagnose → diagnose: name a file, or - for standard input",
    "completion → name a shell: bash|zsh|fish.",
    "completion tcsh → completion: name a shell: bash|zsh|fish.",
    "compare causal --step queries → the documents print no table of these steps",
    "compare causal --step masked --seed 5 → --seed 789 --d-out 2: 000 masked",
    "compare --seed=5 → --seed: this option has no effect without a stage",
    "compare all --dropout-rng=mkl → --dropout-rng: this option has no effect without a stage",
    "causal quiz --input - → quiz reads answers from standard input",
    "causal quiz --weights - → quiz reads answers from standard input",
    "causal quiz --step inputs → there are no questions about these steps",
    "causal exercises --step inputs → there are no questions about these steps",
    "exercises 3.1 --heads 2 → --heads: linear does not use it.",
    "grade 3.1 mine.json --heads 2 → --heads: linear does not use it.",
    "help --step → attn-walkthrough help walk",
    "help notebook → attn-walkthrough --out causal.ipynb", "help pdf → attn-walkthrough --out causal.tex",
    "help play → attn-walkthrough --step 1-4", "help slides → attn-walkthrough --out slides.html",
    "help svg → attn-walkthrough attn_weights --out weights.svg",
    "causal exercises 3.1 → exercise 3.1 is about linear; name this stage, or no stage.",
    "causal --key x.md → --key: walk has no such option; exercises does.",
    "causal exercises --out -.md --key -.md → only one file can go to standard output",
    "causal exercises --out x.md --key x.md → would write the same file",
    "causal grade --count 5 mine.json → mine.json: ",
    "causal grade g.json --out x.md → a file that ends in .csv (",
]

# Invalid values of options, separated by bars.
SIZES = "0|-1|1e3|1000000001|99999999999999999999"
VALUES = {
    "causal --seed": ("a whole number from 0 to 18446744073709551615",
                      "-1|1e3|0x10|18446744073709551616| 5|5 |+5|1.0|nan|٣"),
    "causal --dropout": ("a probability from 0 to 1", "nan|1.5|-0.1|inf|0,5|0.5x|0x1p-1|1e400"),
    "causal --dropout-rng": ("mt19937 or mkl", "mlk|mt"),
    "causal --d-out": ("a whole number from 1 to 16384", SIZES + "|16385"),
    "causal --precision": ("a whole number from 0 to 20", "-1|21|x|3x"),
    "causal --threads": ("a whole number from 1 to 1024", "0|-1|1025|two"),
    "complexity --tokens": (
        "2 to 16 whole numbers from 1 to 1000000",
        "256|256,|,256|0,1|1,x|512,256|256,256|1,1000001|1 ,2|1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"
    ),
    "causal --code": ("torch|numpy|cpp", "julia|c|mathml"),
    "causal --rows": (
        "rows such as 2:5, :3 or -2:",
        "a:b|1:2:3|2:5 |+1:2|1.0:2|-:3|0x1:|2..5|1000000001:|:99999999999999999999|２:"
    ),
    "causal --set": (
        "a cell and a finite number such as inputs[1][0]=0.5",
        "inputs|inputs[1][0]|inputs[1][0]=|inputs[1][0]=x|inputs[1][0]=nan|inputs[1][0]=1e39|inputs[1=0"
    ),
    "causal --backward --loss": ("sum, mean or mse", "mae"),
    "multi-head --heads": ("a whole number from 1 to 1000", "0|1001|two"),
    "multi-head --batch": ("a whole number from 1 to 1000", "0|1001"),
    "sliding-window --window": ("a whole number from 1 to 1000000000", SIZES),
    "masks --short-length": ("a whole number from 1 to 1000000000", SIZES),
    "training-step --lr": ("a number above 0, at most 1000000, such as 0.1", "0|-1|nan|1e7|x"),
    "grouped-query --rotary": ("halves, neighbours or none", "pairs|half:500"),
    "rotary --rotary": ("a number above 1, up to 1e12, such as 10000",
                        ":0|:1|:-5|:nan|:inf|:1e13|:ten|halves:"),
    "quiz --count": ("a whole number from 1 to 1000", "0|-1|1001|ten"),
    "quiz --quiz-seed": ("a whole number from 0 to 4294967295", "-1"),
}  # fmt: skip

EYE = [[1, 0], [0, 1], [1, 1]]
RIGHT = own_weights(EYE)
MODEL = {f"layers.0.{name}_proj.weight": [[1, 2, 3], [4, 5, 6.5]] for name in "qkv"}
TWICE = {"tokens": ["a", "b", "a"], "embeddings": [[0.1], [0.2], [0.3]]}
# Command lines with JSON at standard input.
DATA = [
    ("diagnose --as attn_weigths -", [[0.5, 0.25]], 'Did you mean "attn_weights"?'),
    ("explain causal --input=- values[a][0]", TWICE, "occurs at 0, 2; give one"),
    ("simplified --input=- --focus=a", TWICE, "occurs at 0, 2; give one of these indices.\n"),
    ("causal --weights=-", MODEL, "give --heads N and --head K.\n"),
    ("causal --weights=- --head=0 --heads=two", MODEL, "--heads: expected a whole number from 1 to 1000"),
    ("causal --weights=- --layer=3 --heads=2 --head=0", MODEL, "has no layer 3; its layers are 0"),
    ("causal --weights=- --layer=-1", MODEL, "--layer: expected a whole number from 0 to"),
    ("causal --weights=- --layer=0 --heads=2 --head=2", MODEL, "has no head 2; its heads are 0 to 1"),
    ("causal --weights=- --layer=0 --heads=5 --head=0", MODEL, "5 heads do not divide"),
    ("causal --weights=- --layer=0 --heads=2", MODEL, "--heads: causal does not use it"),
    ("explain multi-head x[0] --weights=- --layer=0 --heads=2 --head=0", MODEL, "leave --head out"),
    ("trainable --weights=- --layer=0 --heads=2 --head=0", MODEL, "plain matrices"),
    *(("causal --input=-", lesson, message) for lesson, message in [
        ([1, 2], ""), ({"tokens": ["a"], "embeddings": [[]]}, "/embeddings"),
        ({"tokens": [], "embeddings": []}, ""),
        ({"tokens": ["a", "b"], "embeddings": [[1, 2], [3]]}, "/embeddings/1"),
        ({"tokens": ["a"], "embeddings": [["1", 2]]}, "/embeddings/0/0"),
        ({"tokens": ["a"], "embeddings": [[1e39]]}, "/embeddings/0/0"),
        ({"tokens": ["a"], "embeddings": [[1], [2]]}, ""), ({"tokens": ["a"]}, "embeddings"),
        ({"tokens": ["a"], "embedings": [[1]]}, 'Did you mean "embeddings"?'),
    ]),
]  # fmt: skip
# Options and weights for a lesson of two tokens.
WEIGHTS = [
    ("", RIGHT | {"W_query.weight": [[1, 0, 1], [0, 1, 1]]},
     "/W_query.weight: expected shape (3, 2) but received (2, 3); its transpose would fit"),
    ("", RIGHT | {"W_key.weight": [[1, 2]]}, "/W_key.weight: expected shape (3, 2) but received (1, 2)"),
    ("", {"W_query.weight": EYE, "W_key.weight": EYE},
     "W_value.weight is missing; this stage needs it with shape (3, 2)"),
    ("", RIGHT | {"W_valeu.weight": EYE},
     '/W_valeu.weight: causal has no such weight. Did you mean "W_value.weight"?'),
    ("", RIGHT | {"W_value.bias": [1, 2, 3]}, "/W_value.bias: causal has no such weight."),
    ("", RIGHT | {"mask": [[0, 0], [1, 0]]},
     "/mask: expected the mask of shape (2, 2) with ones above the diagonal"),
    ("", RIGHT | {"mask": [[0]]}, "is too short for 2 tokens"),
    ("", RIGHT | {"W_value.weight": [[1, "2"]]}, "/W_value.weight/0/1"), ("", {}, ""),
    ("--seed=1", {}, "give only one of them"), ("--d-out=4", RIGHT, "contradicts the weights"),
    ("--qkv-bias", RIGHT, "contradicts the weights"),
]  # fmt: skip


def refuses(command, message, **more):
    """Checks the message in English; and in Chinese, except for quoted text, options, files and examples."""
    program.refuses(*command, message=message, **more)
    chinese = program.refuses(*command, LC_ALL="zh_CN.UTF-8", **more)
    said = re.sub(r'"[^"]*"|--[a-z-]+|/[\w./-]+|attn-walkthrough \S+( \S+\.\w+)?', "", chinese)
    assert re.search("[\u4e00-\u9fff]", said), "data/narration/zh/translations.json lacks it"
    english = r"\b(expected|but|there|is|are|has|have|the|leave|give|goes|with|of|no|its|an?)\b"
    assert not re.search(english, said)


@pytest.mark.parametrize("case", CASES)
def test_command_lines(case):
    command, message = case.split(" → ")
    refuses(shlex.split(command), message)


@pytest.mark.parametrize("option, expected, text",
    [(option, expected, text) for option, (expected, texts) in VALUES.items() for text in texts.split("|")]
)  # fmt: skip
def test_values(option, expected, text):
    name = option.split()[-1]
    refuses([*option.split()[:-1], f"{name}={text}"], f"{name}: expected {expected}")


@pytest.mark.parametrize("command, data, message", DATA)
def test_data(command, data, message):
    refuses(command.split(), message, stdin=json.dumps(data))


@pytest.mark.parametrize("text, message", [("{", "standard input"), ("", "empty")])
def test_text_that_is_not_json(text, message):
    refuses(["causal", "--input", "-"], message, stdin=text)


@pytest.mark.parametrize("options, weights, message", WEIGHTS)
def test_weights_that_do_not_fit(options, weights, message, tmp_path):
    (tmp_path / "lesson.json").write_text(json.dumps(LESSON))
    command = ["causal", *options.split(), f"--input={tmp_path}/lesson.json", "--weights=-"]
    refuses(command, message, stdin=json.dumps(weights))


def test_weights_that_fit(tmp_path):
    (tmp_path / "lesson.json").write_text(json.dumps(LESSON))
    command = ["causal", f"--input={tmp_path}/lesson.json", "--weights=-", "--quiet"]
    mask = RIGHT | {"mask": [[False, True], [False, False]]}
    shown = ok(*command, "--d-out=3", "--step=queries", stdin=json.dumps(mask))
    assert "tensor([[1.5000, 2.0000, 3.5000]," in shown
    head = {f"h.0.{name}_proj.weight": [[1, 0], [0, 1]] for name in "qkv"}
    shown = ok(*command, "--heads=2", "--head=0", "--step=keys", stdin=json.dumps(head))
    assert "tensor([[1.5000]," in shown


def test_a_file_without_a_command(tmp_path):
    (tmp_path / "x.txt").touch()
    message = '"x.txt" is a file; attn-walkthrough diagnose identifies the numbers in it.'
    refuses(["walk", "x.txt"], message, cwd=tmp_path)


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".safetensors"])
def test_tensors_are_no_answers(tmp_path, suffix):
    ok("causal", f"--out={tmp_path}/x.npz")
    (tmp_path / "x.npz").rename(tmp_path / f"x{suffix}")
    refuses(["grade", f"x{suffix}"], "grade: expected answers as JSON, such as", cwd=tmp_path)


@pytest.mark.parametrize("command", ["walk", "list", "compare", "causal walk", "walk causal masked"])
@pytest.mark.parametrize("suffix", [".html", ".tex", ".svg"])
def test_an_existing_file_is_not_overwritten_on_a_guess(tmp_path, command, suffix):
    folder = tmp_path / "Course"
    folder.mkdir()
    (folder / f"x{suffix}").write_text("mine")
    answer = run(*command.split(), str(folder / f"x{suffix}"))
    assert (answer.returncode, (folder / f"x{suffix}").read_text()) == (2, "mine"), answer


@pytest.mark.parametrize("line, message", [
    ("diagnose x.txt lost.md", "lost.md: there is no such file; give the path of one, or - for"),
    ("diagnose lost1.md lost2.md", "lost1.md: there is no such file;"),
    ("diagnose x.txt causl", 'there is no stage or command "causl". Did you mean "causal"?'),
    ("diagnose -- causal x.txt x", 'there is no stage or command "x".'),
    ("grade x.json lost.json", "lost.json: there is no such file;"),
    ("diagnose - -", "standard input can be read only once; give - once."),
])  # fmt: skip
def test_the_word_that_is_wrong_among_files(tmp_path, line, message):
    for name in ("x.txt", "x.json"):
        (tmp_path / name).write_text("[0.5, 0.25]")
    refuses(line.split(), message, cwd=tmp_path)


def test_one_letter_is_not_near_another_one():
    said = program.refuses("diagnose - --as 2", message='there is no step "2".', stdin="[0.5, 0.25]")
    assert "Did you mean" not in said


def test_a_level_of_instructions_that_there_is_not():
    program.refuses("causal", message="ATTN_ISA: expected baseline, v3 or v4", ATTN_ISA="v5")


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full", ">&- 2>&-"])
def test_an_error_stays_one_without_a_place_to_say_it(redirection):
    command = ["sh", "-c", f"'{PROGRAM}' causal --nonsense {redirection}"]
    assert subprocess.run(command, capture_output=True).returncode == 2


# These stages have nothing to train, and say why.
@pytest.mark.parametrize("stage, why", [
    ("simplified", "it has no weights and compares the embeddings directly."),
    ("encoder-decoder", "its states are given, so there are no weights to train."),
    ("numpy", "NumPy has no autograd; the other stages show gradients, also in NumPy code."),
    ("training-step", "it runs the backward pass itself."),
    ("masks", "causal shows the gradients through a mask."),
])  # fmt: skip
def test_stages_in_which_nothing_is_trained(stage, why):
    refuses([stage, "--backward"], f"--backward: {stage} does not use it.")
    said = program.refuses(stage, "--backward", message=why)
    assert "These stages do: trainable, linear, causal, " in said


def test_the_other_stages_are_trained():
    ok("all --backward --step=loss --quiet")


@pytest.mark.parametrize(
    "words, name",
    [
        (["causal", "--out", "$(id) b.zzz"], "$(id) b.html"),
        (["exercises", "causal", "--out", "my sheet.pdf"], "my sheet.tex"),
        (["causal", "--json", "a;id b"], "a;id b"),
    ],
)
def test_a_corrected_name_with_a_blank_stays_one_word(words, name):
    answer = program.run(*words)
    assert answer.returncode == 2
    assert any(word.startswith(name) for word in shlex.split(answer.stderr.splitlines()[-1]))


def test_a_number_too_large_for_any_is_not_inf():
    program.refuses("explain", "1" + 309 * "0", message="these stages print no cell as")


@pytest.mark.parametrize("command", ["quiz causal --count 1", "exercises causal", "grade causal -"])
def test_questions_are_about_short_lessons(tmp_path, command):
    long = tmp_path / "long.json"
    long.write_text(program.lesson(*map(str, range(257)), width=3))
    message = "questions are about at most 256 tokens, but this lesson has 257; give fewer."
    program.refuses(command, f"--input={long}", message=message)


def test_a_command_without_a_language_is_not_given_one():
    assert "--lang" not in program.refuses("completion", "因果", message="name a shell: bash|zsh|fish.")


def test_a_stray_byte_is_no_chinese():
    said = subprocess.run([PROGRAM, b"caf\xe9"], capture_output=True, env=program.environment()).stderr
    assert b"there is no stage or command" in said and b"--lang" not in said
