// The page as text: its security policy, text from outside, and the arithmetic in its data. tests/page/ tests
// its behaviour in a browser.
#include "views/page/page.hpp"

#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "diagnosis/mistakes/mistakes.hpp"
#include "files/json.hpp"
#include "files/resources.hpp"
#include "tensor/layout.hpp"
#include "texts.hpp"
#include "views/page/html.hpp"
#include "views/page/page_arithmetic.hpp"
#include "views/page/page_part.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

std::string page_of(const Trace& trace, std::span<const PageVariant> variants = {}) {
    std::string text;
    write_page([&](std::string_view part) { text += part; }, trace, variants, {});
    return text;
}

Trace trace_of(std::string_view stage, const Lesson& lesson = journey()) {
    const Stage& found = *find_stage(stage);
    Trace trace{lesson, {}};
    Parameters parameters = found.defaults;
    if (stage == "multi-head") {
        parameters.d_out = 4;  // two columns for each head
    }
    trace.stages.push_back(walk(found, lesson, parameters));
    return trace;
}

std::string between(std::string_view text, std::string_view before, std::string_view after) {
    const std::size_t from = text.find(before) + before.size();
    return std::string(text.substr(from, text.find(after, from) - from));
}

JsonView arithmetic_of(const StageTrace& trace, std::size_t id, Memory& memory) {
    const Shape& shape = trace.node(id).value.shape();
    const Json json = arithmetic_json(trace.notebook, id, shown_cells(shape), shown_part(shape), 4, memory);
    return parse_json(json_text(json, JsonLayout::compact), "arithmetic");
}

}  // namespace

TEST_CASE("cells whose addresses grow evenly along the axes are of one pattern") {
    const std::map<std::string_view, std::map<std::string, std::size_t>> patterns{
        {"causal",
         {{"queries", 1}, {"attn_scores", 1}, {"mask_simple", 2}, {"masked", 2}, {"context_vec", 1}}},
        {"multi-head", {{"heads_stacked", 2}}}};
    for (const auto& [stage, steps] : patterns) {
        const Trace walked = trace_of(stage);
        const StageTrace& trace = walked.stages[0];
        for (const auto& step : steps) {
            CAPTURE(step.first);
            Memory memory(trace.notebook);
            CHECK(arithmetic_of(trace, trace.find(step.first).value(), memory).at("patterns").size() ==
                  step.second);
        }
    }
}

TEST_CASE("what is drawn has no arithmetic, and lines have as many digits as make them true") {
    const Trace walked = trace_of("causal");
    const StageTrace& trace = walked.stages[0];
    Memory memory(trace.notebook);
    CHECK(arithmetic_of(trace, trace.find("inputs").value(), memory).kind() == "null");
    const JsonView weights = arithmetic_of(trace, trace.find("attn_weights_causal").value(), memory);
    CHECK(weights.at("patterns")[0].size() == 5);  // scaled, the largest, exp, their sum, the share
    // 0.46564 / 1.41421 = 0.3293 would be wrong with four digits
    CHECK(weights.at("digits").string().substr(6, 2) == "55");
    CHECK(memory.results().size() == 2 * 36 + 2 * 6);
}

TEST_CASE("the page of the causal stage is small, and the same every time") {
    const std::string page = page_of(trace_of("causal"));
    CHECK(page.size() <= 100000);
    CHECK(page == page_of(trace_of("causal")));
    CHECK(count(page, "<article ") == 20);
    CHECK(count(page, "<pre class=output ") == 20);
    CHECK(count(page, "<script") == 2);
    CHECK(count(page, " style=") == 0);
}

TEST_CASE("tokens are text and nothing else") {
    const std::vector<std::string> hostile{"</script><script>alert(1)</script>",
                                           "<!--<script>",
                                           "\"onmouseover='x'",
                                           "\u202eright\u202c",
                                           "line\u2028separator",
                                           "\x1b[2J&amp;"};
    const Lesson lesson{hostile, ones(Shape{hostile.size(), 3})};
    const std::string page = page_of(trace_of("causal", lesson));
    // In the script's data, a quotation mark occurs only within a string.
    const std::string data = between(page, "application/json\" id=\"data\">", "</script>");
    CHECK(count(data, "</") + count(data, "\u202e") + count(data, "\u2028") + count(data, "\x1b") == 0);
    const std::string markup = page.substr(0, page.find(data)) + page.substr(page.find(data) + data.size());
    for (const std::string_view raw : {"</script><s", "<!--<", "\"onmouse", "\u202e", "\u2028", "\x1b"}) {
        CAPTURE(raw);
        CHECK(!has(markup, raw));
    }
    CHECK(count(data, "\\u003c!--\\u003cscript\\u003e") > 0);
    CHECK(count(data, R"(\\u202eright\\u202c)") > 0);
}

TEST_CASE("what comes from outside is escaped for elements, attributes and the script's data") {
    CHECK(escaped("a<b>&\"c'") == "a&lt;b&gt;&amp;&quot;c&#39;");
    CHECK(escaped("two\nlines\t") == "two\nlines\\x09");
    CHECK(escaped("abcdef", 3) == "abc…");
    CHECK(escaped("\xff") == "\\xff");
    CHECK(escaped_json("[\"</script>&\"]") == "[\"\\u003c/script\\u003e\\u0026\"]");
}

TEST_CASE("a template's holes are filled in order") {
    const auto filled = [](std::string_view page) {
        std::string text;
        write_filled_in([&](std::string_view part) { text += part; }, page,
                        [](std::string_view name, const WriteBytes& write) {
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
    CHECK(shown_part(Shape{64, 64}) == Shape{64, 64});
    CHECK(shown_part(Shape{65, 3}) == Shape{32, 3});
    CHECK(shown_part(Shape{20, 17, 100, 2}) == Shape{16, 16, 32, 2});
    CHECK(shown_part(Shape{1000}) == Shape{32});
    CHECK(shown_cells(Shape{2, 100}).size() == 64);
    CHECK(shown_cells(Shape{}).size() == 1);
}

TEST_CASE("a variant has the words, the code and the numbers that are true of it") {
    const Trace trace = trace_of("causal");
    const Edit edit = find_mistake("not-masked")->variants(trace.stages[0].parameters).front().edit;
    const std::vector<PageVariant> variants{
        {"mask", walk_edited(*trace.stages[0].stage, journey(), trace.stages[0].parameters, {}, {edit})}};
    const std::string page = page_of(trace, variants);
    const std::string shipped =
        between(page, "<section class=stage id=\"causal?off=mask\" hidden>", "</section>");
    CHECK(count(shipped, "with the mask off, each token looks at all tokens") == 1);
    CHECK(
        count(
            shipped,
            "<h3>Future scores are not masked <code>masked</code></h3>\n<p class=note>With the mask off, the "
            "scores stay") == 1);
    CHECK(count(shipped, "Row 0 can only look at itself") == 0);
    CHECK(count(shipped, "Dropout on a matrix of ones") == 1);
    CHECK(count(page, "\"id\":\"mask\"") == 1);
}
