// The formulas of recorded calls, for matrices or for cells.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "notebook/ops.hpp"
#include "notebook/render.hpp"
#include "page.hpp"
#include "walked.hpp"

using attn::literal;
using attn::Page;
using attn::Var;

namespace {

std::string formula_of(Var named) {
    return attn::formula_text(attn::equation_of(*named.notebook, named.id));
}

// Returns the formula of the result of `record` in a new notebook, where it is called S.
template <typename Record>
std::string formula(Record record) {
    Page page;
    return formula_of(page.nb.step({"attn_scores", "S"}, record(page)));
}

}  // namespace

TEST_CASE("a formula is one of matrices where the operation is") {
    CHECK(formula([](Page& p) { return attn::matmul(p.q, attn::transpose(p.k)); }) == "S = Q Kᵀ");
    CHECK(formula([](Page& p) { return p.q + p.k; }) == "S = Q + K");
    CHECK(formula([](Page& p) { return attn::matmul(p.q + p.x, p.k); }) == "S = (Q + X) K");
    CHECK(formula([](Page& p) { return attn::matmul(p.q, p.k) + p.x; }) == "S = Q K + X");
    CHECK(formula([](Page& p) { return attn::transpose(p.q + p.k); }) == "S = (Q + K)ᵀ");
    CHECK(formula([](Page& p) { return p.q - (p.k - p.v); }) == "S = Q − (K − V)");
    CHECK(formula([](Page& p) { return attn::softmax(p.x / attn::root_dk(p.k), -1); }) ==
          "S = softmax(X / √d_k)");
    CHECK(formula([](Page& p) { return attn::matmul(attn::softmax(p.q, -1), p.v); }) == "S = softmax(Q) V");
    CHECK(formula([](Page& p) { return attn::transpose(attn::softmax(p.q, -1)); }) == "S = softmax(Q)ᵀ");
}

TEST_CASE("a formula is one of cells where the operation works cell by cell") {
    CHECK(formula([](Page& p) { return p.q * p.k; }) == "S_ij = Q_ij · K_ij");
    CHECK(formula([](Page& p) { return p.q / p.k; }) == "S_ij = Q_ij / K_ij");
    CHECK(formula([](Page& p) { return attn::tril(p.q); }) == "S_ij = Q_ij if j ≤ i else 0");
    CHECK(formula([](Page& p) {
              return attn::tril(p.q, -p.nb.line({"window", "w"}, literal(3)));
          }) == "S_ij = Q_ij if j ≤ i − w else 0");
    CHECK(formula([](Page& p) {
              return attn::triu(attn::ones(p.nb, {literal(2), literal(2)}), 1);
          }) == "S_ij = 1 if j ≥ i + 1 else 0");
    CHECK(formula([](Page& p) {
              return attn::masked_fill(p.q, attn::as_bool(p.k), attn::minus_infinity());
          }) == "S_ij = −∞ if K_ij = 1 else Q_ij");
    CHECK(formula([](Page& p) { return attn::sum(p.q, -1, true); }) == "S_i = ∑_j Q_ij");
    CHECK(formula([](Page& p) { return p.q * (p.k / literal(2)); }) == "S_ij = Q_ij · K_ij / 2");
    CHECK(formula([](Page& p) { return p.q * attn::matmul(p.k, p.v); }) == "S_ij = Q_ij · (K V)_ij");
    CHECK(formula([](Page& p) { return attn::matmul(p.k, p.v) * p.q; }) == "S_ij = (K V)_ij · Q_ij");
    CHECK(formula([](Page& p) { return (p.k + p.v) * p.q; }) == "S_ij = (K + V)_ij · Q_ij");
}

TEST_CASE("a row is taken out with brackets, counted from 0 as in code, and is no cell") {
    CHECK(formula([](Page& p) { return attn::select(p.q, {literal(1)}); }) == "S = Q[1]");
    CHECK(formula([](Page& p) { return attn::select(p.q, {literal(1), literal(0)}); }) == "S = Q[1, 0]");
    CHECK(formula([](Page& p) {
              return attn::summed_products(attn::select(p.q, {literal(0)}), attn::select(p.k, {literal(1)}));
          }) == "S = ∑_k Q[0]_k · K[1]_k");
}

TEST_CASE("a single number has no index in a formula") {
    Page p;
    const Var total = p.nb.step("total", attn::sum(p.q));
    CHECK(formula_of(total).starts_with("total = "));
    CHECK(formula_of(p.nb.step({"attn_scores", "S"}, p.q / total)) == "S_ij = Q_ij / total");
}

TEST_CASE("what comes from outside and what seeds has no formula") {
    Page p;
    CHECK(attn::equation_of(p.nb, p.x.id).is_empty());
    const Var generator = p.nb.line("generator", attn::manual_seed(p.nb, 1));
    CHECK(attn::equation_of(p.nb, generator.id).is_empty());
}
