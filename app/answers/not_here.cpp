#include <algorithm>
#include <cstdlib>

#include "answers/answers.hpp"
#include "answers/only_tensor.hpp"
#include "commands/declare.hpp"
#include "own_words/own_words.hpp"
#include "stages/catalogue.hpp"
#include "text/ascii.hpp"
#include "text/lists.hpp"
#include "text/split.hpp"

namespace attn {

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

Command left_out(std::string_view name) {
    return {.name = name, .summary = "", .run = [](Options&) -> ExitCode { build_the_rest(); }};
}

}  // namespace

Command compare_command() {
    return left_out("compare");
}
Command explain_command() {
    return left_out("explain");
}
Command diagnose_command() {
    return left_out("diagnose");
}
Command quiz_command() {
    return left_out("quiz");
}
Command exercises_command() {
    return left_out("exercises");
}
Command grade_command() {
    return left_out("grade");
}
Command list_command() {
    return left_out("list");
}
Command errata_command() {
    return left_out("errata");
}
Command help_command() {
    return left_out("help");
}
Command completion_command() {
    return left_out("completion");
}
Command man_command() {
    return left_out("man");
}
Command complete_command() {
    return left_out("complete");
}
Command form_command() {
    return left_out("form");
}
Command page_command() {
    return left_out("page");
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
