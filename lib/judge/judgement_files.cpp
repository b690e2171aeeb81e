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
#include "text/html.hpp"
#include "text/printable.hpp"
#include "views/document/csv.hpp"
#include "views/document/markdown.hpp"
#include "words/translation.hpp"

namespace attn {

namespace {

// Where the `outputs` of a cell end in the bytes of a notebook: the place of the closing bracket.
struct OutputsEnd {
    std::size_t at;
    bool is_empty;
};

// The ends for each cell of a notebook, which is valid JSON.
std::map<std::size_t, OutputsEnd> ends_of_outputs(std::string_view json) {
    constexpr std::string_view blank = " \t\r\n";
    std::map<std::size_t, OutputsEnd> ends;
    std::vector<std::string_view> keys;  // the last one of each open object; empty for arrays
    std::size_t cell = 0;
    char last = ' ';
    for (std::size_t at = 0; at < json.size(); ++at) {
        const char c = json[at];
        if (c == '"') {
            const std::size_t begin = ++at;
            while (json[at] != '"') {
                at += json[at] == '\\' ? 2 : 1;
            }
            if (const std::size_t next = json.find_first_not_of(blank, at + 1);
                next < json.size() && json[next] == ':') {
                keys.back() = json.substr(begin, at - begin);
            }
        } else if (c == '[' || c == '{') {
            keys.emplace_back();
        } else if (c == ']' || c == '}') {
            const bool are_cells = keys[0] == "cells" && keys.size() > 2 && keys[1].empty();
            if (are_cells && keys.size() == 4 && keys[2] == "outputs" && c == ']') {
                ends[cell] = {at, last == '['};
            }
            cell += are_cells && keys.size() == 3 ? 1 : 0;
            keys.pop_back();
        }
        last = blank.find(c) == std::string_view::npos ? c : last;
    }
    return ends;
}

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
    const std::map<std::size_t, OutputsEnd> ends = ends_of_outputs(bytes);
    if (ends.empty()) {
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
    for (const auto& [cell, end] : ends) {
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
