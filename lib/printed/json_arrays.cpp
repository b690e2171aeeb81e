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

// Reads nested arrays. Returns false if these are not the numbers of a tensor.
bool collect(const JsonView& list, std::size_t axis, std::vector<std::size_t>& sizes, Numbers& numbers) {
    if (axis == sizes.size() && numbers.empty() && axis < Shape::max_read_rank) {
        sizes.push_back(list.size());
    }
    if (axis == sizes.size() || list.size() != sizes[axis]) {
        return false;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].kind() == "array") {
            if (!collect(list[i], axis + 1, sizes, numbers)) {
                return false;
            }
            continue;
        }
        const auto number = number_of(list[i]);
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
        const bool is_array = value.kind() == "array";
        std::vector<std::size_t> sizes;
        Numbers numbers;
        if (is_array && collect(value, 0, sizes, numbers)) {
            add(value, name, Shape(sizes), std::move(numbers));
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
        if (!data || !title || title->kind() != "string") {
            for (const auto& [key, part] : value.members()) {
                read(part, key);
            }
        } else if (data->kind() == "number") {
            add(*data, title->string(), {}, {*number_of(*data)});
        } else {
            read(*data, title->string());
        }
    }

private:
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
