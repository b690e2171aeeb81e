// A stage as text: statements that print a part, long lines, and heat maps side by side.
#include "views/text/step_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "texts.hpp"
#include "views/document/document.hpp"
#include "walked.hpp"
#include "words/narration.hpp"

using namespace attn;

namespace {

StageTrace walked(std::string_view stage, Language language, const std::vector<std::string>& steps) {
    StageTrace trace = walk_defaults(stage);
    trace.language = language;
    trace.show_only(steps);
    REQUIRE(trace.shown.size() == steps.size());
    return trace;
}

}  // namespace

// tests/oracle/doctest_text.py and tests/cli/cpp_lines.py run the statements that print windows of tensors.
TEST_CASE("a window of rows does not cut a single number") {
    for (const auto& [language, statement] :
         {std::pair{Language::torch, ">>> print(dot_2)\n"},
          {Language::numpy, ">>> print(torch.tensor(np.float32(dot_2)))\n"},
          {Language::cpp, "    std::cout << tensor_text(dot_2) << '\\n';\n"}}) {
        const StageTrace trace = walked("simplified", language, {"dot_2"});
        CHECK(has(stage_text(trace, {}, {.window = read_row_window("1:3")}), statement));
    }
}

TEST_CASE("of many lines the middle is left out, and of a long row of numbers the end") {
    const Words phrases("en", "program");
    const std::string wide = "for step in (" + std::string(400, 'x') + "):\n    step.retain_grad()";
    CHECK(excerpt(wide, phrases) == wide);
    std::string row;
    for (int i = 0; i < 34; ++i) {
        row += "0.25, ";
    }
    CHECK(excerpt("    [" + row + "0.5],", phrases) == "    [" + row.substr(0, 191) + " … 3 more columns");
    CHECK(excerpt("    " + row.substr(0, 192) + "0.5F", phrases) == "    " + row.substr(0, 192) + "0.5F");
    CHECK(excerpt("    " + row.substr(0, 192) + "0.5555555F,", phrases) ==
          "    " + row.substr(0, 190) + ", … 1 more column");
    std::string lines = "0";
    for (int i = 1; i < 24; ++i) {
        lines += "\n" + std::to_string(i);
    }
    CHECK(excerpt(lines, phrases) == lines);
    const std::string fewer = excerpt(lines + "\n24", phrases);
    CHECK(fewer.starts_with("0\n1\n2\n3\n     … 18 "));
    CHECK(fewer.ends_with("\n22\n23\n24"));
}

TEST_CASE("heat maps stand a blank line apart, and a single number among them stays one") {
    const StageTrace trace = walked("simplified", Language::torch, {"query", "dot_2", "row_sums"});
    const std::string maps = tensors_text(trace, {}, {.heatmaps = HeatmapStyle{}});
    CHECK(maps.starts_with(" feature (column)\n"));
    CHECK(has(maps, "\n\ntensor(0.9544)\n\n"));
    CHECK(has(maps, "query (row)      0\nYour        1.0000@\n"));
}
