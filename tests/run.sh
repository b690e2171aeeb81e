#!/bin/sh
# Builds the program and its tests, installs what this needs on a bare Debian 12, and runs them. A word
# selects the fast tests that mention it, and builds only what these need: tests/run.sh softmax. Other
# arguments are passed to ctest: tests/run.sh -R oracle
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/app/packages.sh"
preset=${PRESET:-dev}

require_packages clang-format cppcheck python3 python3-pytest python3-hypothesis
require_packages python3-torch libopenblas0-pthread zsh fish groff-base dpkg-dev
# To open exported files.
require_packages python3-nbclient python3-nbformat python3-ipykernel texlive-latex-base
require_packages python3-setuptools python3-wheel python3-venv
if [ "$preset" = dev ]; then  # the page is tested in a browser only under this preset
    command -v npm >/dev/null || require_packages nodejs npm
    require_packages chromium
fi
cd "$root"
case ${1:-} in
    "" | -*) build "$preset" ;;
    *)
        build "$preset" attn-walkthrough attn-tests
        scripts=$(grep -rliF --include='*.py' -e "$1" tests/cli | sed 's|.*/||; s|\.py$||' | tr '\n' '|')
        "build/$preset/attn-tests" --source-file="*$1*" --minimal
        export ATTN_WORD="$1"
        exec ctest --preset "$preset" --parallel "$(nproc)" --label-exclude 'slow|oracle' \
            --tests-regex "^(unit:.*$1.*|${scripts%|})$"
        ;;
esac
exec ctest --preset "$preset" --parallel "$(nproc)" "$@"
