#include "views/explain/explanation_words.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "files/json_view.hpp"
#include "files/resources.hpp"
#include "notebook/render.hpp"
#include "text/printable.hpp"
#include "views/explain/arithmetic_text.hpp"
#include "views/explain/cell_address.hpp"

namespace attn {

namespace {

// A cell as the code writes it: by its name, or by what makes it.
std::string written(const StageTrace& trace, std::size_t id, const Index& index) {
    Node node = trace.notebook.nodes()[id];
    if (node.name.empty()) {
        node.name = expression(trace.notebook, id, trace.language);
    }
    return cell_name(node, index);
}

}  // namespace

ExplanationWords::ExplanationWords(std::string_view language) {
    const std::string file = fmt::format("narration/{}/explanation.json", language);
    const Json json = parse_json(resource(file), file);
    const JsonView root(json, file);
    for (const JsonMember& member : root.object()) {
        words_[member.key] = root.at(member.key).string();
    }
}

std::string ExplanationWords::operator()(std::string_view id, const Values& values) const {
    const auto found = words_.find(id);
    if (found == words_.end()) {
        throw std::logic_error("explanations have no words for " + std::string(id));
    }
    std::string text;
    for (std::string_view rest = found->second; !rest.empty();) {
        const std::size_t open = rest.find('{');
        text += rest.substr(0, open);
        if (open == std::string_view::npos) {
            break;
        }
        const std::size_t close = rest.find('}');
        const auto value = values.find(rest.substr(open + 1, close - open - 1));
        if (value == values.end()) {
            throw std::logic_error("explanations have no value for a word of " + std::string(id));
        }
        text += value->second;
        rest.remove_prefix(close + 1);
    }
    return text;
}

std::string ExplanationWords::place(const StageTrace& trace, const Lesson& lesson, std::string_view axis,
                                    std::size_t index) const {
    Values values{{"axis", std::string(axis)}, {"index", std::to_string(index)}};
    const std::string* const token = token_at(trace, lesson, axis, index);
    if (token == nullptr) {
        return (*this)("position", values);
    }
    values["token"] = printable(*token);
    return (*this)("position of token", values);
}

std::string ExplanationWords::position(const StageTrace& trace, const Lesson& lesson, std::size_t id,
                                       const Index& index) const {
    std::string text;
    const std::vector<std::string> axes = axes_of(trace.notebook.nodes()[id]);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        text += (axis == 0 ? "" : ", ") + place(trace, lesson, axes[axis], index[axis]);
    }
    return text;
}

std::string ExplanationWords::sentence(const StageTrace& trace, const Lesson& lesson,
                                       const CellReason& reason, int precision) const {
    const Node& node = trace.notebook.nodes()[reason.node];
    Values values;
    if (const std::size_t rank = node.value.rank(); rank >= 2) {
        const std::vector<std::string> axes = axes_of(node);
        values["row"] = place(trace, lesson, axes[rank - 2], reason.index[rank - 2]);
        values["column"] = place(trace, lesson, axes[rank - 1], reason.index[rank - 1]);
    }
    for (const CellReason::Known& fact : reason.facts) {
        const std::string name(fact.name);
        if (fact.is_cell) {
            values[name] = written(trace, fact.node, fact.index);
            values[name + ":value"] = number_text(fact.value, precision);
        } else {
            values[name] = fact.text.empty() ? number_text(fact.value, precision) : fact.text;
        }
    }
    return (*this)(reason.id, values);
}

}  // namespace attn
