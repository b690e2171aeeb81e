"""Compiles and runs the C++ lines of every stage, `--code cpp`, with the installed library.

Their results must be `data` bit for bit, at the defaults and at random parameters. The lines of the printed
text, put into a main function, must print the tensors shown below them. There is one source per stage, so
that each must include everything it uses.
"""

import concurrent.futures
import os
import random
import re
import shlex

import numpy as np

from program import BUILD, built, listed, output, run
from runs import STAGES, flat, random_lesson, random_options, traced, trained_stages

RUNS = 4  # runs of each stage, besides that at the defaults

MAIN = """#include <bit>
#include <cstdint>
#include <cstdio>
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


def lines_of_text(text):
    """Returns the statements of the printed text: paragraphs indented by exactly four spaces."""
    return [p for p in text.split("\n\n") if re.match(r"    \S", p)]


def source(name, traces, text):
    """Returns the C++ of a stage: one function per run, and one for its printed text."""
    includes, body = {}, []
    for number, stage in enumerate(traces):
        statements = []
        for line in stage["setup"]:
            includes.setdefault(line) if line.startswith("#") else statements.append(line)
        for step in stage["steps"]:
            statements += [*step["code"], f'show("{step["name"]}", {step["name"]});']
        body.append(f"void {name}_{number}() {{\n" + "\n".join(statements) + "\n}\n")
    lines = "\n".join(lines_of_text(text)).split("\n")
    includes |= dict.fromkeys(line.strip() for line in lines if line.startswith("    #"))
    statements = "\n".join(line for line in lines if not line.startswith("    #"))
    body.append(f"void {name}_text() {{\n{statements}\n}}\n")
    return "\n".join([*includes, "void show(const char* name, const attn::Tensor& x);", *body])


def test_lines_compute_the_data_bit_for_bit(tmp_path):
    assert listed() == list(STAGES), "every stage has its C++ lines run"
    compiler, sanitizers = built("CMAKE_CXX_COMPILER"), built("ATTN_SANITIZERS")
    flags = [*shlex.split(built("CMAKE_CXX_FLAGS")), *[f"-fsanitize={sanitizers}"] * bool(sanitizers)]
    rng = random.Random(20)
    traces, calls, declarations = {}, [], []
    for stage, options in STAGES.items():
        name = stage.replace("-", "_")
        traces[name] = []
        for number in range(1 + (RUNS if options else 0)):
            lesson = random_lesson(rng) if "input" in options and number % 2 else None
            extra = random_options(options, rng, lesson) if number else []
            if number == RUNS and stage in trained_stages():
                extra += ["--backward", "--loss=mse"]
            traces[name].append(traced(stage, ["--code=cpp", *extra], lesson))
            assert traces[name][-1]["language"] == "cpp"
        shown = ["--precision", "6"] if rng.random() < 0.5 else ["--rows", rng.choice(["1:3", ":-1", "-2:"])]
        (tmp_path / f"{name}.cpp").write_text(
            source(name, traces[name], run(stage, "--code", "cpp", *shown).stdout)
        )
        runs = [*range(len(traces[name])), "text"]
        declarations += [f"void {name}_{number}();" for number in runs]
        calls += [f'    std::cout << "\\x1e";\n    {name}_{number}();' for number in runs]
        traces[name].append(run(stage, "--quiet", "--code", "cpp", *shown).stdout)
    (tmp_path / "main.cpp").write_text(
        MAIN + "\n".join(declarations) + "\nint main() {\n" + "\n".join(calls) + "\n}\n"
    )

    def compiled(name):
        options = ["-std=c++20", "-ffp-contract=off", *flags, f"-I{tmp_path}/include"]
        output(compiler, *options, "-c", f"{tmp_path}/{name}.cpp", "-o", f"{tmp_path}/{name}.o")
        return f"{tmp_path}/{name}.o"

    output(built("CMAKE_COMMAND"), "--install", BUILD, "--prefix", tmp_path, "--component", "library")
    (library,) = tmp_path.glob("lib*/**/libattn.a")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compiled, [*traces, "main"]))
    output(compiler, *flags, *objects, library, "-pthread", "-o", tmp_path / "code_lines")
    sections = iter(output(tmp_path / "code_lines").split("\x1e")[1:])

    for name, (*stages, shown) in traces.items():
        for stage in stages:
            theirs = next(sections).splitlines()
            assert len(theirs) == len(stage["steps"]) > 0
            for step, line in zip(stage["steps"], theirs):
                shape, words = line.split(" :")
                assert shape.split() == [step["name"], *map(str, step["shape"])], (name, shape)
                wanted = np.array([*flat(step["data"])], np.float32)
                got = np.array([int(word, 16) for word in words.split()], np.uint32)
                same = (got == wanted.view(np.uint32)) | (np.isnan(got.view(np.float32)) & np.isnan(wanted))
                assert same.all(), (name, stage["parameters"], step["name"], step["code"])
        text = next(sections)
        assert text.replace("\n\n", "\n") == shown.replace("\n\n", "\n"), (name, text, shown)
