// The texts of a language. Each language has a folder in data/narration/ with one file per stage and task, so
// that a run reads only the files it needs.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace attn {

// All languages, by the names of their folders: English, then the others.
std::vector<std::string_view> languages();

class Words {
public:
    using Values = std::map<std::string, std::string, std::less<>>;  // texts by name

    // Reads data/narration/<language>/<file>.json. Missing texts are taken from the English file; if neither
    // file exists, there are no texts. Throws Error if a value is not a string.
    Words(std::string_view language, std::string_view file);

    // Adds the texts of another file, except for entries that exist already, such as a step.
    void add(std::string_view file);

    const std::string& language() const { return language_; }
    // A key consists of the names and indices that lead to a text, such as `rows` or `masked/title`.
    const Values& texts() const { return texts_; }
    // Returns null if there is no such text.
    const std::string* find(std::string_view key) const;
    // Returns an empty text if there is no such text.
    std::string or_empty(std::string_view key) const;
    // Throws std::logic_error, with file and key, if the text does not exist.
    const std::string& at(std::string_view key) const;

    // Returns the text with values in place of its `{}` or `{name}`. Throws std::logic_error if a text or
    // value is missing.
    template <typename... Value>
    std::string operator()(std::string_view key, const Value&... values) const {
        return filled(key, fmt::make_format_args(values...));
    }
    std::string operator()(std::string_view key, const Values& values) const;

    // Returns the translated name of an axis such as `query`; without a translation, the name itself.
    std::string axis(std::string_view name) const;

private:
    std::string filled(std::string_view key, fmt::format_args values) const;
    std::string place(std::string_view key) const;

    std::string language_, file_;
    Values texts_;
};

}  // namespace attn
