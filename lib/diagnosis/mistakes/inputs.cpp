// Mistakes of the inputs: rounded, normalised first, or in a different order.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "diagnosis/mistakes/kinds.hpp"
#include "diagnosis/mistakes/patterns.hpp"
#include "notebook/ops.hpp"

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

// Subtracts the mean of the numbers at these places, and divides by their standard deviation.
void normalise(std::vector<float*> numbers, double epsilon, double freedom) {
    const auto count = static_cast<double>(numbers.size());
    double mean = 0.0;
    for (const float* const x : numbers) {
        mean += static_cast<double>(*x) / count;
    }
    double squares = 0.0;
    for (const float* const x : numbers) {
        squares += (static_cast<double>(*x) - mean) * (static_cast<double>(*x) - mean);
    }
    const double deviation = std::sqrt(squares / (count - freedom) + epsilon);
    for (float* const x : numbers) {
        *x = static_cast<float>((static_cast<double>(*x) - mean) / deviation);
    }
}

const Operation layer_norm_op{
    .name = "layer_norm",
    .evaluate =
        [](const Arguments& x) {
            Tensor rows = x[0];
            const std::size_t width = rows.size(-1);
            for (std::size_t start = 0; start < rows.count(); start += width) {
                std::vector<float*> row(width);
                std::iota(row.begin(), row.end(), &rows.values()[start]);
                normalise(row, 1e-5, 0.0);
            }
            return rows;
        },
    .torch = "torch.nn.functional.layer_norm({0}, {0}.shape[-1:])",
};

const Operation standardise_op{
    .name = "standardise",
    .evaluate =
        [](const Arguments& x) {
            Tensor columns = x[0];
            const std::size_t width = columns.size(-1);
            for (std::size_t first = 0; first < width; ++first) {
                std::vector<float*> column;
                for (std::size_t at = first; at < columns.count(); at += width) {
                    column.push_back(&columns.values()[at]);
                }
                normalise(column, 0.0, 1.0);
            }
            return columns;
        },
    .torch = "({0} - {0}.mean(dim=0)) / {0}.std(dim=0)",
};

// Returns the rows in a different order.
const Operation reorder_op{
    .name = "reorder",
    .evaluate =
        [](const Arguments& x) {
            const std::vector<std::size_t> order = x.call.sizes("order");
            Tensor rows = x[0];
            const std::size_t width = rows.size(-1);
            for (std::size_t at = 0; at < rows.count(); ++at) {
                rows.values()[at] = x[0].values()[order[at / width] * width + at % width];
            }
            return rows;
        },
    .torch = "{0}[[{order}]]",
};

using Change = std::function<Var(Var inputs)>;

Change reordered(const std::vector<std::size_t>& order) {
    return [order](Var inputs) {
        std::vector<Number> numbers;
        for (const std::size_t row : order) {
            numbers.push_back(literal(row));
        }
        return record(reorder_op, {inputs}, {{"order", numbers}});
    };
}

// Replaces the inputs in every call that uses them. With `only_second`, replaces only the second of a batch.
Edit with_inputs(Change change, bool only_second = false) {
    return [change = std::move(change), only_second, changed = std::optional<Var>()](
               Notebook& notebook, const Call& call) mutable -> std::optional<Var> {
        const At c{notebook, call};
        std::vector<Var> operands = c.operands();
        const auto is_inputs = [](Var x) { return name_of(x) == "inputs"; };
        const auto first = std::ranges::find_if(operands, is_inputs);
        if (first == operands.end() || (only_second && (!c.is_called("stack") || operands.size() < 2))) {
            return std::nullopt;
        }
        if (!changed) {
            const Axes& axes = notebook.nodes()[first->id].axes;
            changed = notebook.line(Name("changed_inputs", "X′", axes), change(*first));
        }
        if (only_second) {
            operands[1] = *changed;
        } else {
            std::ranges::replace_if(operands, is_inputs, *changed);
        }
        return c.again(operands);
    };
}

// All tokens are in reverse order, or two neighbours are exchanged.
std::vector<Variant> in_other_order(const Parameters& right) {
    constexpr std::size_t most_tokens = 16;
    const std::size_t tokens = right.context_length;
    std::vector<std::size_t> order(tokens);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<std::size_t> reversed(order.rbegin(), order.rend());
    std::vector<Variant> variants{{with_inputs(reordered(reversed))},
                                  {with_inputs(reordered(reversed), true)}};
    for (std::size_t i = 1; i < tokens && tokens <= most_tokens; ++i) {
        std::vector<std::size_t> exchanged = order;
        std::swap(exchanged[i - 1], exchanged[i]);
        variants.push_back({with_inputs(reordered(exchanged))});
    }
    return variants;
}

// Leaves out the first or the last tokens.
template <std::size_t first, std::size_t last>
Var without(Var inputs) {
    return slice(inputs, literal(first), literal(inputs.value().size(0) - last));
}

Edit rounded_by(const Operation& operation, int decimals) {
    return with_inputs([&operation, decimals](Var inputs) {
        return record(operation, {inputs}, {{"decimals", {literal(decimals)}}});
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
         {with_inputs([](Var inputs) { return record(layer_norm_op, {inputs}); }),
          with_inputs([](Var inputs) { return inputs / sqrt(sum(square(inputs), -1, true)); }),
          with_inputs([](Var inputs) { return record(standardise_op, {inputs}); })}},
        {"inputs-reordered", 15.5, in_other_order},
        {"inputs-incomplete", 16, {with_inputs(without<0, 1>), with_inputs(without<1, 0>)}},
    };
}

}  // namespace attn
