#include "answers/help.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "parameters.hpp"
#include "stages/shipped.hpp"
#include "stages/trace.hpp"
#include "terminal.hpp"
#include "text/lists.hpp"
#include "text/prose.hpp"
#include "text/width.hpp"
#include "words/documents.hpp"
#include "words/narration.hpp"
#include "words/translation.hpp"

namespace attn {

namespace {

constexpr std::size_t shape_columns = 10;

// Returns a parameter's default in this stage, such as `789`; empty if the help shows none.
std::string default_of(std::string_view parameter, const Parameters& defaults) {
    const ParameterRow* const row = find_parameter(parameter);
    const std::string json = row == nullptr ? "" : row->json(defaults);
    return json.empty() ? "" : setting_of(*row, json).value;
}

std::string parameter_entries(const Stage& stage, const Parameters& defaults, std::string_view language) {
    const Words phrases(language, "program");
    std::string text;
    for (const ParameterOption& option : parameter_options()) {
        if (!uses_option(stage, option)) {
            continue;
        }
        std::string value = uses(stage, option.parameter) ? default_of(option.parameter, defaults) : "";
        const std::string second = default_of(option.second_parameter, defaults);
        value += second.empty() ? "" : ":" + second;
        const std::string name =
            fmt::format("{}{}{}", option.name, option.is_switch() ? "" : " ", option.type());
        const std::string help = translated(option.help, language);
        text += entry(name,
                      value.empty() || option.is_switch() || contains(option.help, "default: " + value)
                          ? help
                          : phrases("with_default", help, value),
                      name_columns());
    }
    return text;
}

}  // namespace

std::string sizes_text(const Shape& shape) {
    return shape.rank() == 0 ? "1" : joined(shape, "×");
}

std::size_t name_columns() {
    constexpr std::size_t narrow = 72;
    return text_columns() < narrow ? 17 : 25;
}

std::string entry(std::string_view name, std::string_view what, std::size_t columns) {
    const std::string margin(columns + 4, ' ');
    const std::string head = pad_right(fmt::format("  {}  ", name), margin.size());
    return display_width(head) == margin.size()
               ? hanging(head, what, text_columns())
               : fmt::format("  {}\n{}", name, hanging(margin, what, text_columns()));
}

std::string group_heading(std::string_view text, std::string_view language) {
    return Words(language, "program")("heading", text) + "\n";
}

std::string stage_heading(const Stage& stage, std::string_view language) {
    return fmt::format("{} · {}\n", stage.name, Narration(language, stage.name).title());
}

std::string step_entries(const Stage& stage, std::string_view language) {
    const Lesson lesson = built_in_lesson();
    const StageTrace trace = walk(stage, lesson, stage.defaults);
    const Narration words(language, stage.name);
    std::size_t columns = 0;
    for (const std::size_t id : trace.steps) {
        columns = std::max(columns, trace.node(id).name.size());
    }
    std::string text;
    for (const std::size_t id : trace.steps) {
        const Node& node = trace.node(id);
        text += entry(pad_right(node.name, columns) + " " + sizes_text(node.value.shape()),
                      words.title({trace, id}), columns + shape_columns);
    }
    return text;
}

std::string stage_help(const Stage& stage, std::string_view language) {
    const Lesson lesson = built_in_lesson();
    const StageTrace trace = walk(stage, lesson, stage.defaults);
    const Narration words(language, stage.name);
    const Words phrases(language, "program");
    const std::string book = book_place(stage.name, phrases);
    const std::string text = stage_heading(stage, language) + (book.empty() ? "" : paragraph(book)) +
                             paragraph(words.intro({trace})) + "\n" +
                             (words.follows().empty() ? "" : paragraph(phrases("follows", words.follows())));
    return text + "\n" + group_heading(phrases("steps"), language) + step_entries(stage, language) + "\n" +
           group_heading(phrases("options"), language) + parameter_entries(stage, trace.parameters, language);
}

}  // namespace attn
