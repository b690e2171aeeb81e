#include "diagnosis/diagnosis_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "diagnosis/bits.hpp"
#include "tensor/digits.hpp"
#include "text/printable.hpp"
#include "text/prose.hpp"

namespace attn {

namespace {

// What a diagnosis is told with.
struct Telling {
    const Lesson& lesson;
    const Words& phrases;
    const SpellSettings& spell;
};

// How to ask for these parameters, where they are not the stage's own: `--seed 123`.
std::string settings_text(const Stage& stage, const Parameters& parameters, const Telling& telling) {
    Parameters defaults = stage.defaults;
    defaults.context_length = parameters.context_length;  // which follows from the lesson
    defaults = resolved(defaults, uses(stage, "lesson") ? &telling.lesson : nullptr);
    std::vector<Setting> settings;
    for (const ParameterRow& row : parameter_table()) {
        const std::string value = row.json(parameters);
        if (uses(stage, row.name) && value != row.json(defaults)) {
            settings.push_back(setting_of(row, value));
        }
    }
    return telling.spell(settings);
}

// `attn_weights of causal with --seed 123`
std::string where(const Stage& stage, const Parameters& parameters, const std::string& step,
                  const Telling& telling) {
    const std::string settings = settings_text(stage, parameters, telling);
    return settings.empty() ? telling.phrases("of", step, stage.name)
                            : telling.phrases("with", step, stage.name, settings);
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find('\n', from), text.size());
        lines.push_back(text.substr(from, to - from));
        from = to + 1;
    }
    return lines;
}

// Each line beside the one it should be: there are as many of both.
std::string code(const Match& match, const Words& phrases) {
    const std::vector<std::string_view> yours = lines_of(match.line);
    const std::vector<std::string_view> right = lines_of(match.instead_of);
    std::string text;
    for (std::size_t i = 0; i < std::min(yours.size(), right.size()); ++i) {
        text +=
            fmt::format("    {}  {}\n    {}  {}\n", phrases("yours"), yours[i], phrases("right"), right[i]);
    }
    return text;
}

// `attn_weights_causal[1] (row 2)`; a matrix of several needs no more words than its index.
std::string taken(const Match& match, const Words& phrases) {
    const Piece& piece = match.piece;
    const std::string name = match.step + piece.index;
    const auto part = [&](const std::string& kind) { return phrases("part", name, kind); };
    switch (piece.kind) {
        case PieceKind::whole:
        case PieceKind::entry:
            return name;
        case PieceKind::row:
            return part(phrases("row", piece.first + 1));
        case PieceKind::rows:
            return part(phrases("rows", piece.first + 1, piece.first + piece.count));
        case PieceKind::column:
            return part(phrases("column", piece.first + 1));
        case PieceKind::number:
            return part(phrases("number"));
        case PieceKind::block:
            return part(phrases("block"));
        case PieceKind::transposed:
            return part(phrases("transposed_piece"));
        case PieceKind::reshaped:
            return part(phrases("reshaped"));
        case PieceKind::flattened:
            break;
    }
    return part(phrases("flattened"));
}

std::string match_text(const Match& match, const Telling& telling, std::span<const Match> told) {
    const Words& phrases = telling.phrases;
    const std::string settings = settings_text(*match.stage, match.parameters, telling);
    const std::string step = taken(match, phrases);
    if (match.mistakes.empty()) {
        return wrapped(settings.empty() ? phrases("is", step, match.stage->name)
                       : match.document.empty()
                           ? phrases("is_with", step, match.stage->name, settings)
                           : phrases("is_as_printed", step, match.stage->name, settings, match.document));
    }
    const std::string place = where(*match.stage, match.parameters, step, telling);
    const bool first = told.empty();
    if (std::ranges::find(told, match.mistakes, &Match::mistakes) != told.end()) {
        return wrapped(phrases("or_the_same", place));
    }
    std::string text;
    if (match.mistakes.size() == 1) {
        text =
            phrases(first ? "mistaken" : "or_mistaken", place, match.mistakes[0], phrases(match.mistakes[0]));
    } else {
        std::vector<std::string> both;
        for (const std::string_view id : match.mistakes) {
            both.push_back(phrases("which", id, phrases(id)));
        }
        text = phrases(first ? "mistaken_twice" : "or_mistaken_twice", place,
                       fmt::join(both, phrases("and_also")));
    }
    text = wrapped(text);
    return text + (match.line.empty() ? "" : code(match, phrases));
}

std::string number_text(float x) {
    return std::isfinite(x) ? shortest_digits(x) : std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
}

std::string nearest_text(const Nearest& nearest, const Telling& telling) {
    const Words& phrases = telling.phrases;
    std::vector<std::size_t> first(nearest.first.begin(),
                                   nearest.first.begin() + static_cast<std::ptrdiff_t>(nearest.shape.rank()));
    std::string text =
        phrases("nearest", where(*nearest.stage, nearest.parameters, nearest.step + nearest.piece, telling),
                nearest.numbers_agreeing, nearest.numbers, fmt::format("{:.1e}", nearest.largest_difference));
    add_sentence(text, phrases("first", fmt::join(first, "]["),
                               number_text(static_cast<float>(nearest.pasted)), number_text(nearest.right)));
    if (nearest.shape.rank() >= 2) {
        add_sentence(text, nearest.rows_agreeing.empty()
                               ? phrases("no_rows")
                               : phrases("rows_agreeing", fmt::join(nearest.rows_agreeing, ", ")));
    }
    return wrapped(text);
}

// What the numbers are, in a word or two.
std::string_view verdict(const Diagnosis& diagnosis) {
    if (diagnosis.matches.empty()) {
        return "verdict_unknown";
    }
    const Match& best = diagnosis.matches.front();
    return best.bits < convincing      ? "verdict_undecided"
           : best.mistakes.empty()     ? "verdict_right"
           : best.mistakes.size() == 1 ? "verdict_mistaken"
                                       : "verdict_mistaken_twice";
}

// What is four thousand times less likely than the first is no news.
std::span<const Match> worth_telling(const Diagnosis& diagnosis) {
    const std::vector<Match>& matches = diagnosis.matches;
    const auto end = std::ranges::find_if(
        matches, [&](const Match& match) { return match.bits < matches.front().bits - 12.0; });
    return {matches.begin(), end};
}

}  // namespace

std::string diagnosis_text(const PrintedText& pasted, const std::vector<Diagnosis>& diagnoses,
                           const Question& question, const Words& phrases, const SpellSettings& spell) {
    constexpr std::size_t most = 6;
    const Telling telling{question.lesson, phrases, spell};
    std::string text;
    for (std::size_t i = 0; i < pasted.tensors.size(); ++i) {
        const PrintedTensor& tensor = pasted.tensors[i];
        const std::string shape = tensor.shown.text();
        text += text.empty() ? "" : "\n";
        const bool is_line = tensor.place == fmt::format("line {}", tensor.line);
        const std::string place = is_line ? phrases("line", tensor.line) : printable(tensor.place);
        const std::string said = phrases(verdict(diagnoses[i]));
        text += (tensor.name.empty() || tensor.name == tensor.place
                     ? phrases("tensor", place, shape, said)
                     : phrases("named_tensor", place, printable(tensor.name), shape, said)) +
                "\n";
        const std::span<const Match> matches = worth_telling(diagnoses[i]);
        for (std::size_t n = 0; n < std::min(matches.size(), most); ++n) {
            text += match_text(matches[n], telling, matches.first(n));
        }
        if (matches.size() > most) {
            text += wrapped(phrases("more", matches.size() - most));
        }
        if (!matches.empty() && matches.front().bits < convincing) {
            text += wrapped(phrases("undecided"));
        }
        if (matches.empty()) {
            const auto& nearest = diagnoses[i].nearest;
            text += wrapped(phrases(nearest ? "nothing" : "no_shape"));
            text += nearest ? nearest_text(*nearest, telling) : "";
        }
        if (!diagnoses[i].inherits.empty()) {
            text += wrapped(phrases("inherits", diagnoses[i].inherits));
        }
    }
    for (const std::string& message : pasted.skipped) {
        text += "\n" + wrapped(phrases("skipped", message));
    }
    return text;
}

}  // namespace attn
