#compdef attn-walkthrough
# Completion of attn-walkthrough for zsh, made by: attn-walkthrough completion zsh
_attn_walkthrough() {
    local word what
    local -a found
    "${words[1]}" complete "${(@)words[1,CURRENT]}" 2>/dev/null | while IFS=$'\t' read -r word what; do
        found+=("${word//:/\\:}:$what")
    done
    if (( ${#found} )); then
        _describe -V attn-walkthrough found
    else
        _files
    fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _attn_walkthrough "$@"
else
    compdef _attn_walkthrough attn-walkthrough
fi
