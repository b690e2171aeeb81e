// Finds attention modules by the names of their projections. Reads only the tensors of the chosen module.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/tensor_file.hpp"
#include "stages/stage.hpp"
#include "stages/state_dict.hpp"
#include "stages/weight_names.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "text/decimal.hpp"
#include "text/printable.hpp"
#include "text/split.hpp"
#include "weights/weights.hpp"

namespace attn {

namespace {

constexpr std::size_t gpt2_head_width = 64;

// The names that a family of models gives to its projections.
struct ProjectionNames {
    std::array<std::string_view, 3> parts;  // names of the projections of queries, keys and values
    std::array<std::string_view, 2> out;    // the output projection's usual name, and an alternative
    bool fused = false;                     // one layer computes queries, keys and values
    bool heads_of_64 = false;               // all sizes of GPT-2 have heads of width 64
};

struct Module {
    const ProjectionNames* names;
    std::string prefix;                // "transformer.h.3.attn."
    std::optional<std::size_t> layer;  // 3: the last number in the prefix
};

constexpr ProjectionNames known_names[] = {
    {{"c_attn", "c_attn", "c_attn"}, {"c_proj", "c_proj"}, true, true},
    {weight_names, {"out_proj", "out_proj"}, false, true},
    {{"q_proj", "k_proj", "v_proj"}, {"o_proj", "out_proj"}},
};

// Returns 3 for "transformer.h.3.attn.".
std::optional<std::size_t> last_number(const std::string& prefix) {
    std::optional<std::size_t> last;
    for (const std::string_view word : split(prefix, ".")) {
        if (std::uint64_t number = 0; read_whole(word, number)) {
            last = static_cast<std::size_t>(number);
        }
    }
    return last;
}

// Lists the layers: "0 to 11" if they are consecutive, else "0, 2, 5".
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

// Returns the modules of self-attention in the file, sorted by layer. The state_dict of a stage does not
// count as a model: stacked heads never do, and W_query without a prefix only if a selection is given.
std::vector<Module> find_modules(const TensorFile& file, const Selection& selection) {
    std::vector<Module> modules;
    for (const TensorEntry& entry : file.entries()) {
        for (const ProjectionNames& names : known_names) {
            const std::string query = std::string(names.parts[0]) + ".weight";
            if (entry.name != query && !entry.name.ends_with("." + query)) {
                continue;
            }
            const std::string prefix = entry.name.substr(0, entry.name.size() - query.size());
            const bool state_dict = names.parts == weight_names && prefix.empty() && !selection.any();
            if (!state_dict && !prefix.starts_with("heads.") && prefix.find("cross") == std::string::npos) {
                modules.push_back({&names, prefix, last_number(prefix)});
            }
        }
    }
    std::ranges::stable_sort(modules, {}, &Module::layer);
    return modules;
}

// Returns the selected module, or the only one. There must be at least one.
Module choose_module(const TensorFile& file, const std::vector<Module>& modules, const Selection& selection) {
    std::vector<Module> found = modules;
    std::erase_if(found,
                  [&](const Module& module) { return selection.layer && module.layer != selection.layer; });
    if (found.size() == 1) {
        return found.front();
    }
    throw Error(
        "{}: {}.", printable(file.origin()),
        !selection.layer
            ? Message("contains several layers; choose one of {} with `layer`", printable(list(modules)))
                  .correcting("", "`layer` 0")
        : !found.empty()
            ? Message("contains two layers with the number {}: {} and {}; save only the one you want",
                      *selection.layer, printable(found[0].prefix), printable(found[1].prefix))
        : modules.front().layer
            ? Message("has no layer {}; its layers are {}", *selection.layer, printable(list(modules)))
            : Message("contains one attention module and no layers; leave `layer` out")
                  .correcting("`layer`", ""));
}

class Checkpoint {
public:
    Checkpoint(const TensorFile& file, Module module, const Selection& selection, const Stage& stage)
        : file_(file), module_(std::move(module)), selection_(selection), stage_(stage) {}

    StateDict state_dict() {
        if (stage_.head_layout == HeadLayout::none) {
            fail(
                Message("contains a model's layers, but {} multiplies by plain matrices without a bias; use "
                        "linear, causal or a later stage",
                        stage_.name));
        }
        find_parts();
        find_heads();
        if (stage_.head_layout == HeadLayout::one && heads_ > 1 && !selection_.head) {
            fail(Message("layer {} has {} heads, but {} uses only one; choose it with `head` 0 to {}",
                         module_.layer.value_or(0), heads_, stage_.name, heads_ - 1)
                     .correcting("", "`head` 0"));
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
        check_mask();
        StateDict result{std::make_shared<TensorFile>(file_.origin(), std::move(tensors_)),
                         {},
                         description(),
                         std::move(sources_)};
        if (stage_.head_layout == HeadLayout::split) {
            result.num_heads = heads_;
        }
        return result;
    }

private:
    // The part of a layer that computes the queries, keys or values of all heads: rows of its weight and
    // bias, as Linear stores them.
    struct Part {
        std::string layer;  // the layer's name in the file
        std::size_t rows;
        // The first row of this part; above 0 only if one layer computes all three parts.
        std::size_t first = 0;
    };

    [[noreturn]] void fail(const Message& problem) const {
        throw Error("{}: {}.", printable(file_.origin()), problem);
    }

    // Reads each tensor only once, even if several heads are cut out of it. Returns null if it is missing.
    const Tensor* read(const std::string& name) {
        const TensorEntry* const entry = file_.find(name);
        if (entry != nullptr && !read_.contains(name)) {
            read_.emplace(name, file_.read(*entry, Contents::finite));
        }
        return entry == nullptr ? nullptr : &read_.at(name);
    }

    const Shape& matrix_shape(const std::string& name) {
        const Tensor* const tensor = read(name);
        if (tensor == nullptr) {
            fail(Message("{} of layer {} is missing", printable(name), module_.layer.value_or(0)));
        }
        if (tensor->rank() != 2) {
            fail(Message("at /{}: expected a matrix but found the shape {}", printable(name),
                         tensor->shape().text()));
        }
        return tensor->shape();
    }

    void find_parts() {
        const bool fused = module_.names->fused;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const std::string layer = module_.prefix + std::string(module_.names->parts[i]);
            const Shape& shape = matrix_shape(layer + ".weight");
            const std::size_t width = std::min(shape[0], shape[1]);
            parts_[i] = fused ? Part{layer, width, i * width} : Part{layer, shape[0]};
            conv1d_ = fused && shape[1] == 3 * shape[0];
            if (fused && !conv1d_ && shape[0] != 3 * shape[1]) {
                fail(Message(
                    "at /{}: expected queries, keys and values side by side, with shape (d, 3 * d) as in "
                    "Conv1D or (3 * d, d) as in Linear, but found {}",
                    printable(layer + ".weight"), shape.text()));
            }
        }
    }

    void find_heads() {
        const std::size_t width = parts_[0].rows;
        const bool known = module_.names->heads_of_64 && width % gpt2_head_width == 0;
        const bool takes_one = stage_.head_layout == HeadLayout::one;
        const bool is_one = takes_one && !module_.layer && !selection_.head;  // the module itself is one head
        if (!selection_.heads && !known && !is_one) {
            fail(Message("the queries of a layer are {} wide, but the number of heads is unknown: give "
                         "`num_heads` N{}",
                         width, Message(takes_one ? " and `head` K" : ""))
                     .correcting("", "`num_heads` 12")
                     .correcting("", "`num_heads` 4"));
        }
        heads_ = selection_.heads.value_or(known ? width / gpt2_head_width : 1);
        if (width % heads_ != 0) {
            fail(Message("{} heads do not divide the width of the queries, {}, into equal parts", heads_,
                         width));
        }
        head_width_ = width / heads_;
        if (selection_.head && *selection_.head >= heads_) {
            fail(Message("has no head {}; its heads are 0 to {}{}", *selection_.head, heads_ - 1,
                         Message(selection_.heads ? ""
                                                  : ", each 64 wide as in GPT-2; if heads have a different "
                                                    "width, give their number as `num_heads` N")));
        }
        if (selection_.head && stage_.head_layout != HeadLayout::one) {
            throw Error("`head`: {} uses all heads at once; leave `head` out.", stage_.name);
        }
        for (const Part& part : parts_) {
            if (part.rows % head_width_ != 0 || heads_ % (part.rows / head_width_) != 0) {
                fail(Message("at /{}: {} rows cannot be split into heads of {} rows",
                             printable(part.layer + ".weight"), part.rows, head_width_));
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

    // Adds rows [from, to) of a layer's weight, and of its bias if it has one, with the Python code that cuts
    // them out.
    void add(const std::string& key, const std::string& layer, std::size_t from, std::size_t to) {
        const std::size_t all = matrix_shape(layer + ".weight")[conv1d_ ? 1 : 0];
        for (const std::string kind : {".weight", ".bias"}) {
            const std::string name = layer + kind;
            const Tensor* const whole = read(name);
            if (whole == nullptr) {
                continue;
            }
            const bool is_bias = kind == ".bias";
            if (is_bias && whole->shape() != Shape{all}) {
                fail(Message("at /{}: expected shape {} but received {}", printable(name), Shape{all}.text(),
                             whole->shape().text()));
            }
            const bool turned = conv1d_ && !is_bias;
            const Tensor rows = slice(*whole, turned ? 1 : 0, from, to);
            const std::string cut =
                to - from == all ? "" : fmt::format("[{}{}:{}]", turned ? ":, " : "", from, to);
            tensors_.emplace(key + kind, turned ? transpose(rows, 0, 1) : rows);
            sources_.emplace(
                key + kind, fmt::format("state_dict[{}]{}{}", python_literal(name), cut, turned ? ".T" : ""));
        }
    }

    void add_part(const std::string& prefix, std::size_t i, std::size_t from, std::size_t rows) {
        const Part& part = parts_[i];
        add(prefix + std::string(weight_names[i]), part.layer, part.first + from, part.first + from + rows);
    }

    // If there are fewer heads of keys and values than of queries, neighbouring query heads share them.
    void add_head(const std::string& prefix, std::size_t head) {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const std::size_t sharing = heads_ / (parts_[i].rows / head_width_);
            add_part(prefix, i, head / sharing * head_width_, head_width_);
        }
    }

    void add_all_heads_at_once() {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (parts_[i].rows != parts_[0].rows && !uses(stage_, "kv_heads")) {
                fail(
                    Message("several heads share their keys and values, which {} does not support; use "
                            "grouped-query, or choose one head with `head` for a stage with a single head",
                            stage_.name));
            }
            add_part("", i, 0, parts_[i].rows);
        }
        const auto& [usual, other] = module_.names->out;
        const bool is_usual = file_.find(fmt::format("{}{}.weight", module_.prefix, usual)) != nullptr;
        const std::string layer = module_.prefix + std::string(is_usual ? usual : other);
        add("out_proj", layer, 0, matrix_shape(layer + ".weight")[conv1d_ ? 1 : 0]);
    }

    // If the module has a mask buffer, it must be the causal mask.
    void check_mask() const {
        const bool lower = module_.names->fused;
        const std::string name = module_.prefix + (lower ? "bias" : "mask");
        const TensorEntry* const buffer = file_.find(name);
        if (buffer != nullptr && !is_causal_mask(file_.read(*buffer, Contents::mask), lower)) {
            fail(Message("at /{}: expected the causal mask, with ones {} the diagonal", printable(name),
                         Message(lower ? "on and below" : "above")));
        }
    }

    const TensorFile& file_;
    const Module module_;
    const Selection& selection_;
    const Stage& stage_;
    std::array<Part, 3> parts_;
    bool conv1d_ = false;  // weights are (in, out), the transpose of Linear's
    std::size_t heads_ = 1;
    std::size_t head_width_ = 0;
    TensorMap tensors_;
    std::map<std::string, std::string, std::less<>> sources_;
    std::map<std::string, Tensor> read_;
};

}  // namespace

std::optional<StateDict> cut_out(const TensorFile& file, const Selection& selection, const Stage& stage) {
    const std::vector<Module> modules = find_modules(file, selection);
    if (modules.empty()) {
        return std::nullopt;
    }
    return Checkpoint(file, choose_module(file, modules, selection), selection, stage).state_dict();
}

}  // namespace attn
