#include "walkthrough/catalogue.hpp"

#include <algorithm>

namespace attn {

extern const Stage causal_stage;

std::span<const Stage* const> catalogue() {
    static constexpr const Stage* stages[] = {
        &causal_stage,
    };
    return stages;
}

const Stage* find_stage(std::string_view name) {
    const auto stages = catalogue();
    const auto found = std::ranges::find(stages, name, [](const Stage* stage) { return stage->name; });
    return found == stages.end() ? nullptr : *found;
}

}  // namespace attn
