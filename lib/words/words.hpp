// The words of a language. Each language has a folder in data/narration/ with one file per stage and task, so
// that a run reads only its own words.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace attn {

// The languages there are, by their folders: English, then the others.
std::vector<std::string_view> languages();

class Words {
public:
    using Values = std::map<std::string, std::string, std::less<>>;  // by name

    // Reads data/narration/<language>/<file>.json; texts that it lacks are taken from the English file, and
    // there are none where there is neither. Throws Error for a file that holds anything but texts.
    Words(std::string_view language, std::string_view file);

    // Adds the texts of another file under the keys that are still free.
    void add(std::string_view file);

    const std::string& language() const { return language_; }
    // By key: names and indices on the way to a text, such as `rows` or `masked/title`.
    const Values& texts() const { return texts_; }
    // Null when there is none.
    const std::string* find(std::string_view key) const;
    // Throws std::logic_error with file and key when there is none.
    const std::string& at(std::string_view key) const;

    // The text with values in the places of its `{}`, or of each `{name}`. Throws std::logic_error as well
    // when it lacks a value.
    template <typename... Value>
    std::string operator()(std::string_view key, const Value&... values) const {
        return filled(key, fmt::make_format_args(values...));
    }
    std::string operator()(std::string_view key, const Values& values) const;

    // The name of an axis, such as `query`; an axis without a translation keeps its name.
    std::string axis(std::string_view name) const;

private:
    std::string filled(std::string_view key, fmt::format_args values) const;
    std::string place(std::string_view key) const;

    std::string language_, file_;
    Values texts_;
};

}  // namespace attn
