// A document's code, followed and read: its tensors, their graph, what in it is attention, its lessons, and
// which tensors belong to the chapter. Judges nothing.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "documents/document.hpp"
#include "judge/attention_pattern.hpp"
#include "judge/code_graph.hpp"
#include "judge/followed_code.hpp"
#include "judge/lessons.hpp"

namespace attn {

struct CodeReading {
    // The document and the question must outlive it.
    CodeReading(const Document& document, const Question& question);
    CodeReading(const CodeReading&) = delete;
    CodeReading& operator=(const CodeReading&) = delete;

    const Computed& operator[](std::size_t node) const { return nodes[node]; }

    const Document& document;
    const Question& question;
    FollowedCode followed;
    const Dataflow& flow;
    const std::vector<Computed>& nodes;  // of the flow
    CodeGraph graph;
    AttentionPattern pattern;
    Lessons lessons;
    std::vector<bool> is_relevant{};      // for each node: it depends on a lesson or on weights of attention
    std::vector<bool> is_from_printed{};  // for each node: all its numbers come from outputs

private:
    void find_relevant();
};

}  // namespace attn
