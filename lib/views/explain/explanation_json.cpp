#include "views/explain/explanation.hpp"

#include <span>
#include <utility>
#include <vector>

#include "notebook/render.hpp"

namespace attn {

namespace {

class Explainer {
public:
    Explainer(const StageTrace& trace, const Explanations& cells)
        : trace_(trace), cells_(cells), explained_(cells.size()) {}

    // A cell that occurred before is written only by its name.
    Json json(std::size_t place) {
        const ExplainedCell& cell = cells_[place];
        const Node& node = trace_.node(cell.node);
        Json tokens = Json::array();
        for (std::size_t axis = 0; axis < node.axes.size(); ++axis) {
            const std::string* const token = trace_.notebook.label(node.axes[axis], cell.index[axis]);
            tokens.push_back(token == nullptr ? Json() : Json(*token));
        }
        Json json{{"step", node.name},
                  {"index", index_in(cell.node, cell.index)},
                  {"tokens", std::move(tokens)},
                  {"value", double(node.value.at(cell.index))}};
        if (explained_[place]) {
            return json;
        }
        explained_[place] = true;
        json["code"] = statement(trace_.notebook, cell.node, trace_.language);
        for (const std::string_view key : {"reasons", "lines", "from"}) {
            json[key] = Json::array();
        }
        for (const auto& [id, text] : cell.reasons) {
            json["reasons"].push_back({{"id", id}, {"text", text}});
        }
        for (const auto& [line, text] : cell.lines) {
            json["lines"].push_back(line_json(line, text));
        }
        for (const std::size_t operand : cell.operands) {
            json["from"].push_back(this->json(operand));
        }
        return json;
    }

private:
    Json index_in(std::size_t id, const Index& index) const {
        return std::span(index).first(trace_.node(id).value.rank());
    }

    Json line_json(const DerivationLine& line, const ArithmeticText& text) const {
        const Node& node = trace_.node(line.node);
        Json pieces = Json::array();
        for (const TextPiece& piece : text.pieces) {
            Json json{{"text", piece.text}};
            if (piece.number && piece.number->from == Leaf::From::cell) {
                json["cell"] = cell_name(trace_.node(piece.number->tensor), piece.number->index);
            }
            pieces.push_back(std::move(json));
        }
        Json operands = Json::array();
        for_each_number(line.arithmetic, [&](const Leaf& leaf) { operands.push_back(operand_json(leaf)); });
        return {{"what", !line.part.empty()  ? std::string(line.part)
                         : node.name.empty() ? expression(trace_.notebook, line.node, trace_.language)
                                             : cell_name(node, line.index)},
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
            json["step"] = trace_.node(leaf.tensor).name;
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
    std::vector<bool> explained_;
};

}  // namespace

std::string explanation_json(const StageTrace& trace, const Explanations& cells) {
    return explanation_json(Explainer(trace, cells).json(0), trace.stage->name);
}

std::string explanation_json(Json answer, std::string_view stage) {
    Json json{{"format", "attn-walkthrough/explanation"}, {"version", 1}, {"program", ATTN_VERSION}};
    if (!stage.empty()) {
        json["stage"] = stage;
    }
    json["explanation"] = std::move(answer);
    return json_text(json, JsonLayout::indented);
}

}  // namespace attn
