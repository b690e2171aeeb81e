#include "printed/json_arrays.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
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

bool is_truth(const PrintedNumber& number) {
    return number.notation == PrintedNumber::Notation::truth;
}

// Returns the members of an object, or the elements of an array under the name of the array.
std::vector<std::pair<std::string_view, JsonView>> elements(const JsonView& value, std::string_view name) {
    if (value.kind() == "object") {
        return value.members();
    }
    std::vector<std::pair<std::string_view, JsonView>> elements;
    for (std::size_t i = 0; value.kind() == "array" && i < value.size(); ++i) {
        elements.emplace_back(name, value[i]);
    }
    return elements;
}

// Reads nested arrays, of which the innermost may be objects. Returns false if these are not the numbers of a
// tensor.
bool collect(const JsonView& value, std::size_t axis, std::vector<std::size_t>& sizes, Numbers& numbers) {
    const auto parts = elements(value, "");
    if (axis == sizes.size() && numbers.empty() && axis < Shape::max_read_rank) {
        sizes.push_back(parts.size());
    }
    if (axis == sizes.size() || parts.size() != sizes[axis]) {
        return false;
    }
    for (const auto& [name, part] : parts) {
        const bool is_list = part.kind() == "object" || (part.kind() == "array" && value.kind() == "array");
        if (is_list) {
            if (!collect(part, axis + 1, sizes, numbers)) {
                return false;
            }
            continue;
        }
        const auto number = number_of(part);
        if (!number || axis + 1 != sizes.size() ||
            (!numbers.empty() && is_truth(*number) != is_truth(numbers[0]))) {
            return false;
        }
        numbers.push_back(*number);
    }
    return !numbers.empty();
}

class JsonReader {
public:
    std::vector<PrintedTensor> found;
    bool is_ragged = false;

    void read(const JsonView& value, std::string_view name) {
        const auto parts = elements(value, name);
        const bool is_object = value.kind() == "object";
        const bool is_table = is_object || (!parts.empty() && parts[0].second.kind() == "object");
        std::vector<std::size_t> sizes;
        Numbers numbers;
        const bool is_tensor = collect(value, 0, sizes, numbers);
        if (is_tensor && (!is_table || is_pandas(sizes, numbers))) {
            if (is_object) {  // of columns
                numbers = transposed(numbers, sizes[1]);
                std::swap(sizes[0], sizes[1]);
            }
            add(value, name, Shape(sizes), std::move(numbers));
            return;
        }
        is_ragged = is_ragged || (!is_table && !numbers.empty());
        const auto data = is_object ? value.find("data") : std::nullopt;
        const auto title = is_object ? value.find("name") : std::nullopt;
        if (!data || !title || title->kind() != "string") {
            for (const auto& [key, part] : parts) {
                read(part, key);
            }
        } else if (data->kind() == "number") {
            add(*data, title->string(), {}, {*number_of(*data)});
        } else {
            read(*data, title->string());
        }
    }

private:
    static bool is_pandas(std::span<const std::size_t> sizes, const Numbers& numbers) {
        return sizes.size() == 2 && std::ranges::any_of(numbers, [](const PrintedNumber& number) {
                   return number.notation != PrintedNumber::Notation::whole;
               });
    }

    static Numbers transposed(const Numbers& numbers, std::size_t columns) {
        const std::size_t rows = numbers.size() / columns;
        Numbers result;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            result.push_back(numbers[i % rows * columns + i / rows]);
        }
        return result;
    }

    void add(const JsonView& value, std::string_view name, const Shape& shape, Numbers numbers) {
        settle_precision(numbers);
        PrintedTensor& tensor = found.emplace_back();
        tensor.name = name;
        tensor.line = 1;
        tensor.place = value.pointer().empty() ? "line 1" : value.pointer();
        tensor.shown = shape;
        tensor.numbers = std::move(numbers);
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
