#include "diagnosis/diagnosis_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "tensor/digits.hpp"
#include "text/printable.hpp"
#include "text/prose.hpp"

namespace attn {

namespace {

// How to ask for these parameters, where they are not the stage's own: `--seed 123`.
std::string options_text(const Stage& stage, const Parameters& parameters, const Lesson& lesson) {
    Parameters defaults = stage.defaults;
    defaults.context_length = parameters.context_length;  // which follows from the lesson
    defaults = resolved(defaults, uses(stage, "input") ? &lesson : nullptr);
    std::string text;
    for (const ParameterRow& row : parameter_table()) {
        const std::string value = row.json(parameters);
        if (uses(stage, row.option) && value != row.json(defaults)) {
            std::string_view bare = value;
            if (bare.starts_with('"')) {
                bare = bare.substr(1, bare.size() - 2);
            }
            text += fmt::format("{}--{}{}", text.empty() ? "" : " ", row.option,
                                row.value.empty() ? "" : fmt::format(" {}", bare));
        }
    }
    return text;
}

// `attn_weights of causal with --seed 123`
std::string where(const Stage& stage, const Parameters& parameters, const std::string& step,
                  const Question& question, const Words& phrases) {
    const std::string options = options_text(stage, parameters, question.lesson);
    return options.empty() ? phrases("of", step, stage.name) : phrases("with", step, stage.name, options);
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

std::string match_text(const Match& match, const Question& question, const Words& phrases, bool first) {
    const std::string options = options_text(*match.stage, match.parameters, question.lesson);
    if (match.mistakes.empty()) {
        return wrapped(options.empty() ? phrases("is", match.step, match.stage->name)
                                       : phrases("is_with", match.step, match.stage->name, options));
    }
    const std::string place = where(*match.stage, match.parameters, match.step, question, phrases);
    std::string text;
    if (match.mistakes.size() == 1) {
        text =
            phrases(first ? "mistaken" : "or_mistaken", place, match.mistakes[0], phrases(match.mistakes[0]));
    } else {
        std::vector<std::string> both;
        for (const std::string_view id : match.mistakes) {
            both.push_back(fmt::format("{}: {}", id, phrases(id)));
        }
        text = phrases(first ? "mistaken_twice" : "or_mistaken_twice", place, fmt::join(both, "; "));
    }
    text = wrapped(text);
    return text + (match.line.empty() ? "" : code(match, phrases));
}

std::string nearest_text(const Nearest& nearest, const Question& question, const Words& phrases) {
    std::vector<std::size_t> first(nearest.first.begin(),
                                   nearest.first.begin() + static_cast<std::ptrdiff_t>(nearest.shape.rank()));
    std::string text =
        phrases("nearest", where(*nearest.stage, nearest.parameters, nearest.step, question, phrases),
                nearest.numbers_agreeing, nearest.numbers, fmt::format("{:.1e}", nearest.largest_difference));
    text +=
        " " + phrases("first", fmt::join(first, "]["), shortest_digits(static_cast<float>(nearest.pasted)),
                      shortest_digits(nearest.right));
    if (nearest.shape.rank() >= 2) {
        text +=
            " " + (nearest.rows_agreeing.empty() ? phrases("no_rows")
                                                 : phrases("rows", fmt::join(nearest.rows_agreeing, ", ")));
    }
    return wrapped(text);
}

}  // namespace

std::string diagnosis_text(const std::vector<PrintedTensor>& tensors, const std::vector<Diagnosis>& diagnoses,
                           const Question& question, const Words& phrases) {
    constexpr std::size_t most = 6;
    std::string text;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const PrintedTensor& tensor = tensors[i];
        const std::string shape = tensor.shown.text();
        text += text.empty() ? "" : "\n";
        text += (tensor.name.empty()
                     ? phrases("tensor", printable(tensor.place), shape)
                     : phrases("named_tensor", printable(tensor.place), printable(tensor.name), shape)) +
                "\n";
        const std::vector<Match>& matches = diagnoses[i].matches;
        for (std::size_t n = 0; n < std::min(matches.size(), most); ++n) {
            text += match_text(matches[n], question, phrases, n == 0);
        }
        if (matches.size() > most) {
            text += wrapped(phrases("more", matches.size() - most));
        }
        if (matches.empty()) {
            const auto& nearest = diagnoses[i].nearest;
            text += wrapped(phrases(nearest ? "nothing" : "no_shape"));
            text += nearest ? nearest_text(*nearest, question, phrases) : "";
        }
    }
    return text;
}

}  // namespace attn
