// The reader's own weights: a state_dict, or a model's checkpoint with what to select of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "files/source.hpp"
#include "files/tensor_file.hpp"
#include "stages/given_weights.hpp"

namespace attn {

// The selection from a whole model.
struct Selection {
    std::optional<std::size_t> layer, head;
    std::optional<std::size_t> heads;  // how many a layer has, which no checkpoint says

    bool any() const { return layer || head; }
};

// The weights as each stage takes them. If the file holds a model, they are those of one attention module,
// found by the names of its projections; otherwise the file's tensors are unchanged. Throws Error, listing
// what there is, when the layer or the head is not there, or is not selected where it has to be.
WeightSource weights_in(std::shared_ptr<const TensorFile> file, const Selection& selection = {});

// One attention module out of a whole model's checkpoint, in the form a stage takes: one head or all, a fused
// c_attn split into queries, keys and values. Only that module is read. Null where the file has none of the
// projections' names. Throws Error, with the layers there are, if the layer does not exist or must be
// selected. Also throws it if a tensor is missing or has another shape, or if the number of heads is unknown
// or unsuitable for the stage.
std::unique_ptr<GivenWeights> cut_out(const TensorFile& file, const Selection& selection, const Stage& stage);

// {"W_query.weight": [[…], …], "W_query.bias": […], …}, as
// json.dump({k: v.tolist() for k, v in model.state_dict().items()}, file) writes it. Throws Error for
// anything that is not names with nested lists of finite numbers; which names a stage needs is the stage's to
// say.
std::shared_ptr<const TensorFile> read_weights(std::string_view text, std::string_view origin);

// The weights in a file, or from standard input, of whatever kind its bytes are (tensor_file.hpp).
// Only requested tensors are read from the file.
WeightSource load_weights(const std::string& path, const Selection& selection = {});

}  // namespace attn
