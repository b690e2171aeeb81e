// A lesson is a list of tokens with one row of numbers each. tests/cli/loaders.py tests the errors that all
// files share.
#include "stages/lesson_reader.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "files/resources.hpp"
#include "refusal.hpp"
#include "tensor/error.hpp"

using namespace attn;

namespace {

std::string refusal(std::string_view text) {
    return refusal_of([&] { read_lesson(text, "l.json"); });
}

// Returns the error for two tokens with these embeddings.
std::string refused_rows(const std::string& embeddings) {
    return refusal(R"({"tokens": ["a", "b"], "embeddings": )" + embeddings + "}");
}

}  // namespace

TEST_CASE("the compiled-in lesson is the journey, as the documents have it") {
    const Lesson lesson = read_lesson(resource("journey.json"), "journey.json");
    CHECK(lesson.tokens == std::vector<std::string>{"Your", "journey", "starts", "with", "one", "step"});
    CHECK(identical(lesson.embeddings,
                    Tensor({6, 3}, {0.43F, 0.15F, 0.89F, 0.55F, 0.87F, 0.66F, 0.57F, 0.85F, 0.64F, 0.22F,
                                    0.58F, 0.33F, 0.77F, 0.25F, 0.10F, 0.05F, 0.80F, 0.55F})));
}

TEST_CASE("tokens may be any text, keys stand in any order") {
    const Lesson lesson = read_lesson(R"({"embeddings": [[1], [2]], "tokens": ["", "旅\u001b"]})", "l.json");
    CHECK(lesson.tokens == std::vector<std::string>{"", "旅\x1b"});
    CHECK(lesson.embeddings.shape() == Shape{2, 1});
}

TEST_CASE("a lesson that is none says what is missing") {
    CHECK(refusal("[]") == "l.json: expected an object but found an array.");
    CHECK(refusal("{}") == "l.json: the key \"tokens\" is missing.");
    CHECK(refusal(R"({"tokens": ["a"]})") == "l.json: the key \"embeddings\" is missing.");
    CHECK(refusal(R"({"tokens": ["a"], "embedings": [[1]]})") ==
          "l.json: unknown key \"embedings\". Did you mean \"embeddings\"?");
    CHECK(refusal(R"({"tokens": ["a"], "embeddings": [[1]], "seed": 1})") == "l.json: unknown key \"seed\".");
    CHECK(refusal(R"({"tokens": "a", "embeddings": [[1]]})") ==
          "l.json: at /tokens: expected an array but found \"a\".");
    CHECK(refusal(R"({"tokens": ["a", 1], "embeddings": [[1], [1]]})") ==
          "l.json: at /tokens/1: expected a string but found 1.");
    CHECK(refusal(R"({"tokens": [1, 2], "embeddings": [[1], [1]]})") ==
          "l.json: at /tokens/0: expected a string but found 1.");
    CHECK(refusal(R"({"tokens": [], "embeddings": []})") ==
          "l.json: at /tokens: expected at least one token but found none.");
}

TEST_CASE("embeddings that fit no matrix with one row per token say where") {
    CHECK(refused_rows("[[1, 2], [3, 4]]").empty());
    CHECK(refused_rows("[[1, 2]]") ==
          "l.json: at /embeddings: expected one row per token, 2 in all, but found 1.");
    CHECK(refused_rows("[]") ==
          "l.json: at /embeddings: expected at least one number but found an empty array.");
    CHECK(refused_rows("[1, 2]") ==
          "l.json: at /embeddings: expected one row of numbers per token, a shape like (2, 3), but found "
          "(2,).");
    CHECK(refused_rows("[[[1]], [[2]]]") ==
          "l.json: at /embeddings: expected one row of numbers per token, a shape like (2, 3), but found (2, "
          "1, 1).");
}

TEST_CASE("a lesson is read the same whichever way its numbers are kept") {
    // The cases are a matrix; one with a wrong second or last row; and empty rows.
    const auto read = [](const std::string& rows) {
        return read_lesson(R"({"tokens": ["a", "b", "c"], "embeddings": [)" + rows + "]}", "x.json");
    };
    CHECK(identical(read("[1, 2.5], [-3, 4], [5e-3, 6]").embeddings,
                    Tensor({3, 2}, {1, 2.5F, -3, 4, 5e-3F, 6})));
    const auto complaint = [&](const std::string& rows) -> std::string {
        try {
            read(rows);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    CHECK(complaint("[1, 2], [3], [5, 6]") ==
          "x.json: at /embeddings/1: expected length 2, like the first row, but found length 1.");
    CHECK(complaint("[1, 2], [3, 4], [5]") ==
          "x.json: at /embeddings/2: expected length 2, like the first row, but found length 1.");
    CHECK(complaint("[1, 2], [], [5, 6]") ==
          "x.json: at /embeddings/1: expected length 2, like the first row, but found length 0.");
    CHECK(complaint("[1, 2], [3, 4], 5") == "x.json: at /embeddings/2: expected an array but found 5.");
    CHECK(complaint("[1, 2], [3, \"4\"], [5, 6]") ==
          "x.json: at /embeddings/1/1: expected a number but found \"4\".");
    CHECK(complaint("[1, 2], [3, 1e39], [5, 6]") ==
          "x.json: at /embeddings/1/1: expected a number within float32's range, ±3.4028235e38.");
    CHECK(complaint("[1, 2], [3, 4]") ==
          "x.json: at /embeddings: expected one row per token, 3 in all, but found 2.");
    CHECK(complaint("[[1, 2], [3, 4]], [[1, 2], [3, 4]], [[1, 2], [3, 4]]") ==
          "x.json: at /embeddings: expected one row of numbers per token, a shape like (3, 3), but found (3, "
          "2, 2).");
    CHECK(complaint("[1, 2], {\"a\": 1, \"a\": 2}") ==
          "x.json: duplicate key \"a\" in one object; keep one.");
}
