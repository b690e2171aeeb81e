// The words of explanations: data/narration/<language>/explanation.json.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "stages/trace.hpp"
#include "views/explain/derivation.hpp"

namespace attn {

class ExplanationWords {
public:
    using Values = std::map<std::string, std::string, std::less<>>;

    // Throws Error for a file that holds anything else than words.
    explicit ExplanationWords(std::string_view language);

    // The words under an id, each `{name}` replaced by its value. Throws std::logic_error when there are no
    // such words, or no such value.
    std::string operator()(std::string_view id, const Values& values = {}) const;

    // query 1 “journey”, key 0 “Your”
    std::string position(const StageTrace& trace, const Lesson& lesson, std::size_t id,
                         const Index& index) const;

    // A reason as a sentence; numbers in it have `precision` decimals.
    std::string sentence(const StageTrace& trace, const Lesson& lesson, const CellReason& reason,
                         int precision) const;

private:
    std::string place(const StageTrace& trace, const Lesson& lesson, std::string_view axis,
                      std::size_t index) const;

    std::map<std::string, std::string, std::less<>> words_;
};

}  // namespace attn
