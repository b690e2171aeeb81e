#include "views/json/comparison_json.hpp"

#include "files/json.hpp"

namespace attn {

namespace {

Json comparison_json(const Comparison& comparison) {
    const Reference& reference = *comparison.reference;
    const Shape& computed = comparison.computed_shape;
    Json parameters = Json::object();
    for (const ReferenceParameter& parameter : reference.parameters) {
        parameters[parameter.row->name] = parse_json(parameter.json, parameter.row->name).value();
    }
    Json json{{"document", reference.document},
              {"section", reference.section},
              {"stage", reference.stage},
              {"step", reference.step},
              {"parameters", std::move(parameters)},
              {"shape", reference.table.shown},
              {"computed_shape", computed},
              {"agrees", comparison.agrees()},
              {"digits", comparison.digits},
              {"digits_agreeing", comparison.digits_agreeing},
              {"largest_difference", comparison.agreement.largest_difference},
              {"first_difference", nullptr}};
    if (comparison.first_mismatch) {
        const Mismatch& mismatch = *comparison.first_mismatch;
        json["first_difference"] = {{"index", std::span(mismatch.index).first(computed.rank())},
                                    {"printed", reference.printed(mismatch.number)},
                                    {"computed", mismatch.computed}};
    }
    return json;
}

}  // namespace

std::string comparisons_json(std::span<const Comparison> comparisons) {
    Json tables = Json::array();
    for (const Comparison& comparison : comparisons) {
        tables.push_back(comparison_json(comparison));
    }
    return json_text(
        {{"format", "attn-walkthrough/comparison"}, {"version", 1}, {"tables", std::move(tables)}},
        JsonLayout::indented);
}

}  // namespace attn
