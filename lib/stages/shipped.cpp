// The bytes behind the stages' own tensors.
#include "stages/shipped.hpp"

#include "files/json_view.hpp"
#include "files/resources.hpp"

namespace attn {

Tensor shipped(std::string_view file, std::string_view name) {
    const Json json = parse_json(resource(file), file);
    return JsonView(json, file).at(name).tensor();
}

}  // namespace attn
