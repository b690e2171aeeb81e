// Builds the page's JSON. If a value also occurs in the trace's JSON, its key is the same.
#include "views/page/page_data.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "files/json_value.hpp"
#include "files/little_endian.hpp"
#include "notebook/render.hpp"
#include "printed/comparison.hpp"
#include "text/printable.hpp"
#include "views/heatmap/shading.hpp"
#include "views/page/page_arithmetic.hpp"
#include "views/page/page_part.hpp"
#include "words/documents.hpp"
#include "words/words.hpp"

namespace attn {

namespace {

constexpr std::size_t most_labels = 64;
constexpr std::size_t most_label_characters = 24;

// Returns how print() writes the numbers of a tensor: 2., 2.5 or 2.5e+00.
std::string_view notation(const Tensor& x) {
    const std::string sample = number_writer(x, {.precision = 1})(1.0F);
    return sample == "1." ? "whole" : sample == "1.0" ? "fixed" : "scientific";
}

std::string base64(std::span<const float> numbers) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    for (const float number : numbers) {
        append_little_endian(bytes, std::bit_cast<std::uint32_t>(number));
    }
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            three = three << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            text += i + k > bytes.size() ? '=' : letters[three >> (18U - 6U * k) & 63U];
        }
    }
    return text;
}

std::string numbers(const Tensor& x) {
    std::vector<float> shown;
    for (const Index& cell : shown_cells(x.shape())) {
        shown.push_back(x.at(cell));
    }
    return base64(shown);
}

// Adds the kinds of the cells as run lengths: shown (0), masked (1) or dropped (2). Adds nothing if all cells
// are shown.
void add_kinds(Json& json, const Tensor& x, const Shading& shading) {
    std::vector<std::size_t> runs;
    bool all_numbers = true;
    for (const Index& cell : shown_cells(x.shape())) {
        const CellKind kind = shading.kinds[x.offset(cell)];
        all_numbers = all_numbers && kind == CellKind::number;
        if (!runs.empty() && runs.back() == static_cast<std::size_t>(kind)) {
            ++runs[runs.size() - 2];
        } else {
            runs.push_back(1);
            runs.push_back(static_cast<std::size_t>(kind));
        }
    }
    if (!all_numbers) {
        json["kinds"] = runs;
    }
}

// Adds the documents that print this step with these parameters, and the numbers that differ from their
// tables.
void add_agreement(Json& json, const Node& step, std::span<const Comparison> comparisons) {
    std::vector<std::string> documents;
    std::vector<std::size_t> disagreeing;
    for (const Comparison& one : comparisons) {
        if (one.reference->step == step.name && one.same_shape() && one.agreement.numbers > 0) {
            documents.push_back(one.reference->document);
            disagreeing.insert(disagreeing.end(), one.agreement.disagreeing.begin(),
                               one.agreement.disagreeing.end());
        }
    }
    if (!documents.empty()) {
        json["printed_in"] = documents;
        json["disagreeing"] = disagreeing;
    }
}

// The data of one walk of a stage.
class RunData {
public:
    RunData(const StageTrace& trace, std::string_view language, int precision)
        : trace_(trace),
          phrases_(language, "program"),
          precision_(precision),
          memory_(trace.notebook),
          nodes_(trace.shown) {}

    Json json(std::span<const Comparison> comparisons) {
        Json json{{"steps", Json::array()}, {"lines", Json::array()}};
        for (const std::size_t id : trace_.shown) {
            json["steps"].push_back(step(id, comparisons));
        }
        // Adds the nodes that no step shows but from which steps are computed, back to given or random
        // tensors.
        for (std::size_t seen = 0; seen < operands_.size(); ++seen) {
            if (std::ranges::find(nodes_, operands_[seen]) == nodes_.end()) {
                nodes_.push_back(operands_[seen]);
                json["lines"].push_back(step(nodes_.back(), {}));
            }
        }
        json["axes"] = axes();
        json["first_result"] = memory_.first_result();
        json["results"] = base64(memory_.results());
        return json;
    }

private:
    // Returns the axes of the steps, with the labels of their indices.
    Json axes() const {
        Json axes = Json::object();
        std::set<std::string> added;
        for (const std::size_t id : trace_.shown) {
            for (const std::string& axis : trace_.node(id).axes) {
                if (!added.insert(axis).second) {
                    continue;
                }
                std::vector<std::string> labels = trace_.notebook.labels(axis);
                labels.resize(std::min(labels.size(), most_labels));
                std::ranges::transform(labels, labels.begin(), [](const std::string& label) {
                    return printable(label, most_label_characters);
                });
                axes[axis]["name"] = phrases_.axis(axis);
                if (!labels.empty()) {
                    axes[axis]["labels"] = labels;
                }
            }
        }
        return axes;
    }

    Json step(std::size_t id, std::span<const Comparison> comparisons) {
        const Node& step = trace_.node(id);
        const Shape shown = shown_part(step.value.shape());
        const Shading shading = shading_of(trace_.notebook, id);
        Json json = Json::object();
        json["name"] = step.name;
        if (step.gradient_of) {
            json["gradient_of"] = trace_.node(*step.gradient_of).name;
        }
        json["op"] = step.call.operation->name;
        if (!step.axes.empty()) {
            json["axes"] = step.axes;
        }
        json["shape"] = step.value.shape();
        if (shown != step.value.shape()) {
            json["shown"] = shown;
        }
        json["notation"] = notation(step.value);
        json["scale"] = Json::array({shading.scale == Scale::diverging, shading.largest});
        json["address"] = memory_.address_of(id);
        json["inputs"] = Json::array();
        for (const std::size_t operand : named_operands(trace_.notebook, id)) {
            json["inputs"].push_back(trace_.node(operand).name);
            operands_.push_back(operand);
        }
        add_agreement(json, step, comparisons);
        json["data"] = numbers(step.value);
        add_kinds(json, step.value, shading);
        Json arithmetic =
            arithmetic_json(trace_.notebook, id, shown_cells(step.value.shape()), shown, precision_, memory_);
        if (!arithmetic.is_null()) {
            json["arithmetic"] = std::move(arithmetic);
        }
        return json;
    }

    const StageTrace& trace_;
    const Words phrases_;
    int precision_;
    Memory memory_;
    std::vector<std::size_t> nodes_;     // shown steps, then the lines between them
    std::vector<std::size_t> operands_;  // of the nodes above
};

}  // namespace

std::string page_data(const Trace& trace, std::span<const PageVariant> variants,
                      std::span<const Reference> references, const Words& words,
                      const PrintOptions& options) {
    Json json = Json::object();
    json["precision"] = options.precision;
    json["words"] = Json::object();
    for (const auto& [key, text] : words.texts()) {
        if (key.starts_with("say_")) {
            json["words"][key.substr(4)] = text;
        }
    }
    json["stages"] = Json::array();
    for (const StageTrace& stage : trace.stages) {
        Json of_stage{
            {"name", stage.stage->name}, {"book", book_sections(stage.stage->name)}, {"runs", Json::array()}};
        const auto add_run = [&](std::string_view id, const StageTrace& run) {
            const std::vector<Comparison> comparisons =
                id.empty() ? compare_stage(run, references) : std::vector<Comparison>{};
            Json of_run = RunData(run, words.language(), options.precision).json(comparisons);
            of_run["id"] = id;
            of_stage["runs"].push_back(std::move(of_run));
        };
        add_run("", stage);
        for (const PageVariant& variant : variants) {
            if (variant.trace.stage == stage.stage) {
                add_run(variant.id, variant.trace);
            }
        }
        json["stages"].push_back(std::move(of_stage));
    }
    return json_text(json, JsonLayout::compact);
}

}  // namespace attn
