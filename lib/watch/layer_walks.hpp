// Walks a stage on the inputs and weights of a recorded layer, and collects the tensors that right code may
// compute.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "files/tensor_file.hpp"
#include "stages/trace.hpp"
#include "tensor/error.hpp"
#include "watch/alignment.hpp"
#include "watch/layer_form.hpp"
#include "watch/value_match.hpp"

namespace attn {

// Thrown if a layer cannot be walked in this form. It is caught, so nobody sees its text.
class DoesNotFit : public Error {
    using Error::Error;
};

// Returns rows of a weight or bias; columns if the weight has shape (in, out).
Tensor part_of_weight(const RecordedTensor& from, std::size_t rows_from, std::size_t rows_to, bool in_out);

// The walk of a layer: one for each sequence of the batch. Dropped weights of the reader replace the stage's.
class LayerWalks {
public:
    LayerWalks(const AttentionLayer& found, const Recording& recording, const Form& form);

    void walk_all(const std::vector<float>* dropped = nullptr);

    // From now on, walks continue with these numbers of the reader in place of a node; what is hidden there
    // stays hidden. Returns false if they hide more, and for code with joined inputs.
    bool replace(std::size_t node, const std::vector<float>& numbers);
    bool is_replaced(std::size_t node) const { return walked_.contains(node); }
    bool has_replaced() const { return !walked_.empty(); }
    bool has_dropped() const { return !dropped_.empty(); }
    // Returns true if an output is infinite or NaN. Right code may have others, if it scales earlier.
    bool overflows() const;

    const Stage* stage = nullptr;
    std::vector<StageTrace> traces;     // one for each sequence
    std::vector<WalkedTensor> tensors;  // that a right code may compute
    std::vector<WeightPlace> places;
    std::size_t first_detour = 0;                      // nodes from here on are not the stage's own
    std::size_t softmax = 0, context = 0, output = 0;  // nodes; `context` is the product with the values
    OptionalIndex unmasked;                            // the node of the weights of all tokens
    OptionalIndex zeroed;                // of these weights after the mask, whose rows do not sum to 1
    std::vector<std::size_t> prescaled;  // of queries and keys divided before their product
    std::size_t n = 0;
    bool is_halved = false;  // a rotation pairs the two halves of a row

private:
    void take_by_head(const std::string& name, const Projection& fused, std::size_t role);
    void join_given();
    void join_parts();
    Var replaced(Var walked);
    std::vector<std::size_t> inputs_of(const Notebook& nb, std::size_t node) const;
    Tensor of_reader(const Tensor& walked, unsigned weights) const;
    // The nodes that lead to the output, and all nodes that right code may have.
    struct Leading {
        std::set<std::size_t> main{}, all{};
    };
    void collect(const Parameters& parameters);
    Leading record_detours(StageTrace& trace);
    void gather(const Leading& wanted, const Parameters& parameters);
    void add_parts();
    void add_turns(StageTrace& trace) const;
    void add_outputs_of_heads(StageTrace& trace) const;

    const AttentionLayer* found_;
    const Recording* recording_;
    RecordedTensor inputs_;
    Form form_;
    TensorMap weights_;
    std::size_t batch_ = 1;
    std::pair<std::size_t, std::size_t> queries_, keys_;  // if the inputs are joined: ranges of their tokens
    std::set<std::size_t> dropped_;                       // the nodes of the reader's dropped weights
    // Numbers of the reader, by the node that they replace. Nodes with such numbers are not counted, so that
    // the key is the same in every walk.
    std::map<std::size_t, std::vector<std::vector<float>>> own_;
    std::map<std::size_t, std::size_t> walked_;  // node with such numbers → the node that it replaces
};

}  // namespace attn
