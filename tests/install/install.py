"""Installed files work where they are installed, also in a user's project and as Debian's package."""

import filecmp
import os
import pathlib
import re
import shutil

import pytest

from program import BUILD, PROJECT, built, missing, output

COMPILER, CMAKE = built("CMAKE_CXX_COMPILER"), built("CMAKE_COMMAND")
CONSUMER = pathlib.Path(__file__).parent / "consumer"
README = (PROJECT / "lib" / "README.md").read_text()
(VERSION,) = re.findall(r"^project\(.* VERSION (\S+)", (PROJECT / "CMakeLists.txt").read_text(), re.M)
# The files that the program prints, and where they are installed.
GENERATED = {
    "man": "man/man1/attn-walkthrough.1",
    "completion bash": "bash-completion/completions/attn-walkthrough",
    "completion zsh": "zsh/site-functions/_attn-walkthrough",
    "completion fish": "fish/vendor_completions.d/attn-walkthrough.fish",
}


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    output(CMAKE, "--install", BUILD, "--prefix", folder)
    return folder


@pytest.fixture
def installed(prefix):
    """Returns a function that runs the installed program."""
    return lambda *arguments: output(prefix / "bin" / "attn-walkthrough", *arguments)


def test_the_program_runs(installed):
    assert installed("--version").startswith(f"attn-walkthrough {VERSION}\n")
    assert "tensor([[1.0000, 0.0000," in installed("causal", "--step", "attn_weights_causal")


@pytest.mark.parametrize("command", GENERATED)
def test_the_manual_page_and_the_completions_are_there(command, prefix, installed):
    assert (prefix / "share" / GENERATED[command]).read_text() == installed(*command.split())


def test_licence_and_changelog_are_there(prefix):
    docs = prefix / "share" / "doc" / "attn-walkthrough"
    assert filecmp.cmp(docs / "copyright", PROJECT / "LICENSE", shallow=False)
    (newest, *_) = re.findall(r"^## \[(\d\S*)\]", (docs / "CHANGELOG.md").read_text(), re.M)
    assert newest == VERSION


def test_each_header_stands_alone_and_without_our_dependencies(prefix):
    headers = sorted((prefix / "include").rglob("*.hpp"))
    assert len(headers) > 12
    for header in headers:
        used = output(COMPILER, "-std=c++20", "-fsyntax-only", "-MD", "-MF", "-", "-x", "c++", header)
        assert header.name in used
        assert not re.search(r"/(fmt|fast_float|CLI|nlohmann)/|/zlib\.h", used)


def test_all_that_is_included_is_below_one_name(prefix):
    assert [path.name for path in (prefix / "include").iterdir()] == ["attn"]


@pytest.fixture
def consumer(prefix, tmp_path):
    """Returns a function that builds a user's project with the README's program, and returns its output."""

    def built_with(find_package, *options):
        folder = shutil.copytree(CONSUMER, tmp_path / "consumer", dirs_exist_ok=True)
        (source,) = re.findall(r"```cpp\n(#include.*?)```", README, re.S)
        (folder / "main.cpp").write_text(source)
        lists = (folder / "CMakeLists.txt").read_text()
        assert "find_package(attn 0.1 REQUIRED)" in lists
        (folder / "CMakeLists.txt").write_text(lists.replace("find_package(attn 0.1 REQUIRED)", find_package))
        found = f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={COMPILER}"
        output(CMAKE, "-S", folder, "-B", folder / "build", "--fresh", *found, *options)
        output(CMAKE, "--build", folder / "build", "--parallel", str(os.cpu_count()))
        return output(folder / "build" / "consumer")

    return built_with


def test_a_project_of_someone_elses_runs_the_readmes_program(consumer, installed):
    (printed,) = re.findall(r"```cpp\n#include[^`]*```\n\n((?:    .*\n)+)", README)
    printed = re.sub("^    ", "", printed, flags=re.M)
    assert consumer("find_package(attn 0.1 REQUIRED)") == printed
    assert consumer(f'add_subdirectory("{PROJECT}" attn)', "-DCMAKE_UNITY_BUILD=ON") == printed
    walked = installed("causal-batch", "--batch=1", "--quiet", "--step=context_vec")
    assert re.sub(", grad_fn=<.*>", "", walked) == printed


def test_another_version_is_refused(consumer):
    with pytest.raises(AssertionError, match="99.0"):
        consumer("find_package(attn 99.0 REQUIRED)")


def test_the_debian_package_says_what_it_needs_and_has_the_program(tmp_path):
    if shutil.which("dpkg-shlibdeps") is None:
        missing("dpkg-dev")
    output("cpack", "-G", "DEB", "-B", tmp_path, cwd=BUILD)
    (package,) = tmp_path.glob("*.deb")
    assert output("dpkg-deb", "-f", package, "Version") == f"{VERSION}\n"
    needs = {word.split()[0] for word in output("dpkg-deb", "-f", package, "Depends").split(", ") if word}
    is_static = "(NEEDED)" not in output("readelf", "--dynamic", BUILD / "attn-walkthrough")
    assert needs - {"libgcc-s1"} == (set() if is_static else {"libc6", "libstdc++6", "zlib1g"})
    output("dpkg-deb", "-x", package, tmp_path)
    usr = tmp_path / "usr"
    version = output(usr / "bin" / "attn-walkthrough", "--version")
    assert version.startswith(f"attn-walkthrough {VERSION}\n")
    for file in ("man/man1/attn-walkthrough.1.gz", "zsh/vendor-completions/_attn-walkthrough"):
        assert (usr / "share" / file).is_file(), file
