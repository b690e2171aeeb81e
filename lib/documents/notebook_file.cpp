// Jupyter notebooks. Outputs without text, such as pictures, are left out.
#include <algorithm>

#include "documents/readers.hpp"
#include "files/json.hpp"
#include "text/terminal.hpp"

namespace attn {

namespace {

// A string, or an array of strings to join.
std::string text_of(const std::optional<JsonView>& value) {
    std::string text;
    if (value && value->kind() == "string") {
        text = value->string();
    } else if (value && value->kind() == "array") {
        for (std::size_t i = 0; i < value->size(); ++i) {
            text += text_of((*value)[i]);
        }
    }
    return text;
}

// Returns the first of these members that is there: nbformat 3 and 4 have different names.
std::optional<JsonView> member(const JsonView& object, std::string_view name, std::string_view older) {
    if (object.kind() != "object") {
        return std::nullopt;
    }
    auto found = object.find(name);
    return found ? found : object.find(older);
}

std::string traceback(const JsonView& output) {
    std::string text;
    const auto lines = output.find("traceback");
    for (std::size_t i = 0; lines && lines->kind() == "array" && i < lines->size(); ++i) {
        text += text_of((*lines)[i]) + '\n';
    }
    return text.empty() ? text_of(output.find("ename")) + ": " + text_of(output.find("evalue")) : text;
}

class CellReader {
public:
    CellReader(std::vector<Item>& items, const JsonView& cell, std::size_t index)
        : items_(items), cell_(cell) {
        place_.cell = index;
    }

    void read() {
        const std::string type = text_of(member(cell_, "cell_type", "type"));
        const auto count = member(cell_, "execution_count", "prompt_number");
        if (count && count->kind() == "number" && count->number() >= 0.0 && count->number() < 1e9) {
            place_.execution_count = static_cast<std::size_t>(count->number());
        }
        add(type == "code" ? Item::Kind::code : Item::Kind::prose, text_of(member(cell_, "source", "input")));
        const auto outputs = member(cell_, "outputs", "outputs");
        for (; outputs && outputs->kind() == "array" && place_.output < outputs->size(); ++place_.output) {
            read_output((*outputs)[place_.output]);
        }
    }

private:
    void add(Item::Kind kind, const std::string& text) {
        if (!text.empty()) {
            items_.push_back({kind, without_escapes(text), place_});
        }
    }

    void read_output(const JsonView& output) {
        const std::string type = text_of(member(output, "output_type", "type"));
        if (type == "stream") {
            const std::string stream = text_of(member(output, "name", "stream"));
            if (stream == "stderr") {
                add(Item::Kind::error, text_of(output.find("text")));
            } else {
                add_stream(text_of(output.find("text")));
            }
            return;
        }
        stream_.reset();
        if (type == "error" || type == "pyerr") {
            add(Item::Kind::error, traceback(output));
        } else if (output.kind() == "object") {
            const auto data = output.find("data");
            add(Item::Kind::output,
                text_of(data ? member(*data, "text/plain", "text") : output.find("text")));
        }
    }

    // Appends to the stream before, even if there is standard error in between.
    void add_stream(const std::string& text) {
        if (!stream_) {
            stream_ = items_.size();
            newlines_ = 0;
            add(Item::Kind::output, text);
            if (text.empty()) {
                stream_.reset();
                return;
            }
        } else {
            Item& item = items_[*stream_];
            const bool begins_line = item.text.ends_with('\n');
            item.pieces.push_back({newlines_ + 1, place_.output, begins_line});
            item.text += without_escapes(text);
        }
        newlines_ += static_cast<std::size_t>(std::ranges::count(text, '\n'));
    }

    std::vector<Item>& items_;
    const JsonView& cell_;
    Place place_;
    std::optional<std::size_t> stream_;  // the index of the stream's item
    std::size_t newlines_ = 0;           // in the text of the stream
};

}  // namespace

std::vector<Item> read_notebook(std::string_view text, std::string_view origin) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{' ||
        text.find("\"nbformat\"") == std::string_view::npos) {
        return {};
    }
    const JsonView notebook = parse_json(text, origin);
    std::vector<Item> items;
    std::size_t index = 0;
    const auto add_cells = [&](const JsonView& sheet) {
        const JsonView cells = sheet.at("cells");
        for (std::size_t i = 0; i < cells.size(); ++i) {
            CellReader(items, cells[i], index++).read();
        }
    };
    if (const auto sheets = notebook.find("worksheets")) {  // nbformat 3
        for (std::size_t i = 0; i < sheets->size(); ++i) {
            add_cells((*sheets)[i]);
        }
    } else {
        add_cells(notebook);
    }
    return items;
}

}  // namespace attn
