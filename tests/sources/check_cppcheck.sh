#!/bin/sh
# Fails if cppcheck finds anything in the sources. Argument: the project's folder.
command -v cppcheck >/dev/null || {
    echo "SKIPPED: cppcheck is not installed"
    [ -z "$ATTN_NO_SKIP" ] && exit 77
    exit 1
}
cd "$1" && cppcheck --std=c++20 --language=c++ --quiet --error-exitcode=1 \
    --enable=warning,performance,portability -I lib -I app lib app tests
