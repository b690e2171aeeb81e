#include "views/json/trace_arrays.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "files/npz_writer.hpp"
#include "files/number_type.hpp"
#include "files/safetensors.hpp"

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

std::string parameters_json(const Parameters& parameters) {
    std::vector<std::string> members;
    for (const ParameterRow& row : parameter_table()) {
        if (const std::string value = row.json(parameters); !value.empty()) {
            members.push_back(fmt::format("\"{}\": {}", row.name, value));
        }
    }
    return fmt::format("{{{}}}", fmt::join(members, ", "));
}

}  // namespace

void write_npz(const WriteBytes& write, const Trace& trace, const Style&) {
    NpzWriter npz(write);
    for_each_step(trace, [&](const std::string& name, const Tensor& value) { npz.add(name, value); });
    npz.end();
}

void write_safetensors(const WriteBytes& write, const Trace& trace, const Style&) {
    std::vector<std::pair<std::string, Shape>> tensors;
    for_each_step(trace, [&](const std::string& name, const Tensor& value) {
        tensors.emplace_back(name, value.shape());
    });
    std::vector<std::pair<std::string, std::string>> metadata{{"format", "pt"},
                                                              {"program", "attn-walkthrough " ATTN_VERSION}};
    for (const StageTrace& stage : trace.stages) {
        metadata.emplace_back(stage.stage->name, parameters_json(stage.parameters));
    }
    write(safetensors_header(tensors, metadata));
    for_each_step(trace, [&](const std::string&, const Tensor& value) { write(little_endian_bytes(value)); });
}

}  // namespace attn
