// A lesson is a list of tokens with one row of numbers each. tests/cli/loaders.py tests the errors that all
// files share.
#include "stages/lesson_reader.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "refusal.hpp"
#include "tensor/layout.hpp"

using namespace attn;

namespace {

std::string lesson_refusal(std::string_view text) {
    return refusal_of([&] { read_lesson(text, "l.json"); });
}

}  // namespace

TEST_CASE("tokens may be any text, keys stand in any order") {
    const Lesson lesson =
        read_lesson(R"({"embeddings": [[1, 2.5], [5e-3, 6]], "tokens": ["", "旅\u001b"]})", "l.json");
    CHECK(lesson.tokens == std::vector<std::string>{"", "旅\x1b"});
    CHECK(identical(lesson.embeddings, Tensor({2, 2}, {1, 2.5F, 5e-3F, 6})));
}

TEST_CASE("a list of rows is a lesson whose tokens are numbers") {
    const Lesson lesson = read_lesson("[[1, 2.5], [5e-3, 6]]", "l.json");
    CHECK(lesson.tokens == std::vector<std::string>{"0", "1"});
    CHECK(identical(lesson.embeddings, Tensor({2, 2}, {1, 2.5F, 5e-3F, 6})));
}

TEST_CASE("a lesson that is none says what is missing, and where") {
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"1", "expected an object but found 1."},
        {"[]", "expected at least one number but found an empty array."},
        {"{}", "the key \"tokens\" is missing."},
        {R"({"tokens": ["a"], "embeddings": [[1]], "seed": 1})",
         "unknown key \"seed\". The known keys: tokens, embeddings."},
        {R"({"tokens": false, "embeddings": [[1]]})", "at /tokens: expected an array but found false."},
        {R"({"tokens": ["a", 1], "embeddings": [[1], [1]]})", "at /tokens/1: expected a string but found 1."},
        {R"({"tokens": ["a", {"b": 1, "b": 2}], "embeddings": [[1]]})",
         "duplicate key \"b\" in one object; keep one."},
        {R"({"tokens": [], "embeddings": []})", "at /tokens: expected at least one token but found none."},
    };
    for (const auto& [text, message] : rows) {
        CHECK(lesson_refusal(text) == "l.json: " + std::string(message));
    }
}

TEST_CASE("embeddings that fit no matrix with one row per token say where") {
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"[1, 2], [3, 4], [5]", "/2: expected length 2, like the first row, but found length 1."},
        {"1, [2, 3]", "/1: expected a number but found an array."},
        {"[1, 2], [3, 4]", ": expected one row per token, 3 in all, but found 2."},
        {"", ": expected at least one number but found an empty array."},
        {"1, 2", ": expected one row of numbers per token, a shape like (3, 3), but found (2,)."},
        {"[[1, 2], [3, 4]], [[1, 2], [3, 4]], [[1, 2], [3, 4]]",
         ": expected one row of numbers per token, a shape like (3, 3), but found (3, 2, 2)."},
    };
    for (const auto& [embeddings, message] : rows) {
        const std::string refusal =
            lesson_refusal(fmt::format(R"({{"tokens": ["a", "b", "c"], "embeddings": [{}]}})", embeddings));
        CHECK(refusal == fmt::format("l.json: at /embeddings{}", message));
    }
}

TEST_CASE("a word has a vector of its own, the same in every sentence") {
    const Lesson dog = lesson_of_words("the dog");
    const Lesson cat = lesson_of_words("a cat sees the dog");
    const auto row = [](const Lesson& lesson, std::int64_t i) {
        return slice(lesson.embeddings, 0, i, i + 1);
    };
    CHECK(identical(row(dog, 0), row(cat, 3)));
    CHECK(identical(row(dog, 1), row(cat, 4)));
    CHECK_FALSE(identical(row(dog, 1), row(cat, 1)));
}
