// Pasted texts and what they are read as, from tests/pastes.json. Sections named like a table show a whole
// step of causal. tests/cli/forms.py gives those of steps to the program.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>
#include <span>

#include "diagnosis/pieces.hpp"
#include "files/json.hpp"
#include "printed/reader.hpp"
#include "refusal.hpp"
#include "walked.hpp"

using attn::Json;
using attn::JsonView;
using attn::PrintedNumber;
using attn::PrintedTensor;
using Strings = std::vector<std::string>;

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
    }
}

// Returns the text of a paste. The table of its section stands at {tensor} as PyTorch prints it, and at
// {rows} as a list. A line with {line} or {row} is repeated for each printed line or row; {i} and {n} count
// them from 0 and 1.
std::string text_of(const JsonView& paste, const Strings& rows) {
    const JsonView parts = paste.at("text");
    std::string text =
        parts.kind() == "string" ? parts.string() : fmt::format("{}", fmt::join(parts.strings(), "\n"));
    const std::size_t place = std::min(text.find("{line}"), text.find("{row}"));
    const std::size_t begin = text.rfind('\n', place) + 1;
    const std::size_t end = std::min(text.find('\n', place), text.size());
    Strings lines;
    Strings repeated;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        lines.push_back((i == 0 ? "tensor([[" : "        [") + rows[i] +
                        (i + 1 == rows.size() ? "]])" : "],"));
        std::string& line = repeated.emplace_back(text, begin, end - begin);
        replace_all(line, "{line}", lines.back());
        replace_all(line, "{row}", rows[i]);
        replace_all(line, "{i}", std::to_string(i));
        replace_all(line, "{n}", std::to_string(i + 1));
    }
    if (place != std::string::npos) {
        text.replace(begin, end - begin, fmt::format("{}", fmt::join(repeated, "\n")));
    }
    replace_all(text, "{tensor}", fmt::format("{}", fmt::join(lines, "\n")));
    replace_all(text, "{rows}", fmt::format("[{}]", fmt::join(rows, "], [")));
    if (const auto changes = paste.find("replace")) {
        for (const auto& [from, to] : changes->members()) {
            replace_all(text, from, to.string());
        }
    }
    return text;
}

// Returns the next numbers as nested lists with these sizes.
Json nested(std::span<const std::size_t> sizes, const PrintedNumber*& next) {
    if (sizes.empty()) {
        const double x = next++->value;
        return std::isfinite(x) ? Json(x) : Json(fmt::format("{}", x));
    }
    Json rows = Json::array();
    for (std::size_t i = 0; i < sizes[0]; ++i) {
        rows.push_back(nested(sizes.subspan(1), next));
    }
    return rows;
}

// Returns all fields that a paste may have for a tensor; `units` are those of the last digits, one if all are
// equal.
Json said_of(const PrintedTensor& x) {
    std::vector<double> units;
    for (const PrintedNumber& number : x.numbers) {
        units.push_back(std::stod(fmt::format("{:.6g}", last_unit(number))));
    }
    const bool is_one = std::ranges::count(units, units.at(0)) == std::ssize(units);
    const PrintedNumber* next = x.numbers.data();
    return {{"shape", x.shown},
            {"numbers", nested(std::span(x.shown.begin(), x.shown.end()), next)},
            {"units", is_one ? Json(units[0]) : Json(units)},
            {"name", x.name},
            {"place", x.place},
            {"line", x.line},
            {"dtype", x.dtype},
            {"grad_fn", x.grad_fn},
            {"mended", x.mended}};
}

// Numbers are equal if their values are; 1 is 1.0.
bool same(const Json& said, const JsonView& expected) {
    if (expected.kind() == "number") {
        const auto* const real = said.get<double>();
        const auto* const whole = said.get<std::uint64_t>();
        return (real != nullptr && *real == expected.number()) ||
               (whole != nullptr && static_cast<double>(*whole) == expected.number());
    }
    const auto* const elements = said.get<Json::Array>();
    if (expected.kind() != "array" || elements == nullptr) {
        return attn::json_text(said, attn::JsonLayout::compact) == expected.text();
    }
    return std::ranges::equal(*elements, expected.elements(), same);
}

// Compares the fields of a tensor; other fields are of the whole paste.
void check_tensor(const PrintedTensor& x, const JsonView& expected) {
    static const std::set<std::string_view> others{"form", "text", "replace", "is", "skipped", "leaves_out"};
    Json said = said_of(x);
    for (const auto& member : expected.members()) {
        const std::string_view field = member.first;
        CAPTURE(field);
        CHECK((others.contains(field) || same(said[field], member.second)));
    }
}

void check_paste(const std::string& text, const JsonView& paste, std::string_view step) {
    if (const auto refused = paste.find("refused")) {
        const std::string message = attn::refusal_of([&] { attn::read_tensors(text, "pasted.txt"); });
        CAPTURE(message);
        CHECK(message.starts_with("pasted.txt" + refused->string()));
        return;
    }
    const attn::PrintedText read = attn::read_tensors(text, "pasted.txt");
    const auto several = paste.find("tensors");
    const std::vector<JsonView> tensors = several ? several->elements() : std::vector{paste};
    REQUIRE(read.tensors.size() == tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        check_tensor(read.tensors[i], tensors[i]);
    }
    Strings skipped;
    for (const attn::Message& message : read.skipped) {
        skipped.push_back(message.english());
    }
    const auto expected_skipped = paste.find("skipped");
    CHECK((!expected_skipped || skipped == expected_skipped->strings()));
    const auto leaves_out = paste.find("leaves_out");
    CHECK((!leaves_out || read.leaves_out == leaves_out->boolean()));
    static const attn::StageTrace causal = attn::walk_defaults("causal");
    if (const auto whole = causal.find(step)) {
        const auto piece = attn::Pattern(read.tensors.front()).find_in(causal.node(*whole).value);
        CHECK((piece && piece->index.empty() && !piece->exchanged));
    }
}

}  // namespace

TEST_CASE("every paste is read as tests/pastes.json says") {
    std::ifstream file(ATTN_TESTS "/pastes.json");
    const std::string corpus_text{std::istreambuf_iterator<char>(file), {}};
    const JsonView corpus = attn::parse_json(corpus_text, "pastes.json");
    std::size_t count = 0;
    for (const auto& member : corpus.at("pastes").members()) {
        const std::string_view section = member.first;
        const auto table = corpus.at("tables").find(section);
        const Strings rows = table ? table->strings() : Strings();
        for (const JsonView& paste : member.second.elements()) {
            const std::string text = text_of(paste, rows);
            CAPTURE(section);
            CAPTURE(text);
            check_paste(text, paste, section);
            ++count;
        }
    }
    CHECK(count > 320);
}
