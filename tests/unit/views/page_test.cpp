// The page as text: what browsers are told about it, what comes from outside, and the arithmetic it ships.
// How it behaves is tested in a browser, tests/page/.
#include "views/page/page.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "diagnosis/mistakes/mistakes.hpp"
#include "files/resources.hpp"
#include "tensor/layout.hpp"
#include "text/arithmetic.hpp"
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
    attn::write_page([&](std::string_view part) { text += part; }, trace, variants, "en", {});
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

// Decodes what page_arithmetic.hpp says about runs.
std::vector<std::int64_t> unrolled(const std::vector<std::int64_t>& runs) {
    std::vector<std::int64_t> numbers;
    for (std::size_t at = 0; at < runs.size();) {
        const auto length = static_cast<std::size_t>(runs[at]);
        const auto period = static_cast<std::size_t>(runs[at + 1]);
        for (std::size_t k = 0; k < length; ++k) {
            const std::int64_t step = runs[at + 2 + period + k % period];
            numbers.push_back(runs[at + 2 + k % period] + static_cast<std::int64_t>(k / period) * step);
        }
        at += 2 + 2 * period;
    }
    return numbers;
}

// What shipped lines come to when the numbers are looked up and put in.
double evaluated(const std::vector<attn::ArithmeticLine>& lines, const std::vector<std::int64_t>& numbers,
                 const std::map<std::int64_t, double>& memory) {
    std::vector<double> values;
    auto next = numbers.begin();
    for (const attn::ArithmeticLine& line : lines) {
        for (std::size_t i = 0; i < line.count; ++i) {
            std::vector<double> operands;
            for (std::size_t k = 0; k < attn::count_places(line.text); ++k, ++next) {
                operands.push_back(*next < 0 ? values.at(static_cast<std::size_t>(-1 - *next))
                                             : memory.at(*next));
            }
            values.push_back(attn::evaluate(line.text, operands));
        }
    }
    return values.back();
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
        const attn::StepArithmetic shipped = attn::step_arithmetic(trace.notebook, id, shown, addresses);
        std::size_t at = 0;
        for (const attn::EvenCells& even : shipped.cells) {
            for (std::size_t k = 0; k < even.count; ++k, ++at) {
                std::vector<std::int64_t> runs = even.first;
                for (std::size_t i = 0; i < even.growth.size(); ++i) {
                    runs[i] += static_cast<std::int64_t>(k) * even.growth[i];
                }
                const auto& lines = shipped.lines.at(even.lines);
                if (lines.back().text.ends_with("…")) {
                    continue;
                }
                const double explained = evaluated(lines, unrolled(runs), memory);
                if (!agrees(explained, step.value.at(shown[at]))) {
                    FAIL_CHECK(trace.stage->name, " ", step.name, " cell ", at, ": ", lines.back().text,
                               " is ", explained, " but the cell holds ", step.value.at(shown[at]));
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

TEST_CASE("cells in a row that differ by a constant step are shipped as one") {
    const StageTrace trace = attn::walk_causal(attn::journey());
    const Addresses addresses(trace.notebook);
    const attn::StepArithmetic shipped = attn::step_arithmetic(
        trace.notebook, trace.find("attn_scores").value(), attn::shown_cells(Shape{6, 6}), addresses);
    CHECK(shipped.lines.size() == 1);
    CHECK(shipped.cells.size() == 6);
}

TEST_CASE("the page of the causal stage is small, and the same every time") {
    const std::string page = page_of(trace_of("causal"));
    CHECK(page.size() <= 150000);
    CHECK(page == page_of(trace_of("causal")));
    CHECK(count(page, "<article ") == 20);
    CHECK(count(page, "<table ") == 20);
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
    for (const std::string_view raw : {"</script><s", "<!--<", "\"onmouse", "\u202e", "\u2028", "\x1b"}) {
        CAPTURE(raw);
        CHECK(page.find(raw) == std::string::npos);
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
    const auto fill = [](std::string_view hole) { return "<" + std::string(hole) + ">"; };
    CHECK(attn::filled("a {{b}} c {{d}}", fill) == "a <b> c <d>");
    CHECK(attn::filled("none", fill) == "none");
    CHECK_THROWS_AS(attn::filled("{{open", fill), std::logic_error);
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
    const std::string shipped = between(page, "\"variants\": [", "\"others\"");
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
    const std::string shipped = between(page, "\"variants\": [", "\"others\"");
    CHECK(count(shipped, "with the mask off it looks at all of them") == 1);
    CHECK(count(shipped,
                "\"title\": \"The future not masked\", \"note\": \"With the mask off the scores stay") == 1);
    CHECK(count(shipped, "Row 0 can only look at itself") == 0);
    CHECK(count(shipped, "Dropout on a matrix of ones") == 0);  // as true as before
}
