#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answers/answers.hpp"
#include "command_line.hpp"
#include "parameters.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "words/translation.hpp"

namespace attn {

namespace {

// Replaces the library's setting names, which stand in backticks, by options: `d_out` becomes --d-out.
std::string with_option_names(std::string pattern, const CommandLine& line) {
    for (std::size_t open = 0; (open = pattern.find('`', open)) != std::string::npos;) {
        const std::size_t close = std::min(pattern.find('`', open + 1), pattern.size() - 1);
        pattern.replace(open, close + 1 - open, line.option_name(pattern.substr(open + 1, close - open - 1)));
    }
    return pattern;
}

// Returns the message of an error in the reader's language, or in English if memory is exhausted.
std::string worded_for_reader(const Error& error, const CommandLine& line) {
    try {
        return error.message().worded([&](std::string_view pattern) {
            return with_option_names(translated(pattern, line.language()), line);
        });
    } catch (const std::exception&) {
        return error.what();
    }
}

// A command line that is refused, and why.
struct Refused {
    std::unique_ptr<CommandLine> line;
    Error error;
};

// Returns the command line to type instead, on a line of its own: of those that are accepted, one with the
// fewest corrections. Returns an empty text if there is none.
std::string line_to_type(const CommandLine& typed, const Error& error) {
    constexpr std::size_t most_tries = 40;
    constexpr std::size_t longest = 1000;  // nobody types a longer line
    std::vector<Refused> tried;
    std::vector<std::string> lines;
    const auto accepted = [&](const CommandLine& line, const Error& refused) -> std::string {
        for (const Message::Correction& one : refused.message().corrections()) {
            const std::string right =
                line.corrected({with_option_names(one.wrong, line), with_option_names(one.right, line)});
            const bool has_escapes = contains(right, "$'");  // nobody types them
            if (right.empty() || has_escapes || right.size() > longest || lines.size() == most_tries ||
                contains(lines, right)) {
                continue;
            }
            lines.push_back(right);
            std::vector<std::string> words = words_of_shell(right);
            words.erase(words.begin());  // the program's name
            auto next = std::make_unique<CommandLine>(std::move(words));
            std::optional<Error> again = next->refusal();
            if (!again) {
                return right;
            }
            tried.push_back({std::move(next), std::move(*again)});
        }
        return "";
    };
    try {
        std::string right = messages_are_plain() ? "" : accepted(typed, error);
        for (std::size_t i = 0; right.empty() && i < tried.size(); ++i) {
            const CommandLine& line = *tried[i].line;
            right = accepted(line, Error(tried[i].error));
        }
        return right.empty() ? "" : "\n    " + right;
    } catch (const Error&) {  // for example, a wrong ATTN_ISA stops every walk
        return "";
    }
}

}  // namespace

std::string refusal_text(const CommandLine& line, const Error& error) {
    return with_short_words(worded_for_reader(error, line)) + line_to_type(line, error);
}

}  // namespace attn
