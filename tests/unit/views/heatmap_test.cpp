// Heat maps as text: exact headings, cells, marks and legend; the parts left out; and numbers as print()
// shows them.
#include "views/heatmap/heatmap_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <string>

#include "texts.hpp"
#include "views/document/document.hpp"
#include "views/text/step_text.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

const Words& english() {
    static const Words phrases("en", "program");
    return phrases;
}

std::string drawn(const StageTrace& trace, std::string_view name, const HeatmapStyle& style = {}) {
    return heatmap_text(Heatmap(trace.notebook, trace.find(name).value(), english(), {}), english(), style);
}

// Three tokens whose weights can be computed by hand: only the queries and keys of the trained layers are
// random.
Lesson lesson_of(std::vector<std::string> tokens) {
    return {std::move(tokens), Tensor({3, 2}, {-1, 0.5, 0.25, 0, 1, -0.75})};
}

std::string without_escapes(const std::string& text) {
    return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), "");
}

}  // namespace

TEST_CASE("numbers stay in the cells, beside a sign that is darker the further they are from 0") {
    const Lesson lesson = lesson_of({"Your", "journey", "starts"});
    CHECK(drawn(walk_causal(lesson), "inputs") ==
          "            feature (column)\n"
          "token (row)       0        1\n"
          "Your        -1.0000@  0.5000+\n"
          "journey      0.2500:  0.0000\n"
          "starts       1.0000@ -0.7500#\n"
          "\n"
          "0.0000 [ .:-=+*#%@] ±1.0000 · least -1.0000, greatest 1.0000\n");
}

TEST_CASE("tokens of any script head rows and columns in line with the numbers") {
    const Lesson lesson = lesson_of({"旅程", "从", "e\u0301tape"});
    CHECK(drawn(walk_causal(lesson), "mask_simple") ==
          "            key (column)\n"
          "query (row)  旅程     从  e\u0301tape\n"
          "旅程           1.@    0.     0.\n"
          "从             1.@    1.@    0.\n"
          "e\u0301tape          1.@    1.@    1.@\n"
          "\n"
          "0. [ .:-=+*#%@] 1. · least 0., greatest 1.\n");
}

TEST_CASE("masked and dropped cells are marked, with the print's own -inf and 0") {
    const Lesson lesson = lesson_of({"a", "b", "c"});
    Parameters all = causal_defaults();
    all.dropout = 1;
    const StageTrace trace = walk_causal(lesson, all);
    const std::string masked = drawn(trace, "masked");
    CHECK(has(masked, "a            0."));
    CHECK(has(masked, "    -inf/    -inf/\n"));
    CHECK(has(masked, " · / masked\n"));
    CHECK(!has(masked, "dropped"));
    const std::string dropped = drawn(trace, "attn_weights_dropped");
    CHECK(has(dropped, "a           0.x 0./ 0./\n"));
    CHECK(has(dropped, "c           0.x 0.x 0.x\n"));
    CHECK(has(dropped, " · / masked · x dropped\n"));
}

TEST_CASE("the numbers are those that print shows, in the same order") {
    const std::regex number(R"((-?\d+\.\d*(e[+-]\d+)?)|-?inf|nan)");
    std::size_t compared = 0;
    for (const std::string_view stage : {"causal", "simplified", "numpy", "causal-batch", "leakage"}) {
        const StageTrace trace = walk_defaults(stage);
        for (const std::size_t id : trace.steps) {
            const Node& step = trace.node(id);
            const std::size_t columns = step.value.rank() == 0 ? 0 : step.value.size(-1);
            if (!Heatmap::can_show(step.value) || step.value.count() > 1000 || columns > 12) {
                continue;
            }
            const auto numbers = [&](const std::string& text) {
                std::vector<std::string> found;
                for (std::sregex_iterator at(text.begin(), text.end(), number); at != std::sregex_iterator();
                     ++at) {
                    found.push_back(at->str());
                }
                return found;
            };
            std::string map = drawn(trace, step.name, {ColourDepth::none, 200});
            map.resize(map.rfind("\n\n"));  // the legend
            CAPTURE(step.name);
            CHECK(numbers(map) == numbers(printing(trace, id, {}).answer));
            compared += step.value.count();
        }
    }
    CHECK(compared > 1000);
}

TEST_CASE("rows and matrices beyond what is read are counted") {
    const Stage& stage = *find_stage("multi-head");
    Parameters many = stage.defaults;
    many.batch = 5;
    const StageTrace trace = walk(stage, journey(), many);
    const std::string text = drawn(trace, "attn_weights");
    CHECK(text.find("batch 0 · head 0\n") == 0);
    CHECK(has(text, "\nbatch 3 · head 1\n"));
    CHECK(!has(text, "batch 4"));
    CHECK(has(text, "\n… 2 more matrices\n"));

    Lesson long_lesson{std::vector<std::string>(40, "x"), Tensor({40, 1}, std::vector<float>(40, 0.5F))};
    const std::string long_text = drawn(walk_causal(long_lesson), "attn_scores");
    CHECK(has(long_text, "\n… 8 more rows\n… 32 more columns\n"));
}

TEST_CASE("colours are escapes around the same cells") {
    const Lesson lesson = journey();
    const StageTrace trace = walk_causal(lesson);
    const std::string indexed = drawn(trace, "masked", {ColourDepth::indexed, 80});
    const std::string direct = drawn(trace, "masked", {ColourDepth::direct, 80});
    CHECK(has(direct, "\x1b[38;2;0;0;0;48;2;168;168;168m    -inf/\x1b[0m"));
    CHECK(has(indexed, "\x1b[38;5;16;48;5;248m    -inf/\x1b[0m"));
    CHECK(has(direct, "\x1b[38;2;255;255;255;48;2;89;0;8m  0.4656 \x1b[0m"));
    CHECK(has(indexed, "\x1b[38;5;231;48;5;52m  0.4656 \x1b[0m"));
    CHECK(without_escapes(indexed) == without_escapes(direct));
    CHECK(drawn(trace, "masked").find('\x1b') == std::string::npos);
}

TEST_CASE("a heat map stands where print's answer stood, under the same lines of code") {
    const Lesson lesson = journey();
    StageTrace trace = walk_causal(lesson);
    trace.shown = {trace.find("attn_scores").value()};
    const std::string text = stage_text(trace, {}, {.heatmaps = HeatmapStyle{}});
    CHECK(has(text, ">>> attn_scores = queries @ keys.T\n\n            key (column)\n"));
    CHECK(!has(text, "print("));
    CHECK(tensors_text(trace, {}, {.heatmaps = HeatmapStyle{}}) == drawn(trace, "attn_scores"));
}
