// Mistakes in the further topics: the edge of a window, the pairing of key and query heads, the content of a
// KV cache, and the rotation of rows.
#include "diagnosis/mistakes/patterns.hpp"
#include "diagnosis/mistakes/variants.hpp"
#include "notebook/ops.hpp"

namespace attn::variants {

using namespace patterns;

namespace {

// The cells too far below the diagonal, with a shifted edge.
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

namespace {

// Pairs made the other way, of all that is turned or of keys alone.
Variant other_pairing(bool keys_alone) {
    return {[keys_alone](Notebook& nb, const Call& call) -> std::optional<Var> {
                const bool halves = is(call, rotate_halves_op);
                if (!halves && !is(call, rotate_neighbours_op)) {
                    return std::nullopt;
                }
                const Var x = operand(nb, call, 0);
                if (keys_alone && !name_of(x).starts_with("keys")) {
                    return std::nullopt;
                }
                const Var cos = operand(nb, call, 1);
                const Var sin = operand(nb, call, 2);
                return halves ? rotate_neighbours(x, cos, sin) : rotate_halves(x, cos, sin);
            },
            {}};
}

}  // namespace

Variants rotary_other_pairing(const Parameters&) {
    return {other_pairing(false), other_pairing(true)};
}

// The row of the last position taken from the first.
Variants positions_not_advanced(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (!is(call, slice_op) || !call.has("from") || call.integer("from") != -1) {
                     return std::nullopt;
                 }
                 const Var angles = operand(nb, call, 0);
                 const bool turns = is(call_of(angles), cos_op) || is(call_of(angles), sin_op);
                 return turns ? std::optional(slice(angles, literal(0), literal(1))) : std::nullopt;
             },
             {}}};
}

}  // namespace attn::variants
