// What a derivation shows is true as it stands: each line, read from its own text and evaluated, rounds to
// the result after its equals sign.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "evaluator.hpp"
#include "views/explain/arithmetic_text.hpp"
#include "views/explain/derivation.hpp"
#include "walked.hpp"

using attn::ArithmeticText;
using attn::Derivation;
using attn::Index;
using attn::Language;
using attn::Line;

namespace {

// Half a unit of the last decimal shown, of at least `precision` ones.
double half_unit(std::string_view number, int precision) {
    const std::size_t exponent = std::min(number.find('e'), number.size());
    const std::size_t point = std::min(number.find('.'), exponent);
    const int decimals = std::max(precision, static_cast<int>(exponent - point) - 1);
    const double scale = exponent < number.size() ? std::stod(std::string(number.substr(exponent + 1))) : 0.0;
    return 0.5 * std::pow(10.0, scale - decimals) * (1 + 1e-6);
}

// Whether `numbers = result` is true of the text itself.
bool holds(const std::string& equation, int precision) {
    const std::string_view sign = " = ";
    const std::size_t at = equation.rfind(sign);
    if (at == std::string::npos) {
        return false;
    }
    const std::string_view text = equation;
    const double left = attn::test::evaluate(text.substr(0, at));
    const double right = attn::test::evaluate(text.substr(at + sign.size()));
    return left == right || (std::isnan(left) && std::isnan(right)) ||
           std::abs(left - right) <= half_unit(text.substr(at + sign.size()), precision);
}

struct Count {
    std::size_t cells = 0, lines = 0;
};

void check(const attn::Notebook& notebook, std::size_t id, const Index& cell, Count& count) {
    const attn::Node& node = notebook.nodes()[id];
    const Derivation derivation = attn::derive(notebook, id, cell);
    REQUIRE(!derivation.lines.empty());
    const Line& last = derivation.lines.back();
    CHECK((last.node == id && last.index == cell && last.part.empty()));
    for (const Line& line : derivation.lines) {
        const ArithmeticText text = arithmetic_text(notebook, shortened(line).line, 4, Language::torch);
        if (!holds(text.equation(), 4)) {
            FAIL_CHECK(node.call.operation->name, " ", cell_name(node, cell), ": ", text.equation());
        }
        ++count.lines;
    }
    ++count.cells;
}

}  // namespace

TEST_CASE("every line of every derivation holds") {
    Count count;
    for (const attn::Stage* stage : attn::catalogue()) {
        const attn::StageTrace trace = attn::walk(*stage, attn::journey(), stage->defaults);
        const auto& nodes = trace.notebook.nodes();
        // A number that comes after a million others takes drawing those again.
        const bool is_large =
            std::ranges::any_of(nodes, [](const attn::Node& node) { return node.value.count() > 100'000; });
        const std::size_t most_cells = is_large ? 40 : 1000;
        for (std::size_t id = 0; id < nodes.size(); ++id) {
            if (nodes[id].name.empty()) {
                continue;
            }
            const std::size_t cells = nodes[id].value.count();
            const std::size_t stride = cells / most_cells + 1;
            for (std::size_t i = 0; i < cells; i += stride) {
                check(trace.notebook, id, nodes[id].value.index(i), count);
            }
        }
    }
    MESSAGE(count.cells, " cells, ", count.lines, " lines");
    CHECK(count.cells > 5000);
    CHECK(count.lines > 20000);
}
