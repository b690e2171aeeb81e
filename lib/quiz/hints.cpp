#include "quiz/hints.hpp"

#include <fmt/format.h>

#include <vector>

#include "notebook/render.hpp"
#include "text/lists.hpp"
#include "text/prose.hpp"
#include "views/explain/arithmetic_text.hpp"
#include "views/explain/cell_address.hpp"

namespace attn {

namespace {

// Returns attn_scores[1][0] = queries[1][0] * keys[0][0] + …, or an empty text if the cell needs several
// lines.
std::string cell_line(const QuizQuestion& question) {
    const StageTrace& walked = *question.right;
    KnownCells known;
    const Derivation derivation = derive(walked.notebook, question.step, *question.cell, known);
    if (derivation.lines.empty() || derivation.lines.back().arithmetic.is_one_number()) {
        return "";
    }
    const DerivationLine line = shortened(derivation.lines.back());
    const std::vector<TextPiece> names = names_of(walked.notebook, line.arithmetic, walked.language);
    return names.empty() ? ""
                         : fmt::format("{} = {}", cell_name(walked.node(question.step), *question.cell),
                                       text_of(names));
}

}  // namespace

std::string hint(const QuizQuestion& question, const Words& phrases) {
    if (!question.cell || question.is_exercise()) {
        return wrapped(phrases(fmt::format("hint {}", question.kind)));
    }
    if (const std::string line = cell_line(question); !line.empty()) {
        return line + "\n";
    }
    const Expr formula = equation_of(question.right->notebook, question.step);
    return formula.is_empty() ? wrapped(phrases("hint line")) : formula_text(formula) + "\n";
}

std::string shape_reason(const QuizQuestion& question, const Typed& typed, const Words& phrases,
                         const Words& words) {
    const auto right = std::get<Shape>(question.right_answer());
    const Axes& names = question.right->node(question.step).axes;
    std::vector<std::string> axes;
    for (std::size_t axis = 0; axis < right.rank(); ++axis) {
        axes.push_back(fmt::format("{} {}", words.axis(names[axis]), right[axis]));
    }
    std::string text =
        typed.shape.rank() == right.rank() ? "" : phrases("other_rank", typed.shape.rank(), right.rank());
    add_sentence(text, phrases("axes", joined(axes)));
    return text;
}

}  // namespace attn
