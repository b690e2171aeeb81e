#include "judge/judgement_json.hpp"

#include "diagnosis/diagnosis_json.hpp"
#include "words/translation.hpp"

namespace attn {

namespace {

Json place_json(const Place& place) {
    return {{"cell", place.cell},
            {"execution_count", place.execution_count},
            {"output", place.output},
            {"line", place.line}};
}

Json output_json(const JudgedDocument& of, const Judged& output, std::string_view language) {
    Json matches = Json::array();
    for (const Match& match : output.diagnosis.matches) {
        matches.push_back(match_json(match));
    }
    Json circumstances = Json::array();
    for (const Circumstance& one : output.circumstances) {
        circumstances.push_back({{"id", one.key},
                                 {"name", one.name},
                                 {"at", place_json(one.place)},
                                 {"other", place_json(one.other)}});
    }
    const Place& place = output.place;
    return {{"file", of.document.origin},
            {"cell", place.cell},
            {"execution_count", place.execution_count},
            {"output", place.output},
            {"line", place.line},
            {"item", output.item},
            {"label", output.label},
            {"name", output.printed.name},
            {"place", worded(place_text(place), language)},
            {"shape", output.printed.shown},
            {"verdict", name_of(output.verdict)},
            {"inherits", output.because ? Json(of.judgement.outputs[*output.because].label) : Json()},
            {"yours", {{"at", place_json(output.line_place)}, {"line", output.line}}},
            {"right", output.right_line},
            {"circumstances", std::move(circumstances)},
            {"matches", std::move(matches)}};
}

}  // namespace

std::string judgements_json(std::span<const JudgedDocument> documents, std::string_view language) {
    Json tensors = Json::array();
    Json stated = Json::array();
    Json skipped = Json::array();
    for (const JudgedDocument& one : documents) {
        for (const Judged& output : one.judgement.outputs) {
            tensors.push_back(output_json(one, output, language));
        }
        for (const Message& message : one.judgement.skipped) {
            skipped.push_back(worded(message, language));
        }
        if (one.judgement.assumes_inputs) {
            stated.push_back({{"file", one.document.origin},
                              {"setting", "inputs"},
                              {"values", Json::array({"lesson"})},
                              {"at", place_json({})}});
        }
        for (const Stated& setting : one.judgement.stated) {
            stated.push_back({{"file", one.document.origin},
                              {"setting", setting.key},
                              {"values", setting.values},
                              {"at", place_json(setting.place)}});
        }
    }
    return json_text({{"format", "attn-walkthrough/diagnosis"},
                      {"version", 1},
                      {"settings", std::move(stated)},
                      {"skipped", std::move(skipped)},
                      {"tensors", std::move(tensors)}},
                     JsonLayout::indented);
}

}  // namespace attn
