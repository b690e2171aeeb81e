// argv → Options → task, and the exit code.
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <new>
#include <span>
#include <string_view>

#include "exports.hpp"
#include "files/interruption.hpp"
#include "language.hpp"
#include "option_table.hpp"
#include "options.hpp"
#include "screen.hpp"
#include "tensor/error.hpp"
#include "tensor/threads.hpp"
#include "words/translation.hpp"

namespace {

enum ExitCode { agrees = 0, differs = 1, trouble = 2 };

void put(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
}

// Settings that a message names in backticks are the reader's options. Allocates nothing and never throws,
// even where memory or standard error is at an end.
int complain(std::string_view kind, std::string_view message) {
    put("attn-walkthrough: ");
    put(kind);
    while (!message.empty()) {
        const std::size_t open = message.find('`');
        const std::size_t close = message.find('`', open + 1);
        if (open == std::string_view::npos || close == std::string_view::npos) {
            break;
        }
        put(message.substr(0, open));
        if (const attn::OptionRow* const row = attn::option_for(message.substr(open + 1, close - open - 1))) {
            put("--");
            put(row->name);
            message.remove_prefix(close + 1);
        } else {
            put("`");
            message.remove_prefix(open + 1);
        }
    }
    put(message);
    put("\n");
    return trouble;
}

// In the reader's language, or where memory is at an end in English.
int complain(const attn::Error& error, std::span<const char* const> arguments) {
    try {
        return complain("", attn::worded(error.message(), attn::language_of_messages(arguments)));
    } catch (const std::exception&) {
        return complain("", error.what());
    }
}

}  // namespace

int main(int argc, char** argv) {
    attn::prepare_streams();
#if defined(SIGXFSZ)
    std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is then a failed write, with a message
#endif
    attn::end_when_input_is_lost(
        "attn-walkthrough: a file became shorter, or could not be read on, while it was read.\n", trouble);
    try {
        attn::require_stack();
        const attn::Options options = attn::parse_options(argc, argv);
        attn::set_num_threads(options.threads);
        attn::require_targets(options);
        return options.task(options) ? agrees : differs;
    } catch (const attn::Error& error) {
        return complain(error, {argv, static_cast<std::size_t>(argc)});
    } catch (const std::bad_alloc&) {
        return complain("", "not enough memory for tensors this large.");
    } catch (const std::exception& error) {
        return complain("internal error: ", error.what());
    }
}
