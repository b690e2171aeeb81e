// Mistakes of heads and shapes: numbers that are right and end up in the wrong place, or a step left out.
#include "diagnosis/mistakes/patterns.hpp"
#include "diagnosis/mistakes/variants.hpp"
#include "notebook/ops.hpp"

namespace attn::variants {

using namespace patterns;

namespace {

// W_out and b_out, or W_o and b_o.
bool is_of_output(Var x) {
    const std::string& name = name_of(x);
    return name.size() > 1 && name.substr(1).starts_with("_o");
}

}  // namespace

Variants heads_view_without_transpose(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (!is(call, transpose_op) || !call.has("dim0") || call.integer("dim0") != 1) {
                     return std::nullopt;  // the transpose of keys, which are a view now, stays
                 }
                 const Var viewed = original(operand(nb, call, 0));
                 if (!is(call_of(viewed), view_op)) {
                     return std::nullopt;
                 }
                 std::vector<Number> size = call_of(viewed).numbers("size");
                 std::swap(size.at(1), size.at(2));
                 return view(operand(nb, call_of(viewed), 0), size);
             },
             {}}};
}

Variants heads_merged_without_transpose(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (!is(call, transpose_op) || call.find("dim0") == nullptr || call.integer("dim0") != 1) {
                     return std::nullopt;
                 }
                 const Var contexts = operand(nb, call, 0);
                 return makes_context(nb, call_of(original(contexts))) ? std::optional(contexts)
                                                                       : std::nullopt;
             },
             {}}};
}

Variants heads_concatenated_on_tokens(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (!is(call, cat_op) || call.integer("dim") != -1 ||
                     operand(nb, call, 0).value().rank() != 3) {
                     return std::nullopt;
                 }
                 std::vector<Var> parts;
                 for (std::size_t i = 0; i < call.inputs.size(); ++i) {
                     parts.push_back(operand(nb, call, i));
                 }
                 return cat(parts, 1);
             },
             {}}};
}

namespace {

// Heads side by side, put together otherwise.
Variants joined(Var (*join)(const std::vector<Var>& heads)) {
    return only([join](Notebook& nb, const Call& call) -> std::optional<Var> {
        const bool joins =
            is(call, cat_op) && call.integer("dim") == -1 && operand(nb, call, 0).value().rank() == 3;
        return joins ? std::optional(join(operands(nb, call))) : std::nullopt;
    });
}

}  // namespace

Variants heads_summed(const Parameters&) {
    return joined([](const std::vector<Var>& heads) {
        Var total = heads.front();
        for (std::size_t i = 1; i < heads.size(); ++i) {
            total = total + heads[i];
        }
        return total;
    });
}

Variants same_head_twice(const Parameters&) {
    return joined(
        [](const std::vector<Var>& heads) { return cat(std::vector<Var>(heads.size(), heads.front()), -1); });
}

Variants other_heads(const Parameters& right) {
    Variants variants;
    for (const std::size_t heads : {1U, 2U, 4U}) {
        if (heads != right.num_heads) {
            variants.push_back({.change = [heads](Parameters& parameters) { parameters.num_heads = heads; }});
        }
    }
    return variants;
}

Variants heads_view_swapped(const Parameters&) {
    return only([](Notebook& nb, const Call& call) -> std::optional<Var> {
        if (!is(call, view_op) || call.numbers("size").size() != 4) {
            return std::nullopt;
        }
        std::vector<Number> size = call.numbers("size");
        std::swap(size[2], size[3]);
        return view(operand(nb, call, 0), size);
    });
}

Variants out_proj_without_bias(const Parameters&) {
    return only([](Notebook& nb, const Call& call) -> std::optional<Var> {
        const bool adds = is(call, add_op) && is_of_output(operand(nb, call, 1));
        return adds ? std::optional(operand(nb, call, 0)) : std::nullopt;
    });
}

Variants out_proj_built_first(const Parameters&) {
    return only([drawn = std::vector<Var>()](Notebook& nb, const Call& call) mutable -> std::optional<Var> {
        if (!is(call, linear_op)) {
            return std::nullopt;
        }
        const Number& out = call.number("out");
        const bool is_first = drawn.empty();
        if (is_first) {
            drawn.push_back(linear(operand(nb, call, 0), out, out, true));
        }
        const bool is_output = drawn.size() == 4 && call.number("in") == out;
        drawn.push_back(is_output ? drawn.front()
                                  : nb.record(linear_op, {operand(nb, call, 0)}, call.attributes));
        return drawn.back();
    });
}

Variants no_out_proj(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (is(call, add_op) && is_of_output(operand(nb, call, 1))) {
                     return operand(nb, call, 0);
                 }
                 if (!is(call, matmul_op)) {
                     return std::nullopt;
                 }
                 const Var matrix = operand(nb, call, 1);
                 const bool projects =
                     is_matrix_transpose(call_of(matrix)) && is_of_output(operand(nb, call_of(matrix), 0));
                 return projects ? std::optional(operand(nb, call, 0)) : std::nullopt;
             },
             {}}};
}

Variants transposed(const Parameters&) {
    return {{{}, {}, true}};
}

}  // namespace attn::variants
