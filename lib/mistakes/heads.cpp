// Mistakes of heads and shapes: right numbers are in the wrong place, or a step is left out.
#include <algorithm>
#include <utility>

#include "mistakes/kinds.hpp"
#include "mistakes/patterns.hpp"
#include "notebook/ops.hpp"

namespace attn {

using namespace patterns;

namespace {

// Returns true for W_out and b_out, or W_o and b_o.
bool is_of_output(Var x) {
    const std::string& name = name_of(x);
    return name.size() > 1 && name.substr(1).starts_with("_o");
}

bool adds_output_bias(const At& c) {
    return c.is(add_op) && is_of_output(c.operand(1));
}

bool projects_output(const At& c) {
    return c.is(matmul_op) && is_matrix_transpose(c.maker(1)) && is_of_output(c.maker(1).operand());
}

// Returns true if a call exchanges heads and tokens.
bool moves_heads(const At& c) {
    return c.is(transpose_op) && c.call.has("dim0") && c.call.integer("dim0") == 1;
}

// Returns true if a call joins the heads side by side.
bool joins_heads(const At& c) {
    return c.is(cat_op) && c.call.integer("dim") == -1 && c.rank() == 3;
}

Var summed(const At& joined) {
    Var total = joined.operand();
    for (std::size_t i = 1; i < joined.call.inputs.size(); ++i) {
        total = total + joined.operand(i);
    }
    return total;
}

// Puts the first columns of all heads side by side, then the second ones.
Var interleave(const At& joined) {
    const Shape& shape = joined.operand().value().shape();
    const Number b = literal(shape[0]);
    const Number n = literal(shape[1]);
    const Number heads = literal(joined.call.inputs.size());
    const Var columns = transpose(view(joined.again(), {b, n, heads, literal(shape[2])}), 2, 3);
    return view(contiguous(columns), {b, n, literal(shape[2] * joined.call.inputs.size())});
}

// Repeats a view with two sizes exchanged.
Var view_swapped(const At& viewed, std::size_t axis, std::size_t other) {
    std::vector<Number> size = viewed.call.numbers("size");
    std::swap(size.at(axis), size.at(other));
    return view(viewed.operand(), size);
}

// Draws the output layer first instead of last.
Edit output_drawn_first() {
    return at(linear_op, [drawn = std::vector<Var>()](const At& c) mutable {
        const Number& out = c.call.number("out");
        if (drawn.empty()) {
            drawn.push_back(linear(c.operand(), out, out, true));
        }
        const bool is_output = drawn.size() == 4 && c.call.number("in") == out;
        drawn.push_back(is_output ? drawn.front() : c.again());
        return drawn.back();
    });
}

}  // namespace

std::vector<Mistake> head_mistakes() {
    return {
        {"heads-view-without-transpose", 15,
         // No view comes before the transpose of the keys for the scores.
         [](const At& c) { return moves_heads(c) && c.origin().is(view_op); },
         [](const At& c) { return view_swapped(c.origin(), 1, 2); }},
        {"heads-view-swapped", 16.8,
         [](const At& c) { return c.is(view_op) && c.call.numbers("size").size() == 4; },
         [](const At& c) { return view_swapped(c, 2, 3); }},
        {"heads-merged-without-transpose", 15,
         [](const At& c) { return moves_heads(c) && makes_context(c.origin()); }, left_out},
        {"heads-concatenated-on-tokens",
         15,
         {at(joins_heads, [](const At& c) { return cat(c.operands(), 1); }),
          at(joins_heads, [](const At& c) { return cat(c.operands(), 0); }),
          at(joins_heads, [](const At& c) { return stack(c.operands()); })}},
        {"heads-interleaved", 15.5, joins_heads, interleave},
        {"heads-summed", 15, joins_heads, summed},
        {"heads-averaged", 15, joins_heads,
         [](const At& c) { return summed(c) / literal(c.call.inputs.size()); }},
        {"heads-reversed", 15, joins_heads,
         [](const At& c) {
             std::vector<Var> heads = c.operands();
             std::ranges::reverse(heads);
             return c.again(heads);
         }},
        {"batch-stacked-on-tokens", 15.2, [](const At& c) { return c.is_called("stack") && c.rank() == 2; },
         [](const At& c) { return contiguous(transpose(c.again(), 0, 1)); }},
        {"same-head-twice", 15, joins_heads,
         [](const At& c) { return c.again(std::vector<Var>(c.call.inputs.size(), c.operand())); }},
        {"other-heads", 15,
         set<std::size_t>(&Parameters::num_heads, {1, 2, 3, 4}, [](const Parameters&) { return true; }),
         About::setting},
        {"out-proj-without-bias", 15, adds_output_bias, left_out},
        {"out-proj-built-first", 15, output_drawn_first(), About::order_of_draws},
        {"no-out-proj", 15.1, [](const At& c) { return adds_output_bias(c) || projects_output(c); },
         left_out},
    };
}

}  // namespace attn
