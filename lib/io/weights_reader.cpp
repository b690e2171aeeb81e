#include "io/weights_reader.hpp"

#include "io/json_view.hpp"
#include "text/printable.hpp"

namespace attn {

Weights read_weights(std::string_view text, std::string_view origin) {
    const Json json = parse_json(text, origin);
    const JsonView root(json, origin);
    std::map<std::string, Tensor, std::less<>> tensors;
    for (const JsonMember& member : root.object()) {
        // A mask is often kept as booleans.
        tensors.emplace(printable(member.key), root.at(member.key).tensor(Weights::is_mask(member.key)));
    }
    if (tensors.empty()) {
        root.fail("expected weights but the object is empty");
    }
    return Weights(printable(origin), std::move(tensors));
}

}  // namespace attn
