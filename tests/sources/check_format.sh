#!/bin/sh
# Fails if clang-format 14 would change any source. Argument: the project's folder.
command -v clang-format >/dev/null || { echo "SKIPPED: clang-format is not installed"; [ -z "$ATTN_NO_SKIP" ] && exit 77; exit 1; }
find "$1/app" "$1/lib" "$1/tests" -name '*.?pp' -exec clang-format --dry-run --Werror {} +
