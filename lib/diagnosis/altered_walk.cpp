#include "diagnosis/altered_walk.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace attn {

AlteredWalk::AlteredWalk(const RightWalk& right, Targets targets, const Ranking& ranking, const Attempt* made,
                         std::optional<StageTrace> walked)
    : right_(&right),
      targets_(targets),
      made_(made),
      walked_(std::move(walked)),
      steps_(steps_for(targets, right, walked_ ? *walked_ : right.trace, ranking)),
      replay_(notebook(), ids(steps_)) {}

std::vector<AlteredWalk::Step> AlteredWalk::steps_for(Targets targets, const RightWalk& right,
                                                      const StageTrace& walked, const Ranking& ranking) {
    std::vector<Step> steps;
    for (const std::size_t id : walked.steps) {
        const Node& step = walked.node(id);
        const Shape& shape = step.value.shape();
        const std::optional<std::size_t> original = right.trace.find(step.name);
        const auto any = [&](const auto& test) {
            return std::ranges::any_of(targets, [&](const Target* target) { return test(target->pattern); });
        };
        if (original && ranking.is_asked_for(step) &&
            any([&](const Pattern& pattern) { return pattern.may_be_in(shape); })) {
            steps.push_back({id, &right.trace.node(*original).value,
                             any([&](const Pattern& pattern) { return pattern.fits(shape); })});
        }
    }
    return steps;
}

std::vector<std::size_t> AlteredWalk::ids(const std::vector<Step>& steps) {
    std::vector<std::size_t> all;
    std::ranges::transform(steps, std::back_inserter(all), &Step::id);
    return all;
}

std::optional<AlteredWalk::Effect> AlteredWalk::repeat(std::vector<Edit> edits, std::size_t from) {
    if (!replay_.make(std::move(edits), from)) {
        return std::nullopt;
    }
    Effect effect = Effect::none;
    for (const Step& step : steps_) {
        const Tensor* const changed = replay_.changed(step.id);
        const Tensor& value = changed != nullptr ? *changed : notebook().nodes()[step.id].value;
        if (&value == step.right || identical(value, *step.right)) {
            continue;
        }
        if (std::ranges::any_of(
                targets_, [&](const Target* target) { return target->pattern.find_in(value).has_value(); })) {
            return Effect::explains;
        }
        effect = step.fits ? Effect::changes : effect;
    }
    return effect;
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
