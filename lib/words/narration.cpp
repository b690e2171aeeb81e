#include "words/narration.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "notebook/vocabulary.hpp"
#include "text/prose.hpp"

namespace attn {

std::string Narration::title(const Situation& run) const {
    return is_silent() ? run.trace.node(run.step).name : told(step_key(run) + "/title", run);
}

std::string Narration::step_key(const Situation& run) const {
    constexpr std::string_view below = "steps/";
    constexpr std::string_view title = "/title";
    const std::string& name = run.trace.node(run.step).name;
    const std::string key = fmt::format("{}{}", below, name);
    if (words_.find(key + std::string(title)) != nullptr) {
        return key;
    }
    for (const auto& [other, text] : words_.texts()) {
        if (other.starts_with(below) && other.ends_with(title)) {
            const std::string step = other.substr(0, other.size() - title.size());
            if (without_number(step) == without_number(key)) {
                return step;
            }
        }
    }
    throw std::logic_error("the narration has no words for step " + name);
}

std::string Narration::told(const std::string& key, const Situation& run) const {
    if (words_.find(key) != nullptr) {
        return sentence(key, run);
    }
    std::string text;
    for (std::size_t i = 0; i == 0 || words_.find(fmt::format("{}/{}", key, i)) != nullptr; ++i) {
        add_sentence(text, sentence(fmt::format("{}/{}", key, i), run));
    }
    return text;
}

std::string Narration::sentence(const std::string& key, const Situation& run) const {
    const std::string* const when = words_.find(key + "/when");
    if (when == nullptr || holds(*when, run)) {
        return words_.at(key);
    }
    const std::string* const otherwise = words_.find(key + "/else");
    return otherwise == nullptr ? "" : *otherwise;
}

}  // namespace attn
