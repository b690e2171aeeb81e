#include "views/document/made_by.hpp"

#include <fmt/format.h>

#include <charconv>

namespace attn {

namespace {

// Before the command in a sheet's source. Each format leaves these characters as they are.
constexpr std::string_view announced = "made-by:";
constexpr std::string_view not_encoded =
    "%-_.,=:/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

std::string percent_encoded(std::string_view text) {
    std::string encoded;
    for (const char c : text) {
        const bool stays = c != '%' && not_encoded.find(c) != std::string_view::npos;
        encoded += stays ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return encoded;
}

std::string percent_decoded(std::string_view encoded) {
    std::string text;
    for (std::size_t at = 0; at < encoded.size(); ++at) {
        unsigned byte = 0;
        const char* const code = encoded.data() + at + 1;
        if (encoded[at] == '%' && at + 2 < encoded.size() &&
            std::from_chars(code, code + 2, byte, 16).ptr == code + 2) {
            text += static_cast<char>(byte);
            at += 2;
        } else {
            text += encoded[at];
        }
    }
    return text;
}

}  // namespace

std::string made_by(std::string_view command) {
    return fmt::format("{}{}", announced, percent_encoded(command));
}

std::optional<std::string> command_of_sheet(std::string_view sheet) {
    const std::size_t at = sheet.find(announced);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view encoded = sheet.substr(at + announced.size());
    return percent_decoded(encoded.substr(0, encoded.find_first_not_of(not_encoded)));
}

}  // namespace attn
