// The table of names.
#include "notebook/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace attn {

namespace {

struct Word {
    std::string_view name;    // # stands for a number
    std::string_view letter;  // what follows an underscore is a subscript; # is the number of the name
    std::array<std::string_view, 2> axes;
};

constexpr Word vocabulary[] = {
    {"inputs", "X", {"token", "feature"}},
    {"W_query", "W_q", {"out", "in"}},
    {"W_key", "W_k", {"out", "in"}},
    {"W_value", "W_v", {"out", "in"}},
    {"b_query", "b_q", {"", "out"}},
    {"b_key", "b_k", {"", "out"}},
    {"b_value", "b_v", {"", "out"}},
    {"queries", "Q", {"token", "feature"}},
    {"keys", "K", {"token", "feature"}},
    {"values", "V", {"token", "feature"}},
    {"attn_scores", "S", {"query", "key"}},
    {"attn_weights", "A", {"query", "key"}},
    {"mask_simple", "M", {"query", "key"}},
    {"masked_simple", "A′", {"query", "key"}},
    {"row_sums", "r", {"query", "sum"}},
    {"masked_simple_norm", "A″", {"query", "key"}},
    {"squares", "Z²", {"token", "feature"}},
    {"squares_#", "Z²_#", {"token", "feature"}},
    {"weights_row", "a", {"", "key"}},
    {"softmax_jacobian", "J", {"key", "key"}},
    {"row_by_jacobian", "∂s", {"", "key"}},
    {"softmax_row", "∂s′", {"", "key"}},
    {"queries_#", "Q_#", {"token", "feature"}},
    {"values_#", "V_#", {"token", "feature"}},
    {"loss_#", "L_#", {}},
    {"losses", "L", {"", "step"}},
    {"falls", "ΔL", {"", "step"}},
    {"predicted", "ηg", {"", "step"}},
    {"share", "r", {"", "step"}},
    {"lr", "η", {}},
    {"mask", "U", {"query", "key"}},
    {"masked", "S′", {"query", "key"}},
    {"attn_weights_causal", "Â", {"query", "key"}},
    {"dropout_example", "E", {"query", "key"}},
    {"attn_weights_dropped", "D", {"query", "key"}},
    {"keep", "B", {"query", "key"}},
    {"context_vec", "Z", {"token", "feature"}},
    {"context_vec_dropped", "Z′", {"token", "feature"}},
    {"query", "q", {"", "feature"}},
    {"attn_scores_#", "s_#", {"", "key"}},
    {"attn_weights_#_tmp", "t_#", {"", "key"}},
    {"attn_weights_#_naive", "n_#", {"", "key"}},
    {"attn_weights_#", "a_#", {"", "key"}},
    {"large_scores_#", "l_#", {"", "key"}},
    {"large_exp_#", "e_#", {"", "key"}},
    {"large_weights_#_naive", "n′_#", {"", "key"}},
    {"shifted_scores_#", "l′_#", {"", "key"}},
    {"large_weights_#", "a′_#", {"", "key"}},
    {"context_vec_#", "z_#", {"", "feature"}},
    {"attn_scores_loop", "S′", {"query", "key"}},
    {"all_context_vecs", "Z", {"token", "feature"}},
    {"x_#", "x_#", {"", "feature"}},
    {"query_#", "q_#", {"", "feature"}},
    {"query_#", "q_#", {"token", "feature"}},  // of one row
    {"key_#", "k_#", {"", "feature"}},
    {"key_#", "k_#", {"token", "feature"}},
    {"value_#", "v_#", {"", "feature"}},
    {"value_#", "v_#", {"token", "feature"}},
    {"keys_#", "k_#", {"", "feature"}},
    {"attn_score_#", "s_#", {}},
    {"W_query_v#", "U_q", {"in", "out"}},
    {"W_key_v#", "U_k", {"in", "out"}},
    {"W_value_v#", "U_v", {"in", "out"}},
    {"queries_v#", "Q′", {"token", "feature"}},
    {"keys_v#", "K′", {"token", "feature"}},
    {"values_v#", "V′", {"token", "feature"}},
    {"attn_weights_v#", "A′", {"query", "key"}},
    {"attn_weights_dropped_v#", "D′", {"query", "key"}},
    {"keep_v#", "B", {"query", "key"}},
    {"v#_context_vec", "Z′", {"token", "feature"}},
    {"encoder_states", "H", {"source", "feature"}},
    {"decoder_states", "D", {"target", "feature"}},
    {"fixed_context", "c", {"", "feature"}},
    {"fixed_inputs", "F", {"target", "feature"}},
    {"positions", "p", {"source", "position"}},
    {"carried", "R", {"source", "source"}},
    {"recurrent_steps", "N", {"source", "source"}},
    {"attention_steps", "N′", {"source", "source"}},
    {"similarity", "E", {"target", "source"}},
    {"weights", "A", {"target", "source"}},
    {"context", "C", {"target", "feature"}},
    {"decoder_inputs", "F′", {"target", "feature"}},
    {"batch", "X_b", {"token", "feature"}},
    {"mask_shorter", "U′", {"query", "key"}},
    {"W_query_#", "W_q#", {"out", "in"}},
    {"W_key_#", "W_k#", {"out", "in"}},
    {"W_value_#", "W_v#", {"out", "in"}},
    {"b_query_#", "b_q#", {"", "out"}},
    {"b_key_#", "b_k#", {"", "out"}},
    {"b_value_#", "b_v#", {"", "out"}},
    {"head_#_queries", "Q_#", {"token", "feature"}},
    {"head_#_keys", "K_#", {"token", "feature"}},
    {"head_#_values", "V_#", {"token", "feature"}},
    {"head_#_masked", "S′_#", {"query", "key"}},
    {"head_#_attn_weights", "A_#", {"query", "key"}},
    {"head_#_attn_weights_dropped", "D_#", {"query", "key"}},
    {"head_#_keep", "B_#", {"query", "key"}},
    {"head_#", "Z_#", {"token", "feature"}},
    {"queries_viewed", "Q_v", {"head", "feature"}},
    {"queries_heads", "Q_h", {"token", "feature"}},
    {"queries_view_only", "Q_w", {"token", "feature"}},
    {"keys_heads", "K_h", {"token", "feature"}},
    {"values_heads", "V_h", {"token", "feature"}},
    {"context_heads", "Z_h", {"token", "feature"}},
    {"context_transposed", "Z_t", {"head", "feature"}},
    {"context_contiguous", "Z_c", {"head", "feature"}},
    {"context_merged", "Z_m", {"token", "feature"}},
    {"context_undropped", "Z_u", {"token", "feature"}},
    {"heads_stacked", "Z_s", {"token", "feature"}},
    {"W_out", "W_o", {"out", "in"}},
    {"b_out", "b_o", {"", "out"}},
    {"a", "a", {"token", "feature"}},
    {"product", "P", {"token", "token"}},
    {"first_head", "a_1", {"token", "feature"}},
    {"first_res", "P_1", {"token", "token"}},
    {"second_head", "a_2", {"token", "feature"}},
    {"second_res", "P_2", {"token", "token"}},
    {"x", "X", {"token", "feature"}},
    {"W_q", "W_q", {"out", "in"}},
    {"W_k", "W_k", {"out", "in"}},
    {"W_v", "W_v", {"out", "in"}},
    {"W_o", "W_o", {"out", "in"}},
    {"b_q", "b_q", {"", "out"}},
    {"b_k", "b_k", {"", "out"}},
    {"b_v", "b_v", {"", "out"}},
    {"b_o", "b_o", {"", "out"}},
    {"Q", "Q", {"token", "feature"}},
    {"K", "K", {"token", "feature"}},
    {"V", "V", {"token", "feature"}},
    {"scores", "S", {"query", "key"}},
    {"mask_example", "M", {"query", "key"}},
    {"causal_mask", "M", {"query", "key"}},
    {"x_max", "m", {"query", "max"}},
    {"exp_x", "E", {"query", "key"}},
    {"out", "O", {"token", "feature"}},
    {"d_model", "d_model", {}},
    {"d_k", "d_k", {}},
    {"n_heads", "h", {}},
    {"changed", "X*", {"token", "feature"}},
    {"longer", "X⁺", {"token", "feature"}},
    {"changed_queries", "Q*", {"token", "feature"}},
    {"changed_keys", "K*", {"token", "feature"}},
    {"changed_values", "V*", {"token", "feature"}},
    {"changed_scores", "S*", {"query", "key"}},
    {"changed_weights", "A*", {"query", "key"}},
    {"changed_masked", "S′*", {"query", "key"}},
    {"longer_queries", "Q⁺", {"token", "feature"}},
    {"longer_keys", "K⁺", {"token", "feature"}},
    {"longer_values", "V⁺", {"token", "feature"}},
    {"longer_scores", "S⁺", {"query", "key"}},
    {"longer_masked", "S′⁺", {"query", "key"}},
    {"scores_moved", "ΔS", {"query", "key"}},
    {"unmasked_context", "C", {"token", "feature"}},
    {"changed_unmasked_context", "C*", {"token", "feature"}},
    {"unmasked_moved", "u", {"", "token"}},
    {"changed_context_vec", "Z*", {"token", "feature"}},
    {"causal_moved", "c", {"", "token"}},
    {"changed_weights_causal", "Â*", {"query", "key"}},
    {"wrong_weights", "B", {"query", "key"}},
    {"changed_wrong_weights", "B*", {"query", "key"}},
    {"longer_weights", "Â⁺", {"query", "key"}},
    {"earlier_rows", "Z⁺", {"token", "feature"}},
    {"limit", "ε", {}},
    {"scaled_limit", "ε", {}},
    {"wrong_axis_context", "Y", {"token", "feature"}},
    {"changed_wrong_axis_context", "Y*", {"token", "feature"}},
    {"wrong_axis_moved", "w", {"", "token"}},
    {"changed_row_sums", "r*", {"query", "sum"}},
    {"visible_shares", "R", {"query", "sentence"}},
    {"renormalised", "A″", {"query", "key"}},
    {"changed_renormalised", "A″*", {"query", "key"}},
    {"renormalised_stays", "f", {"", "token"}},
    {"two_ways_agree", "g", {"", "token"}},
    {"longer_context", "Z⁺", {"token", "feature"}},
    {"earlier_rows_stay", "t", {"", "token"}},
    {"widths", "d_k", {"", "d_k"}},
    {"root_widths", "√d", {}},
    {"divided", "S′", {"query", "key"}},
    {"score_size", "r", {"", "d_k"}},
    {"divided_size", "r′", {"", "d_k"}},
    {"largest", "W", {"d_k", "query"}},
    {"divided_largest", "W′", {"d_k", "query"}},
    {"slope", "D", {"d_k", "query"}},
    {"divided_slope", "D′", {"d_k", "query"}},
    {"scores_64", "s", {"", "key"}},
    {"weights_64", "a", {"", "key"}},
    {"divided_64", "s′", {"", "key"}},
    {"weights_64_divided", "a′", {"", "key"}},
    {"score_sizes", "R", {"d_k", "divided"}},
    {"largest_weights", "L", {"d_k", "divided"}},
    {"slopes", "G", {"d_k", "divided"}},
    {"scores_#", "S_#", {"query", "place"}},
    {"mask_#", "U_#", {"query", "place"}},
    {"masked_#", "S′_#", {"query", "place"}},
    {"running_max_#", "m_#", {"query", "max"}},
    {"rescale_#", "α_#", {"query", "factor"}},
    {"exp_#", "E_#", {"query", "place"}},
    {"running_sum_#", "ℓ_#", {"query", "sum"}},
    {"running_out_#", "O_#", {"query", "feature"}},
    {"whole_context", "Z′", {"token", "feature"}},
    {"ways_agree", "g", {}},
    {"state", "R", {"query", "kept"}},
    {"lengths", "n", {"", "length"}},
    {"held", "h", {}},
    {"times_less", "t", {"", "length"}},
    {"tokens", "n", {"", "length"}},
    {"pairs", "n²", {"", "length"}},
    {"n2d", "n²d", {"", "length"}},
    {"materialised_operations", "N_m", {"", "length"}},
    {"tiles", "t", {"", "length"}},
    {"tile_pairs", "t₂", {"", "length"}},
    {"streaming_operations", "N_s", {"", "length"}},
    {"operations", "N", {"length", "way"}},
    {"operations_per_n2d", "N′", {"length", "way"}},
    {"materialised_bytes", "B_m", {"", "length"}},
    {"streaming_bytes", "B_s", {"", "length"}},
    {"materialised_held", "H_m", {"", "length"}},
    {"streaming_held", "H_s", {"", "length"}},
    {"bytes_moved", "B", {"length", "way"}},
    {"tile_rows", "r", {"", "length"}},
    {"bytes_held", "H", {"length", "way"}},
    {"mask_bytes", "M", {"", "length"}},
    {"mask_bytes_moved", "M′", {"length", "mask"}},
    {"cache_keys_#", "K_#", {"token", "feature"}},
    {"cache_values_#", "V_#", {"token", "feature"}},
    {"token_#", "x_#", {"token", "feature"}},
    {"token_weights_#", "a_#", {"query", "key"}},
    {"token_context_#", "z_#", {"token", "feature"}},
    {"last_mask", "u", {"query", "key"}},
    {"last_row", "z", {"token", "feature"}},
    {"rows_agree", "g", {}},
    {"operations_kept", "N_k", {"", "length"}},
    {"operations_anew", "N_a", {"", "length"}},
    {"pair", "p", {}},
    {"projections", "P", {}},
    {"keep_mask", "M", {"query", "key"}},
    {"hide_mask", "U", {"query", "key"}},
    {"additive_mask", "B", {"query", "key"}},
    {"visible_lengths", "ℓ", {"query", "length"}},
    {"length_mask", "M_ℓ", {"query", "key"}},
    {"attn_weights_keep", "A_M", {"query", "key"}},
    {"attn_weights_additive", "A_B", {"query", "key"}},
    {"attn_weights_lengths", "A_ℓ", {"query", "key"}},
    {"keep_equal", "g_M", {}},
    {"additive_equal", "g_B", {}},
    {"lengths_equal", "g_ℓ", {}},
    {"ways_equal", "g", {"", "way"}},
    {"attn_weights_mixed_up", "A′", {"query", "key"}},
    {"padding_mask", "P", {"", "key"}},
    {"present", "p", {"token", "column"}},
    {"batch_queries", "Q_b", {"token", "feature"}},
    {"batch_keys", "K_b", {"token", "feature"}},
    {"batch_values", "V_b", {"token", "feature"}},
    {"batch_scores", "S_b", {"query", "key"}},
    {"batch_weights", "A_b", {"query", "key"}},
    {"batch_context", "Z_b", {"token", "feature"}},
    {"shorter", "X_s", {"token", "feature"}},
    {"short_queries", "Q_s", {"token", "feature"}},
    {"short_keys", "K_s", {"token", "feature"}},
    {"short_values", "V_s", {"token", "feature"}},
    {"short_scores", "S_s", {"query", "key"}},
    {"short_hide_mask", "U_s", {"query", "key"}},
    {"short_weights", "A_s", {"query", "key"}},
    {"short_context", "Z_s", {"token", "feature"}},
    {"second_context", "Z_2", {"token", "feature"}},
    {"padding_agrees", "g", {}},
    {"diagonal", "I", {"query", "key"}},
    {"front_mask", "U_f", {"query", "key"}},
    {"attn_weights_nan", "A_f", {"query", "key"}},
    {"attn_weights_itself", "A_1", {"query", "key"}},
    {"finite", "S_f", {"query", "key"}},
    {"attn_weights_finite", "A_2", {"query", "key"}},
    {"unseen", "e", {"query", "column"}},
    {"attn_weights_zeroed", "A_3", {"query", "key"}},
    {"top_left_mask", "U_l", {"query", "key"}},
    {"top_left_weights", "A_l", {"query", "key"}},
    {"bottom_right_mask", "U_r", {"query", "key"}},
    {"bottom_right_weights", "A_r", {"query", "key"}},
    {"corner_is_right", "g", {}},
    {"new_tokens", "t", {}},
    {"short_length", "m", {}},
    {"future", "F", {"query", "key"}},
    {"past", "P", {"query", "key"}},
    {"visible", "M", {"query", "key"}},
    {"keys_seen", "c", {"", "query"}},
    {"last_scores", "s", {"query", "key"}},
    {"last_weights", "a", {"query", "key"}},
    {"last_context", "z", {"token", "feature"}},
    {"last_row_agrees", "g", {}},
    {"paths", "N", {"query", "key"}},
    {"mask_narrower", "U_n", {"query", "key"}},
    {"attn_weights_narrower", "A_n", {"query", "key"}},
    {"mask_wider", "U_w", {"query", "key"}},
    {"attn_weights_wider", "A_w", {"query", "key"}},
    {"mask_whole", "U_c", {"query", "key"}},
    {"attn_weights_whole", "A_c", {"query", "key"}},
    {"whole_is_causal", "g", {}},
    {"window", "w", {}},
    {"keys_repeated", "K_r", {"token", "feature"}},
    {"values_repeated", "V_r", {"token", "feature"}},
    {"keys_tiled", "K_t", {"token", "feature"}},
    {"values_tiled", "V_t", {"token", "feature"}},
    {"masked_tiled", "S_t", {"query", "key"}},
    {"masked_shared", "S_1", {"query", "key"}},
    {"attn_weights_tiled", "A_t", {"query", "key"}},
    {"context_tiled", "Z_t", {"token", "feature"}},
    {"heads_moved", "m", {"batch", "head"}},
    {"W_key_copied", "W_kc", {"out", "in"}},
    {"b_key_copied", "b_kc", {"", "out"}},
    {"keys_copied", "K_c", {"token", "feature"}},
    {"copies_agree", "g", {}},
    {"keys_shared", "K_1", {"token", "feature"}},
    {"values_shared", "V_1", {"token", "feature"}},
    {"attn_weights_shared", "A_1", {"query", "key"}},
    {"context_shared", "Z_1", {"token", "feature"}},
    {"kv_head_counts", "h", {"", "choice"}},
    {"kv_weights", "W", {"", "choice"}},
    {"cache_bytes", "B", {"", "choice"}},
    {"theta", "θ", {"", "pair"}},
    {"angles", "Φ", {"token", "pair"}},
    {"cos", "C", {"token", "pair"}},
    {"sin", "D", {"token", "pair"}},
    {"queries_halves", "Q_h", {"token", "feature"}},
    {"keys_halves", "K_h", {"token", "feature"}},
    {"scores_halves", "S_h", {"query", "key"}},
    {"units", "I", {"feature", "feature"}},
    {"last_cos", "c", {"token", "pair"}},
    {"last_sin", "d", {"token", "pair"}},
    {"rotation", "R", {"feature", "turned"}},
    {"rotation_agrees", "g", {}},
    {"lengths_agree", "g", {}},
    {"query_everywhere", "Q_1", {"token", "feature"}},
    {"key_everywhere", "K_1", {"token", "feature"}},
    {"scores_everywhere", "S_1", {"query", "key"}},
    {"later_positions", "p′", {"", "token"}},
    {"later_angles", "Φ′", {"token", "pair"}},
    {"later_cos", "C′", {"token", "pair"}},
    {"later_sin", "D′", {"token", "pair"}},
    {"queries_later", "Q′", {"token", "feature"}},
    {"keys_later", "K′", {"token", "feature"}},
    {"scores_later", "S′_h", {"query", "key"}},
    {"distance_agrees", "g", {}},
    {"last_query", "q", {"token", "feature"}},
    {"queries_neighbours", "Q_n", {"token", "feature"}},
    {"keys_neighbours", "K_n", {"token", "feature"}},
    {"scores_neighbours", "S_n", {"query", "key"}},
    {"scores_mixed", "S_m", {"query", "key"}},
    {"neighbours_later", "Q′_n", {"token", "feature"}},
    {"mixed_agrees", "g", {}},
    {"queries_reordered", "Q_r", {"token", "feature"}},
    {"keys_reordered", "K_r", {"token", "feature"}},
    {"reordered_agrees", "g", {}},
    {"queries_turned", "Q_t", {"token", "feature"}},
    {"keys_turned", "K_t", {"token", "feature"}},
    {"pairs", "m", {}},
    {"num_kv_heads", "h_kv", {}},
    {"kv_width", "d_kv", {}},
    {"group_size", "g", {}},
    {"d", "d", {}},
    {"tile", "b", {}},
    {"sequences", "s", {}},
    {"d_in", "d_in", {}},
    {"d_out", "d_out", {}},
    {"context_length", "n", {}},
    {"loss", "L", {}},
};

// What the gradient of X is called: X_grad.
constexpr std::string_view gradient_suffix = "_grad";

// ∂W_q of W_q.
Formula derivative(Formula of) {
    std::string& text = of.parts.empty() ? of.text : of.parts[0].text;
    text = "∂" + text;
    return of;
}

// The first number in a name: 2 in attn_weights_2_tmp.
std::string_view number_in(std::string_view name) {
    constexpr std::string_view figures = "0123456789";
    const std::size_t first = std::min(name.find_first_of(figures), name.size());
    return name.substr(first, name.find_first_not_of(figures, first) - first);
}

// What a word stands for: 0 a number, 1 a vector, 2 a matrix or a batch of them.
std::size_t rank_of(const Word& word) {
    return static_cast<std::size_t>(
        std::ranges::count_if(word.axes, [](std::string_view axis) { return !axis.empty(); }));
}

// `queries_2` without its number at the end: queries. Any other name is itself.
std::string_view base_of(std::string_view name) {
    const std::size_t bar = name.rfind('_');
    return bar != std::string_view::npos && name.substr(bar + 1) == number_in(name) ? name.substr(0, bar)
                                                                                    : name;
}

// The word for a tensor of that name and rank. keys_2 of rank 1 is `keys_#`, a row of the keys; of rank 2 it
// is `keys` with a number. If no word has the rank, the name decides.
const Word* find(std::string_view name, std::size_t rank) {
    static const std::unordered_map<std::string_view, std::vector<const Word*>> words = [] {
        std::unordered_map<std::string_view, std::vector<const Word*>> by_name;
        for (const Word& word : vocabulary) {
            by_name[word.name].push_back(&word);
        }
        return by_name;
    }();
    const std::string numbered = without_number(name);
    const Word* otherwise = nullptr;
    for (const std::string_view candidate : {name, std::string_view(numbered), base_of(name)}) {
        const auto found = words.find(candidate);
        if (found == words.end()) {
            continue;
        }
        const auto fitting = std::ranges::find_if(found->second, [&](const Word* word) {
            return rank_of(*word) == std::min<std::size_t>(rank, 2);
        });
        if (fitting != found->second.end()) {
            return *fitting;
        }
        if (otherwise == nullptr && (candidate == name || candidate == numbered)) {
            otherwise = found->second.front();
        }
    }
    return otherwise;
}

}  // namespace

std::string without_number(std::string_view name) {
    const std::string_view number = number_in(name);
    std::string text(name);
    return number.empty()
               ? text
               : text.replace(static_cast<std::size_t>(number.data() - name.data()), number.size(), "#");
}

Formula symbol(std::string_view name, std::size_t rank) {
    if (name.ends_with(gradient_suffix)) {
        name.remove_suffix(gradient_suffix.size());
        return derivative(symbol(name, rank));
    }
    const Word* const word = find(name, rank);
    if (word == nullptr) {
        return letter(name);
    }
    std::string text(word->letter);
    if (const std::size_t place = text.find('#'); place != std::string::npos) {
        text.replace(place, 1, number_in(name));
    } else if (word->name == base_of(name) && word->name != name) {
        text += text.find('_') == std::string::npos ? "_" : "";
        text += number_in(name);
    }
    const std::size_t bar = text.find('_');
    return bar == std::string::npos ? letter(text)
                                    : subscript(letter(text.substr(0, bar)), letter(text.substr(bar + 1)));
}

std::vector<std::string> axes(std::string_view name, std::size_t rank) {
    if (name.ends_with(gradient_suffix)) {
        name.remove_suffix(gradient_suffix.size());
    }
    static constexpr std::array<std::string_view, 2> unknown{"row", "column"};
    const Word* const word = find(name, rank);
    const auto& last_two = word == nullptr ? unknown : word->axes;
    std::vector<std::string> all{"batch", "head", std::string(last_two[0]), std::string(last_two[1])};
    if (rank == 3) {
        all.erase(all.begin() + 1);
    }
    return {all.end() - static_cast<std::ptrdiff_t>(rank), all.end()};
}

}  // namespace attn
