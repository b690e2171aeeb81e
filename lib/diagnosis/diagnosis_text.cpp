#include "diagnosis/diagnosis_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "diagnosis/costs.hpp"
#include "diagnosis/labels.hpp"
#include "stages/weight_names.hpp"
#include "tensor/digits.hpp"
#include "text/ascii.hpp"
#include "text/printable.hpp"
#include "text/prose.hpp"
#include "text/split.hpp"
#include "words/errata.hpp"
#include "words/notions.hpp"
#include "words/translation.hpp"

namespace attn {

namespace {

// The words and options for the text of a diagnosis.
struct Wording {
    const Lesson& lesson;
    const std::string& as;  // the step given with --as; empty: any
    const Words& phrases;
    const SpellSettings& spell;
    std::vector<Erratum> errata;
    std::set<std::string_view> explained{};  // the mistakes that were already explained in a sentence
};

// Returns the options for parameters that are not the stage's defaults: `--seed 123`.
std::string settings_text(const Stage& stage, const Parameters& parameters, const Wording& wording) {
    Parameters defaults = stage.defaults;
    defaults.context_length = parameters.context_length;  // follows from the lesson
    defaults = resolved(defaults, stage, wording.lesson);
    std::vector<Setting> settings;
    for (const ParameterRow& row : parameter_table()) {
        const std::string value = row.json(parameters);
        if (uses(stage, row.name) && value != row.json(defaults)) {
            settings.push_back(setting_of(row, value));
        }
    }
    return wording.spell(settings);
}

// `attn_weights of causal with --seed 123`
std::string where(const Stage& stage, const Parameters& parameters, const std::string& step,
                  const Wording& wording) {
    const std::string settings = settings_text(stage, parameters, wording);
    return settings.empty() ? wording.phrases("of", step, stage.name)
                            : wording.phrases("with", step, stage.name, settings);
}

// Shows each wrong line above the right one, if there are equally many.
std::string code(const Match& match, const Words& phrases) {
    if (match.line.empty()) {
        return "";
    }
    const std::vector<std::string_view> yours = split_lines(match.line);
    const std::vector<std::string_view> right = split_lines(match.instead_of);
    std::string text;
    if (yours.size() != right.size()) {  // one version is a loop and so has more lines
        for (const auto& [whose, lines] : {std::pair("yours", yours), std::pair("right", right)}) {
            for (const std::string_view line : lines) {
                text += fmt::format("    {}  {}\n", phrases(whose), line);
            }
        }
        return text;
    }
    for (std::size_t i = 0; i < yours.size(); ++i) {
        // A line such as `generator = generator`, where a call is left out, is not shown.
        const std::size_t middle = yours[i].find(" = ");
        const bool is_left_out =
            middle != std::string_view::npos && yours[i].substr(0, middle) == yours[i].substr(middle + 3);
        text += is_left_out ? fmt::format("    {}  {}\n", phrases("missing"), right[i])
                            : fmt::format("    {}  {}\n    {}  {}\n", phrases("yours"), yours[i],
                                          phrases("right"), right[i]);
    }
    return text;
}

// Names a piece: `attn_weights_causal[1] (row 2)`. A matrix in a tensor of higher rank gets only its index.
std::string piece_name(const Match& match, const Words& phrases) {
    const Piece& piece = match.piece;
    const std::string name = match.step + piece.index;
    const auto part = [&](const std::string& kind) { return phrases("part", name, kind); };
    using enum PieceKind;
    switch (piece.kind) {
        case whole:
        case entry:
            return name;
        case row:
            return part(phrases("row", piece.first + 1));
        case rows:
            return part(piece.count == 1 ? phrases("row", piece.first + 1)
                                         : phrases("rows", piece.first + 1, piece.first + piece.count));
        case column:
            return part(phrases("column", piece.first + 1));
        case number:
            return part(phrases("number"));
        case block:
            return part(phrases("block"));
        case transposed:
            return part(phrases("transposed_piece"));
        case reshaped:
            return part(phrases("reshaped"));
        case flattened:
            break;
    }
    return part(phrases("flattened"));
}

// `attn_weights_causal[1] (row 2) of causal with --seed 123`
std::string place_of(const Match& match, const Wording& wording) {
    return where(*match.stage, match.parameters, piece_name(match, wording.phrases), wording);
}

std::string places_of(std::span<const Match* const> matches, const Wording& wording) {
    std::vector<std::string> places;
    for (const Match* const match : matches) {
        places.push_back(place_of(*match, wording));
    }
    return fmt::format("{}", fmt::join(places, wording.phrases("comma")));
}

std::string right_text(const Match& match, const Wording& wording) {
    const Words& phrases = wording.phrases;
    const std::string settings = settings_text(*match.stage, match.parameters, wording);
    const std::string step = piece_name(match, phrases);
    return wrapped(settings.empty() ? phrases("is", step, match.stage->name)
                   : match.document.empty()
                       ? phrases("is_with", step, match.stage->name, settings)
                       : phrases("is_as_printed", step, match.stage->name, settings, match.document));
}

// Writes `softmax-wrong-axis: softmax runs down …`, or only the id if the sentence was shown before.
std::string mistake_text(std::string_view id, Wording& wording) {
    const bool is_new = wording.explained.insert(id).second;
    return is_new ? wording.phrases("which", id, wording.phrases(id)) : wording.phrases("as_above", id);
}

std::string mistaken_text(const std::string& key, const Match& match, const std::string& place,
                          Wording& wording) {
    std::vector<std::string> mistakes;
    for (const std::string_view id : match.mistakes) {
        mistakes.push_back(mistake_text(id, wording));
    }
    const std::string how = match.has_other_settings()   ? key + "_setting"
                            : match.mistakes.size() == 1 ? key
                                                         : key + "_twice";
    return wrapped(wording.phrases(
        how, place, fmt::format("{}", fmt::join(mistakes, wording.phrases("and_also"))), mistakes.size()));
}

std::string errata_text(const Match& match, bool mended, const Wording& wording) {
    std::string text;
    for (const Erratum& erratum : wording.errata) {
        const bool is_mended =
            mended && erratum.mended && erratum.stage == match.stage->name && erratum.step == match.step;
        if (erratum.id == match.erratum || is_mended) {
            text += wrapped(erratum_text(erratum, wording.phrases));
        }
    }
    return text;
}

// Writes `These are the numbers for qkv_bias=True; linear uses False.`
std::string not_chosen_text(const Match& match, const Wording& wording) {
    std::string text;
    const Parameters own = resolved(match.stage->defaults, *match.stage, wording.lesson);
    const auto python = [](const std::string& json) {
        return json == "true" ? "True" : json == "false" ? "False" : json;
    };
    for (const ParameterRow& row : parameter_table()) {
        if (std::ranges::find(match.not_chosen, row.name) != match.not_chosen.end()) {
            add_sentence(text, wording.phrases("not_chosen", row.name, python(row.json(match.parameters)),
                                               match.stage->name, python(row.json(own))));
        }
    }
    return text.empty() ? "" : wrapped(text);
}

// `These are queries of linear, not keys. Was W_query used?`
std::string other_step_text(const Match& match, const Wording& wording) {
    const Words& phrases = wording.phrases;
    if (const std::optional<std::size_t> row = labelled_row(match.label, match.step)) {
        return wrapped(phrases("is_other_row", place_of(match, wording), *row));
    }
    std::string text = phrases("is_other_step", place_of(match, wording), printable(match.label));
    for (const std::string_view layer : weight_names) {
        if (match.step == projected_by(layer)) {
            add_sentence(text, phrases("other_layer", layer));
        }
    }
    return wrapped(text);
}

// Writes the line to change, the explanation, and other matches. Matches with the same mistake come first,
// then the likeliest.
std::string matches_text(std::span<const Match> matches, bool mended, Wording& wording) {
    const Words& phrases = wording.phrases;
    std::vector<std::vector<const Match*>> ways;  // grouped by their mistakes
    for (const Match& match : matches) {
        const auto way = std::ranges::find_if(
            ways, [&](const auto& other) { return other.front()->mistakes == match.mistakes; });
        (way == ways.end() ? ways.emplace_back() : *way).push_back(&match);
    }
    const Match& first = matches.front();
    std::string text =
        first.mistakes.empty() ? not_chosen_text(first, wording) + right_text(first, wording)
        : !first.label.empty()
            ? other_step_text(first, wording)
            : code(first, phrases) + mistaken_text("mistaken", first, place_of(first, wording), wording);
    if (!first.precision.empty()) {
        text += wrapped(phrases("rounded_" + std::string(first.precision),
                                fmt::format("{:.1e}", first.largest_difference)));
    }
    text += errata_text(first, mended, wording);
    if (const std::span<const Match* const> same(ways[0]); same.size() > 1) {
        const bool is_mistaken = !first.mistakes.empty() && first.label.empty();  // not another step
        text += wrapped(phrases(is_mistaken ? "or_the_same" : "also", places_of(same.subspan(1), wording)));
    }
    std::vector<std::string> others;
    for (const auto& way : std::span(ways).subspan(1)) {
        const Match& match = *way.front();
        const std::string places = places_of(way, wording);
        others.push_back(match.mistakes.empty()
                             ? wrapped(phrases("or_right", places))
                             : mistaken_text("or_mistaken", match, places, wording) + code(match, phrases));
    }
    return text + fmt::format("{}", fmt::join(others, ""));
}

std::string number_text(float x) {
    return std::isfinite(x) ? shortest_digits(x) : std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
}

// Returns the sentence about rows of NaN; empty if there are none.
std::string nan_rows_text(const PrintedTensor& tensor, const Words& phrases) {
    const std::size_t width = tensor.shown.rank() < 2 ? 0 : tensor.shown[tensor.shown.rank() - 1];
    std::vector<std::size_t> rows;
    for (std::size_t at = 0; width != 0 && at + width <= tensor.numbers.size(); at += width) {
        if (std::ranges::all_of(std::span(tensor.numbers).subspan(at, width),
                                [](const PrintedNumber& number) { return std::isnan(number.value); })) {
            rows.push_back(at / width);
        }
    }
    return rows.empty() ? "" : wrapped(phrases("nan_rows", fmt::join(rows, ", ")));
}

std::string nearest_text(const Nearest& nearest, const Wording& wording) {
    const Words& phrases = wording.phrases;
    std::vector<std::size_t> first(nearest.first.begin(),
                                   nearest.first.begin() + static_cast<std::ptrdiff_t>(nearest.shape.rank()));
    std::string text =
        phrases("nearest", where(*nearest.stage, nearest.parameters, nearest.step + nearest.piece, wording),
                nearest.numbers_agreeing, nearest.numbers, fmt::format("{:.1e}", nearest.largest_difference));
    add_sentence(text, phrases("first", fmt::join(first, "]["),
                               number_text(static_cast<float>(nearest.pasted)), number_text(nearest.right)));
    if (nearest.shape.rank() == 2) {
        add_sentence(text, nearest.rows_agreeing.empty()
                               ? phrases("no_rows")
                               : phrases("rows_agreeing", fmt::join(nearest.rows_agreeing, ", ")));
    }
    return wrapped(text);
}

// Returns the key of the phrase that gives the verdict.
std::string_view verdict(const Diagnosis& diagnosis) {
    if (diagnosis.matches.empty()) {
        return "verdict_unknown";
    }
    const Match& best = diagnosis.matches.front();
    return !best.is_convincing() || diagnosis.rival() != nullptr ? "verdict_undecided"
           : !best.precision.empty() && best.mistakes.empty()    ? "verdict_rounded"
           : !best.label.empty()                                 ? "verdict_other_step"
           : best.mistakes.empty() && diagnosis.is_elsewhere     ? "verdict_elsewhere"
           : best.mistakes.empty() && !best.not_chosen.empty()   ? "verdict_not_chosen"
           : best.mistakes.empty()                               ? "verdict_right"
           : best.has_other_settings()                           ? "verdict_not_chosen"
           : best.mistakes.size() == 1                           ? "verdict_mistaken"
                                                                 : "verdict_mistaken_twice";
}

constexpr std::size_t most_shown = 3;

// Returns the matches to show: those that are not much less likely than the best; more if it has a rival.
std::span<const Match> shown_matches(const Diagnosis& diagnosis) {
    const std::vector<Match>& matches = diagnosis.matches;
    const double least =
        matches.front().bits - (diagnosis.rival() != nullptr ? threshold::as_likely_result : 12.0);
    const auto end = std::ranges::find_if(matches, [&](const Match& match) { return match.bits < least; });
    return {matches.begin(), end};
}

// Returns true for right weights before the mask: they are also the numbers of causal weights without a mask.
bool lacks_mask(const Diagnosis& diagnosis) {
    const auto is_unmasked = [](const Match& match) {
        return std::ranges::equal(match.mistakes, std::array{std::string_view("not-masked")}) &&
               match.step != "context_vec";
    };
    return diagnosis.is_right() && diagnosis.is_decided() &&
           std::ranges::any_of(diagnosis.matches, is_unmasked);
}

std::string body(const PrintedTensor& tensor, const Diagnosis& diagnosis, Wording& wording) {
    const bool mended = tensor.mended;
    const Words& phrases = wording.phrases;
    if (diagnosis.matches.empty()) {
        const auto& nearest = diagnosis.nearest;
        const bool is_near = nearest && nearest->is_near();
        const bool is_late = std::ranges::find(diagnosis.not_tried, "nearest") != diagnosis.not_tried.end();
        const bool is_nan = std::ranges::all_of(
            tensor.numbers, [](const PrintedNumber& number) { return std::isnan(number.value); });
        std::string text = is_nan                 ? wrapped(phrases("all_nan"))
                           : !nearest && !is_late ? wrapped(phrases("no_shape"))
                           : !is_near             ? wrapped(phrases("unrecognised"))
                           : wording.as.empty()   ? wrapped(phrases("nothing"))
                                                  : wrapped(phrases("nothing_as", wording.as));
        text += is_nan ? "" : nan_rows_text(tensor, phrases);
        text += is_near ? nearest_text(*nearest, wording) : "";
        std::vector<std::string> not_tried;
        for (const std::string_view what : diagnosis.not_tried) {
            not_tried.push_back(phrases("not_tried_" + std::string(what)));
        }
        return text + (not_tried.empty()
                           ? ""
                           : wrapped(phrases("not_tried", fmt::join(not_tried, phrases("comma")))));
    }
    std::vector<Match> matches(shown_matches(diagnosis).begin(), shown_matches(diagnosis).end());
    const Match* const rival = diagnosis.rival();
    if (rival != nullptr) {  // the rival comes second, because the verdict mentions it
        const auto at = matches.begin() + (rival - diagnosis.matches.data());
        std::rotate(matches.begin() + 1, at, at + 1);
    }
    std::string text = diagnosis.is_elsewhere ? wrapped(phrases("elsewhere")) : "";
    text += matches_text(std::span<const Match>(matches).first(std::min(matches.size(), most_shown)), mended,
                         wording);
    if (matches.size() > most_shown) {
        text += wrapped(phrases("more", matches.size() - most_shown));
    }
    if (matches.front().mistakes.empty() && !matches.front().grad_fn.empty()) {
        text += wrapped(phrases("other_grad_fn", printable(tensor.grad_fn), matches.front().step,
                                matches.front().grad_fn));
    }
    if (lacks_mask(diagnosis)) {
        text += wrapped(phrases("lacks_mask"));
    }
    return text + (!matches.front().is_convincing() ? wrapped(phrases("undecided"))
                   : rival == nullptr               ? ""
                   : rival->is_result && matches.front().step != rival->step
                       ? wrapped(phrases("name_step", matches.front().step, rival->step))
                       : wrapped(phrases("too_few_digits")));
}

// The text for one tensor, or for several with the same text.
struct Report {
    std::string headings;
    std::string body;  // the lines below the heading; may be empty
};

// True for a variable or a notion such as "Attention weights", and not for a sentence before a tensor.
bool is_label(const std::string& name) {
    const auto is_in_code = [](char c) { return c > ' ' && c <= '~'; };
    return std::ranges::all_of(name, is_in_code) ||
           std::ranges::any_of(notion_names(), [&](const std::vector<std::string>& names) {
               return std::ranges::find(names, lowered(name)) != names.end();
           });
}

std::string heading(const PrintedTensor& tensor, const std::string& verdict, const Words& phrases) {
    const std::string shape = tensor.shown.text();
    const bool is_line = tensor.place == fmt::format("line {}", tensor.line);
    const std::string place = is_line ? phrases("line", tensor.line) : printable(tensor.place);
    return (tensor.name.empty() || tensor.name == tensor.place || !is_label(tensor.name)
                ? phrases("tensor", place, shape, verdict)
                : phrases("named_tensor", place, printable(tensor.name), shape, verdict)) +
           "\n";
}

// Writes a single line for a tensor that follows from another step, or that is one of several and right.
Report report(const PrintedTensor& tensor, const Diagnosis& diagnosis, bool among_others, bool others_follow,
              Wording& wording) {
    const Words& phrases = wording.phrases;
    if (!diagnosis.inherits.empty()) {
        return {heading(tensor, phrases("verdict_inherits", diagnosis.inherits), phrases), ""};
    }
    const std::size_t mistakes = diagnosis.matches.empty() ? 0 : diagnosis.matches.front().mistakes.size();
    const std::string said = phrases(verdict(diagnosis), mistakes);
    const bool is_right = diagnosis.is_right() && !diagnosis.is_elsewhere && diagnosis.is_decided() &&
                          diagnosis.rival() == nullptr && diagnosis.matches.front().not_chosen.empty();
    if (among_others && is_right && errata_text(diagnosis.matches[0], tensor.mended, wording).empty()) {
        const Match& match = diagnosis.matches[0];
        const std::string place = place_of(match, wording);
        const bool is_printed =
            !match.document.empty() && !settings_text(*match.stage, match.parameters, wording).empty();
        const std::string what = is_printed ? phrases("as_printed", place, match.document) : place;
        return {heading(tensor, phrases("verdict_right_of", said, what), phrases), ""};
    }
    return {heading(tensor, others_follow ? phrases("verdict_first", said) : said, phrases),
            body(tensor, diagnosis, wording)};
}

}  // namespace

std::string diagnosis_text(const PrintedText& pasted, const std::vector<Diagnosis>& diagnoses,
                           const Question& question, const Words& phrases, const SpellSettings& spell) {
    Wording wording{question.lesson, question.as, phrases, spell, read_errata(phrases.language())};
    std::set<std::string_view> followed;  // the steps from which other tensors follow
    for (const Diagnosis& one : diagnoses) {
        followed.insert(one.inherits);
    }
    const auto is_followed = [&](const Diagnosis& one) {
        return one.inherits.empty() && !one.is_right() && !one.step().empty() &&
               followed.contains(one.step());
    };
    std::vector<std::size_t> order(diagnoses.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // Orders the tensors: the first differing step, the steps that inherit its mistake, then the rest.
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
        return is_followed(diagnoses[i]) ? 0 : diagnoses[i].inherits.empty() ? 2 : 1;
    });
    std::vector<Report> all;
    std::map<std::string, std::size_t> with_body;
    for (const std::size_t i : order) {
        Report one =
            report(pasted.tensors[i], diagnoses[i], diagnoses.size() > 1, is_followed(diagnoses[i]), wording);
        const auto [same, is_new] =
            one.body.empty() ? std::pair(with_body.end(), true) : with_body.emplace(one.body, all.size());
        if (is_new) {
            all.push_back(std::move(one));
        } else {
            all[same->second].headings += one.headings;
        }
    }
    std::string text;
    bool in_list = false;  // the previous tensor took a single line
    for (const Report& one : all) {
        text += text.empty() || (in_list && one.body.empty()) ? "" : "\n";
        text += one.headings + one.body;
        in_list = one.body.empty();
    }
    for (const Message& message : pasted.skipped) {
        text += "\n" + wrapped(phrases("skipped", worded(message, phrases.language())));
    }
    return text;
}

}  // namespace attn
