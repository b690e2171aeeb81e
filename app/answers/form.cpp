// Prints the options of every command, the stages with their defaults, and the suffixes of --out, as JSON.
// The page of the browser program makes its form from it.
#include <algorithm>

#include "answers/answers.hpp"
#include "commands/declare.hpp"
#include "files/json.hpp"
#include "parameters.hpp"
#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "terminal.hpp"
#include "text/lists.hpp"
#include "words/narration.hpp"
#include "words/translation.hpp"

namespace attn {

namespace {

// Returns the stages that use a parameter, or nothing if the option is not a parameter.
std::optional<std::vector<std::string_view>> stages_that_use(const std::string& option) {
    const auto* const row = find_in(parameter_options(), option, &ParameterOption::name);
    if (row == nullptr) {
        return std::nullopt;
    }
    std::vector<std::string_view> names;
    for (const Stage* stage : catalogue()) {
        if (uses_option(*stage, *row)) {
            names.push_back(stage->name);
        }
    }
    return names;
}

Json option_json(const Command& command, const OptionRow& option, std::string_view language) {
    Json json{{"command", command.name},
              {"name", option.name.substr(2)},
              {"value", option.type},
              {"help", translated(option.help, language)}};
    if (const std::vector<std::string> words = choices(option.type); !words.empty()) {
        json["choices"] = words;
    }
    json["is_number"] = option.names == Names::number;
    json["repeatable"] = option.is_repeatable();
    if (const auto stages = stages_that_use(option.name)) {
        json["stages"] = *stages;
    }
    return json;
}

// The parameters of a stage, with their values for the built-in lesson.
Json defaults_json(const Stage& stage, const Lesson& lesson) {
    const Parameters parameters = resolved(stage.defaults, stage, lesson);
    Json json = Json::object();
    for (const ParameterRow& parameter : parameter_table()) {
        const ParameterOption* const option = option_for(parameter.name);
        const std::string value = parameter.json(parameters);
        if (option != nullptr && option->parameter == parameter.name && uses(stage, parameter.name) &&
            !value.empty()) {
            json[option->name.substr(2)] = parse_json(value, parameter.name).value();
        }
    }
    return json;
}

std::string form_json(std::string_view language) {
    Json options = Json::array();
    for (const Command& command : commands()) {
        const Declaration declared(command);
        for (const OptionRow* option : declared.shown()) {
            options.push_back(option_json(command, *option, language));
        }
    }
    Json stages = Json::array();
    const Lesson lesson = built_in_lesson();
    for (const Stage* stage : catalogue()) {
        stages.push_back({{"name", stage->name},
                          {"title", Narration(language, stage->name).title()},
                          {"defaults", defaults_json(*stage, lesson)}});
    }
    Json suffixes = Json::array();
    for (const FileFormat& format : formats()) {
        suffixes.push_back(format.suffix.substr(1));
    }
    return json_text(
        {{"options", std::move(options)}, {"stages", std::move(stages)}, {"suffixes", std::move(suffixes)}},
        JsonLayout::indented);
}

ExitCode run_form(Options& options) {
    write_answer(options, form_json(options.language));
    return ExitCode::agrees;
}

}  // namespace

Command form_command() {
    return {
        .name = "form",
        .summary = "Print the options as JSON.",
        .declare = declaring(run_form, add_general),
    };
}

}  // namespace attn
