#include <fmt/format.h>

#include <utility>
#include <vector>

#include "files/npy.hpp"
#include "files/safetensors.hpp"
#include "files/zip.hpp"
#include "views/format.hpp"
#include "views/json/parameters_json.hpp"

namespace attn {

namespace {

template <class Use>
void for_each_step(const Trace& trace, const Use& use) {
    for (const StageTrace& stage : trace.stages) {
        for (const std::size_t id : stage.shown) {
            const Node& step = stage.node(id);
            use(fmt::format("{}.{}", stage.stage->name, step.name), step.value);
        }
    }
}

}  // namespace

void write_npz(const WriteBytes& write, const Trace& trace, const Style&) {
    ZipWriter zip(write);
    for_each_step(trace, [&](const std::string& name, const Tensor& value) {
        zip.add(name + ".npy", npy_header(value.shape()), little_endian_bytes(value));
    });
    zip.end();
}

void write_safetensors(const WriteBytes& write, const Trace& trace, const Style&) {
    std::vector<std::pair<std::string, Shape>> tensors;
    for_each_step(trace, [&](const std::string& name, const Tensor& value) {
        tensors.emplace_back(name, value.shape());
    });
    std::vector<std::pair<std::string, std::string>> metadata{{"format", "pt"},
                                                              {"program", "attn-walkthrough " ATTN_VERSION}};
    for (const StageTrace& stage : trace.stages) {
        metadata.emplace_back(stage.stage->name,
                              json_text(parameters_json(stage.parameters), JsonLayout::compact));
    }
    write(safetensors_header(tensors, metadata));
    for_each_step(trace, [&](const std::string&, const Tensor& value) { write(little_endian_bytes(value)); });
}

}  // namespace attn
