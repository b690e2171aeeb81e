// A command line while its words are replaced. The passes of passes.hpp change it, one after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "commands/declare.hpp"
#include "stages/stage.hpp"

namespace attn {

struct Argument {
    std::string text;
    bool is_word = false;  // false for an option or its value
};

struct GuessedLine {
    explicit GuessedLine(const std::vector<std::string>& arguments);

    const std::vector<std::string>& typed;
    std::vector<Argument> arguments{};
    std::vector<std::string> at_the_end{};  // further options
    std::string command;                    // empty if the line names none
    std::string subject;                    // whose options are read: the command, or another word
    std::string stage_asked{};              // the stage that an option names
    std::vector<std::string> without_effect{};
    bool is_chinese = false;

    // Appends options and their values.
    void append(const std::vector<std::string>& options);
    void append_stage(const Stage& stage);
    // Replaces an argument by the words of a text. A stage is not named twice.
    void replace(std::size_t at, std::string_view text);
    void erase(std::size_t at, std::size_t count = 1);
    void rename_command(std::string_view name);

    // Returns the first word that passes a test, or the end of the arguments.
    auto find_word(const auto& test) {
        return std::ranges::find_if(arguments,
                                    [&](const Argument& one) { return one.is_word && test(one.text); });
    }
    bool has_word(const auto& test) const {
        return std::ranges::any_of(arguments,
                                   [&](const Argument& one) { return one.is_word && test(one.text); });
    }
    bool is_command(std::initializer_list<std::string_view> names) const;
    bool has_option(std::initializer_list<std::string_view> names) const;
    // True if the embeddings are the reader's own.
    bool has_own_inputs() const;
};

// Returns the stage that an option without a row names: --no-mask, --rope, --kv-cache; or null.
const Stage* stage_of_option(std::string_view option);

}  // namespace attn
