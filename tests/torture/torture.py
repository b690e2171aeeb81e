"""Whatever fails, and whenever: the old file or the new one, one message, exit code 2, no crash and nothing left over.

The n-th allocation fails, for n after n until a run succeeds; the n-th fopen, fwrite, fflush, fclose and rename fails
or is cut short; the program is killed, or interrupted, at random moments of an export. ATTN_TORTURE=full tries every n.
Arguments: the program, the library to preload (tests/torture/fail.cpp).
"""

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, LIBRARY = (str(pathlib.Path(argument).resolve()) for argument in (sys.argv.pop(1), sys.argv.pop(1)))
FULL = os.environ.get("ATTN_TORTURE") == "full"
OLD = b"the old file, whole\n"
WEIGHTS = "tensor([[0.1921, 0.1646], [0.2041, 0.1659]])\n"
RUNS = {
    "a walkthrough": ["causal"],
    "several stages": ["simplified", "multi-head"],
    "a comparison": ["compare", "causal"],
    "JSON": ["causal", "--json", "FILE"],
    "NumPy's arrays": ["causal", "--out", "FILE.npz"],
    "tensors of PyTorch": ["causal", "--out", "FILE.safetensors"],
    "a page": ["causal", "--out", "FILE.html"],
    "a picture": ["causal", "--step", "attn_weights", "--out", "FILE.svg"],
    "a heat map": ["causal", "--heatmap"],
    "a diagnosis": ["diagnose", "causal", "-"],
    "an explanation": ["explain", "causal", "attn_weights_causal[1][0]"],
    "help": ["--help"],
    "the errata": ["errata"],
    "a manual page": ["man"],
    "an error": ["causl"],
}


class Torture(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.target = self.folder / "target"
        self.count = self.folder / "count"

    def run_with(self, arguments, fail):
        self.target.unlink(missing_ok=True)
        (file,) = [argument for argument in arguments if argument.startswith("FILE")] or ["FILE"]
        self.target = self.folder / file.replace("FILE", "target")
        self.target.write_bytes(OLD)
        variables = {"LD_PRELOAD": LIBRARY, "ATTN_FAIL": fail, "ATTN_COUNT": str(self.count), "LC_ALL": "C"}
        command = [PROGRAM, *(str(self.target) if argument == file else argument for argument in arguments)]
        return subprocess.run(command, input=WEIGHTS.encode(), capture_output=True, env={**os.environ, **variables}, timeout=600)

    def calls(self, arguments, function):
        """How often an undisturbed run calls it, and what it then answers."""
        answer = self.run_with(arguments, f"{function} 0")
        self.assertIn(answer.returncode, (0, 1, 2), answer.stderr)
        return int(self.count.read_text()), answer, self.target.read_bytes()

    def check(self, answer, new, context):
        self.assertEqual(answer.returncode, 2, context)
        self.assertIn(b"attn-walkthrough: ", answer.stderr, context)
        self.assertNotIn(b"internal error", answer.stderr, context)
        self.assertIn(self.target.read_bytes(), (OLD, new), context)
        self.count.unlink(missing_ok=True)
        for left_over in self.folder.glob(".attn-walkthrough-*.tmp"):  # nlohmann/json allocates in a destructor
            left_over.unlink()
        self.assertEqual([path.name for path in self.folder.iterdir()], [self.target.name], context)

    def test_every_allocation_may_fail(self):
        injected = 0
        for name, arguments in RUNS.items():
            total, _, new = self.calls(arguments, "new")
            self.assertGreater(total, 20, name)
            few = 40  # spread evenly, the first ones all
            numbers = range(1, total + 1) if FULL else sorted({*range(1, 15), *range(1, total + 1, max(1, total // few))})
            for n in numbers:
                answer = self.run_with(arguments, f"new {n}")
                if "an error" in name and b"there is no stage or command" in answer.stderr:
                    continue  # what failed was part of something that did not matter
                if answer.returncode != 2 and int(self.count.read_text()) < n:
                    continue  # several threads never allocate quite as often again
                self.check(answer, new, f"{name}: allocation {n} of {total}: {answer.stderr}")
                injected += 1
        self.assertGreater(injected, 700)
        print(f"{injected} allocations failed in {len(RUNS)} kinds of run", file=sys.stderr)

    def test_every_call_of_the_system_may_fail(self):
        injected = survived = 0
        for name in ("JSON", "NumPy's arrays", "tensors of PyTorch", "a page", "a picture", "a walkthrough", "help"):
            arguments = RUNS[name]
            for function in ("fopen", "fwrite", "fflush", "fclose", "rename"):
                total, usual, new = self.calls(arguments, function)
                for n in range(1, total + 1):
                    for how in ("ENOSPC", "EIO", "EINTR", *(["short"] if function == "fwrite" else [])):
                        answer = self.run_with(arguments, f"{function} {n} {how}")
                        context = f"{name}: {function} {n} of {total} {how}: {answer.stderr}"
                        injected += 1
                        if answer.returncode == 0:  # taken up again, or of a file that was only read
                            self.assertEqual((answer.stdout, self.target.read_bytes()), (usual.stdout, new), context)
                            survived += 1
                        else:
                            self.check(answer, new, context)
                if function == "rename" and any(argument.startswith("FILE") for argument in arguments):
                    self.assertEqual(total, 1, name)
        self.assertGreater(injected, 100)
        print(f"{injected} calls failed, {survived} of them without harm", file=sys.stderr)

    def interrupt(self, signals, times):
        arguments = [PROGRAM, "all", "--json", str(self.target), "--quiet"]
        started = time.perf_counter()
        subprocess.run(arguments, stdout=subprocess.DEVNULL, check=True)
        whole, new = time.perf_counter() - started, self.target.read_bytes()
        rng = random.Random(3)
        seen = set()
        for _ in range(times):
            self.target.write_bytes(OLD)
            process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(rng.random() * whole * 1.5)
            process.send_signal(rng.choice(signals))
            process.wait()
            left = self.target.read_bytes()
            self.assertIn(left, (OLD, new))
            seen.add(left)
            yield [path.name for path in self.folder.iterdir()]
        self.assertEqual(seen, {OLD, new}, "some were killed before the file was there, some after")

    def test_killed_at_any_moment_the_target_is_the_old_file_or_the_new(self):
        for left_over in self.interrupt([signal.SIGKILL], 200):
            for name in left_over:
                if name != "target":
                    self.assertTrue(name.startswith(".attn-walkthrough-"), name)
                    (self.folder / name).unlink()


if __name__ == "__main__":
    unittest.main()
