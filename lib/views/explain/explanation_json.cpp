#include "views/explain/explanation_json.hpp"

#include <vector>

#include "files/json_value.hpp"
#include "notebook/render.hpp"
#include "views/explain/arithmetic_text.hpp"
#include "views/explain/cell_address.hpp"
#include "views/explain/reason_text.hpp"

namespace attn {

namespace {

class Explainer {
public:
    Explainer(const StageTrace& trace, const Explanations& cells, std::string_view language,
              const PrintOptions& options)
        : trace_(trace),
          cells_(cells),
          words_(language, "explanation"),
          precision_(options.precision),
          explained_(cells.size()) {}

    // A cell that occurred before is written only by its name.
    Json json(std::size_t place) {
        const ExplainedCell& cell = cells_[place];
        Json json = cell_json(cell.node, cell.index);
        if (explained_[place]) {
            return json;
        }
        explained_[place] = true;
        json["code"] = statement(trace_.notebook, cell.node, trace_.language);
        json["reasons"] = Json::array();
        for (const CellReason& reason : cell.derivation.reasons) {
            json["reasons"].push_back(
                {{"id", reason.id}, {"text", reason_text(words_, trace_, reason, precision_)}});
        }
        json["lines"] = Json::array();
        for (const DerivationLine& line : cell.derivation.lines) {
            json["lines"].push_back(line_json(line));
        }
        Json from = Json::array();
        for (const std::size_t operand : cell.operands) {
            from.push_back(this->json(operand));
        }
        json["from"] = std::move(from);
        return json;
    }

private:
    const Node& node(std::size_t id) const { return trace_.notebook.nodes()[id]; }

    std::vector<std::size_t> index_in(std::size_t id, const Index& index) const {
        return {index.begin(), index.begin() + static_cast<std::ptrdiff_t>(node(id).value.rank())};
    }

    Json cell_json(std::size_t id, const Index& index) const {
        Json tokens = Json::array();
        const Axes& axes = node(id).axes;
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            const std::string* const token = trace_.notebook.label(axes[axis], index[axis]);
            tokens.push_back(token == nullptr ? Json() : Json(*token));
        }
        return {{"step", node(id).name},
                {"index", index_in(id, index)},
                {"tokens", std::move(tokens)},
                {"value", static_cast<double>(node(id).value.at(index))}};
    }

    Json line_json(const DerivationLine& line) const {
        const bool is_unnamed = line.part.empty() && node(line.node).name.empty();
        const ArithmeticText text =
            arithmetic_text(trace_.notebook, line, words_, precision_, trace_.language);
        Json pieces = Json::array();
        for (const TextPiece& piece : text.pieces) {
            Json json{{"text", piece.text}};
            if (piece.number && piece.number->from == Leaf::From::cell) {
                json["cell"] = cell_name(node(piece.number->tensor), piece.number->index);
            }
            pieces.push_back(std::move(json));
        }
        Json operands = Json::array();
        for_each_number(line.arithmetic, [&](const Leaf& leaf) { operands.push_back(operand_json(leaf)); });
        return {{"what", is_unnamed          ? expression(trace_.notebook, line.node, trace_.language)
                         : line.part.empty() ? cell_name(node(line.node), line.index)
                                             : std::string(line.part)},
                {"arithmetic", written(line.arithmetic, [](const Leaf&) { return "{}"; })},
                {"shown", text.equation()},
                {"label", text.label},
                {"pieces", std::move(pieces)},
                {"result", text.result},
                {"exact", text.exact},
                {"value", line.value},
                {"operands", std::move(operands)}};
    }

    Json operand_json(const Leaf& leaf) const {
        Json json = Json::object();
        if (leaf.from == Leaf::From::cell) {
            json["step"] = node(leaf.tensor).name;
            json["index"] = index_in(leaf.tensor, leaf.index);
        } else if (leaf.from == Leaf::From::line) {
            json["line"] = leaf.line;
        } else if (leaf.spelling) {
            json["code"] = leaf.text(trace_.language);
        }
        json["value"] = leaf.value;
        return json;
    }

    const StageTrace& trace_;
    const Explanations& cells_;
    Words words_;
    int precision_;
    std::vector<bool> explained_;
};

}  // namespace

std::string explanation_json(const StageTrace& trace, const Explanations& cells, std::string_view language,
                             const PrintOptions& options) {
    return json_text({{"format", "attn-walkthrough/explanation"},
                      {"version", 1},
                      {"program", ATTN_VERSION},
                      {"stage", trace.stage->name},
                      {"explanation", Explainer(trace, cells, language, options).json(0)}},
                     JsonLayout::indented);
}

}  // namespace attn
