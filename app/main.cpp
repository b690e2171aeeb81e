// argv → Options → Lesson → walk → Trace → { text, compare, json } → Sink, and the exit code.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "io/lesson_reader.hpp"
#include "io/resources.hpp"
#include "io/sink.hpp"
#include "io/source.hpp"
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
    attn::Trace trace = attn::make_trace(options);
    const attn::Report report = attn::make_report(options, trace);
    if (options.json) {
        attn::write_json(options, trace);
    }
    attn::write_standard_output(report.text);
    return report.agrees ? agrees : differs;
}

int complain(const char* message) {
    fmt::print(stderr, "attn-walkthrough: {}\n", message);
    return trouble;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const attn::Error& error) {
        return complain(error.what());
    } catch (const std::bad_alloc&) {
        return complain("not enough memory for tensors this large.");
    } catch (const std::exception& error) {
        return complain(fmt::format("internal error: {}", error.what()).c_str());
    }
}
