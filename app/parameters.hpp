// The parameters of stages as options: how each is called, what it takes, and what it does.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "options.hpp"

namespace attn {

struct ParameterOption {
    std::string_view name;       // --d-out
    std::string_view parameter;  // d_out, in the library
    std::string_view type;       // of the value; empty: a switch
    std::string_view help;
    bool is_input = false;  // lesson, weights or focus, which stages use or do not use like parameters
};

// In the order of the help.
std::span<const ParameterOption> parameter_options();

// The option that sets what the library calls so, or null.
const ParameterOption* option_for(std::string_view parameter);

// True if the stage uses a parameter that the option sets.
bool uses_option(const Stage& stage, const ParameterOption& option);

// `--seed 123 --rotary halves:500`: the options that set these.
std::string spelled(std::span<const Setting> settings);

// True if the command line sets the parameter.
bool is_given(const Options& options, std::string_view parameter);

// The stage's defaults with what the command line sets and the stage uses.
Parameters parameters_of(const Stage& stage, const Options& options);

// The parameter that an option's value sets, or the two of `--rotary KIND:BASE`, either of which may be left
// out.
std::vector<Setting> settings_of(const ParameterOption& option, const std::string& text);

// Throws Error for an option that none of the chosen stages uses: `causal has no --heads; multi-head does.`
void require_use(const Options& options);

// A word as a shell takes it: quoted where it has more than letters, digits and the signs of file names.
std::string shell_word(std::string_view text);

}  // namespace attn
