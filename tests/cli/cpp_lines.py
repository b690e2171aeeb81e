"""Compiles and runs the C++ lines of every stage, `--code cpp`, with the installed library.

Their results must be `data` bit for bit, at the defaults and at random parameters. The lines of the printed
text must print the tensors shown below them. Each stage is a program of its own, so that it must include
everything it uses.
"""

import random
import re
import shlex

import numpy as np
import pytest

from program import BUILD, built, ok, output, refuses, traced
from runs import STAGES, flat, random_lesson, random_options, trained_stages

RUNS = 4  # runs of each stage, besides that at the defaults

DECLARATION = "void show(const char* name, const attn::Tensor& x);"
SHOW = """#include <bit>
#include <cstdint>
#include <iostream>
#include <attn/attention.hpp>

void show(const char* name, const attn::Tensor& x) {
    std::cout << name;
    for (const std::size_t size : x.shape()) {
        std::cout << ' ' << size;
    }
    std::cout << " :" << std::hex;
    for (const float value : x.values()) {
        std::cout << ' ' << std::bit_cast<std::uint32_t>(value);
    }
    std::cout << std::dec << '\\n';
}
"""


@pytest.fixture(scope="module")
def run_source(tmp_path_factory):
    """Returns a function that compiles a source with the installed library and returns its output."""
    folder = tmp_path_factory.mktemp("lines")
    output(built("CMAKE_COMMAND"), "--install", BUILD, "--prefix", folder, "--component", "library")
    (library,) = folder.glob("lib*/**/libattn.a")
    sanitizers = built("ATTN_SANITIZERS")
    flags = [*shlex.split(built("CMAKE_CXX_FLAGS")), *[f"-fsanitize={sanitizers}"] * bool(sanitizers)]
    compiler = [built("CMAKE_CXX_COMPILER"), "-std=c++20", "-ffp-contract=off", *flags, f"-I{folder}/include"]
    (folder / "show.cpp").write_text(SHOW)
    output(*compiler, "-c", folder / "show.cpp", "-o", folder / "show.o")

    def compiled(source):
        (folder / "lines.cpp").write_text(source)
        files = folder / "lines.cpp", folder / "show.o", library
        output(*compiler, *files, "-pthread", "-o", folder / "lines")
        return output(folder / "lines")

    return compiled


def source_of(traces, text):
    """Returns a program with a block of statements for each run, and one for the printed text."""
    # The statements of the text are paragraphs that are indented by exactly four spaces.
    blocks = [[line for part in text.split("\n\n") if re.match(r"    \S", part) for line in part.split("\n")]]
    for stage in reversed(traces):
        block = [*stage["setup"]]
        for step in stage["steps"]:
            block += [*step["code"], f'show("{step["name"]}", {step["name"]});']
        blocks.insert(0, block)
    includes = dict.fromkeys(line for block in blocks for line in block if line.strip().startswith("#"))
    body = ["{\n" + "\n".join(line for line in block if line not in includes) + "\n}" for block in blocks]
    return "\n".join([*map(str.strip, includes), DECLARATION, "int main() {", *body, "}\n"])


@pytest.mark.parametrize("name", STAGES)
def test_lines_compute_the_data_bit_for_bit(name, run_source):
    options, rng, traces = STAGES[name], random.Random(20), []
    for number in range(1 + (RUNS if options else 0)):
        lesson = random_lesson(rng) if "input" in options and number % 2 else None
        extra = random_options(options, rng, lesson) if number else []
        if number == RUNS and name in trained_stages():
            extra += ["--backward", "--loss=mse"]
        traces.append(traced(name, ["--code=cpp", *extra], lesson))
        assert traces[-1]["language"] == "cpp"
    shown = [name, "--code=cpp", rng.choice(["--precision=6", "--rows=1:3", "--rows=:-1", "--rows=-2:"])]
    steps = [step for stage in traces for step in stage["steps"]]
    *lines, text = run_source(source_of(traces, ok(*shown))).split("\n", len(steps))
    for step, line in zip(steps, lines, strict=True):
        shape, words = line.split(" :")
        assert shape.split() == [step["name"], *map(str, step["shape"])], shape
        ours = np.array([*flat(step["data"])], np.float32)
        theirs = np.array([int(word, 16) for word in words.split()], np.uint32)
        same = (ours.view(np.uint32) == theirs) | (np.isnan(ours) & np.isnan(theirs.view(np.float32)))
        assert same.all(), (step["name"], step["code"])
    assert text.replace("\n\n", "\n") == ok(*shown, "--quiet").replace("\n\n", "\n")


def test_the_written_program_prints_the_tensors(run_source):
    for line in "causal linear --backward", "multi-head --step context_vec --precision 6":
        text = run_source(ok(line, "--out=-.cpp"))
        assert text.replace("\n\n", "\n") == ok(line, "--code=cpp", "--quiet").replace("\n\n", "\n")
    refuses("causal --code torch --out q.cpp", message="a .cpp file contains C++; leave --code out.")
