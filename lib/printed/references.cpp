#include "printed/references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>

#include "files/json_view.hpp"
#include "files/resources.hpp"
#include "tensor/digits.hpp"

namespace attn {

namespace {

std::string json_text(const Json& value) {
    if (const auto* number = std::get_if<double>(&value.value)) {
        return shortest_digits(*number);
    }
    if (const auto* truth = std::get_if<bool>(&value.value)) {
        return fmt::format("{}", *truth);
    }
    return fmt::format("\"{}\"", std::get<std::string>(value.value));
}

ReferenceParameter read_parameter(const JsonMember& member, const JsonView& parameters) {
    const auto rows = parameter_table();
    const auto row = std::ranges::find(rows, member.key, &ParameterRow::name);
    if (row == rows.end()) {
        parameters.fail(fmt::format("no parameter is named {}", member.key));
    }
    return {&*row, json_text(member.value)};
}

std::vector<std::string> words(const std::string& row) {
    std::vector<std::string> words;
    for (std::size_t from = 0; from < row.size();) {
        const std::size_t to = std::min(row.find(' ', from), row.size());
        words.push_back(row.substr(from, to - from));
        from = to + 1;
    }
    return words;
}

Reference read_reference(const JsonView& table, const std::string& document) {
    table.allow_keys({"stage", "step", "section", "parameters", "shape", "rows"});
    Reference reference{
        document, table.at("section").string(), table.at("stage").string(), table.at("step").string(), {}, {},
        {}};
    const JsonView parameters = table.at("parameters");
    for (const JsonMember& member : parameters.object()) {
        reference.parameters.push_back(read_parameter(member, parameters));
    }
    const JsonView shape = table.at("shape");
    std::vector<std::size_t> sizes;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        sizes.push_back(static_cast<std::size_t>(shape[axis].integer(1, 1 << 20)));
    }
    reference.shape = Shape(sizes);
    if (const auto rows = table.find("rows")) {
        for (std::size_t row = 0; row < rows->size(); ++row) {
            std::ranges::move(words((*rows)[row].string()), std::back_inserter(reference.numbers));
        }
    }
    return reference;
}

}  // namespace

bool Reference::fits(const Parameters& run) const {
    return std::ranges::all_of(parameters, [&](const ReferenceParameter& parameter) {
        return parameter.row->json(run) == parameter.json;
    });
}

std::string Reference::options() const {
    std::string text;
    for (const auto& [row, json] : parameters) {
        if (row->value.empty() && json == "false") {
            continue;  // a switch left out
        }
        std::string value = json;
        std::erase(value, '"');
        text += fmt::format("{}--{}{}{}", text.empty() ? "" : " ", row->option, row->value.empty() ? "" : " ",
                            row->value.empty() ? "" : value);
    }
    return text;
}

std::vector<Reference> read_references() {
    std::vector<Reference> references;
    for (const Resource& file : std::span(resources, resource_count)) {
        if (!file.name.starts_with("references/")) {
            continue;
        }
        const Json json = parse_json(file.text, file.name);
        const JsonView root(json, file.name);
        root.allow_keys({"document", "tables"});
        const JsonView tables = root.at("tables");
        for (std::size_t i = 0; i < tables.size(); ++i) {
            references.push_back(read_reference(tables[i], root.at("document").string()));
        }
    }
    return references;
}

}  // namespace attn
