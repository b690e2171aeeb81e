#!/bin/sh
# Checks that every build gives the same bytes: gcc and clang, -O0 to -O3, with and without sanitizers, every
# instruction set level, one thread and two. Prints a table of hashes (the first 16 digits of SHA-256) of all
# stages as JSON, and of one stage whose tensors are large enough to be tiled and divided among threads. Fails
# unless each column has only one hash. The builds are those of presets, made if they do not exist yet:
# tests/same_bytes.sh [PRESET…]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/app/packages.sh"
[ $# -gt 0 ] || set -- release dev sanitize

require_packages python3
for preset in "$@"; do
    build "$preset" attn-walkthrough
done
cd "$root"
folder=build/same_bytes
mkdir -p "$folder"
tests/cli/large_lesson.py 150 130 >"$folder/lesson.json"
export LLVM_PROFILE_FILE=/dev/null  # these runs are not tests whose coverage counts

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
            $program causal --quiet >/dev/null  # otherwise the level is not the reason for the failure
            echo "no level $level here for build/$preset" >&2
            continue
        fi
        for threads in 1 2; do
            all=$(hash_of $program --stage all --threads "$threads")
            large=$(hash_of $program causal --d-out 120 --input "$folder/lesson.json" --threads "$threads")
            printf '%-10s %-9s %-8s %-17s %s\n' "$preset" "$level" "$threads" "$all" "$large" |
                tee -a "$folder/table"
        done
        unset ATTN_ISA
    done
done
for column in 4 5; do
    hashes=$(tail -n +2 "$folder/table" | awk -v column="$column" '{ print $column }' | sort -u)
    [ "$(echo "$hashes" | wc -l)" = 1 ] || { echo "not the same bytes everywhere" >&2; exit 1; }
done
