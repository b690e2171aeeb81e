#!/bin/sh
# Fuzzes every target for some seconds each (60 unless given): tests/fuzz/run.sh [SECONDS [TARGET…]]
# What is found worth keeping grows build/fuzz/corpus; a crash is left in build/fuzz with the input that made it.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"
seconds=${1:-60}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- json tensor_text tensor_files arguments round_trip

require_packages $build_packages clang libclang-rt-14-dev
cd "$root"
cmake --preset fuzz >/dev/null
cmake --build build/fuzz --parallel "$(nproc)" >/dev/null
cd build/fuzz
for target in "$@"; do
    mkdir -p "corpus/$target"
    echo "$target: fuzzing for $seconds s"
    if ! "./attn-fuzz-$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="$PWD/crash-$target-" "$PWD/corpus/$target" "$root/tests/fuzz/corpus/$target" >"$target.log" 2>&1; then
        tail -40 "$target.log"
        exit 1
    fi
    grep -E "number_of_executed_units|new_units_added" "$target.log"
done
