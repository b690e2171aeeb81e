#include "diagnosis/diagnosis_json.hpp"

#include "words/translation.hpp"

namespace attn {

namespace {

using Layout = JsonWriter::Layout;

void write_string(JsonWriter& json, std::string_view key, std::string_view text) {
    json.key(key);
    json.string(text);
}

template <typename Numbers>
void write_numbers(JsonWriter& json, std::string_view key, const Numbers& numbers) {
    json.key(key);
    json.begin_array(Layout::line);
    for (const std::size_t number : numbers) {
        json.integer(number);
    }
    json.end();
}

void write_number(JsonWriter& json, std::string_view key, double number) {
    json.key(key);
    json.number(static_cast<float>(number));
}

void write_parameters(JsonWriter& json, const Parameters& parameters) {
    json.key("parameters");
    json.begin_object(Layout::line);
    for (const ParameterRow& row : parameter_table()) {
        if (const std::string value = row.json(parameters); !value.empty()) {
            json.key(row.name);
            json.verbatim(value);
        }
    }
    json.end();
}

// Null where there is none.
void write_if_any(JsonWriter& json, std::string_view key, const std::string& text) {
    json.key(key);
    if (text.empty()) {
        json.null();
    } else {
        json.string(text);
    }
}

void write_match(JsonWriter& json, const Match& match) {
    json.begin_object();
    write_string(json, "stage", match.stage->name);
    write_string(json, "step", match.step);
    write_string(json, "piece", match.piece.index);
    json.key("mistakes");
    json.begin_array(Layout::line);
    for (const std::string_view id : match.mistakes) {
        json.string(id);
    }
    json.end();
    write_parameters(json, match.parameters);
    write_if_any(json, "document", match.document);
    write_if_any(json, "erratum", match.erratum);
    write_number(json, "bits", match.bits);
    write_number(json, "max_abs_diff", match.largest_difference);
    write_string(json, "line", match.line);
    write_string(json, "instead_of", match.instead_of);
    json.end();
}

void write_nearest(JsonWriter& json, const Nearest& nearest) {
    json.begin_object();
    write_string(json, "stage", nearest.stage->name);
    write_string(json, "step", nearest.step);
    write_string(json, "piece", nearest.piece);
    write_parameters(json, nearest.parameters);
    json.key("numbers");
    json.integer(nearest.numbers);
    json.key("numbers_agreeing");
    json.integer(nearest.numbers_agreeing);
    write_number(json, "max_abs_diff", nearest.largest_difference);
    const std::size_t rank = nearest.shape.rank();
    write_numbers(json, "first_difference",
                  std::vector<std::size_t>(nearest.first.begin(),
                                           nearest.first.begin() + static_cast<std::ptrdiff_t>(rank)));
    write_number(json, "yours", nearest.pasted);
    write_number(json, "right", static_cast<double>(nearest.right));
    write_numbers(json, "rows_agreeing", nearest.rows_agreeing);
    json.end();
}

}  // namespace

void write_diagnoses(JsonWriter& json, const PrintedText& pasted, const std::vector<Diagnosis>& diagnoses,
                     std::string_view language) {
    json.begin_object();
    write_string(json, "format", "attn-walkthrough/diagnosis");
    json.key("version");
    json.integer(1);
    json.key("skipped");
    json.begin_array();
    for (const Message& message : pasted.skipped) {
        json.string(worded(message, language));
    }
    json.end();
    const std::vector<PrintedTensor>& tensors = pasted.tensors;
    json.key("tensors");
    json.begin_array();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        json.begin_object();
        write_string(json, "name", tensors[i].name);
        write_string(json, "place", tensors[i].place);
        write_numbers(json, "shape", tensors[i].shown);
        json.key("summarised");
        json.boolean(tensors[i].summarised());
        json.key("matches");
        json.begin_array();
        for (const Match& match : diagnoses[i].matches) {
            write_match(json, match);
        }
        json.end();
        json.key("nearest");
        if (diagnoses[i].nearest && diagnoses[i].nearest->is_near()) {
            write_nearest(json, *diagnoses[i].nearest);
        } else {
            json.null();
        }
        json.key("inherits");
        if (diagnoses[i].inherits.empty()) {
            json.null();
        } else {
            json.string(diagnoses[i].inherits);
        }
        json.end();
    }
    json.end();
    json.end();
}

}  // namespace attn
