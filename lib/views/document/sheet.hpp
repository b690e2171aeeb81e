// A sheet of tasks, and its key, as the parts a document is made of. How they are set is left to the formats:
// Markdown, LaTeX, notebook.
#pragma once

#include <string>
#include <vector>

#include "views/format.hpp"

namespace attn {

struct SheetTask {
    std::string heading;
    std::string shown;   // code and operands in lines; empty where there are none
    std::string text;    // the question
    std::string answer;  // in the key
    std::string solved;  // there: the whole tensor that the answer is of, in lines; empty where there is none
};

struct Sheet {
    std::string title;
    std::vector<std::string> paragraphs;  // before the tasks
    std::vector<SheetTask> tasks;
    std::vector<std::string> conclusion;  // paragraphs behind them
    bool is_key = false;
    std::string answer;  // the text before an answer, or before the room for one
};

using SheetFormat = void (*)(const WriteBytes& write, const Sheet& sheet, const Style& style);

}  // namespace attn
