// Walks the tree that lib/files/json reads. Its arrays are float32; what a number was given with is the
// shortest text that reads back to it.
#include "printed/json_tensors.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "files/json_view.hpp"
#include "printed/bracket_parser.hpp"
#include "printed/precision.hpp"
#include "tensor/digits.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

class Walker {
public:
    explicit Walker(std::string_view origin) : origin_(origin) {}

    void walk(const Json& value, const std::string& name, const std::string& pointer) {
        if (const auto* members = std::get_if<Json::Object>(&value.value)) {
            walk_object(value, *members, pointer);
        } else if (is_tensor(value)) {
            add(value, name, pointer);
        } else if (const auto* elements = std::get_if<Json::Array>(&value.value)) {
            for (std::size_t i = 0; i < elements->size(); ++i) {
                walk((*elements)[i], name, json_pointer(pointer, std::to_string(i)));
            }
        }
    }

    std::vector<PastedTensor> take() { return std::move(tensors_); }

private:
    // An object with a name and data is a step of a walkthrough; its other arrays describe it.
    void walk_object(const Json& object, const Json::Object& members, const std::string& pointer) {
        const Json* const name = object.find("name");
        const Json* const data = object.find("data");
        const std::string* const words = name == nullptr ? nullptr : std::get_if<std::string>(&name->value);
        if (words != nullptr && data != nullptr) {
            const std::string place = json_pointer(pointer, "data");
            number(*data) ? add(*data, *words, place) : walk(*data, *words, place);
            return;
        }
        for (const JsonMember& member : members) {
            walk(member.value, member.key, json_pointer(pointer, member.key));
        }
    }

    static std::optional<double> number(const Json& value) {
        if (const auto* plain = std::get_if<double>(&value.value)) {
            return *plain;
        }
        if (const auto* truth = std::get_if<bool>(&value.value)) {
            return *truth ? 1.0 : 0.0;
        }
        const auto* word = std::get_if<std::string>(&value.value);
        constexpr double inf = std::numeric_limits<double>::infinity();
        if (word == nullptr) {
            return std::nullopt;
        }
        return *word == "NaN"         ? std::optional(std::numeric_limits<double>::quiet_NaN())
               : *word == "Infinity"  ? std::optional(inf)
               : *word == "-Infinity" ? std::optional(-inf)
                                      : std::nullopt;
    }

    // By its first element at each depth; the rest is checked when it is read.
    static bool is_tensor(const Json& value) {
        if (const auto* numbers = std::get_if<Json::Numbers>(&value.value)) {
            return !numbers->empty();
        }
        const auto* elements = std::get_if<Json::Array>(&value.value);
        if (elements == nullptr) {
            return false;
        }
        const Json& first = elements->front();  // an empty array is one of no numbers
        return is_tensor(first) || number(first).has_value();
    }

    void add(const Json& value, const std::string& name, const std::string& pointer) {
        if (tensors_.size() == max_pasted_tensors) {
            throw Error(fmt::format("{}: holds more than {} tensors, the most that are read.",
                                    printable(origin_), max_pasted_tensors));
        }
        sizes_.clear();
        rank_ = 0;
        numbers_.clear();
        collect(value, 0, pointer);
        PastedTensor tensor;
        tensor.name = name;
        tensor.place = pointer;
        tensor.shown = Shape(std::span<const std::size_t>(sizes_).first(rank_));
        set_numbers(tensor, numbers_);
        tensors_.push_back(std::move(tensor));
    }

    void collect(const Json& value, std::size_t depth, const std::string& pointer) {
        const auto* packed = std::get_if<Json::Numbers>(&value.value);
        const auto* elements = std::get_if<Json::Array>(&value.value);
        if (packed == nullptr && elements == nullptr) {
            const std::optional<double> one = number(value);
            if (!one || (rank_ != 0 && rank_ != depth)) {
                fail_at_pointer(
                    origin_, pointer,
                    fmt::format("expected {} but found {}.", one ? "an array" : "a number", found(value)));
            }
            rank_ = depth;
            if (std::holds_alternative<double>(value.value) && !std::isfinite(*one)) {
                fail_at_pointer(origin_, pointer, beyond_float32);
            }
            put(*one, std::holds_alternative<bool>(value.value), pointer);
            return;
        }
        if (depth == Shape::max_rank) {
            fail_at_pointer(origin_, pointer,
                            fmt::format("arrays more than {} deep; tensors of at most {} axes are read.",
                                        Shape::max_rank, Shape::max_rank));
        }
        if (rank_ != 0 && depth >= rank_) {
            fail_at_pointer(origin_, pointer, "expected a number but found an array.");
        }
        const std::size_t size = packed != nullptr ? packed->size() : elements->size();
        if (sizes_.size() == depth) {
            sizes_.push_back(size);
        }
        if (size != sizes_[depth]) {
            fail_at_pointer(origin_, pointer,
                            fmt::format("expected length {}, as the first row has, but found length {}.",
                                        sizes_[depth], size));
        }
        if (packed != nullptr && rank_ != 0 && rank_ != depth + 1) {
            fail_at_pointer(origin_, json_pointer(pointer, "0"), "expected an array but found a number.");
        }
        for (std::size_t i = 0; i < size; ++i) {
            if (packed != nullptr) {
                rank_ = depth + 1;
                if (!std::isfinite((*packed)[i])) {
                    fail_at_pointer(origin_, json_pointer(pointer, std::to_string(i)), beyond_float32);
                }
                put(static_cast<double>((*packed)[i]), false, pointer);
            } else {
                collect((*elements)[i], depth + 1, json_pointer(pointer, std::to_string(i)));
            }
        }
    }

    void put(double value, bool boolean, const std::string& pointer) {
        if (count_++ == max_pasted_numbers) {
            fail_at_pointer(origin_, pointer,
                            fmt::format("more than {} numbers, the most that are read.", max_pasted_numbers));
        }
        if (!numbers_.empty() && boolean != numbers_.front().boolean) {
            fail_at_pointer(origin_, pointer,
                            "truth values and numbers in one tensor; expected one of the two.");
        }
        numbers_.push_back(boolean ? written_word(value, true) : written_number(value));
    }

    std::string_view origin_;
    std::vector<PastedTensor> tensors_;
    std::size_t count_ = 0;
    // Of the tensor being read.
    std::vector<std::size_t> sizes_;
    std::size_t rank_ = 0;
    std::vector<WrittenNumber> numbers_;
};

}  // namespace

bool looks_like_json(std::string_view text) {
    const std::size_t first = skip_space(text, 0);
    if (first == text.size() || (text[first] != '{' && text[first] != '[')) {
        return false;
    }
    const std::size_t second = skip_space(text, first + 1);
    const char next = second < text.size() ? text[second] : '\0';
    return text[first] == '[' ? next == '{' : next == '"' || next == '}';
}

std::vector<PastedTensor> read_json_tensors(std::string_view text, std::string_view origin) {
    const Json json = parse_json(text, origin);
    Walker walker(origin);
    walker.walk(json, "", "");
    return walker.take();
}

}  // namespace attn
