// The reader's own weights: a state_dict, name by name.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/tensor_file.hpp"
#include "stages/parameters.hpp"

namespace attn {

// What a reader asks for of a whole model.
struct Pick {
    std::optional<std::size_t> layer, head;
    std::optional<std::size_t> heads;  // how many a layer has, which no checkpoint says

    bool any() const { return layer || head; }
};

class Weights {
public:
    // Where tensors were cut out of: lines on the whole, and for each name the Python that cuts it.
    struct Sources {
        std::vector<std::string> whole;
        std::map<std::string, std::string, std::less<>> parts;
    };

    // Of the file only what is taken is read. Tensors that have sources were cut out of a checkpoint, of so
    // many heads where a stage splits the layer itself.
    explicit Weights(std::shared_ptr<const TensorFile> file, Sources sources = {},
                     std::optional<std::size_t> num_heads = std::nullopt);
    // `origin` is the file, for messages.
    Weights(std::string origin, TensorMap tensors)
        : Weights(std::make_shared<TensorsInMemory>(std::move(origin), std::move(tensors))) {}

    // What for_stage() is to pick of these weights (checkpoint.hpp).
    void choose(const Pick& pick) { pick_ = pick; }
    const Pick& pick() const { return pick_; }
    const TensorFile& file() const { return *file_; }

    // Whether the documents' modules call a buffer by that name.
    static bool is_mask(std::string_view name);

    // The tensor under the first of these names there is. Throws Error when there is none, and when its shape
    // is not the expected one; where the transpose would fit, the message says so.
    Tensor take(std::initializer_list<std::string> names, const Shape& expected);

    // Whether there is a tensor of one of these names.
    bool has(std::initializer_list<std::string> names) const { return find(names) != nullptr; }

    // Remembers that the walkthrough calls the tensor last taken by this name, for cuts().
    void call(const std::string& name);
    // How each tensor taken so far was cut out of the checkpoint: lines on that, then "W_query =
    // state_dict[…]…".
    const std::vector<std::string>& cuts() const { return cuts_; }

    // Throws Error when the weights are not for embeddings of this width.
    void require_width(std::size_t d_in) const;

    // Sets widths, heads, bias and context length as the tensors' names and shapes say.
    void adopt(Parameters& parameters) const;

    // Throws Error when a tensor has not been taken by the stage. Buffers, which are masks, need not be, but
    // must be the mask of that size.
    void require_all_taken(std::string_view stage, std::size_t context_length) const;

private:
    const TensorEntry* find(std::initializer_list<std::string> names) const;
    void check_mask(const TensorEntry& mask, std::size_t context_length) const;

    std::shared_ptr<const TensorFile> file_;
    std::string origin_;  // safe to show
    Pick pick_;
    Sources sources_;
    std::optional<std::size_t> num_heads_;
    std::vector<std::string> cuts_;
    std::vector<std::string> taken_;
};

}  // namespace attn
