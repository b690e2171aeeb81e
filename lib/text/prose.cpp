#include "text/prose.hpp"

#include <algorithm>
#include <cstddef>

#include "text/split.hpp"
#include "text/width.hpp"

namespace attn {

namespace {

// A part of a word that cannot be broken: usually the whole word, in scripts without spaces a single
// character.
struct ProsePart {
    std::string_view bytes;
    std::size_t columns = 0;
};

ProsePart first_piece(std::string_view word) {
    ProsePart piece;
    Glyph before{};
    while (piece.bytes.size() < word.size()) {
        const Glyph glyph = glyph_at(word, piece.bytes.size());
        if (!piece.bytes.empty() && may_break_between(before, glyph)) {
            break;
        }
        piece = {word.substr(0, piece.bytes.size() + glyph.bytes.size()), piece.columns + glyph.columns};
        before = glyph;
    }
    return piece;
}

}  // namespace

std::string wrapped(std::string_view prose, std::size_t columns) {
    std::string text;
    std::size_t column = 0;
    while (!prose.empty()) {
        std::string_view word = up_to(prose, " ");
        prose.remove_prefix(std::min(prose.size(), word.size() + 1));
        std::size_t space = column == 0 ? 0 : 1;
        do {
            const ProsePart piece = first_piece(word);
            if (column > 0 && column + space + piece.columns > columns) {
                text += '\n';
                column = 0;
                space = 0;
            }
            text.append(space, ' ').append(piece.bytes);
            column += space + piece.columns;
            space = 0;
            word.remove_prefix(piece.bytes.size());
        } while (!word.empty());
    }
    return text + "\n";
}

std::string hanging(std::string_view head, std::string_view prose, std::size_t columns) {
    constexpr std::size_t least = 16;
    const std::size_t indent = display_width(head);
    const std::string lines = wrapped(prose, std::max(columns - std::min(columns, indent), least));
    std::string text(head);
    for (const char c : lines.substr(0, lines.size() - 1)) {
        text += c;
        text.append(c == '\n' ? indent : 0, ' ');
    }
    return text + "\n";
}

void add_sentence(std::string& text, std::string_view sentence) {
    const bool ends_in_ascii = !text.empty() && static_cast<unsigned char>(text.back()) < 0x80;
    text.append(ends_in_ascii && !sentence.empty() ? " " : "").append(sentence);
}

}  // namespace attn
