#include "exports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "files/sink.hpp"
#include "option_table.hpp"
#include "progress.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

// 126 KB, as file managers and curl say it.
std::string file_size(std::uint64_t bytes) {
    constexpr std::uint64_t thousand = 1000;
    constexpr std::array<std::string_view, 3> units{"KB", "MB", "GB"};
    if (bytes < thousand) {
        return fmt::format("{} bytes", bytes);
    }
    double size = static_cast<double>(bytes) / thousand;
    std::size_t unit = 0;
    for (; size >= thousand && unit + 1 < units.size(); ++unit) {
        size /= thousand;
    }
    return fmt::format("{:.{}f} {}", size, size < 10 ? 1 : 0, units.at(unit));
}

}  // namespace

void write_target(const std::string& target, const std::function<void(const WriteBytes&)>& write) {
    Progress progress;
    Sink sink(target);
    sink.watch([&](std::uint64_t bytes) {
        progress.report(fmt::format("{}: {} written", printable(target), file_size(bytes)));
    });
    std::uint64_t written = 0;
    write([&](std::string_view bytes) {
        sink.write(bytes);
        written += bytes.size();
    });
    sink.commit();
    if (target != "-") {
        progress.conclude(fmt::format("wrote {} ({})", printable(target), file_size(written)));
    }
}

void require_targets(const Options& options) {
    for (auto one = options.exports.begin(); one != options.exports.end(); ++one) {
        for (const auto& input : {options.input, options.weights, options.pasted, options.answers}) {
            if (input) {
                refuse_to_overwrite(*input, one->text);
            }
        }
        if (one->text == "-" && one->option->binary && output_is_terminal()) {
            throw Error(fmt::format(
                "--{}: these bytes are none that a terminal can show; give a file, or send standard output "
                "to one.",
                one->option->name));
        }
        if (leads_to_one_file("-", one->text)) {
            throw Error(printable(one->text) +
                        ": is where standard output goes; give another file to write.");
        }
        for (auto other = options.exports.begin(); other != one; ++other) {
            if (leads_to_one_file(one->text, other->text)) {
                throw Error(fmt::format("--{} and --{} would write one file; give each its own.",
                                        other->option->name, one->option->name));
            }
        }
        require_writable(one->text);
    }
}

void write_exports(const Options& options, const Trace& trace) {
    for (const Given& one : options.exports) {
        if (one.option->require != nullptr) {
            one.option->require(trace);
        }
    }
    for (const Given& one : options.exports) {
        write_target(one.text,
                     [&](const WriteBytes& write) { one.option->write(write, trace, options.style); });
    }
}

void write_exports(const Options& options, const std::function<void(JsonWriter&)>& write_json) {
    for (const Given& one : options.exports) {
        write_target(one.text, [&](const WriteBytes& write) {
            JsonWriter json(write);
            write_json(json);
        });
    }
}

bool exports_to_standard_output(const Options& options) {
    return std::ranges::any_of(options.exports, [](const Given& one) { return one.text == "-"; });
}

}  // namespace attn
