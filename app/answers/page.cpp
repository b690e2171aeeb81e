// Prints the data of a page as JSON. The browser program shows its walks from it.
#include "answers/page_export.hpp"
#include "commands/declare.hpp"
#include "commands/words.hpp"
#include "exports.hpp"
#include "make_trace.hpp"
#include "terminal.hpp"

namespace attn {

namespace {

ExitCode run_page(Options& options) {
    take_stages_and_steps(options);
    prepare(options);
    write_answer(options, page_json(make_trace(options), options.style, options.variants));
    return ExitCode::agrees;
}

}  // namespace

// A hidden command with the options of walk.
Command page_command() {
    Command command = walk_command();
    command.name = "page";
    command.run = run_page;
    command.declare = [](Declaration& declared, Options& options) {
        walk_command().declare(declared, options);
        declared.add({.name = "--variants", .target = &options.variants});
    };
    return command;
}

}  // namespace attn
