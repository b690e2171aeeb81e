// Builds the page's JSON. If a value also occurs in the trace's JSON, its key is the same.
#include "text/lists.hpp"
#include "views/page/page.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "files/json_value.hpp"
#include "notebook/render.hpp"
#include "text/printable.hpp"
#include "views/comparison/comparison.hpp"
#include "views/comparison/references.hpp"
#include "views/document/document.hpp"
#include "views/explain/arithmetic_text.hpp"
#include "views/explain/reason_text.hpp"
#include "views/heatmap/shading.hpp"
#include "views/page/page_part.hpp"
#include "views/page/page_sections.hpp"
#include "words/documents.hpp"
#include "words/errata.hpp"
#include "words/narration.hpp"
#include "words/words.hpp"

namespace attn {

namespace {

constexpr std::size_t most_labels = 64;
constexpr std::size_t most_label_characters = 24;
constexpr std::size_t most_explained = 4000;  // cells of a run; the arithmetic of more would be megabytes
constexpr std::size_t most_work = 700'000;    // numbers in the arithmetic of a run: some seconds
constexpr std::size_t most_numbers_behind = 30'000;  // numbers of the operands for one number of the result

// The data of one walk of a stage.
class RunData {
public:
    RunData(const StageTrace& trace, std::string_view variant, const Style& style, const Words& words)
        : trace_(trace),
          variant_(variant),
          style_(style),
          words_(words),
          phrases_(style.language, "program"),
          narration_(style.language, trace.stage->name),
          errata_(errata_of(style.language, trace)),
          explanation_(style.language, "explanation"),
          nodes_(trace.shown) {
        // Adds the nodes that no step shows but from which steps are computed, back to given or random
        // tensors.
        for (std::size_t seen = 0; seen < nodes_.size(); ++seen) {
            for (const std::size_t operand : named_operands(trace.notebook, nodes_[seen])) {
                if (!contains(nodes_, operand)) {
                    nodes_.push_back(operand);
                }
            }
        }
    }

    Json json() {
        std::vector<Json> steps;
        std::vector<Json> lines;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            Json json = tensor(nodes_[i]);
            const bool is_step = i < trace_.shown.size();
            if (is_step) {
                add_texts(json, nodes_[i]);
            }
            (is_step ? steps : lines).push_back(std::move(json));
        }
        if (variant_.empty() && is_the_documents()) {
            const std::vector<Reference> references = read_references();
            for (const Comparison& one : compare_stage(trace_, references)) {
                add_agreement(one, steps);
            }
        }
        return {{"id", variant_},
                {"title", narration_.title()},
                {"intro", narration_.intro({trace_, 0, variant_})},
                {"setup", excerpts(session_setup(trace_, style_.print), phrases_)},
                {"axes", axes()},
                {"sections", sections()},
                {"steps", std::move(steps)},
                {"lines", std::move(lines)},
                {"arithmetic", std::move(arithmetic_)}};
    }

private:
    // Returns true if no number was changed and tokens and weights are the documents' own.
    bool is_the_documents() const {
        return !trace_.own_lesson && !trace_.own_weights && !trace_.notebook.has_set_numbers();
    }

    // Adds the document that prints a step with these parameters, and the numbers that differ from it.
    void add_agreement(const Comparison& one, std::vector<Json>& steps) const {
        if (!one.same_shape() || one.agreement.numbers == 0) {
            return;
        }
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (trace_.node(nodes_[i]).name == one.reference->step) {
                steps[i]["printed_in"].push_back(one.reference->document);
                for (const std::size_t place : one.agreement.disagreeing) {
                    steps[i]["disagreeing"].push_back(place);
                }
            }
        }
    }

    std::vector<std::string> names(const std::vector<std::size_t>& nodes) const {
        return mapped(nodes, [&](std::size_t id) { return trace_.node(id).name; });
    }

    Json sections() const {
        Json::Array sections;
        for (PageSection& section : page_sections({trace_, 0, variant_}, narration_, words_)) {
            Json json = std::move(section.figure);
            json["id"] = section.id;
            json["title"] = section.title;
            json["text"] = section.text;
            json["main"] = trace_.node(section.main).name;
            json["steps"] = names(section.steps);
            sections.push_back(std::move(json));
        }
        return sections;
    }

    // Returns the axes of the steps, with the labels of their indices.
    Json axes() const {
        Json axes = Json::object();
        for (const std::size_t id : trace_.shown) {
            for (const std::string& axis : trace_.node(id).axes) {
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

    Json tensor(std::size_t id) {
        const Node& node = trace_.node(id);
        const Shape shown = shown_part(node.value.shape());
        const std::vector<Index> cells = shown_cells(node.value.shape());
        const Shading shading = shading_of(trace_.notebook, id);
        const auto text = number_writer(node.value, style_.print);
        Json json{{"name", node.name},
                  {"op", node.call.operation->name},
                  {"shape", node.value.shape()},
                  {"shown", shown},
                  {"axes", node.axes},
                  {"largest", double(shading.largest)},
                  {"inputs", names(named_operands(trace_.notebook, id))}};
        std::vector<std::string> texts;
        std::string kinds;  // a digit for each cell: shown (0), masked (1) or dropped (2)
        for (const Index& cell : cells) {
            texts.push_back(text(node.value.at(cell)));
            kinds += std::to_string(int(shading.kinds[node.value.offset(cell)]));
        }
        json["cells"] = texts;
        if (kinds.find_first_not_of('0') != std::string::npos) {
            json["kinds"] = kinds;
        }
        if (explained_ + cells.size() <= most_explained && take_work(id, cells)) {
            explained_ += cells.size();
            std::vector<Json> lines;
            for (const Index& cell : cells) {
                lines.emplace_back(lines_of(id, cell));
            }
            json["lines"] = std::move(lines);
        }
        return json;
    }

    // The numbers of a step's operands; of operands without a name, also those of theirs.
    std::size_t numbers_behind(std::size_t id) const {
        std::size_t count = 0;
        for (const std::size_t operand : trace_.node(id).call.inputs) {
            const bool is_named = !trace_.node(operand).name.empty();
            count += trace_.node(operand).value.count() + (is_named ? 0 : numbers_behind(operand));
        }
        return count;
    }

    // Takes the work of explaining these cells, if enough of a run's is left. The first cell shows how long
    // their arithmetic is.
    bool take_work(std::size_t id, const std::vector<Index>& cells) {
        if (numbers_behind(id) / trace_.node(id).value.count() > most_numbers_behind) {
            return false;  // one number of a whole tensor
        }
        std::size_t numbers = 0;
        for (const DerivationLine& line : derive(trace_.notebook, id, cells.front(), known_).lines) {
            numbers += count_numbers(line.arithmetic) * cells.size();
        }
        const bool is_enough = work_ + numbers <= most_work;
        work_ += is_enough ? numbers : 0;
        return is_enough;
    }

    void add_texts(Json& json, std::size_t id) const {
        const Node& node = trace_.node(id);
        json["title"] = narration_.title({trace_, id, variant_});
        json["note"] = narration_.note({trace_, id, variant_});
        json["code"] = excerpts(step_lines(trace_, id), phrases_);
        if (node.gradient_of) {
            json["gradient_of"] = trace_.node(*node.gradient_of).name;
        }
        for (const Erratum& erratum : errata_) {
            if (erratum.step == node.name) {
                json["errata"].push_back(erratum_text(erratum, phrases_));
            }
        }
        if (std::string formula = formula_mathml(equation_of(trace_.notebook, id), formula_words(phrases_));
            !formula.empty()) {
            json["mathml"] = std::move(formula);
            json["letters"] = letters_of(trace_, {&id, 1});
        }
    }

    // Returns the lines of a cell. If several lines are of one kind, such as all exponentials of a row, only
    // the cell's own is shown.
    std::vector<std::size_t> lines_of(std::size_t id, const Index& cell) {
        const Derivation derivation = derive(trace_.notebook, id, cell, known_);
        std::vector<std::size_t> lines;
        for (const CellReason& reason : derivation.reasons) {
            lines.push_back(
                place_of(Json::array({reason_text(explanation_, trace_, reason, style_.print.precision)})));
        }
        if (trace_.node(id).call.inputs.empty()) {
            return lines;
        }
        std::map<std::pair<std::size_t, std::string_view>, std::size_t> alike;
        for (const DerivationLine& line : derivation.lines) {
            ++alike[{line.node, line.part}];
        }
        for (const DerivationLine& line : derivation.lines) {
            if (line.index == cell || alike.at({line.node, line.part}) == 1) {
                lines.push_back(place_of(line_json(line)));
            }
        }
        return lines;
    }

    Json line_json(const DerivationLine& line) const {
        const ArithmeticText text =
            arithmetic_text(trace_.notebook, line, explanation_, style_.print.precision, trace_.language);
        std::vector<Json> pieces;
        for (const TextPiece& piece : text.pieces) {
            if (std::optional<Json> number = number_json(piece)) {
                pieces.push_back(std::move(*number));
            } else if (std::string* const before =
                           pieces.empty() ? nullptr : pieces.back().get<std::string>()) {
                *before += piece.text;
            } else if (!piece.text.empty()) {
                pieces.emplace_back(piece.text);
            }
        }
        Json json = Json::array({text.label.empty() ? text_of(text.names) : text.label, std::move(pieces),
                                 text.result, text.exact ? "=" : "≈"});
        if (!text.remark.empty()) {
            json.push_back(text.remark);
        }
        return json;
    }

    // Returns nothing for text and for numbers that the page does not show.
    std::optional<Json> number_json(const TextPiece& piece) const {
        if (!piece.number || piece.number->from != Leaf::From::cell) {
            return std::nullopt;
        }
        const auto tensor = std::ranges::find(nodes_, piece.number->tensor);
        if (tensor == nodes_.end()) {
            return std::nullopt;
        }
        const Shape shown = shown_part(trace_.node(*tensor).value.shape());
        std::size_t place = 0;
        for (std::size_t axis = 0; axis < shown.rank(); ++axis) {
            if (piece.number->index[axis] >= shown[axis]) {
                return std::nullopt;
            }
            place = place * shown[axis] + piece.number->index[axis];
        }
        return Json::array({piece.text, tensor - nodes_.begin(), place});
    }

    // Returns the index of a line in "arithmetic"; equal lines are stored once.
    std::size_t place_of(Json line) {
        const auto [found, is_new] =
            places_.try_emplace(json_text(line, JsonLayout::compact), arithmetic_.size());
        if (is_new) {
            arithmetic_.push_back(std::move(line));
        }
        return found->second;
    }

    const StageTrace& trace_;
    const std::string variant_;
    const Style& style_;
    const Words& words_;
    const Words phrases_;
    const Narration narration_;
    const std::vector<Erratum> errata_;
    const Words explanation_;
    KnownCells known_;
    std::vector<std::size_t> nodes_;  // shown steps, then the lines between them
    std::size_t explained_ = 0;       // cells
    std::size_t work_ = 0;            // numbers in their arithmetic
    std::vector<Json> arithmetic_;
    std::map<std::string, std::size_t> places_;
};

}  // namespace

std::string page_data(const Trace& trace, std::span<const PageVariant> variants, const Style& style) {
    const Words words(style.language, "page"), phrases(style.language, "program");
    Json texts = Json::object();
    for (const auto& [key, text] : words.texts()) {
        texts[key] = text;
    }
    std::vector<Json> stages;
    for (const StageTrace& stage : trace.stages) {
        std::vector<Json> runs{RunData(stage, "", style, words).json()};
        for (const PageVariant& variant : variants) {
            if (variant.trace.stage == stage.stage) {
                runs.push_back(RunData(variant.trace, variant.id, style, words).json());
            }
        }
        stages.push_back(Json{{"name", stage.stage->name},
                              {"book", book_place(stage.stage->name, phrases)},
                              {"runs", std::move(runs)}});
    }
    return json_text({{"words", std::move(texts)}, {"stages", std::move(stages)}}, JsonLayout::compact);
}

}  // namespace attn
