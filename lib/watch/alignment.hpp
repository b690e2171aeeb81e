// Aligns a recording with walks of the stages on the reader's own inputs and weights. A call departs if its
// operands are right, its result is not, and nothing on the way from it to the output is right again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stages/stage.hpp"
#include "watch/recording.hpp"

namespace attn {

enum class CallVerdict { right, detour, departs, follows };

// A call of a layer, and the step or the expression of the stage that has the same numbers.
struct AlignedCall {
    std::size_t call;
    CallVerdict verdict;
    std::string step;
    std::vector<std::string> steps{};  // of each of its results; empty for one that is none
};

// Where a weight of the stage is: rows of a recorded tensor, or its columns if that has shape (in, out).
struct WeightPlace {
    std::string name;  // W_query.weight
    std::size_t tensor;
    std::size_t from, to;
    bool is_transposed;
};

// How a departing call differs from the stage's.
struct CallDifference {
    std::string right_line;    // the stage's line with the same operands
    std::string right_step{};  // the step that is the result of this line's call, if it is one
    std::string yours, right;  // `yours` is empty if `right` is missing in the code
    std::string keyword;       // the call's keyword with another value; may be empty
};

// One attention layer of the reader's code.
struct AlignedLayer : CallDifference {
    std::string name;  // the path of its projections, such as h.3.attn, or their class; may be empty
    std::size_t first_call = 0;
    const Stage* stage = nullptr;  // null if no stage could be walked
    Parameters parameters{};
    bool is_masked = true;
    std::vector<std::vector<int>> own_mask{};  // rows of sequences: 1 hides a token; empty for a causal mask
    bool has_bias = false;                     // the code adds numbers of its own to the scores
    bool has_dropout = false;                  // weights that the code dropped at random are walked on
    bool is_sequence_first = false;            // the axes of the inputs are tokens, batch, features
    std::string rotary{};                      // as --rotary reads it; empty without rotary positions
    std::size_t inputs = 0;                    // the tensor that the projections multiply
    OptionalIndex memory{};                    // of cross-attention: what those of keys and values multiply
    std::vector<WeightPlace> weights;
    std::vector<AlignedCall> calls;
    std::string output{};   // the name of the stage's last step that the reader's code reached
    std::size_t place = 0;  // its place among the steps of the stage
    bool is_right = false;
    OptionalIndex departs{};             // the call that departs
    std::vector<std::size_t> differs{};  // else the calls that another kind of attention has
    OptionalIndex drops{};               // the call that drops weights at random; what follows is not judged
    OptionalIndex caller{};              // which of its callers is wrong, if the call is not
    std::string mistake{};               // the known mistake with the same numbers; may be empty
};

// Returns the layers in the order of their calls.
std::vector<AlignedLayer> align(const Recording& recording);

// Returns the call that departs, with the place and the function of the line that is wrong.
RecordedCall departing_call(const Recording& recording, const AlignedLayer& layer);

}  // namespace attn
