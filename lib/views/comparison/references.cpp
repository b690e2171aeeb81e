#include "views/comparison/references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "files/json.hpp"
#include "files/resources.hpp"
#include "printed/number.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

Reference read_reference(const JsonView& table, const std::string& document) {
    table.allow_keys({"stage", "step", "section", "parameters", "shape", "rows"});
    Reference reference{
        document, table.at("section").string(), table.at("stage").string(), table.at("step").string(), {}, {},
        {}};
    const JsonView parameters = table.at("parameters");
    for (const auto& [name, value] : parameters.members()) {
        const ParameterRow* const row = find_parameter(name);
        if (row == nullptr) {
            parameters.fail(Message("no parameter is named {}", name));
        }
        reference.parameters.push_back({row, value.text()});
    }
    const JsonView shape = table.at("shape");
    std::vector<std::size_t> sizes;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        sizes.push_back(static_cast<std::size_t>(shape[axis].integer(1, 1 << 20)));
    }
    if (const auto rows = table.find("rows")) {
        for (const std::string& row : rows->strings()) {
            reference.text += row + "\n";
        }
    }
    reference.table = read_table(reference.text, Shape(sizes));
    return reference;
}

}  // namespace

void ReferenceParameter::set(Parameters& parameters) const {
    std::string text = json;
    std::erase(text, '"');
    row->read(parameters, text);
}

std::string_view Reference::printed(std::size_t number) const {
    const std::size_t begin = table.numbers.at(number).offset;
    std::size_t end = begin;
    read_number(text, end);
    return std::string_view(text).substr(begin, end - begin);
}

bool Reference::fits(const Parameters& run) const {
    return std::ranges::all_of(parameters, [&](const ReferenceParameter& parameter) {
        return parameter.row->json(run) == parameter.json;
    });
}

std::vector<Setting> Reference::settings() const {
    std::vector<Setting> settings;
    for (const auto& [row, json] : parameters) {
        settings.push_back(setting_of(*row, json));
    }
    return settings;
}

PrintedTensor read_table(std::string_view text, const Shape& shape) {
    PrintedTensor table;
    table.shown = shape;
    if (text.empty()) {
        return table;
    }
    std::optional<std::vector<PrintedNumber>> numbers = read_numbers(text);
    if (!numbers || numbers->size() != shape.count()) {
        throw Error("[read_table] Expected {} numbers for shape {} but received {}.", shape.count(),
                    shape.text(), numbers ? std::to_string(numbers->size()) : in_quotes(text));
    }
    settle_precision(*numbers);
    table.numbers = std::move(*numbers);
    return table;
}

std::vector<Reference> read_references() {
    std::vector<Reference> references;
    for (const Resource& file : std::span(resources, resource_count)) {
        if (!file.name.starts_with("references/")) {
            continue;
        }
        const JsonView root = parse_json(file.text, file.name);
        root.allow_keys({"document", "tables"});
        const JsonView tables = root.at("tables");
        for (std::size_t i = 0; i < tables.size(); ++i) {
            references.push_back(read_reference(tables[i], root.at("document").string()));
        }
    }
    return references;
}

}  // namespace attn
