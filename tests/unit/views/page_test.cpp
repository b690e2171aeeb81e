// The page as text: its size, escaped text, and the arithmetic in its data. tests/page/ tests its behaviour
// in a browser, also with tokens made to do harm.
#include "views/page/page.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "files/json.hpp"
#include "files/resources.hpp"
#include "texts.hpp"
#include "views/page/html.hpp"
#include "views/page/page_arithmetic.hpp"
#include "views/page/page_part.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

std::string page_of(const Trace& trace) {
    std::string text;
    write_page([&](std::string_view part) { text += part; }, trace, {}, {});
    return text;
}

JsonView arithmetic_of(const StageTrace& trace, std::string_view step, Memory& memory) {
    const std::size_t id = trace.find(step).value();
    const Shape& shape = trace.node(id).value.shape();
    const Json json = arithmetic_json(trace.notebook, id, shown_cells(shape), shown_part(shape), 4, memory);
    return parse_json(json_text(json, JsonLayout::compact), "arithmetic");
}

}  // namespace

TEST_CASE("cells whose addresses grow evenly along the axes are of one pattern") {
    Parameters two_columns = find_stage("multi-head")->defaults;  // for each head
    two_columns.d_out = 4;
    const StageTrace causal = walk_causal();
    const StageTrace heads = walk(*find_stage("multi-head"), journey(), two_columns);
    for (const auto& row : {std::pair{"queries", 1U},
                            {"attn_scores", 1U},
                            {"mask_simple", 2U},
                            {"masked", 2U},
                            {"context_vec", 1U},
                            {"heads_stacked", 2U}}) {
        const StageTrace& trace = causal.find(row.first) ? causal : heads;
        Memory memory(trace.notebook);
        CHECK_MESSAGE(arithmetic_of(trace, row.first, memory).at("patterns").size() == row.second, row.first);
    }
}

TEST_CASE("what is drawn has no arithmetic, and lines have as many digits as make them true") {
    const StageTrace trace = walk_causal();
    Memory memory(trace.notebook);
    CHECK(arithmetic_of(trace, "inputs", memory).kind() == "null");
    const JsonView weights = arithmetic_of(trace, "attn_weights_causal", memory);
    CHECK(weights.at("patterns")[0].size() == 5);  // scaled, the largest, exp, their sum, the share
    // 0.46564 / 1.41421 = 0.3293 would be wrong with four digits
    CHECK(weights.at("digits").string().substr(6, 2) == "55");
    CHECK(memory.results().size() == 2 * 36 + 2 * 6);
}

TEST_CASE("the page of the causal stage is small, and the same every time") {
    const Trace trace = trace_of({"causal"});
    const std::string page = page_of(trace);
    CHECK(page.size() <= 100000);
    CHECK(page == page_of(trace));
    CHECK(count(page, "<article ") == 20);
    CHECK(count(page, "<pre class=output ") == 20);
    CHECK(count(page, "<script") == 2);
    CHECK(count(page, " style=") == 0);
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
