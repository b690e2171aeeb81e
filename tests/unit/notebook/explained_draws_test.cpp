// Explanations of torch.randn's numbers: they name the uniform numbers that a reader can draw again.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "notebook/ops.hpp"
#include "tensor/random.hpp"

using namespace attn;

namespace {

// Checks the value in an explanation, and returns the explanation.
Explanation explained(Var node, std::size_t i) {
    const Node& recorded = node.notebook->nodes()[node.id];
    Sources sources;
    Explanation explanation =
        explanation_of({{recorded.call, {}}, recorded.value, recorded.value.index(i)}, sources);
    CAPTURE(i);
    CHECK(explanation.arithmetic.value() ==
          doctest::Approx(static_cast<double>(recorded.value.values()[i])).epsilon(1e-5));
    return explanation;
}

std::uint64_t fact(const Explanation& explanation, std::string_view name) {
    const auto found = std::ranges::find(explanation.reason.facts, name, &Fact::name);
    REQUIRE(found != explanation.reason.facts.end());
    return std::stoull(found->text);
}

}  // namespace

TEST_CASE("sixteen normal numbers and more are told from the two draws of each, those drawn again too") {
    for (const std::size_t size : {15U, 16U, 20U, 31U, 32U}) {
        CAPTURE(size);
        Notebook nb;
        const Var generator = manual_seed(nb, 7);
        rand(generator, {literal(3)});  // so that the counted draws do not begin at 1
        const Var noise = randn(generator, {literal(size)});
        std::set<std::uint64_t> draws;
        for (std::size_t i = 0; i < size; ++i) {
            const Explanation explanation = explained(noise, i);
            CHECK(fact(explanation, "seed") == 7);
            CHECK(explanation.reason.id == (size < 16 ? "randn" : "randn_pair"));
            if (size < 16) {
                CHECK(explanation.arithmetic.is_one_number());
                continue;
            }
            // The numbers in the explanation must be those that the generator draws there.
            std::vector<double> numbers;
            for_each_number(explanation.arithmetic,
                            [&](const Leaf& leaf) { numbers.insert(numbers.begin(), leaf.value); });
            for (const std::string_view name : {"draw", "other_draw"}) {
                Generator again(7);
                again.discard(*draws.insert(fact(explanation, name)).first - 1);
                CHECK(static_cast<double>(rand(again, Shape{}).values()[0]) == numbers.back());
                numbers.pop_back();
            }
        }
        CHECK((draws.empty() || *draws.begin() == 4));
        CHECK((draws.empty() || *draws.rbegin() == 3 + size + (size % 16 != 0 ? 16 : 0)));
    }
}

TEST_CASE("normal numbers are told the same in any order, and between those of another seed") {
    Notebook nb;
    const Var generator = manual_seed(nb, 7);
    rand(generator, {literal(3)});  // so that pairs lie on both sides of a refill
    const Var noise = randn(generator, {literal(5000)});
    const Var others = randn(manual_seed(nb, 8), {literal(1000)});
    for (std::size_t i = 0; i < 5000; ++i) {
        explained(noise, i * 2741 % 5000);
        explained(others, i * 17 % 1000);
    }
}
