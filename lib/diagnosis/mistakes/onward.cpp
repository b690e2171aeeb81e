// Mistakes of what comes next: where a window ends, which head of keys goes with which queries, and what a
// cache of keys is given.
#include "diagnosis/mistakes/patterns.hpp"
#include "diagnosis/mistakes/variants.hpp"
#include "notebook/ops.hpp"

namespace attn::variants {

using namespace patterns;

namespace {

// What lies too far below the diagonal, with the edge of it moved.
Variant moved_edge(Number (*move)(const Number& diagonal)) {
    return {[move](Notebook& nb, const Call& call) -> std::optional<Var> {
                if (!is(call, tril_op) || !call.has("diagonal") || call.integer("diagonal") >= 0) {
                    return std::nullopt;
                }
                return tril(operand(nb, call, 0), move(call.number("diagonal")));
            },
            {}};
}

}  // namespace

Variants window_off_by_one(const Parameters& right) {
    if (right.window == 0) {
        return {};
    }
    return {moved_edge([](const Number& diagonal) { return diagonal + literal(1); }),
            moved_edge([](const Number& diagonal) { return diagonal - literal(1); })};
}

Variants kv_heads_repeated_in_the_wrong_order(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (!is(call, repeat_interleave_op) || call.integer("dim") != 1) {
                     return std::nullopt;
                 }
                 return repeat(operand(nb, call, 0),
                               {literal(1), call.number("repeats"), literal(1), literal(1)});
             },
             {}}};
}

Variants cache_row_appended_twice(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (!is(call, cat_op) || !name_of(operand(nb, call, 0)).starts_with("cache_")) {
                     return std::nullopt;
                 }
                 const Var row = operand(nb, call, 1);
                 return cat({operand(nb, call, 0), row, row}, 0);
             },
             {}}};
}

}  // namespace attn::variants
