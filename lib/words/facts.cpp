#include "words/facts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "text/lists.hpp"

namespace attn {

namespace {

bool is_edited_mask(const Node& node) {
    return !node.set.empty() && contains(node.name, "mask");
}

// True if softmax gets products of keys that are not rotated, at most scaled and masked. It then cancels a
// number that is added to all keys.
bool has_plain_scores(const Nodes& nodes) {
    bool has_softmax = false;
    for (const Node& node : nodes) {
        if (node.call.operation->name.starts_with("rotate")) {
            return false;
        }
        if (node.call.operation->name != "softmax") {
            continue;
        }
        has_softmax = true;
        const Call* call = &node.call;
        do {
            call = &nodes[call->inputs.front()].call;
        } while (call->operation->name == "masked_fill" ||
                 (call->operation->name == "div" && call->inputs.size() == 1));
        if (call->operation->name != "matmul") {
            return false;
        }
    }
    return has_softmax;
}

}  // namespace

std::map<std::string_view, bool> facts_of(const Situation& run) {
    const Parameters& p = run.trace.parameters;
    const std::optional<std::size_t> inputs = run.trace.find("inputs");
    const bool edited = run.trace.notebook.has_set_numbers();
    const bool edited_mask = std::ranges::any_of(run.trace.notebook.nodes(), is_edited_mask);
    return {
        {"mask", run.off != "mask" && !edited_mask},
        {"unmasked", run.off == "mask"},
        {"masked", run.off != "mask" && run.trace.find("masked")},
        {"edited_mask", edited_mask},
        {"scaling", run.off != "scaling"},
        {"plain_scores", has_plain_scores(run.trace.notebook.nodes())},
        {"given", run.trace.own_weights},
        {"edited", edited},
        // The tokens, weights and seed of the stage's document.
        {"documents", !run.trace.own_lesson && !run.trace.own_weights && !edited &&
                          p.seed == run.trace.stage->defaults.seed},
        {"tokens", inputs && run.trace.node(*inputs).value.size(0) > 1},
        {"batch", p.batch > 1},
        {"heads", p.num_heads > 1},
        {"rotary", p.rotary != Pairing::none},
        {"dropout", p.dropout > 0.0 && p.dropout < 1.0},
        {"drops_all", p.dropout == 1.0},
        {"sum", p.loss == Loss::sum},
        {"mean", p.loss == Loss::mean},
        {"mse", p.loss == Loss::mse},
    };
}

std::map<std::string_view, double> numbers_of(const Situation& run) {
    const Parameters& p = run.trace.parameters;
    const Tensor& x = run.trace.node(run.step).value;
    const auto number = [](std::size_t size) { return double(size); };
    const double rows = x.rank() < 2 ? 1.0 : number(x.size(-2));
    const double columns = x.rank() < 1 ? 1.0 : number(x.size(-1));
    const double heads = number(p.num_heads);
    const double d_k = number(p.d_out) / heads;
    const auto [least, greatest] = std::ranges::minmax(x.values());
    return {
        {"batch", number(p.batch)},
        {"context_length", number(p.context_length)},
        {"d_out", number(p.d_out)},
        {"num_heads", heads},
        {"kv_heads", number(p.kv_heads.value_or(1))},
        {"num_heads/kv_heads", heads / number(p.kv_heads.value_or(1))},
        {"d_k", d_k},
        {"√d_k", std::sqrt(d_k)},
        {"1/√d_in", 1.0 / std::sqrt(number(p.d_in))},
        {"window", number(p.window.value_or(0))},
        {"p", p.dropout},
        {"1/(1-p)", 1.0 / (1.0 - p.dropout)},
        {"rows", rows},
        {"columns", columns},
        {"1/columns", 1.0 / columns},
        {"least", least},
        {"greatest", greatest},
    };
}

}  // namespace attn
