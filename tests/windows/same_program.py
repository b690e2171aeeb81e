"""The program for Windows, run under Wine, prints and writes the same as the native one. Arguments: the build
for Windows, the native program.
"""

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD, NATIVE = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
EXE = f"{BUILD}/attn-walkthrough.exe"
del sys.argv[1:3]
PREFIX = tempfile.TemporaryDirectory()
ENVIRONMENT = {
    "HOME": PREFIX.name,
    "WINEPREFIX": f"{PREFIX.name}/wine",
    "WINEDEBUG": "-all",
    "LC_ALL": "C.UTF-8",
    "PATH": os.environ["PATH"],
}
LESSON = {"tokens": ["你好", "a b"], "embeddings": [[1.5, 2, 3], [3, 4.25, -1]]}
# Each command line gives the same standard output, standard error, files and exit code.
SAME = """
--help
--version-of-nothing
list
errata --lang zh
causal
causal --lang zh
causal --color always --heatmap
causal --heatmap
compare causal
causal --seed 5 compare
causal --backward --json -
explain causal attn_weights[1][0]
quiz causal --count 2
causal --input lesson.json
causal --input -
causal --input no/such.json
causal --input broken.json --lang zh
diagnose causal weights.txt
causal --json new.json
causal --out new.npz
causal --out new.html
causal --step keys --out new.csv
causal --json no/such/folder.json
multi-head --seed 3 --out -.npz
training-step --lr 0.1 --quiet
"""


def run(*command, cwd, **variables):
    stdin = json.dumps(LESSON).encode() if "-" in command else b"0\nnonsense\n"
    return subprocess.run(command, input=stdin, capture_output=True, cwd=cwd, env=ENVIRONMENT | variables)


class UnderWine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.addClassCleanup(PREFIX.cleanup)
        cls.addClassCleanup(subprocess.run, ["wineserver", "--kill", "--wait"], env=ENVIRONMENT)
        subprocess.run(["wineboot", "--init"], env=ENVIRONMENT, check=True, capture_output=True)
        # Wine's own processes live as long as any program runs, and keep open the output of the program that
        # started them. So one program starts them before the others, and runs until the end.
        kept = subprocess.Popen(
            ["wine", "cmd"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=ENVIRONMENT,
        )
        cls.addClassCleanup(kept.stdout.close)
        cls.addClassCleanup(kept.wait)
        cls.addClassCleanup(kept.stdin.close)
        kept.stdin.write(b"echo ready\r\n")
        kept.stdin.flush()
        assert any(b"ready" in line for line in kept.stdout), "Wine's cmd ended before it was ready"

    def folder(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "lesson.json").write_text(json.dumps(LESSON))
        (folder / "broken.json").write_text('{"tokens": ["a"],\n "embeddings": [[0.1, }')
        (folder / "weights.txt").write_text("tensor([[1.0000, 0.0000], [0.5517, 0.4483]])\n")
        return folder

    def compare(self, *arguments, **variables):
        answers = []
        for program in ([NATIVE], ["wine", EXE]):
            folder = self.folder()
            answer = run(*program, *arguments, cwd=folder, **variables)
            files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
            answers.append(
                (
                    answer.returncode,
                    answer.stderr.decode(),
                    hashlib.sha256(answer.stdout).hexdigest(),
                    answer.stdout[:2000],
                    files,
                )
            )
        self.assertEqual(*answers, arguments)
        return answers[0]

    def test_the_unit_tests_pass(self):
        answer = run(
            "wine",
            f"{BUILD}/attn-tests.exe",
            "--source-file-exclude=*diagnosis*",
            "--test-case-exclude=*linear time*",
            cwd=self.folder(),
        )
        self.assertEqual(answer.returncode, 0, answer.stdout[-3000:])
        self.assertRegex(
            answer.stdout.decode(errors="replace"), r"test cases: +[3-9]\d\d \| +\d+ passed \| 0 failed"
        )

    def test_every_stage_has_the_native_bytes_on_every_instruction_level(self):
        for level in ("baseline", "v3", "v4"):
            for threads in ("1", "2"):
                with self.subTest(level=level, threads=threads):
                    code, message, *_ = self.compare(
                        "--stage", "all", "--json", "-", "--threads", threads, ATTN_ISA=level
                    )
                    if f"this processor does not support {level}" in message:
                        print(f"no level {level} here")
                    else:
                        self.assertEqual(code, 0, message)

    def test_command_lines(self):
        lines = SAME.strip().splitlines()
        codes = set()
        for line in lines:
            with self.subTest(line):
                codes.add(self.compare(*line.split())[0])
        self.assertEqual(codes, {0, 1, 2})

    def test_names_with_spaces_and_of_any_script(self):
        for name in ("my lesson.json", "输入 文件.json", "ü €.json", "it's.json"):
            with self.subTest(name):
                folder = self.folder()
                (folder / "lesson.json").rename(folder / name)
                answer = run(
                    "wine",
                    EXE,
                    "simplified",
                    "--input",
                    name,
                    "--focus",
                    "你好",
                    "--json",
                    f"结果 {name}",
                    cwd=folder,
                )
                self.assertEqual((answer.returncode, answer.stderr.decode()), (0, ""))
                self.assertEqual(json.loads((folder / f"结果 {name}").read_text())["tokens"], LESSON["tokens"])

    def test_backslashes_separate_folders(self):
        folder = self.folder()
        (folder / "sub").mkdir()
        (folder / "lesson.json").rename(folder / "sub" / "lesson.json")
        answer = run(
            "wine", EXE, "causal", "--input", "sub\\lesson.json", "--json", "sub\\new.json", cwd=folder
        )
        self.assertEqual((answer.returncode, answer.stderr.decode()), (0, ""))
        self.assertEqual(
            sorted(path.name for path in (folder / "sub").iterdir()), ["lesson.json", "new.json"]
        )

    def test_a_folder_that_cannot_be_written(self):
        answer = run("wine", EXE, "causal", "--json", "Z:/proc/new.json", cwd=self.folder())
        self.assertEqual((answer.returncode, answer.stdout), (2, b""))
        self.assertRegex(
            answer.stderr.decode(), r"^attn-walkthrough: Z:/proc/new\.json: cannot be written \(.+\)\.\n$"
        )

    def test_an_input_is_never_written_under_any_of_its_names(self):
        folder = self.folder()
        for name in ("lesson.json", ".\\LESSON.json", "./lesson.json"):
            answer = run("wine", EXE, "causal", "--input", "lesson.json", "--json", name, cwd=folder)
            self.assertEqual(
                (answer.returncode, answer.stderr.decode()),
                (2, f"attn-walkthrough: {name}: this file is the input; give another file to write.\n"),
            )
        self.assertEqual((folder / "lesson.json").read_text(), json.dumps(LESSON))

    def test_answers_may_end_with_a_carriage_return(self):
        outputs = [
            subprocess.run(
                ["wine", EXE, "quiz", "causal", "--count", "2"],
                input=answers,
                capture_output=True,
                env=ENVIRONMENT,
            ).stdout
            for answers in (b"0.5\n2\n", b"0.5\r\n2\r\n")
        ]
        self.assertEqual(*(output.replace(b"\r", b"") for output in outputs))

    def test_a_file_is_replaced_whole(self):
        folder = self.folder()
        (folder / "new.json").write_text("old" * 100000)
        for _ in range(2):
            self.assertEqual(run("wine", EXE, "causal", "--json", "new.json", cwd=folder).returncode, 0)
        self.assertEqual(
            (folder / "new.json").read_bytes(), run(NATIVE, "causal", "--json", "-", cwd=folder).stdout
        )

    def test_redirected_output_is_utf_8_with_line_feeds(self):
        answer = run("wine", EXE, "causal", cwd=self.folder())
        self.assertNotIn(b"\r", answer.stdout)
        self.assertIn("√".encode(), answer.stdout)


if __name__ == "__main__":
    unittest.main()
