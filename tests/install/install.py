"""Installed files work where they are installed: the program, its output for the shell and for man, the
library in a user's project, and Debian's package. Arguments: the build folder, the project's folder, the C++
compiler, cmake.
"""

import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, PROJECT, COMPILER, CMAKE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), *sys.argv[3:]
CONSUMER = pathlib.Path(__file__).parent / "consumer"
README = (PROJECT / "lib" / "README.md").read_text()
# The files that the program prints, and where they are installed.
GENERATED = {
    "man": "man/man1/attn-walkthrough.1",
    "completion bash": "bash-completion/completions/attn-walkthrough",
    "completion zsh": "zsh/site-functions/_attn-walkthrough",
    "completion fish": "fish/vendor_completions.d/attn-walkthrough.fish",
}


def output(*command, **options):
    answer = subprocess.run([str(word) for word in command], capture_output=True, encoding="utf-8", **options)
    if answer.returncode:
        raise AssertionError(f"{command} failed:\n{answer.stdout}\n{answer.stderr}")
    return answer.stdout


def version():
    (found,) = re.findall(r"^project\(.* VERSION (\S+)", (PROJECT / "CMakeLists.txt").read_text(), re.M)
    return found


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.prefix = cls.folder / "prefix"
        output(CMAKE, "--install", BUILD, "--prefix", cls.prefix)
        cls.program = cls.prefix / "bin" / "attn-walkthrough"
        cls.include = cls.prefix / "include"

    def test_the_program_runs(self):
        self.assertTrue(output(self.program, "--version").startswith(f"attn-walkthrough {version()}\n"))
        self.assertIn(
            "tensor([[1.0000, 0.0000,", output(self.program, "causal", "--step", "attn_weights_causal")
        )

    def test_the_manual_page_and_the_completions_are_there(self):
        for command, file in GENERATED.items():
            self.assertEqual(
                (self.prefix / "share" / file).read_text(), output(self.program, *command.split())
            )

    def test_licence_and_changelog_are_there(self):
        docs = self.prefix / "share" / "doc" / "attn-walkthrough"
        self.assertTrue(filecmp.cmp(docs / "copyright", PROJECT / "LICENSE", shallow=False))
        (newest, *_) = re.findall(r"^## \[(\d\S*)\]", (docs / "CHANGELOG.md").read_text(), re.M)
        self.assertEqual(newest, version())

    def test_each_header_stands_alone_and_without_our_dependencies(self):
        headers = sorted(self.include.rglob("*.hpp"))
        self.assertGreater(len(headers), 12)
        for header in headers:
            used = output(COMPILER, "-std=c++20", "-fsyntax-only", "-MD", "-MF", "-", "-x", "c++", header)
            self.assertIn(header.name, used)
            self.assertNotRegex(used, r"/(fmt|fast_float|CLI|nlohmann)/|/zlib\.h")

    def test_all_that_is_included_is_below_one_name(self):
        self.assertEqual([path.name for path in self.include.iterdir()], ["attn"])

    def consumer(self, name, replaced={}, options=()):
        """Builds a user's project, with the program of lib/README.md as its main.cpp, and returns its
        output.
        """
        folder = shutil.copytree(CONSUMER, self.folder / name)
        (source,) = re.findall(r"```cpp\n(#include.*?)```", README, re.S)
        (folder / "main.cpp").write_text(source)
        lists = folder / "CMakeLists.txt"
        for old, new in replaced.items():
            lists.write_text(lists.read_text().replace(old, new))
        output(
            CMAKE,
            "-S",
            folder,
            "-B",
            folder / "build",
            f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_CXX_COMPILER={COMPILER}",
            *options,
        )
        output(CMAKE, "--build", folder / "build", "--parallel", str(os.cpu_count()))
        return output(folder / "build" / "consumer")

    def test_a_project_of_someone_elses_runs_the_readmes_program(self):
        (printed,) = re.findall(r"```cpp\n#include[^`]*```\n\n((?:    .*\n)+)", README)
        printed = re.sub("^    ", "", printed, flags=re.M)
        self.assertEqual(self.consumer("installed"), printed)
        subfolder = {"find_package(attn 0.1 REQUIRED)": f'add_subdirectory("{PROJECT}" attn)'}
        self.assertEqual(self.consumer("subfolder", subfolder, ["-DCMAKE_UNITY_BUILD=ON"]), printed)
        walked = output(self.program, "causal-batch", "--batch=1", "--quiet", "--step=context_vec")
        self.assertEqual(re.sub(", grad_fn=<.*>", "", walked), printed)

    def test_another_version_is_refused(self):
        with self.assertRaisesRegex(AssertionError, "99.0"):
            self.consumer("other", {"attn 0.1": "attn 99.0"})


class DebianPackage(unittest.TestCase):
    def setUp(self):
        if shutil.which("dpkg-shlibdeps") is None:
            if os.environ.get("ATTN_NO_SKIP"):
                self.fail("dpkg-dev is not installed")
            self.skipTest("dpkg-dev is not installed")
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_it_says_what_it_needs_and_holds_the_program(self):
        output("cpack", "-G", "DEB", "-B", self.folder, cwd=BUILD)
        (package,) = self.folder.glob("*.deb")
        self.assertEqual(output("dpkg-deb", "-f", package, "Version"), f"{version()}\n")
        needs = {word.split()[0] for word in output("dpkg-deb", "-f", package, "Depends").split(", ") if word}
        is_static = "(NEEDED)" not in output("readelf", "--dynamic", BUILD / "attn-walkthrough")
        self.assertEqual(needs - {"libgcc-s1"}, set() if is_static else {"libc6", "libstdc++6", "zlib1g"})
        output("dpkg-deb", "-x", package, self.folder / "root")
        usr = self.folder / "root" / "usr"
        self.assertTrue(
            output(usr / "bin" / "attn-walkthrough", "--version").startswith(
                f"attn-walkthrough {version()}\n"
            )
        )
        for file in ("man/man1/attn-walkthrough.1.gz", "zsh/vendor-completions/_attn-walkthrough"):
            self.assertTrue((usr / "share" / file).is_file(), file)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
