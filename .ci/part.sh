# Sourced by what runs in parts: part NAME COMMAND… says how long it took, or that it failed; afterwards summary has them all.
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
