// Explanations of torch.randn's numbers: they name the uniform numbers that a reader can draw again.
#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>

#include "notebook/ops.hpp"
#include "tensor/random.hpp"

using attn::Explanation;
using attn::literal;
using attn::Notebook;
using attn::Var;

namespace {

Explanation explained(Var node, std::size_t i) {
    const attn::Node& recorded = node.notebook->nodes()[node.id];
    return attn::explanation_of({{recorded.call, {}}, recorded.value, recorded.value.index(i)});
}

std::uint64_t fact(const Explanation& explanation, std::string_view name) {
    for (const attn::Fact& one : explanation.reason.facts) {
        if (one.name == name) {
            return std::stoull(one.text);
        }
    }
    FAIL("no fact named ", name);
    return 0;
}

}  // namespace

TEST_CASE("sixteen normal numbers and more are told from the two draws of each, those drawn again too") {
    for (const int size : {16, 20, 31, 32, 100}) {
        CAPTURE(size);
        Notebook nb;
        const Var generator = attn::manual_seed(nb, 7);
        attn::rand(generator, {literal(3)});  // so that the counted draws do not begin at 1
        const Var noise = attn::randn(generator, {literal(size)});
        std::set<std::uint64_t> draws;
        for (std::size_t i = 0; i < noise.value().count(); ++i) {
            const Explanation explanation = explained(noise, i);
            CHECK((explanation.arithmetic).value() ==
                  doctest::Approx(static_cast<double>(noise.value().values()[i])).epsilon(1e-5));
            CHECK(explanation.reason.id == "randn_pair");
            CHECK(fact(explanation, "seed") == 7);
            // The numbers in the explanation must be those that the generator draws there.
            std::vector<double> numbers;
            for_each_number(explanation.arithmetic,
                            [&](const attn::Leaf& leaf) { numbers.push_back(leaf.value); });
            std::size_t next = 0;
            for (const std::string_view name : {"draw", "other_draw"}) {
                attn::Generator again(7);
                again.discard(fact(explanation, name) - 1);
                CHECK(static_cast<double>(attn::rand(again, attn::Shape{}).values()[0]) ==
                      numbers.at(next++));
                draws.insert(fact(explanation, name));
            }
        }
        CHECK(*draws.begin() == 4);
        const bool again = size % 16 != 0;
        CHECK(*draws.rbegin() == static_cast<std::uint64_t>(3 + size + (again ? 16 : 0)));
    }
}

TEST_CASE("fewer than sixteen normal numbers are told as they are, and which seed they follow") {
    Notebook nb;
    const Var noise = attn::randn(attn::manual_seed(nb, 7), {literal(3), literal(5)});
    for (std::size_t i = 0; i < 15; ++i) {
        const Explanation explanation = explained(noise, i);
        CHECK(explanation.arithmetic.is_one_number());
        CHECK((explanation.arithmetic).value() == static_cast<double>(noise.value().values()[i]));
        CHECK(explanation.reason.id == "randn");
        CHECK(fact(explanation, "seed") == 7);
    }
}

TEST_CASE("normal numbers are told the same in any order, and between those of another seed") {
    Notebook nb;
    const Var generator = attn::manual_seed(nb, 7);
    attn::rand(generator, {literal(3)});  // so that pairs lie on both sides of a refill
    const Var noise = attn::randn(generator, {literal(5000)});
    Notebook other;
    const Var others = attn::randn(attn::manual_seed(other, 8), {literal(1000)});
    const auto check = [](Var node, std::size_t i) {
        CAPTURE(i);
        CHECK((explained(node, i).arithmetic).value() ==
              doctest::Approx(static_cast<double>(node.value().values()[i])).epsilon(1e-5));
    };
    for (std::size_t i = 0; i < 5000; ++i) {
        check(noise, 4999 - i);
    }
    for (std::size_t i = 0; i < 5000; ++i) {
        check(noise, i * 2741 % 5000);
        check(others, i * 17 % 1000);
    }
}
