// The layers of torch.nn: a row has what a layer makes, and what it does to a tensor.
#include <map>

#include "dataflow/interpreter.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"

namespace attn::flow {

namespace {

struct Layer {
    void (*make)(Interpreter&, Object&, const Given&);
    Value (*apply)(Interpreter&, const Object&, const Value&);  // null for those that are not followed
};

// The weights of nn.Linear, uniform in ±1/√in.
Value linear_weights(Interpreter& in, const Shape& shape, std::size_t features) {
    const float bound = Linear::bound(features);
    return in.drawn(
        {"Linear", shape, [=](Stream& of) { return uniform(*of.generator, shape, -bound, bound); }},
        in.torch);
}

void make_linear(Interpreter& in, Object& self, const Given& of) {
    const std::size_t from = of.count("in_features", 0);
    const std::size_t to = of.count("out_features", 1);
    self.attributes["in_features"] = Value::of(from);
    self.attributes["out_features"] = Value::of(to);
    self.attributes["weight"] = linear_weights(in, {to, from}, from);
    self.attributes["bias"] = of.is_true("bias", 2, true) ? linear_weights(in, {to}, from) : Value::none();
}

Value apply_linear(Interpreter& in, const Object& self, const Value& x) {
    return in.call_function("linear", {x, self.attributes.at("weight"), self.attributes.at("bias")});
}

void make_embedding(Interpreter& in, Object& self, const Given& of) {
    const Shape shape{of.count("num_embeddings", 0), of.count("embedding_dim", 1)};
    self.attributes["weight"] = in.drawn(
        {"Embedding", shape, [=](Stream& stream) { return randn(*stream.generator, shape); }}, in.torch);
}

Value apply_embedding(Interpreter& in, const Object& self, const Value& ids) {
    const Value& weight = self.attributes.at("weight");
    if (!weight.is(Kind::tensor)) {
        return {};
    }
    return in.computed("embedding", {weight, ids}, [&] {
        const Tensor& rows = in.tensor_of(weight);
        const Tensor& of = in.tensor_of(ids);
        const Selected at =
            selected(rows.shape(), {{.kind = IndexPart::Kind::chosen, .chosen = indices_of(of)}});
        Sizes sizes(of.shape().begin(), of.shape().end());
        sizes.push_back(rows.size(-1));
        return view(part_of(rows, at), Shape(sizes));
    });
}

void make_attention(Interpreter& in, Object& self, const Given& of) {  // torch/nn/modules/activation.py
    const Value width = Value::of(of.number("embed_dim", 0, 0.0));
    const Value bias = Value::of(of.number("bias", 3, 1.0));
    self.attributes["out_proj"] = *make_layer(in, "Linear", in.given({width, width, bias}));
    const Value weights = in.call_function("zeros", {Value::of(3.0 * width.number), width});
    in.draw_from(in.torch, "xavier_uniform_", false, in.given({weights}));
    self.attributes["in_proj_weight"] = weights;
}

void make_list(Interpreter& /*in*/, Object& self, const Given& of) {
    const Value* const given = of.find("modules", 0);
    const bool is_list = given != nullptr && given->is(Kind::list);
    self.attributes[""] = Value::of(std::vector<Value>());
    double index = 0.0;
    for (const Value& module : is_list ? given->items : of.values) {
        self.put(Value::of(index++), module);
    }
}

Value apply_all(Interpreter& in, const Object& self, const Value& input) {
    if (!in.spend(1) || in.depth >= most_depth) {  // it may contain itself
        return {};
    }
    ++in.depth;
    Value x = input;
    for (const Value& one : self.contents().items) {
        x = one.is(Kind::object) ? in.call(one, {x}) : Value{};
    }
    --in.depth;
    return x;
}

void make_norm(Interpreter& in, Object& self, const Given& of) {
    const Value* const sizes = of.find("normalized_shape", 0);
    const bool is_list = sizes != nullptr && sizes->is(Kind::list) && sizes->items.size() == 1;
    const Shape shape{is_list ? in.given({sizes->items[0]}).count("", 0) : of.count("", 0)};
    self.attributes["weight"] = in.tensor(in.record("ones", {}, full(shape, 1.0F)));
    self.attributes["bias"] = in.tensor(in.record("zeros", {}, full(shape, 0.0F)));
    self.attributes["eps"] = Value::of(of.number("eps", 1, 1e-5));
}

Value apply_norm(Interpreter& in, const Object& self, const Value& x) {
    return in.call_function("layer_norm", {x, Value::none(), self.attributes.at("weight"),
                                           self.attributes.at("bias"), self.attributes.at("eps")});
}

const std::map<std::string_view, Layer>& layers() {
    static const std::map<std::string_view, Layer> all{
        {"Linear", {make_linear, apply_linear}},
        {"Embedding", {make_embedding, apply_embedding}},
        {"MultiheadAttention", {make_attention, nullptr}},
        {"LayerNorm", {make_norm, apply_norm}},
        {"Sequential", {make_list, apply_all}},
        {"ModuleList", {make_list, nullptr}},
        {"ParameterList", {make_list, nullptr}},
        {"Dropout",
         {[](Interpreter& /*in*/, Object& self, const Given& of) {
              self.attributes["p"] = Value::of(of.number("p", 0, 0.5));
          },
          [](Interpreter& in, const Object& self, const Value& x) {
              return self.is_training ? in.drop(x, self.attributes.at("p").number) : x;
          }}},
        {"Softmax",
         {[](Interpreter& /*in*/, Object& self, const Given& of) {
              self.attributes["dim"] = Value::of(of.number("dim", 0, -1.0));
          },
          [](Interpreter& in, const Object& self, const Value& x) {
              return in.call_function("softmax", {x, self.attributes.at("dim")});
          }}},
    };
    return all;
}

}  // namespace

std::optional<Value> make_layer(Interpreter& in, const std::string& name, const Given& arguments) {
    const auto found = layers().find(name);
    if (found == layers().end()) {
        return std::nullopt;
    }
    Value made = in.make_object(name);
    found->second.make(in, *made.object, arguments);
    return made;
}

Value apply_layer(Interpreter& in, const Value& layer, const Value& x) {
    const auto found = layers().find(layer.object->type);
    return found == layers().end() || found->second.apply == nullptr
               ? Value{}
               : found->second.apply(in, *layer.object, x);
}

}  // namespace attn::flow
