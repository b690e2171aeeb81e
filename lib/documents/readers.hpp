// The readers of document.cpp, one per format.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "documents/document.hpp"

namespace attn {

// Some lines of a text, and the number of the first one in its file.
struct Passage {
    std::string_view text;
    std::size_t line = 1;
};

// Returns true if the line begins as printed tensors do: `tensor(`, `array(`, `[[`, `Parameter containing:`.
bool begins_tensor(std::string_view line);
// Returns true if a printed tensor begins somewhere in the text, perhaps behind a label.
bool has_tensor(std::string_view text);
// Returns true if the text is Python, not an output. `is_likely` if its author says so.
bool is_python(std::string_view text, bool is_likely);

// Tells code from output, line by line.
class LineSorter {
public:
    Item::Kind kind_of(std::string_view line);

private:
    // True for the name of a variable as a line below code, with which a cell shows it.
    bool shows_variable(std::string_view line) const;

    Item::Kind kind_ = Item::Kind::code;
    std::set<std::string, std::less<>> assigned_;  // the names of variables
    bool is_shown_ = false;  // the last line of code prints, so that the next line may be its output
    std::string closing_;    // the brackets that close those open in the code
};

// Collects items whose texts are whole lines of a file.
class ItemList {
public:
    // Adds a line to the last item, or begins an item of this kind. Empty lines stay with the last item.
    void add_line(Item::Kind kind, std::string_view text, std::size_t line);
    void set_execution_count(std::optional<std::size_t> count) {
        if (count && !items.empty()) {
            items.back().place.execution_count = count;
        }
    }
    // The next line begins an item of its own.
    void separate() { is_separate_ = true; }

    std::vector<Item> items{};

private:
    bool is_separate_ = true;
};

// Each of the readers below returns no items if the text has another format.

// Jupyter notebooks of nbformat 3 and 4. Throws Error if one is damaged.
std::vector<Item> read_notebook(std::string_view text, std::string_view origin);
// Markdown with code in fences.
std::vector<Item> read_markdown(std::string_view text);
// Interactive sessions, with the prompts `>>>` and `...`, or `In [7]:` and `Out[7]:`.
std::vector<Item> read_session(const Passage& passage);
// Python with outputs in comments or in strings.
std::vector<Item> read_script(const Passage& passage);
// Code and outputs without any marks between them.
std::vector<Item> read_mixed(const Passage& passage);

}  // namespace attn
