#include "exports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "answers/answers.hpp"
#include "files/sink.hpp"
#include "files/system.hpp"
#include "parameters.hpp"
#include "spelling.hpp"
#include "tensor/error.hpp"
#include "tensor/threads.hpp"
#include "terminal.hpp"
#include "text/ascii.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "views/format.hpp"

namespace attn {

const FileFormat* format_of_suffix(std::string_view name) {
    const std::string lower = lowered(name);
    for (const FileFormat& format : formats()) {
        if (lower.ends_with(format.suffix)) {
            return &format;
        }
    }
    return nullptr;
}

Export export_to(std::string_view option, const std::string& name, std::string_view suffixes) {
    std::vector<std::string_view> possible;
    for (const FileFormat& one : formats()) {
        if (suffixes.empty() || contains(suffixes, one.suffix)) {
            possible.push_back(one.suffix);
        }
    }
    const auto is_possible = [&](std::string_view suffix) { return contains(possible, suffix); };
    const FileFormat* const format = format_of_suffix(name);
    if (format == nullptr || !is_possible(format->suffix)) {
        const std::size_t dot = std::min(name.rfind('.'), name.size());
        const std::string guess = first_guess("suffixes", std::string_view(name).substr(dot));
        const std::string_view meant = is_possible(guess)     ? std::string_view(guess)
                                       : is_possible(".html") ? ".html"
                                       : is_possible(".md")   ? ".md"
                                                              : possible.front();
        if (name.ends_with('/') || kind_of(name) == FileKind::folder) {
            const std::string file = name + (name.ends_with('/') ? "" : "/") + "causal" + std::string(meant);
            throw Error("{}: is a folder; give the path of a file.", printable(name)).correcting(name, file);
        }
        const bool is_stream = kind_of(name) == FileKind::device || name == "/dev/stdout" || name == "-";
        const std::string before = is_stream ? "-" : name.substr(0, dot);
        const FileFormat* const inner = format_of_suffix(before);  // .html of x.html.gz
        const std::string right =
            before + (inner != nullptr && is_possible(inner->suffix) ? "" : std::string(meant));
        const std::string wrong = is_stream ? std::string(option) + " " + name : name;
        throw Error(
            "{}: expected a file that ends in {} (for standard output, -{} and the "
            "like) but received "
            "{}.{}",
            option, joined(possible), possible.front(), in_quotes(name),
            Message(" Did you mean {}?", in_quotes(right)).correcting(wrong, right));
    }
    const bool is_standard_output = name.starts_with('-') && name.size() == format->suffix.size() + 1;
    return {option, is_standard_output ? "-" : name, format};
}

void write_exports(const RunOptions& options,
                   const std::function<void(const Export&, const WriteBytes&)>& write) {
    for (const Export& one : options.exports) {  // none is written if one cannot be
        refuse_to_overwrite_input(one.target);
    }
    if (options.is_rehearsal) {
        return;
    }
    std::vector<Export> exports = options.exports;  // standard output last: it cannot be taken back
    std::stable_partition(exports.begin(), exports.end(),
                          [](const Export& one) { return one.target != "-"; });
    std::deque<Sink> sinks;
    std::string written;
    for (const Export& one : exports) {
        Sink& sink = sinks.emplace_back(one.target);
        std::size_t count = 0;
        write(one, [&](std::string_view bytes) {
            sink.write(bytes);
            count += bytes.size();
        });
        sink.finish();
        if (one.target != "-" && output_is_terminal()) {
            const std::string size = count < 1000        ? fmt::format("{} B", count)
                                     : count < 1'000'000 ? fmt::format("{:.0f} kB", double(count) / 1e3)
                                                         : fmt::format("{:.1f} MB", double(count) / 1e6);
            const Words words(options.language, "program");
            written += words("wrote", printable(one.target), size) + "\n";
        }
    }
    std::ranges::for_each(sinks, &Sink::commit);
    if (!written.empty()) {
        write_standard_output(written);
    }
}

void prepare(const RunOptions& options, std::string_view data) {
    set_num_threads(options.threads);
    require_use(options);
    if (int(options.input == "-") + int(options.weights == "-") + int(data == "-") > 1) {
        throw Error("only one file can come from standard input; name the others.");
    }
    if (std::ranges::count(options.exports, "-", &Export::target) > 1) {
        const Export& last = *std::ranges::find_if(options.exports.rbegin(), options.exports.rend(),
                                                   [](const Export& one) { return one.target == "-"; });
        const std::string suffix(last.format->suffix);
        const std::string stage(options.stages.empty() ? "causal" : options.stages.front()->name);
        throw Error("only one file can go to standard output; name the others.")
            .correcting(std::string(last.option) + " -" + suffix, stage + suffix);
    }
    for (auto one = options.exports.begin(); one != options.exports.end(); ++one) {
        if (one->target == "-" && one->format->is_binary && output_is_terminal()) {
            throw Error(
                "{}: a terminal cannot show {}; give a file name, or "
                "redirect standard output.",
                one->option, one->format->suffix);
        }
        for (auto other = options.exports.begin(); other != one; ++other) {
            if (would_be_one_file(one->target, other->target)) {
                throw Error("{} and {} would write the same file; give two different files.",
                            fmt::format("{} {}", other->option, printable(other->target)),
                            fmt::format("{} {}", one->option, printable(one->target)));
            }
        }
        require_writable(one->target);
    }
}

void write_exports(const RunOptions& options, const std::function<std::string()>& content) {
    write_exports(options, [&](const Export&, const WriteBytes& write) { write(content()); });
}

void write_or_show(const RunOptions& options, const std::function<std::string()>& content,
                   std::string_view text) {
    write_exports(options, content);
    if (!exports_to_standard_output(options)) {
        show(options, text);
    }
}

bool exports_to_standard_output(const RunOptions& options) {
    return contains(options.exports, "-", &Export::target);
}

}  // namespace attn
