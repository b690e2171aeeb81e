// The diagnose command: identifies a pasted tensor, or the mistake that produced it.

#include "answers/answers.hpp"
#include "commands/declare.hpp"

namespace attn {

namespace {

void declare_diagnose(Declaration& declared, Options& options) {
    declared.begin_group("Search");
    declared.add(
        {.name = "--as", .type = "STEP", .help = "Step to compare the numbers with", .target = &options.as});
    declared.add(
        {.name = "--search-seeds", .help = "Try every seed from 0 to 10000", .target = &options.all_seeds});
    add_parameters(declared, options,
                   {"--seed", "--d-out", "--heads", "--dropout", "--qkv-bias", "--backward"});
    add_input(declared, options);
    add_json(declared, options, "The diagnosis, as JSON");
    add_out(declared, options, "The checked notebook (.ipynb), or a report (.html, .md, .csv)",
            ".ipynb .html .md .csv .json");
    add_general(declared, options);
    declared.add(
        {.name = "--quiet", .help = "Print nothing; the exit code answers", .target = &options.quiet});
}

}  // namespace

Command diagnose_command() {
    return {
        .name = "diagnose",
        .summary = "Judge every output of a notebook or paste: right, or which line is wrong.",
        .words = "[STAGE…] FILE…|-",
        .examples = {{"attn-walkthrough diagnose mine.ipynb", "a notebook: every output, cell by cell"},
                     {"attn-walkthrough diagnose class/ --out report.csv", "all notebooks of a folder"},
                     {"python mine.py | attn-walkthrough diagnose -", "the output of your own program"}},
        .run = run_diagnose,
        .declare = declare_diagnose,
    };
}

}  // namespace attn
