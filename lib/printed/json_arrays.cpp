#include "printed/json_arrays.hpp"

#include <cstddef>
#include <optional>
#include <utility>

#include "files/json.hpp"
#include "tensor/digits.hpp"
#include "tensor/error.hpp"

namespace attn {

namespace {

using Numbers = std::vector<PrintedNumber>;

std::optional<PrintedNumber> number_of(const JsonView& value) {
    return read_only_number(value.kind() == "number"   ? shortest_digits(value.number())
                            : value.kind() == "string" ? value.string()  // "-Infinity"
                                                       : value.text());
}

// Reads a number, or nested arrays of numbers. Returns false if these are not the numbers of a tensor.
bool collect(const JsonView& value, std::vector<std::size_t>& sizes, Numbers& numbers, std::size_t axis = 0) {
    if (value.kind() != "array") {
        const std::optional<PrintedNumber> number = axis == sizes.size() ? number_of(value) : std::nullopt;
        if (number) {
            numbers.push_back(*number);
        }
        return number.has_value();
    }
    if (axis == sizes.size() && numbers.empty() && axis < Shape::max_read_rank) {
        sizes.push_back(value.size());
    }
    if (axis == sizes.size() || value.size() != sizes[axis]) {
        return false;
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (!collect(value[i], sizes, numbers, axis + 1)) {
            return false;
        }
    }
    return !numbers.empty();
}

class JsonReader {
public:
    std::vector<PrintedTensor> found;
    bool is_ragged = false;

    // Reads arrays, and the number that is the data of a step.
    void read(const JsonView& value, std::string_view name, bool is_data = false) {
        const bool is_array = value.kind() == "array";
        std::vector<std::size_t> sizes;
        Numbers numbers;
        if ((is_array || is_data) && collect(value, sizes, numbers)) {
            settle_precision(numbers);
            PrintedTensor& tensor = found.emplace_back();
            tensor.name = name;
            tensor.line = 1;
            tensor.place = value.pointer().empty() ? "line 1" : value.pointer();
            tensor.shown = Shape(sizes);
            tensor.numbers = std::move(numbers);
            return;
        }
        is_ragged = is_ragged || !numbers.empty();
        for (std::size_t i = 0; is_array && i < value.size(); ++i) {
            read(value[i], name);
        }
        if (value.kind() != "object") {
            return;
        }
        const auto data = value.find("data");
        const auto title = value.find("name");
        if (data && title && title->kind() == "string") {
            read(*data, title->string(), true);
            return;
        }
        for (const auto& [key, part] : value.members()) {
            read(part, key);
        }
    }
};

}  // namespace

std::vector<PrintedTensor> read_json_arrays(std::string_view text, std::string_view origin) {
    // Only JSON with objects is read here, because nested lists are the same in Python and JSON.
    const std::size_t first = text.find_first_not_of(" \t\r\n[");
    if (first == std::string_view::npos || text[first] != '{') {
        return {};
    }
    JsonReader reader;
    try {
        reader.read(parse_json(text, origin), "");
    } catch (const DuplicateKey&) {
        throw;
    } catch (const Error&) {
        return {};
    }
    return reader.is_ragged ? std::vector<PrintedTensor>() : std::move(reader.found);
}

}  // namespace attn
