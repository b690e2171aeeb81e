// The stage that options mean.
#include <algorithm>
#include <cstdint>
#include <string>

#include "commands/words.hpp"
#include "own_words/passes.hpp"
#include "parameters.hpp"
#include "stages/catalogue.hpp"
#include "text/decimal.hpp"
#include "text/lists.hpp"
#include "text/split.hpp"
#include "words/documents.hpp"
#include "words/first_guesses.hpp"

namespace attn {

namespace {

const ParameterOption* parameter_in(const Argument& argument) {
    return find_in(parameter_options(), up_to(argument.text, "="), &ParameterOption::name);
}

bool uses_all_options(const Stage& stage, const GuessedLine& line) {
    return std::ranges::all_of(line.arguments, [&](const Argument& one) {
        const ParameterOption* const given = parameter_in(one);
        return given == nullptr || uses_option(stage, *given);
    });
}

// `multi-head --rope` is the stage of --rope, or the one with heads that shows the same.
void take_stage_asked(GuessedLine& line, std::size_t other) {
    const std::string with_heads = guess_entry("stages with heads", line.stage_asked).value_or("");
    const bool uses_all = uses_all_options(*find_stage(line.stage_asked), line);
    if (!uses_all && with_heads.empty()) {
        return;
    }
    line.erase(other);
    if (!uses_all) {
        const auto asked = std::ranges::find(line.arguments, line.stage_asked, &Argument::text);
        line.replace(std::size_t(asked - line.arguments.begin()), with_heads);
    }
}

// Where the stage lacks an option, takes the option or the stage that is meant.
void take_stage_with_options(GuessedLine& line, std::size_t other) {
    const Stage* const named = stage_called(line.arguments[other].text);
    if (named == nullptr || named->group != StageGroup::documents) {
        return;
    }
    for (Argument& one : line.arguments) {
        const ParameterOption* const option = parameter_in(one);
        const std::string meant =
            option == nullptr ? "" : guess_entry("where a stage lacks the option", option->name).value_or("");
        if (meant.empty() || uses_option(*named, *option) ||
            (option->name == "--focus" && line.has_option({"--backward"}))) {
            continue;
        }
        if (const Stage* const stage = find_stage(meant); stage == nullptr) {
            one.text.replace(0, option->name.size(), meant);
        } else if (uses_all_options(*stage, line)) {
            line.arguments[other].text = meant;
            return;
        }
    }
}

}  // namespace

void take_stage_of_options(GuessedLine& line) {
    const auto is_other = [&](const Argument& one) {
        const bool is_exercise =
            line.is_command({"exercises", "grade"}) && !stage_of_exercise(one.text).empty();
        return one.is_word && one.text != line.stage_asked && names_stage(one.text) && !is_exercise;
    };
    // With --weights, every stage shows a layer or a head.
    if (std::ranges::count_if(line.arguments, is_other) != 1 || line.has_option({"--weights"})) {
        return;
    }
    const auto other = std::size_t(std::ranges::find_if(line.arguments, is_other) - line.arguments.begin());
    if (!line.stage_asked.empty() && line.stage_asked != "causal") {
        take_stage_asked(line, other);
    } else {
        take_stage_with_options(line, other);
    }
}

void take_head_width(GuessedLine& line) {
    const auto value_of = [&](std::string_view option) {
        const auto at = std::ranges::find(line.arguments, option, &Argument::text);
        return at == line.arguments.end() ? at : at + 1;
    };
    const auto width = value_of("--head-dim");
    std::uint64_t number = 0;
    if (width == line.arguments.end() || !read_whole(width->text, number)) {
        return;
    }
    const auto named = line.find_word([](const std::string& word) { return stage_called(word) != nullptr; });
    const Stage& stage = named == line.arguments.end() ? *find_stage("causal") : *stage_called(named->text);
    std::uint64_t heads = stage.defaults.num_heads;
    if (const auto given = value_of("--heads"); given != line.arguments.end()) {
        read_whole(given->text, heads);
    }
    (width - 1)->text = "--d-out";
    width->text = std::to_string(stage.head_layout == HeadLayout::split ? number * heads : number);
}

}  // namespace attn
