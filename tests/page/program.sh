#!/bin/sh
# Builds the program for the browser and tests it in Chromium. Arguments: the native program, a folder for
# npm packages, options of `playwright test`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$1")
work=$2
shift 2

. "$here/browser.sh"
"$here/../../app/web/build.sh"
export ATTN_PAGE="$(realpath "$here/../../build/web/attn-walkthrough.html")"
drive program.spec.mjs "$@"
