// The values of a command line's options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/stage.hpp"
#include "views/document/blocks.hpp"
#include "views/format.hpp"
#include "views/text/row_window.hpp"

namespace attn {

// --color
enum class WhenToColour { automatically, always, never };

// A file format of --out, chosen by the suffix.
struct FileFormat {
    std::string_view suffix;
    Format write;
    Requirement require = nullptr;         // checks the trace; null: every trace can be written
    DocumentFormat write_sheet = nullptr;  // writes a sheet of exercises; null: not possible
    bool is_binary = false;
};

// A file to write, or "-" for standard output, and the option that names it.
struct Export {
    std::string_view option;
    std::string target;
    const FileFormat* format;
};

struct Command;

struct Options {
    const Command* command = nullptr;
    std::vector<std::string> words;  // of the command line, besides options
    bool help = false;
    bool all_options = false;  // show all options in the help
    bool version = false;
    std::vector<const Stage*> stages;
    bool all_stages = false;
    std::vector<std::string> steps;      // to show; empty: all
    std::vector<Setting> parameters;     // of the stages
    std::vector<std::string> set;        // replaced numbers: `inputs[1][0]=0.5`
    std::optional<std::string> input;    // a file or "-"; empty: the built-in lesson
    std::optional<std::string> focus;    // a token or an index
    std::optional<std::string> weights;  // a file or "-"; empty: drawn
    std::optional<std::size_t> layer;    // of a whole model's weights
    std::optional<std::size_t> head;
    std::optional<std::string> data;  // further input of a command: a paste, or answers
    std::vector<Export> exports;
    std::optional<Language> code;  // of the lines of code; empty: each stage's own
    std::optional<RowWindow> rows;
    bool quiet = false;
    bool heatmap = false;
    bool pager = true;  // page text that is longer than the terminal
    WhenToColour colour = WhenToColour::automatically;
    Style style;
    std::size_t threads = 0;    // 0: one per core
    std::string as;             // the step that the diagnosed tensor should be; empty: any
    bool all_seeds = false;     // also try many seeds in a diagnosis
    std::size_t depth = 1;      // of an explanation
    std::size_t count = 0;      // of questions; 0: the default
    std::uint64_t lot = 123;    // --quiz-seed: chooses the questions
    std::string exercise;       // number in the book
    std::string command_again;  // this command line, without the files it writes
};

}  // namespace attn
