#include "diagnosis/diagnosis_json.hpp"

#include <algorithm>

#include "tensor/tensor_text.hpp"
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

std::vector<std::string> texts_of(const Tensor& x, const PrintOptions& options) {
    const auto text = number_writer(x, options);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < x.count(); ++i) {
        texts.push_back(text(x.values()[i]));
    }
    return texts;
}

// Returns the numbers of a whole step, as pasted and as they should be, and the indices of those that differ.
// Returns null if all agree, or if the tensor is only a piece of the step.
Json comparison_json(const PrintedTensor& tensor, const Diagnosis& diagnosis, const Question& question) {
    const Match* const match = diagnosis.matches.empty() ? nullptr : &diagnosis.matches.front();
    const Nearest* const near =
        match == nullptr && diagnosis.nearest && diagnosis.nearest->is_near() ? &*diagnosis.nearest : nullptr;
    if (tensor.summarised() || (match == nullptr && near == nullptr) ||
        !(match != nullptr ? match->piece.index : near->piece).empty()) {
        return {};
    }
    const StageTrace trace = walk(match != nullptr ? *match->stage : *near->stage, question.lesson,
                                  match != nullptr ? match->parameters : near->parameters, question.inputs);
    const std::optional<std::size_t> step = trace.find(diagnosis.step());
    if (!step || trace.node(*step).value.shape() != tensor.shown) {
        return {};
    }
    const Tensor& right = trace.node(*step).value;
    const Agreement found = agreement(tensor, right);
    if (found.agrees()) {
        return {};
    }
    Tensor pasted(tensor.shown);
    std::ranges::transform(tensor.numbers, pasted.values().begin(),
                           [](const PrintedNumber& one) { return static_cast<float>(one.value); });
    const PrintOptions options{.precision = std::clamp(int{tensor.numbers.front().decimals}, 4, 8)};
    return {{"pasted", texts_of(pasted, options)},
            {"right", texts_of(right, options)},
            {"differing", found.disagreeing}};
}

std::string_view verdict_of(const Diagnosis& diagnosis) {
    return !diagnosis.inherits.empty() ? "follows"
           : !diagnosis.is_decided()   ? "unknown"
           : diagnosis.is_right()      ? "right"
                                       : "mistake";
}

Json tensor_json(const PrintedTensor& tensor, const Diagnosis& diagnosis, const Question& question) {
    Json matches = Json::array();
    for (const Match& match : diagnosis.matches) {
        matches.push_back(match_json(match));
    }
    const bool is_near = diagnosis.nearest && diagnosis.nearest->is_near();
    return {{"name", tensor.name},
            {"place", tensor.place},
            {"shape", tensor.shown},
            {"summarised", tensor.summarised()},
            {"label", tensor.name},
            {"verdict", verdict_of(diagnosis)},
            {"matches", std::move(matches)},
            {"nearest", is_near ? nearest_json(*diagnosis.nearest) : Json()},
            {"comparison", comparison_json(tensor, diagnosis, question)},
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
                           const Question& question, std::string_view language) {
    Json skipped = Json::array();
    for (const Message& message : pasted.skipped) {
        skipped.push_back(worded(message, language));
    }
    Json tensors = Json::array();
    for (std::size_t i = 0; i < pasted.tensors.size(); ++i) {
        tensors.push_back(tensor_json(pasted.tensors[i], diagnoses[i], question));
    }
    return json_text({{"format", "attn-walkthrough/diagnosis"},
                      {"version", 1},
                      {"tokens", question.lesson.tokens},
                      {"skipped", std::move(skipped)},
                      {"tensors", std::move(tensors)}},
                     JsonLayout::indented);
}

}  // namespace attn
