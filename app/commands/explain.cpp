#include "answers/answers.hpp"
#include "commands/declare.hpp"

namespace attn {

namespace {

void declare_explain(Declaration& declared, Options& options) {
    declared.begin_group("Display");
    declared.add({.name = "--depth",
                  .type = "N",
                  .help = "Also explain the operands, up to N steps back",
                  .target = whole(options.depth, 1, 1000)});
    add_parameters(declared, options, {"--seed", "--d-out", "--heads", "--dropout", "--qkv-bias"});
    add_input(declared, options);
    add_set(declared, options);
    add_json(declared, options, "The explanation, as JSON");
    add_general(declared, options);
    add_precision(declared, options);
}

}  // namespace

Command explain_command() {
    return {
        .name = "explain",
        .summary = "Explain one number: how it is computed; or a notion, such as softmax.",
        .words = "[STAGE] CELL|NUMBER|NOTION|-",
        .examples = {{"attn-walkthrough explain causal 'keys[1][0]'", "a cell, by step, row and column"},
                     {"attn-walkthrough explain mask", "a notion: a sentence, its formula and its step"},
                     {"attn-walkthrough explain 0.5517", "all cells that print as this number"}},
        .run = run_explain,
        .declare = declare_explain,
    };
}

}  // namespace attn
