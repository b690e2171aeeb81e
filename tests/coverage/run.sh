#!/bin/sh
# Measures how many lines and branches of lib/ and app/ the tests run. Builds with clang, which counts
# conditions as they are written; gcov also counts branches that the compiler adds for exceptions and
# temporaries. Fails below the limits in report.py, which also lists the rest. Arguments are passed to ctest.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"

require_packages llvm
cd "$root"
folder="$root/build/coverage"
rm -rf "$folder/raw"
# These tests are left out: checks of the sources, which run nothing; inert, whose thousands of runs add
# nothing; and failures, because the coverage counters need more memory than its smallest limits.
LLVM_PROFILE_FILE="$folder/raw/%4m.profraw" PRESET=coverage \
    tests/all.sh --label-exclude sources -E "^(inert|failures)$" "$@"
llvm-profdata merge -sparse "$folder"/raw/*.profraw -o "$folder/tests.profdata"
set -- "$folder/attn-walkthrough"
for program in attn-tests attn-oracle-probe; do
    set -- "$@" -object "$folder/$program"
done
llvm-cov export "$@" -instr-profile "$folder/tests.profdata" -ignore-filename-regex '^/usr/' \
    >"$folder/coverage.json"
exec python3 -B tests/coverage/report.py "$folder/coverage.json" "$root"
