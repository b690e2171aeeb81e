"""No output is lost unnoticed: every view is written to a standard output that takes nothing, takes a part of
it, or is closed. Files replace only what they should.
"""

import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import unittest

from program import LESSON, PROGRAM, environment, run

PASTED = "tensor([[0.1921, 0.1646], [0.2041, 0.1659]])\n"
EXPORTS = (
    ["--json", "-"],
    *(
        ["--out", f"-.{suffix}"]
        for suffix in ("npz", "safetensors", "html", "ipynb", "md", "tex", "csv", "svg")
    ),
)
WAYS = (
    [], ["--help"], ["--version"], ["list"], ["errata"], ["man"], ["completion", "bash"],
    ["completion", "zsh"], ["completion", "fish"], ["causal"], ["causal", "--quiet"], ["causal", "--heatmap"],
    ["causal", "compare"], ["causal", "explain", "keys[0][0]"],
    ["causal", "explain", "keys[0][0]", "--json=-"], ["causal", "diagnose", "-"],
    ["causal", "diagnose", "-", "--json=-"], ["causal", "quiz"],
    *(["causal", "--step=keys", *export] for export in EXPORTS), ["causal", "--json=/dev/stdout"],
)  # fmt: skip


def start(arguments, **streams):
    """Starts a process with PASTED as its input, which is also an answer to a quiz."""
    process = subprocess.Popen(
        [PROGRAM, *arguments],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **{"env": environment(), **streams},
    )
    try:
        process.stdin.write(PASTED.encode())
        process.stdin.close()
    except BrokenPipeError:
        pass
    process.stdin = None
    return process


def ignore_closed_pipes():
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)


def obey_closed_pipes():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


class StandardOutput(unittest.TestCase):
    def fails(self, process, arguments, reason):
        _, said = process.communicate(timeout=60)
        assert (process.returncode, said.decode()) == (2, f"attn-walkthrough: {reason}.\n"), arguments

    def test_a_full_device(self):
        for arguments in WAYS:
            with open("/dev/full", "wb") as full:
                name = "standard output"
                self.fails(
                    start(arguments, stdout=full),
                    arguments,
                    f"{name}: cannot be written (No space left on device)",
                )

    def test_a_descriptor_that_is_closed(self):
        for arguments in WAYS:
            process = start(arguments, preexec_fn=lambda: os.close(1))
            self.fails(process, arguments, "standard output: cannot be written (Bad file descriptor)")

    def test_a_file_that_may_not_grow(self):
        """The part of a write that fits is written, and the rest fails."""
        uncounted = environment(LLVM_PROFILE_FILE="/dev/null")  # the profile could not be written either
        for arguments in WAYS:
            whole = start(arguments, stdout=subprocess.PIPE).communicate()[0]
            for limit in (
                (0, 1, len(whole) // 2, len(whole) - 1) if arguments[:1] != ["complexity"] else (0, 1)
            ):
                with tempfile.TemporaryFile() as file:
                    process = start(
                        arguments,
                        stdout=file,
                        env=uncounted,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
                    )
                    self.fails(process, arguments, "standard output: cannot be written (File too large)")
                    file.seek(0)
                    assert file.read() == whole[:limit], arguments

    def test_a_reader_that_has_gone(self):
        for arguments in WAYS:
            for prepare, code, message in (
                (obey_closed_pipes, -signal.SIGPIPE, ""),
                (
                    ignore_closed_pipes,
                    2,
                    "attn-walkthrough: standard output: cannot be written (Broken pipe).\n",
                ),
            ):
                theirs, ours = os.pipe()
                os.close(theirs)
                process = start(arguments, stdout=ours, preexec_fn=prepare)
                os.close(ours)
                _, said = process.communicate(timeout=60)
                assert (process.returncode, said.decode()) == (code, message), arguments

    def test_a_reader_that_goes_after_the_first_line(self):
        for arguments in WAYS:
            process = start(arguments, stdout=subprocess.PIPE, preexec_fn=obey_closed_pipes)
            process.stdout.readline()
            process.stdout.close()
            said = process.stderr.read()
            process.stderr.close()
            assert process.wait(60) in (0, 1, -signal.SIGPIPE), arguments
            assert said == b"", arguments


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.lesson = self.folder / "lesson.json"
        self.lesson.write_text(json.dumps(LESSON))
        self.expected = run("causal", "--json=-").stdout

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def refuses(self, *arguments, message, **streams):
        before = {
            name: (self.folder / name).read_bytes() for name in self.names() if (self.folder / name).is_file()
        }
        answer = subprocess.run(
            [PROGRAM, *map(str, arguments)],
            capture_output=True,
            encoding="utf-8",
            env=environment(),
            **streams,
        )
        assert (answer.returncode, answer.stdout) == (2, ""), arguments
        assert message in answer.stderr
        assert {
            name: (self.folder / name).read_bytes() for name in self.names() if (self.folder / name).is_file()
        } == before

    def test_an_input_is_never_written(self):
        weights = self.folder / "weights.json"
        weights.write_text(
            json.dumps({f"W_{name}.weight": [[1, 0], [0, 1]] for name in ("query", "key", "value")})
        )
        pasted = self.folder / "pasted.txt"
        pasted.write_text(PASTED)
        (self.folder / "sub").mkdir()
        for path, arguments in (
            (self.lesson, ["--input", self.lesson]),
            (weights, ["--input", self.lesson, "--weights", weights]),
            (pasted, ["diagnose", pasted]),
        ):
            symbolic, hard = self.folder / "symbolic", self.folder / "hard"
            symbolic.symlink_to(path.name)
            os.link(path, hard)
            for name in (
                path,
                symbolic,
                hard,
                self.folder / "sub" / ".." / path.name,
                f"{self.folder}//./{path.name}",
            ):
                self.refuses(
                    "causal",
                    *arguments,
                    "--json",
                    name,
                    message=": this file is the input; give another file to write.",
                )
            assert symbolic.is_symlink()
            symbolic.unlink()
            hard.unlink()

    def test_none_is_written_when_one_cannot_be(self):
        good = self.folder / "good.json"
        for arguments, message in (
            (["--out", self.folder / "x.svg"], "an .svg shows one step of one stage"),
            (["--out", self.folder / "none" / "x.npz"], "does not exist; create it first."),
            (["--out", self.lesson / "x.npz"], "cannot be written (Not a directory)"),
            (["--input", self.lesson, "--out", self.lesson], ": this file is the input"),
            (
                ["--out", good],
                f"--json {good} and --out {good} would write the same file; give each its own.",
            ),
            (["--out", f"{self.folder}/./good.json"], "would write the same file"),
        ):
            self.refuses("causal", "--json", good, *arguments, message=message)
            assert self.names() == ["lesson.json"]
        self.refuses("causal", "--step=no_such", "--json", good, message="have no step")
        good.write_text("old")
        (self.folder / "link.npz").symlink_to("good.json")
        self.refuses(
            "causal", "--json", good, "--out", self.folder / "link.npz", message="would write the same file"
        )
        assert run("causal", "--quiet", "--json=/dev/null", f"--out={good}").returncode == 0

    def test_two_names_of_one_file_that_is_not_there_yet(self):
        (self.folder / "sub").mkdir()
        (self.folder / "other").symlink_to(self.folder)
        (self.folder / "later.json").symlink_to("o.json")
        for a, b in (
            ("o.json", "./o.json"),
            ("o.json", self.folder / "o.json"),
            ("sub/../o.json", "o.json"),
            ("other/o.json", "o.json"),
            ("later.json", "o.json"),
            (self.folder / "later.json", "other/o.json"),
        ):
            self.refuses(
                "causal", "--json", a, "--out", b, message="would write the same file", cwd=self.folder
            )
        assert self.names() == ["later.json", "lesson.json", "other", "sub"]
        assert (
            subprocess.run(
                [PROGRAM, "causal", "--quiet", "--json=o.json", "--out=sub/o.json"],
                cwd=self.folder,
                stdout=subprocess.DEVNULL,
            ).returncode
            == 0
        )
        assert (self.folder / "o.json").read_text() == self.expected

    def test_what_is_open_already_is_written_through(self):
        log = self.folder / "log"
        log.write_text("before\n")
        with open(log, "ab") as descriptor:
            number = descriptor.fileno()
            answer = subprocess.run(
                [PROGRAM, "causal", "--quiet", "--json", f"/dev/fd/{number}"],
                pass_fds=[number],
                capture_output=True,
            )
            assert (answer.returncode, answer.stderr) == (0, b"")
            os.write(number, b"after\n")
        assert log.read_text() == f"before\n{self.expected}after\n"
        with open(log, "wb") as out:
            assert (
                subprocess.run(
                    [PROGRAM, "causal", "--quiet", "--json=/dev/stderr"],
                    stdout=subprocess.DEVNULL,
                    stderr=out,
                ).returncode
                == 0
            )
        assert log.read_text() == self.expected
        self.refuses("causal", "--json=/dev/fd/99", message="/dev/fd/99: cannot be written (")
        assert self.names() == ["lesson.json", "log"]

    def test_a_run_that_is_killed_leaves_the_old_file_or_the_new_one(self):
        target = self.folder / "trace.json"
        expected = run("multi-head", "causal", "--json=-").stdout
        for signal_number in (signal.SIGKILL, signal.SIGINT):
            target.write_text("old")
            process = start(
                ["multi-head", "causal", "--quiet", "--json", str(target)], stdout=subprocess.DEVNULL
            )
            while process.poll() is None and not list(self.folder.glob(".attn-walkthrough-*.tmp")):
                pass
            process.send_signal(signal_number)
            process.communicate(timeout=60)
            assert target.read_text() in ("old", expected)

    def test_links_lead_on_and_pipes_and_devices_stay(self):
        (self.folder / "link").symlink_to("real.json")
        (self.folder / "null").symlink_to("/dev/null")
        for name in ("link", "null"):
            assert run("causal", "--json", str(self.folder / name)).returncode == 0
            assert (self.folder / name).is_symlink()
        assert (self.folder / "real.json").read_text() == self.expected
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        process = start(["causal", "--quiet", "--json", str(pipe)], stdout=subprocess.DEVNULL)
        assert pipe.read_text() == self.expected
        process.communicate(timeout=60)
        assert process.returncode == 0
        assert pipe.is_fifo()
        assert self.names() == ["lesson.json", "link", "null", "pipe", "real.json"]
        assert run("causal", "--json=/dev/full").returncode == 2

    def test_a_pipe_is_read_once(self):
        """The page walks again with the weights, although a pipe delivers them only once."""
        weights = json.dumps(
            {f"W_{name}.weight": [[1, 0, 0], [0, 1, 0]] for name in ("query", "key", "value")}
        )
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        process = start(
            ["causal", "--weights", str(pipe), "--out", str(self.folder / "page.html")],
            stdout=subprocess.DEVNULL,
        )
        pipe.write_text(weights)
        process.communicate(timeout=60)
        assert process.returncode == 0
