#include <algorithm>
#include <cstdlib>

#include "answers/answers.hpp"
#include "answers/only_tensor.hpp"
#include "commands/walk.hpp"
#include "own_words/own_words.hpp"
#include "stages/catalogue.hpp"
#include "text/ascii.hpp"
#include "text/lists.hpp"
#include "text/split.hpp"

namespace attn {

Command version_command();

namespace {

[[noreturn]] void build_the_rest() {
    constexpr int not_here = 3;
    std::exit(not_here);
}

// True for stages by their names, and options of walk, so that no word is read as another. A file is JSON.
bool is_plain(const std::vector<std::string>& arguments) {
    const Declaration walk(*find_command("walk"));
    bool is_value = false;
    for (const std::string& argument : arguments) {
        const std::size_t dot = std::min(argument.rfind('.'), argument.size());
        const bool is_file = dot + 1 < argument.size() && is_lower(to_lower(argument[dot + 1]));
        const OptionRow* const option = walk.find(up_to(argument, "="));
        const bool is_word = !is_value && option == nullptr;
        if ((is_file && !argument.ends_with(".json")) ||
            (is_word && find_stage(argument) == nullptr && argument != "all" && argument != "walk")) {
            return false;
        }
        is_value = !is_value && option != nullptr && !option->type.empty() && !contains(argument, '=');
    }
    return true;
}

ExitCode run_left_out(Options& /*options*/) {
    build_the_rest();
}

}  // namespace

std::span<const Command> all_commands() {
    static const std::vector<Command> all{
        walk_command(),
        {.name = "help", .summary = "", .declare = declaring(run_left_out)},
        version_command(),
    };
    return all;
}

OwnWords in_own_words(const std::vector<std::string>& arguments) {
    if (!is_plain(arguments)) {
        build_the_rest();
    }
    return {arguments, {}, false};
}

std::string refusal_text(const CommandLine& /*line*/, const Error& /*error*/) {
    build_the_rest();
}

std::span<const FileFormat> formats() {
    static constexpr FileFormat json[] = {{.suffix = ".json", .write = write_json}};
    return json;
}

Tensor only_tensor(const std::string& /*path*/) {
    build_the_rest();
}

}  // namespace attn
