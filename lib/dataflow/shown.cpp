// Records the values that the document shows by print(), display(), or as the last value of a cell.
#include "dataflow/interpreter.hpp"

namespace attn::flow {

void Interpreter::show_last(const Expression& of) {
    const std::string_view function = of.called();
    if (function != "print" && function != "display" && function != "show" && function != "imshow" &&
        !last_.is(Kind::none)) {
        show_value(last_, of);
    }
}

void Interpreter::show(const Expression& of) {
    if (of.is(Expression::Kind::format)) {
        for (const Expression& part : of.operands) {
            show(part);
        }
        return;
    }
    if (of.is(Expression::Kind::string)) {
        return;
    }
    const bool is_unpacked = of.is(Expression::Kind::starred);
    const Value value =
        uncounted([&] { return is_unpacked ? Value::of(iterated(evaluate(of.operands[0]))) : evaluate(of); });
    show_value(value, of);
}

void Interpreter::show_value(const Value& value, const Expression& of) {
    if (is_silent_) {
        return;
    }
    if (of.is(Expression::Kind::tuple) && value.items.size() == of.operands.size()) {
        for (std::size_t i = 0; i < value.items.size(); ++i) {
            show_value(value.items[i], of.operands[i]);
        }
        return;
    }
    const bool is_list = value.is(Kind::list) || value.is(Kind::dictionary);
    if (is_list || value.is(Kind::unknown)) {
        const bool has_tensor = !origins_of(value.items).empty();
        for (const Value& item : has_tensor ? value.items : std::vector<Value>()) {
            show_value(item, of);
        }
        if (is_list || has_tensor) {
            return;
        }
    }
    if (value.is(Kind::text) || value.is(Kind::library) || value.is(Kind::function) ||
        value.is(Kind::object) || value.is(Kind::truth)) {
        return;
    }
    Shown shown{.item = running_,
                .node = value.origin(),
                .is_number = value.is(Kind::number),
                .source = shortened(of.source),
                .place = statement != nullptr ? place() : place_at(of.line),
                .returned_by = value.returned_by,
                .is_certain = is_certain};
    if (value.is(Kind::number) && !shown.node) {
        shown.node = record("number", {}, Tensor(Shape{}, {static_cast<float>(value.number)}));
    }
    const auto printed = options.printed.find(flow.shown.size());
    if (printed != options.printed.end() && !(shown.node && flow.nodes[*shown.node].is_known)) {
        adopt(shown, printed->second, value, of);
    }
    flow.shown.push_back(std::move(shown));
}

// Takes the numbers that the document prints for a value that is not known.
void Interpreter::adopt(Shown& shown, const PrintedValue& printed, const Value& value, const Expression& of) {
    if (shown.node && flow.nodes[*shown.node].value.shape() == printed.value.shape()) {
        Computed& node = flow.nodes[*shown.node];  // all its names see the numbers
        node.operation = "printed";
        node.operands.clear();
        node.value = printed.value;
        node.slack = printed.slack;
        node.is_known = true;
        return;
    }
    shown.node = record("printed", {}, printed.value);
    Computed& node = flow.nodes[*shown.node];
    node.slack = printed.slack;
    node.place = shown.place;
    if (value.is(Kind::tensor)) {
        value.tensor->node = *shown.node;
    } else if (of.is(Expression::Kind::name)) {
        node.name = std::string(of.text);
        names()[node.name] = tensor(*shown.node);
    }
}

}  // namespace attn::flow
