#!/bin/sh
# The same bytes from every build: gcc and clang, -O0 and -O3, every level of the instruction set, one thread and two.
# Prints a table of hashes (SHA-256, their first 16 digits) of all stages as JSON, and of one stage whose tensors are
# large enough to be tiled and shared out; fails unless each column is one hash. tests/same_bytes.sh [COMPILER…]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/app/packages.sh"
[ $# -gt 0 ] || set -- g++ clang++

require_packages $build_packages clang python3
cd "$root"
folder=build/same_bytes
mkdir -p "$folder"
tests/cli/large_lesson.py 150 130 >"$folder/lesson.json"

hash_of() {
    "$@" --json - >"$folder/out.json"
    sha256sum "$folder/out.json" | cut -c 1-16
}

printf '%-9s %-4s %-9s %-8s %-17s %s\n' compiler -O level threads 'all stages' '150 tokens' >"$folder/table"
for compiler in "$@"; do
    for optimisation in 0 3; do
        build="$folder/$compiler-O$optimisation"
        type=Release
        [ "$optimisation" = 3 ] || type=Debug  # which leaves the kernels at it, too
        cmake -S . -B "$build" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE="$type" -DATTN_BUILD_TESTS=OFF -DATTN_INSTALL=OFF \
            -DCMAKE_CXX_FLAGS_DEBUG="-O0" -DCMAKE_CXX_FLAGS_RELEASE="-O3 -DNDEBUG" >/dev/null
        cmake --build "$build" --parallel "$(nproc)" --target attn-walkthrough >/dev/null
        program="$build/attn-walkthrough"
        for level in baseline v3 v4; do
            export ATTN_ISA="$level"
            if ! "$program" causal --quiet >/dev/null 2>&1; then
                unset ATTN_ISA
                "$program" causal --quiet >/dev/null  # otherwise it is not for the level that it fails
                echo "this processor has no $level" >&2
                continue
            fi
            for threads in 1 2; do
                all=$(hash_of "$program" --stage all --threads "$threads")
                large=$(hash_of "$program" causal --d-out 120 --input "$folder/lesson.json" --threads "$threads")
                printf '%-9s %-4s %-9s %-8s %-17s %s\n' "$compiler" "$optimisation" "$level" "$threads" "$all" "$large" >>"$folder/table"
            done
            unset ATTN_ISA
        done
    done
done
cat "$folder/table"
for column in 5 6; do
    hashes=$(tail -n +2 "$folder/table" | awk -v column="$column" '{ print $column }' | sort -u)
    [ "$(echo "$hashes" | wc -l)" = 1 ] || { echo "not the same bytes everywhere" >&2; exit 1; }
done
