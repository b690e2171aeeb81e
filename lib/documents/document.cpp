#include "documents/document.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "documents/readers.hpp"
#include "printed/decode.hpp"
#include "printed/loader.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "text/replace.hpp"

namespace attn {

Message place_text(const Place& place) {
    if (place.tensor) {
        return Message("tensor {}", *place.tensor + 1);
    }
    if (!place.cell) {
        return Message("line {}", place.line);
    }
    return place.execution_count ? Message("cell {} [{}]", *place.cell + 1, *place.execution_count)
                                 : Message("cell {}", *place.cell + 1);
}

Place Item::place_of(std::size_t line) const {
    Place at = place;
    at.line = place.line + line - 1;
    for (const Piece& piece : pieces) {
        if (piece.line < line || (piece.line == line && piece.begins_line)) {
            at.output = piece.output;
            at.line = line - piece.line + 1;
        }
    }
    return at;
}

void ItemList::add_line(Item::Kind kind, std::string_view text, std::size_t line) {
    const bool is_blank = text.find_first_not_of(" \t\r") == std::string_view::npos;
    if (!is_separate_ && (items.back().kind == kind || is_blank)) {
        items.back().text.append(text) += '\n';
    } else if (!is_blank) {
        items.push_back({kind, std::string(text) + '\n', {.line = line}});
        is_separate_ = false;
    }
}

Document read_document(std::string_view bytes, std::string_view origin) {
    using enum Document::Format;
    refuse_binary(bytes, origin);
    std::string text = decode_paste(bytes, origin);
    replace_all(text, "\u00a0", " ");  // in code copied from a page
    Document document{std::string(origin), notebook, read_notebook(text, origin)};
    const auto try_format = [&](Document::Format format, auto read) {
        if (document.items.empty()) {
            document.format = format;
            document.items = read();
        }
    };
    try_format(markdown, [&] { return read_markdown(text); });
    try_format(session, [&] { return read_session({text}); });
    try_format(script, [&] { return read_script({text}); });
    try_format(plain, [&] { return read_mixed({text}); });
    try_format(plain, [&] { return std::vector<Item>{{Item::Kind::output, text}}; });
    if (document.items.size() > max_document_items) {
        throw Error("{}: more than {} cells and outputs, the limit.", printable(origin), max_document_items);
    }
    for (Item& item : document.items) {
        item.place.file = document.origin;
    }
    return document;
}

Document document_of(const Bytes& bytes, const std::string& origin) {
    if (open_tensor_file(bytes, origin) == nullptr) {
        return read_document(*bytes, origin);
    }
    Document document{.origin = origin};
    for (PrintedTensor& tensor : load_tensors(bytes, origin).tensors) {
        const Place place{.file = origin, .tensor = document.items.size()};
        document.items.push_back({.kind = Item::Kind::output, .place = place, .saved = {std::move(tensor)}});
    }
    return document;
}

}  // namespace attn
