#!/bin/sh
# The same bytes from every build: gcc and clang, -O0 to -O3, with sanitizers and without, every level of the instruction
# set, one thread and two. Prints a table of hashes (SHA-256, their first 16 digits) of all stages as JSON, and of one
# stage whose tensors are large enough to be tiled and shared out; fails unless each column is one hash. The builds are
# those of presets, made where they are not there yet: tests/same_bytes.sh [PRESET…]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/app/packages.sh"
[ $# -gt 0 ] || set -- release dev sanitize threads coverage fuzz

require_packages python3
for preset in "$@"; do
    build "$preset" attn-walkthrough
done
cd "$root"
folder=build/same_bytes
mkdir -p "$folder"
tests/cli/large_lesson.py 150 130 >"$folder/lesson.json"
export LLVM_PROFILE_FILE=/dev/null  # what is counted here is no test

hash_of() {
    "$@" --json - >"$folder/out.json"
    sha256sum "$folder/out.json" | cut -c 1-16
}

printf '%-10s %-9s %-8s %-17s %s\n' preset level threads 'all stages' '150 tokens' | tee "$folder/table"
for preset in "$@"; do
    emulator=$(sed -n 's/^CMAKE_CROSSCOMPILING_EMULATOR:[^=]*=//p' "build/$preset/CMakeCache.txt")
    program="$emulator build/$preset/attn-walkthrough"
    for level in baseline v3 v4; do
        export ATTN_ISA="$level"
        if ! $program causal --quiet >/dev/null 2>&1; then
            unset ATTN_ISA
            $program causal --quiet >/dev/null  # otherwise it is not for the level that it fails
            echo "no level $level here for build/$preset" >&2
            continue
        fi
        for threads in 1 2; do
            all=$(hash_of $program --stage all --threads "$threads")
            large=$(hash_of $program causal --d-out 120 --input "$folder/lesson.json" --threads "$threads")
            printf '%-10s %-9s %-8s %-17s %s\n' "$preset" "$level" "$threads" "$all" "$large" | tee -a "$folder/table"
        done
        unset ATTN_ISA
    done
done
for column in 4 5; do
    hashes=$(tail -n +2 "$folder/table" | awk -v column="$column" '{ print $column }' | sort -u)
    [ "$(echo "$hashes" | wc -l)" = 1 ] || { echo "not the same bytes everywhere" >&2; exit 1; }
done
