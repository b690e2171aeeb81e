#include "judge/judgement_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "files/json_value.hpp"
#include "judge/judgement_text.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "views/document/csv.hpp"
#include "views/document/markdown.hpp"
#include "views/page/html.hpp"
#include "words/translation.hpp"

namespace attn {

namespace {

// Finds the ends of the `outputs` arrays of the cells in the bytes of a notebook, which is valid JSON.
class OutputArrays {
public:
    explicit OutputArrays(std::string_view json)
        : json_(json), at_(json.starts_with("\xef\xbb\xbf") ? 3 : 0) {  // a byte order mark
        value({});
    }

    struct End {
        std::size_t at;  // the closing bracket
        bool is_empty;
    };
    const std::map<std::size_t, End>& ends() const { return ends_; }

private:
    void blanks() { at_ = std::min(json_.find_first_not_of(" \t\r\n", at_), json_.size()); }

    std::string_view string() {
        const std::size_t begin = ++at_;
        for (; at_ < json_.size() && json_[at_] != '"'; ++at_) {
            at_ += json_[at_] == '\\' ? 1 : 0;
        }
        return json_.substr(begin, at_++ - begin);
    }

    // `path` has the keys, and the index of the cell.
    void value(const std::string& path) {
        blanks();
        const char first = at_ < json_.size() ? json_[at_] : '\0';
        if (first == '"') {
            string();
        } else if (first == '{' || first == '[') {
            members(path, first == '{');
        } else {
            at_ = std::min(json_.find_first_of(",]} \t\r\n", at_), json_.size());
        }
    }

    void members(const std::string& path, bool is_object) {
        ++at_;
        std::size_t index = 0;
        for (blanks(); at_ < json_.size() && json_[at_] != ']' && json_[at_] != '}'; blanks()) {
            std::string key = std::to_string(index++);
            if (is_object) {
                key = string();
                std::ranges::replace(key, '/', '~');  // "cells/0" is another path
                blanks();
                ++at_;  // the colon
            }
            if (path == "/cells") {
                cell_ = index - 1;
            }
            value(path.size() < 100 ? path + "/" + key : path);
            blanks();
            at_ += at_ < json_.size() && json_[at_] == ',' ? 1 : 0;
        }
        if (path == fmt::format("/cells/{}/outputs", cell_) && !is_object) {
            ends_[cell_] = {at_, index == 0};
        }
        ++at_;
    }

    std::string_view json_;
    std::size_t at_ = 0;
    std::size_t cell_ = 0;
    std::map<std::size_t, End> ends_;
};

struct TableRow {
    std::string file, outputs, right, place, label, mistake, line;

    std::array<const std::string*, 7> fields() const {
        return {&file, &outputs, &right, &place, &label, &mistake, &line};
    }
};

std::vector<TableRow> table_rows(std::span<const JudgedDocument> documents, const Words& phrases) {
    std::vector<TableRow> all;
    for (const JudgedDocument& one : documents) {
        const std::vector<Judged>& outputs = one.judgement.outputs;
        const auto right =
            std::ranges::count_if(outputs, [](const Judged& output) { return is_right(output.verdict); });
        TableRow row{printable(one.document.origin),
                     std::to_string(outputs.size()),
                     std::to_string(right),
                     "",
                     "",
                     "",
                     ""};
        if (const auto first = one.judgement.first_departure()) {
            const Judged& output = outputs[*first];
            row.place = worded(place_text(output.place), phrases.language());
            row.label = printable(output.label);
            row.mistake = output.diagnosis.matches.empty()
                              ? ""
                              : fmt::format("{}", fmt::join(output.diagnosis.matches.front().mistakes, ", "));
            row.line = printable(output.line);
        }
        all.push_back(std::move(row));
    }
    return all;
}

std::vector<std::string> headings(const Words& phrases) {
    std::vector<std::string> all;
    for (const char* const key : {"file", "outputs", "right", "place", "label", "mistake", "line"}) {
        all.push_back(phrases(std::string("report_") + key));
    }
    return all;
}

}  // namespace

std::string checked_notebook(std::string_view bytes, const JudgedDocument& judged, const Words& phrases) {
    const OutputArrays arrays(bytes);
    if (arrays.ends().empty()) {
        throw Error("{}: expected a notebook of format 4 to write a checked notebook.",
                    printable(judged.document.origin));
    }
    std::map<std::size_t, std::vector<std::string>> lines;
    for (const Judged& output : judged.judgement.outputs) {
        if (output.place.cell) {
            lines[*output.place.cell].push_back(printable(output.label) + ": " +
                                                verdict_text(judged.judgement, output, phrases));
        }
    }
    std::string result;
    std::size_t from = 0;
    for (const auto& [cell, end] : arrays.ends()) {
        const auto found = lines.find(cell);
        if (found == lines.end()) {
            continue;
        }
        const Json text = fmt::format("attn-walkthrough\n{}", fmt::join(found->second, "\n"));
        const Json output{
            {"data", {{"text/plain", text}}}, {"metadata", Json::object()}, {"output_type", "display_data"}};
        result += bytes.substr(from, end.at - from);
        result += (end.is_empty ? "" : ",") + json_text(output, JsonLayout::compact);
        from = end.at;
    }
    result += bytes.substr(from);
    return result;
}

std::string report_csv(std::span<const JudgedDocument> documents, const Words& phrases) {
    std::string text = fmt::format("{}\n", fmt::join(headings(phrases), ","));
    for (const TableRow& row : table_rows(documents, phrases)) {
        std::vector<std::string> fields;
        for (const std::string* const field : row.fields()) {
            fields.push_back(csv_token(*field));
        }
        text += fmt::format("{}\n", fmt::join(fields, ","));
    }
    return text;
}

std::string report_markdown(std::span<const JudgedDocument> documents, const Words& phrases) {
    std::string text =
        fmt::format("| {} |\n|{}\n", fmt::join(headings(phrases), " | "), "---|---|---|---|---|---|---|");
    for (const TableRow& row : table_rows(documents, phrases)) {
        text += "|";
        for (const std::string* const field : row.fields()) {
            const bool is_code = field == &row.line || field == &row.label;
            std::string shown;  // in a table, a backslash goes before a bar even in code
            for (const char c : *field) {
                shown += is_code && c == '|' ? "\\|" : std::string(1, c);
            }
            text +=
                shown.empty() ? " |" : " " + (is_code ? markdown_code(shown) : markdown_prose(shown)) + " |";
        }
        text += "\n";
    }
    return text;
}

std::string report_html(std::span<const JudgedDocument> documents, const Words& phrases) {
    std::string text = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<meta "
        "charset=\"utf-8\">\n<title>attn-walkthrough</title>\n<style>\nbody {{ font: 16px "
        "sans-serif; margin: 2em; color-scheme: light dark }}\ntd, th {{ padding: .3em .8em; text-align: "
        "left; border-bottom: 1px "
        "solid #8888 }}\n</style>\n<table>\n<tr><th>{}</tr>\n",
        phrases.language(), fmt::join(headings(phrases), "<th>"));
    for (const TableRow& row : table_rows(documents, phrases)) {
        text += "<tr>";
        for (const std::string* const field : row.fields()) {
            const bool is_code = field == &row.line || field == &row.label;
            text += is_code ? "<td><code>" + escaped(*field) + "</code>" : "<td>" + escaped(*field);
        }
        text += "</tr>\n";
    }
    return text + "</table>\n</html>\n";
}

}  // namespace attn
