// Judges the outputs of a document, one after the other:
// 1. code_reading.hpp follows the code, pairs outputs with expressions, and walks the lessons that it finds.
// 2. verdicts.hpp judges the tensor that an output shows; causes.hpp says why it departs.
// 3. An output that the code does not explain is judged by its numbers.
#include "judge/judge.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "diagnosis/costs.hpp"
#include "diagnosis/labels.hpp"
#include "judge/causes.hpp"
#include "judge/code_names.hpp"
#include "judge/code_reading.hpp"
#include "judge/mended_code.hpp"
#include "judge/named_steps.hpp"
#include "judge/node_signs.hpp"
#include "judge/number_patterns.hpp"
#include "judge/verdicts.hpp"
#include "text/ascii.hpp"
#include "text/lists.hpp"

namespace attn {

namespace {

// For each node that is computed from a cell that ran again later, the operand of that cell.
std::vector<std::optional<std::size_t>> outdated_nodes(const std::vector<Computed>& nodes) {
    std::vector<std::optional<std::size_t>> outdated(nodes.size());
    for (std::size_t id = 0; id < nodes.size(); ++id) {
        const std::size_t count = nodes[id].place.execution_count.value_or(0);
        for (const std::size_t operand : nodes[id].operands) {
            const bool is_later = nodes[operand].place.execution_count.value_or(0) > count;
            outdated[id] = outdated[id]            ? outdated[id]
                           : outdated[operand]     ? outdated[operand]
                           : is_later && count > 0 ? std::optional(operand)
                                                   : std::nullopt;
        }
    }
    return outdated;
}

std::vector<Stated> stated_settings(const CodeReading& code) {
    std::vector<Stated> all;
    std::set<std::uint64_t> seeds;
    for (const Drawn& draw : code.flow.draws) {
        if (draw.seed && draw.seeded && code.is_relevant[draw.node] && seeds.insert(*draw.seed).second) {
            all.push_back({"seed", {std::to_string(*draw.seed)}, *draw.seeded});
        }
    }
    for (const Chapter& chapter : code.lessons.chapters()) {
        if (chapter.node && chapter.node != code.flow.assumed_inputs &&
            code[*chapter.node].value.rank() == 2 &&
            (code[*chapter.node].operands.empty() || &chapter == &code.lessons.chapters().front())) {
            const Shape& shape = chapter.lesson.embeddings.shape();
            all.push_back(
                {"tokens", {std::to_string(shape[0]), std::to_string(shape[1])}, code[*chapter.node].place});
        }
    }
    std::set<double> heads;
    for (const Module& module : code.flow.modules) {
        const auto found = module.numbers.find("num_heads");
        if (found != module.numbers.end() && heads.insert(found->second).second) {
            all.push_back({"heads", {std::to_string(static_cast<std::size_t>(found->second))}, module.place});
        }
    }
    return all;
}

class Judge {
public:
    explicit Judge(const CodeReading& code)
        : code_(code), verdicts_(code), mended_(code, verdicts_), outdated_(outdated_nodes(code.nodes)) {
        result_.outputs = code.followed.outputs;
    }

    Judgement run() {
        ask_numbers();
        find_mistaken_masks();
        for (std::size_t i = 0; i < result_.outputs.size(); ++i) {
            judge(i);
            if (const auto node = code_.followed.node_of(i); node && is_right(result_.outputs[i].verdict)) {
                right_outputs_.insert(*node);
            }
        }
        return std::move(result_);
    }

private:
    // The tensor that an output shows. A tensor of unknown variables is only numbers, and so is one that code
    // which is not followed may have changed.
    std::optional<std::size_t> origin_of(std::size_t i) const {
        const std::optional<std::size_t> node = code_.followed.node_of(i);
        const bool is_open =
            node &&
            (((code_[*node].operation == "printed" || !code_[*node].is_known) && !code_.is_relevant[*node]) ||
             code_.followed.is_doubtful(i));
        return is_open ? std::nullopt : node;
    }

    // True if the code says what an output is, and gives its numbers.
    bool is_followed(std::size_t i) const {
        const std::optional<std::size_t> node = origin_of(i);
        return node && code_[*node].is_known && code_.followed.agrees(result_.outputs[i].printed, *node);
    }

    // True for a calculation with printed numbers whose own code is not followed, such as
    // dropout(attn_weights).
    bool is_from_digits(std::size_t i) const {
        const std::optional<std::size_t> node = origin_of(i);
        return is_followed(i) && code_.is_from_printed[*node] && !code_.is_relevant[*node];
    }

    // Diagnoses the outputs that the code does not explain, in few groups, because each group is a search of
    // its own.
    void ask_numbers() {
        Ids open;
        for (std::size_t i = 0; i < result_.outputs.size(); ++i) {
            const std::optional<std::size_t> node = origin_of(i);
            if (is_from_digits(i) || (!is_followed(i) && (!node || code_.is_relevant[*node]))) {
                open.push_back(i);
            }
        }
        constexpr std::size_t groups = 8;
        const std::size_t size = (open.size() + groups - 1) / groups;
        for (std::size_t from = 0; from < open.size(); from += size) {
            std::vector<PrintedTensor> group;
            for (std::size_t k = from; k < std::min(from + size, open.size()); ++k) {
                group.push_back(result_.outputs[open[k]].printed);
            }
            std::vector<Diagnosis> found = verdicts_.searches().diagnose_in_chapters(group, std::nullopt);
            for (std::size_t k = 0; k < found.size(); ++k) {
                if (!found[k].is_decided()) {
                    found[k] = Diagnosis();
                }
                result_.outputs[open[from + k]].diagnosis = std::move(found[k]);
            }
        }
    }

    // Finds the departures that are about a mask: the mask departs first, where it is shown.
    void find_mistaken_masks() {
        for (std::size_t i = 0; i < result_.outputs.size(); ++i) {
            const std::optional<std::size_t> culprit =
                is_followed(i) ? verdicts_.status(*code_.followed.node_of(i)).culprit : std::nullopt;
            if (!culprit || std::ranges::find(mistaken_masks_, *culprit) != mistaken_masks_.end()) {
                continue;
            }
            if (mistake_of(cause_of(code_, verdicts_, *culprit)).starts_with("mask-")) {
                mistaken_masks_.push_back(*culprit);
            }
        }
    }

    void judge(std::size_t i) {
        Judged& output = result_.outputs[i];
        if (code_.followed.shown_of[i]) {
            output.label = code_.flow.shown[*code_.followed.shown_of[i]].source;
        }
        if (!is_followed(i)) {
            judge_by_numbers(i);
            return;
        }
        const std::size_t node = *origin_of(i);
        const Status& found = verdicts_.status(node);
        output.verdict = found.verdict;
        if (found.verdict == OutputVerdict::unknown && is_from_right_outputs(node)) {
            output.verdict = OutputVerdict::by_product;
        } else if (found.verdict == OutputVerdict::unknown && is_from_digits(i)) {
            judge_found(output, std::nullopt);
            return;
        }
        output.line = code_[node].line;
        output.line_place = code_[node].place;
        std::optional<std::size_t> culprit = culprit_of(i, node, found);
        if (culprit && *culprit != node && shows_nothing_of(i, node, *culprit)) {
            output.verdict = OutputVerdict::by_product;
            return;
        }
        if (!culprit && code_.graph.is_harmless(node) && found.found.empty()) {
            culprit = departure_with_mask(node);
        }
        if (culprit) {
            blame(i, *culprit);
        } else if (is_misnamed(i, found)) {
            blame_name(i, node, found);
        } else {
            add_steps(output, found, node);
            for (std::size_t weights = 0; weights <= node; ++weights) {
                if (const std::optional<std::size_t> masked = mask_left_out(code_, weights);
                    masked && code_.graph.depends(node, weights)) {
                    output.circumstances.push_back({"leaves_out_mask", output.label, code_[*masked].place});
                    break;
                }
            }
        }
    }

    // The node that is to blame for an output, if any.
    std::optional<std::size_t> culprit_of(std::size_t i, std::size_t node, const Status& found) {
        if (found.culprit) {
            return departed_mask_of(*found.culprit).value_or(*found.culprit);
        }
        if (!found.found.empty() || found.is_dropped) {
            return std::nullopt;
        }
        const std::string name(is_returned_context(i) ? "context_vec" : step_named_by(code_[node].name));
        if (const std::optional<std::size_t> first = verdicts_.first_departure(node, name)) {
            return first;
        }
        const auto earlier = std::ranges::find_if(
            departed_, [&](const auto& one) { return code_.graph.depends(node, one.first); });
        return earlier == departed_.end() ? std::nullopt : std::optional(earlier->first);
    }

    // The mask of a node, if it departs where it is shown.
    std::optional<std::size_t> departed_mask_of(std::size_t id) const {
        std::set<std::size_t> open(code_[id].operands.begin(), code_[id].operands.end());
        while (!open.empty()) {
            const std::size_t node = open.extract(std::prev(open.end())).value();
            if (code_.graph.is_harmless(node)) {
                if (departed_.contains(node)) {
                    return node;
                }
                open.insert(code_[node].operands.begin(), code_[node].operands.end());
            }
        }
        return std::nullopt;
    }

    // True for an output that is the same without the departure before it. So are a sum of 1, as that of
    // right weights, and a difference of 0.
    bool shows_nothing_of(std::size_t i, std::size_t node, std::size_t culprit) {
        const std::optional<bool> is_wrong = mended_.is_affected(i, culprit);
        const Computed& tested = tested_by(code_, node);
        const bool is_usual =
            (!is_wrong && tested.operation == "sum" && all_ones(tested.value)) ||
            (tested.operation == "sub" &&
             std::ranges::all_of(tested.value.values(), [](float x) { return std::abs(x) < 2e-6F; }));
        return is_wrong == false || (is_usual && code_[culprit].operation != "changed");
    }

    // The departure that is about a mask, for an output that shows this mask, also as integers.
    std::optional<std::size_t> departure_with_mask(std::size_t mask) const {
        while (code_[mask].operands.size() == 1 &&
               identical(code_[mask].value, code_[code_[mask].operands[0]].value)) {
            mask = code_[mask].operands[0];
        }
        const auto has_mask = [&](std::size_t departed) {
            return std::ranges::any_of(code_[departed].operands, [&](std::size_t operand) {
                return code_.graph.depends(operand, mask) ||
                       identical(code_[operand].value, code_[mask].value);
            });
        };
        const auto found = std::ranges::find_if(mistaken_masks_, has_mask);
        const bool is_its_mask = !is_constant(code_[mask].operation) && found != mistaken_masks_.end();
        return is_its_mask ? std::optional(*found) : std::nullopt;
    }

    // The steps that a right output is.
    void add_steps(Judged& output, const Status& found, std::size_t node) const {
        for (const Found& one : found.found) {
            output.diagnosis.matches.push_back(match_of(one, output.printed));
            const Tensor& step = one.walk->node(one.step).value;
            const bool is_rounded = one.piece.empty() && !is_printed(output.printed, step, 0.0);
            output.diagnosis.matches.back().precision = is_rounded ? precision_of(node) : "";
        }
    }

    // The type with fewer digits that the code converts a tensor to, or the tensors that it is computed from.
    std::string_view precision_of(std::size_t node) const {
        for (std::size_t id = 0; id <= node; ++id) {
            const std::string_view type = code_[id].operation;
            if ((type == "half" || type == "bfloat16") && code_.graph.depends(node, id)) {
                return type == "half" ? "float16" : "bfloat16";
            }
        }
        return "";
    }

    // True for row sums of 1 of weights that the document does not compute.
    static bool are_row_sums(const Judged& output) {
        const std::string_view label = output.label;
        const std::size_t at = label.find(".sum(");
        const std::string_view axis = at == std::string_view::npos ? "" : label.substr(at);
        return label.substr(0, std::min(at, label.size())).find("weights") != std::string_view::npos &&
               (axis.find("-1") != std::string_view::npos || axis.find("1)") != std::string_view::npos) &&
               output.printed.numbers.size() > 1 &&
               std::ranges::all_of(output.printed.numbers,
                                   [](const PrintedNumber& one) { return agrees(one, 1.0); });
    }

    // True for sums and parts of tensors that the document shows rightly, but does not compute.
    bool is_from_right_outputs(std::size_t node) const {
        while (code_[node].operands.size() == 1 &&
               (code_[node].operation == "sum" || is_move(code_[node].operation))) {
            node = code_[node].operands[0];
            if (right_outputs_.contains(node)) {
                return true;
            }
        }
        return false;
    }

    // True for what a function or class returns whose name says attention, and no part of it.
    bool is_returned_context(std::size_t i) const {
        const std::string by = lowered(code_.flow.shown[*code_.followed.shown_of[i]].returned_by);
        const auto has = [&by](std::string_view word) { return by.find(word) != std::string::npos; };
        return (has("attention") || has("attn")) && !has("weight") && !has("score") && !has("mask");
    }

    // True for merged heads that a module with a projection for them returns.
    bool lacks_out_proj(std::size_t i, const Status& found) const {
        const std::size_t node = *code_.followed.node_of(i);
        return found.found.front().walk->node(found.found.front().step).name == "context_merged" &&
               std::ranges::any_of(code_.flow.modules, [&](const Module& module) {
                   const auto weight = module.tensors.find("out_proj.weight");
                   return weight != module.tensors.end() && !code_.graph.depends(node, weight->second);
               });
    }

    // True for a step of the documents that is shown under the name of another step or of another token's
    // row. A number behind the name may count anything.
    bool is_misnamed(std::size_t i, const Status& found) const {
        const std::string label = labelled_step(result_.outputs[i].label);
        const auto name_of = [](const Found& one) -> const std::string& {
            return one.walk->node(one.step).name;
        };
        if (is_returned_context(i) && !found.found.empty()) {
            const std::string& name = name_of(found.found.front());
            return name == "queries" || name == "keys" || name == "values" || lacks_out_proj(i, found);
        }
        const std::string counted = label.substr(0, label.find_last_not_of("0123456789_") + 1);
        return !label.empty() && !found.found.empty() && code_.lessons.chapters().front().is_documents &&
               !contains(found.found, counted, name_of) &&
               std::ranges::none_of(found.found, &Found::is_block) &&
               std::ranges::none_of(found.found, [&](const Found& one) {
                   Piece piece{.kind = one.piece.empty() ? PieceKind::whole : PieceKind::row};
                   piece.first = one.piece.empty() ? 0 : std::strtoul(one.piece.c_str() + 1, nullptr, 10);
                   return may_be_called(label, name_of(one), piece);
               });
    }

    // The line that departs is the last one that assigns the name.
    void blame_name(std::size_t i, std::size_t node, const Status& found) {
        Judged& output = result_.outputs[i];
        output.verdict = OutputVerdict::mistake;
        const bool is_merged = is_returned_context(i) && lacks_out_proj(i, found);
        output.diagnosis = named_mistake(code_, node, is_merged ? "no-out-proj" : "other-than-its-name", "");
        if (is_returned_context(i)) {
            const Shown& shown = code_.flow.shown[*code_.followed.shown_of[i]];
            output.line = shown.source;
            output.line_place = shown.place;
            return;
        }
        const auto assigned = code_.flow.assigned.find(output.label);
        if (assigned == code_.flow.assigned.end() || assigned->second.empty()) {
            return;
        }
        output.line_place = assigned->second.back();
        for (std::size_t item = 0; item < code_.followed.code.size(); ++item) {
            for (const python::Statement& one : code_.followed.code[item].statements) {
                const Place place = code_.document.items[item].place_of(one.line);
                if (place.line == output.line_place.line && place.cell == output.line_place.cell) {
                    output.line = one.source;
                }
            }
        }
    }

    // Puts a match with the step that the code names first, if it is about as likely as the first one.
    static void put_step_first(std::vector<Match>& matches, std::string_view step) {
        const auto named = std::ranges::find_if(matches, [&](const Match& match) {
            return match.step == step && !match.mistakes.empty() &&
                   match.bits > matches.front().bits - threshold::as_good;
        });
        if (named != matches.end() && matches.front().step != step) {
            std::rotate(matches.begin(), named, named + 1);
        }
    }

    // Several mistakes in a line may give the same numbers: with d_k = 2, d_k**2 is d_k / 0.5. Puts the one
    // first whose line is most like that of the code.
    static void put_line_first(std::vector<Match>& matches, std::string_view line) {
        constexpr double hardly_less = 4.0;  // bits
        const auto likeness = [&](const Match& match) {
            const bool is_likely = match.instead_of == matches.front().instead_of &&
                                   match.bits > matches.front().bits - hardly_less;
            return is_likely ? 2 * static_cast<double>(words_in_common(line, match.line)) -
                                   static_cast<double>(words_in_common(match.line, match.line))
                             : -HUGE_VAL;
        };
        const auto closest = std::ranges::max_element(matches, {}, likeness);
        if (closest != matches.end()) {
            std::rotate(matches.begin(), closest, closest + 1);
        }
    }

    // An output that departs, or that follows from one that does.
    void blame(std::size_t i, std::size_t culprit) {
        Judged& output = result_.outputs[i];
        const auto [first, is_first] = departed_.emplace(culprit, i);
        output.verdict = is_first ? OutputVerdict::mistake : OutputVerdict::follows;
        output.because = is_first ? std::nullopt : std::optional(first->second);
        output.line = code_[culprit].line;
        output.line_place = code_[culprit].place;
        output.diagnosis = cause_of(code_, verdicts_, culprit);
        if (const std::optional<std::size_t> masked = forgotten_mask(code_, culprit);
            masked && code_[*masked].name.empty()) {  // this line is to be mended
            output.line = code_[*masked].line;
            output.line_place = code_[*masked].place;
        }
        put_step_first(output.diagnosis.matches, code_[culprit].name);
        put_line_first(output.diagnosis.matches, output.line);
        // A stage may have the same mistake in several lines, as causal masks weights and scores.
        const std::vector<Match>& matches = output.diagnosis.matches;
        const auto closest = std::ranges::max_element(matches, {}, [&](const Match& match) {
            // A matrix has no axis 2.
            const bool has_axes =
                code_[culprit].value.rank() > 2 || (match.instead_of.find("(1, 2)") == std::string::npos &&
                                                    match.instead_of.find("(2, 3)") == std::string::npos);
            return match.mistakes == matches.front().mistakes && has_axes
                       ? words_in_common(output.line, match.instead_of)
                       : 0;
        });
        output.right_line = closest == matches.end() ? "" : closest->instead_of;
        if (output.right_line.starts_with("mask") && mistake_of(output.diagnosis).starts_with("mask-")) {
            show_line_of_mask(output, culprit);
        }
        const auto same = std::ranges::find_if(result_.outputs, [&](const Judged& other) {
            return &other != &output && other.verdict == OutputVerdict::mistake &&
                   other.line == output.line && other.line_place.line == output.line_place.line &&
                   mistake_of(other.diagnosis) == mistake_of(output.diagnosis);
        });
        if (same != result_.outputs.end() && is_first) {
            output.verdict = OutputVerdict::follows;
            output.because = index_of(*same);
            return;
        }
        if (is_first) {
            output.circumstances = circumstances_of(code_, verdicts_, output, culprit);
        }
    }

    // Shows the line that assigns the mask, if the line that uses it was to be shown.
    void show_line_of_mask(Judged& output, std::size_t culprit) const {
        if (output.line.starts_with(output.right_line.substr(0, output.right_line.find('=') + 1))) {
            return;
        }
        for (const std::size_t operand : code_[culprit].operands) {
            std::size_t mask = operand;
            while (code_[mask].name.empty() && code_[mask].operands.size() == 1) {
                mask = code_[mask].operands[0];
            }
            if (code_.graph.is_harmless(operand) && !code_[mask].name.empty() && !code_[mask].line.empty() &&
                code_[mask].value.rank() > 1) {
                output.line = code_[mask].line;
                output.line_place = code_[mask].place;
            }
        }
    }

    // True if the document has the line of a mistake, by its words, or no code that could show it.
    bool is_shown(const Match& match) {
        const auto [known, is_new] = shown_lines_.try_emplace({match.line, match.instead_of});
        if (is_new) {
            known->second = code_shows(match.line, match.instead_of);
        }
        return known->second;
    }

    bool code_shows(std::string_view line, std::string_view right_line) const {
        const std::string_view wrong = line.substr(std::min(line.find('=') + 1, line.size()));
        bool has_code = false;
        for (const python::Code& code : code_.followed.code) {
            for (const python::Statement& one : code.statements) {
                has_code = true;
                const std::size_t common = words_in_common(one.source, wrong);
                const std::size_t right = words_in_common(one.source, right_line);
                const bool is_that_line =  // perhaps with another name
                    common == right && common == words_in_common(wrong, wrong) &&
                    words_in_common(one.source, one.source) <= common + 1;
                if (is_that_line || words_in_common(one.source, line) > right) {
                    return true;
                }
            }
        }
        return !has_code;
    }

    // An output whose expression is not followed, or whose numbers are not those of its code.
    void judge_by_numbers(std::size_t i) {
        Judged& output = result_.outputs[i];
        const std::optional<std::size_t> shown = code_.followed.node_of(i);
        const std::optional<std::size_t> node = origin_of(i);
        const bool is_known = shown && code_[*shown].is_known;
        if (!node || code_.is_relevant[*node]) {
            judge_found(output, node && is_known ? node : std::nullopt);
        }
        const bool is_open = is_known && !node && !code_.followed.is_doubtful(i);
        if (output.verdict == OutputVerdict::unknown &&
            ((is_open && verdicts_.status(*shown).verdict == OutputVerdict::by_product) ||
             are_row_sums(output))) {
            output.verdict = OutputVerdict::by_product;
        }
    }

    // Judges by what was found for the numbers; the code gives others, if there is a node.
    void judge_found(Judged& output, std::optional<std::size_t> node) {
        const Diagnosis& found = output.diagnosis;
        const bool draws = !code_.flow.draws.empty();
        if (found.is_decided() && (draws ? is_drawn_otherwise(found.matches.front())
                                         : found.matches.front().has_other_settings())) {
            output.verdict = OutputVerdict::settings;
            return;
        }
        constexpr double enough = 20.0;
        const auto told = std::ranges::find_if(found.matches, [&](const Match& match) {
            // An output of followed code may be older than its code, which then no longer has the line.
            return match.mistakes == found.matches.front().mistakes && (node || is_shown(match));
        });
        const std::string label = labelled_step(output.label);
        const auto suits_label = [&](const Match& match) {
            return label.empty() || label == match.step || may_be_called(label, match.step, match.piece);
        };
        // Else the code beside it gives other numbers, or its name says another step.
        const bool is_right = !node && found.is_right() && suits_label(found.matches.front());
        if (is_right) {
            output.verdict = OutputVerdict::right;
        } else if (found.is_decided() && !found.is_right() && told != found.matches.end() &&
                   told->bits >= enough) {
            blame_numbers(output, *told, node);
        } else {
            output.diagnosis.matches.clear();
            if (node) {
                blame_time(output, *node);
            }
        }
    }

    // An output whose numbers show a mistake, which its code may no longer have.
    void blame_numbers(Judged& output, const Match& told, std::optional<std::size_t> node) {
        output.verdict = OutputVerdict::mistake;
        output.line = told.line;
        output.right_line = told.instead_of;
        output.line_place = output.place;
        output.is_line_of_code = false;
        const auto same = std::ranges::find_if(result_.outputs, [&](const Judged& other) {
            return &other != &output && other.verdict == OutputVerdict::mistake &&
                   other.diagnosis.matches.front().mistakes == told.mistakes;
        });
        if (same != result_.outputs.end()) {
            output.verdict = OutputVerdict::follows;
            output.because = index_of(*same);
        }
        const OutputVerdict now = node ? verdicts_.status(*node).verdict : OutputVerdict::unknown;
        if (now == OutputVerdict::right || now == OutputVerdict::settings) {
            output.circumstances.push_back({"older_than_code", output.label, code_[*node].place});
            older_.push_back(index_of(output));
        }
    }

    // An output with other numbers than its code gives: a cell that it uses ran again later, or it is
    // computed from an output that is older than its code. Otherwise nobody knows why.
    void blame_time(Judged& output, std::size_t node) {
        if (outdated_[node]) {
            blame_order(output, node);
            return;
        }
        const auto older = std::ranges::find_if(older_, [&](std::size_t other) {
            return code_.graph.depends(node, *code_.followed.node_of(other));
        });
        if (older == older_.end()) {
            output.circumstances.push_back({"differs_from_code", output.label, code_[node].place});
            return;
        }
        output.verdict = OutputVerdict::follows;
        output.because = *older;
        output.diagnosis = result_.outputs[*older].diagnosis;
        output.line = code_[node].line;
        output.line_place = code_[node].place;
    }

    // An output with other numbers than its code gives, because a cell that it uses ran again later.
    void blame_order(Judged& output, std::size_t node) {
        output.verdict = first_old_ ? OutputVerdict::follows : OutputVerdict::mistake;
        output.because = first_old_;
        output.line = code_[node].line;
        output.line_place = code_[node].place;
        output.diagnosis = named_mistake(code_, node, "older-than-its-code", "");
        if (!first_old_) {
            first_old_ = index_of(output);
            const Computed& later = code_[*outdated_[node]];
            output.circumstances.push_back({"ran_afterwards", later.name, later.place, {}});
        }
    }

    std::size_t index_of(const Judged& output) const {
        return static_cast<std::size_t>(&output - result_.outputs.data());
    }

    Judgement result_{};
    const CodeReading& code_;
    Verdicts verdicts_;
    MendedCode mended_;
    std::vector<std::optional<std::size_t>> outdated_;  // nodes that are computed from a cell that ran again
    std::optional<std::size_t> first_old_{};            // the first output that is older than its code
    Ids older_{};                                       // wrong outputs whose code gives right numbers now
    std::set<std::size_t> right_outputs_{};             // the nodes that right outputs show
    std::map<std::pair<std::string, std::string>, bool>
        shown_lines_{};                              // of mistakes → whether the code has it
    Ids mistaken_masks_{};                           // the culprits that are about a mask
    std::map<std::size_t, std::size_t> departed_{};  // culprit → the first output that shows it
};

}  // namespace

std::string_view name_of(OutputVerdict verdict) {
    constexpr std::string_view names[] = {"right",   "settings", "consistent", "by-product",
                                          "mistake", "follows",  "unknown"};
    return names[static_cast<std::size_t>(verdict)];
}

bool is_right(OutputVerdict verdict) {
    return verdict == OutputVerdict::right || verdict == OutputVerdict::settings ||
           verdict == OutputVerdict::by_product;
}

std::optional<std::size_t> Judgement::first_departure() const {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].verdict == OutputVerdict::mistake) {
            return i;
        }
    }
    return std::nullopt;
}

bool Judgement::all_right() const {
    return !outputs.empty() && skipped.empty() &&
           std::ranges::all_of(outputs, [](const Judged& output) { return is_right(output.verdict); });
}

Judgement judge(const Document& document, const Question& question) {
    const CodeReading code(document, question);
    Judgement result = Judge(code).run();
    recognise_steps(code, result);
    result.stated = stated_settings(code);
    result.skipped = code.followed.skipped;
    result.assumes_inputs = code.flow.assumed_inputs.has_value();
    return result;
}

}  // namespace attn
