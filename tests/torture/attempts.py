#!/usr/bin/env python3
"""Attempts at breaking the program, drawn from a seed: whatever it is given, it ends with exit code 0, 1 or 2, in time, with
no report of a sanitizer and no internal error; what it refuses it refuses in one message without control characters; and
files it writes are whole whenever they are looked at. Arguments: the program; --count of attempts; --seed; --only KIND.

Kinds: options (any, with any values), files (of every format, damaged), paths (to what is no file), descriptors (closed,
full, the wrong way round), limits (of memory, stack, files, their size), environments (of odd variables), terminals (of all
sizes), signals (in the midst of an export), crowds (writers and readers of one file)."""

import argparse
import collections
import concurrent.futures
import fcntl
import io
import json
import os
import pathlib
import pty
import random
import re
import resource
import signal
import socket
import struct
import subprocess
import tempfile
import termios
import time
import zipfile

SECONDS = 120  # for one run, beside others and under the sanitizers
CONTROL = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
REPORT = re.compile(rb"AddressSanitizer|runtime error:|LeakSanitizer|UndefinedBehavior|internal error|terminate called")
STAGES = ("simplified trainable linear causal causal-batch multi-head-wrapper multi-head head-split causal-self-attention numpy "
          "encoder-decoder leakage scaling complexity streaming masks kv-cache sliding-window grouped-query rotary training-step "
          "all causl").split() + ["", "\x1b[2J", "因果"]
STEPS = "inputs queries attn_scores attn_weights context_vec mask W_query x Q out nothing".split() + ["", "[", "attn_weights[1]"]
NUMBERS = ["0", "1", "2", "3", "5", "12", "0.5", "-1", "-0", "1e3", "1e-3", "nan", "inf", "", " 5", "5 ", "0x10", "010", "1,2", "１",
           "99999999999999999999", "4294967296", "18446744073709551616", "1e400", "0" * 400 + "1", "²"]
CELLS = ["attn_weights[1][0]", "attn_weights[-1, 2]", "context_vec[0][0]", "queries[journey][0]", "x[0][0][0]", "attn_weights", "[0]",
         "attn_weights[9][9]", "attn_weights[1", "attn_weights[][]", "\x1b]0;x\x07[0]"]
SET = ["inputs[1][0]=0.5", "inputs[-1, 2]=nan", "mask[0][1]=0", "W_query[0][0]=1e39", "queries[0][0]=1", "inputs[journey][0]=", "=1", "inputs[9][9]=1",
       "inputs=1", "inputs[0][0]==1", "inputs[\x1b[2J][0]=1"]
TEXTS = ["tensor([[0.1921, 0.1646], [0.2041, 0.1659]])", "[[1, 2], [3, 4]]", "[[1.0, 0.0], [0.5, 0.5]]", "nan", "[", "",
         "\u202e[[1]]\x00", "1 2\n3", "array([1.], dtype=float16)", "[[0.2899, 0.0716], [0.4656, 0.1723]]"]
LESSONS = ['{"tokens": ["a", "b"], "embeddings": [[1.5, 2], [3, 4.25]]}', '{"embeddings": [[1, 2, 3]]}', "{}", "[]", "[[1]]",
           '{"tokens": ["\\u001b[2J", "</script>"], "embeddings": [[1e38, -1e38], [1e-45, 0]]}', '{"tokens": [1]}', "\ufeff{}", "nul"]
WORDS = ["auto", "always", "never", "en", "zh", "mkl", "mt19937", "torch", "numpy", "cpp", "sum", "mean", "mse", "halves", "neighbours",
         "none", "fr", "", "\x9b31m"]
ROWS = [":3", "-2:", "1:2", "::", "5:1", "a:b", "9999999999999999999:", "-:"]
# Option, what it may be given; FILE is one of a lesson, of weights or of text, OUT one to write.
OPTIONS = {
    "--step": STEPS, "--input": ["FILE"], "--focus": ["a", "journey", "0", "9", "-1", "", "\x1b"], "--weights": ["FILE"], "--layer": NUMBERS,
    "--head": NUMBERS, "--seed": NUMBERS, "--d-out": NUMBERS, "--heads": NUMBERS, "--kv-heads": NUMBERS,
    "--rotary": [*WORDS, *(f"{kind}:{base}" for kind in ("halves", "neighbours", "none", "") for base in NUMBERS)],
    "--set": SET, "--window": NUMBERS, "--short-length": NUMBERS, "--batch": NUMBERS, "--context-length": NUMBERS,
    "--qkv-bias": None, "--dropout": NUMBERS, "--dropout-seed": NUMBERS, "--dropout-rng": WORDS, "--backward": None, "--lr": NUMBERS,
    "--loss": WORDS, "--tokens": NUMBERS, "--code": WORDS, "--quiet": None, "--rows": ROWS, "--heatmap": None, "--color": WORDS,
    "--no-pager": None, "--precision": NUMBERS, "--lang": WORDS, "--depth": NUMBERS, "--as": STEPS, "--count": NUMBERS, "--quiz-seed": NUMBERS,
    "--key": ["OUT"], "--json": ["OUT"], "--out": ["OUT"], "--threads": NUMBERS, "--stage": STAGES, "--search-seeds": None,
}
# Command, the words it may be given besides a stage.
COMMANDS = {
    "walk": None, "compare": None, "explain": [*CELLS, *NUMBERS], "diagnose": ["FILE"], "quiz": None, "exercises": ["3.1", "3.2", "4.1"],
    "grade": ["FILE"], "list": None, "errata": None, "help": ["walk", "diagnose", "help", "causl"], "completion": ["bash", "zsh", "fish", "x"],
    "man": None,
}
SUFFIXES = [".json", ".npz", ".safetensors", ".html", ".ipynb", ".md", ".tex", ".csv", ".svg", "", ".JSON", ".exe"]


def npy(descr="<f4", shape="(2, 3)", fortran=False, data=bytes(24), version=1):
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}".encode("utf-8")
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header)) + header + data


def npz(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", random.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


def safetensors(header, data=b""):
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def tensor(dtype="F32", shape=(2, 3), begin=0, end=24):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


class Attempt:
    """One, with a folder and numbers drawn of its own."""

    def __init__(self, program, rows, seed, can_limit_memory):
        self.program, self.rows, self.draw, self.can_limit_memory = program, rows, random.Random(seed), can_limit_memory
        self.told = []

    def one(self, choices):
        return self.draw.choice(choices)

    def whole_file(self):
        """A suffix, and contents that are right, or nearly."""
        weights = [(name, tensor(begin=24 * i, end=24 * i + 24)) for i, name in enumerate(("W_query.weight", "W_key.weight", "W_value.weight"))]
        kind = self.one(["json", "json", "npy", "npz", "safetensors", "txt"])
        if kind == "npy":
            return ".npy", npy(self.one(["<f4", ">f4", "<f8", "<f2", "|b1", "<i8", "|O8", "<c8", "<U3", "V4", "<f4" * 9]),
                               self.one(["(2, 3)", "(3, 2)", "(6,)", "()", "(0, 3)", "(2, -3)", "(2, 3", "(99999999999, 99999999999)", "2"]),
                               self.one([False, True, "None", "[]"]), bytes(self.one([0, 23, 24, 48, 96])), self.one([1, 1, 2, 3, 9]))
        if kind == "npz":
            return ".npz", npz([(name + self.one([".npy", ".npy", "", "/x.npy"]), npy()) for name, _ in weights])
        if kind == "safetensors":
            header = dict(weights)
            if self.draw.random() < 0.5:
                header[self.one(["__metadata__", "W_query.weight", "\u200b", ""])] = self.one(
                    [tensor("F8_E4M3"), tensor("BF16", end=12), tensor(shape=(2**40, 2**40)), tensor(begin=8, end=4), tensor(shape=(-1,)), {"a": "b"}, {"a": 1}, [], None])
            return ".safetensors", safetensors(header, bytes(self.one([72, 71, 73, 0])))
        if kind == "txt":
            return ".txt", self.one(TEXTS).encode()
        return ".json", self.one(LESSONS + TEXTS + [json.dumps({name: [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]] for name, _ in weights})]).encode()

    def damaged(self, content):
        content = bytearray(content)
        for _ in range(self.draw.randrange(4)):
            if not content:
                break
            at = self.draw.randrange(len(content))
            how = self.draw.randrange(5)
            if how == 0:
                del content[at:]
            elif how == 1:
                content[at] = self.draw.randrange(256)
            elif how == 2:
                content[at:at] = self.draw.randbytes(self.draw.randrange(9))
            elif how == 3:
                content[at:at + 8] = self.one([b"\xff" * 8, bytes(8), struct.pack("<Q", 2**63), struct.pack("<Q", len(content))])
            else:
                content += content[at:]
        return bytes(content)

    def file(self, damage):
        suffix, content = self.whole_file()
        path = self.folder / f"in{self.draw.randrange(10**6)}{self.one([suffix, suffix, suffix, '.json', ''])}"
        path.write_bytes(self.damaged(content) if damage else content)
        return str(path)

    def value(self, given):
        if given == "FILE":
            return self.one(["-", str(self.folder / "nowhere"), str(self.folder), "/dev/null", "", *(self.file(self.draw.random() < 0.3) for _ in range(4))])
        if given == "OUT":
            suffix = self.one(SUFFIXES)
            return self.one(["-", "-" + suffix, str(self.folder / "none" / ("out" + suffix)), "/dev/full", "/dev/null", "",
                             *[str(self.folder / self.one(["out", "out2"])) + suffix] * 4])
        return given

    def arguments(self, most=6):
        """Half of the time plain values of options that the command and the stage have, for most others are refused at once."""
        is_plain = self.draw.random() < 0.5
        command = self.one(["walk", "walk", *COMMANDS])
        stage = self.one(STAGES[:22] if is_plain else STAGES)
        rows = {"--" + row["name"]: row for row in self.rows if row["command"] == command and stage in row.get("stages", [stage])}
        options = sorted(set(rows) - {"--stage", "--step"} if is_plain else OPTIONS)
        words = [stage, *([command] if command != "walk" else [])]
        if COMMANDS[command]:
            words.append(self.value(self.one(COMMANDS[command][:2] if is_plain else COMMANDS[command])))
        for option in self.draw.sample(options, min(len(options), self.draw.randrange(most))):
            values = OPTIONS[option]
            if is_plain and values:
                values = rows[option].get("choices") or values[:4]
            words += [option] if values is None else [f"{option}={self.value(self.one(values))}"]
        self.draw.shuffle(words)
        return [word.replace("\0", "") for word in words]

    def run(self, arguments, stdin=None, limits=(), prepare=None, more={}):
        def before():
            for which, limit in limits:
                resource.setrlimit(which, (limit, limit))
            if prepare:
                prepare()

        content = self.one([b"", self.one(TEXTS).encode(), self.one(LESSONS).encode()]) if stdin is None else stdin
        variables = {key: value for key, value in os.environ.items() if key not in ("PAGER", "LANG", "LC_MESSAGES")} | {"PAGER": "", "TERM": "xterm"} | more
        self.told.append(f"{arguments} < {content!r} {limits} {more}")
        with subprocess.Popen([self.program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=variables,
                              cwd=self.folder, preexec_fn=before if limits or prepare else None) as process:
            try:
                output, errors = process.communicate(content, timeout=SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                return "takes too long", b"", b""
            return process.returncode, output or b"", errors or b""

    def check(self, code, output, errors):
        """What is wrong, if anything is."""
        if code not in (0, 1, 2):
            return f"ends with {code}: {errors[-500:]!r}"
        if REPORT.search(errors) or REPORT.search(output):
            return f"reports {errors[-1500:].decode(errors='replace')}"
        text = errors.decode(errors="replace")
        if code == 2 and text and not text.startswith("attn-walkthrough: "):
            return f"is refused without a name: {text[:300]!r}"
        if "\ufffd" in text or CONTROL.search(text):
            return f"lets control characters pass: {text[:300]!r}"
        return None

    def options(self):
        code, output, errors = self.run(self.arguments())
        if code == 2 and not errors:
            return code, "is refused in silence"
        return code, self.check(code, output, errors)

    def files(self):
        path = self.file(True)
        words = self.one([["walk", f"--input={path}"], ["walk", f"--weights={path}", "--quiet"], ["diagnose", path], ["grade", path]])
        code, output, errors = self.run([*words, "causal", "--lang=en"])
        if code == 2 and not errors:
            return code, "is refused in silence"
        return code, self.check(code, output, errors)

    def paths(self):
        """A few of these are read or written as what they are; of the others each is refused by its name."""
        (self.folder / "loop").symlink_to("loop")
        (self.folder / "dangling").symlink_to("nowhere")
        (self.folder / "folder").mkdir()
        (self.folder / "file").write_text("{}")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.folder / "socket"))
            path = self.one(["loop", "socket", "folder", "folder/", "file/", "file/x", "./file", "a" * 256, "a/" * 2100, "/proc/self/mem", "/dev/zero",
                             "/proc/self/cmdline", "/proc/self/fd/77", "/dev/fd/0", "/proc/self/environ", "/sys/kernel/x", "\udcff\udcfe", " ", "-x", "--", "\n",
                             "dangling/x", "/dev/tty0x", "http://example.org/x.json"])
            words = self.one([[f"--input={path}"], [f"--weights={path}"], ["diagnose", "--", path], [f"--json={path}"], [f"--out={path}.npz"], ["grade", "--", path]])
            code, output, errors = self.run(["--stage=causal", *words])
        if code == 2 and not errors:
            return code, "is refused in silence"
        return code, self.check(code, output, errors)

    def environments(self):
        odd = ["", "0", "-1", "80", "99999999999999999999", "x", "/", "x" * 5000, "\x1b[2J", "因果", "\udcff", "a b;c $(d) `e`"]
        names = {"COLUMNS": ["20", "500"], "LINES": ["3"], "LANG": ["zh_CN.UTF-8", "C", "zh", "en_GB"], "LC_ALL": ["zh_CN", "C.UTF-8", "xx_YY"], "LC_MESSAGES": ["zh"],
                 "LANGUAGE": ["zh:en"], "TERM": ["dumb", "xterm-256color"], "COLORTERM": ["truecolor"], "NO_COLOR": ["1"], "FORCE_COLOR": ["1"], "HOME": [], "TMPDIR": [],
                 "ATTN_ISA": ["baseline", "v3"], "OMP_NUM_THREADS": [], "PWD": [], "POSIXLY_CORRECT": ["1"], "TZ": [], "MALLOC_ARENA_MAX": ["1"]}
        more = {name: self.one(odd + names[name] * 4) for name in self.draw.sample(sorted(names), self.draw.randrange(1, 6))}
        code, output, errors = self.run(self.arguments(4), more=more)
        if "ATTN_ISA" in more and b"ATTN_ISA" in errors:
            return code, None if code == 2 else "goes on with a level that there is not"
        return code, self.check(code, output, errors)

    def signals(self):
        """The signal ends the program, or comes too late; and nothing is left but the old file or the new one."""
        which = self.one([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE, signal.SIGUSR1, signal.SIGALRM, signal.SIGXCPU])
        target = self.folder / f"target{self.one(SUFFIXES[:4])}"
        arguments = ["all", "--out", str(target)]
        code, _, errors = self.run(arguments)
        if code:
            return code, f"fails undisturbed: {errors!r}"
        new, old = target.read_bytes(), b"the old file"
        target.write_bytes(old)
        with subprocess.Popen([self.program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))) as process:
            time.sleep(self.draw.random() * 0.2)
            process.send_signal(which)
            errors = process.communicate(timeout=SECONDS)[1]
        left = sorted(path.name for path in self.folder.iterdir())
        if process.returncode not in (0, -which) or left != [target.name] or target.read_bytes() not in (old, new):
            return process.returncode, f"after {which.name} {left} is there, and said {errors!r}"
        return process.returncode, None

    def descriptors(self):
        gone = self.draw.sample([0, 1, 2], self.draw.randrange(1, 4))
        full = self.draw.random() < 0.4

        def prepare():
            for descriptor in gone:
                os.dup2(os.open("/dev/full", self.one([os.O_WRONLY, os.O_RDONLY])), descriptor) if full else os.close(descriptor)

        code, output, errors = self.run(self.arguments(4), prepare=prepare)
        return code, self.check(code, output, errors)

    def limits(self):
        choices = [(resource.RLIMIT_NOFILE, self.draw.randrange(8, 12)), (resource.RLIMIT_FSIZE, self.draw.randrange(5000)),
                   (resource.RLIMIT_NPROC, 1), (resource.RLIMIT_CORE, 0)]
        if self.can_limit_memory:
            choices += [(resource.RLIMIT_AS, self.draw.randrange(40, 400) << 20), (resource.RLIMIT_STACK, self.draw.randrange(64, 600) << 10),
                        (resource.RLIMIT_DATA, self.draw.randrange(20, 200) << 20)]
        code, output, errors = self.run(self.arguments(5), limits=self.draw.sample(choices, self.draw.randrange(1, 3)))
        return code, self.check(code, output, errors)

    def terminals(self):
        columns, lines = self.one([0, 1, 2, 5, 20, 39, 80, 81, 133, 500, 65535]), self.one([0, 1, 2, 24, 60, 65535])
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        arguments = self.one([["causal", "--heatmap"], ["causal"], ["--help"], ["list"], ["causal", "--lang=zh"], ["compare", "causal"],
                              ["explain", "attn_weights[1][0]"], ["help", "diagnose"], ["errata"], [], ["causl"], ["multi-head", "--heatmap", "--color=always"],
                              ["complexity"], ["quiz", "--count", "1"]])
        self.told.append(f"{arguments} on {columns} × {lines}")
        process = subprocess.Popen([self.program, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, cwd=self.folder,
                                   env={**os.environ, "PAGER": "", "TERM": self.one(["xterm-256color", "dumb", ""])})
        os.close(theirs)
        os.write(ours, b"0.5\n\x04\x04\x04")
        seen = b""
        try:
            while piece := os.read(ours, 65536):
                seen += piece
        except OSError:  # the other side has gone
            pass
        os.close(ours)
        code = process.wait(SECONDS)
        if code not in (0, 1, 2) or REPORT.search(seen):
            return code, f"ends with {code}: {seen[-500:]!r}"
        return code, None if seen or code == 0 else "says nothing"

    def crowds(self):
        """Several write one file with different contents, and whoever reads it meanwhile finds one of these whole."""
        target = self.folder / "crowd.json"
        runs = [["causal", "--json", str(target), "--seed", str(seed)] for seed in range(4)]
        contents = []
        for arguments in runs:
            code, _, errors = self.run(arguments)
            if code:
                return code, f"a writer alone fails: {errors!r}"
            contents.append(target.read_bytes())
        writers = [subprocess.Popen([self.program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for arguments in runs * 2]
        wrong = None
        while any(writer.poll() is None for writer in writers):
            if target.read_bytes() not in contents:
                wrong = "a reader finds half a file"
        for writer in writers:
            errors = writer.communicate()[1]
            if writer.returncode != 0:
                wrong = f"a writer fails: {errors!r}"
        left = sorted(path.name for path in self.folder.iterdir())
        return 0, wrong or (f"left over: {left}" if left != ["crowd.json"] else None)

    def made(self, kind):
        with tempfile.TemporaryDirectory() as folder:
            self.folder = pathlib.Path(folder)
            code, wrong = getattr(self, kind)()
        return kind, code, wrong, self.told[-1]


SHARES = {"options": 12, "files": 8, "paths": 3, "descriptors": 3, "limits": 3, "environments": 3, "terminals": 3, "signals": 1, "crowds": 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=SHARES)
    options = parser.parse_args()

    rows = json.loads(subprocess.run([options.program, "form"], capture_output=True, check=True).stdout)["options"]
    known = {"--" + row["name"] for row in rows}
    assert known == set(OPTIONS), f"options of the program and of this test: {known ^ set(OPTIONS)}"
    untried = {row["command"] for row in rows} - set(COMMANDS)
    assert not untried, f"commands that are not tried: {untried}"
    limited = subprocess.run([options.program, "--version"], capture_output=True,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (40 << 20, 40 << 20)))
    kinds = [kind for kind, share in SHARES.items() for _ in range(share)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = list(pool.map(lambda i: Attempt(options.program, rows, f"{options.seed}/{i}", limited.returncode == 0).made(
            options.only or kinds[i * 10 % len(kinds)]), range(options.count)))
    codes = collections.Counter((kind, code) for kind, code, _, _ in made)
    for kind in SHARES:
        of_kind = {code: count for (other, code), count in codes.items() if other == kind}
        print(f"{kind:12} {sum(of_kind.values()):5} attempts; by exit code {dict(sorted(of_kind.items(), key=str))}")
    failed = [attempt for attempt in made if attempt[2]]
    for kind, _, wrong, told in failed[:20]:
        print(f"{kind}: {told[:1000]}\n    {wrong}")
    if failed:
        raise SystemExit(f"{len(failed)} of {len(made)} attempts are not answered as they should be")
    assert options.only or len(made) < len(kinds) or all(any(kind == one for kind, _ in codes) for one in SHARES)


if __name__ == "__main__":
    main()
