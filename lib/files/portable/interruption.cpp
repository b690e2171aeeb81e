// Nothing to do: WebAssembly has no signals, and on Windows a run writes to the disk only while it commits.
#include "files/interruption.hpp"

namespace attn {

DeletedOnInterruption::DeletedOnInterruption(const std::string&) {}

DeletedOnInterruption::~DeletedOnInterruption() = default;

void end_when_input_is_lost(std::string_view, int) {}

void require_stack() {}

}  // namespace attn
