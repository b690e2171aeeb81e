#include "diagnosis/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "diagnosis/costs.hpp"
#include "diagnosis/labels.hpp"
#include "notebook/render.hpp"

namespace attn {

namespace {

// Returns true if a tensor has the step's name, possibly after the stage's name, as in a saved walkthrough.
bool is_called(std::string name, const Stage& stage, std::string_view step) {
    if (constexpr std::string_view grad = ".grad"; name.ends_with(grad)) {  // keys.grad is keys_grad
        name[name.size() - grad.size()] = '_';
    }
    return name == step || name == fmt::format("{}.{}", stage.name, step);
}

// Returns the step that the label names: a step of attention, or any other step of this stage.
std::string label_in(const Target& target, const StageTrace& trace) {
    const std::string& name = target.printed().name;
    return target.label.empty() && trace.find(name) ? name : target.label;
}

double largest_difference(const PrintedTensor& printed, const Tensor& value, const Piece& piece) {
    double largest = 0.0;
    for (std::size_t n = 0; n < printed.numbers.size(); ++n) {
        const auto x = static_cast<double>(value.values()[piece.offsets[n]]);
        const double difference = std::abs(x - printed.numbers[n].value);
        largest = std::isfinite(difference) ? std::max(largest, difference) : largest;
    }
    return largest;
}

Piece without_offsets(Piece piece) {
    piece.offsets.clear();
    return piece;
}

}  // namespace

Ranking::Ranking(const Question& question, const Walks& walks) : question_(&question) {
    for (const RightWalk* const right : walks) {
        stages_ += right->of_document ? 0.0 : 1.0;
    }
    for (const RightStep& one : steps_of(walks)) {
        steps_ += one.walk->of_document ? 0.0 : 1.0;
        scalars_ += one.walk->of_document || one.node().value.rank() > 0 ? 0.0 : 1.0;
    }
}

double Ranking::most_worth(const Target& target, double cost) const {
    const Claim cheapest{.stages = stages_,
                         .steps = steps_,
                         .parameters = cost,
                         .named = target.printed().name.empty() ? std::nullopt : std::optional(true),
                         .piece = cost::whole};
    return worth(target.readings[0].surprise, cheapest);
}

bool Ranking::has_its_label(const Target& target, const StageTrace& trace, const Node& step,
                            const Piece& piece) const {
    if (!question_->as.empty()) {
        return is_asked_for(step);
    }
    const std::string label = label_in(target, trace);
    return label.empty() || may_be_called(label, step.name, piece);
}

Match Ranking::match(const Target& target, const RightWalk& right, const StageTrace& walked, const Node& step,
                     const Piece& piece, const WalkEdits& edits, const Reading& reading) const {
    const PrintedTensor& printed = target.printed();
    const bool is_whole = piece.kind == PieceKind::whole;
    // Few steps are single numbers, but very many pieces are.
    const bool is_scalar = is_whole && step.value.rank() == 0;
    Claim claim{.stages = stages_,
                .steps = is_scalar ? scalars_ : steps_,
                .parameters = right.bits,
                .piece = piece.bits};
    if (!printed.name.empty()) {
        claim.named = is_called(printed.name, *walked.stage, step.name);
    }
    Match found{.stage = walked.stage,
                .parameters = walked.parameters,
                .step = step.name,
                .not_chosen = right.not_chosen,
                .place = right.trace.place(*right.trace.find(step.name)),
                .is_result = walked.node(walked.steps.back()).name == step.name,
                .piece = without_offsets(piece)};
    const auto add_mistake = [&](std::string_view id, double bits) {
        claim.mistakes.push_back(bits);
        found.mistake_bits += bits;
        found.mistakes.push_back(id);
    };
    for (const std::string_view setting : right.settings) {
        add_mistake(setting, cost::known_setting);
    }
    const bool is_meant = claim.named.value_or(false) || question_->as == step.name;
    if (!step.shows.empty() && !is_meant) {
        add_mistake(step.shows, find_mistake(step.shows)->bits + cost::shown);
    }
    for (const WalkEdit* const one : edits) {
        const Erratum* const erratum = right.erratum;
        const bool is_known =
            erratum != nullptr && erratum->step == step.name && erratum->mistake == one->mistake->id;
        add_mistake(one->mistake->id, is_known ? cost::erratum : one->bits);
        found.erratum = is_known && edits.size() == 1 ? erratum->id : "";
    }
    if (piece.exchanged) {
        add_mistake("transposed", find_mistake("transposed")->bits);
        found.line = step.name + ".T";
        found.instead_of = step.name;
    }
    if (is_whole && !printed.grad_fn.empty() && !step.grad_fn.empty() && printed.grad_fn != step.grad_fn) {
        claim.parameters += cost::other_grad_fn;
        found.grad_fn = step.grad_fn;
    }
    const bool is_other_step = !edits.empty() && edits.front()->mistake->id == "other-step";
    if (!edits.empty() && !is_other_step && !has_its_label(target, walked, step, piece)) {
        claim.parameters += cost::other_label;
    }
    found.is_asked_for = is_whole && !printed.summarised() && found.mistakes.empty() &&
                         right.not_chosen.empty() && question_->as == step.name &&
                         question_->candidates.size() == 1;
    found.document = found.mistakes.empty() ? document_of(walked, step.name, *question_) : "";
    claim.precision = reading.bits;
    found.precision = reading.name;
    found.bits = worth(reading.surprise, claim);
    found.largest_difference = largest_difference(printed, step.value, piece);
    return found;
}

std::optional<Match> Ranking::match_right(const Target& target, const RightStep& of, const Piece& piece,
                                          const Reading& reading) const {
    const RightWalk& right = *of.walk;
    const Node& step = of.node();
    if (step.role != Role::step) {
        return match_between(target, of, piece);
    }
    if (has_its_label(target, right.trace, step, piece)) {
        return match(target, right, right.trace, step, piece, {}, reading);
    }
    const bool is_projection = step.name == "queries" || step.name == "keys" || step.name == "values";
    const std::string label = label_in(target, right.trace);
    const WalkEdit other_step{
        .mistake = find_mistake("other-step"),
        .bits = label.starts_with("W_") || is_projection ? cost::other_projection : cost::other_step};
    Match found = match(target, right, right.trace, step, piece, {&other_step}, reading);
    found.label = label;
    return found.bits < convincing ? std::nullopt : std::optional(std::move(found));
}

std::optional<Match> Ranking::match_between(const Target& target, const RightStep& of,
                                            const Piece& piece) const {
    const RightWalk& right = *of.walk;
    const Node& node = of.node();
    const Claim claim{.stages = stages_,
                      .steps = steps_,
                      .parameters = right.bits + (node.name.empty() ? cost::part_of_line : cost::line),
                      .piece = piece.bits};
    const double bits = worth(target.readings[0].surprise, claim);
    if (bits < convincing || piece.exchanged) {
        return std::nullopt;
    }
    const std::string text = expression(right.trace.notebook, of.id, Language::torch);
    const bool needs_brackets = !piece.index.empty() && text.find(' ') != std::string::npos;
    return Match{
        .stage = right.trace.stage,
        .parameters = right.trace.parameters,
        .step = needs_brackets ? fmt::format("({})", text) : text,
        .place = std::min(right.trace.place(of.id) + 1, right.trace.steps.size()),  // the step it is for
        .piece = without_offsets(piece),
        .bits = bits,
        .largest_difference = largest_difference(target.printed(), node.value, piece)};
}

}  // namespace attn
