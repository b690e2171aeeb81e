// Lists errors in the documents, with corrections.
#include "words/errata.hpp"

#include "commands/declare.hpp"
#include "commands/words.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"
#include "text/lists.hpp"

namespace attn {

namespace {

ExitCode run_errata(Options& options) {
    take_only_stages(options);
    std::vector<Erratum> errata = read_errata(options.style.language);
    std::erase_if(errata, [&](const Erratum& erratum) {
        return !options.stages.empty() && !contains(options.stages, erratum.stage, &Stage::name);
    });
    const Words phrases(options.style.language, "program");
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
        .run = run_errata,
        .declare = add_general,
    };
}

}  // namespace attn
