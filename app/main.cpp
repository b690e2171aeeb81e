// argv → Options → Lesson → walk → Trace → { text, compare, json } → Sink, and the exit code.
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "io/sink.hpp"
#include "make_trace.hpp"
#include "options.hpp"
#include "report.hpp"
#include "tensor/error.hpp"

namespace {

enum ExitCode { agrees = 0, differs = 1, trouble = 2 };

int run(int argc, const char* const* argv) {
    const attn::Options options = attn::parse_options(argc, argv);
    if (options.message) {
        attn::write_standard_output(*options.message);
        return agrees;
    }
    const attn::Trace trace = attn::make_trace(options);
    const attn::Report report = attn::make_report(options, trace);
    if (options.json) {
        attn::write_json(options, trace);
    }
    attn::write_standard_output(report.text);
    return report.agrees ? agrees : differs;
}

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
    try {
        return run(argc, argv);
    } catch (const attn::Error& error) {
        return complain("", error.what());
    } catch (const std::bad_alloc&) {
        return complain("", "not enough memory for tensors this large.");
    } catch (const std::exception& error) {
        return complain("internal error: ", error.what());
    }
}
