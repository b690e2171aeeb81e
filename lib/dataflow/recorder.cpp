#include "dataflow/recorder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tensor/layout.hpp"

namespace attn::flow {

namespace {

// Equal for identical tensors.
std::uint64_t hash_of(const Tensor& x) {
    std::uint64_t hash = 0;
    for (const float value : x.values()) {
        hash = (hash ^ std::bit_cast<std::uint32_t>(std::isnan(value) ? 0.0F : value)) * 0x9E3779B97F4A7C15U;
    }
    return hash;
}

}  // namespace

std::string shortened(std::string_view source) {
    constexpr std::size_t longest = 500;
    std::size_t end = std::min(source.size(), longest);
    while (end < source.size() && (static_cast<unsigned char>(source[end]) & 0xC0U) == 0x80U) {
        --end;  // within a character
    }
    return std::string(source.substr(0, end)) + (end < source.size() ? "…" : "");
}

bool Recorder::spend(std::size_t work) {
    work_ += work;
    return work_ < most_work && flow.nodes.size() < most_nodes;
}

bool Recorder::affords(const Value& value, std::size_t times) {
    constexpr std::size_t work_of_item = 8;
    return spend(work_of_item * value.size() * times);
}

std::string Recorder::line() const {
    return statement == nullptr ? "" : shortened(statement->source.substr(0, statement->source.find('\n')));
}

Value Recorder::tensor(std::size_t node) {
    return {.kind = Value::Kind::tensor, .tensor = std::make_shared<Variable>(Variable{node})};
}

std::optional<double> Recorder::number_of(const Value& value) const {
    const Computed* const node = value.is(Value::Kind::tensor) ? &node_of(value) : nullptr;
    const bool is_known = node != nullptr && node->is_known && node->value.count() == 1;
    return is_known            ? std::optional(static_cast<double>(node->value.values()[0]))
           : value.is_number() ? std::optional(value.number)
                               : std::nullopt;
}

Value Recorder::shape_of(const Value& tensor) const {
    std::vector<Value> sizes;
    for (const std::size_t size : tensor_of(tensor).shape()) {
        sizes.push_back(Value::of(size));
    }
    return Value::of(std::move(sizes));
}

Given Recorder::given(Arguments arguments) const {
    return {std::move(arguments), [this](const Value& value) {
                if (!value.is(Value::Kind::tensor) && !value.is_number()) {
                    not_followed();
                }
                return value.is_number() ? Tensor(Shape{}, {static_cast<float>(value.number)})
                                         : tensor_of(value);
            }};
}

std::size_t Recorder::record(std::string operation, Ids operands, Tensor value, bool is_known) {
    const std::tuple key(operation, operands, hash_of(value));
    const auto [first, last] = known_.equal_range(key);
    const auto is_same = [&](const auto& one) {
        const bool is_replaced = options.replaced && options.replaced->first == one.second;
        return identical(flow.nodes[one.second].value, value) || is_replaced;
    };
    const auto same = operands.empty() ? last : std::find_if(first, last, is_same);
    if (same != last) {
        return same->second;
    }
    Computed node{std::move(operation), std::move(operands), std::move(value), is_known};
    const bool grows = node.operation == "matmul" || node.operation == "linear" || node.operation == "sum" ||
                       node.operation == "dropout";
    for (const std::size_t operand : node.operands) {
        node.is_known = node.is_known && flow.nodes[operand].is_known;
        node.slack = std::max(node.slack, flow.nodes[operand].slack * (grows ? 3.0 : 1.0));
    }
    node.place = place();
    node.line = line();
    known_.emplace(key, flow.nodes.size());
    return append(std::move(node));
}

std::size_t Recorder::append(Computed node) {
    if (options.replaced && options.replaced->first == flow.nodes.size()) {
        node.value = options.replaced->second;
    }
    if (!has_memory(node.value.count())) {
        node.value = Tensor(Shape{});
        node.is_known = false;
    }
    kept_ += std::min(node.value.count(), most_kept - kept_);
    flow.nodes.push_back(std::move(node));
    return flow.nodes.size() - 1;
}

Ids Recorder::origins_of(const std::vector<Value>& values) {
    Ids nodes;
    for (const Value& value : values) {
        value.collect_origins(nodes);
    }
    return nodes;
}

void Recorder::replace(const Value& target, const Value& by) {
    if (target.is(Value::Kind::tensor)) {
        const bool is_row = target.tensor->is_named && node_of(target).operation == "select";
        is_certain = is_certain && !is_row && !target.tensor->is_shared;
        target.tensor->node = by.is(Value::Kind::tensor)
                                  ? by.tensor->node
                                  : record("unknown", {target.tensor->node}, tensor_of(target), false);
    }
}

void Recorder::name_node(const Value& value, const std::string& name) {
    if (!value.is(Value::Kind::tensor) || std::exchange(value.tensor->is_named, true)) {
        return;
    }
    Computed node = node_of(value);
    if (node.name.empty()) {
        flow.nodes[value.tensor->node].name = name;
    } else if (node.name != name && (node.operation == "matmul" || node.operation == "linear") &&
               statement != nullptr) {
        node.name = name;
        node.place = place();
        node.line = line();
        value.tensor->node = append(std::move(node));
    }
}

Value Recorder::rounded(std::size_t node, const std::string& type) {
    const double unit = type == "half" ? 0x1p-11 : 0x1p-8;
    double most = 0.0;
    for (const float x : flow.nodes[node].value.values()) {
        most = std::isfinite(x) ? std::max(most, static_cast<double>(std::abs(x))) : most;
    }
    const std::size_t result = record(type, {node}, flow.nodes[node].value);
    flow.nodes[result].slack = std::max(flow.nodes[result].slack, unit * most);
    return tensor(result);
}

}  // namespace attn::flow
