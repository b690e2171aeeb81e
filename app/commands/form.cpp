// The options of every command, and the stages with their defaults, as JSON: the page of the browser program
// makes its form of them.
#include <algorithm>

#include "commands/declare.hpp"
#include "commands/declared.hpp"
#include "files/json_writer.hpp"
#include "files/sink.hpp"
#include "parameters.hpp"
#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "words/narration.hpp"
#include "words/translation.hpp"

namespace attn {

namespace {

template <typename Texts>
void write_texts(JsonWriter& json, std::string_view key, const Texts& texts) {
    json.key(key);
    json.begin_array(JsonWriter::Layout::line);
    for (const auto& text : texts) {
        json.string(text);
    }
    json.end();
}

// The stages that a parameter changes; nothing for an option that is no parameter.
std::optional<std::vector<std::string_view>> stages_that_use(const std::string& option) {
    const auto rows = parameter_options();
    const auto row = std::ranges::find(rows, option, &ParameterOption::name);
    if (row == rows.end()) {
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

void write_option(JsonWriter& json, const Command& command, const DeclaredOption& option,
                  std::string_view language) {
    json.begin_object();
    json.key("command");
    json.string(command.name);
    json.key("name");
    json.string(option.name.substr(2));
    json.key("value");
    json.string(option.type);
    json.key("help");
    json.string(translated(option.help, language));
    if (const std::vector<std::string> words = literal_values(option); !words.empty()) {
        write_texts(json, "choices", words);
    }
    json.key("repeatable");
    json.boolean(option.is_repeatable);
    if (const auto stages = stages_that_use(option.name)) {
        write_texts(json, "stages", *stages);
    }
    json.end();
}

// What the parameters are that a stage uses, for the built-in lesson.
void write_defaults(JsonWriter& json, const Stage& stage, const Lesson& lesson) {
    const Parameters parameters = resolved(stage.defaults, uses(stage, "lesson") ? &lesson : nullptr);
    json.begin_object(JsonWriter::Layout::line);
    for (const ParameterRow& parameter : parameter_table()) {
        const ParameterOption* const option = option_for(parameter.name);
        const std::string value = parameter.json(parameters);
        if (option != nullptr && option->parameter == parameter.name && uses(stage, parameter.name) &&
            !value.empty()) {
            json.key(option->name.substr(2));
            json.verbatim(value);
        }
    }
    json.end();
}

std::string form_json(const Program& program, std::string_view language) {
    std::string text;
    JsonWriter json([&](std::string_view piece) { text += piece; });
    json.begin_object();
    json.key("options");
    json.begin_array();
    for (const std::unique_ptr<Command>& command : program.commands()) {
        for (const DeclaredOption& option : declared_options(*command)) {
            if (!command->is_hidden) {
                write_option(json, *command, option, language);
            }
        }
    }
    json.end();
    json.key("stages");
    json.begin_array();
    const Lesson lesson = built_in_lesson();
    for (const Stage* stage : catalogue()) {
        json.begin_object();
        json.key("name");
        json.string(stage->name);
        json.key("title");
        json.string(Narration(language, stage->name).title());
        json.key("defaults");
        write_defaults(json, *stage, lesson);
        json.end();
    }
    json.end();
    json.end();
    return text;
}

}  // namespace

void add_form(Program& program) {
    Command& command =
        program.add({.name = "form", .summary = "Print the options as JSON.", .is_hidden = true});
    command.run = [&] {
        write_standard_output(form_json(program, command.options.style.language));
        return ExitCode::agrees;
    };
    add_general(command);
}

}  // namespace attn
