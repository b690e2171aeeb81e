// What a lesson asks for beyond being a tensor and a list of strings: that they belong together.
#include "io/lesson_reader.hpp"

#include <fmt/format.h>

#include "io/json_view.hpp"

namespace attn {

Lesson read_lesson(std::string_view text, std::string_view origin) {
    const Json json = parse_json(text, origin);
    const JsonView document(json, origin);
    document.allow_keys({"tokens", "embeddings"});

    Lesson lesson;
    const JsonView tokens = document.at("tokens");
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        lesson.tokens.push_back(tokens[i].string());
    }
    if (lesson.tokens.empty()) {
        tokens.fail("expected at least one token but found none.");
    }

    const JsonView embeddings = document.at("embeddings");
    lesson.embeddings = embeddings.tensor();
    const Shape& shape = lesson.embeddings.shape();
    if (shape.rank() != 2) {
        embeddings.fail(
            fmt::format("expected one row of numbers per token, a shape like ({}, 3), but found {}.",
                        lesson.tokens.size(), shape.text()));
    }
    if (shape[0] != lesson.tokens.size()) {
        embeddings.fail(fmt::format("expected one row per token, {} in all, but found {}.",
                                    lesson.tokens.size(), shape[0]));
    }
    return lesson;
}

}  // namespace attn
