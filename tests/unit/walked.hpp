// Walks the causal stage for tests that look at what it leaves behind.
#pragma once

#include <string_view>

#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "stages/trace.hpp"

namespace attn {

inline Lesson journey() {
    return built_in_lesson();
}

inline Parameters causal_defaults() {
    return find_stage("causal")->defaults;
}

inline StageTrace walk_causal(const Lesson& lesson, const Parameters& parameters = causal_defaults()) {
    return walk(*find_stage("causal"), lesson, parameters);
}

inline const Tensor& step_value(const StageTrace& trace, std::string_view name) {
    return trace.node(trace.find(name).value()).value;
}

}  // namespace attn
