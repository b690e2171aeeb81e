#include "watch/own_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "text/lists.hpp"
#include "watch/recorded_masks.hpp"
#include "watch/recorded_ops.hpp"

namespace attn {

namespace {

// Returns the numbers of a tensor at all places of a shape to which PyTorch broadcasts it. Empty if it does
// not.
std::vector<float> broadcast(const RecordedTensor& from, const std::vector<std::size_t>& shape) {
    if (from.shape.size() > shape.size() || !from.has_numbers) {
        return {};
    }
    std::size_t count = 1;
    for (const std::size_t size : shape) {
        count *= size;
    }
    const std::size_t before = shape.size() - from.shape.size();
    std::vector<float> all(count);
    for (std::size_t at = 0; at < count; ++at) {
        std::size_t rest = at, index = 0, stride = 1;
        for (std::size_t axis = shape.size(); axis-- > before;) {
            const std::size_t size = from.shape[axis - before], place = rest % shape[axis];
            if (size != 1 && size != shape[axis]) {
                return {};
            }
            index += size == 1 ? 0 : place * stride;
            stride *= size;
            rest /= shape[axis];
        }
        all[at] = from.numbers[index];
    }
    return all;
}

// The scores of one layer: what is added to them and what is hidden, call by call.
class ScoresReader {
public:
    ScoresReader(const Recording& recording, const AttentionLayer& found)
        : recording_(&recording), reached_(found.projected(recording)), moving_(reached_) {
        const std::vector<std::size_t>& x = recording.tensors[found.x].shape;
        n_ = x.size() < 2 ? 0 : x[x.size() - 2];
        const std::vector<std::size_t>& memory = recording.tensors[found.memory.value_or(found.x)].shape;
        keys_ = memory.size() < 2 ? 0 : memory[memory.size() - 2];
        batch_ = x.size() == 3 ? x[0] : 1;
        if (found.is_sequence_first) {
            std::swap(n_, batch_);
            keys_ = memory[0];
        }
        if (is_module(recording.calls[found.first_call])) {
            take_masks(recording.calls[found.first_call]);
            return;
        }
        for (std::size_t i = found.first_call; i < found.end && n_ > 1; ++i) {
            read(recording.calls[i]);
        }
    }

    std::size_t n() const { return n_; }
    std::size_t keys() const { return keys_; }
    std::size_t batch() const { return batch_; }
    bool is_known() const { return is_known_; }
    const std::vector<bool>& hidden() const { return hidden_; }
    const std::vector<float>& bias() const { return bias_; }
    const std::vector<std::size_t>& biases() const { return biases_; }  // the tensors that were added
    bool has_row_of_triangle() const { return has_row_of_triangle_; }

private:
    void read(const RecordedCall& call) {
        const auto is_reached = [&](std::size_t id) { return bool{reached_[id]}; };
        for (const std::size_t id : call.results) {
            moving_[id] =
                moving_[id] || call.reads([&](std::size_t operand) { return bool{moving_[operand]}; });
        }
        if (call.results.empty() || !call.reads(is_reached)) {
            return;
        }
        const std::string_view kind = call.kind;
        if (is_sdpa(call)) {
            const std::vector<std::size_t>& q = tensor(call.operands[0]).shape;
            if (call.number("is_causal", 0.0) != 0.0 || call.operands.size() < 4 || q.size() < 2) {
                return;
            }
            std::vector<std::size_t> shape = q;
            shape.back() = keys_;
            const RecordedTensor& mask = tensor(call.operands[3]);
            take(call.operands[3], mask, shape, mask.type == "bool", 1.0);
            return;
        }
        for (const std::size_t id : call.results) {
            reached_[id] = reached_[id] || !is_one_of(kind, {"softmax", "exp", "log_softmax", "logsumexp"});
        }
        const RecordedTensor& result = tensor(call.results[0]);
        const std::size_t rank = result.shape.size();
        if (rank < 2 || result.shape[rank - 1] != keys_ || result.shape[rank - 2] != n_ ||
            !result.has_numbers) {
            return;
        }
        if (call.op == "baddbmm" && !is_reached(call.operands[0])) {
            take(call.operands[0], tensor(call.operands[0]), result.shape, false, call.number("beta", 1.0));
        } else if (kind == "masked_fill" && call.operands.size() > 1) {
            const auto scores = std::ranges::find_if(call.operands, is_reached);
            const RecordedCall* const made = recording_->maker(recording_->before(
                call.operands[1], [](const RecordedCall& one) { return one.kind != "triangle"; }));
            const std::vector<std::size_t>& mask = tensor(call.operands[1]).shape;
            has_row_of_triangle_ = has_row_of_triangle_ || (made != nullptr && made->kind == "triangle" &&
                                                            mask.size() > 1 && mask[mask.size() - 2] == 1);
            const std::vector<float> before = broadcast(tensor(*scores), result.shape);
            prepare(result.shape);
            for (std::size_t i = 0; i < before.size() && is_known_; ++i) {
                if (result.numbers[i] < least_score && result.numbers[i] != before[i]) {
                    hidden_[i] = true;
                } else if (result.numbers[i] != before[i]) {
                    is_known_ = false;
                }
            }
        } else if (is_one_of(kind, {"add", "sub"}) && call.operands.size() == 2) {
            const bool is_first = is_reached(call.operands[0]);
            const std::size_t other = call.operands[is_first ? 1 : 0];
            const bool subtracts = kind == "sub";
            if (moving_[other] || (subtracts && !is_first)) {
                return;
            }
            take(other, tensor(other), result.shape, false,
                 (subtracts ? -1.0 : 1.0) * call.number("alpha", 1.0));
        }
    }

    // PyTorch's module hides what is true in its masks.
    void take_masks(const RecordedCall& call) {
        for (const auto& [keyword, id] : call.by_keyword) {
            const bool is_padding = keyword == "key_padding_mask";
            RecordedTensor mask = tensor(id);
            if ((!is_padding && keyword != "attn_mask") || mask.shape.size() != 2 || mask.shape[1] != keys_) {
                continue;
            }
            if (is_padding && mask.shape[0] == batch_) {
                mask.shape = {batch_, 1, keys_};
            }
            for (float& x : mask.numbers) {
                x = mask.type == "bool" && x != 0.0F ? -std::numeric_limits<float>::infinity() : x;
            }
            take(id, mask, {batch_, n_, keys_}, false, 1.0);
        }
    }

    const RecordedTensor& tensor(std::size_t id) const { return recording_->tensors[id]; }

    void prepare(const std::vector<std::size_t>& shape) {
        std::size_t count = 1;
        for (const std::size_t size : shape) {
            count *= size;
        }
        is_known_ = is_known_ && (hidden_.empty() || hidden_.size() == count);
        hidden_.resize(count);
        bias_.resize(count);
    }

    void take(std::size_t id, const RecordedTensor& mask, const std::vector<std::size_t>& shape, bool is_seen,
              double factor) {
        const std::vector<float> all = broadcast(mask, shape);
        prepare(shape);
        is_known_ = is_known_ && !all.empty();
        bool adds = false;
        for (std::size_t i = 0; i < all.size() && is_known_; ++i) {
            const float one = is_seen ? 0.0F : static_cast<float>(factor * static_cast<double>(all[i]));
            const bool hides = is_seen ? all[i] == 0.0F : one < least_score;
            hidden_[i] = hidden_[i] || hides;
            bias_[i] += hides ? 0.0F : one;
            adds = adds || (!hides && one != 0.0F);
        }
        if (adds) {
            biases_.push_back(id);
        }
    }

    const Recording* recording_;
    std::vector<bool> reached_;  // of each tensor: it comes from a projection, and not from weights
    std::vector<bool> moving_;   // or from weights, too
    std::size_t n_ = 0, keys_ = 0, batch_ = 1;
    bool is_known_ = true;
    bool has_row_of_triangle_ = false;  // a mask of one row, part of a causal one
    std::vector<bool> hidden_;
    std::vector<float> bias_;
    std::vector<std::size_t> biases_;
};

// Returns true if each row grows evenly from the token itself to the first one.
bool grows_with_distance(const std::vector<float>& bias, std::size_t n) {
    for (std::size_t from = 0; from < bias.size(); from += n * n) {
        const float step = bias[from + n] - bias[from + n + 1];
        for (std::size_t cell = 0; cell < n * n; ++cell) {
            const std::size_t row = cell / n, column = cell % n;
            if (column < row && !(step > 0.0F && std::abs(bias[from + cell] - bias[from + cell + 1] - step) <=
                                                     1e-3F * static_cast<float>(n) * step)) {
                return false;
            }
        }
    }
    return !bias.empty() && n > 2;
}

}  // namespace

std::optional<OwnScores> own_padding(const Recording& recording, const AttentionLayer& found) {
    const ScoresReader scores(recording, found);
    const std::size_t keys = scores.keys(), size = scores.n() * keys, all = scores.hidden().size();
    if (!scores.is_known() || !scores.biases().empty() || all == 0 ||
        (all != size && all % (scores.batch() * size) != 0)) {
        return std::nullopt;
    }
    const std::size_t of_item = all == size ? 0 : all / scores.batch();
    OwnScores own;
    for (std::size_t item = 0; item < scores.batch(); ++item) {
        const std::size_t first = item * of_item;
        for (std::size_t key = 0; key < keys; ++key) {
            own.hidden.push_back(scores.hidden()[first + key] ? 1.0F : 0.0F);
        }
        for (std::size_t cell = 0; cell < std::max(of_item, size); ++cell) {
            if (scores.hidden()[first + cell] != scores.hidden()[first + cell % keys]) {
                return std::nullopt;
            }
        }
        const auto keys_of_item = own.hidden.end() - static_cast<std::ptrdiff_t>(keys);
        if (std::find(keys_of_item, own.hidden.end(), 0.0F) == own.hidden.end()) {
            return std::nullopt;  // no key is seen
        }
    }
    return own;
}

std::optional<OwnScores> own_scores(const Recording& recording, const AttentionLayer& found,
                                    std::size_t heads) {
    const ScoresReader scores(recording, found);
    const std::size_t n = scores.n(), size = n * n, all = scores.hidden().size();
    const std::size_t each = heads * size;  // of one sequence
    const bool is_shared = all == scores.batch() * size, is_one = all == size, is_first = all == each;
    const bool has_heads = all == scores.batch() * each || is_first;
    if (!scores.is_known() || scores.has_row_of_triangle() || all == 0 ||
        (!has_heads && !is_shared && !is_one)) {
        return std::nullopt;
    }
    OwnScores own;
    const auto place = [&](std::size_t item, std::size_t head, std::size_t cell) {
        const std::size_t of_item = is_one || (is_first && scores.batch() > 1) ? 0 : item;
        return has_heads ? (of_item * heads + head) * size + cell : of_item * size + cell;
    };
    bool is_padded = false;
    own.is_causal = true;
    for (std::size_t cell = 0; cell < all; ++cell) {
        const bool is_later = cell % n > cell / n % n;
        own.is_causal = own.is_causal && (!is_later || scores.hidden()[cell]);
    }
    for (std::size_t item = 0; item < scores.batch(); ++item) {
        std::vector<bool> padding(n, true);
        for (std::size_t head = 0; head < heads; ++head) {
            for (std::size_t cell = 0; cell < size; ++cell) {
                if (!own.is_causal || cell % n <= cell / n) {
                    padding[cell % n] = padding[cell % n] && scores.hidden()[place(item, head, cell)];
                }
            }
        }
        if (!contains(padding, false)) {
            return std::nullopt;
        }
        for (std::size_t cell = 0; cell < size; ++cell) {
            const std::size_t row = cell / n, column = cell % n;
            const bool hides = padding[column] || (own.is_causal && column > row);
            own.hidden.push_back(hides ? 1.0F : 0.0F);
            is_padded = is_padded || padding[column];
            const auto keys = own.hidden.end() - static_cast<std::ptrdiff_t>(column + 1);
            if (column + 1 == n && std::find(keys, own.hidden.end(), 0.0F) == own.hidden.end()) {
                return std::nullopt;  // a row without keys has no weights
            }
            for (std::size_t head = 0; head < heads; ++head) {
                if (!padding[row] && scores.hidden()[place(item, head, cell)] != hides) {
                    return std::nullopt;
                }
            }
        }
    }
    if (!scores.biases().empty()) {
        for (std::size_t item = 0; item < scores.batch(); ++item) {
            for (std::size_t head = 0; head < heads; ++head) {
                for (std::size_t cell = 0; cell < size; ++cell) {
                    own.bias.push_back(scores.bias()[place(item, head, cell)]);
                }
            }
        }
        std::set<float> values;
        for (std::size_t i = 0; i < own.bias.size(); ++i) {
            if (own.hidden[i / each * size + i % size] == 0.0F) {
                values.insert(own.bias[i]);
            }
        }
        // Fewer values are a mask with wrong ones; two tokens have one distance, besides 0.
        if (values.size() < (own.is_causal ? std::min<std::size_t>(n, 3) : 3)) {
            return std::nullopt;
        }
        if (scores.biases().size() == 1 && grows_with_distance(own.bias, n)) {
            own.growing = recording.makers[scores.biases()[0]];
            const auto grows = [&](std::size_t id) {
                const std::vector<float>& numbers = recording.tensors[id].numbers;
                return recording.makers[id] && numbers.size() % size == 0 && grows_with_distance(numbers, n);
            };
            while (own.growing && !recording.calls[*own.growing].operands.empty()) {
                const RecordedCall& made = recording.calls[*own.growing];
                const auto before = std::ranges::find_if(made.operands, grows);
                if (before == made.operands.end() && !is_one_of(made.kind, {"layout", "masked_fill"})) {
                    break;
                }
                own.growing = recording.makers[before == made.operands.end() ? made.operands[0] : *before];
            }
        }
    }
    const bool is_plain = !is_padded && own.bias.empty();
    return is_plain ? std::nullopt : std::optional(own);
}

}  // namespace attn
