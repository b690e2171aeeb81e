# Completion of attn-walkthrough for fish, made by: attn-walkthrough completion fish
function __attn_walkthrough
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] complete $words 2>/dev/null)
    if test -n "$found"
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c attn-walkthrough -f -a '(__attn_walkthrough)'
