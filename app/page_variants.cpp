#include "page_variants.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "diagnosis/mistakes/mistakes.hpp"
#include "files/source.hpp"
#include "stages/focus.hpp"
#include "weights/weights_reader.hpp"

namespace attn {

namespace {

bool differs(const StageTrace& trace, const StageTrace& other) {
    return std::ranges::any_of(trace.shown, [&](std::size_t id) {
        const Node& step = trace.node(id);
        const std::optional<std::size_t> found = other.find(step.name);
        return found && other.node(*found).value.shape() == step.value.shape() &&
               !identical(other.node(*found).value, step.value);
    });
}

}  // namespace

std::vector<PageVariant> page_variants(const Options& options, const Trace& trace) {
    std::vector<PageVariant> variants;
    if (options.weights && !can_be_read_again(*options.weights)) {
        return variants;
    }
    std::optional<Weights> weights;
    if (options.weights) {
        weights = load_weights(*options.weights, options.max_input_bytes);
    }
    const std::optional<std::size_t> focus =
        options.focus ? std::optional(find_focus(trace.lesson, *options.focus)) : std::nullopt;
    for (const StageTrace& stage : trace.stages) {
        const Inputs inputs{focus, stage.own_weights ? &*weights : nullptr};
        const Parameters parameters = parameters_of(*stage.stage, options);
        const auto add = [&](std::string_view id, StageTrace variant) {
            if (differs(stage, variant)) {
                variants.push_back({std::string(id), std::move(variant)});
            }
        };
        for (const auto& [id, mistake] : {std::pair{"mask", "not-masked"}, {"scaling", "no-scaling"}}) {
            for (const Variant& variant : find_mistake(mistake)->variants(stage.parameters)) {
                add(id, walk_edited(*stage.stage, trace.lesson, parameters, inputs, {variant.edit}));
            }
        }
        if (parameters.dropout > 0.0) {
            Parameters without = parameters;
            without.dropout = 0.0;
            add("dropout", walk(*stage.stage, trace.lesson, without, inputs));
        }
    }
    return variants;
}

}  // namespace attn
