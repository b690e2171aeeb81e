// --version, as a command.
#include <fmt/format.h>

#include "commands/declare.hpp"
#include "files/sink.hpp"
#include "tensor/levels.hpp"

namespace attn {

void add_version(Program& program) {
    Command& command = program.add({.name = "version", .summary = "Show the version.", .is_hidden = true});
    command.run = [] {
        write_standard_output(fmt::format("attn-walkthrough {}\n{}, running at level {}\n", ATTN_VERSION,
                                          ATTN_BUILD, level_name(level())));
        return ExitCode::agrees;
    };
}

}  // namespace attn
