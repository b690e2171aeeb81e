// Any command line, one argument per line, run as the program runs it, with its output thrown away.
#include <fcntl.h>
#include <unistd.h>

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "tensor/error.hpp"

namespace {

// Files would be written wherever the bytes say, so no path leaves the folder of this process; and numbers of
// many digits ask for tensors that only take time.
bool is_harmless(const std::string& text) {
    std::size_t digits = 0;
    for (const char c : text) {
        digits = std::isdigit(static_cast<unsigned char>(c)) != 0 ? digits + 1 : 0;
        if (c == '/' || digits > 2) {
            return false;
        }
    }
    return true;
}

void prepare() {
    static const bool prepared = [] {
        char folder[] = "/tmp/attn-fuzz-XXXXXX";
        const int null = ::open("/dev/null", O_RDWR);
        return ::mkdtemp(folder) != nullptr && ::chdir(folder) == 0 &&
               ::dup2(null, STDIN_FILENO) == STDIN_FILENO && ::dup2(null, STDOUT_FILENO) == STDOUT_FILENO;
    }();
    if (!prepared) {
        std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    prepare();
    std::vector<std::string> arguments(1);
    for (std::size_t i = 0; i < size; ++i) {
        if (bytes[i] == '\n' || bytes[i] == 0) {
            arguments.emplace_back();
        } else {
            arguments.back() += static_cast<char>(bytes[i]);
        }
    }
    for (const std::string& argument : arguments) {
        if (!is_harmless(argument)) {
            return -1;
        }
    }
    try {
        attn::CommandLine(arguments).run();
    } catch (const attn::Error&) {
    }
    return 0;
}
