#!/bin/sh
# Tests that take too long for the gate: coverage, each file compiled by itself, libc++, 64-bit ARM,
# WebAssembly, Windows, unusual builds, a single file, failures at any moment, all suggested lines, thousands
# of attempts, 100 mutants, 20 minutes for each fuzzer, the rate of right diagnoses, 20,000 random tensors in
# each of three versions of PyTorch; the command line, the long unit tests and PyTorch under the sanitizers;
# and the same bytes from every build. Reports the time of each part, and which part failed.
set -eu
cd "$(dirname "$0")/.."
export ATTN_NO_SKIP=1  # tests that cannot run here fail
root=$PWD
. app/packages.sh
. .ci/part.sh

part "coverage" tests/coverage/run.sh
part "each file by itself" env PRESET=clang tests/all.sh --label-exclude sources
part "libc++ 16" env PRESET=libc++-16 tests/all.sh -R '^unit'
part "libc++ 19" env PRESET=libc++-19 tests/all.sh -R '^unit'
part "64-bit ARM" env PRESET=aarch64 tests/all.sh
part "the program for browsers" tests/web/run.sh
part "the program for Windows" tests/windows/run.sh
part "odd ways to build" tests/install/builds.sh
part "a single file" tests/install/static.sh build/dev/attn-walkthrough
part "the same bytes" \
    tests/same_bytes.sh release static dev sanitize threads clang coverage libc++-19 aarch64
part "failures" env ATTN_TORTURE=full tests/all.sh -R '^failures$'
part "all suggested lines" env ATTN_GUESSES_STEP=1 tests/all.sh -R '^suggested_lines$'
part "attempts" env ATTN_ATTEMPTS=3000 tests/all.sh -R '^attempts$'
part "attempts under the sanitizers" env ATTN_ATTEMPTS=1000 PRESET=sanitize tests/all.sh -R '^attempts$'
part "the command line under the sanitizers" env PRESET=sanitize tests/all.sh -L 'cli|packages'
part "long unit tests under the sanitizers" env PRESET=sanitize tests/all.sh -R '^unit_long$'
part "PyTorch under the sanitizers" env PRESET=sanitize tests/all.sh -L oracle --label-exclude transcript
part "valgrind" tests/torture/valgrind.sh
part "mutants" python3 -B tests/mutants/run.py --count 100
part "diagnoses" env ATTN_PASTES=2000 ATTN_PASTES_SEED="$(date +%Y%m%d)" tests/all.sh -R '^oracle_accuracy$'
for suite in trixie sid system; do
    part "PyTorch of $suite" env ATTN_TORCH=$suite ATTN_TENSORS=20000 tests/all.sh -L oracle
done
part "fuzzing" tests/fuzz/run.sh 1200
printf '%s' "$summary"
