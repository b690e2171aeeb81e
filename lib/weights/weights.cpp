#include "weights/weights.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "files/json.hpp"
#include "files/tensor_file.hpp"
#include "stages/state_dict.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

WeightSource weights_in(std::shared_ptr<const TensorFile> file, const Selection& selection) {
    return [file = std::move(file), selection](const Stage& stage) {
        std::optional<StateDict> module = cut_out(*file, selection, stage);
        if (!module && selection.any()) {
            constexpr std::size_t most_names = 12;
            std::string names;
            for (std::size_t i = 0; i < std::min(file->entries().size(), most_names); ++i) {
                names += (i == 0 ? "" : ", ") + printable(file->entries()[i].name);
            }
            throw Error(
                "{}: cannot choose a layer or head, because no tensor is called c_attn.weight, q_proj.weight "
                "or W_query.weight. The file has {}{}.",
                printable(file->origin()), names, file->entries().size() > most_names ? ", …" : "");
        }
        return module ? std::move(*module) : StateDict{file};
    };
}

std::shared_ptr<const TensorFile> read_weights(std::string_view text, std::string_view origin) {
    const JsonView root = parse_json(text, origin);
    TensorMap tensors;
    for (const auto& [key, value] : root.members()) {
        // Masks are often stored as booleans.
        tensors.emplace(key, value.tensor(is_mask_name(key)));
    }
    if (tensors.empty()) {
        root.fail("expected weights but the object is empty.");
    }
    return std::make_shared<TensorFile>(std::string(origin), std::move(tensors));
}

WeightSource load_weights(const std::string& path, const Selection& selection) {
    const std::string origin = source_name(path);
    const auto bytes = std::make_shared<const std::string>(read_source(path));
    std::shared_ptr<const TensorFile> file = open_tensor_file(bytes, origin);
    if (path.ends_with(".csv") || path.ends_with(".tsv")) {
        throw Error("{}: expected weights as JSON, .npz or .safetensors.", printable(origin));
    }
    if (file == nullptr) {
        return weights_in(read_weights(*bytes, origin), selection);
    }
    if (file->entries().empty()) {
        throw Error("{}: expected weights but there is no tensor in it.", printable(origin));
    }
    if (file->entries().front().name.empty()) {
        throw Error(
            "{}: contains one array without a name, but weights need names; save them with numpy.savez or as "
            ".safetensors.",
            printable(origin));
    }
    return weights_in(std::move(file), selection);
}

}  // namespace attn
