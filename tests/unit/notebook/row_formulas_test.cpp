// The formulas of recorded calls, for matrices or for cells.
#include <doctest/doctest.h>

#include "notebook/ops.hpp"
#include "notebook/render.hpp"
#include "page.hpp"

using namespace attn;

TEST_CASE("a formula is of matrices where the operation is, and of cells where it works cell by cell") {
    Page page;
    auto& [nb, x, q, k, v] = page;
    const Var total = nb.step("total", sum(q));
    const std::pair<Var, std::string_view> rows[] = {
        {matmul(q, transpose(k)), "S = Q Kᵀ"},
        {matmul(q + x, k), "S = (Q + X) K"},
        {matmul(q, k) + x, "S = Q K + X"},
        {transpose(q + k), "S = (Q + K)ᵀ"},
        {q - (k - v), "S = Q − (K − V)"},
        {softmax(x / root_dk(k), -1), "S = softmax(X / √d_k)"},
        {matmul(softmax(q, -1), v), "S = softmax(Q) V"},
        {q * k, "S_ij = Q_ij · K_ij"},
        {q * (k / literal(2)), "S_ij = Q_ij · K_ij / 2"},
        {tril(q, -nb.line({"window", "w"}, literal(3))), "S_ij = Q_ij if j ≤ i − w else 0"},
        {triu(ones(nb, {literal(2), literal(2)}), 1), "S_ij = 1 if j ≥ i + 1 else 0"},
        {masked_fill(q, as_bool(k), minus_infinity()), "S_ij = −∞ if K_ij = 1 else Q_ij"},
        {sum(q, -1, true), "S_i = ∑_j Q_ij"},
        {q * matmul(k, v), "S_ij = Q_ij · (K V)_ij"},
        {(k + v) * q, "S_ij = (K + V)_ij · Q_ij"},
        {q / total, "S_ij = Q_ij / total"},                    // a single number has no index
        {select(q, {literal(1), literal(0)}), "S = Q[1, 0]"},  // as in code
        {prefix_products(q, k, nb.given(Tensor({2}, {1, 2}))), "S = Q Kᵀ"},
        {sum_groups(q, literal(1), 0), "S = ∑_group Q"},
        {summed_products(select(q, {literal(0)}), select(k, {literal(1)})), "S = ∑_k Q[0]_k · K[1]_k"},
    };
    for (const auto& [node, text] : rows) {
        CHECK(formula_text(equation_of(nb, nb.step({"attn_scores", "S"}, node).id)) == text);
    }
    CHECK(equation_of(nb, x.id).is_empty());
    CHECK(equation_of(nb, nb.line("generator", manual_seed(nb, 1)).id).is_empty());
}
