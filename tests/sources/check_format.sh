#!/bin/sh
# Fails if clang-format 14 would change any source, or if a line has more than 110 columns. Argument: the
# project's folder.
command -v clang-format >/dev/null || {
    echo "SKIPPED: clang-format is not installed"
    [ -z "$ATTN_NO_SKIP" ] && exit 77
    exit 1
}
cd "$1" || exit 1
export LC_ALL=C.UTF-8  # columns are characters
long=$(find .ci .github app data/page lib tests CMakeLists.txt \
    \( -path '.ci/*' -o -name CMakeLists.txt -o -name '*.?pp' -o -name '*.py' -o -name '*.sh' \
    -o -name '*.mjs' \
    -o -name '*.cmake' -o -name '*.yml' \) -exec grep -nE '^.{111}' {} +)
[ -z "$long" ] || {
    printf 'more than 110 columns:\n%s\n' "$long"
    exit 1
}
find app lib tests -name '*.?pp' -exec clang-format --dry-run --Werror {} +
