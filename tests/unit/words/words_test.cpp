// Texts by key, with values inserted.
#include "words/words.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace attn;

TEST_CASE("a text takes its values in order or by name") {
    CHECK(Words("en", "program")("documents", "000, 001", "002") == "documents 000, 001 and 002");
    CHECK(Words("zh", "program")("rows", "0 我") == "各行：0 我");
    const Words explanation("en", "explanation");
    CHECK(explanation("position of token", {{"axis", "key"}, {"index", "0"}, {"token", "{}"}}) ==
          "key 0 “{}”");
    CHECK(explanation("masked", {{"mask", "mask[0][1]"}, {"mask_value", "1."}}) ==
          "Masked: mask[0][1] = 1..");
}

TEST_CASE("texts below others are found by the way to them") {
    CHECK(Words("en", "errata").at("002-cat-dim/says") == "concatenates the heads with dim=1.");
    CHECK(Words("en", "causal").at("mask/title") == "The same mask inverted: 1 means hidden");
    CHECK(Words("en", "causal").find("mask") == nullptr);
}

TEST_CASE("an entry of the first file replaces that of another file, even if one of them is a list") {
    Words words("en", "linear");
    words.add("gradients");
    CHECK(words.at("attn_scores_grad/title") == "Backward through softmax");
    CHECK(words.find("attn_scores_grad/title/0") == nullptr);
    CHECK(words.at("keys_grad/title") == "The gradient of the keys");
}

TEST_CASE("an axis without a word is called as it is") {
    CHECK(Words("zh", "program").axis("query") == "查询");
    CHECK(Words("zh", "program").axis("d_k") == "d_k");
    CHECK(Words("zh", "program").axis("no such axis") == "no such axis");
}

TEST_CASE("a text or a value that is not there is a mistake of the program, which says where") {
    CHECK_THROWS_WITH_AS(Words("zh", "program").at("no_such_text"),
                         "narration/zh/program.json: no_such_text: there is no such text", std::logic_error);
    CHECK_THROWS_WITH_AS(Words("en", "program")("document"),
                         "narration/en/program.json: document: argument not found", std::logic_error);
    CHECK_THROWS_WITH_AS(Words("en", "explanation")("position", {{"axis", "key"}}),
                         "narration/en/explanation.json: position: argument not found", std::logic_error);
    CHECK_THROWS_WITH_AS(Words("en", "no_such_file").at("a"),
                         "narration/en/no_such_file.json: a: there is no such text", std::logic_error);
}
