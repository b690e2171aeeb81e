// The page as text: what browsers are told about it, what comes from outside, and the arithmetic it ships.
// How it behaves is tested in a browser, tests/page/.
#include "views/page/page.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <string_view>

#include "diagnosis/mistakes/mistakes.hpp"
#include "files/json.hpp"
#include "files/resources.hpp"
#include "notebook/ops.hpp"
#include "tensor/layout.hpp"
#include "views/page/html.hpp"
#include "views/page/page_arithmetic.hpp"
#include "views/page/page_part.hpp"
#include "walked.hpp"

using attn::Addresses;
using attn::Index;
using attn::Shape;
using attn::StageTrace;

namespace {

std::string page_of(const attn::Trace& trace, std::span<const attn::PageVariant> variants = {}) {
    std::string text;
    attn::write_page([&](std::string_view part) { text += part; }, trace, variants, {});
    return text;
}

attn::Trace trace_of(std::string_view stage, const attn::Lesson& lesson = attn::journey()) {
    const attn::Stage& found = *attn::find_stage(stage);
    attn::Trace trace{lesson, {}};
    trace.stages.push_back(attn::walk(found, lesson, found.defaults));
    return trace;
}

std::string between(std::string_view text, std::string_view before, std::string_view after) {
    const std::size_t from = text.find(before) + before.size();
    return std::string(text.substr(from, text.find(after, from) - from));
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

using Memory = std::map<std::int64_t, double>;

// What shipped arithmetic comes to in a cell, as the page's script reads it.
double evaluated(const attn::JsonView& arithmetic, const Index& cell, const Memory& memory,
                 const std::vector<double>& lines) {
    if (arithmetic.is_number()) {
        return arithmetic.number();
    }
    if (arithmetic.is_string()) {
        const std::string& name = arithmetic.string();
        REQUIRE((name == "NaN" || name == "Infinity" || name == "-Infinity"));
        return std::stod(name);
    }
    if (!arithmetic[0].is_string()) {
        auto address = static_cast<std::int64_t>(arithmetic[0].number());
        for (std::size_t axis = 0; axis + 1 < arithmetic.size(); ++axis) {
            address += static_cast<std::int64_t>(cell[axis]) *
                       static_cast<std::int64_t>(arithmetic[axis + 1].number());
        }
        return address < 0 ? lines.at(static_cast<std::size_t>(-1 - address)) : memory.at(address);
    }
    std::vector<double> x;
    for (std::size_t i = 1; i < arithmetic.size(); ++i) {
        x.push_back(evaluated(arithmetic[i], cell, memory, lines));
    }
    static const std::map<std::string, double (*)(const std::vector<double>&), std::less<>> operations{
        {" + ", [](const auto& of) { return std::accumulate(of.begin(), of.end(), 0.0); }},
        {"max",
         [](const auto& of) {
             const bool has_nan = std::ranges::any_of(of, [](double one) { return std::isnan(one); });
             return has_nan ? std::nan("") : *std::ranges::max_element(of);
         }},
        {" − ", [](const auto& of) { return of[0] - of[1]; }},
        {" · ", [](const auto& of) { return of[0] * of[1]; }},
        {"·", [](const auto& of) { return of[0] * of[1]; }},
        {" / ", [](const auto& of) { return of[0] / of[1]; }},
        {" ≤ ", [](const auto& of) { return of[0] <= of[1] ? 1.0 : 0.0; }},
        {" = ", [](const auto& of) { return of[0] == of[1] ? 1.0 : 0.0; }},
        {" ≠ ", [](const auto& of) { return of[0] != of[1] ? 1.0 : 0.0; }},
        {"exp", [](const auto& of) { return std::exp(of[0]); }},
        {"sqrt", [](const auto& of) { return std::sqrt(of[0]); }},
        {"abs", [](const auto& of) { return std::abs(of[0]); }},
    };
    constexpr auto most = static_cast<double>(std::numeric_limits<float>::max());
    const double value = operations.at(arithmetic[0].string())(x);
    return std::abs(value) > most ? std::copysign(std::numeric_limits<double>::infinity(), value) : value;
}

attn::JsonView shipped_json(const attn::StepArithmetic& arithmetic) {
    return attn::parse_json(json_text(arithmetic_json(arithmetic), attn::JsonLayout::compact), "arithmetic");
}

bool agrees(double explained, float value) {
    const auto exact = static_cast<double>(value);
    return std::isfinite(exact) ? std::abs(explained - exact) <= 1e-5 * std::max(std::abs(exact), 0.01)
                                : explained == exact || (std::isnan(explained) && std::isnan(exact));
}

// Every cell of every step of a stage; returns how many were evaluated.
std::size_t check_shipped_arithmetic(const StageTrace& trace) {
    const Addresses addresses(trace.notebook);
    std::map<std::int64_t, double> memory;
    for (const attn::Node& node : trace.notebook.nodes()) {
        if (const Addresses::Place* const place = addresses.of(node)) {
            for (std::size_t i = 0; i < node.value.count(); ++i) {
                memory[place->address + static_cast<std::int64_t>(i)] =
                    static_cast<double>(node.value.values()[i]);
            }
        }
    }
    std::size_t cells = 0;
    for (const std::size_t id : trace.steps) {
        const attn::Node& step = trace.node(id);
        const std::vector<Index> shown = attn::shown_cells(step.value.shape());
        const attn::StepArithmetic arithmetic = attn::step_arithmetic(trace.notebook, id, shown, addresses);
        const attn::JsonView shipped = shipped_json(arithmetic);
        const attn::JsonView runs = shipped.at("cells");
        std::size_t at = 0;
        for (std::size_t i = 0; i < runs.size(); i += 2) {
            const attn::JsonView pattern =
                shipped.at("patterns")[static_cast<std::size_t>(runs[i + 1].number())];
            for (double k = 0; k < runs[i].number(); ++k, ++at) {
                std::vector<double> lines;
                for (std::size_t line = 0; line < pattern.size(); ++line) {
                    lines.push_back(evaluated(pattern[line][1], shown[at], memory, lines));
                }
                const float value = step.value.at(shown[at]);
                if (!agrees(lines.back(), value)) {
                    FAIL_CHECK(trace.stage->name, " ", step.name, " cell ", at, ": ", lines.back(),
                               " but the cell holds ", value);
                }
                ++cells;
            }
        }
        CHECK(at == shown.size());
    }
    return cells;
}

}  // namespace

TEST_CASE("the arithmetic that a page ships gives every number it shows") {
    std::size_t cells = 0;
    for (const std::string_view stage :
         {"simplified", "trainable", "linear", "causal", "causal-batch", "multi-head-wrapper", "multi-head",
          "head-split", "numpy", "encoder-decoder", "leakage"}) {
        cells += check_shipped_arithmetic(trace_of(stage).stages[0]);
    }
    CHECK(cells > 3000);
}

TEST_CASE("cells whose addresses grow evenly along the axes are shipped as one") {
    const StageTrace trace = attn::walk_causal(attn::journey());
    const Addresses addresses(trace.notebook);
    const std::map<std::string, std::size_t> patterns{
        {"queries", 1}, {"attn_scores", 1}, {"mask_simple", 2}, {"masked", 2}, {"context_vec", 1}};
    for (const auto& [name, count] : patterns) {
        const std::size_t id = trace.find(name).value();
        CAPTURE(trace.node(id).name);
        const std::vector<Index> cells = attn::shown_cells(trace.node(id).value.shape());
        CHECK(attn::step_arithmetic(trace.notebook, id, cells, addresses).patterns.size() == count);
    }
}

TEST_CASE("cells are of one pattern as long as what they look up grows evenly along each axis") {
    const auto shipped = [](std::int64_t address, double factor = 2) {
        return attn::ShippedCell{{{"", attn::number(0) * attn::constant(factor)}}, {address}};
    };
    attn::CellPattern pattern(Index{0, 1}, shipped(10));
    CHECK(pattern.takes(Index{0, 2}, shipped(12)));
    CHECK(pattern.takes(Index{0, 4}, shipped(16)));
    CHECK_FALSE(pattern.takes(Index{0, 4}, shipped(17)));
    CHECK_FALSE(pattern.takes(Index{0, 4}, shipped(16, 3)));
    CHECK(pattern.takes(Index{2, 1}, shipped(20)));
    CHECK(pattern.takes(Index{1, 2}, shipped(17)));
    CHECK_FALSE(pattern.takes(Index{1, 2}, shipped(18)));
    CHECK(json_text(pattern.json(), attn::JsonLayout::compact) == "[[\"\",[\" · \",[8,5,2],2.0]]]");
    attn::CellPattern other(Index{0, 0}, shipped(10));
    CHECK_FALSE(other.takes(Index{1, 1}, shipped(12)));  // along which axis?
    CHECK_FALSE(other.takes(Index{0, 2}, shipped(13)));  // no whole step
}

TEST_CASE("a sum of more than 64 terms breaks off where it computes the cell") {
    attn::Notebook nb;
    const attn::Var row = nb.step("row", nb.given(attn::ones(Shape{65})));
    const attn::Var cell = nb.step("cell", attn::dot(row, row) / attn::literal(2));
    const Addresses addresses(nb);
    const attn::JsonView shipped = shipped_json(attn::step_arithmetic(nb, cell.id, {Index{}}, addresses));
    CHECK(shipped.at("patterns")[0].size() == 1);  // the sum itself is too long to stand on the way
    const attn::Var sum = nb.step("sum", attn::dot(row, row));
    const attn::JsonView whole = shipped_json(attn::step_arithmetic(nb, sum.id, {Index{}}, Addresses(nb)));
    const attn::JsonView terms = whole.at("patterns")[0][0][1];
    CHECK(terms.size() == 1 + 64 + 1);
    CHECK(terms[65].string() == "NaN");
}

TEST_CASE("the page of the causal stage is small, and the same every time") {
    const std::string page = page_of(trace_of("causal"));
    CHECK(page.size() <= 150000);
    CHECK(page == page_of(trace_of("causal")));
    CHECK(count(page, "<article ") == 20);
    CHECK(count(page, "<table>") == 20);
}

TEST_CASE("the page has one style and one script, whose fingerprints tests/cli/pages.py looks at") {
    const std::string page = page_of(trace_of("causal"));
    CHECK(between(page, "<style>", "</style>") == attn::resource("page/page.css"));
    CHECK(between(page, "<script>", "</script>") == attn::resource("page/page.js"));
    CHECK(count(page, "<script") == 2);
    CHECK(count(page, "</script") == 2);
    CHECK(count(page, " style=") == 0);
}

TEST_CASE("tokens are text and nothing else") {
    const std::vector<std::string> hostile{"</script><script>alert(1)</script>",
                                           "<!--<script>",
                                           "\"onmouseover='x'",
                                           "\u202eright\u202c",
                                           "line\u2028separator",
                                           "\x1b[2J&amp;"};
    const attn::Lesson lesson{hostile, attn::ones(Shape{hostile.size(), 3})};
    const std::string page = page_of(trace_of("causal", lesson));
    // In the script's data a quotation mark is one of a string's characters.
    const std::string data = between(page, "application/json\" id=\"data\">", "</script>");
    CHECK(count(data, "</") + count(data, "\u202e") + count(data, "\u2028") + count(data, "\x1b") == 0);
    const std::string markup = page.substr(0, page.find(data)) + page.substr(page.find(data) + data.size());
    for (const std::string_view raw : {"</script><s", "<!--<", "\"onmouse", "\u202e", "\u2028", "\x1b"}) {
        CAPTURE(raw);
        CHECK(markup.find(raw) == std::string::npos);
    }
    CHECK(count(page, "&lt;!--&lt;script&gt;") > 20);
    CHECK(count(page, "\\u202eright\\u202c") > 20);
}

TEST_CASE("what comes from outside is escaped for elements, attributes and the script's data") {
    CHECK(attn::escaped("a<b>&\"c'") == "a&lt;b&gt;&amp;&quot;c&#39;");
    CHECK(attn::escaped("two\nlines\t") == "two\nlines\\x09");
    CHECK(attn::escaped("abcdef", 3) == "abc…");
    CHECK(attn::escaped("\xff") == "\\xff");
    CHECK(attn::escaped_json("[\"</script>&\"]") == "[\"\\u003c/script\\u003e\\u0026\"]");
}

TEST_CASE("a template's holes are filled in order") {
    const auto filled = [](std::string_view page) {
        std::string text;
        attn::write_filled_in([&](std::string_view part) { text += part; }, page,
                              [](std::string_view name, const attn::WriteBytes& write) {
                                  write("<");
                                  write(name);
                                  write(">");
                              });
        return text;
    };
    CHECK(filled("a {{b}} c {{d}}") == "a <b> c <d>");
    CHECK(filled("none") == "none");
    CHECK_THROWS_AS(filled("{{open"), std::logic_error);
}

TEST_CASE("of a large tensor a page shows the first rows, columns and matrices") {
    CHECK(attn::shown_part(Shape{64, 64}) == Shape{64, 64});
    CHECK(attn::shown_part(Shape{65, 3}) == Shape{32, 3});
    CHECK(attn::shown_part(Shape{20, 17, 100, 2}) == Shape{16, 16, 32, 2});
    CHECK(attn::shown_part(Shape{1000}) == Shape{32});
    CHECK(attn::shown_cells(Shape{2, 100}).size() == 64);
    CHECK(attn::shown_cells(Shape{}).size() == 1);
}

TEST_CASE("a variant ships only the steps that differ") {
    const attn::Trace trace = trace_of("causal");
    attn::Parameters parameters = attn::causal_defaults();
    parameters.dropout = 0.0;
    const std::vector<attn::PageVariant> variants{
        {"dropout", attn::walk_causal(attn::journey(), parameters)}};
    const std::string page = page_of(trace, variants);
    const std::string shipped = between(page, "\"variants\":[", "\"others\"");
    CHECK(count(shipped, "\"data\"") == 3);  // the dropped ones, the dropped weights, and their context
    CHECK(page.size() <= 150000);
}

TEST_CASE("a variant ships the words that are true of it, where they are others") {
    const attn::Trace trace = trace_of("causal");
    const attn::Edit edit =
        attn::find_mistake("not-masked")->variants(trace.stages[0].parameters).front().edit;
    const std::vector<attn::PageVariant> variants{
        {"mask",
         attn::walk_edited(*trace.stages[0].stage, attn::journey(), trace.stages[0].parameters, {}, {edit})}};
    const std::string page = page_of(trace, variants);
    const std::string shipped = between(page, "\"variants\":[", "\"others\"");
    CHECK(count(shipped, "with the mask off it looks at all of them") == 1);
    CHECK(count(shipped,
                "\"title\":\"The future not masked\",\"note\":\"With the mask off the scores stay") == 1);
    CHECK(count(shipped, "Row 0 can only look at itself") == 0);
    CHECK(count(shipped, "Dropout on a matrix of ones") == 0);  // as true as before
}
