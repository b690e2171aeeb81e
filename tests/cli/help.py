"""The program's documentation of itself: the help at every width, the completions in their shells, the manual
page. Argument: the program.
"""

import fcntl
import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import unittest

from program import COMMANDS, PROGRAM, environment, on_terminal, run


def options(text):
    return re.findall(r"^  (--[a-z-]+)", text, re.M)


class Help(unittest.TestCase):
    def test_it_fits_the_terminal(self):
        for columns, width in ((20, 60), (60, 60), (72, 72), (80, 80), (100, 100), (200, 100)):
            for arguments in ((), ("walk", "--help-all"), *((name, "--help") for name in COMMANDS)):
                text = on_terminal(columns, *arguments, "--no-pager") if arguments else on_terminal(columns)
                self.assertLessEqual(max(len(line) for line in text.splitlines()), width, text)

    def test_the_first_help_names_every_command(self):
        text = run().stdout
        for arguments in (("-h",), ("--help",), ("help",)):
            self.assertEqual(run(*arguments).stdout, text)
        for name in COMMANDS[1:]:
            self.assertRegex(text, rf"(?m)^  attn-walkthrough {name}\b")

    def test_a_command_shows_at_most_twenty_options_in_groups(self):
        different = set()
        for name in COMMANDS:
            text = run("help", name).stdout
            everything = run(name, "--help-all").stdout if name != "help" else text
            self.assertIn(
                run(name, "--help").stdout, (text, run().stdout)
            )  # help --help is the program's help
            self.assertLessEqual(text.count("\n"), 50, name)
            self.assertLessEqual(len(options(text)), 20, name)
            self.assertLessEqual(set(options(text)), set(options(everything)))
            headings = re.findall(r"^(\w.*):$", everything, re.M)
            self.assertEqual((headings[0], len(set(headings))), ("Examples", len(headings)))
            self.assertLessEqual(
                len(re.findall(r"^  (?:python mine.py \| )?attn-walkthrough", text, re.M)), 3
            )
            different |= set(options(everything))
        self.assertLessEqual(len(different) + len(("--help", "--help-all", "--version")), 45)

    def test_the_examples_run(self):
        examples = {
            line
            for name in ("help", *COMMANDS)
            for line in re.findall(r"^  attn-walkthrough (.*?)(?:  .*)?$", run(name, "--help").stdout, re.M)
        }
        self.assertGreater(len(examples), 25)
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "mine.txt").write_text(
                "tensor([[0.2899, 0.0716, 0.0760, -0.0138, 0.1344, -0.0511]])"
            )
            for name in ("answers.json", "class.json"):
                pathlib.Path(folder, name).write_text("{}")
            (keys,) = json.loads(run("causal", "--step=keys", "--json=-").stdout)["stages"][0]["steps"]
            subprocess.run(
                [
                    "/usr/bin/python3",
                    "-c",
                    f"import numpy; numpy.save('mine.npy', numpy.float32({keys['data']}))",
                ],
                cwd=folder,
                check=True,
            )
            for example in sorted(examples):
                arguments = shlex.split(example.partition(" | ")[0])
                answer = subprocess.run(
                    [PROGRAM, *arguments],
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    env=environment(),
                )
                expected = 1 if arguments[0] in ("quiz", "grade") else 0
                self.assertEqual((answer.returncode, answer.stderr), (expected, b""), example)

    def test_help_of_a_stage(self):
        text = run("help", "causal").stdout
        for arguments in (("--help", "causal"), ("causal", "--help"), ("causal", "-h"), ("help", "3.5")):
            self.assertEqual(run(*arguments).stdout, text)
        self.assertIn("In the book: 3.5.1, 3.5.2.", text)
        self.assertIn("Follows document 000; 001; 002, part 4, 2.4 (1) to (3); 004.", text)
        self.assertRegex(text, r"(?m)^  --dropout-seed N +Seed of the dropout mask; default here: 123$")
        self.assertRegex(text, r"(?m)^  masked_simple_norm +Renormalised: each row divided by its sum$")
        self.assertNotIn("--heads", text)
        self.assertIn("--heads", run("help", "multi-head").stdout)
        self.assertIn("书中的小节：3.5.1, 3.5.2。", run("help", "causal", "--lang=zh").stdout)
        for stage in re.findall(r"^([a-z-]+)  ", run("list").stdout, re.M):
            self.assertIn(f"{stage} · ", run("help", stage).stdout)
        self.assertEqual(run("help", "no_such").returncode, 2)

    def test_the_steps_of_a_stage_are_listed(self):
        (trace,) = json.loads(run("causal", "--json=-").stdout)["stages"]
        listed = run("list", "causal").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in listed[1:]], [step["name"] for step in trace["steps"]])
        self.assertTrue(all(line.endswith(step["title"]) for line, step in zip(listed[1:], trace["steps"])))

    def test_capitals_get_a_hint(self):
        for name in ("CAUSAL", "Causal"):
            answer = run(name)
            self.assertEqual((answer.returncode, answer.stdout), (2, ""))
            self.assertIn('Did you mean "causal"?', answer.stderr)

    def test_lists_and_prose_wrap_at_the_terminal_s_width(self):
        for columns in (60, 80, 100):
            for arguments in (
                ("list",),
                ("list", "causal"),
                ("causal", "compare"),
                ("help", "causal"),
                ("errata",),
            ):
                lines = on_terminal(columns, *arguments, "--color=never").splitlines()
                self.assertLessEqual(max(len(line) for line in lines), columns, arguments)
        narrow = on_terminal(60, "causal", "--step=mask").splitlines()
        self.assertLessEqual(max(len(line) for line in narrow[:5]), 60)

    def test_what_is_longer_than_the_terminal_goes_through_the_pager(self):
        pager = "sed s/^/p:/"
        paged = on_terminal(80, "causal", PAGER=pager)
        self.assertTrue(all(line.startswith("p:") for line in paged.splitlines()))
        self.assertEqual(paged.replace("p:", ""), on_terminal(80, "causal"))
        for arguments, variables in (
            (("causal", "--no-pager"), {"PAGER": pager}),
            (("causal",), {"PAGER": "cat"}),
            (("causal",), {"PAGER": "no-such-pager-here 2>/dev/null"}),
        ):
            self.assertEqual(on_terminal(80, *arguments, **variables), on_terminal(80, "causal"))
        self.assertFalse(
            on_terminal(80, "help", "man", PAGER=pager).startswith("p:")
        )  # it fits on one screen
        self.assertEqual(run("causal", PAGER=pager).stdout, run("causal").stdout)
        self.assertEqual(
            on_terminal(80, "causal", PAGER="head -1"), on_terminal(80, "causal").splitlines()[0] + "\n"
        )


class Interrupted(unittest.TestCase):
    def test_an_interruption_in_the_pager_is_the_pager_s(self):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        pager = """sh -c 'trap "echo caught" INT; cat > /dev/null; echo ready; sleep 0.5; echo end'"""
        process = subprocess.Popen(
            [PROGRAM, "causal"],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment(PAGER=pager),
            start_new_session=True,
        )
        os.close(theirs)
        seen = b""
        while b"ready" not in seen:
            seen += os.read(ours, 65536)
        os.killpg(process.pid, signal.SIGINT)
        try:
            while piece := os.read(ours, 65536):
                seen += piece
        except OSError:  # the other side has closed
            pass
        os.close(ours)
        self.assertIn(b"end", seen)
        self.assertEqual(process.wait(), 0)


class Guesses(unittest.TestCase):
    """Tests the first commands that people type."""

    def said(self, *arguments):
        answer = run(*arguments)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""), arguments)
        return answer.stdout

    def test_words_stand_in_any_order(self):
        for one, other in (
            (("explain", "causal", "keys[1][0]"), ("keys[1][0]", "explain", "causal")),
            (("compare", "causal", "--step", "masked"), ("causal", "--step", "masked", "compare")),
            (("list", "causal"), ("causal", "list")),
            (("walk", "causal", "--step=mask"), ("--step=mask", "causal")),
        ):
            self.assertEqual(self.said(*one), self.said(*other))
        with tempfile.TemporaryDirectory() as folder:
            mine = os.path.join(folder, "mine.txt")
            pathlib.Path(mine).write_text(self.said("causal", "--step=keys", "--quiet"))
            self.assertEqual(self.said("diagnose", mine, "causal"), self.said("causal", "diagnose", mine))

    def test_a_step_by_its_number(self):
        self.assertTrue(
            self.said("causal", "--step", "16").startswith("causal 16/20 · attn_weights_causal\n")
        )
        self.assertEqual(
            self.said("causal", "--step", "16"), self.said("causal", "--step", "attn_weights_causal")
        )

    def test_steps_and_indices_are_words(self):
        self.assertEqual(self.said("causal", "masked"), self.said("causal", "--step=masked"))
        self.assertEqual(self.said("masked"), self.said("causal", "--step=masked"))
        self.assertEqual(
            self.said("explain", "causal", "keys", "1", "0"), self.said("explain", "causal", "keys[1][0]")
        )
        self.assertEqual(
            self.said("causal", "--seed=1", "--seed=123", "--quiet"),
            self.said("causal", "--seed=123", "--quiet"),
        )
        self.assertEqual(self.said("-V"), self.said("--version"))

    def test_a_number_is_found_where_it_is_printed(self):
        self.assertEqual(
            self.said("explain", "causal", "0.5517"),
            "These cells print as 0.5517; explain one of them:\n  causal 'masked_simple_norm[1][0]'\n"
            "  causal 'attn_weights_causal[1][0]'\n",
        )
        self.assertIn("'keys[1][0]'", self.said("explain", "causal", "-0.0298"))
        self.assertIn("… and ", self.said("explain", "0.0"))

    def test_a_gradient_turns_the_backward_pass_on(self):
        expected = self.said("explain", "causal", "W_key_grad[0][0]", "--backward")
        for cell in ("W_key_grad[0][0]", "W_key.grad[0][0]"):
            self.assertEqual(self.said("explain", cell), expected)

    def test_sections_of_the_book_are_names(self):
        for section, stage in (
            ("3.3", "simplified"),
            ("3.4", "trainable"),
            ("3.4.2", "linear"),
            ("3.5", "causal"),
            ("3.5.1", "causal"),
            ("3.5.3", "causal-batch"),
            ("3.6", "multi-head-wrapper"),
        ):
            self.assertEqual(self.said("list", section), self.said("list", stage))

    def test_a_suffix_chooses_the_format(self):
        with tempfile.TemporaryDirectory() as folder:
            for suffix in ("json", "npz", "safetensors", "html", "ipynb", "md", "tex", "csv", "svg", "JSON"):
                path = os.path.join(folder, f"keys.{suffix}")
                self.said("causal", "--step=keys", "-o", path)
                self.assertEqual(
                    pathlib.Path(path).read_bytes(),
                    subprocess.run(
                        [PROGRAM, "causal", "--step=keys", f"--out=-.{suffix}"], capture_output=True
                    ).stdout,
                )


class Generated(unittest.TestCase):
    def run_tool(self, name, *arguments, stdin=""):
        """Returns standard output of a tool that must not report anything."""
        if shutil.which(name) is None:
            if os.environ.get("ATTN_NO_SKIP"):
                self.fail(f"{name} is not installed")
            self.skipTest(f"{name} is not installed")
        path = f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"
        answer = subprocess.run(
            [name, *arguments],
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            env=environment(LC_ALL="C.UTF-8", PATH=path),
        )
        self.assertEqual((answer.returncode, answer.stderr), (0, ""), answer.stdout)
        return answer.stdout

    def script(self, shell):
        file = tempfile.NamedTemporaryFile("w", suffix=f".{shell}")
        self.addCleanup(file.close)
        answer = run("completion", shell)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        file.write(answer.stdout)
        file.flush()
        return file.name

    def steps(self, stage):
        (trace,) = json.loads(run(stage, "--json=-").stdout)["stages"]
        return [step["name"] for step in trace["steps"]]

    def completes(self, complete):
        """`complete` maps the words of a command line, of which the last is unfinished, to its
        completions.
        """
        self.assertEqual(complete("caus"), {"causal", "causal-batch", "causal-self-attention"})
        self.assertGreaterEqual(complete(""), {"all", "causal", "diagnose"})
        self.assertEqual(complete("--quie"), {"--quiet"})
        self.assertEqual(complete("diagnose", "--sear"), {"--search-seeds"})
        self.assertEqual(complete("--dropout-rng", "m"), {"mt19937", "mkl"})
        self.assertEqual(complete("causal", "--stage", "sim"), {"simplified"})
        self.assertEqual(complete("completion", "z"), {"zsh"})
        self.assertEqual(complete("help", "exe"), {"exercises"})
        self.assertEqual(complete("head-split", "--step", ""), set(self.steps("head-split")))
        self.assertGreaterEqual(complete("causal", "--step", ""), set(self.steps("causal")))
        self.assertGreater(complete("--step", ""), set(self.steps("causal")) | set(self.steps("leakage")))
        self.assertEqual(complete("explain", "causal", "masked_"), {"masked_simple", "masked_simple_norm"})

    def test_bash(self):
        script = self.script("bash")
        self.run_tool("bash", "-n", script)

        def complete(*words):
            call = f'source {script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _attn_walkthrough; '
            call += r'printf "%s\n" "${COMPREPLY[@]}"'
            return set(self.run_tool("bash", "-c", call, "bash", "attn-walkthrough", *words).split())

        self.completes(complete)
        self.assertEqual(complete("causal", "--seed", ""), set())
        self.assertEqual(complete("--lang", "=", "z"), {"zh"})
        self.assertEqual(complete("--lang", "="), {"en", "zh"})
        self.assertEqual(complete("--"), set(options(run("walk", "--help-all").stdout)))

    def test_fish(self):
        script = self.script("fish")
        self.run_tool("fish", "--no-execute", script)

        def complete(*words):
            found = self.run_tool(
                "fish",
                "--no-config",
                "-c",
                f"source {script}; complete -C 'attn-walkthrough {' '.join(words)}'",
            )
            return {line.split("\t")[0] for line in found.splitlines()}

        self.completes(complete)
        with tempfile.NamedTemporaryFile(prefix="mine") as mine:
            self.assertIn(mine.name, complete("diagnose", mine.name[:-2]))

    def test_zsh(self):
        script = self.script("zsh")
        self.run_tool("zsh", "-n", script)
        text = pathlib.Path(script).read_text()
        with tempfile.TemporaryDirectory() as folder:  # the file is sourced, or found on $fpath
            pathlib.Path(folder, "_attn-walkthrough").write_text(text)
            for before, after in (("", f"source {script}"), (f"fpath=({folder} $fpath)", "")):
                call = f"{before}; autoload -U compinit; compinit -D -u; {after}; "
                call += "print $_comps[attn-walkthrough]"
                self.assertEqual(
                    self.run_tool("zsh", "-f", "-c", call),
                    "_attn_walkthrough\n" if after else "_attn-walkthrough\n",
                )

        def complete(*words):
            call = 'compdef() { }; _files() { }; _describe() { print -rl -- ${(P)@[-1]} }; '
            call += f'source {script}; words=("$@"); CURRENT=$#; _attn_walkthrough'
            found = self.run_tool("zsh", "-f", "-c", call, "zsh", "attn-walkthrough", *words)
            return {line.partition(":")[0] for line in found.splitlines()}

        self.completes(complete)

    def test_the_manual_page(self):
        source = run("man").stdout
        self.assertTrue(source.isascii())
        page = self.run_tool("groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=200n", stdin=source)
        self.assertEqual(
            re.findall(r"^[A-Z][A-Z ]+$", page, re.M),
            ["NAME", "SYNOPSIS", "COMMANDS", "STAGES", "EXIT STATUS", "ENVIRONMENT"],
        )
        for name in COMMANDS:
            for option in options(run(name, "--help-all").stdout):
                self.assertIn(option, page)
        self.assertIn("Why scores are divided by √d_k", page)
        self.assertIn("attn-walkthrough compare causal --seed 123", page)


class OptionsAsData(unittest.TestCase):
    def data(self, *more):
        answer = run("form", *more)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        return json.loads(answer.stdout)

    def test_they_are_those_of_the_help(self):
        for command in ("walk", "diagnose"):
            of_command = [option for option in self.data()["options"] if option["command"] == command]
            text = run(command, "--help-all").stdout
            self.assertEqual({"--" + option["name"] for option in of_command}, set(options(text)))
            unwrapped = " ".join(text.split())
            for option in of_command:
                self.assertIn(
                    " ".join(f"--{option['name']} {option['value']} {option['help']}".split()), unwrapped
                )

    def test_a_stage_takes_those_it_says_and_has_the_defaults_it_says(self):
        data = self.data()
        given = {"N": "7", "P": "0.5", "X": "0.5", "N,N,…": "3,4", "": None}
        tried = 0
        for option in (one for one in data["options"] if one["command"] == "walk"):
            for stage in (
                data["stages"]
                if option.get("stages")
                and option["value"] in given
                and option["name"] not in ("heads", "loss")
                else []
            ):
                value = given[option["value"]]
                answer = run(stage["name"], f"--{option['name']}" + (f"={value}" if value else ""), "--quiet")
                self.assertEqual(
                    " does not use it." not in answer.stderr,
                    stage["name"] in option["stages"],
                    (stage["name"], option["name"], answer.stderr),
                )
                tried += 1
        self.assertGreater(tried, 200)
        names = {option["name"]: option for option in data["options"]}
        for stage in data["stages"]:
            (trace,) = json.loads(run(stage["name"], "--json=-").stdout)["stages"]
            for option, default in stage["defaults"].items():
                self.assertIn(stage["name"], names[option]["stages"])
                written = {"heads": "num_heads", "tokens": "sequence_lengths"}.get(
                    option, option.replace("-", "_")
                )
                if written in trace["parameters"]:
                    self.assertEqual(trace["parameters"][written], default, (stage["name"], option))
        self.assertEqual(
            next(stage for stage in data["stages"] if stage["name"] == "causal")["defaults"]["dropout"], 0.5
        )

    def test_they_speak_chinese(self):
        english, chinese = self.data(), self.data("--lang=zh")
        for one, other in zip(english["options"], chinese["options"], strict=True):
            self.assertEqual({**one, "help": 0}, {**other, "help": 0})
            self.assertNotEqual(one["help"], other["help"])


if __name__ == "__main__":
    unittest.main()
