// nlohmann/json reports each value while reading. The handler here checks the depth, and rejects duplicate
// keys, which nlohmann/json would drop.
#include "files/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "files/located.hpp"
#include "files/utf8_text.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

constexpr std::string_view white_space = " \t\r\n";

// Turns the parser's message ("unexpected ']'; expected '}'") and the text at that place into our message.
Message cause(std::string_view problem, std::string_view before, char at) {
    const std::size_t last = before.find_last_not_of(white_space);
    const auto says = [&](std::string_view words) { return problem.find(words) != std::string_view::npos; };
    return says("unexpected end of input") ? "The text ends before all brackets are closed."
           : at == '/' || at == '#'        ? "JSON allows no comments."
           : says("invalid number")        ? "Expected a finite number such as 0.5, -1 or 1e-3."
           : says("number overflow") ? "This number is outside the range of double, ±1.7976931348623157e308."
           : says("invalid string")  ? "The string is not closed, or has a character that must be escaped."
           : at == '\''              ? "JSON strings need double quotes."
           : says("expected end of input") ? "Unexpected text after the end of the value."
           : says("invalid literal")
               ? "Outside quotes, JSON allows only true, false, null and finite numbers."
           : (at == ']' || at == '}') && last != std::string_view::npos && before[last] == ','
               ? "JSON allows no comma after the last element."
           : says("; expected ']'") || says("; expected '}'") ? "A comma or a closing bracket is missing."
           : says("expected string literal")                  ? "A key in double quotes is missing."
           : says("expected ':'")                             ? "A colon is missing."
                                                              : "A value is missing.";
}

class TreeBuilder final : public nlohmann::json_sax<Json> {
public:
    TreeBuilder(std::string_view text, std::string_view origin) : text_(text), origin_(origin) {}

    Json root;

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(std::int64_t value) override { return add(value); }
    bool number_unsigned(std::uint64_t value) override { return add(value); }
    bool number_float(double value, const std::string&) override { return add(value); }
    bool string(std::string& value) override {
        count(block_size + value.size());
        return add(std::move(value));
    }
    bool binary(Json::binary_t&) override { return false; }  // nlohmann/json does not call this for JSON text
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool start_array(std::size_t) override { return open(Json::array()); }

    bool key(std::string& name) override {
        count(block_size + name.size());
        // Appends at the end, because ordered_json's own functions compare a new name with all earlier ones.
        members().emplace_back(std::move(name), nullptr);
        return true;
    }
    bool end_object() override {
        std::set<std::string_view> names;
        for (const auto& [name, value] : members()) {
            if (!names.insert(name).second) {
                throw Error("{}: duplicate key {} in one object; keep one.", printable(origin_),
                            in_quotes(name));
            }
        }
        return end_array();
    }
    bool end_array() override {
        open_.pop_back();
        return true;
    }

    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::json::exception& error) override {
        const std::string_view problem = error.what();
        const auto is_of_word = [&](std::size_t i) {
            return is_word_character(text_[i]) || text_[i] == '.' || text_[i] == '+' || text_[i] == '-';
        };
        std::size_t offset = std::max<std::size_t>(position, 1) - 1;
        if (offset >= text_.size()) {
            offset = text_.find_last_not_of(white_space) + 1;
        } else if (is_of_word(offset) && problem.find("string") == std::string_view::npos) {
            // Moves from the end of the word back to its beginning.
            for (; offset > 0 && is_of_word(offset - 1); --offset) {
            }
        }
        const char at = offset < text_.size() ? text_[offset] : '\0';
        fail_at(text_, offset, origin_,
                Message("invalid JSON. {}", cause(problem, text_.substr(0, offset), at)));
    }

private:
    Json::object_t& members() { return open_.back()->get_ref<Json::object_t&>(); }
    // Rejects text such as [[],[],…, because its values would take far more memory than the text.
    void count(std::size_t bytes) {
        memory_ += bytes;
        if (memory_ > max_json_memory) {
            throw Error("{}: too many values: they need more than {} bytes of memory, the limit.",
                        printable(origin_), max_json_memory);
        }
    }
    Json& put(Json&& value) {
        count(sizeof value);
        if (open_.empty()) {
            return root = std::move(value);
        }
        Json& parent = *open_.back();
        return parent.is_array() ? parent.get_ref<Json::array_t&>().emplace_back(std::move(value))
                                 : members().back().second = std::move(value);
    }
    bool add(Json value) {
        put(std::move(value));
        return true;
    }
    bool open(Json container) {
        if (open_.size() == max_json_depth) {
            throw Error("{}: nested more than {} deep.", printable(origin_), max_json_depth);
        }
        count(block_size);
        open_.push_back(&put(std::move(container)));
        return true;
    }

    // Bytes that a string, array or object takes with its allocation.
    static constexpr std::size_t block_size = 48;

    std::string_view text_;
    std::string_view origin_;
    std::vector<Json*> open_;
    std::size_t memory_ = 0;
};

}  // namespace

JsonView parse_json(std::string_view text, std::string_view origin) {
    text = utf8_text(text, origin);
    TreeBuilder builder(text, origin);
    Json::sax_parse(text.begin(), text.end(), &builder);
    return {std::make_shared<const Json>(std::move(builder.root)), origin};
}

}  // namespace attn
