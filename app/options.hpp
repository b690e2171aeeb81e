// The values of a command line's options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/stage.hpp"
#include "views/document/sheet.hpp"
#include "views/format.hpp"
#include "views/text/row_window.hpp"

namespace attn {

// --color
enum class WhenToColour { automatically, always, never };

// A format of files that --out writes, by the suffix of their names.
struct FileFormat {
    std::string_view suffix;
    Format write;
    Requirement require = nullptr;      // of the trace; null: every trace can be written
    SheetFormat write_sheet = nullptr;  // a sheet of exercises; null: cannot be one
    bool is_binary = false;
};

// A file to write, or "-", and the option that names it.
struct Export {
    std::string_view option;
    std::string target;
    const FileFormat* format;
};

struct Command;

struct Options {
    const Command* command = nullptr;
    std::vector<std::string> words;  // what the command line has besides options
    bool help = false;
    bool all_options = false;  // of a help
    bool version = false;
    std::vector<const Stage*> stages;
    bool all_stages = false;
    std::vector<std::string> steps;      // shown; empty: all
    std::vector<Setting> parameters;     // of the stages, as given
    std::vector<std::string> set;        // numbers replaced by others: `inputs[1][0]=0.5`
    std::optional<std::string> input;    // a file, "-", or the built-in lesson
    std::optional<std::string> focus;    // a token or an index
    std::optional<std::string> weights;  // a file or "-"; otherwise they are drawn
    std::optional<std::size_t> layer;    // of a whole model's weights
    std::optional<std::size_t> head;
    std::optional<std::string> data;  // further input of a command: a paste, or answers
    std::vector<Export> exports;
    std::optional<Language> code;  // of the lines of code; otherwise each stage's own
    std::optional<RowWindow> rows;
    bool quiet = false;
    bool heatmap = false;
    bool pager = true;  // for text longer than the terminal
    WhenToColour colour = WhenToColour::automatically;
    Style style;
    std::size_t threads = 0;    // 0: all there are
    std::string as;             // the step that what is diagnosed is meant to be; empty: any
    bool all_seeds = false;     // of a diagnosis
    std::size_t depth = 1;      // of an explanation
    std::size_t count = 0;      // of questions; 0: the usual number
    std::uint64_t lot = 123;    // which questions: --quiz-seed
    std::string exercise;       // of the book, by its number
    std::string command_again;  // this command line without the files it writes
};

}  // namespace attn
