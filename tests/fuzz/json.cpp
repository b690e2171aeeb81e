// Reads any bytes as a lesson, as weights, and as plain JSON. The only outcomes allowed are a result or an
// Error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "files/json.hpp"
#include "stages/lesson_reader.hpp"
#include "tensor/error.hpp"
#include "weights/weights.hpp"

namespace {

template <typename Read>
void refuse_or(Read read) {
    try {
        read();
    } catch (const attn::Error&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    refuse_or([&] { attn::parse_json(text, "fuzz"); });
    refuse_or([&] { attn::read_lesson(text, "fuzz"); });
    refuse_or([&] { attn::read_weights(text, "fuzz"); });
    return 0;
}
