// The parts of an exercise sheet and its key, as a document. The formats decide the layout: Markdown, LaTeX,
// notebook.
#pragma once

#include <string>
#include <vector>

#include "views/format.hpp"

namespace attn {

struct SheetTask {
    std::string heading;
    std::string shown;   // lines of code and operands; may be empty
    std::string text;    // the question
    std::string answer;  // shown only in the key
    std::string solved;  // shown in the key: the whole tensor of the answer, as lines; may be empty
};

struct Sheet {
    std::string title;
    std::vector<std::string> paragraphs;  // shown before the tasks
    std::vector<SheetTask> tasks;
    std::vector<std::string> conclusion;  // shown after the tasks
    bool is_key = false;
    std::string answer;  // the text before an answer, or before the space for one
};

using SheetFormat = void (*)(const WriteBytes& write, const Sheet& sheet, const Style& style);

}  // namespace attn
