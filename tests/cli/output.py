"""No output is lost unnoticed, and files replace only what they should."""

import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile

import pytest

from program import LESSON, PROGRAM, environment, ok, own_weights, run

PASTED = "tensor([[0.1921, 0.1646], [0.2041, 0.1659]])\n"
SUFFIXES = "npz safetensors html ipynb md tex csv svg"
WAYS = [
    line.split()
    for line in (
        "", "--help", "--version", "list", "errata", "man", "completion bash", "completion zsh",
        "completion fish", "causal", "causal --quiet", "causal --heatmap", "causal compare",
        "causal explain keys[0][0]", "causal explain keys[0][0] --json=-", "causal diagnose -",
        "causal diagnose - --json=-", "causal quiz", "causal --step=keys --json -",
        *(f"causal --step=keys --out -.{suffix}" for suffix in SUFFIXES.split()), "causal --json=/dev/stdout",
    )
]  # fmt: skip
every_way = pytest.mark.parametrize("arguments", WAYS, ids=" ".join)


def start(arguments, **streams):
    """Starts a process with PASTED as its input, which is also an answer to a quiz."""
    process = subprocess.Popen(
        [PROGRAM, *map(str, arguments)],
        **{"stdin": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment()} | streams,
    )
    try:
        process.stdin.write(PASTED.encode())
        process.stdin.close()
    except BrokenPipeError:
        pass
    process.stdin = None
    return process


def ends(process, code, message=""):
    _, said = process.communicate(timeout=60)
    message = message and f"attn-walkthrough: standard output: cannot be written ({message}).\n"
    assert (process.returncode, said.decode()) == (code, message)


@every_way
def test_standard_output_that_takes_nothing(arguments):
    with open("/dev/full", "wb") as full:
        ends(start(arguments, stdout=full), 2, "No space left on device")
    ends(start(arguments, preexec_fn=lambda: os.close(1)), 2, "Bad file descriptor")
    for handler, code, message in (
        (signal.SIG_DFL, -signal.SIGPIPE, ""), (signal.SIG_IGN, 2, "Broken pipe")
    ):  # fmt: skip
        theirs, ours = os.pipe()
        os.close(theirs)
        process = start(
            arguments, stdout=ours, preexec_fn=lambda handler=handler: signal.signal(signal.SIGPIPE, handler)
        )
        os.close(ours)
        ends(process, code, message)


@every_way
def test_of_a_file_that_may_not_grow_the_part_that_fits_is_written(arguments):
    uncounted = environment(LLVM_PROFILE_FILE="/dev/null")  # the profile could not be written either
    whole = start(arguments, stdout=subprocess.PIPE).communicate()[0]
    for limit in (0, 1, len(whole) // 2, len(whole) - 1):
        with tempfile.TemporaryFile() as file:
            limits = resource.RLIMIT_FSIZE, (limit, limit)
            process = start(
                arguments, stdout=file, env=uncounted, preexec_fn=lambda: resource.setrlimit(*limits)
            )
            ends(process, 2, "File too large")
            file.seek(0)
            assert file.read() == whole[:limit]


@every_way
def test_a_reader_that_goes_after_the_first_line(arguments):
    default = lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    with start(arguments, stdout=subprocess.PIPE, preexec_fn=default) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode in (0, 1, -signal.SIGPIPE)


@pytest.fixture(scope="module")
def expected():
    return ok("causal --json=-")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lesson.json").write_text(json.dumps(LESSON))
    (tmp_path / "sub").mkdir()
    return tmp_path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def refuses(folder, message, line, *more):
    def files():
        return {name: (folder / name).read_bytes() for name in names(folder) if (folder / name).is_file()}

    before = files()
    answer = run(line, *more)
    assert (answer.returncode, answer.stdout) == (2, "") and message in answer.stderr, (line, answer)
    assert files() == before


def test_an_input_is_never_written(folder):
    (folder / "weights.json").write_text(json.dumps(own_weights([[1, 0], [0, 1]])))
    (folder / "pasted.txt").write_text(PASTED)
    symbolic, hard = folder / "symbolic", folder / "hard"
    for name, line in (
        ("lesson.json", "causal --input lesson.json"),
        ("weights.json", "causal --input lesson.json --weights weights.json"),
        ("pasted.txt", "causal diagnose pasted.txt"),
    ):
        symbolic.symlink_to(name)
        os.link(name, hard)
        for other in (name, symbolic, hard, f"sub/../{name}", f"{folder}//./{name}"):
            refuses(folder, ": this file is the input; give another file to write.", f"{line} --json", other)
        assert symbolic.is_symlink()
        symbolic.unlink()
        hard.unlink()
    for name, line in (("lesson.json", "causal --input -"), ("pasted.txt", "diagnose -")):
        before = (folder / name).read_bytes()
        with open(folder / name, "rb") as file:
            answer = run(line, "--json", name, stdin=file)
        assert (answer.returncode, (folder / name).read_bytes()) == (2, before), answer
        assert ": this file is the input; give another file to write." in answer.stderr


def test_the_reason_stands_apart_from_a_long_name(folder):
    refuses(folder, "…: cannot be written (File name too long).", f"causal --out {'x' * 300}.md")


def test_a_folder_that_may_not_be_opened_is_not_called_empty():
    with tempfile.TemporaryDirectory() as parent:
        os.chmod(parent, 0o755)
        shutil.copy(PROGRAM, parent)
        os.mkdir(f"{parent}/closed", 0)
        nobody = {"user": 65534} if os.geteuid() == 0 else {}
        command = [f"{parent}/attn-walkthrough", "diagnose", f"{parent}/closed"]
        answer = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment(), **nobody)
        assert answer.returncode == 2
        assert f"{parent}/closed: cannot be read (Permission denied)." in answer.stderr


def test_none_is_written_when_one_cannot_be(folder):
    for line, message in (
        ("--out x.svg", "a .csv or .svg shows one step of one stage"),
        ("--out none/x.npz", "does not exist; create it first."),
        ("--out lesson.json/x.npz", "cannot be written (Not a directory)"),
        ("--input lesson.json --out lesson.json", ": this file is the input"),
        ("--out good.json",
         "--json good.json and --out good.json would write the same file; give two different files."),
        ("--step=no_such", "have no step"),
    ):  # fmt: skip
        refuses(folder, message, f"causal --json good.json {line}")
    (folder / "other").symlink_to(folder)
    (folder / "later.json").symlink_to("o.json")
    for a, b in (
        ("o.json", "./o.json"), ("o.json", folder / "o.json"), ("sub/../o.json", "o.json"),
        ("other/o.json", "o.json"), ("later.json", "o.json"), (folder / "later.json", "other/o.json"),
    ):  # fmt: skip
        refuses(folder, "would write the same file", f"causal --json {a} --out {b}")
    assert names(folder) == ["later.json", "lesson.json", "other", "sub"]
    ok("causal --quiet --json=o.json --out=sub/o.json")
    (folder / "link.npz").symlink_to("o.json")
    refuses(folder, "would write the same file", "causal --json o.json --out link.npz")
    ok("causal --quiet --json=/dev/null --out=o.json")


@pytest.mark.parametrize("line", [
    "causal --out=a.md --out=b.html", "causal exercises --out=a.md --key=b.ipynb"
])  # fmt: skip
def test_all_files_are_new_or_all_are_old(line, folder):
    ok(line)
    sizes = {path.name: path.stat().st_size for path in sorted(folder.glob("[ab].*"))}
    first, last = sizes
    assert sizes[first] < sizes[last] - 1
    limits = resource.RLIMIT_FSIZE, (sizes[last] - 1, sizes[last] - 1)
    for path in (folder / first, folder / last):
        path.write_text("old")
    answer = run(line, LLVM_PROFILE_FILE="/dev/null", preexec_fn=lambda: resource.setrlimit(*limits))
    assert answer.returncode == 2 and f"{last}: cannot be written (File too large)" in answer.stderr
    assert {(folder / name).read_text() for name in sizes} == {"old"}
    assert names(folder) == sorted(["lesson.json", "sub", *sizes])


def test_what_is_open_already_is_written_through(folder, expected):
    log = folder / "log"
    log.write_text("before\n")
    with open(log, "ab") as descriptor:
        number = descriptor.fileno()
        ok(f"causal --quiet --json /dev/fd/{number}", pass_fds=[number])
        os.write(number, b"after\n")
    assert log.read_text() == f"before\n{expected}after\n"
    with open(log, "wb") as out:
        process = start("causal --quiet --json=/dev/stderr".split(), stdout=subprocess.DEVNULL, stderr=out)
        assert process.wait(60) == 0
    assert log.read_text() == expected
    refuses(folder, "/dev/fd/99: cannot be written (", "causal --json=/dev/fd/99")
    assert names(folder) == ["lesson.json", "log", "sub"]


def test_links_lead_on_and_pipes_and_devices_stay(folder, expected):
    (folder / "link").symlink_to("real.json")
    (folder / "null").symlink_to("/dev/null")
    for name in ("link", "null"):
        ok("causal --json", f"./{name}")
        assert (folder / name).is_symlink()
    assert (folder / "real.json").read_text() == expected
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    process = start("causal --quiet --json ./pipe".split(), stdout=subprocess.DEVNULL)
    assert pipe.read_text() == expected
    ends(process, 0)
    # The page walks again with the weights, although a pipe delivers them only once.
    process = start("causal --weights pipe --out page.html".split(), stdout=subprocess.DEVNULL)
    pipe.write_text(json.dumps(own_weights([[1, 0, 0], [0, 1, 0]])))
    ends(process, 0)
    assert pipe.is_fifo()
    assert names(folder) == ["lesson.json", "link", "null", "page.html", "pipe", "real.json", "sub"]
    assert run("causal --json=/dev/full").returncode == 2


def of_the_program_built_first(*line):
    first = PROGRAM.removesuffix("walkthrough") + "first"
    done = subprocess.run([first, *line], capture_output=True, text=True, env=environment())
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("line", [
    "causal", "causal --step masked --heatmap", "multi-head --backward --code numpy", "--stage all --json -",
    "causal --lang zh", "--stage=linear --seed 1", "walk causal linear --quiet", "causal --text=a --rows :1",
])
def test_the_program_built_first_does_the_same(line):
    done = run(*line.split())
    assert of_the_program_built_first(*line.split()) == (done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("line", [
    "diagnose mine.txt", "dignose mine.txt", "mine.txt", "compare causal", "compare causal mine.txt", "quiz",
    "explain softmax", "why is the mask -inf", "explain causal keys[1][0]", "exercises 3.1", "grade mine.txt",
    "list", "help causal", "casual", "causal --head 3", "causal --num_heads 2", "causal --out x.html",
    "causal --set mask=mine.txt", "因果", "000 causal", "score causal", "causal first 3 steps",
    "causal --json x.npz", "what is softmax",
])
def test_the_program_built_first_leaves_the_rest_to_the_whole_one(tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.txt").write_text("tensor([[0.1, 0.2]])")
    assert of_the_program_built_first(*line.split())[:2] == (3, "")
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]
