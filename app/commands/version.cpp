// --version as a command.
#include <fmt/format.h>

#include "commands/declare.hpp"
#include "tensor/levels.hpp"
#include "terminal.hpp"

namespace attn {

namespace {

ExitCode run_version(Options& options) {
    write_answer(options, fmt::format("attn-walkthrough {}\n{}, running at level {}\n", ATTN_VERSION,
                                      ATTN_BUILD, level_name(level())));
    return ExitCode::agrees;
}

}  // namespace

Command version_command() {
    return {.name = "version", .summary = "Show the version.", .declare = declaring(run_version)};
}

}  // namespace attn
