// Runs a command line and returns its exit code.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "answers/answers.hpp"
#include "command_line.hpp"
#include "screen.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"

#if defined(__GLIBC__)  // known once a header of the standard library was included
#include <malloc.h>
#endif

namespace {

using namespace attn;

constexpr const char* out_of_memory = "not enough memory.";

int complain(const char* kind, const char* message) {
    std::fprintf(stderr, "%s%s%s\n", messages_are_plain() ? "" : "attn-walkthrough: ", kind, message);
    return int(ExitCode::trouble);
}

int run(int argc, const char* const* argv) {
    std::optional<CommandLine> line;
    try {
        line.emplace(std::vector<std::string>{argv + std::min(argc, 1), argv + argc});
        return int(line->run());
    } catch (const Error& error) {
        if (!line) {  // the words on it could not be looked up
            return complain("", error.what());
        }
        return complain("", refusal_text(*line, error).c_str());
    }
}

}  // namespace

int main(int argc, char** argv) {
#if defined(__GLIBC__)
    // By default, glibc gives the memory of large tensors back to the system, and the next walk asks for it
    // again. This takes a third of the time in which a notebook is judged.
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
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
