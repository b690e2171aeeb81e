// The one table of all options: how each is called, what it takes, what the help says, what it changes, and
// with which others it goes. A new option is a new row.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"
#include "views/document/sheet.hpp"

namespace attn {

// Which files a task writes: what the walkthrough can be exported as, JSON of its own, sheets, or none.
enum class Files { all, json, sheets, none };

struct OptionRow {
    std::string_view heading = "";  // in the help, above the first of a group
    std::string_view name;          // without the dashes
    std::string_view value =
        "";  // what it takes; empty: nothing, it is a switch; in brackets: may be left out
    std::string_view help;
    std::string_view setting = "";  // what the library calls it, where that is another name
    Task task = nullptr;            // what the run does when it is given
    Files files = Files::all;       // that the task writes
    // Takes the text given, "true" for a switch. Throws Error when it is none the option can take.
    void (*read)(const OptionRow&, Options&, const std::string& text) = nullptr;
    Format write = nullptr;                   // what the file it names is written with,
    Requirement require = nullptr;            // and for which traces;
    SheetFormat write_sheet = nullptr;        // the same for a sheet of tasks
    bool writes = false;                      // names a file to write
    bool binary = false;                      // which no terminal shows
    bool repeatable = false;                  // may be given more than once
    bool of_stages = false;                   // goes with stages that use it,
    std::string_view or_with = "";            // or with this option
    std::string_view walkthrough_only = "";   // what it does to a walkthrough, and to nothing else
    std::string_view or_task = "";            // but what this option asks for
    std::array<std::string_view, 3> needs{};  // one of these options
    std::string_view excludes = "";           // an option it does not go with
    std::string_view because = "";            // what is said when one of the two is so
};

// In the order of the help.
std::span<const OptionRow> option_table();

// The option that sets what the library calls so, or null.
const OptionRow* option_for(std::string_view setting);

// What the library calls it.
std::string_view setting_name(const OptionRow& row);

// `--seed N`, `--list`.
std::string invocation(const OptionRow& row);

// `--seed 123 --qkv-bias`: the options that set these.
std::string spelled(std::span<const Setting> settings);

// `--seed 5 --d-out 3`, as they were given.
std::string given_parameters(const Options& options);

// A word as a shell takes it: quoted where it has more than letters and what stands in names of files.
std::string shell_word(std::string_view text);

// The words an option takes one of: `torch|numpy|cpp`.
std::vector<std::string_view> choices(const OptionRow& row);

}  // namespace attn
