"""What the program says about itself: the help at every width, the completions in their shells, the manual page.
Argument: the program."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from program import PROGRAM, environment, on_terminal, run


class Help(unittest.TestCase):
    def options(self):
        return [line.split()[0] for line in run("--help").stdout.splitlines() if line.startswith("  --")]

    def test_it_fits_the_terminal(self):
        for columns, width in ((20, 60), (60, 60), (72, 72), (80, 80), (100, 100), (200, 100)):
            for arguments in ((), ("--help",)):
                text = on_terminal(columns, *arguments)
                longest = max(len(line) for line in text.splitlines())
                self.assertLessEqual(longest, width, text)
            self.assertGreater(longest, width - 10, text)
        self.assertEqual(on_terminal(100, "--help", COLUMNS="70"), on_terminal(70, "--help"))
        for nonsense in ("", "0", "-5", "80x", "99999999999999999999"):
            self.assertEqual(on_terminal(70, "--help", COLUMNS=nonsense), on_terminal(70, "--help"))
        self.assertEqual(run("--help", COLUMNS="60").stdout, on_terminal(80, "--help"))

    def test_it_leads_with_examples_and_groups_the_options(self):
        text = run("--help").stdout
        headings = re.findall(r"^(\w.*):$", text, re.M)
        self.assertEqual(headings[:2] + headings[-1:], ["Examples", "Stages", "Exit status"])
        self.assertEqual(len(set(headings)), len(headings))
        options = self.options()
        self.assertEqual(len(set(options)), len(options))
        self.assertGreater(len(options), 20)

    def test_the_examples_run(self):
        for text in (run("--help").stdout, run().stdout):
            examples = re.findall(r"^  attn-walkthrough (.*?)(?:  .*)?$", text, re.M)
            self.assertGreaterEqual(len(examples), 3)
            with tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, "mine.txt").write_text("tensor([[0.2899, 0.0716, 0.0760, -0.0138, 0.1344, -0.0511]])")
                for example in examples:
                    if "--quiz" in example or example.endswith("[STAGE]"):
                        continue
                    answer = subprocess.run([pathlib.Path(PROGRAM).resolve(), *example.split()], cwd=folder, capture_output=True, env=environment())
                    self.assertEqual((answer.returncode, answer.stderr), (0, b""), example)


class FirstMinute(unittest.TestCase):
    def test_the_bare_command_and_h_are_one_screen(self):
        self.assertEqual(run().stdout, run("-h").stdout)
        for columns in (60, 80, 200):
            text = on_terminal(columns)
            self.assertLessEqual(len(text.splitlines()), 24, text)
            for option in ("--compare", "--explain", "--diagnose", "--html", "--list", "--quiz", "--help"):
                self.assertIn(option, text)
        self.assertLess(len(run().stdout), len(run("--help").stdout) / 4)

    def test_help_of_a_stage(self):
        text = run("--help", "causal").stdout
        for arguments in (("help", "causal"), ("causal", "--help"), ("causal", "-h")):
            self.assertEqual(run(*arguments).stdout, text)
        self.assertIn("In the book: 3.5.1, 3.5.2.", text)
        self.assertIn("Follows document 000; 001; 002, part 4, 2.4 (1) to (3); 004.", text)
        self.assertRegex(text, r"(?m)^  --dropout-seed N +Seed of the dropout mask$")
        self.assertRegex(text, r"(?m)^  masked_simple_norm +Renormalised: each row sums to 1 again$")
        self.assertNotIn("--heads", text)
        self.assertIn("--heads", run("help", "multi-head").stdout)
        self.assertEqual(run("help").stdout, run("--help").stdout)
        self.assertIn("书中的小节：3.5.1, 3.5.2。", run("help", "causal", "--lang=zh").stdout)
        for stage in re.findall(r"^([a-z-]+)  ", run("--list").stdout, re.M):
            self.assertIn(f"{stage} · ", run("help", stage).stdout)
        self.assertEqual(run("help", "no_such").returncode, 2)

    def test_the_steps_of_a_stage_are_listed(self):
        (trace,) = json.loads(run("causal", "--json=-").stdout)["stages"]
        listed = run("--list", "causal").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in listed[1:]], [step["name"] for step in trace["steps"]])
        self.assertTrue(all(line.endswith(step["title"]) for line, step in zip(listed[1:], trace["steps"])))

    def test_capitals_get_a_hint(self):
        for name in ("CAUSAL", "Causal"):
            answer = run(name)
            self.assertEqual((answer.returncode, answer.stdout), (2, ""))
            self.assertIn('Did you mean "causal"?', answer.stderr)

    def test_lists_and_prose_wrap_at_the_terminal_s_width(self):
        for columns in (60, 80, 100):
            for arguments in (("--list",), ("--list", "causal"), ("causal", "--compare"), ("help", "causal"), ("--errata",)):
                lines = on_terminal(columns, *arguments, "--color=never").splitlines()
                self.assertLessEqual(max(len(line) for line in lines), columns, arguments)
        narrow = on_terminal(60, "causal", "--step=mask").splitlines()
        self.assertLessEqual(max(len(line) for line in narrow[:8]), 60)

    def test_what_is_longer_than_the_terminal_goes_through_the_pager(self):
        pager = "sed s/^/p:/"
        paged = on_terminal(80, "causal", PAGER=pager)
        self.assertTrue(all(line.startswith("p:") for line in paged.splitlines()))
        self.assertEqual(paged.replace("p:", ""), on_terminal(80, "causal"))
        for arguments, variables in ((("causal", "--no-pager"), {"PAGER": pager}), (("causal",), {"PAGER": "cat"}), (("causal",), {"PAGER": "no-such-pager-here 2>/dev/null"})):
            self.assertEqual(on_terminal(80, *arguments, **variables), on_terminal(80, "causal"))
        self.assertFalse(on_terminal(80, PAGER=pager).startswith("p:"))  # one screen
        self.assertEqual(run("causal", PAGER=pager).stdout, run("causal").stdout)
        self.assertEqual(on_terminal(80, "causal", PAGER="head -1"), on_terminal(80, "causal").splitlines()[0] + "\n")


class Generated(unittest.TestCase):
    def run_tool(self, name, *arguments, stdin=""):
        """Standard output of a tool that must have nothing to complain of."""
        if shutil.which(name) is None:
            if os.environ.get("ATTN_NO_SKIP"):
                self.fail(f"{name} is not installed")
            self.skipTest(f"{name} is not installed")
        answer = subprocess.run([name, *arguments], input=stdin, capture_output=True, encoding="utf-8", env=environment(LC_ALL="C.UTF-8"))
        self.assertEqual((answer.returncode, answer.stderr), (0, ""), answer.stdout)
        return answer.stdout

    def script(self, shell):
        file = tempfile.NamedTemporaryFile("w", suffix=f".{shell}")
        self.addCleanup(file.close)
        answer = run("--generate", f"complete-{shell}")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        file.write(answer.stdout)
        file.flush()
        return file.name

    def steps(self, stage):
        (trace,) = json.loads(run(stage, "--json=-").stdout)["stages"]
        return [step["name"] for step in trace["steps"]]

    def completes(self, complete):
        """`complete` maps the words of a command line, the last one unfinished, to what it may become."""
        self.assertEqual(complete("caus"), {"causal", "causal-batch", "causal-self-attention"})
        self.assertIn("all", complete(""))
        self.assertEqual(complete("--quie"), {"--quiet"})
        self.assertEqual(complete("--dropout-rng", "m"), {"mt19937", "mkl"})
        self.assertEqual(complete("causal", "--stage", "sim"), {"simplified"})
        self.assertEqual(complete("--generate", "m"), {"man"})
        self.assertEqual(complete("head-split", "--step", ""), set(self.steps("head-split")))
        self.assertGreaterEqual(complete("causal", "--step", ""), set(self.steps("causal")) | {"b_query"})
        self.assertGreater(complete("--step", ""), set(self.steps("causal")) | set(self.steps("leakage")))
        self.assertEqual(complete("causal", "--seed", ""), set())

    def test_bash(self):
        script = self.script("bash")
        self.run_tool("bash", "-n", script)

        def complete(*words):
            call = f'source {script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _attn_walkthrough; printf "%s\\n" "${{COMPREPLY[@]}}"'
            return set(self.run_tool("bash", "-c", call, "bash", "attn-walkthrough", *words).split())

        self.completes(complete)
        self.assertEqual(complete("--lang", "=", "z"), {"zh"})
        self.assertEqual(complete("--lang", "="), {"en", "zh"})
        self.assertEqual(complete("--"), {line.split()[0] for line in run("--help").stdout.splitlines() if line.startswith("  --")})

    def test_fish(self):
        script = self.script("fish")
        self.run_tool("fish", "--no-execute", script)

        def complete(*words):
            found = self.run_tool("fish", "--no-config", "-c", f"source {script}; complete -C 'attn-walkthrough {' '.join(words)}'")
            return {line.split("\t")[0] for line in found.splitlines()}

        self.completes(complete)
        self.assertEqual(complete("--lang="), {"--lang=en", "--lang=zh"})

    def test_zsh(self):
        script = self.script("zsh")
        self.run_tool("zsh", "-n", script)
        text = pathlib.Path(script).read_text()
        with tempfile.TemporaryDirectory() as folder:  # the file is sourced, or found on $fpath
            pathlib.Path(folder, "_attn-walkthrough").write_text(text)
            for before, after in (("", f"source {script}"), (f"fpath=({folder} $fpath)", "")):
                call = f"{before}; autoload -U compinit; compinit -D -u; {after}; print $_comps[attn-walkthrough]"
                self.assertEqual(self.run_tool("zsh", "-f", "-c", call), "_attn-walkthrough\n")
        self.assertIn("'--dropout-rng=[", text)
        self.assertIn(":mt19937|mkl:(mt19937 mkl)' \\\n", text)
        call = f"compdef() {{ }}; source {script}; compadd() {{ print -l ${{(P)2}} }}; words=(attn-walkthrough head-split --step ''); _attn_walkthrough_steps"
        self.assertEqual(self.run_tool("zsh", "-f", "-c", call).split(), self.steps("head-split"))

    def test_the_manual_page(self):
        source = run("--generate", "man").stdout
        self.assertTrue(source.isascii())
        page = self.run_tool("groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=200n", stdin=source)
        self.assertEqual(re.findall(r"^[A-Z][A-Z ]+$", page, re.M), ["NAME", "SYNOPSIS", "EXAMPLES", "STAGES", "OPTIONS", "EXIT STATUS", "ENVIRONMENT"])
        for line in run("--help").stdout.splitlines():
            if line.startswith("  --"):
                self.assertIn(line.split()[0], page)
        self.assertIn("Why scores are divided by √d_k", page)
        self.assertIn("attn-walkthrough causal --seed 123 --compare", page)

    def test_other_names_are_refused(self):
        answer = run("--generate", "complete-bsh")
        self.assertEqual((answer.returncode, answer.stdout), (2, ""))
        self.assertIn('Did you mean "complete-bash"?', answer.stderr)
        self.assertEqual(run("--generate", "man", "--list").returncode, 2)


class OptionsAsData(unittest.TestCase):
    def data(self, *more):
        answer = run("--generate", "options", *more)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        return json.loads(answer.stdout)

    def test_they_are_those_of_the_help(self):
        data = self.data()
        help_text = run("--help").stdout
        options = data["options"]
        self.assertEqual(["--" + option["name"] for option in options], re.findall(r"^  (--[a-z-]+)", help_text, re.M))
        self.assertEqual(list(dict.fromkeys(option["heading"] for option in options)), re.findall(r"^(\w.*):$", help_text, re.M)[2:-1])
        unwrapped = " ".join(help_text.split())
        for option in options:
            self.assertIn(" ".join(f"--{option['name']} {option['value']} {option['help']}".split()), unwrapped)
            self.assertEqual(option["kind"] == "flag", option["value"] == "")
            self.assertEqual("choices" in option, option["kind"] == "choice")
        self.assertEqual({option["kind"] for option in options}, {"flag", "number", "choice", "file", "text"})

    def test_a_stage_takes_those_it_says_and_has_the_defaults_it_says(self):
        data = self.data()
        titles = dict(re.findall(r"^  ([a-z-]+)  +(\S.*)$", run("--help").stdout.split("Stages:")[1].split("\n\n")[0], re.M))
        self.assertEqual({stage["name"]: stage["title"] for stage in data["stages"]}, titles)
        given = {"N": "7", "P": "0.5", "X": "0.5", "N,N,…": "3,4", "": None}
        tried = 0
        for option in data["options"]:
            for stage in data["stages"] if option.get("stages") and option["value"] in given and option["name"] not in ("heads", "measure", "loss") else []:
                value = given[option["value"]]
                answer = run(stage["name"], f"--{option['name']}" + (f"={value}" if value else ""), "--quiet")
                takes = stage["name"] in option["stages"]
                self.assertEqual("none of the chosen stages uses this option" not in answer.stderr, takes, (stage["name"], option["name"], answer.stderr))
                tried += 1
        self.assertGreater(tried, 200)
        names = {option["name"]: option for option in data["options"]}
        for stage in data["stages"]:
            (trace,) = json.loads(run(stage["name"], "--json=-").stdout)["stages"]
            for option, default in stage["defaults"].items():
                self.assertIn(stage["name"], names[option]["stages"])
                written = {"heads": "num_heads", "tokens": "sequence_lengths"}.get(option, option.replace("-", "_"))
                if written in trace["parameters"]:
                    self.assertEqual(trace["parameters"][written], default, (stage["name"], option))
        self.assertEqual(next(stage for stage in data["stages"] if stage["name"] == "causal")["defaults"]["dropout"], 0.5)

    def test_they_speak_chinese(self):
        english, chinese = self.data(), self.data("--lang=zh")
        for one, other in zip(english["options"], chinese["options"], strict=True):
            self.assertEqual({**one, "help": 0, "heading": 0}, {**other, "help": 0, "heading": 0})
            self.assertNotEqual(one["help"], other["help"])
            self.assertNotEqual(one["heading"], other["heading"])


if __name__ == "__main__":
    unittest.main()
