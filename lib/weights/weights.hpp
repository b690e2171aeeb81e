// The reader's own weights: a state_dict, or a model's checkpoint with what to select of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "files/tensor_file.hpp"
#include "stages/given_weights.hpp"

namespace attn {

// What a reader asks for of a whole model.
struct Selection {
    std::optional<std::size_t> layer, head;
    std::optional<std::size_t> heads;  // how many a layer has, which no checkpoint says

    bool any() const { return layer || head; }
};

class Weights final : public WeightSource {
public:
    explicit Weights(std::shared_ptr<const TensorFile> file) : file_(std::move(file)) {}
    // `origin` is the file, for messages.
    Weights(std::string origin, TensorMap tensors)
        : Weights(std::make_shared<TensorsInMemory>(std::move(origin), std::move(tensors))) {}

    void select(const Selection& selection) { selection_ = selection; }

    // The weights as the stage takes them: of one attention module where the file holds a model's, known by
    // the names of their projections (attention_modules.hpp), and otherwise the file's tensors as they are.
    // Throws Error, listing what there is, when the layer or the head is not there, or is not selected where
    // it has to be.
    std::unique_ptr<GivenWeights> for_stage(const Stage& stage) const override;

private:
    std::shared_ptr<const TensorFile> file_;
    Selection selection_;
};

}  // namespace attn
