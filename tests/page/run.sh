#!/bin/sh
# Tests the page in Chromium. Arguments: the program, a folder for npm packages, options of `playwright test`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$1")
work=$2
shift 2

. "$here/browser.sh"
node --test "$here/modules.test.mjs"
drive page.spec.mjs "$@"
