// Mistakes in the further topics: windows, pairs of key and query heads, KV caches, corners of masks, and
// rotated rows.
#include "mistakes/kinds.hpp"
#include "mistakes/patterns.hpp"
#include "notebook/ops.hpp"

namespace attn {

using namespace patterns;

namespace {

// Moves the lower edge of a sliding window.
Edit moved_edge(int by) {
    return at(
        [](const At& c) { return c.is(tril_op) && c.call.has("diagonal") && c.call.integer("diagonal") < 0; },
        [by](const At& c) {
            const Number& edge = c.call.number("diagonal");
            return tril(c.operand(), by > 0 ? edge + literal(by) : edge - literal(-by));
        });
}

bool rotates(const At& c) {
    return c.is(rotate_halves_op) || c.is(rotate_neighbours_op);
}

// Pairs neighbours instead of halves, or halves instead of neighbours.
Var paired_otherwise(const At& c) {
    return c.is(rotate_halves_op) ? rotate_neighbours(c.operand(0), c.operand(1), c.operand(2))
                                  : rotate_halves(c.operand(0), c.operand(1), c.operand(2));
}

bool takes_last_angles(const At& c) {
    const auto angles = [&] { return c.maker(); };
    return c.is(slice_op) && c.call.has("from") && c.call.integer("from") == -1 &&
           (angles().is(cos_op) || angles().is(sin_op));
}

// Returns true if a call takes the last rows of the causal mask, for the last queries.
bool takes_last_rows_of_mask(const At& c) {
    return c.is(slice_op) && c.call.has("from") && c.call.integer("from") < 0 &&
           is_upper_triangle(c.origin());
}

}  // namespace

std::vector<Mistake> onward_mistakes() {
    return {
        {"window-off-by-one", 15.2, {moved_edge(1), moved_edge(-1)}},
        {"kv-heads-repeated-in-the-wrong-order", 15.2,
         [](const At& c) { return c.is(repeat_interleave_op) && c.call.integer("dim") == 1; },
         [](const At& c) {
             return repeat(c.operand(), {literal(1), c.call.number("repeats"), literal(1), literal(1)});
         }},
        {"cache-row-appended-twice", 15.2,
         [](const At& c) { return c.is(cat_op) && name_of(c.operand()).starts_with("cache_"); },
         [](const At& c) {
             return cat({c.operand(0), c.operand(1), c.operand(1)}, 0);
         }},
        {"rotary-other-pairing",
         15.3,
         {at(rotates, paired_otherwise),
          at([](const At& c) { return rotates(c) && name_of(c.operand()).starts_with("keys"); },
             paired_otherwise)}},
        {"mask-top-left", 15.6, takes_last_rows_of_mask,
         [](const At& c) {
             const Number rows = literal(-c.call.value("from"));
             return triu(ones(c.notebook, {rows, literal(c.operand().value().size(-1))}), 1);
         }},
        // Rotates the last row by the angles of the first position.
        {"positions-not-advanced", 15.4, takes_last_angles,
         [](const At& c) { return slice(c.operand(), literal(0), literal(1)); }},
    };
}

}  // namespace attn
