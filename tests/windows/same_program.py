"""The program for Windows, run under Wine, prints and writes the same as the native one."""

# ATTN_WINDOWS is the build for Windows, ATTN_BUILD the native one.

import json
import os
import pathlib
import re
import subprocess

import pytest

from program import PROGRAM

if "ATTN_WINDOWS" not in os.environ:
    pytest.skip("tests/windows/run.sh builds the program for Windows", allow_module_level=True)
BUILD = pathlib.Path(os.environ["ATTN_WINDOWS"]).resolve()
WINE = "wine", f"{BUILD}/attn-walkthrough.exe"
LESSON = {"tokens": ["你好", "a b"], "embeddings": [[1.5, 2, 3], [3, 4.25, -1]]}
# Each command line gives the same standard output, standard error, files and exit code.
SAME = [
    "--help", "--version-of-nothing", "list", "errata --lang zh", "causal", "causal --lang zh",
    "causal --color always --heatmap", "causal --heatmap", "compare causal", "causal --seed 5 compare",
    "causal --backward --json -", "explain causal attn_weights[1][0]", "quiz causal --count 2",
    "causal --input lesson.json", "causal --input -", "causal --input no/such.json",
    "causal --input broken.json --lang zh", "diagnose causal weights.txt", "causal --json new.json",
    "causal --out new.npz", "causal --out new.html", "causal --step keys --out new.csv",
    "causal --json no/such/folder.json", "multi-head --seed 3 --out -.npz",
    "training-step --lr 0.1 --quiet",
]  # fmt: skip


@pytest.fixture(scope="module")
def wine(tmp_path_factory):
    """Returns the environment of a fresh Wine."""
    home = str(tmp_path_factory.mktemp("home"))
    variables = {"HOME": home, "WINEPREFIX": f"{home}/wine", "WINEDEBUG": "-all", "LC_ALL": "C.UTF-8"}
    variables["PATH"] = os.environ["PATH"]
    subprocess.run(["wineboot", "--init"], env=variables, check=True, capture_output=True)
    # Wine's own processes live as long as any program runs, and keep open the output of the program that
    # started them. So one program starts them before the others, and runs until the end.
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(["wine", "cmd"], env=variables, **streams) as kept:
        kept.stdin.write(b"echo ready\r\n")
        kept.stdin.flush()
        assert any(b"ready" in line for line in kept.stdout), "Wine's cmd ended before it was ready"
        yield variables
        kept.stdin.close()
    subprocess.run(["wineserver", "--kill", "--wait"], env=variables)


@pytest.fixture
def run(wine, tmp_path):
    """Runs a command in a fresh folder. Returns its exit code, messages, output and the folder's files."""
    number = 0

    def run(*command, stdin=b"0\nnonsense\n", rename={}, **variables):
        nonlocal number
        folder = tmp_path / str(number := number + 1)
        (folder / "sub").mkdir(parents=True)
        (folder / "lesson.json").write_text(json.dumps(LESSON))
        (folder / "broken.json").write_text('{"tokens": ["a"],\n "embeddings": [[0.1, }')
        (folder / "old.json").write_text("old" * 100000)
        (folder / "weights.txt").write_text("tensor([[1.0000, 0.0000], [0.5517, 0.4483]])\n")
        for old, new in rename.items():
            (folder / old).rename(folder / new)
        stdin = json.dumps(LESSON).encode() if "-" in command else stdin
        # A program whose Wine server ends, as it may on a busy machine, ends with 1 and prints nothing. Ours
        # ends with 1 only after it has printed what differs, and crashes are reported, so this is repeated.
        for _ in range(2):
            answer = subprocess.run(
                command, input=stdin, capture_output=True, cwd=folder, env=wine | variables
            )
            if (answer.returncode, answer.stdout, answer.stderr) != (1, b"", b""):
                break
        files = {
            str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()
        }
        return answer.returncode, answer.stderr.decode(), answer.stdout, files

    return run


def test_the_unit_tests_pass(run):
    excluded = "--source-file-exclude=*diagnosis*", "--test-case-exclude=*linear time*"
    code, _, text, _ = run("wine", f"{BUILD}/attn-tests.exe", *excluded)
    assert code == 0, text[-3000:]
    assert re.search(rb"test cases: +[2-9]\d\d \| +\d+ passed \| 0 failed", text)


@pytest.mark.parametrize("level", ["baseline", "v3", "v4"])
@pytest.mark.parametrize("threads", ["1", "2"])
def test_every_stage_has_the_native_bytes_on_every_instruction_level(run, level, threads):
    command = "--stage", "all", "--json", "-", "--threads", threads
    theirs, ours = (run(*program, *command, ATTN_ISA=level) for program in ((PROGRAM,), WINE))
    assert ours == theirs, f"level {level}, {threads} threads"
    if f"this processor does not support {level}" in ours[1]:
        print(f"no level {level} here")
    else:
        assert ours[0] == 0, ours[1]


def test_command_lines(run):
    codes = set()
    for line in SAME:
        ours = run(*WINE, *line.split())
        assert ours == run(PROGRAM, *line.split()), line
        codes.add(ours[0])
    assert codes == {0, 1, 2}


@pytest.mark.parametrize("name", ["my lesson.json", "输入 文件.json", "ü €.json", "it's.json"])
def test_names_with_spaces_and_of_any_script(run, name):
    command = "simplified", "--input", name, "--focus", "你好", "--json", f"结果 {name}"
    code, said, _, files = run(*WINE, *command, rename={"lesson.json": name})
    assert (code, said, json.loads(files[f"结果 {name}"])["tokens"]) == (0, "", LESSON["tokens"])


def test_backslashes_separate_folders(run):
    command = "causal", "--input", "sub\\lesson.json", "--json", "sub\\new.json"
    code, said, _, files = run(*WINE, *command, rename={"lesson.json": "sub/lesson.json"})
    assert (code, said) == (0, "") and {"sub/lesson.json", "sub/new.json"} <= set(files)


def test_files_that_cannot_be_written(run):
    code, said, text, _ = run(*WINE, "causal", "--json", "Z:/proc/new.json")
    assert (code, text) == (2, b"")
    assert re.fullmatch(r"attn-walkthrough: Z:/proc/new\.json: cannot be written \(.+\)\.\n", said)
    for name in ("lesson.json", ".\\LESSON.json", "./lesson.json"):
        code, said, _, files = run(*WINE, "causal", "--input", "lesson.json", "--json", name)
        message = f"attn-walkthrough: {name}: this file is the input; give another file to write.\n"
        assert (code, said, json.loads(files["lesson.json"])) == (2, message, LESSON)


def test_a_file_is_replaced_whole_and_redirected_output_has_line_feeds(run):
    code, _, text, files = run(*WINE, "causal", "--json", "old.json")
    assert code == 0 and files["old.json"] == run(PROGRAM, "causal", "--json=-")[2]
    text = run(*WINE, "causal")[2]
    assert b"\r" not in text and "√".encode() in text


def test_answers_may_end_with_a_carriage_return(run):
    one, other = (
        run(*WINE, "quiz", "causal", "--count", "2", stdin=answers)[2].replace(b"\r", b"")
        for answers in (b"0.5\n2\n", b"0.5\r\n2\r\n")
    )
    assert one == other
