// Three training steps: forward pass, loss, backward pass, and a gradient step for each weight; then a last
// forward pass. The gradient predicts how far the loss falls, and the real fall is compared with that.
#include <optional>
#include <string>
#include <vector>

#include "notebook/backward.hpp"
#include "notebook/ops.hpp"
#include "stages/attention_steps.hpp"
#include "stages/loss.hpp"
#include "stages/stage.hpp"
#include "tensor/error.hpp"

namespace attn {

namespace {

constexpr std::size_t training_steps = 3;

// Causal attention and its loss, with the weights of one training step.
Var loss_after(Var inputs, const Layers::Qkv& layers, Var mask, const Parameters& p,
               const std::string& number) {
    Notebook& nb = *inputs.notebook;
    const Scope in{"", "_" + number, "_" + number};
    const auto [queries, keys, values] = projected(inputs, layers, Role::line, in);
    const Var scores = nb.line(in(attn_scores_name), scores_of(queries, keys));
    const Var weights = causal_head(hidden(scores, mask), keys, attn_weights_name, Role::line, in);
    const Var context = nb.step(in(context_vec_name), matmul(weights, values));
    return nb.step(in({"loss", "L"}), loss_of(context, p.loss, in.after));
}

// Gradient descent: moves each weight against its gradient, which gives a new parameter, and sums the squares
// of all gradients.
class Descent {
public:
    Descent(const Number& lr, const std::string& number) : lr_(lr), number_(number) {}

    Layer operator()(const Layer& layer, const std::string& name) {
        Layer moved{step("W_" + name, layer.weight), std::nullopt};
        if (layer.bias) {
            moved.bias = step("b_" + name, *layer.bias);
        }
        return moved;
    }

    // ‖grad‖² over all weights.
    Var squared_norm() const { return *squared_norm_; }

private:
    Var step(const std::string& name, Var x) {
        const std::optional<Var> grad = gradient_of(x);
        if (!grad) {  // a mistake may remove the gradient
            throw Error("[training-step] {} has no gradient, because the loss does not depend on it.", name);
        }
        const Var squares = sum(square(*grad));
        squared_norm_ = squared_norm_ ? *squared_norm_ + squares : squares;
        return x.notebook->step(parameter_name(name + "_" + number_), parameter(descend(x, *grad, lr_)));
    }

    Number lr_;
    std::string number_;  // the number of the training step
    std::optional<Var> squared_norm_;
};

void walk_training_step(Notebook& nb, const Run& run) {
    const Parameters& p = run.parameters;
    const Var inputs = inputs_step(nb, run);
    const Widths d = widths(inputs, run);
    const Number lr = nb.line({"lr", "η"}, literal(*p.lr));
    Layers::Qkv layers = Layers(nb, run).query_key_value(d, Role::step, "_1");
    const Number n = context_length(inputs);
    const Var mask = nb.line(mask_name, causal_mask(nb, n));

    std::vector<Var> losses, norms;
    for (std::size_t step = 1; step <= training_steps; ++step) {
        losses.push_back(loss_after(inputs, layers, mask, p, std::to_string(step)));
        backward(losses.back());
        Descent descent(lr, std::to_string(step + 1));
        // Statements of their own keep the order of the draws.
        const Layer query = descent(layers.query, "query");
        const Layer key = descent(layers.key, "key");
        layers = {query, key, descent(layers.value, "value")};
        norms.push_back(nb.line("squared_norm_" + std::to_string(step), descent.squared_norm()));
        if (step < training_steps) {
            record_again(nb);
        }
    }
    losses.push_back(loss_after(inputs, layers, mask, p, std::to_string(training_steps + 1)));

    const Var all = nb.step({"losses", "L", {"step"}}, stack(losses));
    const Var falls = nb.step({"falls", "ΔL", {"step"}},
                              slice(all, literal(0), literal(training_steps)) - slice(all, literal(1)));
    const Var predicted = nb.step({"predicted", "ηg", {"step"}}, stack(norms) * lr);
    nb.step({"share", "r", {"step"}}, falls / predicted);
}

}  // namespace

extern const Stage training_step_stage{
    .name = "training-step",
    .settings = {"lesson", "weights", "seed", "d_out", "qkv_bias", "lr"},
    .defaults = {.seed = 789, .loss = Loss::mse, .lr = 0.5},
    .walk = walk_training_step,
    .group = StageGroup::onward,
    .why_no_gradients = "it runs the backward pass itself",
};

}  // namespace attn
