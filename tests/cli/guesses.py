"""First guesses: commands and options of other programs, names of PyTorch's users, and other spellings."""

import json
import re
import shlex
import subprocess
import urllib.parse

import numpy as np
import pytest

import program
from program import COMMANDS, PROJECT, line_at_the_end, ok, run

TABLE = json.loads((PROJECT / "data/first_guesses.json").read_text())
STEPS = {step["name"] for stage in program.stages("all") for step in stage["steps"]}

# A command line, and the one that the program should run in its place.
READ_AS = [
    ("quiz causal 2 --json", "quiz causal --count 2 --json"),
    ("check -", "diagnose -"),
    ("check - --name masked", "diagnose - --as masked"),
    ("show masked --quiet", "walk masked --quiet"),
    ("show masked --format latex", "walk masked --out -.tex"),
    ("causal --to x.html", "causal --out x.html"),
    ("code masked", "walk --out -.py masked"),
    ("softmax", "explain softmax"),
    ("docs", "list documents"),
    ("list document 001", "list 001"),
    ("inspect w.safetensors --layer 0", "walk --weights w.safetensors --layer 0"),
    ("check mine.npy --against attn_weights", "diagnose mine.npy --as attn_weights"),
    ("dropout --seed 7 --p 0.1",
     "walk causal dropout_example attn_weights_dropped --dropout-seed 7 --dropout 0.1"),
    ("MultiHeadAttention --shapes", "MultiHeadAttention list"),
    ("attn_scores --latex --precision 2", "attn_scores --out -.tex --precision 2"),
    ("worksheet causal --answers", "exercises causal --key -.md"),
    ("002 --lang en --format markdown", "walk 002 --lang en --out -.md"),
    ("dump --quiet masked", "walk --quiet masked"),
    ("trace context_vecs --deps", "walk context_vecs --code torch"),
    ("mha --d-in 3 --heads 2 --quiet", "mha --heads 2 --quiet"),
    ("masked --print-options precision=8", "masked --precision 8"),
    ("attn_weights --row journey", "attn_weights --rows journey"),
    ("why scaling", "explain scaling"),
    ("what is softmax", "explain is softmax"),
    ("search dropout", "list dropout"),
    ("summary multihead", "list multihead"),
    ("002", "list 002"),
    ("--list", "list"),
    ("causal --no-color --step 1", "causal --color never --step 1"),
    ("causal-batch --num_heads=2", "multi-head --heads=2"),
    ("multihead --num-heads 4 --d_out 8 --Seed 42", "multihead --heads 4 --d-out 8 --seed 42"),
    ("--token journey", "--focus journey"),
    ("causal --lang Chinese --step 1", "causal --lang zh --step 1"),
    ("-i causal", "causal --step"),
    ("causal steps", "causal list"),
    ("causal heatmap masked", "causal --heatmap masked"),
    ("causal in chinese --step 1", "causal --lang zh --step 1"),
    ("causal zh --step 1", "causal --lang zh --step 1"),
    ("gradients causal --step inputs_grad", "--backward causal --step inputs_grad"),
    ("help softmax", "explain softmax"),
    ("0.5517", "explain 0.5517"),
    ("causal W_query.grad --backward", "causal W_query_grad --backward"),
    ("explain masked --heatmap", "walk masked --heatmap"),
    ("compare - --search-seeds --seed 1", "diagnose - --search-seeds --seed 1"),
    ("diagnose - --atol 1e-3", "compare - --atol 1e-3"),
    ("list causal --quiet", "walk causal --quiet"),
    ("help masked", "explain masked"),
    ("causal --section 3.6 --step 1", "causal --stage 3.6 --step 1"),
    ("causal dropout --seed 7", "causal walk dropout_example attn_weights_dropped --dropout-seed 7"),
    ("causal masked --columns 70", "causal masked --width 70"),
    ("causal masked --lang numpy", "causal masked --code numpy"),
    ("causal --blanks --count 2", "causal exercises --count 2"),
    ("causal grad_W_query", "causal W_query_grad"),
    ("causal dW_q --quiet", "causal W_query_grad --quiet"),
    ("--figure 3.6", "figure 3.6"),
    ("causal seed 123", "causal --seed 123"),
    ("multi-head heads 4 --quiet", "multi-head --heads 4 --quiet"),
    ("causal lang zh --step 1", "causal --lang zh --step 1"),
    ("causal scores row 2", "causal scores --rows 2"),
    ("causal attn_weights row journey", "causal attn_weights --rows journey"),
    ("causal keys journey", "causal keys --rows journey"),
    ("exercises causal count 2", "exercises causal --count 2"),
    ("causal no dropout --step 3", "causal --dropout 0 --step 3"),
    ("causal step 5 to 8", "causal step 5-8"),
    ("causal first 3 steps", "causal 1-3"),
    ("causal 5 \u5230 8", "causal 5-8"),
    ("gradient of W_query", "W_query_grad"),
    ("gradient causal keys", "causal keys_grad"),
    ("list figures", "list"),
    ("book 3.5 --quiet", "3.5 --quiet"),
    ("\u4e2d\u6587 causal --step 1", "--lang zh causal --step 1"),
    ("mha --embed-dim 8 --quiet", "mha --d-out 8 --quiet"),
    ("?", "help"),
    ("difference between causal and linear", "compare causal linear"),
    ("causal vs linear", "causal compare linear"),
    ("\u63a9\u7801 \u662f \u4ec0\u4e48", "'\u63a9\u7801' explain"),
    ("walk section 3.6 --quiet", "walk 3.6 --quiet"),
    # An option that names a stage, or is of one.
    ("causal weights --window 3", "sliding-window weights --window 3"),
    ("causal --sliding-window 2 --quiet", "sliding-window --window 2 --quiet"),
    ("causal --unmasked --quiet", "linear --quiet"),
    ("causal without mask", "linear"),
    ("causal --heads 2 --quiet", "multi-head --heads 2 --quiet"),
    ("multi-head --kv-heads 1 --heads 2 --quiet", "grouped-query --kv-heads 1 --heads 2 --quiet"),
    ("multi-head --rope --quiet", "rotary --quiet"),
    ("multi-head --rope --heads 2 --quiet", "grouped-query --rotary halves --heads 2 --quiet"),
    ("causal --kv-cache --quiet", "kv-cache --quiet"),
    ("causal keys --query cat --text cat", "causal keys --rows cat --text cat"),
    ("multi-head --num-heads 4 --head_dim 3 --quiet", "multi-head --heads 4 --d-out 12 --quiet"),
    ("code causal --lang cpp", "walk causal --code cpp"),
    # Numbers, answers and steps in words about questions.
    ("quiz causal easy", "quiz causal"),
    ("quiz causal masked -n 1", "quiz causal --step masked -n 1"),
    ("exercises causal 3", "exercises causal --count 3"),
    ("exercises causal --difficulty hard", "exercises causal"),
    ("\u6d4b\u9a8c 2\u9898", "quiz --count 2"),
    ("exercise 3.3 solution", "exercises 3.3 --key -.md"),
    ("exercise3.1", "exercises 3.1"),
    # The whole chapter, and two commands of which one is meant.
    ("chapter 3", "list"),
    ("exercises --chapter 3 --count 2", "exercises --count 2"),
    ("list exercises --count 2", "exercises --count 2"),
    ("show errata causal", "errata causal"),
    ("causal masked vs softmax", "causal masked compare softmax"),
    ("explain -inf", "explain infinity"),
    ("--lang zh", "help --lang zh"),
    ("causal --yaml --step 1", "causal --json --step 1"),
    ("列出所有阶段", "list"), ("列出阶段", "list"), ("3.5 用中文", "3.5 --lang zh"),
    ("dropout 是什么", "dropout explain"),
    ("give me ten questions", "--count 10 quiz"),
    ("给我出十道题", "quiz --count 10"),
    ("测验 causal 二十道题", "quiz causal --count 20"),
    ("mark my answers", "grade"),
    ("grade my answers", "grade"),
    ("causal masked seed=7", "causal masked --seed 7"),
]
READ_AS_FLOAT32 = [
    ("causal --device cpu --dtype float32 --step 2", "causal --step 2"),
    ("causal --dtype=float64 masked --precision 10", "causal masked --precision 10"),
    ("causal --cuda masked --quiet", "causal masked --quiet"),
]
# Command lines that do the same, without a message.
ALIKE = [
    ("CAUSAL", "causal"),
    ("--stage causal,linear --quiet", "causal linear --quiet"),
    ("causal,linear --quiet", "causal linear --quiet"),
    ("explain .5517", "explain 0.5517"),
    ("explain causal +0.5517", "explain causal 0.5517"),
    ("multihead", "multi-head"),
    ("Multi_Head", "multi-head"),
    ("gqa", "grouped-query"),
    ("CausalAttention", "causal"),
    ("§3.6.2", "3.6.2"),
    ("figure 3.20", "causal"),
    ("figure 3.6", "encoder-decoder"),
    ("fig. 3.6", "encoder-decoder"),
    ("listing 3.3", "causal-batch"),
    ("listing 3.1 --quiet", "trainable --quiet"),
    ("代码清单3.5", "multi-head"),
    ("causal weights", "causal attn_weights_causal"),
    ("explain causal weights[1][0]", "explain causal attn_weights_causal[1][0]"),
    ("causal W_query_grad", "causal W_query_grad --backward"),
    ("sliding window", "sliding-window"),
    ("kv cache --quiet", "kv-cache --quiet"),
    ("causal attention", "causal"),
    ("attention scores --quiet", "attn_scores --quiet"),
    ("causal context vectors", "causal context_vec"),
    ("3.5 \u8282 --quiet", "3.5 --quiet"),
    ("\u6ed1\u52a8 \u7a97\u53e3", "sliding-window"),
    ("\u56e0\u679c\u6ce8\u610f\u529b \u7b2c16\u6b65", "causal --step 16"),
    ("explain causal step 16", "causal --step 16"),
    ("explain is 0.5517 computed", "explain 0.5517"),
    ("explain padding", "help masks"),
    ("train --quiet", "training-step --quiet"),
    ("causal masked --rows 2", "causal masked --rows 2:3"),
    ("keys_grad", "causal keys_grad --backward"),
    ("causal loss", "causal loss --backward"),
    ("figure 3.13", "trainable"),
    ("figure 3.26", "multi-head"),
    ("fig.3.20", "causal"),
    ("图3.20", "causal"),
    ("第3.5节", "causal"),
    ("因果", "causal"),
    ("causal W_q", "causal W_query"),
    ("causal Q", "causal queries"),
    ("causal Attn_Weights", "causal attn_weights"),
    ("causal context", "causal context_vec"),
    ("causal 掩码", "causal mask"),
    ("causal step 16", "causal --step 16"),
    ("explain causal 16", "causal --step 16"),
    ("causal softmax", "causal attn_weights_causal"),
    ("linear softmax", "linear attn_weights"),
    ("causal --step 1,mask", "causal --step 1 --step mask"),
    ("explain attention_weights[1][0]", "explain attn_weights[1][0]"),
    ("explain 3.5.1", "help 3.5.1"),
    ("causal --step last", "causal --step 20"),
    ("--seed 1", "causal --seed 1"),
    ("--focus journey", "simplified --focus journey"),
    ("--steps 5-8", "causal --step 5-8"),
    ("--step masked --quiet", "masked --quiet"),
    ("--quiet", "causal --quiet"),
    ("masked --rows journey", "masked --rows 1:2"),
    ("compare Attn_Scores attn_scores", "compare attn_scores attn_scores"),
    ("causal --json", "causal --json -"),
    ("causal masked --json --seed 1", "causal masked --seed 1 --json -"),
    ("multi-head --heads 4 --quiet", "multi-head --heads 4 --d-out 4 --quiet"),
    ("multi-head --heads 3 --d-out 6 --quiet", "multi-head --heads 3 --quiet --d-out 6"),
    ("causal --dropout-rng MKL --quiet", "causal --dropout-rng mkl --quiet"),
    ("causal --backward --loss Mean --quiet", "causal --backward --loss mean --quiet"),
    ("causal --code NumPy --step 1", "causal --code numpy --step 1"),
    ("causal row_by_jacobian", "causal row_by_jacobian --backward"),
]
# Wrong command lines, and the one that the message ends with.
def flat(text):
    return " ".join(text.split())


def in_its_language(typed, line):
    """Adds the language in which words are answered: Chinese words without blanks in Chinese."""
    is_chinese = any("\u4e00" <= c <= "\u9fff" for c in typed) and "--lang" not in line
    return line + " --lang zh" if is_chinese else line


@pytest.mark.parametrize("typed, read", READ_AS)
def test_words_of_other_programs(typed, read, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some lines write files
    stdin = "tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])\n"
    line = in_its_language(typed, read)
    answer, expected = run(typed, stdin=stdin), run(line, stdin=stdin)
    note, *rest = answer.stderr.splitlines(keepends=True)
    said = "attn-walkthrough: read as: " if line == read else "attn-walkthrough: \u7406\u89e3\u4e3a\uff1a"
    language = "" if line == read else "--lang zh "
    assert note == f"{said}attn-walkthrough {language}{read}\n"
    rest = "".join(one for one in rest if not one.endswith(" changes nothing here\n"))
    assert (answer.returncode, answer.stdout, rest) == (expected.returncode, expected.stdout, expected.stderr)
    assert "\u7406\u89e3\u4e3a" in run(typed, stdin=stdin, LC_ALL="zh_CN.UTF-8").stderr or "--lang" in typed


@pytest.mark.parametrize("typed, read", READ_AS_FLOAT32)
def test_options_for_a_device_are_dropped(typed, read):
    answer = run(typed)
    said = f"attn-walkthrough: read as: attn-walkthrough {read}\n"
    assert answer.stderr == said + "attn-walkthrough: all numbers are float32, on the CPU\n"
    assert answer.stdout == ok(read)


def test_a_row_is_explained():
    shown = ok("explain causal attn_weights[2]")
    assert shown.startswith(ok("causal attn_weights --rows 2"))
    assert "explain causal 'attn_weights[2][0]' explains one of its numbers." in flat(shown)


def test_a_word_of_several_tokens_names_their_rows():
    said = ok("causal keys --quiet --rows \u5b66\u4e60 --text", "\u6211 \u7231 \u5b66\u4e60")
    assert said == ok("causal keys --quiet --rows 2:4 --text", "\u6211 \u7231 \u5b66\u4e60")
    program.refuses("causal keys --rows \u65c5\u7a0b", message='The tokens are "Your", "journey", "starts"')
    program.refuses("simplified --focus dog", message='expected one of "Your", "journey", "starts"')


def test_an_option_before_a_file_to_judge_is_dropped(tmp_path):
    (tmp_path / "mine.txt").write_text(ok("causal masked"))
    answer = run("diagnose causal --mine mine.txt", cwd=tmp_path)
    assert answer.stderr == "attn-walkthrough: read as: attn-walkthrough diagnose causal mine.txt\n"
    assert answer.stdout == ok("diagnose causal mine.txt", cwd=tmp_path)


def test_weights_of_several_heads_are_answered_with_a_head(tmp_path):
    wide = {f"h.0.attn.c_attn.{part}": np.zeros(shape, "f4")
            for part, shape in (("weight", (128, 384)), ("bias", (384,)))}  # fmt: skip
    np.savez(tmp_path / "w.npz", **wide)
    np.save(tmp_path / "x.npy", np.ones((4, 128), "f4"))
    answer = run("causal --input x.npy --weights w.npz", cwd=tmp_path)
    assert line_at_the_end(answer.stderr) == "causal --input x.npy --weights w.npz --head 0"
    ok("causal --input x.npy --weights w.npz --head 0", cwd=tmp_path)


@pytest.mark.parametrize("typed, usual", ALIKE)
def test_other_spellings(typed, usual):
    assert ok(typed) == ok(in_its_language(typed, usual))


def test_an_option_that_changes_nothing_is_said():
    for typed, dropped in (
        ("causal --no-bias masked --quiet", "--no-bias"),
        ("exercises causal --difficulty hard", "--difficulty hard"),
        ("quiz causal easy", "easy"),
        ("mha --d-in 3 --quiet", "--d-in 3"),
        ("export causal --format html --out -.md", "--format html"),
    ):
        assert f"attn-walkthrough: {dropped} changes nothing here\n" in run(typed).stderr


def test_questions():
    for question in ("why divide by sqrt(d_k)?", "what is softmax", "为什么要掩码"):
        assert run("", question).stdout == ok("explain", question)


def test_a_question_keeps_its_words():
    for question, title in (("why are there zeros above the diagonal", "The causal mask"),
                            ("how do I see the weights", "Softmax"),
                            ("explain what context length means", "Context length"),
                            ("explain cross attention", "Encoder and decoder"),
                            ("how does multi head attention work", "Several heads"),
                            ("explain key padding mask", "Padding"),
                            ("does the mask change the gradient", "Gradients"),
                            ("上下文长度", "上下文长度")):  # fmt: skip
        assert run(question).stdout.startswith(title), question
    said = program.refuses("why is the sky so blue")
    assert 'there is no entry for "why is the sky so blue"' in said
    assert run("why keys[1][0]").stdout == ok("explain keys[1][0]")
    assert run("d_k").stdout == ok("explain d_k")  # a number of several stages, but no step


def test_a_question_about_several_notions():
    both = ok("explain", "query and key")
    assert both == ok("explain query") + "\n" + ok("explain key")
    assert ok("explain query key value").count("shows it with numbers") == 3
    assert ok("explain", "view and transpose").startswith("Splitting into heads\n")
    assert ok("explain", "is a mask -inf before softmax").startswith("Masking before or after softmax\n")
    said = flat(ok("explain why are my dropout numbers different from the book"))
    assert "--dropout-rng mkl shows the other" in said
    assert "diagnose mine.ipynb" in flat(ok("explain why is my result different"))
    assert ok("explain causal keys").startswith("Keys\n")


def test_two_stages_are_compared_with_each_other():
    said = flat(ok("compare linear causal", code=1))
    assert "In both, and equal: inputs, W_query, W_key, W_value, queries, keys, values," in said
    assert "Only in linear: W_query_v1" in said and "Only in causal: mask_simple, masked_simple" in said
    said = flat(ok("compare causal multihead", code=1))
    assert "Settings: seed 789 / 123, num_heads 1 / 2" in said
    assert "queries 6\u00d72 / 2\u00d76\u00d72" in said
    assert ok("explain", "difference between v1 and v2", code=1) == ok("compare trainable linear", code=1)


def test_the_key_names_the_sheet_that_is_marked(tmp_path):
    (tmp_path / "a.json").write_text('{"1": "0.5517"}')
    (tmp_path / "more").mkdir()
    for name in ("b.json", "c.json"):
        (tmp_path / "more" / name).write_text('{"1": "0.5517"}')
    made = "linear --count 3 --seed 5 --quiz-seed 7 --text 'The cat'"
    expected = ok("grade a.json", *shlex.split(made), cwd=tmp_path, code=1)
    for suffix in (".md", ".tex", ".ipynb"):
        ok("exercises", *shlex.split(made), "--key", "key" + suffix, cwd=tmp_path)
        for key in ("--key key", "--key=key", "--sheet key"):
            assert run(f"grade a.json {key}{suffix}", cwd=tmp_path).stdout == expected
    assert "of 10 right" in ok("grade more/", cwd=tmp_path, code=1)
    key = (tmp_path / "key.md").read_text()
    assert run("grade --key - a.json", cwd=tmp_path, stdin=key).stdout == expected
    command = ["bash", "-c", f"'{program.PROGRAM}' grade --key <(cat key.md) a.json"]
    piped = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=program.environment())
    assert piped.stdout == expected
    program.refuses("grade --key - -", cwd=tmp_path, stdin=key, message="can be read only once")
    program.refuses("grade a.json --key a.json", cwd=tmp_path, message="--key: expected a sheet or key of")
    program.refuses("grade a.json --key lost.md", cwd=tmp_path, message="lost.md: there is no such file;")
    program.refuses("grade a.json --key more", cwd=tmp_path, message="more: is a folder;")
    ok("exercises causal --count 2 --lang en --key twice.md", cwd=tmp_path)
    said = run("grade a.json --lang en --key twice.md", cwd=tmp_path).stderr
    assert said.count("--lang en") == 1 and "--count 2" in said
    for evil in ("--out mine.csv", "-o mine.csv", "--out=mine.csv", "-omine.csv", "quiz",
                 "-- mine.csv", "--input mine.json", "--weights=-", "--help", "--version", "a " * 600):
        command = f"attn-walkthrough exercises linear {evil}"
        (tmp_path / "evil.md").write_text(f"made-by:{urllib.parse.quote(command)}\n")
        program.refuses("grade a.json --key evil.md", cwd=tmp_path, message="--key: expected a sheet or key")
        assert not list(tmp_path.glob("mine*"))
    (tmp_path / "l.json").write_text(json.dumps({"tokens": ["a", "b"], "embeddings": [[1, 2, 3], [4, 5, 6]]}))
    ok("exercises causal --input l.json --key k.md", cwd=tmp_path)
    program.refuses("grade a.json --key k.md", cwd=tmp_path, message="with the same --input and --weights")
    assert "of 10 right" in run("grade a.json --key k.md --input l.json", cwd=tmp_path).stdout


KEYS = ["", "causal --text '我 $5 a_b^ 100% #1 \\\\ it'", "causal --text \"don't say \\\"no\\\" <b>\""]


@pytest.mark.parametrize("made", KEYS)
@pytest.mark.parametrize("suffix", [".md", ".tex", ".ipynb"])
def test_a_key_is_marked_whatever_its_words(made, suffix, tmp_path):
    ok("exercises", *shlex.split(made), "--count", "4", "--key", "key" + suffix, cwd=tmp_path)
    ok("exercises", *shlex.split(made), "--count", "4", "--key", "key.ipynb", cwd=tmp_path)
    cells = json.loads((tmp_path / "key.ipynb").read_text())["cells"]
    lines = "\n".join("".join(cell["source"]) for cell in cells)
    answers = dict(re.findall(r'answers\["(\d+)"\] = "(.*)"', lines))
    (tmp_path / "a.json").write_text(json.dumps(answers))
    assert len(answers) == 4
    assert "4 of 4 right" in run(f"grade a.json --key key{suffix}", cwd=tmp_path).stdout


def test_own_numbers_are_compared_within_a_tolerance(tmp_path):
    weights = np.float32(program.steps("causal")["attn_weights_causal"])
    np.save(tmp_path / "a.npy", weights)
    np.save(tmp_path / "b.npy", weights * np.float32(1.0005))
    for tolerance, code in (("--atol 1e-3", 0), ("--atol 1e-4", 1)):
        ok(f"compare a.npy b.npy {tolerance}", cwd=tmp_path, code=code)
        ok(f"compare causal weights b.npy {tolerance}", cwd=tmp_path, code=code)
    said = ok("compare causal attn_weights a.npy --atol 1e-6", cwd=tmp_path, code=1)
    assert "They agree with causal attn_weights_causal[0][0]: " in said
    np.save(tmp_path / "other.npy", np.float32(program.steps("causal")["masked"]) + np.float32(2.5))
    said = ok("compare causal masked other.npy", cwd=tmp_path, code=1)
    assert "nearest to causal masked" in said and "the largest difference is 2.5e+00" in said


def test_a_question_about_a_number_or_a_stage():
    assert ok("explain", "how is 0.5517 computed?") == ok("explain 0.5517")
    compared = ok("compare trainable simplified", code=1)
    assert ok("explain", "is trainable better than simplified?", code=1) == compared


def test_values_and_later_words_stay():
    assert ok("causal", "--text", "check show", "--step", "1")
    assert ok("explain", "check mask") == ok("explain", "mask")
    assert "no_such_file" in run("diagnose no_such_file").stderr


def test_a_format_without_a_file_goes_to_standard_output(tmp_path):
    assert run("export --format ipynb causal").stdout == ok("causal --out -.ipynb")
    assert run("export --format html -o x.html causal", cwd=tmp_path).stdout == ""
    assert (tmp_path / "x.html").read_text() == ok("causal --out -.html")
    assert run("quiz causal --out x.md", cwd=tmp_path).returncode == 0
    assert (tmp_path / "x.md").read_text() == ok("exercises causal --out -.md")


def test_a_step_without_its_stage_names_the_other_stages():
    assert "\nattn_scores is also a step of: simplified, trainable, linear," in ok("attn_scores")
    assert "is also a step of" not in ok("causal attn_scores")


def test_a_step_is_explained():
    shown = ok("explain attn_weights_2")
    assert shown.startswith(ok("attn_weights_2").rsplit("\n\n", 1)[0])
    end = "attn-walkthrough explain simplified 'attn_weights_2[0]' explains one of its numbers."
    assert " ".join(shown.split()).endswith(end)


def test_numbers_from_a_pipe_are_compared():
    for line in ("compare {}", "compare causal queries {} --atol 1e-3", "diagnose {} {}"):
        files = "<(printf '0.9544 1.4950')"
        command = ["bash", "-c", f"'{program.PROGRAM}' {line.replace('{}', files)}"]
        answer = subprocess.run(command, capture_output=True, text=True, env=program.environment())
        assert answer.returncode in (0, 1) and not answer.stderr and "line 1" in answer.stdout, answer


def test_json_goes_to_standard_output_under_its_suffix(tmp_path):
    assert ok("causal --json -.json", cwd=tmp_path) == ok("causal --json -")
    assert not list(tmp_path.iterdir())


def test_numbers_of_a_spreadsheet(tmp_path):
    plain = "x,y,z\n0.43,0.15,0.89\n0.55,0.87,0.66\n"
    named = "token;x;y;z\nYour;0,43;0,15;0,89\n\njourney;0,55;0,87;0,66\n"
    tabs = named.replace(";", "\t").replace(",", ".")
    own = ["Your", "journey"]
    for name, text, tokens in (("a.csv", plain, ["0", "1"]), ("b.csv", named, own), ("c.tsv", tabs, own)):
        (tmp_path / name).write_text(text)
        read = json.loads(ok("simplified --json - --input", str(tmp_path / name)))
        assert read["tokens"] == tokens
        assert read["stages"][0]["steps"][0]["data"] == [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66]]
    for text, message in (("x,y\n1,2\n3\n", ":3: expected 2 numbers, as in the rows above, but found 1."),
                          ("1,2\n3,four\n", ':2: expected a number but found "four".'),
                          ("0.1O5,2\n0.4O,5\n", ':1: expected a number but found "0.1O5".'),
                          ("x,y\n", ": no row of numbers found.")):  # fmt: skip
        (tmp_path / "d.csv").write_text(text)
        program.refuses("causal --input", str(tmp_path / "d.csv"), message=message)


def test_a_step_beside_a_file(tmp_path):
    (tmp_path / "mine.txt").write_text("0.9544 1.4950 1.4754 0.8434 0.7070 1.0865\n")
    named = ok("diagnose attn_scores_2 mine.txt", cwd=tmp_path)
    assert named == ok("diagnose --as attn_scores_2 mine.txt", cwd=tmp_path)
    assert "attn_scores_2" in ok("compare simplified attn_scores_2 mine.txt --atol 1e-3", cwd=tmp_path)
    assert ok("diagnose --quiet mine.txt", cwd=tmp_path) == ""
    assert ok("diagnose", stdin=(tmp_path / "mine.txt").read_text()).startswith("line 1, shape (6,): right")


def test_a_guess_of_a_step_beside_a_file(tmp_path):
    steps = program.steps("causal")
    unmasked = np.float32(steps["attn_weights"])
    np.save(tmp_path / "after.npy", np.tril(unmasked))
    said = ok("compare causal weights after.npy", cwd=tmp_path, code=1)
    assert "attn_weights_causal of causal with a mistake, masked-not-renormalised" in said
    np.save(tmp_path / "right.npy", np.float32(steps["attn_weights_causal"]))
    assert "attn_weights_causal of causal" in ok("compare weights right.npy", cwd=tmp_path)
    np.save(tmp_path / "grad.npy", np.float32(program.steps("causal --backward --dropout 0")["W_query_grad"]))
    said = ok("compare causal W_query_grad grad.npy", cwd=tmp_path)
    assert "This is W_query_grad of causal with --dropout 0 --backward" in flat(said)


def test_a_batch_of_one_is_compared_with_its_sequence(tmp_path):
    context = np.float32(program.steps("multi-head")["context_vec"])[:1]
    for name, numbers in (("a.npy", context), ("b.npy", context[0])):
        np.save(tmp_path / name, numbers)
        said = ok("compare multi-head output", name, *"--batch 1 --atol 1e-6".split(), cwd=tmp_path)
        assert "nearest to multi-head context_vec" in said
    assert ok("compare a.npy b.npy", cwd=tmp_path) == "a.npy and b.npy have the same numbers.\n"
    np.save(tmp_path / "x.npy", np.ones((2, 6, 3), "f4"))
    program.refuses("causal --input x.npy", cwd=tmp_path, message='numpy.save("x.npy", batch[0])')


def test_rows_of_nan(tmp_path):
    weights = np.float32(program.steps("causal")["attn_weights_causal"])
    weights[[0, 3]] = np.nan
    np.save(tmp_path / "x.npy", weights)
    said = flat(ok("diagnose causal x.npy", cwd=tmp_path, code=1))
    assert "Rows of nan, counted from 0: 0, 3. Softmax divides 0 by 0" in said


def test_width():
    lines = ok("causal --width 60").splitlines()
    assert max(len(line) for line in lines if not line.startswith((" ", "tensor", ">", "."))) <= 60
    assert max(map(len, ok("causal --width 120").splitlines())) > 100
    for stage in ("multi-head", "complexity"):
        assert len(ok(f"{stage} --width 60").splitlines()[0]) <= 60
    listed = ok("list mistakes causal --width 60").splitlines()
    assert max(len(line) for line in listed if " " in line.strip()) <= 60  # not a single long word
    program.refuses("causal --width 20", message="--width: expected a whole number from 60 to 1000")


def test_code_without_output(tmp_path):
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("import torch\nx = torch.tensor([[0.43, 0.15, 0.89]])\nprint(x @ x.T)\n")
    said = program.refuses("diagnose a.py::Attention", cwd=tmp_path, message="has code but no output")
    assert "python a.py | attn-walkthrough diagnose -" in said
    program.refuses("diagnose a.py b.py", cwd=tmp_path, message="python a.py | attn-walkthrough diagnose -")


def test_lists():
    shapes = ok("list causal").splitlines()
    assert "  masked               6×6        Future scores are set to -inf before softmax" in shapes
    found = ok("list dropout").splitlines()
    names = ["dropout_example", "attn_weights_dropped"]
    assert [line.split()[:2] for line in found] == [["causal", name] for name in names]
    covered = [line.split()[0] for line in ok("list 003").splitlines() if line[:1].islower()]
    assert covered[:2] == ["causal-self-attention", "numpy"]


def test_the_table_does_not_hide_words_of_the_program():
    listed = program.listed()
    assert not {*TABLE["commands"]} & {*COMMANDS, *listed, *STEPS}
    assert not {*TABLE["stages"]} & {*listed, *(stage.replace("-", "") for stage in listed)}
    assert {*TABLE["stages"].values()} <= {*listed} and {*TABLE["steps"].values()} <= STEPS
    assert {target.split()[0] for target in TABLE["commands"].values()} <= {*COMMANDS, "--version"}
    helps = "".join(ok("help", command, "--help-all") for command in COMMANDS) + "--version"
    for target in [*TABLE["options"].values(), *TABLE["options at the end"].values()]:
        known = target in ("", "--format", "--no-mask", "figure", "listing")
        assert known or target.split()[0] in helps, target
    tables = [TABLE[name] for name in TABLE if isinstance(TABLE[name], dict) and name != "values"]
    assert all(key == key.lower() for table in tables for key in table)


def test_a_file_is_used_for_what_it_contains(tmp_path):
    roles = ("query", "key", "value")
    np.savez(tmp_path / "w.npz", **{f"W_{name}.weight": np.ones((2, 3), "f4") for name in roles})
    np.save(tmp_path / "mask.npy", np.triu(np.ones((6, 6), "f4"), 2))
    np.save(tmp_path / "wide.npy", np.ones((6, 5), "f4"))
    np.savez(tmp_path / "v1.npz", **{f"W_{name}": np.ones((3, 2), "f4") for name in roles})
    assert ok("causal --weights v1.npz", cwd=tmp_path) == ok("causal --weights w.npz", cwd=tmp_path)
    (tmp_path / "lesson.json").write_text(json.dumps(program.LESSON))
    (tmp_path / "cat.txt").write_text("The cat sat\n")
    (tmp_path / "answers.csv").write_text("name,1,2\nAda,0,0\n")
    for typed, read in (("causal w.npz", "causal --weights w.npz"), ("lesson.json", "--input lesson.json"),
                        ("linear lesson.json", "linear --input lesson.json"), ("cat.txt", "--text cat.txt"),
                        ("answers.csv", "grade answers.csv"), ("causal to c.md", "causal --out c.md"),
                        ("causal --mask mask.npy", "causal --set mask=mask.npy")):  # fmt: skip
        answer, expected = run(typed, cwd=tmp_path), run(read, cwd=tmp_path)
        assert answer.stderr == f"attn-walkthrough: read as: attn-walkthrough {read}\n"
        assert (answer.returncode, answer.stdout) == (expected.returncode, expected.stdout)
    np.save(tmp_path / "x.npy", np.ones((4, 3), "f4"))
    both = ok("causal --input x.npy --weights w.npz", cwd=tmp_path)
    assert run("causal x.npy w.npz", cwd=tmp_path).stdout == both
    assert run("causal --text The cat sat").stdout == ok("causal", "--text", "The cat sat")
    assert ok("causal --text cat.txt", cwd=tmp_path) == ok("causal", "--text", "The cat sat")
    (stage,) = json.loads(ok("causal --set mask=mask.npy --json -", cwd=tmp_path))["stages"]
    weights = next(step["data"] for step in stage["steps"] if step["name"] == "attn_weights_causal")
    assert np.count_nonzero(weights) == 26  # one more per row than below the diagonal
    message = "wide.npy: expected shape (6, 6) but received (6, 5)."
    program.refuses("causal --set mask=wide.npy", cwd=tmp_path, message=message)


def test_files_without_a_command(tmp_path):
    np.save(tmp_path / "mine.npy", np.float32(program.steps("causal")["attn_weights_causal"]))
    np.savez(tmp_path / "w.npz", W_q=np.ones((2, 3), "f4"), W_k=np.zeros((2, 3), "f4"))
    assert run("mine.npy", cwd=tmp_path).stdout == ok("diagnose mine.npy", cwd=tmp_path)
    assert ok("list w.npz", cwd=tmp_path).split() == ["W_q", "(2,", "3)", "<f4", "W_k", "(2,", "3)", "<f4"]


def test_two_tensors_are_compared_with_each_other(tmp_path):
    text = " ".join(ok("compare masked_simple_norm attn_weights_causal").split())
    names = "masked_simple_norm and attn_weights_causal"
    assert re.search(names + r" agree up to rounding: the largest difference is \S+e-08, at ", text)
    assert text.startswith("masked_simple_norm = tensor([[1.0000,")
    for name, number in (("a.txt", "0.5517"), ("b.txt", "0.5518")):
        (tmp_path / name).write_text(f"tensor([1.0000, {number}])\n")
    assert ok("compare a.txt a.txt", cwd=tmp_path) == "a.txt and a.txt have the same numbers.\n"
    said = ok("compare a.txt b.txt", cwd=tmp_path, code=1)
    assert said == "a.txt and b.txt differ: the largest difference is 1.0e-04, at [1].\n"
    assert "within the tolerance" in ok("compare a.txt b.txt --atol 1e-3", cwd=tmp_path)
    (tmp_path / "c.txt").write_text("tensor([1.0000])\n")
    assert "a.txt has (2,), c.txt has (1,)" in ok("compare a.txt c.txt", cwd=tmp_path, code=1)


def test_a_walk_without_code_has_all_else():
    plain, short = ok("causal --step 10-16"), ok("causal --step 10-16 --no-code")
    kept = [line for line in plain.splitlines() if not line.startswith((">>> ", "... "))]
    kept = "\n".join(kept).partition("\nWith --code torch")[0]
    assert [line for line in kept.splitlines() if line] == [line for line in short.splitlines() if line]


def test_steps_about_several_words():
    assert "causal masked_simple_norm" in ok("list", "leaks future")
    assert "leakage changed_wrong_axis_context" in ok("list", "information leakage")
    assert [line.split()[0] for line in ok("list documents").splitlines()[:1]] == ["000"]
    assert "attn-walkthrough list mask" in ok("list")
    assert ok("walk 004 --quiet") == ok("walk linear causal leakage --quiet")
    sheets = (ok(f"exercises {words}") for words in ("004", "linear causal leakage"))
    assert len({sheet.rpartition("\n\nCreated with")[0] for sheet in sheets}) == 1  # before the command


def test_answers_of_a_spreadsheet(tmp_path):
    (tmp_path / "a.csv").write_text('name,Q1,2\nAda,"(2, 3)",1\nBob,,\n')
    said = ok("grade causal --count 2 a.csv", cwd=tmp_path, code=1)
    assert said.startswith("Ada\n\n1 · ") and "Ada: " in said and "Bob: 0 of 2 right." in said
    table = ok("grade causal --count 2 a.csv --out -.csv", cwd=tmp_path, code=1).splitlines()
    assert [table[0], table[2]] == ["name,1,2,right", "Bob,0,0,0"]
    assert said.count("Ada: ") == 1 and table[1] == f"Ada,{table[1][4]},0,{table[1][4]}"
    (tmp_path / "d.csv").write_text('name,1\n"Ada; Bob",\n')
    assert "Ada; Bob: 0 of 2 right." in ok("grade causal --count 2 d.csv", cwd=tmp_path, code=1)
    (tmp_path / "b.csv").write_text("name,9\nAda,1\n")
    message = 'name tasks from 1 to 2 but found "9"; for example:\n    name,1,2\n    Ada,0.5517,-inf'
    program.refuses("grade causal --count 2 b.csv", cwd=tmp_path, message=message)
    (tmp_path / "b.csv").write_text("name,0,1\nAda,0.5,1\n")
    message = 'name tasks from 1 to 2 but found "0"; for example:\n    name,1,2\n    Ada,0.5517,-inf'
    program.refuses("grade causal --count 2 b.csv", cwd=tmp_path, message=message)
    (tmp_path / "c.csv").write_text("name\n")
    program.refuses("grade causal c.csv", cwd=tmp_path, message="expected a table of answers; for example:\n")


def test_a_table_of_a_step_holds_numbers_and_no_answers(tmp_path):
    found_in = {"causal keys": "keys of causal", "multi-head attn_weights": "right, attn_weights[0"}
    for step, found in found_in.items():
        ok(f"{step} --quiet --out step.csv", cwd=tmp_path)
        assert found in run(step.split()[0], "step.csv", cwd=tmp_path).stdout


def test_a_misspelt_step_beside_a_file_is_corrected(tmp_path):
    (tmp_path / "a.json").write_text("{}")
    for command in "compare causal kyes a.json", "grade causal kyes a.json":
        program.refuses(command, cwd=tmp_path, message='Did you mean "keys"?')


def test_a_table_without_names_or_with_a_mistake(tmp_path):
    answers = json.loads(ok("quiz --count 2 --json=-", code=0))["questions"]
    right = [one["solution"].replace('"', "") for one in answers]
    quoted = ",".join(f'"{one}"' for one in right)
    (tmp_path / "a.csv").write_text(f"1,2\n{quoted}\n")
    assert ok("grade causal --count 2 a.csv", cwd=tmp_path).endswith("\n2 of 2 right.\n")
    for text in (f"1,2\n{quoted}\n", json.dumps(right), "\ufeff" + json.dumps(right)):
        assert ok("grade causal --count 2 -", stdin=text).endswith("\n2 of 2 right.\n")
    (tmp_path / "a.csv").write_text(f'Group 1,1,2\nAda,{quoted}\n')
    assert ok("grade causal --count 2 a.csv", cwd=tmp_path).endswith("Ada: 2 of 2 right.\n")
    for text, message in (
        (f"name,1,1\nAda,{quoted}\n", "a.csv: task 1 is named twice;"),
        (f"1,Q1\n{quoted}\n", 'a.csv: task 1 is named twice;'),
        ("task,answer\n1,0\nQ1,1\n", "a.csv: task 1 is named twice;"),
        ('name,1,2\nAda,"0,6\nBen,0,6\n', "a.csv:2:5: this quote is not closed."),
    ):
        (tmp_path / "a.csv").write_text(text)
        program.refuses("grade causal --count 2 a.csv", cwd=tmp_path, message=message)


def test_answers_in_a_notebook_without_the_tasks(tmp_path):
    ok("exercises causal --count 2 --key k.md --out s.md", cwd=tmp_path)
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 1,
            "source": 'answers["1"] = "0.1529"'}  # fmt: skip
    mine = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "mine.ipynb").write_text(json.dumps(mine))
    program.refuses("grade mine.ipynb --key k.md", cwd=tmp_path, message="in the sheet as .ipynb or .md, but")


def test_a_table_of_one_student(tmp_path):
    for name in ("ada.csv", "bob.csv"):
        (tmp_path / name).write_text('question,answer\nQ2,1\n1,"(2, 3)"\n')
    (tmp_path / "wide.csv").write_text('name,1,2\nada.csv,"(2, 3)",1\nbob.csv,"(2, 3)",1\n')
    one, all_ = (run("grade causal --count 2 --out -.csv", *files, cwd=tmp_path)
                 for files in (["wide.csv"], ["ada.csv", "bob.csv"]))  # fmt: skip
    assert (all_.returncode, all_.stdout) == (one.returncode, one.stdout)
    (tmp_path / "bad.csv").write_text("question,answer\n1,0\n3,0\n")
    program.refuses("grade causal --count 2 bad.csv", cwd=tmp_path, message='found "answer"; for example:')


def test_own_numbers_are_compared_with_a_tolerance(tmp_path):
    rng = np.random.default_rng(0)
    np.save(tmp_path / "x.npy", rng.normal(size=(5, 3)).astype("f4"))
    np.savez(tmp_path / "w.npz", **{f"W_{name}.weight": rng.normal(size=(2, 3)).astype("f4")
                                    for name in ("query", "key", "value")})  # fmt: skip
    own = "--input x.npy --weights w.npz"
    ok(f"causal {own} --out run.npz", cwd=tmp_path)
    np.save(tmp_path / "mine.npy", np.load(tmp_path / "run.npz")["causal.attn_weights"] + np.float32(1e-4))
    for line in (f"compare causal attn_weights mine.npy {own} --atol 1e-3",
                 f"compare causal mine.npy {own} --atol 1e-3 --as attn_weights",
                 f"compare causal mine.npy {own} --atol 1e-3 --step attn_weights",
                 f"diagnose causal mine.npy {own} --as attn_weights --atol 1e-3"):  # fmt: skip
        assert "all numbers agree within 0.001" in run(line, cwd=tmp_path).stdout
    assert "causal attn_weights[" in ok(f"compare causal mine.npy {own} --atol 1e-6", cwd=tmp_path, code=1)
    program.refuses(f"compare causal {own}", cwd=tmp_path, message="--input: name a file with your numbers")
    answer = run(f"errata {own}", cwd=tmp_path)
    assert line_at_the_end(answer.stderr) is None  # without the own numbers, no line does what was meant


def test_one_head_is_shown(tmp_path):
    whole = np.float32(program.steps("multi-head")["attn_weights"])
    shown = ok("multi-head attn_weights --head 1")
    assert ">>> print(attn_weights[0, 1])\n" in shown and f"{whole[0, 1, 1, 0]:.4f}" in shown
    assert f"{whole[0, 0, 1, 0]:.4f}" not in shown
    assert shown.rpartition("])\n")[2].startswith("tensor([[1.0000")
    assert ok("multi-head attn_weights --head 1 --quiet") in shown
    picture = ok("multi-head attn_weights --head 1 --heatmap")
    assert "head 1" in picture and "head 0" not in picture and f"{whole[0, 1, 1, 0]:.4f}" in picture
    ok("multi-head attn_weights --head 1 --out x.svg", cwd=tmp_path)
    svg = (tmp_path / "x.svg").read_text()
    assert "head 1" in svg and "head 0" not in svg
    grouped = ok("grouped-query keys_heads --heads 4 --kv-heads 2 --head 3 --quiet")
    keys = np.float32(program.steps("grouped-query")["keys_heads"])
    assert f"{keys[0, 1, 0, 0]:.4f}" in grouped and f"{keys[0, 0, 0, 0]:.4f}" not in grouped


def test_messages_of_pytorch_about_shapes():
    said = ok("explain", "RuntimeError: mat1 and mat2 shapes cannot be multiplied (6x3 and 2x3)")
    advice = "Here 3 and 2 differ. Transpose the right matrix with .T: (6×3) @ (3×2) gives (6×2)."
    assert advice in flat(said)
    assert run("", "RuntimeError: mat1 and mat2 shapes cannot be multiplied (6x3 and 2x3)").stdout == said
    left = ok("explain", "mat1 and mat2 shapes cannot be multiplied (6x3 and 6x2)")
    assert "Transpose the left matrix with .T: (3×6) @ (6×2) gives (3×2)." in flat(left)
    neither = ok("explain", "mat1 and mat2 shapes cannot be multiplied (6x3 and 4x2)")
    assert "Here 3 and 4 differ. No transpose helps" in flat(neither)
    assert "这里 3 与 2 不同" in ok("explain", "shapes cannot be multiplied (6x3 and 2x3)", "--lang=zh")
    assert "differ" not in ok("explain", "shapes cannot be multiplied (6x3 and 3x2)")
    assert "±1/√d_in" in ok("explain why does nn.Linear give different numbers than nn.Parameter")


def test_cells_that_print_a_number_are_lines_to_type():
    lines = [line.strip() for line in ok("explain 0.4419 --stage simplified").splitlines()[1:]]
    assert lines == [f"attn-walkthrough explain simplified '{cell}'"
                     for cell in ("context_vec_2[0]", "all_context_vecs[1][0]")]  # fmt: skip
    for line in lines:
        assert "0.4419" in ok(*shlex.split(line)[1:])
    typed = run("", "simplified", "context_vec_2[0]")
    assert typed.stdout == ok("explain", "simplified", "context_vec_2[0]")


def test_other_programs_read_plain_messages():
    plain = run("causal --sed 5", ATTN_MESSAGES="plain")
    usual = run("causal --sed 5").stderr
    assert usual == f"attn-walkthrough: {plain.stderr}    attn-walkthrough causal --seed 5\n"
    assert run("show masked --quiet", ATTN_MESSAGES="plain").stderr == ""


def test_a_guessed_step_beside_a_file_leaves_all_steps(tmp_path):
    (tmp_path / "mine.txt").write_text(ok("causal attn_weights_causal"))
    for word in ("weights", "softmax", "attention"):
        said = ok(f"compare causal {word} mine.txt", cwd=tmp_path)
        assert "step 16 of causal: attn_weights_causal" in said


def test_questions_are_asked_as_people_ask_them(tmp_path):
    (tmp_path / "error.log").write_text(
        'Traceback (most recent call last):\n  File "a.py", line 6, in <module>\n    queries @ keys\n'
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (6x2 and 6x2)\n\n")
    said = ok("explain error.log", cwd=tmp_path)
    assert "Transpose the right matrix with .T: (6×2) @ (2×6) gives" in said
    assert said == ok("explain -", stdin=(tmp_path / "error.log").read_text())
    for question, begins in (
        ("why do my attention weights not sum to 1 after dropout", "Why the kept numbers grow\n"),
        ("why do my rows not sum to 1", "Masking before or after softmax\n"),
        ("explain 'context_vec = (attn_weights @ values).transpose(1, 2)'", "Splitting into heads\n"),
        ("explain 'F.scaled_dot_product_attention(q, k, v, is_causal=True)'", "One call"),
        ("explain difference between is_causal and attn_mask", "One call"),
    ):
        assert run(*shlex.split(question)).stdout.startswith(begins), question
    assert "'attn_weights[0][1][4][2]'" in ok("explain", "where does the 0.1996 of attn_weights come from")


def test_the_mistakes_of_a_stage_are_listed():
    said = ok("list mistakes causal")
    assert "mask-excludes-diagonal" in said and "heads-summed" not in said
    assert run("mistakes causal").stdout == said
    assert "heads-summed" in ok("list mistakes") and "掩码" in ok("list mistakes --lang zh")


def test_a_table_of_a_form_is_marked(tmp_path):
    (tmp_path / "form.csv").write_text(
        'Timestamp,Name,Q1,Q2\n2025/03/11 9:02:14,Ada,7,8\n2025/03/11 9:03:40,Ben,7,\n')
    said = run("grade causal form.csv --count 2", cwd=tmp_path).stdout
    assert "Ada: 0 of 2" in said and "Ben: 0 of 2" in said and "9:02" not in said
    program.refuses("grade causal marks.csv --count 2", cwd=tmp_path, message="no such file")
    (tmp_path / "marks.csv").write_text("Name,Q1,remark,Q2\nAda,7,good,8\n")
    program.refuses("grade causal marks.csv --count 2", cwd=tmp_path, message='found "remark"')
    (tmp_path / "marks.csv").write_text("Name,Q1\nAda,7\n\nBen,8\nAda,9\n")
    program.refuses("grade causal marks.csv --count 2", cwd=tmp_path,
                    message='marks.csv: row 4 names "Ada" again, after row 2; give each student one row.')
    (tmp_path / "marks.xlsx").write_bytes(b"PK\x03\x04\x14\x00")
    program.refuses("grade causal marks.xlsx --count 2", cwd=tmp_path, message="save a table as CSV")


def test_a_list_of_vectors_is_an_input():
    assert "0.8446" in ok("simple --input -", stdin="[[1,0],[0,1],[1,1]]")
    program.refuses("simple --input [[1,0]]", message="give the path of one, or - for standard input")
    program.refuses("simple --input -", stdin="[1, 0]", message="expected one row of numbers per token")


def test_weights_before_the_mask_are_written_with_a_word(tmp_path):
    answer = run("causal attn_weights --out -.csv")
    assert answer.stderr == ('attn-walkthrough: attn_weights · Attention weights before masking · '
                             'Did you mean "attn_weights_causal"?\n')  # fmt: skip
    assert answer.returncode == 0 and "journey" in answer.stdout
    for quiet in ("causal attn_weights", "causal attn_weights_causal --out -.csv",
                  "linear attn_weights --out -.csv"):  # fmt: skip
        assert run(quiet).stderr == ""


def test_a_different_step_is_no_mistake(tmp_path):
    np.save(tmp_path / "mine.npy", np.float32(program.steps("causal")["attn_weights_causal"]))
    said = flat(ok("compare causal attn_weights mine.npy", cwd=tmp_path, code=1))
    assert "not attn_weights. These are also the numbers of attn_weights_causal of causal." in said
    assert "mistake" not in said
