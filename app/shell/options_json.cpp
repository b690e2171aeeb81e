// The options as JSON, for whoever builds a form of them: what stands in the option table and in the stage
// catalogue.
#include <fmt/format.h>

#include <string>

#include "files/json_writer.hpp"
#include "option_table.hpp"
#include "shell/candidates.hpp"
#include "shell/generate.hpp"
#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "words/narration.hpp"
#include "words/translation.hpp"

namespace attn {

namespace {

void write_strings(JsonWriter& json, std::string_view key, const std::vector<std::string_view>& texts) {
    json.key(key);
    json.begin_array(JsonWriter::Layout::line);
    for (const std::string_view text : texts) {
        json.string(text);
    }
    json.end();
}

// What a form offers to fill in.
std::string_view kind_of(const OptionRow& row, const Candidates& candidates) {
    if (row.value.empty()) {
        return "flag";
    }
    if (candidates.files) {
        return "file";
    }
    if (!candidates.words.empty()) {
        return "choice";
    }
    return row.value == "N" || row.value == "[N]" || row.value == "X" || row.value == "P" ? "number" : "text";
}

std::vector<std::string_view> stages_that_use(const OptionRow& row) {
    std::vector<std::string_view> names;
    for (const Stage* stage : catalogue()) {
        if (uses(*stage, setting_name(row))) {
            names.push_back(stage->name);
        }
    }
    return names;
}

void write_option(JsonWriter& json, const OptionRow& row, std::string_view heading,
                  std::string_view language) {
    const Candidates candidates = candidates_of(row);
    json.begin_object();
    json.key("name");
    json.string(row.name);
    json.key("heading");
    json.string(heading);
    json.key("kind");
    json.string(kind_of(row, candidates));
    json.key("value");
    json.string(row.value);
    json.key("help");
    json.string(translated(row.help, language));
    if (!candidates.words.empty()) {
        write_strings(json, "choices", candidates.words);
    }
    json.key("repeatable");
    json.boolean(row.repeatable);
    json.key("writes");
    json.boolean(row.writes);
    if (row.of_stages) {
        write_strings(json, "stages", stages_that_use(row));
    }
    std::vector<std::string_view> needs;
    for (const std::string_view option : row.needs) {
        if (!option.empty()) {
            needs.push_back(option);
        }
    }
    if (!needs.empty()) {
        write_strings(json, "needs", needs);
    }
    if (!row.excludes.empty()) {
        json.key("excludes");
        json.string(row.excludes);
    }
    json.end();
}

// What the parameters are that a stage uses, for the lesson compiled in.
void write_defaults(JsonWriter& json, const Stage& stage, const Lesson& lesson) {
    const Parameters parameters = resolved(stage.defaults, uses(stage, "lesson") ? &lesson : nullptr);
    json.begin_object(JsonWriter::Layout::line);
    for (const ParameterRow& parameter : parameter_table()) {
        const OptionRow* const row = option_for(parameter.name);
        const std::string value = parameter.json(parameters);
        if (row != nullptr && uses(stage, parameter.name) && !value.empty()) {
            json.key(row->name);
            json.verbatim(value);
        }
    }
    json.end();
}

}  // namespace

std::string options_json(std::string_view language) {
    std::string text;
    JsonWriter json([&](std::string_view piece) { text += piece; });
    json.begin_object();
    json.key("options");
    json.begin_array();
    std::string_view heading;
    for (const OptionRow& row : option_table()) {
        heading = row.heading.empty() ? heading : row.heading;
        write_option(json, row, translated(heading, language), language);
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

}  // namespace attn
