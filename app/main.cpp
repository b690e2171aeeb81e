// argv → Options → task, and the exit code.
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "files/interruption.hpp"
#include "options.hpp"
#include "tensor/error.hpp"
#include "tensor/threads.hpp"

namespace {

enum ExitCode { agrees = 0, differs = 1, trouble = 2 };

// Allocates nothing and never throws, even where memory or standard error is at an end.
int complain(const char* kind, const char* message) {
    for (const char* part : {"attn-walkthrough: ", kind, message, "\n"}) {
        std::fputs(part, stderr);
    }
    return trouble;
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is then a failed write, with a message
    attn::end_when_input_is_lost(
        "attn-walkthrough: a file became shorter, or could not be read on, while it was read.\n", trouble);
    try {
        const attn::Options options = attn::parse_options(argc, argv);
        attn::set_num_threads(options.threads);
        return options.task(options) ? agrees : differs;
    } catch (const attn::Error& error) {
        return complain("", error.what());
    } catch (const std::bad_alloc&) {
        return complain("", "not enough memory for tensors this large.");
    } catch (const std::exception& error) {
        return complain("internal error: ", error.what());
    }
}
