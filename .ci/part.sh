# Sourced by scripts that run in parts. `part NAME COMMAND…` reports how long the command took, or that it
# failed; `summary` lists all parts.
summary=""
part() {
    name=$1
    shift
    begun=$(date +%s)
    echo "== $name"
    "$@" || {
        echo "FAILED: $name, after $(($(date +%s) - begun)) s" >&2
        exit 1
    }
    summary="$summary$(printf '%6d s  %s' $(($(date +%s) - begun)) "$name")
"
}
