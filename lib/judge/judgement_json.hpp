// Judgements as JSON, "format": "attn-walkthrough/diagnosis".
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "judge/judge.hpp"

namespace attn {

// A document and its judgement.
struct JudgedDocument {
    Document document;
    Judgement judgement{};
};

// All documents' outputs in one list. Sentences are in the selected language.
std::string judgements_json(std::span<const JudgedDocument> documents, std::string_view language);

}  // namespace attn
