// The focus option selects a token, and the steps about it change.
#include "stages/focus.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "files/resources.hpp"
#include "refusal.hpp"
#include "stages/catalogue.hpp"
#include "stages/lesson_reader.hpp"
#include "stages/trace.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
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

TEST_CASE("the focus is journey by default, else the second token, else the first") {
    CHECK(find_focus(lesson({"a", "b", "journey"}), std::nullopt) == 2);
    CHECK(find_focus(lesson({"journey", "b", "journey"}), std::nullopt) == 0);
    CHECK(find_focus(lesson({"a", "b", "c"}), std::nullopt) == 1);
    CHECK(find_focus(lesson({"a", "b"}), std::nullopt) == 1);
    CHECK(find_focus(lesson({"a"}), std::nullopt) == 0);
}

TEST_CASE("the focus is an index or a token") {
    const Lesson one = lesson({"a", "旅程", "", "-1"});
    CHECK(find_focus(one, "0") == 0);
    CHECK(find_focus(one, "3") == 3);
    CHECK(find_focus(one, "旅程") == 1);
    CHECK(find_focus(one, "") == 2);
    CHECK(find_focus(one, "-1") == 3);
}

TEST_CASE("digits are an index as long as there is such a token, so that every token can be reached") {
    const Lesson years = lesson({"1", "0", "2024"});
    CHECK(find_focus(years, "0") == 0);
    CHECK(find_focus(years, "1") == 1);
    CHECK(find_focus(years, "2024") == 2);
}

TEST_CASE("a token that stands in several places is refused with their indices") {
    const Lesson twice = lesson({"the", "cat", "the", "mat", "the"});
    CHECK(refusal(twice, "the") == "this token occurs at 0, 2, 4; give one of these indices.");
    CHECK(find_focus(twice, "4") == 4);
}

TEST_CASE("a token that is not there is refused with the indices there are") {
    const Lesson two = lesson({"a", "b"});
    for (const std::string wanted : {"c", "2", "-1", "+1", "1.0", "0x1", "A", "99999999999999999999"}) {
        CHECK_MESSAGE(
            refusal(two, wanted) == "there is no such token; expected a token or an index from 0 to 1.",
            wanted);
    }
}

TEST_CASE("a refusal never repeats what was asked for, which may command a terminal") {
    CHECK(refusal(lesson({"\x1b[2J", "\x1b[2J"}), "\x1b[2J").find('\x1b') == std::string::npos);
    CHECK(refusal(lesson({"a"}), "\x1b[2J").find('\x1b') == std::string::npos);
}

TEST_CASE("steps about the focus carry its place in their names, and every step has its words") {
    const Lesson journey = read_lesson(resource("journey.json"), "journey.json");
    for (const Stage* stage : catalogue()) {
        const Narration words("en", stage->name);
        for (std::size_t focus = 0; focus < journey.tokens.size(); ++focus) {
            const StageTrace trace = walk(*stage, journey, stage->defaults, {focus, nullptr});
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
