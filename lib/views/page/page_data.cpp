// Keys are those of the trace's JSON where they mean the same.
#include "views/page/page_data.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "notebook/render.hpp"
#include "printed/comparison.hpp"
#include "text/printable.hpp"
#include "views/document/document.hpp"
#include "views/page/page_arithmetic.hpp"
#include "views/page/page_part.hpp"
#include "words/words.hpp"

namespace attn {

namespace {

using Layout = JsonWriter::Layout;

constexpr std::size_t most_labels = 64;
constexpr std::size_t most_label_characters = 24;

void write_strings(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
    json.key(key);
    json.begin_array(Layout::line);
    for (const std::string& text : texts) {
        json.string(text);
    }
    json.end();
}

template <typename Integers>
void write_integers(JsonWriter& json, std::string_view key, const Integers& integers) {
    if (!key.empty()) {
        json.key(key);
    }
    json.begin_array(Layout::line);
    for (const auto integer : integers) {
        json.integer(integer);
    }
    json.end();
}

// How print writes the numbers of a tensor: 2., 2.5 or 2.5e+00.
std::string_view notation(const Tensor& x) {
    const std::string sample = number_writer(x, {.precision = 1})(1.0F);
    return sample == "1." ? "whole" : sample == "1.0" ? "fixed" : "scientific";
}

void write_numbers(JsonWriter& json, const Tensor& x) {
    json.key("data");
    json.begin_array(Layout::line);
    for (const Index& cell : shown_cells(x.shape())) {
        json.number(x.at(cell));
    }
    json.end();
}

// Which numbers are none of the tensor's but masked (1) or dropped (2), as how many of which kind follow one
// another; nothing where all are numbers.
void write_kinds(JsonWriter& json, const Tensor& x, const Shading& shading) {
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
        write_integers(json, "kinds", runs);
    }
}

// The documents that print this step with these parameters, and which of its numbers differ from what they
// print.
void write_agreement(JsonWriter& json, const Node& step, std::span<const Comparison> comparisons) {
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
        write_strings(json, "printed_in", documents);
        write_integers(json, "disagreeing", disagreeing);
    }
}

class StageWriter {
public:
    StageWriter(JsonWriter& json, const StageTrace& trace, std::string_view language)
        : json_(json),
          trace_(trace),
          phrases_(language, "program"),
          narration_(language, trace.stage->name),
          addresses_(trace.notebook),
          nodes_(trace.shown) {}

    void write_steps(std::span<const Comparison> comparisons) {
        json_.key("steps");
        json_.begin_array();
        for (const std::size_t id : trace_.shown) {
            json_.begin_object(Layout::line);
            write_step(id, comparisons);
            json_.end();
        }
        json_.end();
        write_lines();
        write_axes();
        write_others(trace_, mentioned_);
    }

    // Only the steps that differ from those of the trace.
    void write_variant(const PageVariant& variant, const Words& words) {
        json_.begin_object();
        json_.key("id");
        json_.string(variant.id);
        json_.key("label");
        json_.string(words.at("variant_" + variant.id));
        const std::string intro = narration_.intro({variant.trace, 0, variant.id});
        if (intro != narration_.intro({trace_})) {
            json_.key("intro");
            json_.string(intro);
        }
        json_.key("steps");
        json_.begin_object();
        std::vector<std::int64_t> mentioned;
        for (std::size_t n = 0; n < nodes_.size(); ++n) {
            write_changed_step(variant, n, mentioned);
        }
        json_.end();
        write_others(variant.trace, mentioned);
        json_.end();
    }

private:
    // What steps are made from and no step shows, down to what is given or drawn.
    void write_lines() {
        json_.key("lines");
        json_.begin_array();
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
                json_.begin_object(Layout::line);
                write_step(id, {});
                json_.end();
            }
        }
        json_.end();
    }

    // Numbers that arithmetic mentions and that no tensor of the page has: [address, name, index, number].
    void write_others(const StageTrace& trace, std::vector<std::int64_t> mentioned) {
        std::ranges::sort(mentioned);
        mentioned.erase(std::unique(mentioned.begin(), mentioned.end()), mentioned.end());
        json_.key("others");
        json_.begin_array(Layout::line);
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
                json_.begin_array(Layout::line);
                json_.integer(address);
                json_.string(place.name);
                write_integers(json_, "", std::span(index).first(shown.rank()));
                json_.number(value.at(index));
                json_.end();
            }
        }
        json_.end();
    }

    // What the axes of the steps count, and what stands at their places.
    void write_axes() {
        std::vector<std::string> axes;
        for (const std::size_t id : trace_.shown) {
            for (const std::string& axis : trace_.node(id).axes) {
                if (std::ranges::find(axes, axis) == axes.end()) {
                    axes.push_back(axis);
                }
            }
        }
        json_.key("axes");
        json_.begin_object();
        for (const std::string& axis : axes) {
            std::vector<std::string> labels = trace_.notebook.labels(axis);
            labels.resize(std::min(labels.size(), most_labels));
            std::ranges::transform(labels, labels.begin(), [](const std::string& label) {
                return printable(label, most_label_characters);
            });
            json_.key(axis);
            json_.begin_object(Layout::line);
            json_.key("name");
            json_.string(phrases_.axis(axis));
            if (!labels.empty()) {
                write_strings(json_, "labels", labels);
            }
            json_.end();
        }
        json_.end();
    }

    void write_step(std::size_t id, std::span<const Comparison> comparisons) {
        const Node& step = trace_.node(id);
        json_.key("name");
        json_.string(step.name);
        if (step.gradient_of) {
            json_.key("gradient_of");
            json_.string(trace_.node(*step.gradient_of).name);
        }
        json_.key("op");
        json_.string(step.call.operation->name);
        if (!step.axes.empty()) {
            write_strings(json_, "axes", step.axes);
        }
        write_integers(json_, "shape", step.value.shape());
        if (shown_part(step.value.shape()) != step.value.shape()) {
            write_integers(json_, "shown", shown_part(step.value.shape()));
        }
        json_.key("notation");
        json_.string(notation(step.value));
        const Shading shading = shading_of(trace_.notebook, id);
        json_.key("scale");
        json_.begin_array(Layout::line);
        json_.boolean(shading.scale == Scale::diverging);
        json_.number(shading.largest);
        json_.end();
        json_.key("address");
        json_.integer(addresses_.of(step)->address);
        std::vector<std::string> inputs;
        for (const std::size_t operand : named_operands(trace_.notebook, id)) {
            inputs.push_back(trace_.node(operand).name);
        }
        write_strings(json_, "inputs", inputs);
        write_agreement(json_, step, comparisons);
        write_numbers(json_, step.value);
        write_kinds(json_, step.value, shading);
        const StepArithmetic arithmetic =
            step_arithmetic(trace_.notebook, id, shown_cells(step.value.shape()), addresses_);
        if (arithmetic.explains()) {
            write_arithmetic(json_, arithmetic);
            mentioned_.insert(mentioned_.end(), arithmetic.addresses.begin(), arithmetic.addresses.end());
        }
    }

    void write_changed_step(const PageVariant& variant, std::size_t n, std::vector<std::int64_t>& mentioned) {
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
        json_.key(std::to_string(n));
        json_.begin_object(Layout::line);
        if (!same_title) {
            json_.key("title");
            json_.string(title);
        }
        if (!same_note) {
            json_.key("note");
            json_.string(note);
        }
        if (!same_code) {
            json_.key("code");
            json_.string(excerpt(code, phrases_));
        }
        // The same code means the same arithmetic, but for sums that stand as what they come to.
        if (!same_code || (!same_numbers && shown_part(step.value.shape()) != step.value.shape())) {
            const StepArithmetic arithmetic =
                step_arithmetic(notebook, run.step, shown_cells(step.value.shape()), addresses_);
            mentioned.insert(mentioned.end(), arithmetic.addresses.begin(), arithmetic.addresses.end());
            write_arithmetic(json_, arithmetic);
        } else if (!same_numbers) {
            mentioned.insert(mentioned.end(), mentioned_.begin(), mentioned_.end());
        }
        if (!same_numbers) {
            write_numbers(json_, value);
        }
        if (!same_code || !same_numbers) {
            write_kinds(json_, value, shading_of(notebook, run.step));
        }
        json_.end();
    }

    JsonWriter& json_;
    const StageTrace& trace_;
    const Words phrases_;
    const Narration narration_;
    Addresses addresses_;
    std::vector<std::size_t> nodes_;  // those shown, then the lines between them
    std::vector<std::int64_t> mentioned_;
};

void write_stage(JsonWriter& json, const StageTrace& trace, std::span<const PageVariant> variants,
                 std::span<const Reference> references, const Words& words) {
    json.begin_object();
    json.key("name");
    json.string(trace.stage->name);
    StageWriter writer(json, trace, words.language());
    writer.write_steps(compare_stage(trace, references));
    json.key("variants");
    json.begin_array();
    for (const PageVariant& variant : variants) {
        if (variant.trace.stage == trace.stage) {
            writer.write_variant(variant, words);
        }
    }
    json.end();
    json.end();
}

}  // namespace

void write_page_data(JsonWriter& json, const Trace& trace, std::span<const PageVariant> variants,
                     std::span<const Reference> references, const Words& words, const PrintOptions& options) {
    json.begin_object();
    json.key("precision");
    json.integer(options.precision);
    if (trace.lesson.tokens.size() <= most_labels) {
        write_strings(json, "tokens", trace.lesson.tokens);
    }
    json.key("words");
    json.begin_object();
    for (const auto& [key, text] : words.texts()) {
        if (key.starts_with("say_")) {
            json.key(key.substr(4));
            json.string(text);
        }
    }
    json.end();
    json.key("stages");
    json.begin_array();
    for (const StageTrace& stage : trace.stages) {
        write_stage(json, stage, variants, references, words);
    }
    json.end();
    json.end();
}

}  // namespace attn
