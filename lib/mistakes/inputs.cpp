// Mistakes of the inputs: rounded, normalised first, or in a different order.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mistakes/kinds.hpp"
#include "mistakes/patterns.hpp"
#include "notebook/ops.hpp"
#include "tensor/layout.hpp"

namespace attn {

using namespace patterns;

namespace {

float half_up(float x) {
    return std::floor(x + 0.5F);
}

template <float (*round)(float)>
Tensor rounded(const Arguments& x) {
    Tensor result = x[0];
    const auto scale = static_cast<float>(std::pow(10.0, x.call.value("decimals")));
    for (float& value : result.values()) {
        value = round(value * scale) / scale;
    }
    return result;
}

const Operation round_op{
    .name = "round",
    .evaluate = rounded<std::nearbyint>,
    .torch = "torch.round({0}, decimals={decimals})",
};

// Most people round 0.25 up, torch.round to the even digit.
const Operation round_half_up_op{
    .name = "floor",
    .evaluate = rounded<half_up>,
    .torch = "torch.floor({0} * 10**{decimals} + 0.5) / 10**{decimals}",
};

const Operation truncate_op{
    .name = "int",
    .evaluate = rounded<std::trunc>,
    .torch = "{0}.int()",
};

// Subtracts the mean of each row, and divides by its standard deviation.
Tensor normalised(Tensor rows, double epsilon, double freedom) {
    const std::size_t width = rows.size(-1);
    const auto count = static_cast<double>(width);
    for (std::size_t start = 0; start < rows.count(); start += width) {
        const std::span<float> row = rows.values().subspan(start, width);
        double mean = 0.0;
        for (const float x : row) {
            mean += static_cast<double>(x) / count;
        }
        double squares = 0.0;
        for (const float x : row) {
            squares += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
        }
        const double deviation = std::sqrt(squares / (count - freedom) + epsilon);
        for (float& x : row) {
            x = static_cast<float>((static_cast<double>(x) - mean) / deviation);
        }
    }
    return rows;
}

const Operation layer_norm_op{
    .name = "layer_norm",
    .evaluate = [](const Arguments& x) { return normalised(x[0], 1e-5, 0.0); },
    .torch = "torch.nn.functional.layer_norm({0}, {0}.shape[-1:])",
};

const Operation standardise_op{
    .name = "standardise",
    .evaluate =
        [](const Arguments& x) { return transpose(normalised(transpose(x[0], 0, 1), 0.0, 1.0), 0, 1); },
    .torch = "({0} - {0}.mean(dim=0)) / {0}.std(dim=0)",
};

// Returns the rows in a different order.
const Operation reorder_op{
    .name = "reorder",
    .evaluate =
        [](const Arguments& x) {
            std::vector<Tensor> rows;
            for (const std::size_t row : x.call.sizes("order")) {
                rows.push_back(select(x[0], {row}));
            }
            return stack(rows);
        },
    .torch = "{0}[[{order}]]",
};

using OfInputs = std::function<Var(Var inputs)>;

OfInputs reordered(const std::vector<Number>& order) {
    return [order](Var inputs) { return reorder_op({inputs}, {{"order", order}}); };
}

// Replaces the inputs in every call that uses them. With `only_second`, replaces only the second of a batch.
Edit with_inputs(OfInputs change, bool only_second = false) {
    return at(
        [change = std::move(change), only_second, changed = MaybeVar()](const At& c) mutable -> MaybeVar {
            std::vector<Var> operands = c.operands();
            const auto is_inputs = [](Var x) { return name_of(x) == "inputs"; };
            const auto first = std::ranges::find_if(operands, is_inputs);
            if (first == operands.end() || (only_second && (!c.is_called("stack") || operands.size() < 2))) {
                return none;
            }
            if (!changed) {
                const Axes& axes = c.notebook.nodes()[first->id].axes;
                changed = c.notebook.line(Name("changed_inputs", "X′", axes), change(*first));
            }
            if (only_second) {
                operands[1] = *changed;
            } else {
                std::ranges::replace_if(operands, is_inputs, *changed);
            }
            return c.again(operands);
        });
}

// All tokens are in reverse order, or two neighbours are exchanged.
std::vector<WalkEdit> in_other_order(const Parameters& right) {
    constexpr std::size_t most_tokens = 16;
    const std::size_t tokens = right.context_length;
    std::vector<Number> order;
    for (std::size_t row = 0; row < tokens; ++row) {
        order.push_back(literal(row));
    }
    const OfInputs reversed = reordered({order.rbegin(), order.rend()});
    std::vector<WalkEdit> edits{{with_inputs(reversed)}, {with_inputs(reversed, true)}};
    for (std::size_t i = 1; i < tokens && tokens <= most_tokens; ++i) {
        std::swap(order[i - 1], order[i]);
        edits.push_back({with_inputs(reordered(order))});
        std::swap(order[i - 1], order[i]);
    }
    return edits;
}

// Leaves out the first or the last tokens.
template <std::size_t first, std::size_t last>
Var without(Var inputs) {
    return slice(inputs, literal(first), literal(inputs.value().size(0) - last));
}

Edit rounded_by(const Operation& operation, int decimals) {
    return with_inputs([&operation, decimals](Var inputs) {
        return operation({inputs}, {{"decimals", {literal(decimals)}}});
    });
}

}  // namespace

std::vector<Mistake> input_mistakes() {
    return {
        {"inputs-rounded",
         15.8,
         {rounded_by(round_op, 1), rounded_by(round_half_up_op, 1), rounded_by(round_op, 0),
          rounded_by(truncate_op, 0)}},
        {"inputs-normalised",
         16.2,
         {with_inputs([](Var inputs) { return layer_norm_op(inputs); }),
          with_inputs([](Var inputs) { return inputs / sqrt(sum(square(inputs), -1, true)); }),
          with_inputs([](Var inputs) { return standardise_op(inputs); })}},
        {"inputs-reordered", 15.5, in_other_order, About::draws},
        {"inputs-incomplete", 16, {with_inputs(without<0, 1>), with_inputs(without<1, 0>)}},
    };
}

}  // namespace attn
