#include "views/json/comparison_json.hpp"

#include <string_view>

namespace attn {

namespace {

void write_text(JsonWriter& json, std::string_view key, std::string_view text) {
    json.key(key);
    json.string(text);
}

template <typename Sizes>
void write_sizes(JsonWriter& json, std::string_view key, const Sizes& sizes, std::size_t count) {
    json.key(key);
    json.begin_array(JsonWriter::Layout::line);
    for (std::size_t i = 0; i < count; ++i) {
        json.integer(sizes[i]);
    }
    json.end();
}

void write_mismatch(JsonWriter& json, const Comparison& comparison) {
    json.key("first_difference");
    if (!comparison.first_mismatch) {
        json.null();
        return;
    }
    const Mismatch& mismatch = *comparison.first_mismatch;
    json.begin_object();
    write_sizes(json, "index", mismatch.index, comparison.computed_shape.rank());
    write_text(json, "printed", comparison.reference->printed(mismatch.number));
    json.key("computed");
    json.number(mismatch.computed);
    json.end();
}

void write_comparison(JsonWriter& json, const Comparison& comparison) {
    const Reference& reference = *comparison.reference;
    json.begin_object();
    write_text(json, "document", reference.document);
    write_text(json, "section", reference.section);
    write_text(json, "stage", reference.stage);
    write_text(json, "step", reference.step);
    json.key("parameters");
    json.begin_object(JsonWriter::Layout::line);
    for (const ReferenceParameter& parameter : reference.parameters) {
        json.key(parameter.row->name);
        json.verbatim(parameter.json);
    }
    json.end();
    write_sizes(json, "shape", reference.table.shown, reference.table.shown.rank());
    write_sizes(json, "computed_shape", comparison.computed_shape, comparison.computed_shape.rank());
    json.key("agrees");
    json.boolean(comparison.agrees());
    json.key("digits");
    json.integer(comparison.digits);
    json.key("digits_agreeing");
    json.integer(comparison.digits_agreeing);
    json.key("largest_difference");
    json.number(comparison.agreement.largest_difference);
    write_mismatch(json, comparison);
    json.end();
}

}  // namespace

void write_comparisons(JsonWriter& json, std::span<const Comparison> comparisons) {
    json.begin_object();
    write_text(json, "format", "attn-walkthrough/comparison");
    json.key("version");
    json.integer(1);
    json.key("tables");
    json.begin_array();
    for (const Comparison& comparison : comparisons) {
        write_comparison(json, comparison);
    }
    json.end();
    json.end();
}

}  // namespace attn
