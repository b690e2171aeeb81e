#include "answers/compare_stages.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answers/help.hpp"
#include "exports.hpp"
#include "make_trace.hpp"
#include "parameters.hpp"
#include "terminal.hpp"
#include "text/lists.hpp"
#include "text/prose.hpp"
#include "words/narration.hpp"

namespace attn {

namespace {

// Lists the settings that both stages use with different values: `seed 123, 789`.
std::string settings_that_differ(const StageTrace& first, const StageTrace& second) {
    std::vector<std::string> found;
    for (const ParameterRow& row : parameter_table()) {
        const std::string one = row.json(first.parameters);
        const std::string other = row.json(second.parameters);
        if (!one.empty() && !other.empty() && one != other) {
            found.push_back(fmt::format("{} {} / {}", row.name, setting_of(row, one).value,
                                        setting_of(row, other).value));
        }
    }
    return joined(found);
}

// Lists the steps of one stage that the other does not have.
std::string steps_of_one(const StageTrace& stage, const StageTrace& other) {
    std::vector<std::string> names;
    for (const std::size_t id : stage.steps) {
        if (!other.find(stage.node(id).name)) {
            names.push_back(stage.node(id).name);
        }
    }
    return joined(names);
}

}  // namespace

ExitCode compare_two_stages(const RunOptions& options, const std::vector<std::string>& set) {
    refuse_exports(options, "\"" + std::string(options.stages.front()->name) + "\"");
    prepare(options);
    const Trace trace = make_trace(options, {}, set);
    const StageTrace& first = trace.stages.front();
    const StageTrace& second = trace.stages.back();
    const Words phrases(options.language, "program");
    const auto heading = [&](const StageTrace& stage) {
        return hanging(fmt::format("{:<22} ", stage.stage->name),
                       Narration(options.language, stage.stage->name).title(), line_columns());
    };
    std::string text = heading(first) + heading(second) + "\n";
    const auto add = [&](const std::string& line) { text += paragraph(line); };
    if (const std::string settings = settings_that_differ(first, second); !settings.empty()) {
        add(phrases("stages settings", settings));
    }
    std::vector<std::string> same;
    std::vector<std::string> others;
    for (const std::size_t id : first.steps) {
        const Node& one = first.node(id);
        const std::optional<std::size_t> twin = second.find(one.name);
        if (!twin) {
            continue;
        }
        const Tensor& other = second.node(*twin).value;
        if (identical(one.value, other)) {
            same.push_back(one.name);
        } else {
            const bool is_shape = one.value.shape() != other.shape();
            others.push_back(is_shape ? fmt::format("{} {} / {}", one.name, sizes_text(one.value.shape()),
                                                    sizes_text(other.shape()))
                                      : one.name);
        }
    }
    const auto add_names = [&](std::string_view phrase, const std::vector<std::string>& names) {
        if (!names.empty()) {
            add(phrases(phrase, joined(names)));
        }
    };
    add_names("stages same", same);
    add_names("stages differ", others);
    for (const auto& [one, other] : {std::pair(&first, &second), std::pair(&second, &first)}) {
        if (const std::string names = steps_of_one(*one, *other); !names.empty()) {
            add(phrases("stages only", one->stage->name, names));
        }
    }
    text += "\n";
    add(phrases("stages documents_too", first.stage->name));
    show(options, text);
    return others.empty() ? ExitCode::agrees : ExitCode::differs;
}

}  // namespace attn
