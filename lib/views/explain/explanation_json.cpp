#include "views/explain/explanation_json.hpp"

#include <string>
#include <vector>

#include "notebook/render.hpp"
#include "views/explain/arithmetic_text.hpp"
#include "views/explain/cell_address.hpp"
#include "views/explain/reason_text.hpp"

namespace attn {

namespace {

using Layout = JsonWriter::Layout;

class Writer {
public:
    Writer(JsonWriter& json, const StageTrace& trace, const Explanations& cells, std::string_view language,
           const PrintOptions& options)
        : json_(json),
          trace_(trace),
          cells_(cells),
          words_(language, "explanation"),
          precision_(options.precision),
          written_(cells.size()) {}

    // A cell that was written before is only named.
    void write(std::size_t place) {
        const ExplainedCell& cell = cells_[place];
        json_.begin_object();
        write_cell(cell.node, cell.index);
        if (!written_[place]) {
            written_[place] = true;
            write_string("code", statement(trace_.notebook, cell.node, trace_.language));
            write_reasons(cell.derivation);
            json_.key("lines");
            json_.begin_array();
            for (const Line& line : cell.derivation.lines) {
                write_line(line);
            }
            json_.end();
            json_.key("from");
            json_.begin_array();
            for (const std::size_t operand : cell.operands) {
                write(operand);
            }
            json_.end();
        }
        json_.end();
    }

private:
    const Node& node(std::size_t id) const { return trace_.notebook.nodes()[id]; }

    void write_string(std::string_view key, std::string_view text) {
        json_.key(key);
        json_.string(text);
    }

    // A number between tensors is a double; a tensor's has float32's digits.
    void write_value(double value) {
        json_.key("value");
        json_.number(value);
    }

    void write_cell(std::size_t id, const Index& index) {
        write_string("step", node(id).name);
        json_.key("index");
        json_.begin_array(Layout::line);
        for (std::size_t axis = 0; axis < node(id).value.rank(); ++axis) {
            json_.integer(index[axis]);
        }
        json_.end();
        const std::vector<std::string> axes = axes_of(node(id));
        json_.key("tokens");
        json_.begin_array(Layout::line);
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            if (const std::string* const token = trace_.notebook.label(axes[axis], index[axis])) {
                json_.string(*token);
            } else {
                json_.null();
            }
        }
        json_.end();
        write_value(static_cast<double>(node(id).value.at(index)));
    }

    void write_reasons(const Derivation& derivation) {
        json_.key("reasons");
        json_.begin_array();
        for (const CellReason& reason : derivation.reasons) {
            json_.begin_object(Layout::line);
            write_string("id", reason.id);
            write_string("text", reason_text(words_, trace_, reason, precision_));
            json_.end();
        }
        json_.end();
    }

    void write_line(const Line& line) {
        json_.begin_object();
        const bool is_unnamed = line.part.empty() && node(line.node).name.empty();
        write_string("what", is_unnamed          ? expression(trace_.notebook, line.node, trace_.language)
                             : line.part.empty() ? cell_name(node(line.node), line.index)
                                                 : std::string(line.part));
        write_string("arithmetic", written(line.arithmetic, [](const Leaf&) { return "{}"; }));
        write_string(
            "shown",
            arithmetic_text(trace_.notebook, shortened(line).line, precision_, trace_.language).equation());
        write_value(line.value);
        json_.key("operands");
        json_.begin_array();
        for_each_number(line.arithmetic, [&](const Leaf& leaf) { write_operand(leaf); });
        json_.end();
        json_.end();
    }

    void write_operand(const Leaf& leaf) {
        json_.begin_object(Layout::line);
        if (leaf.from == Leaf::From::cell) {
            write_string("step", node(leaf.of).name);
            json_.key("index");
            json_.begin_array();
            for (std::size_t axis = 0; axis < node(leaf.of).value.rank(); ++axis) {
                json_.integer(leaf.index[axis]);
            }
            json_.end();
        } else if (leaf.from == Leaf::From::line) {
            json_.key("line");
            json_.integer(leaf.of);
        } else if (leaf.reads != nullptr) {
            write_string("code", leaf.reads->in(trace_.language));
        }
        write_value(leaf.value);
        json_.end();
    }

    JsonWriter& json_;
    const StageTrace& trace_;
    const Explanations& cells_;
    Words words_;
    int precision_;
    std::vector<bool> written_;
};

}  // namespace

void write_explanation(JsonWriter& json, const StageTrace& trace, const Explanations& cells,
                       std::string_view language, const PrintOptions& options) {
    json.begin_object();
    for (const auto& [key, text] :
         {std::pair<std::string_view, std::string_view>{"format", "attn-walkthrough/explanation"},
          {"program", ATTN_VERSION},
          {"stage", trace.stage->name}}) {
        json.key(key);
        json.string(text);
        if (key == "format") {
            json.key("version");
            json.integer(1);
        }
    }
    json.key("explanation");
    Writer(json, trace, cells, language, options).write(0);
    json.end();
}

}  // namespace attn
