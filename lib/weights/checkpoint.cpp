// A module is found by the names of its projections; its parts are cut out of tensors read whole, one at a
// time.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/tensor_file.hpp"
#include "stages/stage.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "text/printable.hpp"
#include "weights/state_dict.hpp"
#include "weights/weights.hpp"

namespace attn {

namespace {

constexpr std::array<std::string_view, 3> part_names{"W_query", "W_key", "W_value"};
constexpr std::size_t gpt2_head_width = 64;

// How a family of models calls its projections.
struct ProjectionNames {
    std::array<std::string_view, 3> parts;  // of queries, keys and values
    std::array<std::string_view, 2> out;    // of the projection after the heads, whichever there is
    bool fused = false;                     // all three are one
    bool heads_of_64 = false;               // as GPT-2 has them in all its sizes
};

struct Module {
    const ProjectionNames* names;
    std::string prefix;                // "transformer.h.3.attn."
    std::optional<std::size_t> layer;  // 3: the last number in the prefix
};

constexpr ProjectionNames known_names[] = {
    {{"c_attn", "c_attn", "c_attn"}, {"c_proj", "c_proj"}, true, true},
    {{"W_query", "W_key", "W_value"}, {"out_proj", "out_proj"}, false, true},
    {{"q_proj", "k_proj", "v_proj"}, {"o_proj", "out_proj"}},
};

// The 3 of "transformer.h.3.attn."
std::optional<std::size_t> last_number(std::string_view prefix) {
    std::optional<std::size_t> last;
    while (!prefix.empty()) {
        const std::string_view word = prefix.substr(0, prefix.find('.'));
        prefix.remove_prefix(std::min(prefix.size(), word.size() + 1));
        std::size_t number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (error == std::errc() && end == word.data() + word.size()) {
            last = number;
        }
    }
    return last;
}

// "0 to 11", or each of them.
std::string list(const std::vector<Module>& modules) {
    std::vector<std::size_t> layers;
    bool consecutive = true;
    for (const Module& module : modules) {
        layers.push_back(module.layer.value_or(0));
        consecutive = consecutive && layers.back() == layers.front() + layers.size() - 1;
    }
    return consecutive && layers.size() > 1 ? fmt::format("{} to {}", layers.front(), layers.back())
                                            : fmt::format("{}", fmt::join(layers, ", "));
}

// All there are, by layer. The state_dict of a stage has none unless something is to be picked: its
// projections have no prefix, or that of a stacked head.
std::vector<Module> find_modules(const TensorFile& file, const Selection& selection) {
    std::vector<Module> modules;
    for (const TensorEntry& entry : file.entries()) {
        for (const ProjectionNames& names : known_names) {
            const std::string query = std::string(names.parts[0]) + ".weight";
            if (entry.name != query && !entry.name.ends_with("." + query)) {
                continue;
            }
            const std::string prefix = entry.name.substr(0, entry.name.size() - query.size());
            const bool state_dict = names.parts[0] == "W_query" && prefix.empty() && !selection.any();
            if (!state_dict && !prefix.starts_with("heads.") && prefix.find("cross") == std::string::npos) {
                modules.push_back({&names, prefix, last_number(prefix)});
            }
        }
    }
    std::ranges::stable_sort(modules, {}, &Module::layer);
    return modules;
}

// The one of the layer asked for, or the only one. `modules` are at least one.
const Module& choose_module(const TensorFile& file, const std::vector<Module>& modules,
                            const Selection& selection) {
    const auto fail = [&](const Message& problem) {
        throw Error("{}: {}.", printable(file.origin()), problem);
    };
    if (!selection.layer) {
        if (modules.size() > 1) {
            fail(Message("holds several layers: pick one with `layer`; it has {}", printable(list(modules))));
        }
        return modules.front();
    }
    std::vector<const Module*> found;
    for (const Module& module : modules) {
        if (module.layer == selection.layer) {
            found.push_back(&module);
        }
    }
    if (found.empty()) {
        fail(modules.front().layer
                 ? Message("has no layer {}; its layers are {}", *selection.layer, printable(list(modules)))
                 : Message("holds one attention module and no layers; leave `layer` out"));
    }
    if (found.size() > 1) {
        fail(Message("has two layers {}, {} and {}; save the one you want by itself", *selection.layer,
                     printable(found[0]->prefix), printable(found[1]->prefix)));
    }
    return *found.front();
}

class Checkpoint {
public:
    Checkpoint(const TensorFile& file, const Module& module, const Selection& selection, const Stage& stage)
        : file_(file), module_(module), selection_(selection), stage_(stage) {}

    std::unique_ptr<StateDict> state_dict() {
        if (stage_.head_layout == HeadLayout::none) {
            fail(
                Message("holds a model's layers, but {} multiplies by plain matrices without a bias; use "
                        "linear, causal or a later stage",
                        stage_.name));
        }
        read_parts();
        find_heads();
        if (stage_.head_layout == HeadLayout::one && heads_ > 1 && !selection_.head) {
            fail(Message("layer {} has {} heads, but {} uses one: pick it with `head` 0 to {}",
                         module_.layer.value_or(0), heads_, stage_.name, heads_ - 1));
        }
        if (stage_.head_layout == HeadLayout::split) {
            add_all_heads_at_once();
        } else if (stage_.head_layout == HeadLayout::stacked) {
            for (std::size_t head = 0; head < heads_; ++head) {
                add_head(fmt::format("heads.{}.", head), head);
            }
        } else {
            add_head("", selection_.head.value_or(0));
        }
        check_masks();
        const std::optional<std::size_t> split =
            stage_.head_layout == HeadLayout::split ? std::optional(heads_) : std::nullopt;
        return std::make_unique<StateDict>(std::make_shared<TensorFile>(file_.origin(), std::move(tensors_)),
                                           StateDict::Sources{description(), std::move(sources_)}, split);
    }

private:
    // One of the three projections, all heads, as Linear keeps it, and where it came from.
    struct Part {
        Tensor weight;  // (out, in)
        std::optional<Tensor> bias;
        std::string source, bias_source;  // of the tensors in the file
        std::size_t first = 0;            // row of the fused one
    };

    [[noreturn]] void fail(const Message& problem) const {
        throw Error("{}: {}.", printable(file_.origin()), problem);
    }

    std::string name(std::string_view part, std::string_view kind) const {
        return fmt::format("{}{}{}", module_.prefix, part, kind);
    }

    std::optional<Tensor> read(const std::string& name, Contents contents = Contents::finite) const {
        const TensorEntry* const entry = file_.find(name);
        return entry == nullptr ? std::nullopt : std::optional(file_.read(*entry, contents));
    }

    Tensor require(const std::string& name) const {
        std::optional<Tensor> tensor = read(name);
        if (!tensor) {
            fail(Message("{} is missing, which belongs to layer {}", printable(name),
                         module_.layer.value_or(0)));
        }
        if (tensor->rank() != 2) {
            fail(Message("at /{}: expected a matrix but found the shape {}", printable(name),
                         tensor->shape().text()));
        }
        return std::move(*tensor);
    }

    void read_parts() {
        const ProjectionNames& names = *module_.names;
        if (!names.fused) {
            for (std::size_t i = 0; i < parts_.size(); ++i) {
                const std::string weight = name(names.parts[i], ".weight");
                const std::string bias = name(names.parts[i], ".bias");
                parts_[i] = {require(weight), read(bias), weight, bias};
                check_bias(bias, parts_[i].bias, parts_[i].weight.shape()[0]);
            }
            return;
        }
        const std::string weight = name("c_attn", ".weight");
        const std::string bias = name("c_attn", ".bias");
        Tensor all = require(weight);
        conv1d_ = all.shape()[1] == 3 * all.shape()[0];
        if (!conv1d_ && all.shape()[0] != 3 * all.shape()[1]) {
            fail(Message(
                "at /{}: expected queries, keys and values side by side, a shape (d, 3 * d) as Conv1D "
                "keeps it or (3 * d, d) as Linear does, but found {}",
                printable(weight), all.shape().text()));
        }
        all = conv1d_ ? transpose(all, 0, 1) : std::move(all);
        const std::optional<Tensor> all_biases = read(bias);
        check_bias(bias, all_biases, all.shape()[0]);
        const std::size_t width = all.shape()[1];
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const std::size_t from = i * width;
            parts_[i] = {slice(all, 0, from, from + width), std::nullopt, weight, bias, from};
            if (all_biases) {
                parts_[i].bias = slice(*all_biases, 0, from, from + width);
            }
        }
    }

    void check_bias(const std::string& name, const std::optional<Tensor>& bias, std::size_t width) const {
        if (bias && bias->shape() != Shape{width}) {
            fail(Message("at /{}: expected shape {} but received {}", printable(name), Shape{width}.text(),
                         bias->shape().text()));
        }
    }

    void find_heads() {
        const std::size_t width = parts_[0].weight.shape()[0];
        const bool known = module_.names->heads_of_64 && width % gpt2_head_width == 0;
        const bool takes_one = stage_.head_layout == HeadLayout::one;
        const bool is_one = takes_one && !module_.layer && !selection_.head;  // a module alone is one head
        if (!selection_.heads && !known && !is_one) {
            fail(
                Message("the queries of a layer are {} wide, but the number of heads is unknown: give "
                        "`num_heads` N{}",
                        width, Message(takes_one ? " and `head` K" : "")));
        }
        heads_ = selection_.heads.value_or(known ? width / gpt2_head_width : 1);
        if (width % heads_ != 0) {
            fail(Message("{} heads do not divide the width of the queries, {}, into equal parts", heads_,
                         width));
        }
        head_width_ = width / heads_;
        if (selection_.head && *selection_.head >= heads_) {
            fail(Message(
                "has no head {}; its heads are 0 to {}{}", *selection_.head, heads_ - 1,
                Message(selection_.heads ? "" : ", each 64 wide as in GPT-2; `num_heads` N says otherwise")));
        }
        if (selection_.head && stage_.head_layout != HeadLayout::one) {
            throw Error("`head`: {} uses all heads at once; leave `head` out.", stage_.name);
        }
        for (const Part& part : parts_) {
            const std::size_t rows = part.weight.shape()[0];
            if (rows == 0 || rows % head_width_ != 0 || heads_ % (rows / head_width_) != 0) {
                fail(Message("at /{}: {} rows do not divide into heads {} wide", printable(part.source), rows,
                             head_width_));
            }
        }
    }

    std::vector<std::string> description() const {
        std::vector<std::string> lines{fmt::format("state_dict is that of {}, with {} heads of {}",
                                                   printable(file_.origin()), heads_, head_width_)};
        if (module_.names->fused) {
            lines.push_back(fmt::format("c_attn keeps queries, keys and values {}",
                                        conv1d_ ? "side by side, each (in, out)" : "one below the other"));
        }
        return lines;
    }

    // The rows [from, to) of a part, as code: fused tensors are cut, and a Conv1D's turned over.
    std::string cut(const Part& part, std::size_t from, std::size_t to, bool is_bias) const {
        const bool whole = !module_.names->fused && to - from == part.weight.shape()[0];
        const std::string rows = fmt::format("{}:{}", part.first + from, part.first + to);
        return entry(is_bias ? part.bias_source : part.source) + (whole ? ""
                                                                  : !is_bias && conv1d_
                                                                      ? fmt::format("[:, {}].T", rows)
                                                                      : fmt::format("[{}]", rows));
    }

    static std::string entry(std::string_view name) {
        return fmt::format("state_dict[{}]", python_literal(name));
    }

    void add(const std::string& key, Tensor tensor, std::string source) {
        tensors_.emplace(key, std::move(tensor));
        sources_.emplace(key, std::move(source));
    }

    void add_rows(const std::string& key, const Part& part, std::size_t from, std::size_t to) {
        add(key + ".weight", slice(part.weight, 0, from, to), cut(part, from, to, false));
        if (part.bias) {
            add(key + ".bias", slice(*part.bias, 0, from, to), cut(part, from, to, true));
        }
    }

    // Where there are fewer keys and values than queries, neighbouring heads share them.
    void add_head(const std::string& prefix, std::size_t head) {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const std::size_t sharing = heads_ / (parts_[i].weight.shape()[0] / head_width_);
            const std::size_t from = head / sharing * head_width_;
            add_rows(prefix + std::string(part_names[i]), parts_[i], from, from + head_width_);
        }
    }

    void add_all_heads_at_once() {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const std::size_t rows = parts_[i].weight.shape()[0];
            if (rows != parts_[0].weight.shape()[0] && !uses(stage_, "kv_heads")) {
                fail(
                    Message("several heads share their keys and values, which {} does not support: use "
                            "grouped-query, or pick one with `head` for a stage of one head",
                            stage_.name));
            }
            add_rows(std::string(part_names[i]), parts_[i], 0, rows);
        }
        const auto& out = module_.names->out;
        const std::string_view called = file_.find(name(out[0], ".weight")) != nullptr ? out[0] : out[1];
        const std::string weight = name(called, ".weight");
        const Tensor read_weight = require(weight);
        add("out_proj.weight", conv1d_ ? transpose(read_weight, 0, 1) : read_weight,
            entry(weight) + (conv1d_ ? ".T" : ""));
        const std::string bias_name = name(called, ".bias");
        if (std::optional<Tensor> bias = read(bias_name)) {
            add("out_proj.bias", std::move(*bias), entry(bias_name));
        }
    }

    // Buffers that say who sees whom must say that nobody sees what is to come.
    void check_masks() const {
        const bool lower = module_.names->fused;
        const std::string buffer = module_.prefix + (lower ? "bias" : "mask");
        const std::optional<Tensor> mask = read(buffer, Contents::mask);
        if (!mask) {
            return;
        }
        const std::size_t n = mask->rank() < 2 ? 0 : mask->size(-1);
        const Shape square{n, n};
        if (n == 0 || mask->count() != square.count() ||
            !identical(view(*mask, square), lower ? tril(ones(square)) : triu(ones(square), 1))) {
            fail(Message("at /{}: expected the causal mask, with ones {} the diagonal", printable(buffer),
                         Message(lower ? "on and below" : "above")));
        }
    }

    const TensorFile& file_;
    const Module& module_;
    const Selection& selection_;
    const Stage& stage_;
    std::array<Part, 3> parts_;
    bool conv1d_ = false;  // (in, out), the transpose of what Linear keeps
    std::size_t heads_ = 1;
    std::size_t head_width_ = 0;
    TensorMap tensors_;
    std::map<std::string, std::string, std::less<>> sources_;
};

}  // namespace

std::unique_ptr<GivenWeights> cut_out(const TensorFile& file, const Selection& selection,
                                      const Stage& stage) {
    const std::vector<Module> modules = find_modules(file, selection);
    return modules.empty()
               ? nullptr
               : Checkpoint(file, choose_module(file, modules, selection), selection, stage).state_dict();
}

}  // namespace attn
