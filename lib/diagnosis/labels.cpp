#include "diagnosis/labels.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

#include "stages/weight_names.hpp"
#include "text/lists.hpp"

namespace attn {

namespace {

using Names = std::pair<std::string_view, std::string_view>;

// Other names for steps, from the chapter and its readers.
constexpr Names synonyms[] = {
    {"Q", "queries"},
    {"K", "keys"},
    {"V", "values"},
    {"scores", "attn_scores"},
    {"context", "context_vec"},
    {"Attention scores", "attn_scores"},
    {"attention scores", "attn_scores"},
    {"Context vectors", "context_vec"},
    {"context vectors", "context_vec"},
    {"注意力分数", "attn_scores"},
    {"上下文向量", "context_vec"},
    {"out", "context_vec"},
    {"context_vecs", "context_vec"},
    {"all_context_vecs", "context_vec"},
};

// Names of steps for one token, and for all.
constexpr Names plurals[] = {
    {"query", "queries"},
    {"key", "keys"},
    {"value", "values"},
    {"attn_scores", "attn_scores"},
    {"attn_weights", "attn_weights"},
    {"context_vec", "context_vec"},
};

constexpr std::string_view steps[] = {
    "queries",
    "keys",
    "values",
    "attn_scores",
    "attn_weights",
    "attn_weights_causal",
    "masked_simple_norm",
    "context_vec",
};

constexpr std::string_view grad_suffix = "_grad";

std::string_view without_suffix(std::string_view text, std::string_view suffix) {
    return text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text;
}

// A token's row of a step: `query_2` is token 2 of queries.
struct OfToken {
    std::string_view all;
    std::size_t token;
};

std::optional<OfToken> of_token(std::string_view label) {
    const std::size_t mark = label.rfind('_');
    const auto plural = std::ranges::find(plurals, label.substr(0, mark), &Names::first);
    if (mark == std::string_view::npos || plural == std::end(plurals)) {
        return std::nullopt;
    }
    OfToken of{plural->second, 0};
    const std::string_view digits = label.substr(mark + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), of.token);
    return error == std::errc() && end == digits.data() + digits.size() ? std::optional(of) : std::nullopt;
}

// Returns true if the step can have this label: its own name, or a name that the book also uses for it.
bool is_form_of(std::string_view label, std::string_view step) {
    const auto has = [&](std::string_view word) { return step.find(word) != std::string_view::npos; };
    if (step.ends_with("_tmp")) {  // these weights do not sum to 1
        return false;
    }
    if (step == "masked_simple_norm") {
        return label.starts_with("attn_weights") && label != "attn_weights_dropped";
    }
    if (label == "masked_simple_norm") {
        return step.starts_with("attn_weights_causal");
    }
    if (label == "context_vec") {
        return (has("context") && step != "context_heads" && step != "context_merged") ||
               step.starts_with("head_");
    }
    return (step.starts_with(label) && step[label.size()] == '_') ||
           (step.ends_with(label) && step[step.size() - label.size() - 1] == '_') ||
           (label == "attn_weights" && has("weights")) ||
           (label == "attn_scores" && (has("scores") || step == "masked"));
}

}  // namespace

std::string_view step_named_by(std::string_view step) {
    if (const Names* const synonym = find_in(synonyms, step, &Names::first)) {
        return synonym->second;
    }
    // Results have labels such as q_proj, too, so a label is a weight's name only if it begins with W.
    const std::string_view weight = step.starts_with('W') ? usual_weight_name(step) : "";
    return weight.empty() ? step : weight;
}

std::string labelled_step(std::string_view name) {
    if (name.starts_with("dropout(attn_weights")) {  // the chapter prints dropout(attn_weights)
        return "attn_weights_dropped";
    }
    for (const std::string_view suffix : {".weight", ".data", ".T"}) {
        name = without_suffix(name, suffix);
    }
    const std::string_view step = without_suffix(name, ".grad");
    const bool is_grad = step.size() != name.size();
    const std::string_view last = step.substr(step.rfind('.') + 1);  // if nothing was found, npos + 1 is 0
    const std::string_view forward = without_suffix(last, grad_suffix);
    const std::string_view named = step_named_by(forward);
    const bool is_known =
        contains(steps, named) || contains(weight_names, named) || of_token(forward).has_value();
    return is_known ? std::string(last) + (is_grad ? std::string(grad_suffix) : "") : "";
}

std::optional<std::size_t> labelled_row(std::string_view label, std::string_view step) {
    const std::optional<OfToken> of = of_token(label);
    const bool is_its = of && (step == of->all || is_form_of(of->all, step));
    return is_its ? std::optional(of->token) : std::nullopt;
}

bool may_be_called(std::string_view label, std::string_view step, const Piece& piece) {
    if (label == step) {
        return true;
    }
    if (label.ends_with(grad_suffix) != step.ends_with(grad_suffix)) {
        return false;
    }
    label = step_named_by(without_suffix(label, grad_suffix));
    step = step_named_by(without_suffix(step, grad_suffix));
    if (label == step || is_form_of(label, step)) {
        return true;
    }
    const bool is_row = piece.kind == PieceKind::row || (piece.kind == PieceKind::rows && piece.count == 1);
    const std::optional<std::size_t> row = labelled_row(label, step);
    return row && (!is_row || piece.first + 1 == *row) && piece.kind != PieceKind::whole &&
           piece.kind != PieceKind::column;
}

}  // namespace attn
