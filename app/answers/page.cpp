// Prints the data of a page as JSON. The browser program shows its walks from it.
#include "answers/page_export.hpp"
#include "commands/walk.hpp"
#include "exports.hpp"
#include "terminal.hpp"

namespace attn {

namespace {

struct PageOptions : WalkOptions {
    bool variants = false;  // true: also the runs with something switched off
};

ExitCode run_page(PageOptions& options) {
    take_walk(options);
    prepare(options);
    write_answer(options, page_json(make_walk(options), {options.language, options.print}, options.variants));
    return ExitCode::agrees;
}

void declare_page(Declaration& declared, PageOptions& options) {
    declare_walk(declared, options);
    declared.add({.name = "--variants", .target = &options.variants});
}

}  // namespace

// A hidden command with the options of walk.
Command page_command() {
    Command command = walk_command();
    command.name = "page";
    command.declare = declaring(run_page, declare_page);
    return command;
}

}  // namespace attn
