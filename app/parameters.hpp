// The parameters of stages as options, each with name, type and effect.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"
#include "tensor/error.hpp"

namespace attn {

struct ParameterOption {
    std::string_view name;       // --d-out
    std::string_view parameter;  // name in the library: d_out
    Names names;                 // a number or a file, for example
    std::string_view help;
    std::string_view own_type = "";          // type of the value; empty: the usual type of what it names
    std::string_view second_parameter = "";  // set by what follows a colon in the value

    constexpr std::string_view type() const { return own_type.empty() ? usual_type(names) : own_type; }
    constexpr bool is_switch() const { return type().empty(); }
    // True for lesson, weights and focus: options that add_run() declares on their own.
    constexpr bool is_input() const {
        return names == Names::input_file || names == Names::words || names == Names::token;
    }
};

// All options, in the order of the help.
std::span<const ParameterOption> parameter_options();

// Returns the option for a parameter of the library, or null.
const ParameterOption* option_for(std::string_view parameter);

// Returns the name of the option that gives a setting; --name if no option does. With `has_text`, --text
// gives the lesson.
std::string option_name(std::string_view parameter, bool has_text);

// True if the stage uses the option.
bool uses_option(const Stage& stage, const ParameterOption& option);

// Returns settings as options: `--seed 123 --rotary halves:500`.
std::string spelled(std::span<const Setting> settings);

// True if the command line sets the parameter.
bool is_given(const RunOptions& options, std::string_view parameter);

// Returns the stage's defaults, changed by the options that the stage uses. Without --d-out, the number of
// heads divides the width.
Parameters parameters_of(const Stage& stage, const RunOptions& options);

// Returns the parameter that an option's value sets; for `--rotary KIND:BASE`, one or two parameters.
std::vector<Setting> settings_of(const ParameterOption& option, const std::string& text);

// Throws Error if none of the chosen stages uses an option: `causal has no --heads; multi-head does.`
void require_use(const RunOptions& options);

// Returns the error for an option that changes nothing about `subject`, such as a file in quotes.
Error changes_nothing(std::string_view option, const std::string& subject);
// Throws this error for --json and --out.
void refuse_exports(const RunOptions& options, const std::string& subject);
// Throws this error for a given option that changes nothing about `subject`: one that is neither among
// `used`, nor general, such as --lang.
void refuse_other_options(const Options& options, const std::string& subject,
                          std::initializer_list<std::string_view> used);

// Quotes a word for a shell, unless it contains only letters, digits and signs that are usual in file names.
std::string shell_word(std::string_view text);

// Returns the words of a command line without their quotes, up to a pipe or the like, or to a word that is
// written with escapes: $'…'.
std::vector<std::string> words_of_shell(std::string_view line);

}  // namespace attn
