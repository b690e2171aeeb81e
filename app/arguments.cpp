#include "arguments.hpp"

#if defined(_WIN32)
#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <fcntl.h>
#include <io.h>
#include <windows.h>
// After windows.h, which it needs:
#include <shellapi.h>

#include <memory>
#endif

namespace attn {

#if defined(_WIN32)

namespace {

std::string in_utf8(const wchar_t* text) {
    const int size = ::WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);
    std::string result(static_cast<std::size_t>(size), '\0');
    ::WideCharToMultiByte(CP_UTF8, 0, text, -1, result.data(), size, nullptr, nullptr);
    result.pop_back();  // the terminating NUL
    return result;
}

}  // namespace

std::vector<std::string> arguments(int, const char* const*) {
    ::SetConsoleOutputCP(CP_UTF8);
    for (const int stream : {0, 1, 2}) {
        ::_setmode(stream, _O_BINARY);
    }
    int count = 0;
    const std::unique_ptr<wchar_t*, decltype(&::LocalFree)> words(
        ::CommandLineToArgvW(::GetCommandLineW(), &count), ::LocalFree);
    std::vector<std::string> result;
    for (int i = 0; i < count; ++i) {
        result.push_back(in_utf8(words.get()[i]));
    }
    return result;
}

#else

std::vector<std::string> arguments(int argc, const char* const* argv) {
    return {argv, argv + argc};
}

#endif

}  // namespace attn
