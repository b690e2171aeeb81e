#include "answers/answers.hpp"
#include "commands/declare.hpp"

namespace attn {

namespace {

void declare_quiz(Declaration& declared, Options& options) {
    add_questions(declared, options);
    add_steps(declared, options);
    add_parameters(declared, options, {"--seed", "--d-out", "--heads", "--dropout", "--qkv-bias"});
    add_input(declared, options);
    add_json(declared, options, "The questions and the verdicts on answers from standard input, as JSON");
    add_general(declared, options);
    add_precision(declared, options);
}

}  // namespace

Command quiz_command() {
    return {
        .name = "quiz",
        .summary = "Ask questions about stages, and explain which mistake leads to a wrong answer.",
        .words = "[STAGE…]",
        .examples = {{"attn-walkthrough quiz", "ten questions about causal"},
                     {"attn-walkthrough quiz linear causal --count 5", "five questions about two stages"},
                     {"attn-walkthrough quiz --quiz-seed 7", "different questions"}},
        .run = run_quiz,
        .declare = declare_quiz,
    };
}

}  // namespace attn
