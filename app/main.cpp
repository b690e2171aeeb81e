// argv → a command, run, and its exit code.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include "command_line.hpp"
#include "language.hpp"
#include "parameters.hpp"
#include "screen.hpp"
#include "tensor/error.hpp"
#include "words/translation.hpp"

namespace {

using namespace attn;

// Settings that a pattern of the library names in backticks are options here: `d_out` is --d-out.
std::string with_option_names(std::string pattern) {
    for (std::size_t open = pattern.find('`'); open != std::string::npos;
         open = pattern.find('`', open + 1)) {
        const std::size_t close = pattern.find('`', open + 1);
        if (close == std::string::npos) {
            break;
        }
        const std::string name = pattern.substr(open + 1, close - open - 1);
        const ParameterOption* const parameter = option_for(name);
        pattern.replace(open, close + 1 - open,
                        parameter != nullptr ? std::string(parameter->name) : "--" + name);
    }
    return pattern;
}

// Where memory is at an end, in English.
std::string worded_for_reader(Program& program, const Error& error) {
    try {
        const std::string given = given_language(program);
        const std::string_view language = given.empty() ? language_of_environment() : language_called(given);
        return error.message().worded(
            [&](std::string_view pattern) { return with_option_names(translated(pattern, language)); });
    } catch (const std::exception&) {
        return error.what();
    }
}

constexpr const char* out_of_memory = "not enough memory for tensors this large.";

int complain(const char* kind, const char* message) {
    std::fprintf(stderr, "attn-walkthrough: %s%s\n", kind, message);
    return static_cast<int>(ExitCode::trouble);
}

int run(int argc, const char* const* argv) {
    Program program;
    try {
        Command& command = parse_command_line(program, argc, argv);
        std::string_view& language = command.options.style.language;
        language = language.empty() ? language_of_environment() : language;
        return static_cast<int>(command.run(command));
    } catch (const Error& error) {
        return complain("", worded_for_reader(program, error).c_str());
    }
}

}  // namespace

int main(int argc, char** argv) {
    prepare_streams();
#if defined(SIGXFSZ)
    std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is then a failed write, with a message
#endif
    // CLI11 2.1.2 allocates in functions that are noexcept.
    std::set_terminate([] { std::_Exit(complain("", out_of_memory)); });
    try {
        return run(argc, argv);
    } catch (const std::bad_alloc&) {
        return complain("", out_of_memory);
    } catch (const std::exception& error) {
        return complain("internal error: ", error.what());
    }
}
