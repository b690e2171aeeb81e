// The parts that an index in brackets selects from a tensor, list or dictionary.
#include <algorithm>
#include <array>

#include "dataflow/functions.hpp"
#include "dataflow/interpreter.hpp"

namespace attn::flow {

Value Interpreter::part(const Value& of, const Expression& index) {
    const auto selected_or_none = [&](const Shape& shape) -> std::optional<Selected> {
        try {
            return selected_by(shape, index);
        } catch (const Error&) {
            return std::nullopt;
        }
    };
    if (of.is(Kind::tensor)) {
        const std::size_t overwritten = flow.overwritten.size();
        const std::optional<Selected> at = selected_or_none(tensor_of(of).shape());
        const bool is_overwritten = flow.overwritten.size() > overwritten;
        return computed(is_overwritten ? "overwritten" : "select", {of},
                        [&] { return at ? std::optional(part_of(tensor_of(of), *at)) : std::nullopt; });
    }
    if (index.is(Expression::Kind::slice) && of.is(Kind::list)) {
        const auto at = selected_or_none(Shape{of.items.size()});
        std::vector<Value> items;
        for (const std::size_t i : at ? at->offsets : Sizes()) {
            items.push_back(of.items[i]);
        }
        return Value::of(std::move(items));
    }
    const Value at = evaluate(index);
    Value whole = of.is(Kind::object) ? of.object->contents() : of;
    const Value* const item = whole.item(at);
    return item != nullptr ? *item : Value{};
}

std::optional<Selected> Interpreter::selected_by(const Shape& shape, const Expression& index) {
    const bool is_tuple = index.is(Expression::Kind::tuple);
    if (const std::optional<Tensor> mask = is_tuple ? std::nullopt : mask_of(shape, index)) {
        Selected at{Shape{}, {}};
        for (std::size_t i = 0; i < mask->count(); ++i) {
            if (mask->values()[i] != 0.0F) {
                at.offsets.push_back(i);
            }
        }
        at.shape = Shape{at.offsets.size()};
        return at;
    }
    std::vector<IndexPart> parts;
    for (std::size_t i = 0; i < (is_tuple ? index.operands.size() : 1); ++i) {
        std::optional<IndexPart> one = index_part(is_tuple ? index.operands[i] : index);
        if (!one) {
            return std::nullopt;
        }
        parts.push_back(*std::move(one));
    }
    return selected(shape, parts);
}

std::optional<IndexPart> Interpreter::index_part(const Expression& of) {
    if (of.is(Expression::Kind::slice)) {
        std::array<std::optional<std::int64_t>, 3> bounds;
        for (std::size_t i = 0; i < bounds.size(); ++i) {
            const Expression& bound = of.operands[i];
            const Value value = bound.is(Expression::Kind::nothing) ? Value::none() : evaluate(bound);
            bounds.at(i) = value.is(Kind::none) ? std::nullopt : std::optional(integer_of(value));
        }
        return IndexPart{IndexPart::Kind::range, bounds[0], bounds[1], bounds[2]};
    }
    if (of.is(Expression::Kind::constant) && of.text == "...") {
        return IndexPart{IndexPart::Kind::rest};
    }
    const Value value = evaluate(of);
    if (value.is(Kind::none)) {
        return IndexPart{IndexPart::Kind::new_axis};
    }
    if (value.is(Kind::number)) {
        return IndexPart{IndexPart::Kind::at, integer_of(value)};
    }
    const Computed* const node = value.is(Kind::tensor) ? &node_of(value) : nullptr;
    const auto is_number = [](const Value& one) { return one.is(Kind::number); };
    const bool is_list = value.is(Kind::list) && std::ranges::all_of(value.items, is_number);
    if (node != nullptr ? node->is_known && node->value.rank() == 1 : is_list) {
        return IndexPart{.kind = IndexPart::Kind::chosen,
                         .chosen = indices_of(node != nullptr ? node->value : given({}).nested(value))};
    }
    return std::nullopt;
}

// The mask in x[mask], which has the shape of x.
std::optional<Tensor> Interpreter::mask_of(const Shape& shape, const Expression& index) {
    using enum Expression::Kind;
    if (!index.is(name) && !index.is(binary) && !index.is(Expression::Kind::call) && !index.is(unary)) {
        return std::nullopt;
    }
    const Value value = evaluate(index);
    const Computed* const node = value.is(Kind::tensor) ? &node_of(value) : nullptr;
    return node != nullptr && node->is_known && node->value.shape() == shape &&
                   (shape.rank() > 1 || role_of(node->operation) == Role::test)
               ? std::optional(node->value)
               : std::nullopt;
}

}  // namespace attn::flow
