#include "diagnosis/diagnosis_json.hpp"

#include "views/json/parameters_json.hpp"
#include "words/translation.hpp"

namespace attn {

namespace {

// Rounds to float32, so that JSON prints no more digits than float32 has.
double single(double number) {
    return static_cast<double>(static_cast<float>(number));
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

Json nearest_json(const Nearest& nearest) {
    const auto rank = static_cast<std::ptrdiff_t>(nearest.shape.rank());
    return {{"stage", nearest.stage->name},
            {"step", nearest.step},
            {"piece", nearest.piece},
            {"parameters", parameters_json(nearest.parameters)},
            {"numbers", nearest.numbers},
            {"numbers_agreeing", nearest.numbers_agreeing},
            {"max_abs_diff", single(nearest.largest_difference)},
            {"first_difference", std::vector(nearest.first.begin(), nearest.first.begin() + rank)},
            {"yours", single(nearest.pasted)},
            {"right", static_cast<double>(nearest.right)},
            {"rows_agreeing", nearest.rows_agreeing}};
}

Json tensor_json(const PrintedTensor& tensor, const Diagnosis& diagnosis) {
    Json matches = Json::array();
    for (const Match& match : diagnosis.matches) {
        matches.push_back(match_json(match));
    }
    const bool is_near = diagnosis.nearest && diagnosis.nearest->is_near();
    return {{"name", tensor.name},
            {"place", tensor.place},
            {"shape", tensor.shown},
            {"summarised", tensor.summarised()},
            {"matches", std::move(matches)},
            {"nearest", is_near ? nearest_json(*diagnosis.nearest) : Json()},
            {"inherits", text_or_null(diagnosis.inherits)},
            {"not_tried", diagnosis.not_tried}};
}

}  // namespace

Json match_json(const Match& match) {
    return {{"stage", match.stage->name},
            {"step", match.step},
            {"piece", match.piece.index},
            {"precision", match.precision},
            {"mistakes", match.mistakes},
            {"parameters", parameters_json(match.parameters)},
            {"document", text_or_null(match.document)},
            {"erratum", text_or_null(match.erratum)},
            {"bits", single(match.bits)},
            {"max_abs_diff", single(match.largest_difference)},
            {"line", match.line},
            {"instead_of", match.instead_of}};
}

std::string diagnoses_json(const PrintedText& pasted, const std::vector<Diagnosis>& diagnoses,
                           std::string_view language) {
    Json skipped = Json::array();
    for (const Message& message : pasted.skipped) {
        skipped.push_back(worded(message, language));
    }
    Json tensors = Json::array();
    for (std::size_t i = 0; i < pasted.tensors.size(); ++i) {
        tensors.push_back(tensor_json(pasted.tensors[i], diagnoses[i]));
    }
    return json_text({{"format", "attn-walkthrough/diagnosis"},
                      {"version", 1},
                      {"skipped", std::move(skipped)},
                      {"tensors", std::move(tensors)}},
                     JsonLayout::indented);
}

}  // namespace attn
