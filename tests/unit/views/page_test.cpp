// The page as text: its size, escaped text, and the arithmetic in its data. tests/page/ tests its behaviour
// in a browser, also with tokens made to do harm.
#include "views/page/page.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/json.hpp"
#include "files/json_view.hpp"
#include "files/resources.hpp"
#include "text/html.hpp"
#include "texts.hpp"
#include "views/page/page_part.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

std::string page_of(const Trace& trace) {
    std::string text;
    write_page([&](std::string_view part) { text += part; }, trace, {}, {});
    return text;
}

}  // namespace

TEST_CASE("a cell has its lines, with the cells they use; equal lines are stored once") {
    const JsonView page = parse_json(page_data(trace_of({"causal"}), {}, {}), "page");
    const JsonView run = page.at("stages")[0].at("runs")[0];
    const auto numbers_of_lines = [&](std::size_t step, std::size_t cell) {
        return run.at("steps")[step].at("lines")[cell].whole_numbers();
    };
    const auto line_of = [&](std::size_t step, std::size_t cell, std::size_t line) {
        return run.at("arithmetic")[numbers_of_lines(step, cell)[line]];
    };
    // Writes 0.9091<4:2> for a number of the third cell of tensor 4.
    const auto text_of = [](const JsonView& line) {
        std::string text;
        for (const JsonView& piece : line[1].elements()) {
            text += piece.kind() == "string"
                        ? piece.string()
                        : fmt::format("{}<{}:{}>", piece[0].string(), piece[1].number(), piece[2].number());
        }
        return text + line[3].string() + line[2].string();
    };
    CHECK(line_of(0, 3, 0)[0].string() == "Given, not computed.");
    CHECK(line_of(7, 6, 0)[0].string() == "attn_scores[1][0]");
    CHECK(text_of(line_of(7, 6, 0)) == "0.9091<4:2>*0.3147<5:0> + (-0.4471<4:3>)*(-0.4016<5:1>)=0.4656");
    CHECK(numbers_of_lines(15, 6).size() == 5);  // scaled, the largest, exp, their sum, the share
    // 0.4656 / 1.4142 = 0.3293 would be wrong.
    CHECK(text_of(line_of(15, 6, 0)) == "0.46564<14:6> / 1.41421=0.3293");
    CHECK(numbers_of_lines(15, 6)[3] == numbers_of_lines(15, 7)[3]);  // the sum of the row
    CHECK(line_of(14, 8, 0)[0].string() == "Masked: mask[1][2] = 1.");
}

TEST_CASE("only a planned section has a title of its own, and gradients come last") {
    const auto sections_of = [](const Trace& trace) {
        const JsonView page = parse_json(page_data(trace, {}, {}), "page");
        std::vector<std::pair<std::string, std::string>> sections;
        for (const JsonView& section : page.at("stages")[0].at("runs")[0].at("sections").elements()) {
            sections.emplace_back(section.at("title").string(),
                                  fmt::format("{}", fmt::join(section.at("steps").strings(), " ")));
        }
        return sections;
    };
    const auto causal = sections_of(trace_of({"causal"}));
    CHECK(causal[0] == std::pair<std::string, std::string>("Why must a word not see the next one?", ""));
    CHECK(causal[3] == std::pair<std::string, std::string>("One dot product makes one score", "attn_scores"));
    const auto window = sections_of(trace_of({"sliding-window"}));
    const std::pair<std::string, std::string> mask("The mask: future and distant past", "future past mask");
    CHECK(std::ranges::find(window, mask) != window.end());
    const auto training = sections_of(trace_of({"training-step"}));
    CHECK(training.back().first == "The backward pass");
    for (std::size_t i = 0; i + 1 < training.size(); ++i) {
        CHECK(training[i].second.find("_grad") == std::string::npos);
    }
}

TEST_CASE("the page of the causal stage is small, and the same every time") {
    const Trace trace = trace_of({"causal"});
    const std::string page = page_of(trace);
    CHECK(page.size() <= 300000);
    CHECK(page == page_of(trace));
    CHECK(count(page, "<section>") == 8);
    CHECK(count(page, "<figure>") == 21);  // the steps, and the weights that open the article
    CHECK(count(page, "<table ") == 21);
    CHECK(count(page, "<script") == 2);
    CHECK(count(page, " style=") == 0);
}

TEST_CASE("what comes from outside is escaped for elements, attributes and the script's data") {
    CHECK(escaped("a<b>&\"c'") == "a&lt;b&gt;&amp;&quot;c&#39;");
    CHECK(escaped("two\nlines\t") == "two\nlines\\x09");
    CHECK(escaped("\xff") == "\\xff");
    CHECK(escaped_json("[\"</script>&\"]") == "[\"\\u003c/script\\u003e\\u0026\"]");
}

TEST_CASE("of a large tensor a page shows the first rows, columns and matrices") {
    CHECK(shown_part(Shape{64, 64}) == Shape{64, 64});
    CHECK(shown_part(Shape{65, 3}) == Shape{32, 3});
    CHECK(shown_part(Shape{20, 17, 100, 2}) == Shape{16, 16, 32, 2});
    CHECK(shown_part(Shape{1000}) == Shape{32});
    CHECK(shown_cells(Shape{2, 100}).size() == 64);
    CHECK(shown_cells(Shape{}).size() == 1);
}
