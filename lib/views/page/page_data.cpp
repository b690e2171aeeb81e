// Keys are those of the trace's JSON where they mean the same.
#include "views/page/page_data.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "files/json_value.hpp"
#include "notebook/render.hpp"
#include "printed/comparison.hpp"
#include "text/printable.hpp"
#include "views/document/document.hpp"
#include "views/page/page_arithmetic.hpp"
#include "views/page/page_part.hpp"
#include "words/words.hpp"

namespace attn {

namespace {

constexpr std::size_t most_labels = 64;
constexpr std::size_t most_label_characters = 24;

// How print writes the numbers of a tensor: 2., 2.5 or 2.5e+00.
std::string_view notation(const Tensor& x) {
    const std::string sample = number_writer(x, {.precision = 1})(1.0F);
    return sample == "1." ? "whole" : sample == "1.0" ? "fixed" : "scientific";
}

Json sizes_of(const Shape& shape) {
    return std::vector(shape.begin(), shape.end());
}

Json numbers(const Tensor& x) {
    Json numbers = Json::array();
    for (const Index& cell : shown_cells(x.shape())) {
        numbers.push_back(static_cast<double>(x.at(cell)));
    }
    return numbers;
}

// Which numbers are none of the tensor's but masked (1) or dropped (2), as how many of which kind follow one
// another; nothing where all are numbers.
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

// The documents that print this step with these parameters, and which of its numbers differ from what they
// print.
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

class StageData {
public:
    StageData(const StageTrace& trace, std::string_view language)
        : trace_(trace),
          phrases_(language, "program"),
          narration_(language, trace.stage->name),
          addresses_(trace.notebook),
          nodes_(trace.shown) {}

    void add_steps(Json& json, std::span<const Comparison> comparisons) {
        json["steps"] = Json::array();
        for (const std::size_t id : trace_.shown) {
            json["steps"].push_back(step(id, comparisons));
        }
        json["lines"] = lines();
        json["axes"] = axes();
        json["others"] = others(trace_, mentioned_);
    }

    // Only the steps that differ from those of the trace.
    Json variant(const PageVariant& variant, const Words& words) {
        Json json{{"id", variant.id}, {"label", words.at("variant_" + variant.id)}};
        const std::string intro = narration_.intro({variant.trace, 0, variant.id});
        if (intro != narration_.intro({trace_})) {
            json["intro"] = intro;
        }
        json["steps"] = Json::object();
        std::vector<std::int64_t> mentioned;
        for (std::size_t n = 0; n < nodes_.size(); ++n) {
            add_changed_step(json["steps"], variant, n, mentioned);
        }
        json["others"] = others(variant.trace, mentioned);
        return json;
    }

private:
    // What steps are made from and no step shows, down to what is given or drawn.
    Json lines() {
        Json lines = Json::array();
        const Addresses::Place* last = nullptr;
        for (std::size_t seen = 0; seen < mentioned_.size(); ++seen) {
            const Addresses::Place& place = addresses_.at(mentioned_[seen]);
            if (&place == last) {
                continue;
            }
            last = &place;
            const std::size_t id = trace_.find(place.name).value();
            if (std::ranges::find(nodes_, id) == nodes_.end()) {
                nodes_.push_back(id);
                lines.push_back(step(id, {}));
            }
        }
        return lines;
    }

    // Numbers that arithmetic mentions and that no tensor of the page has: [address, name, index, number].
    Json others(const StageTrace& trace, std::vector<std::int64_t> mentioned) const {
        std::ranges::sort(mentioned);
        mentioned.erase(std::unique(mentioned.begin(), mentioned.end()), mentioned.end());
        Json others = Json::array();
        for (const std::int64_t address : mentioned) {
            const Addresses::Place& place = addresses_.at(address);
            const std::optional<std::size_t> node = trace.find(place.name);
            if (!node) {  // without dropout there is no mask that was written out
                continue;
            }
            const Tensor& value = trace.node(*node).value;
            const Index index = value.index(static_cast<std::size_t>(address - place.address));
            const Shape shown = shown_part(place.shape);
            bool is_shown = std::ranges::find(nodes_, trace_.find(place.name)) != nodes_.end();
            for (std::size_t axis = 0; axis < shown.rank(); ++axis) {
                is_shown = is_shown && index[axis] < shown[axis];
            }
            if (!is_shown) {
                others.push_back({address, place.name,
                                  std::vector(index.begin(), index.begin() + shown.rank()),
                                  static_cast<double>(value.at(index))});
            }
        }
        return others;
    }

    // What the axes of the steps count, and what stands at their places.
    Json axes() const {
        Json axes = Json::object();
        for (const std::size_t id : trace_.shown) {
            for (const std::string& axis : trace_.node(id).axes) {
                if (axes.contains(axis)) {
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
        json["shape"] = sizes_of(step.value.shape());
        if (shown != step.value.shape()) {
            json["shown"] = sizes_of(shown);
        }
        json["notation"] = notation(step.value);
        json["scale"] = {shading.scale == Scale::diverging, static_cast<double>(shading.largest)};
        json["address"] = addresses_.of(step)->address;
        json["inputs"] = Json::array();
        for (const std::size_t operand : named_operands(trace_.notebook, id)) {
            json["inputs"].push_back(trace_.node(operand).name);
        }
        add_agreement(json, step, comparisons);
        json["data"] = numbers(step.value);
        add_kinds(json, step.value, shading);
        const StepArithmetic arithmetic =
            step_arithmetic(trace_.notebook, id, shown_cells(step.value.shape()), addresses_);
        if (arithmetic.explains()) {
            json["arithmetic"] = arithmetic_json(arithmetic);
            mentioned_.insert(mentioned_.end(), arithmetic.addresses.begin(), arithmetic.addresses.end());
        }
        return json;
    }

    void add_changed_step(Json& steps, const PageVariant& variant, std::size_t n,
                          std::vector<std::int64_t>& mentioned) const {
        const std::size_t id = nodes_[n];
        const Node& step = trace_.node(id);
        // A step that the variant leaves out differs in its words alone.
        const std::optional<std::size_t> found = variant.trace.find(step.name);
        const Situation run{found ? variant.trace : trace_, found.value_or(id), variant.id};
        const Notebook& notebook = run.trace.notebook;
        const Tensor& value = run.trace.node(run.step).value;
        const bool has_words = n < trace_.shown.size();
        const std::string title = has_words ? narration_.title(run) : "";
        const std::string note = has_words ? narration_.note(run) : "";
        const bool same_title = !has_words || title == narration_.title({trace_, id});
        const bool same_note = !has_words || note == narration_.note({trace_, id});
        const std::string code = statement(notebook, run.step, trace_.language);
        const bool same_code = code == statement(trace_.notebook, id, trace_.language);
        const bool same_numbers = identical(step.value, value);
        if (same_code && same_numbers && same_title && same_note) {
            return;
        }
        Json json = Json::object();
        if (!same_title) {
            json["title"] = title;
        }
        if (!same_note) {
            json["note"] = note;
        }
        if (!same_code) {
            json["code"] = excerpt(code, phrases_);
        }
        // The same code means the same arithmetic, but for sums that stand as what they come to.
        if (!same_code || (!same_numbers && shown_part(step.value.shape()) != step.value.shape())) {
            const StepArithmetic arithmetic =
                step_arithmetic(notebook, run.step, shown_cells(step.value.shape()), addresses_);
            mentioned.insert(mentioned.end(), arithmetic.addresses.begin(), arithmetic.addresses.end());
            json["arithmetic"] = arithmetic_json(arithmetic);
        } else if (!same_numbers) {
            mentioned.insert(mentioned.end(), mentioned_.begin(), mentioned_.end());
        }
        if (!same_numbers) {
            json["data"] = numbers(value);
        }
        if (!same_code || !same_numbers) {
            add_kinds(json, value, shading_of(notebook, run.step));
        }
        steps[std::to_string(n)] = std::move(json);
    }

    const StageTrace& trace_;
    const Words phrases_;
    const Narration narration_;
    Addresses addresses_;
    std::vector<std::size_t> nodes_;  // those shown, then the lines between them
    std::vector<std::int64_t> mentioned_;
};

}  // namespace

std::string page_data(const Trace& trace, std::span<const PageVariant> variants,
                      std::span<const Reference> references, const Words& words,
                      const PrintOptions& options) {
    Json json = Json::object();
    json["precision"] = options.precision;
    if (trace.lesson.tokens.size() <= most_labels) {
        json["tokens"] = trace.lesson.tokens;
    }
    json["words"] = Json::object();
    for (const auto& [key, text] : words.texts()) {
        if (key.starts_with("say_")) {
            json["words"][key.substr(4)] = text;
        }
    }
    json["stages"] = Json::array();
    for (const StageTrace& stage : trace.stages) {
        StageData data(stage, words.language());
        Json of_stage = Json::object();
        of_stage["name"] = stage.stage->name;
        data.add_steps(of_stage, compare_stage(stage, references));
        of_stage["variants"] = Json::array();
        for (const PageVariant& variant : variants) {
            if (variant.trace.stage == stage.stage) {
                of_stage["variants"].push_back(data.variant(variant, words));
            }
        }
        json["stages"].push_back(std::move(of_stage));
    }
    return json_text(json, JsonLayout::compact);
}

}  // namespace attn
