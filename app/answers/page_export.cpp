#include "answers/page_export.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "mistakes/mistakes.hpp"
#include "views/page/page.hpp"

namespace attn {

namespace {

// Variants of stages with more numbers would make the page too large.
constexpr std::size_t most_numbers = 40000;

std::size_t numbers_of(const StageTrace& stage) {
    std::size_t count = 0;
    for (const std::size_t step : stage.shown) {
        count += stage.node(step).value.count();
    }
    return count;
}

bool differs(const StageTrace& trace, const StageTrace& other) {
    return std::ranges::any_of(trace.shown, [&](std::size_t id) {
        const Node& step = trace.node(id);
        const std::optional<std::size_t> found = other.find(step.name);
        return found && other.node(*found).value.shape() == step.value.shape() &&
               !identical(other.node(*found).value, step.value);
    });
}

std::vector<PageVariant> variants(const Trace& trace) {
    std::vector<PageVariant> found;
    for (const StageTrace& stage : trace.stages) {
        if (numbers_of(stage) > most_numbers) {
            continue;
        }
        const Inputs inputs = trace.inputs_of(stage);
        const auto add = [&](std::string_view id, std::optional<StageTrace> variant) {
            if (variant && differs(stage, *variant)) {
                found.push_back({std::string(id), *std::move(variant)});
            }
        };
        for (const auto& [id, mistake] : {std::pair{"mask", "not-masked"}, {"scaling", "no-scaling"}}) {
            for (const WalkEdit& edit : find_mistake(mistake)->edits(stage.parameters)) {
                add(id, walk_with({&edit}, *stage.stage, trace.lesson, stage.parameters, inputs));
            }
        }
        if (stage.parameters.dropout > 0.0) {
            Parameters without = stage.parameters;
            without.dropout = 0.0;
            add("dropout", walk(*stage.stage, trace.lesson, without, inputs));
        }
    }
    return found;
}

}  // namespace

void write_html(const WriteBytes& write, const Trace& trace, const Style& style) {
    write_page(write, trace, variants(trace), style);
}

std::string page_json(const Trace& trace, const Style& style, bool with_variants) {
    return page_data(trace, with_variants ? variants(trace) : std::vector<PageVariant>{}, style);
}

}  // namespace attn
