// The tensors that stages bring with them.
#include "stages/shipped.hpp"

#include <doctest/doctest.h>

#include "files/json.hpp"
#include "files/resources.hpp"
#include "tensor/error.hpp"

using namespace attn;

TEST_CASE("encoder and decoder states are one row per word, equally wide") {
    constexpr std::string_view file = "encoder_decoder.json";
    const JsonView words = parse_json(resource(file), file);
    CHECK(shipped(file, "encoder_states").shape() == Shape{words.at("source").size(), 3});
    CHECK(shipped(file, "decoder_states").shape() == Shape{words.at("target").size(), 3});
    CHECK(shipped(file, "encoder_states").at({1, 1}) == 0.95F);
}

TEST_CASE("a tensor or a file that was not shipped is refused") {
    CHECK_THROWS_AS(shipped("encoder_decoder.json", "states"), Error);
    CHECK_THROWS_AS(shipped("none.json", "states"), std::logic_error);
}
