#include "judge/judgement_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "text/printable.hpp"
#include "text/prose.hpp"
#include "text/split.hpp"
#include "text/width.hpp"
#include "words/translation.hpp"

namespace attn {

namespace {

std::string place_told(const Place& place, const Words& phrases) {
    return worded(place_text(place), phrases.language());
}

std::string settings_text(const Judgement& judgement, const Words& phrases) {
    std::vector<std::string> stated;
    for (const Stated& one : judgement.stated) {
        const std::string where = place_told(one.place, phrases);
        stated.push_back(one.values.size() > 1
                             ? phrases("stated_" + one.key, one.values[0], one.values[1], where)
                             : phrases("stated_" + one.key, one.values[0], where));
    }
    std::string text =
        stated.empty() ? "" : wrapped(phrases("from_code", fmt::join(stated, phrases("comma"))));
    text += judgement.assumes_inputs ? wrapped(phrases("assumed_inputs")) : "";
    return text.empty() ? "" : text + "\n";
}

std::string mistakes_of(const Judged& output) {
    return output.diagnosis.matches.empty()
               ? ""
               : fmt::format("{}", fmt::join(output.diagnosis.matches.front().mistakes, ", "));
}

// The first line of the expression, cut to a width that leaves room for the verdict; without an expression
// the shape.
std::string short_label(const Judged& output) {
    constexpr std::size_t most = 28;
    const std::string& label = output.label;
    return label.empty() ? fmt::format("{}", output.printed.shown)
                         : cut_to(printable(label.substr(0, label.find('\n'))), most);
}

std::string code_line(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t");
    return printable(begin == std::string_view::npos ? line : line.substr(begin));
}

// Lists the places of these outputs, which follow from a wrong one, with their counts.
std::string consequences_text(const std::vector<const Judged*>& consequences, const Words& phrases) {
    std::vector<std::pair<std::string, std::size_t>> places;
    for (const Judged* const output : consequences) {
        const std::string place = place_told(output->place, phrases);
        if (places.empty() || places.back().first != place) {
            places.emplace_back(place, 0);
        }
        places.back().second += 1;
    }
    const std::size_t count = consequences.size();
    std::vector<std::string> texts;
    for (const auto& [place, times] : places) {
        texts.push_back(times == 1 ? place : fmt::format("{} ({})", place, times));
    }
    return count == 0 ? ""
                      : wrapped(phrases(count == 1 ? "consequence" : "consequences", count,
                                        fmt::join(texts, phrases("comma"))));
}

std::string departure_text(const Judged& output, bool is_first, const Words& phrases) {
    std::string text = "\n" + wrapped(phrases(is_first ? "first_departure" : "next_departure",
                                              place_told(output.place, phrases), short_label(output)));
    if (!output.line.empty() && output.is_line_of_code) {
        text += fmt::format("    {}  {}    # {}\n", phrases("yours"), code_line(output.line),
                            place_told(output.line_place, phrases));
    } else {  // the lines that would give these numbers
        for (const std::string_view line : split_lines(output.line)) {
            text += fmt::format("    {}  {}\n", phrases("as_if"), line);
        }
    }
    for (const std::string_view line : split_lines(output.right_line)) {
        text += fmt::format("    {}  {}\n", phrases("right"), line);
    }
    if (!output.diagnosis.matches.empty()) {
        for (const std::string_view id : output.diagnosis.matches.front().mistakes) {
            text += wrapped(phrases("which", id, phrases(id)));
        }
    }
    return text;
}

}  // namespace

std::string verdict_text(const Judgement& judgement, const Judged& output, const Words& phrases) {
    const std::vector<Match>& matches = output.diagnosis.matches;
    using enum OutputVerdict;
    switch (output.verdict) {
        case right:
        case settings: {
            const bool is_rounded = !matches.empty() && !matches.front().precision.empty();
            const std::string key = is_rounded                ? "judged_rounded"
                                    : output.verdict == right ? "judged_right"
                                                              : "judged_settings";
            return matches.empty() ? phrases(key)
                                   : phrases(key + "_step", matches.front().place,
                                             matches.front().step + matches.front().piece.index,
                                             matches.front().stage->name, matches.front().precision);
        }
        case consistent:
            return output.line_place.cell == output.place.cell
                       ? phrases("judged_as_code")
                       : phrases("judged_consistent", place_told(output.line_place, phrases));
        case by_product:
            return phrases("judged_by_product");
        case mistake:
            return phrases("judged_mistake", mistakes_of(output));
        case follows:
            return phrases("judged_follows", place_told(judgement.outputs[*output.because].place, phrases));
        case unknown:
            break;
    }
    return phrases("judged_unknown");
}

std::string judgement_text(const JudgedDocument& judged, const Words& phrases) {
    const Judgement& judgement = judged.judgement;
    std::string text = settings_text(judgement, phrases);
    std::vector<std::array<std::string, 2>> heads;
    std::array<std::size_t, 2> widths{};
    for (const Judged& output : judgement.outputs) {
        heads.push_back({place_told(output.place, phrases), short_label(output)});
        for (std::size_t i = 0; i < 2; ++i) {
            widths.at(i) = std::max(widths.at(i), display_width(heads.back().at(i)));
        }
    }
    for (std::size_t i = 0; i < judgement.outputs.size(); ++i) {
        for (std::size_t k = 0; k < 2; ++k) {
            text += pad_right(heads[i].at(k), widths.at(k) + 2);
        }
        text += verdict_text(judgement, judgement.outputs[i], phrases) + "\n";
    }
    std::vector<std::vector<const Judged*>> consequences(judgement.outputs.size());
    for (const Judged& output : judgement.outputs) {
        if (output.verdict == OutputVerdict::follows && output.because) {
            consequences[*output.because].push_back(&output);
        }
    }
    const std::optional<std::size_t> first = judgement.first_departure();
    for (std::size_t i = 0; i < judgement.outputs.size(); ++i) {
        const Judged& output = judgement.outputs[i];
        if (output.verdict == OutputVerdict::mistake) {
            text += departure_text(output, i == first, phrases);
        }
        for (const Circumstance& one : output.circumstances) {
            text += wrapped(phrases(one.key, place_told(output.place, phrases), printable(one.name),
                                    place_told(one.place, phrases), place_told(one.other, phrases)));
        }
        text += consequences_text(consequences[i], phrases);
    }
    for (const Message& message : judgement.skipped) {
        text += wrapped(phrases("skipped", worded(message, phrases.language())));
    }
    return judgement.outputs.empty() && judgement.skipped.empty() ? wrapped(phrases("no_outputs")) : text;
}

}  // namespace attn
