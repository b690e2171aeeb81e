# Completion of attn-walkthrough for bash, made by: attn-walkthrough completion bash
_attn_walkthrough() {
    local IFS=$'\n'
    COMPREPLY=($("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null | cut -f 1))
}
complete -o default -F _attn_walkthrough attn-walkthrough
