// Runs a command line and returns its exit code.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.hpp"
#include "parameters.hpp"
#include "screen.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"
#include "text/printable.hpp"
#include "words/translation.hpp"

namespace {

using namespace attn;

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

constexpr const char* out_of_memory = "not enough memory for tensors this large.";

int complain(const char* kind, const char* message) {
    std::fprintf(stderr, "%s%s%s\n", messages_are_plain() ? "" : "attn-walkthrough: ", kind, message);
    return static_cast<int>(ExitCode::trouble);
}

// Returns the command line to type instead, on a line of its own; empty if none is known that is accepted.
std::string line_to_type(const CommandLine& line, const Error& error, int more_corrections = 4) {
    const Message::Correction* const correction = error.message().correction();
    if (correction == nullptr || messages_are_plain() || more_corrections == 0) {
        return "";
    }
    try {
        const std::string right = line.corrected(
            {with_option_names(correction->wrong, line), with_option_names(correction->right, line)});
        if (right.empty() || right.find_first_of(";>|$") != std::string::npos) {
            return right.empty() ? "" : "\n    " + right;
        }
        std::vector<std::string> arguments = words_of_shell(right);
        arguments.erase(arguments.begin());
        const CommandLine next(std::move(arguments));
        const std::optional<Error> refused = next.refusal();
        return refused ? line_to_type(next, *refused, more_corrections - 1) : "\n    " + right;
    } catch (const Error&) {  // for example, a wrong ATTN_ISA stops every walk
        return "";
    }
}

int run(int argc, const char* const* argv) {
    std::optional<CommandLine> line;
    try {
        line.emplace(std::vector<std::string>{argv + std::min(argc, 1), argv + argc});
        return static_cast<int>(line->run());
    } catch (const Error& error) {
        if (!line) {  // the words on it could not be looked up
            return complain("", error.what());
        }
        const std::string text = with_short_words(worded_for_reader(error, *line));
        return complain("", (text + line_to_type(*line, error)).c_str());
    }
}

}  // namespace

int main(int argc, char** argv) {
    prepare_streams();
#if defined(SIGXFSZ)
    std::signal(SIGXFSZ, SIG_IGN);  // a file that is too large then causes a message
#endif
    // CLI11 2.1.2 allocates memory in noexcept functions. If memory runs out there, std::terminate is called.
    std::set_terminate([] { std::_Exit(complain("", out_of_memory)); });
    try {
        return run(argc, argv);
    } catch (const std::bad_alloc&) {
        return complain("", out_of_memory);
    } catch (const std::exception& error) {
        return complain("internal error: ", error.what());
    }
}
