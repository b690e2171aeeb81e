// Groups steps as data/page/sections.json says, and the others by what they compute.
#include "views/page/page_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "files/json.hpp"
#include "files/json_view.hpp"
#include "files/resources.hpp"
#include "notebook/render.hpp"
#include "text/lists.hpp"
#include "text/numbered.hpp"
#include "views/heatmap/shading.hpp"
#include "views/page/page_part.hpp"

namespace attn {

namespace {

constexpr std::string_view plans_file = "page/sections.json";

// Returns true for a given tensor, and for a step that only moves the numbers of one tensor.
bool is_preparation(const StageTrace& trace, std::size_t id) {
    constexpr std::string_view moves[] = {"view", "transpose", "contiguous", "select", "slice"};
    const std::size_t operands = named_operands(trace.notebook, id).size();
    return operands == 0 || (operands == 1 && std::ranges::any_of(moves, [&](std::string_view move) {
                                 return trace.node(id).call.operation->name.starts_with(move);
                             }));
}

bool are_weights(const Node& node) {
    return contains(node.call.operation->name, "softmax") && !node.gradient_of && node.value.rank() > 1 &&
           !contains(node.name, "dropped");
}

// Says what a row means and, if all masked cells are right of the diagonal, why they are empty.
std::string row_legend(const StageTrace& trace, std::size_t id, const Words& words) {
    const Tensor& x = trace.node(id).value;
    const Shading shading = shading_of(trace.notebook, id);
    bool has_masked = false;
    bool is_causal = true;
    for (const Index& cell : shown_cells(x.shape())) {
        if (shading.kinds[x.offset(cell)] == CellKind::masked) {
            has_masked = true;
            is_causal = is_causal && cell[x.rank() - 1] > cell[x.rank() - 2];
        }
    }
    return words.at("row_legend") + (has_masked && is_causal ? " " + words.at("row_legend_masked") : "");
}

}  // namespace

std::vector<PageSection> page_sections(const Situation& run, const Narration& narration, const Words& words) {
    static const JsonView plans = parse_json(resource(plans_file), plans_file);
    const StageTrace& trace = run.trace;
    const std::string_view stage = trace.stage->name;
    const auto name_of = [&](std::size_t step) { return trace.node(step).name; };
    const auto word = [&](std::string_view id, std::string_view what) {
        const std::string* const own = words.find(fmt::format("{}_{}_{}", stage, id, what));
        return own != nullptr ? own : words.find(fmt::format("{}_{}", id, what));
    };
    std::vector<PageSection> sections;
    const auto add = [&](const std::string& id, std::vector<std::size_t> taken, std::size_t main,
                         Json figure = {}) {
        const std::string* const title = word(id, "title");  // null without an id
        const std::string* const text = word(id, "text");
        sections.push_back({id.empty() ? name_of(main) : id,
                            title == nullptr ? narration.title({trace, main, run.off}) : *title,
                            text != nullptr ? *text
                            : taken.empty() ? row_legend(trace, main, words)
                                            : "",
                            std::move(taken), main, std::move(figure)});
    };
    std::vector<std::size_t> left = trace.shown;
    for (const JsonView& plan : plans.find(stage).value_or(plans.at("others")).elements()) {
        const std::optional<JsonView> planned = plan.find("steps"), first = plan.find("main");
        const auto is_of_plan = [&](std::size_t step) {
            return planned ? contains(planned->strings(), without_number(name_of(step)))
                           : are_weights(trace.node(step));
        };
        std::vector<std::size_t> found;
        std::ranges::copy_if(left, std::back_inserter(found), is_of_plan);
        if (found.empty()) {
            continue;
        }
        const auto named = first ? std::ranges::find(found, first->string(), name_of) : found.end() - 1;
        const std::size_t main = named == found.end() ? found.front() : *named;
        std::erase_if(planned ? left : found, is_of_plan);  // a figure alone takes no step
        add(plan.at("id").string(), std::move(found), main, plan.value());
    }
    std::vector<std::size_t> waiting, backward;
    for (const std::size_t step : left) {
        if (trace.node(step).gradient_of || name_of(step) == "loss") {
            backward.push_back(step);
            continue;
        }
        waiting.push_back(step);
        if (!is_preparation(trace, step)) {
            add("", std::exchange(waiting, {}), step);
        }
    }
    if (!waiting.empty()) {
        add("", waiting, waiting.back());
    }
    if (!backward.empty()) {
        add("backward", backward, backward.back());
    }
    return sections;
}

}  // namespace attn
