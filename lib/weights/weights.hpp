// The reader's own weights: a state_dict, or a layer of a model's checkpoint.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "files/source.hpp"
#include "files/tensor_file.hpp"
#include "stages/state_dict.hpp"

namespace attn {

// The part of a whole model to use.
struct Selection {
    std::optional<std::size_t> layer, head;
    std::optional<std::size_t> heads;  // heads per layer, which checkpoints do not store

    bool any() const { return layer || head; }
};

// Returns the weights as a stage needs them. If the file holds a model, takes one attention module, found by
// the names of its projections; otherwise takes the file's tensors unchanged. Throws Error, with the
// available layers or heads, if a selection is missing or does not exist.
WeightSource weights_in(std::shared_ptr<const TensorFile> file, const Selection& selection = {});

// Returns one attention module of a checkpoint as a stage needs it: one head or all, with c_attn split into
// queries, keys and values. Only this module is read. Returns nothing if the file has none of the
// projections' names. Throws Error, with the available layers, if the layer does not exist or must be
// selected. Also throws Error if a tensor is missing or has the wrong shape, and if the number of heads is
// unknown or does not suit the stage.
std::optional<StateDict> cut_out(const TensorFile& file, const Selection& selection, const Stage& stage);

// Reads {"W_query.weight": [[…], …], "W_query.bias": […], …}, as json.dump({k: v.tolist() for k, v in
// model.state_dict().items()}, file) writes it. Throws Error for anything but names with nested lists of
// finite numbers. The stage checks the names.
std::shared_ptr<const TensorFile> read_weights(std::string_view text, std::string_view origin);

// Returns the weights in a file or from standard input; the format is detected from the content
// (tensor_file.hpp). Only requested tensors are read.
WeightSource load_weights(const std::string& path, const Selection& selection = {});

}  // namespace attn
