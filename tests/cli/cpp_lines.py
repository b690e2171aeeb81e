"""Compiles and runs the C++ lines of every stage, `--code cpp`, against the library where it is installed.

What they compute must be `data` bit for bit, at the defaults and at random parameters; and the lines of the printed
text must, put into a main, print the tensors shown below them. One source per stage, so that each must include what it
uses. Arguments: the program, cmake, the build folder, the compiler, and its flags.
"""

import concurrent.futures
import glob
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "oracle"))
from runs import STAGES, command_line, flat, listed, random_lesson, random_options, trained_stages

RUNS = 4  # of each stage, besides the defaults

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
    """The statements of the printed text: paragraphs set in by exactly four spaces."""
    return [p for p in text.split("\n\n") if re.match(r"    \S", p)]


def source(name, traces, text):
    """The C++ of a stage: each run a function, its printed text one more."""
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
    body.append(f"void {name}_text() {{\n" + "\n".join(x for x in lines if not x.startswith("    #")) + "\n}\n")
    declared = "void show(const char* name, const attn::Tensor& x);\n"
    return "\n".join(includes) + "\n" + declared + "\n".join(body)


def bits(number):
    value = struct.unpack(">I", struct.pack(">f", float(number)))[0]
    return "nan" if number != number else f"{value:x}"


def is_nan(word):
    return int(word, 16) & 0x7FFFFFFF > 0x7F800000


def run(*command, **options):
    answer = subprocess.run(command, capture_output=True, text=True, **options)
    assert answer.returncode == 0, (command, answer.stderr[-4000:])
    return answer.stdout


def main():
    program, cmake, build, compiler, *flags = sys.argv[1:]
    assert listed(run(program, "list")) == list(STAGES), "every stage has its C++ lines run"
    rng = random.Random(20)
    trained = trained_stages(program)
    traces = {}
    with tempfile.TemporaryDirectory() as folder:

        def path(name):
            return os.path.join(folder, name)

        calls, declarations = [], []
        for stage, options in STAGES.items():
            name = stage.replace("-", "_")
            traces[name] = []
            for number in range(1 + (RUNS if options else 0)):
                lesson = random_lesson(rng) if "input" in options and number % 2 else None
                extra = random_options(options, rng, lesson) if number else []
                if number == RUNS and stage in trained:
                    extra += ["--backward", "--loss=mse"]
                command = command_line(program, stage, ["--code", "cpp", *extra], lesson if number else None)
                traces[name].append(json.loads(run(*command, input=json.dumps(lesson)))["stages"][0])
                assert traces[name][-1]["language"] == "cpp"
            shown = ["--precision", "6"] if rng.random() < 0.5 else ["--rows", rng.choice(["1:3", ":-1", "-2:"])]
            with open(path(f"{name}.cpp"), "w") as file:
                file.write(source(name, traces[name], run(program, stage, "--code", "cpp", *shown)))
            runs = [*range(len(traces[name])), "text"]
            declarations += [f"void {name}_{number}();" for number in runs]
            calls += [f'    std::cout << "\\x1e";\n    {name}_{number}();' for number in runs]
            traces[name].append(run(program, stage, "--quiet", "--code", "cpp", *shown))
        with open(path("main.cpp"), "w") as file:
            file.write(MAIN + "\n".join(declarations) + "\nint main() {\n" + "\n".join(calls) + "\n}\n")

        def compile_one(name):
            run(compiler, "-std=c++20", "-ffp-contract=off", *flags, f"-I{path('include')}", "-c", path(f"{name}.cpp"), "-o", path(f"{name}.o"))

        run(cmake, "--install", build, "--prefix", folder, "--component", "library")
        (library,) = glob.glob(path("lib*/**/libattn.a"), recursive=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(compile_one, [*traces, "main"]))
        objects = [path(f"{name}.o") for name in [*traces, "main"]]
        run(compiler, *flags, *objects, library, "-pthread", "-o", path("code_lines"))
        sections = iter(run(path("code_lines")).split("\x1e")[1:])

    for name, (*stages, shown) in traces.items():
        tensors = numbers = 0
        for stage in stages:
            theirs = next(sections).splitlines()
            assert len(theirs) == len(stage["steps"]) > 0
            for step, line in zip(stage["steps"], theirs):
                shape, words = line.split(" :")
                assert shape.split() == [step["name"], *map(str, step["shape"])], (name, shape)
                wanted = [bits(float(x)) for x in flat(step["data"])]
                got = ["nan" if is_nan(word) else word for word in words.split()]
                assert got == wanted, (name, stage["parameters"], step["name"], step["code"])
                tensors, numbers = tensors + 1, numbers + len(got)
        text = next(sections)
        assert text.replace("\n\n", "\n") == shown.replace("\n\n", "\n"), (name, text, shown)
        print(f"{name}: {len(stages)} runs, {tensors} tensors, {numbers} numbers, bit for bit; its text prints what it shows")


main()
