#include "printed/decode.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "files/utf8_text.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "text/replace.hpp"
#include "text/terminal.hpp"
#include "text/utf8.hpp"

namespace attn {

namespace {

constexpr std::size_t max_paste_bytes = std::size_t{64} << 20U;

// Converts little-endian UTF-16 with a byte order mark to UTF-8; other bytes stay.
std::string utf8_of(std::string_view bytes) {
    if (!bytes.starts_with("\xFF\xFE") || bytes.size() % 2 != 0) {
        return std::string(bytes);
    }
    std::string text;
    for (std::size_t at = 2; at < bytes.size(); at += 2) {
        const char32_t low = static_cast<unsigned char>(bytes[at]);
        const char32_t code = low | static_cast<char32_t>(static_cast<unsigned char>(bytes[at + 1])) << 8U;
        append_utf8(code >= 0xD800 && code <= 0xDFFF ? 0xFFFD : code, text);
    }
    return text;
}

constexpr std::string_view remedy =
    "paste what PyTorch prints, hand in the notebook (.ipynb), or save the numbers with np.save";

// The first bytes of binary formats, and of documents whose numbers stand among marks of their own.
struct Magic {
    std::string_view magic;
    std::string_view name;
};
constexpr Magic formats[] = {
    {"\x89PNG", "a picture (PNG)"},
    {"\xFF\xD8\xFF", "a picture (JPEG)"},
    {"GIF8", "a picture (GIF)"},
    {"%PDF", "a PDF"},
    {"\x1F\x8B", "packed with gzip"},
    {"\x89HDF", "an HDF5 file"},
    {"\177ELF", "a program"},
    {"<!doctype html", "a web page (HTML)"},
    {"<!DOCTYPE html", "a web page (HTML)"},
    {"<html", "a web page (HTML)"},
    {"\\documentclass", "a LaTeX document"},
};

// HTML's entities, and what they mean.
constexpr std::array<std::string_view, 2> entities[] = {
    {"&nbsp;", " "}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&minus;", "-"}};

// Returns the ASCII character that replaces a code point, or NUL if it stays.
char ascii_of(char32_t code) {
    const auto between = [&](char32_t first, char32_t last) { return first <= code && code <= last; };
    if (between(0xFF01, 0xFF5E)) {  // full-width characters
        return static_cast<char>(code - 0xFEE0);
    }
    if (between(0x2000, 0x200B)) {  // spaces of other widths
        return ' ';
    }
    constexpr std::u32string_view written =
        U"\u00a0\u2028\u202f\u205f\u3000\ufeff\u3002\u201c\u201d\u2018\u2019\u2010\u2011\u2012\u2013\u2212"
        U"\ufe63"
        U"\u3001\u3010\u3011\u2502\u2503\u2506\u2507\u250a\u250b\u2551";
    constexpr std::string_view meant = "       \"\"''------,[]|||||||";
    if (const std::size_t place = written.find(code); place != std::u32string_view::npos) {
        return meant[place];
    }
    return between(0x2500, 0x257F) ? '-' : '\0';  // other box-drawing lines
}

}  // namespace

void refuse_binary(std::string_view bytes, std::string_view origin) {
    std::string_view first = bytes;
    while (first.starts_with('%') && !first.starts_with("%PDF")) {  // a comment of LaTeX
        first.remove_prefix(std::min(first.find('\n'), first.size() - 1) + 1);
    }
    const auto format =
        std::ranges::find_if(formats, [&](const Magic& one) { return first.starts_with(one.magic); });
    if (format != std::end(formats)) {
        throw Error("{}: this is {}; {}.", printable(origin), format->name, remedy);
    }
    constexpr std::size_t enough = 4096;
    const std::string_view begin = bytes.substr(0, enough);
    // In UTF-16 text, NUL bytes stand between letters; such text gets a different message.
    const bool nothing = begin.find(std::string_view("\0\0\0\0", 4)) != std::string_view::npos;
    const auto control = [](char c) { return (c > '\0' && c < '\b') || (c > '\r' && c < '\x1B'); };
    const auto count = static_cast<std::size_t>(std::ranges::count_if(begin, control));
    constexpr std::size_t few = 4;  // a text may contain a few control characters by accident
    if (nothing || count > std::max(few, begin.size() / 64)) {
        throw Error("{}: binary file, expected text; {}.", printable(origin), remedy);
    }
}

std::string decode_paste(std::string_view bytes, std::string_view origin) {
    if (bytes.size() > max_paste_bytes) {
        throw OverLimit(
            Message("{}: more than {} bytes of text, the limit.", printable(origin), max_paste_bytes));
    }
    const std::string text = utf8_of(bytes);
    return without_escapes(utf8_text(text, origin));
}

std::string with_ascii_signs(std::string_view text) {
    std::string plain(text);
    for (const auto& [written, meant] : entities) {
        replace_all(plain, written, meant);
    }
    std::string ascii;
    ascii.reserve(plain.size());
    for (std::size_t at = 0; at < plain.size();) {
        const CodePoint code = decode_utf8(plain, at);
        const char meant = code.length > 1 ? ascii_of(code.value) : '\0';
        if (meant == '\0') {
            ascii.append(plain, at, code.length);
        } else {
            ascii += meant;
        }
        at += code.length;
    }
    return ascii;
}

}  // namespace attn
