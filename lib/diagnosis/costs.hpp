// The costs of explanations, and the thresholds on their values, in bits and whole sixteenths. The cost of a
// mistake is in its row (mistakes/). A cost of n bits means that one of 2ⁿ pastes is such. Where pastes were
// counted, the count is given: of 418 pastes from public sources, 199 were a document's own numbers, and 41
// had a mistake. The other costs order explanations of the same numbers.
#pragma once

namespace attn {

namespace cost {

// Parameters that neither the user nor a document gave:
inline constexpr double dropout_generator = 1.0;  // both are common: it depends on the build of PyTorch
inline constexpr double width = 3.0;              // a width, or a batch size; 15 of 418 pastes
inline constexpr double layers = 3.0;             // a bias is added or left out, or dropout is left out

// A setting that another tensor of the same paste has already shown.
inline constexpr double known_setting = 3.0;

// Many steps occur both in a stage of the further topics and in one of the documents' stages. Then the
// documents' stage is the likelier explanation.
inline constexpr double further_topic = 12.5;

// Readers paste steps far more often than other lines. A result that is only part of a line is even rarer:
// more likely, a mistake left out the rest of the line. Most gradients are labelled.
inline constexpr double line = 4.0;
inline constexpr double part_of_line = 20.0;
inline constexpr double unlabelled_gradient = 12.5;

// Pieces, from the commonest to the rarest. Parts of rows or columns cost far more, because there are many.
inline constexpr double whole = 1.0;
inline constexpr double one_row = 3.0;  // or one entry of the first axis
inline constexpr double some_rows = 4.0;
inline constexpr double one_number = 5.0;  // or one column
inline constexpr double turned = 6.0;      // transposed, reshaped or flattened; or a block
inline constexpr double turned_part = 8.0;

// Readings of the numbers other than as exact digits.
inline constexpr double other_order = 3.0;     // of the sums: other builds and machines
inline constexpr double fewer_decimals = 3.0;  // torch.round
inline constexpr double half_type = 8.0;

// A mistake is likelier in the step that the label names than in another step. The printed grad_fn names the
// operation, so a step with another operation is less likely.
inline constexpr double other_label = 4.0;
inline constexpr double other_grad_fn = 6.0;

// If the label says keys but the numbers are queries, the wrong layer was used; that is as frequent as other
// mistakes. If the numbers belong to a step that is not a projection, a mistake in the labelled step is
// likelier.
inline constexpr double other_projection = 8.0;
inline constexpr double other_step = 14.0;

// `erratum` is the cost of a mistake that a document contains. `shown` is added for a step that shows a
// mistake on purpose.
inline constexpr double erratum = 1.0;
inline constexpr double shown = 1.0;

}  // namespace cost

// A match of less value may be chance: one of 2⁷ is. Nearly every tensor that is not a right step has a
// mistake, so the cost of having one does not make the match less certain.
inline constexpr double convincing = 7.0;
inline constexpr double convincing_mistake = convincing - 10.0;

namespace threshold {

// A match of less value is not kept, because many others would match, too.
inline constexpr double least_value = -32.0;

// A rare explanation must be convincing, and only unexplained tensors have one. The rarer they are, the more
// of them there are: above the highest cost they would explain nearly any numbers.
inline constexpr double rare = 18.25;
inline constexpr double most = 30.0;

// An explanation is not searched if it is worse than the best one by more than this.
inline constexpr double alternative = 20.0;

// The best explanation of one tensor may be better by this than that of the tensors together. A common
// explanation that would change a right step loses `contradiction`.
inline constexpr double as_good = 10.0;
inline constexpr double contradiction = 20.0;

// A mistake that is worse than the right step by less than this is mentioned. For the result of a stage the
// limit is higher, because results are pasted more often than earlier steps.
inline constexpr double as_likely = 15.0;
inline constexpr double as_likely_result = 16.0;

}  // namespace threshold

}  // namespace attn
