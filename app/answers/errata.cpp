// Lists errors in the documents, with corrections.
#include "words/errata.hpp"

#include "commands/declare.hpp"
#include "commands/words.hpp"
#include "terminal.hpp"
#include "text/lists.hpp"

namespace attn {

namespace {

ExitCode run_errata(Options& options) {
    if (const std::vector<std::string> others = take_stages(options); !others.empty()) {
        fail_unknown(others.front());
    }
    std::vector<Erratum> errata = read_errata(options.language);
    std::erase_if(errata, [&](const Erratum& erratum) {
        return !options.stages.empty() && !contains(options.stages, erratum.stage, &Stage::name);
    });
    const Words phrases(options.language, "program");
    show(options,
         errata.empty() ? phrases("no_errata") + "\n" : errata_list(errata, phrases, text_columns()));
    return ExitCode::agrees;
}

}  // namespace

Command errata_command() {
    return {
        .name = "errata",
        .summary = "Show errors in the documents, with corrections.",
        .words = "[STAGE…]",
        .examples = {{"attn-walkthrough errata", "all errors"},
                     {"attn-walkthrough errata causal", "errors of one stage"},
                     {"attn-walkthrough errata --lang zh", "in Chinese"}},
        .declare = declaring(run_errata, add_general),
    };
}

}  // namespace attn
