// Nothing to delete and nothing to say: no signal reaches a module of WebAssembly, and stopping it takes its
// files along.
#include "files/interruption.hpp"

namespace attn {

DeletedOnInterruption::DeletedOnInterruption(const std::string&) {}

DeletedOnInterruption::~DeletedOnInterruption() = default;

void end_when_input_is_lost(std::string_view, int) {}

void require_stack() {}

}  // namespace attn
