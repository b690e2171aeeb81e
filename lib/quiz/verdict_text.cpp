#include "quiz/verdict_text.hpp"

#include <algorithm>

#include "quiz/hints.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "text/prose.hpp"

namespace attn {

VerdictWords::VerdictWords(std::string_view language)
    : phrases_(language, "quiz"), mistakes_(language, "diagnosis"), words_(language, "program") {}

std::string VerdictWords::unreadable(const QuizQuestion& question, std::string_view typed) const {
    const Answer right = question.right_answer();
    const std::string_view phrase = std::holds_alternative<Shape>(right)   ? "no_shape"
                                    : std::holds_alternative<Count>(right) ? "no_count"
                                                                           : "no_number";
    return phrases_(phrase, in_quotes(typed));
}

std::string VerdictWords::verdict(const QuizQuestion& question, std::string_view typed,
                                  const Verdict& verdict) const {
    const std::string right = answer_text(question.right_answer(), question.decimals);
    if (verdict.right) {
        return phrases_("right", right) + "\n";
    }
    if (typed.empty()) {
        return phrases_("unanswered", right) + "\n";
    }
    if (!verdict.answer) {
        std::string text = unreadable(question, typed);
        add_sentence(text, phrases_("unanswered", right));
        return text + "\n";
    }
    if (verdict.too_short) {
        return wrapped(phrases_("too_short", question.decimals, right));
    }
    std::string text = phrases_("wrong", right) + "\n";
    if (question.asks_for_shape()) {
        text += wrapped(shape_reason(question, *verdict.answer, phrases_, words_));
    }
    constexpr std::size_t most = 3;
    for (std::size_t i = 0; i < std::min(most, verdict.mistakes.size()); ++i) {
        const auto& [id, lines] = verdict.mistakes[i];
        text += wrapped(phrases_(i == 0 ? "mistake" : "or_mistake", mistakes_(id)));
        if (!lines.line.empty() && !contains(lines.line, '\n')) {
            text += phrases_("yours", lines.line) + "\n" + phrases_("instead_of", lines.instead_of) + "\n";
        }
    }
    return text;
}

}  // namespace attn
