// The lessons of a document: its embeddings, and the stages walked on them with the seeds, sizes and weights
// that the code states.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "files/tensor_file.hpp"
#include "judge/code_graph.hpp"
#include "stages/trace.hpp"
#include "tensor/tensor.hpp"

namespace attn {

// The lesson of a document, its walks, and the node of the embeddings.
struct Chapter {
    Lesson lesson;
    std::optional<std::size_t> node{};
    bool is_altered = false;  // the node is the documents' inputs with some numbers changed
    bool is_documents = false;
    std::vector<StageTrace> walks{};
    std::vector<WeightSource> weights{};  // of each walk; null if they are drawn from its seed
};

class Lessons {
public:
    // Finds the lessons and walks them. The graph and the question must outlive them.
    Lessons(const CodeGraph& graph, const Question& question)
        : graph_(graph), nodes_(graph.flow().nodes), question_(question) {
        find_chapters();
    }

    // True for a tensor of the documents beside the inputs, such as the two heads of document 002.
    bool is_stated(const Computed& node) const;
    // There is at least one.
    const std::vector<Chapter>& chapters() const { return chapters_; }
    // The parameters of a stage on embeddings of this width: the user's, and those that the code states.
    std::vector<Parameters> parameters_of(const Stage& stage, std::size_t d_in) const;

    // The embeddings (n, d) that a view puts together as a batch (b, n, d) with sequences that have other
    // rows, as of inputs.repeat_interleave(2, dim=0); empty for other nodes.
    std::optional<std::size_t> mixed_inputs(std::size_t id) const;

private:
    // The parameters that the code states, once for each seed that weights are drawn from.
    std::vector<Parameters> stated_parameters(const Stage& stage, std::size_t d_in) const;
    void find_chapters();
    bool has_chapter(const Tensor& embeddings) const;
    // Adds a chapter for each sequence of a batch.
    void add_batch(std::size_t id);
    static bool is_literal_node(const Computed& node);
    static Lesson own_lesson(const Tensor& embeddings);
    // True if softmax is applied to products of this matrix with itself, perhaps after projections.
    bool is_attended(std::size_t id) const;
    // True if a matrix is used as the inputs of attention: multiplied with its own transpose or with drawn
    // weights, or passed to a module.
    bool is_lesson(std::size_t id) const;
    // The heads that rows of this width are split into by view, as (…, d_out) to (…, heads, head_dim).
    std::set<std::size_t> shown_heads(std::size_t d_out) const;
    // Numbers of a module that may be its heads, because no argument is called num_heads.
    static std::set<std::size_t> possible_heads(const Module& module, std::size_t d_out);
    static void apply(const Module& module, const Stage& stage, Parameters& parameters);
    void walk_chapter(Chapter& chapter);
    // True for the weights of the stage `trainable`, with which readers go on to masks and heads.
    static bool is_of_trainable(const Computed& node, std::string_view name);
    // The weights of modules, and of variables called W_query and the like, under the usual names.
    // On the documents' inputs, weights from one of their seeds are compared with theirs.
    std::vector<TensorMap> own_weights(bool is_documents);

    const CodeGraph& graph_;
    const std::vector<Computed>& nodes_;  // of the graph
    const Question& question_;
    std::vector<Chapter> chapters_;
    std::size_t kept_ = 0;  // numbers of all walks
    std::map<bool, std::optional<std::vector<TensorMap>>> own_weights_;
    mutable std::map<std::size_t, std::set<std::size_t>> shown_heads_;  // width → heads
};

}  // namespace attn
