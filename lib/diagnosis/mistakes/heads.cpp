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
