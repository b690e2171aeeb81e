"""Checks the numeric claims of notes with the numbers exported beside them, wherever a note is shown."""

import collections
import json
import random
import re
import zlib

import numpy as np
import pytest

from program import listed, ok, run, steps, switched_off, trace

# The name of a step, where # is any number; a part of its note; and the condition that must then hold. A
# comparison holds if it holds for every number; `this` is the step, and parameters and other steps have their
# names. In these names, n stands for the step's number and m for the number before it.
CLAIMS = [
    # causal-batch
    "batch: All sequences here are equal, so without dropout eve → "
    "this == this[0] and queries == queries[0] and attn_weights == attn_weights[0] and context_vec[0] == "
    "context_vec[0]",
    "mask: The mask is as large as the context length, the longest → "
    "size(this, 0) == context_length and context_length >= size(batch, 1)",
    "mask_shorter: A sequence of half as many tokens, rounded up to → "
    "0 <= 2 * size(this, 0) - size(batch, 1) <= 1",
    "attn_weights: Softmax over the last axis, the keys: → close(sum(this, -1), 1)",
    "attn_weights: -inf becomes exactly 0. → triu(this, 1) == 0",
    "attn_weights_dropped: At p = 1 nothing is drawn and every weight is droppe → this == 0",
    "context_vec: Without dropout, the copies are equal to the last di → dropout > 0 or this == this[0]",
    # causal-self-attention
    "x: Normally distributed numbers replace the embeddings. → "
    "size(this, 0) == batch and size(this, 2) == d_out",
    "Q: Shape: (batch, heads, tokens, d_k). → "
    "size(this, 1) == num_heads and size(this, 3) * num_heads == d_out",
    "mask_example: Ones are on and below the diagonal: → " "triu(this, 1) == 0 and tril(1 - this) == 0",
    "attn_weights: Softmax runs over the keys. → close(sum(this, -1), 1)",
    "attn_weights: exp(-inf) is exactly 0, so the future gets no weight → triu(this, 1) == 0",
    "context_vec: W_o mixes the columns of all heads. → "
    "size(this, 1) == size(x, 1) and size(this, 2) == size(x, 2)",
    # causal
    "W_query: Random numbers, uniform in ±1/√d_in → this * this * d_in <= 1.0001",
    r"b_(query|key|value)(_\d)?: The bias is drawn right after the weight of its layer, f → "
    "this * this * d_in <= 1.0001",
    "attn_weights: Softmax takes exp of each score and divides by the → close(sum(this, -1), 1)",
    "mask_simple: Ones are on and below the diagonal: → " "triu(this, 1) == 0 and tril(1 - this) == 0",
    "masked_simple: A factor of 0 removes the weights of later tokens → triu(this, 1) == 0",
    "masked_simple: So rows may no longer sum to 1: row 0 sums to → size(this, 0) > 1",
    "masked_simple: With the mask off, nothing is multiplied by 0. → close(sum(this, -1), 1)",
    "row_sums: The last row loses nothing: no token comes after it. → close(this[-1], 1)",
    "row_sums: With the mask off, nothing is lost: every row sums t → close(this, 1)",
    "masked_simple_norm: With the mask off, each row is divided by 1 and stay → close(this, attn_weights)",
    "mask: Ones above the diagonal (diagonal=1) mark the positi → "
    "tril(this) == 0 and triu(1 - this, 1) == 0",
    "masked: exp(-inf) = 0, so softmax gives the future no weight → triu(attn_weights_causal, 1) == 0",
    "attn_weights_causal: Row 0 can only look at itself, so its only weight is → "
    "this[0, 0] == 1 and triu(this, 1) == 0",
    "attn_weights_causal: Row 1 gives token 0 a weight of → triu(this, 1) == 0",
    "dropout_example: otherwise, so on average it stays 1. Without this → "
    "close(this * (this * (1 - dropout) - 1), 0)",
    "dropout_example: At p = 1 every number is dropped. → this == 0",
    r"(head_\d+_)?attn_weights_dropped: each kept weight is multiplied by 1/(1-p) → "
    "close(this * (this * (1 - dropout) - weights), 0)",
    "attn_weights_dropped: The generator is seeded again, so the same cells are → "
    "close(this * (dropout_example * (1 - dropout) - 1), 0)",
    "attn_weights_dropped: At p = 0 nothing is dropped, not even in training. → this == attn_weights_causal",
    "attn_weights_dropped: At p = 1 every cell is dropped. → this == 0",
    "attn_weights_dropped: Dropout comes after softmax, so a row may sum to more → 0 < dropout < 1",
    "context_vec: Each row is the mean of the values it may see, weigh → close(this[0], values[0])",
    "context_vec: Row 1, column 0 is → triu(attn_weights_causal, 1) == 0",
    # complexity
    "pairs: This is the number of cells in a matrix of scores or wei → this == tokens * tokens",
    "operations: The left column counts materialised attention, the right → size(this, 0) == size(tokens, 0)",
    "operations: Each of the two products takes 2d operations per pai → "
    "close(this[:, 0] * 1000000 / pairs, 4 * d_out + 8)",
    "operations_per_n2d: The left column is constant: the time is O(n²d), and → "
    "close(this[:, 0], 4 + 8 / d_out)",
    "bytes_held: The right column counts one tile of scores and, for each → this[:, 1] == this[0, 1]",
    "mask_bytes: To make the triangle, ones are written, read and → close(this * 1048576 / pairs, 12)",
    "mask_bytes_moved: The left column is for a mask that each → close(this[:, 0], batch * this[:, 1])",
    # encoder-decoder
    "encoder_states: One row per word of the source sentence. → size(this, 0) == 4",
    "decoder_states: There is one row for each word to write. → size(this, 0) == 3",
    "fixed_context: Traditionally the decoder gets only the encoder's la → this == encoder_states[-1]",
    "fixed_inputs: The left half is the same in every row, whichever wor → this[:, :3] == this[0, :3]",
    "carried: Second weakness, along the last row: only → min(this[-1]) == this[-1, 0]",
    "carried: Third weakness, in the first column: the longer th → this[1:, 0] < this[:-1, 0]",
    "recurrent_steps: A recurrent network passes its state from word to wo → "
    "this[0, 3] == 3 and this == transpose(this)",
    "attention_steps: Each pair meets in one dot product: one step, whatev → this == 1",
    "weights: Softmax over the source words turns each row into we → close(sum(this, -1), 1)",
    "weights: Each row aligns a target word with the source. The l → this[2, 2:] > 0.3",
    "decoder_inputs: Now the left half is different in every row. → "
    "not this[0, :3] == this[1, :3] and not this[1, :3] == this[2, :3] and not this[0, :3] == this[2, :3]",
    "context_vec(_dropped)?_grad: Each number counts once in the sum, so each gradient → this == 1",
    "context_vec(_dropped)?_grad: All numbers count equally in the mean, so each → this == max(this)",
    "context_vec_grad: Each gradient is twice the error divided by the count. → this * context_vec >= 0",
    "context_vec_dropped_grad: Each gradient is twice the error divided by the count. → "
    "this * context_vec_dropped >= 0",
    "masked_grad|attn_scores_grad: Softmax can only move weight within a row, so the gr → "
    "close(sum(this, -1) / (100 + 100 * max(abs(this))), 0)",
    "b_key_grad: A key bias adds the same number, q · b, to all score → "
    "max(abs(this)) <= 0.0001 * (1 + max(abs(W_key_grad))) * 30",
    "b_k_grad: A key bias adds the same number, q · b, to all score → "
    "max(abs(this)) <= 0.0001 * (1 + max(abs(W_k_grad))) * 30",
    "softmax_jacobian: For one row of weights a, diag(a) → "
    "close(sum(this, -1), 0) and close(this, transpose(this))",
    "jacobian_agrees: 1 if both are equal up to rounding. → this == 1",
    # grouped-query
    "queries: heads side by side. → size(this, 2) == d_out",
    "keys: Fewer heads need fewer rows in the weight of the layer. → "
    "size(this, 2) * num_heads == d_out * kv_heads",
    "keys_heads: A KV cache keeps these keys. → "
    "size(this, 1) == kv_heads and size(this, 3) == size(queries_heads, 3)",
    "queries_turned: Each head is rotated separately. → " "size(this, 3) == size(queries_heads, 3)",
    "attn_weights: Heads of a group share their keys, but their queries dif → close(sum(this, -1), 1)",
    "context_merged: The rows are d_out = → size(this, 2) == d_out",
    "heads_moved: Each number is the largest difference in one head. → "
    "this[:, 0] == 0 and this[:, -1] == 0",
    "W_key_copied: The rows of each key head are repeated for every que → size(this, 0) == d_out",
    "copies_agree: 1 if the copied weights give the repeated keys. → this == 1",
    "keys_shared: Multi-query attention, as with --kv-heads 1: all que → "
    "this[:, 0] == keys_repeated[:, 0] and this[:, -1] == this[:, 0]",
    "context_shared: The first head stays the same. → this[:, 0] == context_heads[:, 0]",
    "kv_head_counts: As many as query heads, as many as --kv-heads, → "
    "this[0] == num_heads and this[1] == kv_heads and this[2] == 1",
    "kv_weights: W_key and W_value together contain this many numbers. → "
    "this * num_heads == kv_head_counts * 2 * d_out * d_in",
    "cache_bytes: These are the keys and values of one token in one layer, → "
    "this * num_heads == kv_head_counts * 8 * d_out",
    # head-split
    "first_res: These are the numbers of the first block of the product: → close(this, product[0, 0])",
    "first_res: This matrix is symmetric, like every matrix times its ow → close(this, transpose(this))",
    "second_res: These are the numbers of the second block of the product → close(this, product[0, 1])",
    "same_numbers: 1 if the largest difference is only rounding. → this == 1",
    # kv-cache
    "token_weights_1: There is only one key, so its weight is 1. → this == 1",
    "cache_keys_#: The key of the new token is appended to the cache, w → size(this, 1) == d_out",
    "token_weights_#: The scores of the new query with all cached keys form on → "
    "size(this, 0) == 1 and close(sum(this, -1), 1)",
    "attn_weights_causal: Row i contains the weights of token i above, followe → triu(this, 1) == 0",
    "last_mask: This row contains only zeros, because the last token may → this == 0",
    "token_weights_#: One weight for each of the → size(this, 1) == size(cache_keys_n, 0)",
    "last_row: This vector equals the last row of context_vec bit for b → this == context_vec[-1:]",
    "rows_agree: A cache changes how rows are computed, but not → this == 1",
    "operations_kept: Each of three projections of a row takes 2 · d_in · d_ou → "
    "close(this - lengths * 4 * d_out, 6 * d_in * d_out)",
    "operations_anew: All rows are computed again, and each takes as many → "
    "close(this, operations_kept * lengths)",
    "times_less: A cache divides the number of operations by this factor, → close(this, lengths)",
    "cache_bytes: These are the keys and values of all tokens in float32, → this == lengths * 8 * d_out",
    # leakage
    "changed: Only the last row is different: 0.9, 0.1, 0.9 and so → "
    "this[:-1] == inputs[:-1] and not this[-1] == inputs[-1]",
    "causal_moved: Above the last row everything is exactly 0, because → this[:-1] == 0",
    "visible_shares: So the sum of the visible weights depends on a hidden t → size(this, 0) > 1",
    "visible_shares: With the mask off, every token is visible and every → close(this, 1)",
    "visible_shares: The last row sees all tokens and sums to 1 both time → close(this[-1], 1)",
    "earlier_rows_stay: Earlier rows stay the same: this is the autoregressive → this == 1",
    "earlier_rows_stay: With the mask off, earlier rows also look at the new to → min(this) == 0",
    "longer_context: The last row belongs to the new token; compare the → "
    "size(this, 0) == size(inputs, 0) + 1",
    # linear
    "W_query: torch.nn.Linear draws uniformly between ±1/√d_in = ± → this * this * d_in <= 1.0001",
    "b_value: Every row of attention weights sums to 1, so without → close(sum(attn_weights, -1), 1)",
    "values: wide, and so is the result. → size(this, 1) == d_out and size(context_vec, 1) == d_out",
    "attn_weights: The scores are divided by √d_k and normalised over the k → close(sum(this, -1), 1)",
    "attn_weights_dropped: dropout sets some weights to 0 at random in training → "
    "close(this * (this * (1 - dropout) - attn_weights), 0)",
    "attn_weights_dropped: At p = 1 every weight is set to 0 and nothing is dra → this == 0",
    # masks
    "keep_mask: Ones are on and below the diagonal. → " "triu(this, 1) == 0 and tril(1 - this) == 0",
    "hide_mask: Ones are above the diagonal: → this == 1 - keep_mask",
    "additive_mask: 0 where a query may look, otherwise -inf. Both funct → tril(this) == 0",
    "additive_mask: They are added to the scores, and hide no key. → this == hide_mask",
    "visible_lengths: Each number says how many keys a query sees, starting fr → "
    "this == sum(keep_mask, -1) and this[0] == 1",
    "attn_weights: Each row sums to 1 over its visible keys. → triu(this, 1) == 0",
    "ways_equal: There is a number for each of keep_mask, additive_mask a → this == 1",
    "attn_weights_mixed_up: This happens if nn.MultiheadAttention gets a mask for sc → "
    "this[0, 0] == 0 and not this[-1] == this[-1]",
    "attn_weights_mixed_up: With the mask off, the convention does not matter. → close(this, attn_weights)",
    "batch: The second sentence is the beginning of the first. → this[0] == inputs",
    "padding_mask: Ones mark padding. → " "this[0] == 0 and this * (1 - this) == 0",
    "batch_weights: A key is hidden if one of the two masks hides it. → " "batch_weights * padding_mask == 0",
    "padding_agrees: with and without the batch, apart from rounding. → this == 1",
    "front_mask: The first key is padding and hidden from all queries → this[0] == 1",
    "attn_weights_nan: Row 0 contains only -inf. → not this[0] == this[0]",
    "attn_weights_itself: The diagonal stays visible, even for padding. → close(sum(this, -1), 1)",
    "attn_weights_finite: A finite number replaces -inf. → " "close(this[0] * size(inputs, 0), 1)",
    "attn_weights_zeroed: After softmax, 0 replaces nan in rows without a visible → this[0] == 0",
    "top_left_mask: If only the last queries are given, PyTorch's is_causal=True → "
    "triu(1 - this, 1) == 0 and tril(this) == 0",
    "top_left_weights: The first of these queries sees only key 0. With a K → this[0, 0] == 1",
    "bottom_right_mask: These are the last rows of the whole mask: → this[-1] == 0",
    "corner_is_right: 1 if these are the last rows of attn_weights, apart → this == 1",
    # multi-head-wrapper
    "head_1_attn_weights: Queries, keys, masked scores and softmax are computed as → "
    "close(sum(this, -1), 1) and triu(this, 1) == 0",
    "head_1_attn_weights_dropped: At p = 1 nothing is drawn: every head loses all its → this == 0",
    "head_1: This is the result of a single causal head → "
    "size(this, 0) == size(batch, 0) and size(this, 2) == d_out",
    "context_vec: The heads are joined along the last axis. → "
    "size(this, 2) == num_heads * d_out and this[:, :, 0] == head_1[:, :, 0]",
    # multi-head
    "attn_weights: Softmax runs over the keys. → close(sum(this, -1), 1)",
    "attn_weights_dropped: At p = 1 nothing is drawn, and all heads of all sequ → this == 0",
    "context_contiguous: contiguous copies the numbers into the order of the → this == context_transposed",
    "context_merged: Again, no number moves. → size(this, 2) == d_out",
    "same_numbers: 1 if both results (without dropout) are equal up to → this == 1",
    # numpy
    "causal_mask: 1 where it may look, otherwise 0. → " "triu(this, 1) == 0 and tril(1 - this) == 0",
    "attn_weights: Subtracting the largest score of a row divides numer → close(sum(this, -1), 1)",
    "out: Row 0 can look only at itself, so it equals the firs → close(this[0], V[0])",
    # rotary
    "queries: Queries have an even number of features, → size(this, 1) == d_out",
    "theta: The frequencies are in radians per position: → this[0] == 1 and this > 0 and this <= 1",
    "angles: Each angle is position times frequency, so it is 0 at position 0. → this[0] == 0",
    "sin: For each angle, the squares of sine and cosine sum t → close(this * this + cos * cos, 1)",
    "queries_halves: Feature i of the first half is paired with feature i → this[0] == queries[0]",
    "rotation_agrees: 1 if the last query times this matrix is the rotated → this == 1",
    "lengths_agree: 1 if every query has the same length after rotation, → this == 1",
    "scores_everywhere: The query and the key of the last token are placed at al → "
    "size(this, 0) == size(this, 1)",
    "distance_agrees: 1 if all scores stay the same, apart from rounding. → this == 1",
    "last_row_agrees: 1 if these are the last row of scores_halves, apart → this == 1",
    "queries_neighbours: Features 0 and 1 form a pair, features 2 and 3 form the → " "this[0] == queries[0]",
    "scores_mixed: The query and the key are divided into different pairs o → size(this, 0) == size(this, 1)",
    "reordered_agrees: 1 if reordered queries and keys, rotated by halves, → this == 1",
    "masked: Future scores are masked as in the causal stage → triu(attn_weights, 1) == 0",
    "masked: With the mask off, the scores stay the same. → min(this) > 0 - inf",
    "attn_weights: From here on, everything is as in the causal stage. → close(sum(this, -1), 1)",
    "b_key_grad: Without rotary positions, this gradient would be 0 → size(this, 0) == d_out",
    # scaling
    "score_sizes: Each row is for one width: → " "size(this, 0) == 12 and this[0, 1] < this[0, 0]",
    "score_sizes: Products of unrelated features are positive or negat → "
    "40 < this[-1, 0] / this[0, 0] < 51 and max(this[:, 1]) < 1.5 * min(this[:, 1])",
    "largest_weights: On the left, the largest weight goes to 1: softmax → this[-1, 0] > 0.98",
    "largest_weights: On the right, the largest weight stays about → max(this[:, 1]) < 1.5 * min(this[:, 1])",
    "slopes: the gradients of queries and keys vanish with it. → this[-1, 0] < 0.01",
    "weights_64: exp turns the difference of two scores into the ratio → max(this) > 0.9",
    "divided_64: After division by √64 = 8, the order of the keys is the → close(this * 8, scores_64)",
    "weights_64_divided: The same key has the largest weight, now → min(this) > 0.01",
    # simplified
    "inputs: The goal is one context vector per token: as wide as → "
    "size(all_context_vecs, 0) == size(inputs, 0) and size(all_context_vecs, 1) == size(inputs, 1)",
    "attn_scores_2: One dot product per token, including the query itsel → size(this, 0) == size(inputs, 0)",
    "res_2: , is the first number of the row above. → close(this, attn_scores_2[0])",
    "dot_2: The loop and torch.dot may add in a different order → close(this, res_2)",
    "attn_weights_2_naive: exp makes every score positive, even a negative one. → "
    "min(this) >= 0 or max(attn_scores_2) > 88",
    "attn_weights_2_naive_sum: This is true as long as every exp fits into float32. → "
    "close(this, 1) or max(attn_scores_2) > 88",
    "large_scores_2: This step tests the formula; it is not part of atten → "
    "max(this) > 88.7 or max(attn_scores_2) < 0.000001",
    "large_exp_2: The largest float32 is 3.4e38. exp exceeds this numb → "
    "max(this) == inf or max(attn_scores_2) < 0.000001",
    "large_weights_2_naive: inf / inf is nan, and a finite number divided by inf → "
    "not this == this or max(large_scores_2) < 88.8",
    "shifted_scores_2: With m the largest score, the largest exponent is → max(this) == 0",
    "large_weights_2: torch.softmax subtracts the largest score before exp → close(sum(this, -1), 1)",
    "attn_weights_2: For the original scores, torch.softmax gives the same we → "
    "close(this, attn_weights_2_naive) or max(attn_scores_2) > 88",
    "attn_weights_2_sum: Each weight is a share of the query's attention, and → close(this, 1)",
    "attn_scores_loop: Each token in turn is the query: row i holds the sco → close(this, attn_scores)",
    "attn_scores_loop: Queries and keys are the same vectors here, so the m → this == transpose(this)",
    "attn_weights: Softmax runs along the last dimension: each row belo → close(sum(this, -1), 1)",
    "row_sums: Every row sums to 1 → close(this, 1)",
    # sliding-window
    "future: This is the causal mask, with ones above the → tril(this) == 0 and triu(1 - this, 1) == 0",
    "past: or more tokens back: column j of row i if j ≤ i - → "
    "triu(this, 1 - window) == 0 and tril(1 - this, 0 - window) == 0",
    "mask: A cell cannot be both future and past, so the sum is 0 o → "
    "this * (1 - this) == 0 and sum(1 - this, -1) <= window",
    "attn_weights: So visible keys also get the attention that hidden keys → close(sum(this, -1), 1)",
    "attn_weights: Outside the band all weights are 0. → triu(this, 1) == 0 and tril(this, 0 - window) == 0",
    "keys_seen: The number grows until the window is full → max(this) == window and this[0] == 1",
    "last_weights: The query of the last token is compared only with the ke → size(this, 1) == window",
    "last_row_agrees: Keys outside the window are never used again, so they → this == 1",
    "paths: Each cell counts the paths from token j to token i throu → "
    "triu(this, 1) == 0 and tril(this, 1 - 2 * window) == 0",
    "attn_weights_narrower: So the window has one key less. → window == 1 or tril(this, 1 - window) == 0",
    "attn_weights_narrower: With the mask off, this makes no difference. → close(this, attn_weights)",
    "attn_weights_wider: The code has diagonal=-window - 1, so the window has one → "
    "tril(this, 0 - window - 1) == 0",
    "attn_weights_whole: diagonal=-context_length hides no earlier token. → triu(this, 1) == 0",
    "whole_is_causal: 1 if all numbers are equal. → this == 1",
    # streaming
    "masked_1: These are the scores of all queries with the first two k → size(this, 1) <= 2",
    "exp_1: exp(-inf) = 0 removes the masked keys. → 0 <= this <= 1",
    "running_max_2: If a row of this tile is completely masked, its maximum → this > -inf",
    "rescale_2: The factor is 1 if the maximum stayed, and below 1 i → this <= 1",
    "running_out_2: Rows without a visible key in this tile stay the sam → this[:2] == running_out_1[:2]",
    "exp_#: Completely masked rows are 0, and so are masked cells at → this[0] == 0",
    "exp_#: All numbers are at most 1 here, too. → this <= 1",
    "running_sum_#: Apart from rounding, the sum is always at least 1, becau → this > 0.9999",
    "state: The state has n × (d_out + 2) → "
    "size(this, 0) == size(inputs, 0) and size(this, 1) == d_out + 2",
    # trainable
    "W_query: Their shape is (d_in, d_out), so a row vector x is proje → "
    "0 <= this < 1 and size(this, 0) == size(inputs, 1) and size(this, 1) == d_out",
    "W_key: Keys must be as wide as queries, because a dot product n → size(this, 1) == size(W_query, 1)",
    "values: The context vector is a mean of these rows, so it ha → size(context_vec_2, 0) == size(this, 1)",
    "attn_scores_2: One product gives the whole row, including the score → "
    "min(abs(this - attn_score_2)) <= 0.00001 + 0.00001 * abs(attn_score_2)",
    "attn_weights: Each row is scaled and normalised separately, so it → close(sum(this, -1), 1)",
    "attn_weights: torch.rand draws positive numbers only, so all token → "
    "min(W_query) >= 0 and min(W_key) >= 0 and min(W_value) >= 0",
    # training-step
    "context_vec_#_grad: Each gradient is twice the error, divided by the count → this * context_vec_n >= 0",
    "b_key_#_grad: Softmax cancels a number that is added to a whole row o → "
    "max(abs(this)) <= 0.003 * (1 + max(abs(W_key_n_grad)))",
    "W_query_#: The new weights are the old weights minus lr times thei → "
    "close(this, W_query_m - lr * W_query_m_grad)",
    "W_key_#: Updated like the query weights. → "
    "close(this, W_key_m - lr * W_key_m_grad)",
    "W_value_#: Updated like the query weights. → "
    "close(this, W_value_m - lr * W_value_m_grad)",
    "b_value_#: Updated like the query bias. → "
    "close(this, b_value_m - lr * b_value_m_grad)",
    "losses: The loss goes from → this[0] == loss_1 and this[3] == loss_4",
    "falls: Each number is a loss minus the next loss. → close(this, losses[:-1] - losses[1:])",
    "predicted: To first order, a step of → "
    "qkv_bias or close(this[0], lr * sum(sum(W_query_1_grad * W_query_1_grad + "
    "W_key_1_grad * W_key_1_grad + W_value_1_grad * W_value_1_grad, 0), 1))",
    "share: The share is about 1 if lr is small enough: the loss fa → "
    "close(this * predicted, falls) or min(predicted) < 0.000001",
]
class Tensor(np.ndarray):
    """Numbers whose comparisons hold if they hold for all of them."""

    def __bool__(self):
        return bool(np.all(np.asarray(self)))


def tensor(numbers):
    return np.asarray(numbers, dtype=np.float64).view(Tensor)


def close(x, y):
    finite = np.abs(y)[np.isfinite(y)]
    return np.allclose(x, y, rtol=0, atol=1e-5 * np.max(finite, initial=1))


FUNCTIONS = {
    "abs": np.abs,
    "min": np.min,
    "max": np.max,
    "sum": lambda x, axis: np.sum(x, axis=axis, keepdims=True),
    "transpose": lambda x: np.swapaxes(x, -2, -1),
    "tril": lambda x, diagonal=0: tensor(np.tril(x, diagonal)),
    "triu": lambda x, diagonal=0: tensor(np.triu(x, diagonal)),
    "size": np.size,
    "close": close,
    "inf": np.inf,
}
STAGES = listed()
WALK = [option for option in json.loads(ok("form"))["options"] if option["command"] == "walk"]
TAKEN = {option["name"]: option.get("stages", STAGES) for option in WALK}
SEEN = collections.Counter()


def check(parameters, steps, *where):
    """Checks steps, given as (name, title and note, numbers)."""
    tensors = {name: tensor(numbers) for name, _, numbers in steps}
    # A claim about step 2 is also about the step with the reader's number.
    numbered = {re.sub(r"_\d+", "_2", name): numbers for name, numbers in tensors.items()}

    def with_number(number, letter):
        """Returns the steps of one number, with the letter in its place."""
        pattern = rf"_{number}(?=_|$)"
        found = [name for name in tensors if re.search(pattern, name)]
        return {re.sub(pattern, f"_{letter}", name): tensors[name] for name in found}

    for name, text, _ in steps:
        for row in CLAIMS:
            step, beginning, claim = re.fullmatch("(.*?): (.*) → (.*)", row).groups()
            pattern = re.sub(r"#|\d+", r"\\d+", step)
            if re.fullmatch(pattern, name) and beginning in text and "Set by you" not in text:
                names = FUNCTIONS | parameters | numbered | tensors | {"this": tensors[name]}
                if number := re.search(r"_(\d+)(?=_|$)", name):
                    names |= with_number(int(number[1]), "n") | with_number(int(number[1]) - 1, "m")
                before = name.replace("_dropped", "")
                names["weights"] = tensors.get(before + "_causal", tensors.get(before))
                SEEN[row] += 1
                with np.errstate(all="ignore"):
                    assert eval(claim, names), (name, row, where)


def walk(stage, *options, stdin="", fails=False):
    answer = run(stage, *options, "--json=-", stdin=stdin)
    if fails and answer.returncode == 2:
        return
    assert (answer.returncode, answer.stderr) == (0, ""), (stage, options)
    (walked,) = json.loads(answer.stdout)["stages"]
    steps = [(step["name"], f"{step['title']} {step['note']}", step["data"]) for step in walked["steps"]]
    check(walked["parameters"], steps, stage, options)


@pytest.mark.parametrize("stage", STAGES)
def test_with_parameters_and_lessons_of_any_kind(stage):
    walk(stage)
    drawn = random.Random(stage)
    for tokens, width, scale in (1, 3, 1), (5, 4, 4), (4, 1, 60):
        rows = [[round(drawn.uniform(-scale, scale), 3) for _ in range(width)] for _ in range(tokens)]
        options = {
            "seed": drawn.randrange(999), "dropout": drawn.choice((0, 0.1, 0.9, 1)), "qkv-bias": None,
            "backward": None, "input": "-", "loss": drawn.choice(("sum", "mean", "mse")),
            "batch": drawn.randint(1, 3), "window": drawn.randint(1, tokens),
        }  # fmt: skip
        taken = [f"--{name}" if value is None else f"--{name}={value}" for name, value in options.items()
                 if stage in TAKEN[name]]  # fmt: skip
        walk(stage, *taken, stdin=json.dumps({"tokens": [*map(str, range(tokens))], "embeddings": rows}))


@pytest.mark.parametrize("line", [
    "grouped-query --d-out=8 --rotary=halves", "grouped-query --d-out=8 --kv-heads=1",
    "grouped-query --d-out=8 --kv-heads=4", "grouped-query --kv-heads=1 --heads=1",
    "grouped-query --kv-heads=1 --heads=2", "causal --dropout=1", "linear --dropout=1",
    "linear --dropout=0.5", "causal-batch --dropout=1", "multi-head-wrapper --dropout=1",
    "multi-head --dropout=1", "causal --dropout=1 --backward",
    "causal --backward --loss=mean", "multi-head --heads=1 --d-out=6", "multi-head --heads=3 --d-out=6",
    "multi-head-wrapper --heads=1 --d-out=6", "multi-head-wrapper --heads=3 --d-out=6",
])  # fmt: skip
def test_with_parameters_that_change_the_notes(line):
    walk(line)


@pytest.mark.parametrize("stage", STAGES)
def test_with_numbers_set_by_the_reader(stage):
    for step in trace(stage)["steps"]:
        name = step["name"]
        if len(step["shape"]) == 2 and (name == "inputs" or "mask" in name or name.startswith("W_")):
            for change in "[0][1]=0", "[1][0]=1", "[0][1]=7.5":
                walk(stage, f"--set={name}{change}", fails=True)


@pytest.mark.parametrize("stage", STAGES)
def test_with_something_switched_off(stage):
    parameters = trace(stage)["parameters"]
    # With all digits; notes have their own.
    for off, _, walked in switched_off(stage, "--precision=12"):
        steps = []
        for step in walked:
            if step["shown"] == step["shape"]:
                numbers = np.array(step["cells"], "<f4").reshape(step["shape"])
                steps.append((step["name"], f"{step['title']} {step['name']} {step['note']}", numbers))
        check(parameters | ({"dropout": 0} if off == "dropout" else {}), steps, stage, off)


def test_copies_of_a_sequence_do_not_leak():
    """Makes the change that the note of the batch names; without it, equal copies would hide a leak."""
    pytest.importorskip("torch")
    stage = trace("causal-batch")
    change = re.search(r"as with (batch.*? = 0)", stage["steps"][0]["note"])[1]
    names = {}
    exec("\n".join(stage["setup"]), names)
    for step in stage["steps"]:
        exec("\n".join(step["code"] + [change] * (step["name"] == "batch")), names)
    first, second = names["context_vec"].tolist()
    assert close(np.array(first), np.array(stage["steps"][-1]["data"][0])) and first != second


def test_only_dropout_is_missing_in_the_module_at_model_size():
    assert "except dropout" in " ".join(ok("causal-self-attention --lang=en").split())
    assert not [name for name in steps("causal-self-attention") if "drop" in name]


def test_formulas_have_no_english_words_in_chinese():
    for stage in STAGES:
        for formula in re.findall(r"(?m)^[^>.\s][^>]* = .*$", ok(stage, "--lang=zh")):
            assert not re.search(r"\b(if|else|kept)\b", formula), (stage, formula)


# A letter with its index, such as W_q or S′_1, and "(" if it is applied as a function.
LETTER = re.compile(
    r"(?<![\w′″²])([A-Za-zΑ-ωℓ]\u0302?(?![A-Za-z0-9ℓ])[′″*]*(?:_[A-Za-z0-9ℓ]+)?)[²ᵀ]?(?:_\d)?(\()?"
)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_letters_of_a_stage_are_unique_and_in_its_legend(language):
    for stage in STAGES:
        text = ok(stage, f"--lang={language}")
        letters = re.findall(r"([^\s，：]+)\u00a0=\u00a0", text)
        assert len(letters) == len(set(letters)), (stage, letters)
        walked = trace(stage, f"--lang={language}")
        lines = [*walked["setup"], *(line for step in walked["steps"] for line in step["code"])]
        code = {*re.findall(r"\w+", "\n".join(lines))}
        for step in walked["steps"]:
            for letter, is_function in LETTER.findall(step["formula"] or ""):
                assert not is_function or letter not in letters, (stage, step["name"], letter)
                whole = re.sub(r"_[ijk]+$", "", letter)  # S_ij is a number of S
                alike = {letter, whole, re.sub(r"\d+", "i", whole), re.sub(r"_?\d+$", "_i", whole)}
                alike |= {re.sub(r"_\d+$", "", whole), f"{whole}_i"}  # V_0:2 are rows of V; Z²_1
                known = {letter, whole} & code or alike & {*letters} or letter in ("i", "j", "k")
                assert is_function or known, (stage, step["name"], letter, step["formula"])


def test_a_sentence_of_ones_own_is_walked_as_pytorch_does():
    """PyTorch runs the lines that are shown; equal words have equal rows, which follow from the word."""
    torch = pytest.importorskip("torch")
    for words, read in (("the cat sat on the mat", "the cat sat on the mat".split()),
                        ("我 爱 自然语言 爱", "我爱自然语言爱")):  # fmt: skip
        stage = trace("causal", "--text", words)
        names = {}
        exec("\n".join(stage["setup"] + stage["steps"][0]["code"]), names)
        assert str(names["inputs"]) == stage["steps"][0]["printed"]
        rows = [zlib.crc32(word.encode()) % 50000 for word in read]
        assert f"torch.tensor({rows})" in stage["steps"][0]["code"][-1]
    assert len(stage["steps"][0]["data"]) == 7 and torch.equal(names["inputs"][1], names["inputs"][6])


def test_every_claim_was_checked():
    assert [row for row in CLAIMS if row not in SEEN] == []
    assert SEEN.total() > 2000
