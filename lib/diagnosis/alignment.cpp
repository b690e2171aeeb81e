#include "diagnosis/alignment.hpp"

#include <fmt/format.h>

#include <optional>

#include "diagnosis/comparison.hpp"
#include "diagnosis/layer_finder.hpp"
#include "diagnosis/layer_form.hpp"
#include "diagnosis/layer_walks.hpp"

namespace attn {

namespace {

AlignedLayer aligned(const Recording& recording, const LayerFinder& finder, const AttentionLayer& found) {
    const auto of = [&](std::size_t id) -> const RecordedTensor& { return recording.tensors[id]; };
    AlignedLayer layer{.name = found.name.empty() ? recording.calls[found.first_call].module : found.name,
                       .first_call = found.first_call,
                       .inputs = found.x,
                       .weights = {},
                       .calls = {}};
    if (const auto contradicts = finder.contradiction(found)) {
        const Projection p = finder.projection_at(*contradicts).value();
        layer.departs = contradicts;
        layer.calls.push_back({*contradicts, CallVerdict::departs, ""});
        layer.yours = std::string(of(p.weight).name());
        const auto right = found.by_role.find(role_of(of(p.result))->role);
        layer.right = right == found.by_role.end() ? "" : std::string(of(right->second.weight).name());
        return layer;
    }
    std::size_t most = 0;
    for (const Form& form : forms(recording, finder.makers(), found)) {
        try {
            LayerWalks walks(found, recording, form);
            walks.walk_all();
            std::optional<Comparison> comparison(std::in_place, recording, finder.makers(), found, walks);
            if (const auto dropped = comparison->dropped_weights()) {
                walks.walk_all(&*dropped);
                comparison.emplace(recording, finder.makers(), found, walks);
            }
            const std::size_t count = comparison->right_calls();
            if (count > most || comparison->is_right()) {
                most = count;
                layer.calls.clear();
                layer.is_masked = form.is_masked;
                layer.is_sequence_first = form.is_sequence_first;
                layer.rotary =
                    form.rotary == Pairing::none
                        ? ""
                        : fmt::format("{}:{:.0f}", form.rotary == Pairing::halves ? "halves" : "neighbours",
                                      form.base);
                layer.yours = layer.right = layer.right_line = "";
                comparison->fill(layer);
            }
            if (comparison->is_right()) {
                break;
            }
        } catch (const Error&) {  // the stage does not fit this form
        }
    }
    return layer;
}

}  // namespace

std::vector<AlignedLayer> align(const Recording& recording) {
    const LayerFinder finder(recording);
    std::vector<AlignedLayer> all;
    for (const AttentionLayer& layer : finder.layers()) {
        all.push_back(aligned(recording, finder, layer));
    }
    return all;
}

}  // namespace attn
