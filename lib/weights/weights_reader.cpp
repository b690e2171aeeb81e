#include "weights/weights_reader.hpp"

#include <set>

#include "files/json.hpp"
#include "files/tensor_file_reader.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "weights/state_dict.hpp"

namespace attn {

Weights read_weights(std::string_view text, std::string_view origin) {
    const JsonView root = parse_json(text, origin);
    TensorMap tensors;
    std::set<std::string> shown_keys;
    for (const auto& [key, value] : root.members()) {
        if (!shown_keys.insert(printable(key)).second) {
            root.fail("two keys differ in characters that cannot be shown.");
        }
        // A mask is often kept as booleans.
        tensors.emplace(key, value.tensor(StateDict::is_mask(key)));
    }
    if (tensors.empty()) {
        root.fail("expected weights but the object is empty.");
    }
    return Weights(std::string(origin), std::move(tensors));
}

Weights load_weights(const std::string& path) {
    const std::string origin = source_name(path);
    const auto bytes = std::make_shared<const std::string>(read_source(path));
    std::shared_ptr<const TensorFile> file = open_tensor_file(bytes, origin);
    if (file == nullptr) {
        return read_weights(*bytes, origin);
    }
    if (file->entries().empty()) {
        throw Error("{}: expected weights but there is no tensor in it.", printable(origin));
    }
    if (file->entries().front().name.empty()) {
        throw Error(
            "{}: holds one array without a name, and weights are told apart by theirs; save them with "
            "numpy.savez or as .safetensors.",
            printable(origin));
    }
    return Weights(std::move(file));
}

}  // namespace attn
