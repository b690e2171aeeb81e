// The one table of all options: how each is called, what it takes, what the help says, and what it changes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"

namespace attn {

struct OptionRow {
    std::string_view name;   // without the dashes
    std::string_view value;  // what it takes; empty: nothing, it is a switch
    std::string_view help;
    // Takes the text given, "true" for a switch. Throws Error when it is none the option can take.
    std::function<void(Options&, const std::string& text)> read;
    bool repeatable = false;
    bool of_stages = false;           // it changes stages, so one that is chosen must use it
    std::string_view heading = "";    // in the help
    std::string_view goes_with = "";  // the option it says something about, and is nothing without
};

// In the order of the help, the parameters of stages and the exports among them.
const std::vector<OptionRow>& option_table();

// `--seed N`, `--list`.
std::string invocation(const OptionRow& row);

// Adds a stage by name, or all of them.
void add_stage(Options& options, const std::string& name);

}  // namespace attn
