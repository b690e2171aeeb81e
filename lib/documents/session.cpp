// Interactive sessions of Python and IPython, also as copied from notebooks.
#include <algorithm>
#include <optional>

#include "documents/readers.hpp"
#include "text/ascii.hpp"
#include "text/decimal.hpp"
#include "text/split.hpp"

namespace attn {

namespace {

struct Prompt {
    enum class Kind { input, continuation, output };
    Kind kind;
    std::size_t length;  // with the blank after it
    std::optional<std::size_t> number = std::nullopt;
};

// Reads `In [7]:` or `Out[7]:`; `In[7]:` and `In [*]:` count, too.
std::optional<Prompt> numbered_prompt(std::string_view line) {
    const bool is_output = line.starts_with("Out");
    const std::size_t open = line.find('[');
    const std::size_t close = line.find("]:");
    if ((!is_output && !line.starts_with("In")) || close == std::string_view::npos || open > close) {
        return std::nullopt;
    }
    const std::string_view label = line.substr(0, open);
    const std::string_view inside = line.substr(open + 1, close - open - 1);
    if ((label != "In " && label != "In" && label != "Out" && label != "Out ")) {
        return std::nullopt;
    }
    std::uint64_t number = 0;
    const bool is_number = read_whole(inside, number);
    if (!is_number && inside != "*" && inside.find_first_not_of(' ') != std::string_view::npos) {
        return std::nullopt;
    }
    Prompt prompt{is_output ? Prompt::Kind::output : Prompt::Kind::input, std::min(close + 3, line.size())};
    if (is_number) {
        prompt.number = number;
    }
    return prompt;
}

std::optional<Prompt> prompt_of(std::string_view line) {
    for (const std::string_view sign : {">>>", "..."}) {
        const bool is_alone = line.size() == sign.size() || (line.size() > 3 && is_one_of(line[3], " \r"));
        if (line.starts_with(sign) && is_alone) {
            return Prompt{sign == ">>>" ? Prompt::Kind::input : Prompt::Kind::continuation,
                          std::min(sign.size() + 1, line.size())};
        }
    }
    const std::size_t dots = line.find_first_not_of(' ');
    if (dots != std::string_view::npos && dots > 0 && line.substr(dots).starts_with("...:")) {
        return Prompt{Prompt::Kind::continuation, std::min(dots + 5, line.size())};
    }
    return numbered_prompt(line);
}

}  // namespace

std::vector<Item> read_session(const Passage& passage) {
    const std::vector<std::string_view> lines = split_lines(passage.text);
    const auto is_input = [](std::string_view line) {
        const auto prompt = prompt_of(line);
        return prompt && prompt->kind == Prompt::Kind::input;
    };
    if (std::ranges::none_of(lines, is_input)) {
        return {};
    }
    ItemList list;
    Item::Kind kind = Item::Kind::prose;
    std::optional<LineSorter> sorter;  // for a prompt with its code on the lines below
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string_view line = lines[i];
        const auto prompt = prompt_of(line);
        if (prompt && (prompt->kind != Prompt::Kind::continuation || kind == Item::Kind::code)) {
            const std::string_view rest = line.substr(prompt->length);
            if (prompt->kind != Prompt::Kind::continuation &&
                (prompt->number || prompt->kind == Prompt::Kind::output)) {
                list.separate();
            }
            kind = prompt->kind == Prompt::Kind::output ? Item::Kind::output : Item::Kind::code;
            sorter.reset();
            if (rest.find_first_not_of(" \r") == std::string_view::npos && kind == Item::Kind::code &&
                line.starts_with("In")) {
                sorter.emplace();
            }
            list.add_line(kind, rest, passage.line + i);
            list.set_execution_count(prompt->number);
            continue;
        }
        if (sorter) {
            kind = sorter->kind_of(line);
        } else if (line.starts_with("Traceback ")) {
            kind = Item::Kind::error;
        } else if (kind == Item::Kind::code && line.find_first_not_of(" \t\r") != std::string_view::npos) {
            kind = Item::Kind::output;
        } else if (kind == Item::Kind::prose && begins_tensor(line)) {
            kind = Item::Kind::output;
        }
        list.add_line(kind, line, passage.line + i);
    }
    return list.items;
}

}  // namespace attn
