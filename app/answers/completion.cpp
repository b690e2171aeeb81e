// Prints the completion script of a shell, from data/completion. The scripts get their candidates from
// `attn-walkthrough complete`.
#include "commands/declare.hpp"
#include "files/resources.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"

namespace attn {

namespace {

ExitCode run_completion(Options& options) {
    const std::string shell = options.words.size() == 1 ? options.words.front() : "";
    const Resource* const script = find_resource("completion/attn-walkthrough." + shell);
    if (script == nullptr) {
        throw Error("completion: name a shell: {}.", options.command->words)
            .correcting("", "attn-walkthrough completion bash");
    }
    write_answer(options, script->text);
    return ExitCode::agrees;
}

}  // namespace

Command completion_command() {
    return {
        .name = "completion",
        .summary = "Print the completion script for a shell.",
        .words = "bash|zsh|fish",
        .takes_stages = false,
        .examples = {{"attn-walkthrough completion bash", "source this script in ~/.bashrc"},
                     {"attn-walkthrough completion zsh",
                      "save this script as _attn-walkthrough in a folder of $fpath"},
                     {"attn-walkthrough completion fish", "save this script in ~/.config/fish/completions"}},
        .declare = declaring(run_completion),
    };
}

}  // namespace attn
