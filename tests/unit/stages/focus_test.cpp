// The focus option selects a token, and the steps about it change.
#include "stages/focus.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "refusal.hpp"
#include "tensor/layout.hpp"
#include "walked.hpp"
#include "words/narration.hpp"

using namespace attn;

namespace {

Lesson lesson(std::vector<std::string> tokens) {
    const Shape shape{tokens.size(), 1};
    return {std::move(tokens), ones(shape)};
}

std::string refusal(const Lesson& of, const std::string& wanted) {
    return refusal_of([&] { find_focus(of, wanted); });
}

}  // namespace

TEST_CASE("the focus is an index or a token, or journey by default, else the second token, else the first") {
    struct Case {
        std::vector<std::string> tokens;
        std::optional<std::string> wanted;
        std::size_t found;
    };
    const std::vector<std::string> unusual{"a", "旅程", "", "-1"}, years{"1", "0", "2024"};
    for (const Case& one : {Case{{"a", "b", "journey"}, {}, 2},
                            {{"journey", "b", "journey"}, {}, 0},
                            {{"a", "b", "c"}, {}, 1},
                            {{"a"}, {}, 0},
                            {unusual, "0", 0},
                            {unusual, "3", 3},
                            {unusual, "旅程", 1},
                            {unusual, "", 2},
                            {unusual, "-1", 3},
                            // Digits are an index as long as there is such a token.
                            {years, "0", 0},
                            {years, "1", 1},
                            {years, "2024", 2},
                            {{"the", "cat", "the", "mat", "the"}, "4", 4}}) {
        CHECK(find_focus(lesson(one.tokens), one.wanted) == one.found);
    }
}

TEST_CASE("a token that is not there, or in several places, is refused with the indices there are") {
    CHECK(refusal(lesson({"the", "cat", "the", "mat", "the"}), "the") ==
          "this token occurs at 0, 2, 4; give one of these indices.");
    for (const std::string wanted : {"c", "2", "-1", "+1", "1.0", "0x1", "A", "99999999999999999999"}) {
        CHECK_MESSAGE(refusal(lesson({"a", "b"}), wanted) ==
                          "there is no such token; expected one of \"a\", \"b\", or an index from 0 to 1.",
                      wanted);
    }
}

TEST_CASE("steps about the focus carry its place in their names, and every step has its words") {
    for (const Stage* stage : catalogue()) {
        const Narration words("en", stage->name);
        for (std::size_t focus = 0; focus < 6; ++focus) {
            const StageTrace trace = walk(*stage, journey(), stage->defaults, {focus, nullptr});
            bool follows = false;
            for (const std::size_t id : trace.steps) {
                const std::string& name = trace.node(id).name;
                CHECK_NOTHROW_MESSAGE(words.note({trace, id}), name);
                follows = follows || name == "attn_scores_" + std::to_string(focus + 1);
            }
            const bool has_focus = uses(*stage, "focus");
            CHECK_MESSAGE(follows == has_focus, std::string(stage->name));
        }
    }
}
