// Attention between two sequences, for which attention was invented. One decoder gets a fixed vector; another
// weights the encoder's states anew for every output word.
#include <vector>

#include "notebook/ops.hpp"
#include "stages/shipped.hpp"
#include "stages/stage.hpp"

namespace attn {

namespace {

constexpr std::string_view states_file = "encoder_decoder.json";

// Returns the last state. Code writes its index as -1.
Number last(Var states) {
    const Number index = literal(states.value().size(0) - 1);
    return named(index.leaf, {{"-1", "-1", index.in(Language::cpp)}, literal(-1)});
}

// A column of 0, 1, 2, ….
Tensor count_up(std::size_t n) {
    Tensor positions(Shape{n, 1});
    for (std::size_t i = 0; i < n; ++i) {
        positions.values()[i] = float(i);
    }
    return positions;
}

// Shows two weaknesses of a single state vector: it keeps little of early words, and the path from them is
// long.
void flaws(Notebook& nb, Var encoder_states) {
    const Var positions = nb.line({"positions", "p", {"source", "position"}},
                                  nb.given(count_up(encoder_states.value().size(0))));
    nb.step({"carried", "R", {"source", "source"}}, tril(exp(transpose(positions) - positions)));
    nb.step({"recurrent_steps", "N", {"source", "source"}}, abs(positions - transpose(positions)));
    const Number n = nb.line("n", extent(encoder_states, 0, "n"));
    nb.step({"attention_steps", "N′", {"source", "source"}}, ones(nb, {n, n}));
}

void walk_encoder_decoder(Notebook& nb, const Run&) {
    for (const std::string_view axis : {"source", "target"}) {
        nb.label(axis, shipped_words(states_file, axis));
    }
    const Var encoder_states = nb.step({"encoder_states", "H", {"source", "feature"}},
                                       nb.given(shipped(states_file, "encoder_states")));
    const Var decoder_states = nb.step({"decoder_states", "D", {"target", "feature"}},
                                       nb.given(shipped(states_file, "decoder_states")));

    // Without attention: one vector for all output words.
    const Var fixed_context =
        nb.step({"fixed_context", "c", {"feature"}}, select(encoder_states, {last(encoder_states)}));
    const std::vector<Var> copies(decoder_states.value().size(0), fixed_context);
    nb.step({"fixed_inputs", "F", {"target", "feature"}}, cat({stack(copies), decoder_states}, -1));
    flaws(nb, encoder_states);

    // Attention: similarity, normalisation, weighted sum.
    const Var similarity =
        nb.step({"similarity", "E", {"target", "source"}}, matmul(decoder_states, transpose(encoder_states)));
    const Var weights = nb.step({"weights", "A", {"target", "source"}}, softmax(similarity, -1));
    const Var context = nb.step({"context", "C", {"target", "feature"}}, matmul(weights, encoder_states));
    nb.step({"decoder_inputs", "F′", {"target", "feature"}}, cat({context, decoder_states}, -1));
}

}  // namespace

extern const Stage encoder_decoder_stage{
    .name = "encoder-decoder",
    .settings = {},
    .defaults = {},
    .walk = walk_encoder_decoder,
    .why_no_gradients = "its states are given, so there are no weights to train",
};

}  // namespace attn
