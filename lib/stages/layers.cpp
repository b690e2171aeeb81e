#include "stages/layers.hpp"

#include "notebook/ops.hpp"
#include "stages/state_dict.hpp"
#include "text/numbered.hpp"

namespace attn {

namespace {

std::size_t size(const Number& number) {
    return std::size_t(number.value());
}

// W_query → b_query
std::string bias_name(const std::string& weight) {
    return "b" + weight.substr(1);
}

Var show(Var node, const std::string& name, Role role) {
    return node.notebook->as(role, parameter_name(name), node);
}

}  // namespace

Widths widths(Var x, const Run& run) {
    const auto last = int(x.value().rank()) - 1;
    const Number in = x.notebook->line("d_in", extent(x, last, "d_in"));
    return {in, x.notebook->line("d_out", literal(run.parameters.d_out))};
}

Layers::Layers(Notebook& notebook, const Run& run) : notebook_(&notebook), run_(&run) {
    if (run.weights == nullptr) {
        generator_ = notebook.line("generator", manual_seed(notebook, run.parameters.seed));
    }
}

Layer Layers::linear(const std::string& name, const std::string& key, const Number& d_in, const Number& d_out,
                     bool has_bias, Role role) {
    if (run_->weights != nullptr) {
        const auto own = [&](const std::string& called, const std::string& kind, const Shape& shape) {
            Tensor tensor = take_weight(*run_->weights, key + kind, shape, called);
            return show(parameter(notebook_->given(std::move(tensor))), called, role);
        };
        Layer layer{own(name, ".weight", Shape{size(d_out), size(d_in)}), std::nullopt};
        if (has_bias) {
            layer.bias = own(bias_name(name), ".bias", Shape{size(d_out)});
        }
        return layer;
    }
    const Var drawn = attn::linear(*generator_, d_in, d_out, has_bias);
    if (!has_bias) {
        return {show(weight(drawn), name, role), std::nullopt};
    }
    notebook_->line(name + "_layer", drawn);
    const Var shown_weight = show(weight(drawn), name, role);
    return {shown_weight, show(bias(drawn), bias_name(name), role)};
}

bool Layers::has_bias(const std::string& key, bool otherwise) const {
    return run_->weights == nullptr ? otherwise : has_weight(*run_->weights, key + ".bias");
}

Layers::Qkv Layers::query_key_value(const Widths& widths, Role role, const std::string& suffix,
                                    const std::string& prefix) {
    const auto one = [&](const std::string& name, const Number& out) {
        return linear(name + suffix, prefix + name, widths.in, out, run_->parameters.qkv_bias, role);
    };
    const std::size_t own = run_->weights == nullptr ? 0 : run_->weights->value_width;
    const Layer query = one("W_query", widths.out);  // statements of their own fix the order of the draws
    const Layer key = one("W_key", widths.out);
    return {query, key, one("W_value", own > 0 ? literal(own) : widths.out)};
}

Name parameter_name(const std::string& name) {
    return {name, name.substr(0, 3).append(number_in(name)), name.starts_with("W") ? out_in : Axes{"out"}};
}

Var project(Var x, const Layer& layer) {
    const Var product = matmul(x, transpose(layer.weight));
    return layer.bias ? product + *layer.bias : product;
}

Var embeddings(Notebook& notebook, const Lesson& lesson) {
    return lesson.words.empty() ? notebook.given(lesson.embeddings)
                                : embedding(notebook, lesson.words, lesson.embeddings.size(1));
}

}  // namespace attn
