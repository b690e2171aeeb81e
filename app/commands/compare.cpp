#include "answers/answers.hpp"
#include "commands/declare.hpp"
#include "tensor/error.hpp"
#include "text/decimal.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

void declare_compare(Declaration& declared, Options& options) {
    add_steps(declared, options);
    declared.add({.name = "--as",
                  .type = "STEP",
                  .help = "Step to compare the numbers of a file with",
                  .target = &options.as});
    add_parameters(
        declared, options,
        {"--seed", "--d-out", "--heads", "--dropout", "--qkv-bias", "--dropout-seed", "--dropout-rng"});
    add_input(declared, options);
    declared.add({.name = "--atol",
                  .type = "X",
                  .help = "Compare a file with the nearest step; numbers may differ by at most X",
                  .target = [&options](const std::string& text) {
                      double most = -1;
                      if (read_double(text, most) != text.size() || !(most >= 0)) {
                          throw Error("{}: expected a number such as 1e-5 but received {}.", "--atol",
                                      in_quotes(text));
                      }
                      options.atol = most;
                  }});
    declared.begin_group(rare);
    add_json(declared, options, "The comparison, as JSON");
    add_general(declared, options);
}

}  // namespace

Command compare_command() {
    return {
        .name = "compare",
        .summary = "Compare a run with the documents' printed tables, digit by digit.",
        .words = "[STAGE…] [FILE|-]",
        .examples = {{"attn-walkthrough compare", "every printed table"},
                     {"attn-walkthrough compare causal --seed 123", "only the tables with this seed"},
                     {"attn-walkthrough compare causal keys mine.npy --atol 1e-5",
                      "your numbers with a step"}},
        .run = run_compare,
        .declare = declare_compare,
    };
}

}  // namespace attn
