"""Sets numbers of the inputs, weights and masks of each stage at random, and holds the whole walk that follows against
what PyTorch makes of the code shown, which sets the same.

Arguments: the probe (unused), the program.
"""

import json
import random
import subprocess
import sys

import transcripts
from runs import STAGES

RUNS = 6  # of each stage


def settable(program, stage):
    """The steps that nothing computes, with their shapes."""
    trace = json.loads(subprocess.run([program, stage, "--json=-"], capture_output=True, check=True).stdout)["stages"][0]
    names = [step["name"] for step in trace["steps"]]
    return [(step["name"], step["shape"]) for step in trace["steps"] if not step["inputs"] and step["shape"] and names.count(step["name"]) == 1]


def main():
    program = sys.argv[2]
    rng = random.Random(20)
    count = transcripts.Count()
    done, changed = 0, 0
    for stage in STAGES:
        if stage in ("numpy", "complexity"):  # NumPy's code, and counts
            continue
        steps = settable(program, stage)
        for _ in range(RUNS if steps else 0):
            options = []
            for name, shape in rng.sample(steps, min(len(steps), rng.randint(1, 3))):
                cell = "".join(f"[{rng.randrange(size)}]" for size in shape)
                value = rng.choice([0, 1, -2, 0.5, round(rng.uniform(-1, 1), 3)])
                options.append(f"--set={name}{cell}={value}")
            trace, _ = transcripts.check(program, stage, options, None, count)
            said = [step for step in trace["steps"] if "set" in step]
            assert len(said) == len({option.split("[")[0] for option in options}), (stage, options)
            assert all("Set by you" in step["note"] for step in said), (stage, options)
            done += 1
            changed += len(said)
    for language, said in (("en", "You have set numbers"), ("zh", "由你设定的数")):
        command = [program, "causal", "--no-pager", "--lang", language]
        with_number, without = (subprocess.run(command + more, capture_output=True, text=True, check=True).stdout for more in (["--set=mask[0][1]=0"], []))
        assert said in with_number and said not in without, language
    assert done >= 90 and changed > done, (done, changed)
    assert count.last_digit <= count.numbers / 800 and count.scientific <= count.numbers / 2000
    print(f"{done} walks with {changed} tensors changed, {count.steps} steps, {count.numbers} numbers, {count.bits} with other bits")


main()
