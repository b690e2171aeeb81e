#include "diagnosis/altered_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "diagnosis/costs.hpp"
#include "mistakes/changed_lines.hpp"

namespace attn {

namespace {

// Returns true if right and wrong numbers print alike with these few decimals, but differently with PyTorch's
// four.
bool hides_difference(const Target& target, const Piece& piece, const Tensor& wrong, const Tensor& right) {
    constexpr double few = 1e-3;
    constexpr double seen = 1e-4;
    const bool has_few = std::ranges::any_of(target.printed().numbers, [](const PrintedNumber& number) {
        return last_unit(number) >= 0.99 * few;
    });
    return has_few && wrong.shape() == right.shape() &&
           std::ranges::any_of(piece.offsets, [&](std::size_t at) {
               return std::abs(static_cast<double>(wrong.values()[at] - right.values()[at])) > seen;
           });
}

// Returns true if the mistake changes the pasted numbers no more than a different order of sums does.
bool only_rounds(const Target& target, const Piece& piece, const Tensor& wrong, const Tensor& right) {
    return target.sums() != nullptr && wrong.shape() == right.shape() &&
           std::ranges::all_of(piece.offsets, [&](std::size_t at) {
               const float a = wrong.values()[at];
               const float b = right.values()[at];
               return a == b || std::abs(static_cast<double>(a - b)) <= target.sums()->slack;
           });
}

// Returns true if the step has the same numbers in the right walk, or differs from it only by rounding.
bool needs_no_mistake(const Target& target, const Stage& stage, const Node& step, const Piece& piece,
                      const Tensor& right) {
    return std::ranges::any_of(target.found.matches, [&](const Match& match) {
        return match.mistakes.empty() && match.stage == &stage && match.step == step.name &&
               (match.precision.empty() ||
                (match.precision == "float32" && only_rounds(target, piece, step.value, right)));
    });
}

std::vector<std::size_t> ids(const auto& steps) {
    std::vector<std::size_t> all;
    for (const auto& step : steps) {
        all.push_back(step.id);
    }
    return all;
}

}  // namespace

AlteredWalk::AlteredWalk(const RightWalk& right, Targets targets, const Question& question,
                         const Ranking& ranking, const WalkEdit* made)
    : right_(&right),
      targets_(targets.begin(), targets.end()),
      question_(&question),
      ranking_(&ranking),
      made_(made),
      walked_(made != nullptr ? walk_with_all({made}) : std::nullopt),
      steps_(steps_that_may_hold_targets()),
      work_(notebook().nodes().size() + 1),
      replay_(notebook(), ids(steps_)) {
    for (const Step& step : steps_) {
        for (const Target* const target : targets_) {
            work_.back() += target->pattern().work_in(step.right->shape());
        }
    }
    for (std::size_t id = notebook().nodes().size(); id-- > 0;) {
        work_[id] = work_[id + 1] + work_of_call(notebook().nodes()[id]);
    }
}

// Returns a call before which no edit changes anything. Calls of the walk with the edit `made` have other
// places.
std::size_t AlteredWalk::first_call(const WalkEdits& edits) const {
    std::size_t from = made_ != nullptr || edits.empty() ? 0 : edits.front()->from;
    for (const WalkEdit* const one : edits) {
        from = std::min(from, one->from);
    }
    return from;
}

// Returns true if repeating the calls usually suffices. A different forward pass has another backward pass.
bool AlteredWalk::is_repeated(const WalkEdits& edits) const {
    return !right_->trace.parameters.backward &&
           std::ranges::all_of(edits, [this](const WalkEdit* one) { return one == made_ || one->calls; });
}

Work AlteredWalk::work_of(const WalkEdits& edits) const {
    return is_repeated(edits) ? work_[first_call(edits)] : attn::work_of(right_->trace) + work_.back();
}

std::vector<AlteredWalk::Step> AlteredWalk::steps_that_may_hold_targets() const {
    const StageTrace& walked = walked_ ? *walked_ : right_->trace;
    const std::vector<const Target*> shapes = one_of_each_shape(targets_);
    std::vector<Step> steps;
    for (const std::size_t id : walked.steps) {
        const Node& step = walked.node(id);
        const Shape& shape = step.value.shape();
        const std::optional<std::size_t> original = right_->trace.find(step.name);
        const auto any = [&](const auto& test) {
            return std::ranges::any_of(shapes, [&](const Target* target) { return test(target->pattern()); });
        };
        if (original && ranking_->is_asked_for(step) &&
            any([&](const Pattern& pattern) { return pattern.may_be_in(shape); })) {
            steps.push_back({id, &right_->trace.node(*original).value,
                             any([&](const Pattern& pattern) { return pattern.fits(shape); })});
        }
    }
    return steps;
}

Outcome AlteredWalk::make(const WalkEdits& edits) {
    std::vector<Edit> calls;
    bool by_calls = true;
    for (const WalkEdit* const one : edits) {
        if (one != made_) {
            by_calls = by_calls && one->calls;
            calls.push_back(one->calls);
        }
    }
    if (!by_calls && !changes_parameters(edits)) {
        return {};
    }
    const std::optional<Effect> effect = by_calls ? repeat(calls, first_call(edits)) : std::nullopt;
    if (effect && *effect != Effect::explains) {
        return {.changes = *effect == Effect::changes};
    }
    return compare_walk_with(edits);
}

// Returns false if the edits only change parameters that the stage does not use.
bool AlteredWalk::changes_parameters(const WalkEdits& edits) const {
    const Parameters& right = right_->trace.parameters;
    Parameters wrong = right;
    for (const WalkEdit* const one : edits) {
        if (!one->parameters) {
            return true;
        }
        one->parameters(wrong);
    }
    return std::ranges::any_of(parameter_table(), [&](const ParameterRow& row) {
        return uses(*right_->trace.stage, row.name) && row.json(wrong) != row.json(right);
    });
}

// Returns the effect of these edits on the steps that may contain the pasted numbers. Returns nothing if the
// stage might continue with other calls; then it must be walked.
std::optional<AlteredWalk::Effect> AlteredWalk::repeat(const std::vector<Edit>& calls, std::size_t from) {
    if (!replay_.make(calls, from)) {
        return std::nullopt;
    }
    Effect effect = Effect::none;
    for (const Step& step : steps_) {
        const Tensor* const changed = replay_.changed(step.id);
        const Tensor& value = changed != nullptr ? *changed : notebook().nodes()[step.id].value;
        if (&value == step.right || identical(value, *step.right)) {
            continue;
        }
        if (std::ranges::any_of(targets_, [&](const Target* target) {
                return target->pattern().find_in(value) ||
                       (target->sums() != nullptr && target->sums()->find_in(value));
            })) {
            return Effect::explains;
        }
        effect = step.fits ? Effect::changes : effect;
    }
    return effect;
}

std::optional<StageTrace> AlteredWalk::walk_with_all(const WalkEdits& edits) const {
    return walk_with(edits, *right_->trace.stage, question_->lesson, right_->trace.parameters,
                     question_->inputs);
}

// Walks the stage with these edits, to get the lines of code, too.
Outcome AlteredWalk::compare_walk_with(const WalkEdits& edits) const {
    const RightWalk& right = *right_;
    const std::optional<StageTrace> walked = walk_with_all(edits);
    if (!walked) {
        return {};
    }
    const StageTrace& wrong = *walked;
    std::vector<std::pair<std::size_t, std::size_t>> steps;  // each changed step, and the right one
    std::vector<std::string> names;
    for (const std::size_t id : wrong.steps) {
        // With the mistake, the backward pass may have different steps.
        const std::optional<std::size_t> original = right.trace.find(wrong.node(id).name);
        if (original && !identical(wrong.node(id).value, right.trace.node(*original).value)) {
            steps.emplace_back(id, *original);
            names.push_back(wrong.node(id).name);
        }
    }
    Outcome outcome{.work = is_repeated(edits) ? attn::work_of(wrong) : 0};
    for (const auto& [id, original] : steps) {
        const Node& step = wrong.node(id);
        const Tensor& right_value = right.trace.node(original).value;
        for (Target* const target : ranking_->is_asked_for(step) ? Targets(targets_) : Targets()) {
            outcome.changes = outcome.changes || target->pattern().fits(step.value.shape());
            const Reading* reading = target->readings.data();
            std::optional<Piece> piece = reading->find_in(step.value);
            if (!piece && target->sums() != nullptr) {
                reading = target->sums();
                piece = reading->find_in(step.value);
            }
            if (!piece || (needs_no_mistake(*target, *right.trace.stage, step, *piece, right_value) &&
                           !hides_difference(*target, *piece, step.value, right_value))) {
                continue;
            }
            Match found = ranking_->match(*target, right, wrong, step, *piece, edits, *reading);
            if (found.bits < threshold::least_value && !target->is_nan()) {
                continue;
            }
            found.changes = names;
            const ChangedLines changed = changed_lines(wrong, right.trace, id, original);
            const std::string_view next = changed.line.empty() || found.line.empty() ? "" : "\n";
            found.line = fmt::format("{}{}{}", changed.line, next, found.line);
            found.instead_of = fmt::format("{}{}{}", changed.instead_of, next, found.instead_of);
            outcome.matches.emplace_back(target, std::move(found));
        }
    }
    return outcome;
}

std::optional<std::size_t> AlteredWalk::first_changed() const {
    return replay_.is_made() ? std::optional(replay_.first_changed()) : std::nullopt;
}

bool AlteredWalk::reshapes() const {
    return std::ranges::any_of(steps_, [&](const Step& step) {
        return step.fits && notebook().nodes()[step.id].value.shape() != step.right->shape();
    });
}

}  // namespace attn
