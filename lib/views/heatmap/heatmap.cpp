// Headings come from the names of the axes: what counts tokens is headed by them.
#include "views/heatmap/heatmap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "files/json_view.hpp"
#include "files/resources.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

// The words of the one stage that has its own: a sentence and its translation.
std::vector<std::string> words_of_translation(std::string_view axis) {
    constexpr std::string_view file = "encoder_decoder.json";
    const Json json = parse_json(resource(file), file);
    const JsonView words = JsonView(json, file).at(axis);
    std::vector<std::string> tokens;
    for (std::size_t i = 0; i < words.size(); ++i) {
        tokens.push_back(words[i].string());
    }
    return tokens;
}

std::vector<std::string> tokens_of(std::string_view axis, const StageTrace& trace, const Lesson& lesson) {
    if (axis == "source" || axis == "target") {
        return words_of_translation(axis);
    }
    const bool counts_tokens = axis == "token" || axis == "query" || axis == "key";
    return counts_tokens && uses(*trace.stage, "input") ? lesson.tokens : std::vector<std::string>{};
}

// Positions beyond the tokens, such as those of a longer context, are headed by their number.
std::vector<std::string> labels_of(std::size_t size, const std::vector<std::string>& tokens) {
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < size; ++i) {
        labels.push_back(i < tokens.size() ? printable(tokens[i]) : fmt::format("{}", i));
    }
    return labels;
}

}  // namespace

Heatmap::Heatmap(const StageTrace& trace, std::size_t node, const Lesson& lesson, const Words& phrases,
                 const PrintOptions& options)
    : node_(&trace.node(node)),
      shading_(shading_of(trace.notebook, node)),
      number_(number_writer(node_->value, options)) {
    const Tensor& x = node_->value;
    const auto axis = [&](std::size_t i, std::string_view phrase) {
        const std::string& name = node_->axes.at(i);
        return HeatAxis{phrases(phrase, phrases.axis(name)),
                        labels_of(x.shape()[i], tokens_of(name, trace, lesson))};
    };
    column = axis(x.rank() - 1, "column_axis");
    row = x.rank() == 1 ? HeatAxis{"", {""}} : axis(x.rank() - 2, "row_axis");
    for (std::size_t i = 0; i + 2 < x.rank(); ++i) {
        outer_axes_.push_back(phrases.axis(node_->axes[i]));
    }
    const auto finite = [](float number) { return std::isfinite(number); };
    if (const auto first = std::ranges::find_if(x.values(), finite); first != x.values().end()) {
        least_ = greatest_ = *first;
    }
    for (const float number : x.values()) {
        least_ = finite(number) ? std::min(least_, number) : least_;
        greatest_ = finite(number) ? std::max(greatest_, number) : greatest_;
    }
}

std::size_t Heatmap::matrices() const {
    return node_->value.count() / (row.labels.size() * column.labels.size());
}

std::size_t Heatmap::abreast() const {
    return node_->value.rank() < 3 ? 1 : node_->value.size(-3);
}

std::string Heatmap::heading(std::size_t matrix) const {
    const Tensor& x = node_->value;
    const Index index = x.index(matrix * row.labels.size() * column.labels.size());
    std::string text;
    for (std::size_t axis = 0; axis < outer_axes_.size(); ++axis) {
        text += fmt::format("{}{} {}", axis == 0 ? "" : " · ", outer_axes_[axis], index[axis]);
    }
    return text;
}

HeatCell Heatmap::cell(std::size_t matrix, std::size_t i, std::size_t j) const {
    const std::size_t place = (matrix * row.labels.size() + i) * column.labels.size() + j;
    const float value = node_->value.values()[place];
    return {number_(value), shading_.kinds[place], shading_.colour(place, value),
            std::isfinite(value) ? position_of(value, shading_.largest) : 0.0};
}

bool Heatmap::has(CellKind kind) const {
    return std::ranges::find(shading_.kinds, kind) != shading_.kinds.end();
}

}  // namespace attn
