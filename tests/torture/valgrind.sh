#!/bin/sh
# Runs the program under valgrind, which detects what the sanitizers do not: uninitialised numbers, and errors
# in code that they do not instrument. Every kind of input and output runs once; any report fails.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"

require_packages valgrind python3
build dev attn-walkthrough
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
program="$root/build/dev/attn-walkthrough"
cd "$folder"
echo '{"tokens": ["a", "b"], "embeddings": [[1.5, 2, 3], [3, 4.25, 1]]}' >lesson.json
echo 'tensor([[0.1921, 0.1646], [0.2041, 0.1659]])' >pasted.txt
"$program" causal --out trace.npz --out trace.safetensors

# valgrind's exit code is 9.
try() {
    code=0
    valgrind -q --error-exitcode=9 --leak-check=full "$program" "$@" >out 2>err <lesson.json || code=$?
    [ "$code" -le 2 ] && ! grep -q '^==' err || { cat err >&2; echo "valgrind: $*" >&2; exit 1; }
    tried=$((${tried:-0} + 1))
}
try --version
try --help
try causl
for input in lesson.json - /dev/stdin; do try causal --input "$input" --quiet; done
for file in trace.npz trace.safetensors; do
    try causal --weights "$file"
    head -c 1000 "$file" >"cut.${file#trace.}"
    try causal --weights "cut.${file#trace.}"
done
for suffix in json npz safetensors html ipynb md tex; do try causal --out "exported.$suffix"; done
for suffix in csv svg; do try causal --step attn_weights --out "exported.$suffix"; done
try causal --heatmap
try compare causal
try diagnose causal pasted.txt
try explain causal 'attn_weights[1][0]'
try explain 0.5517
try quiz causal --count 2
try all --backward --json -
try all --json -
echo "valgrind has nothing to say about $tried runs"
