#include "mistakes/work.hpp"

namespace attn {

std::size_t effort(const StageTrace& trace) {
    std::size_t numbers = 0;
    for (const Node& node : trace.notebook.nodes()) {
        numbers += node.value.count();
    }
    return numbers;
}

Work work_of_call(const Node& call) {
    constexpr Work of_each = 60;
    return of_each + call.value.count();
}

Work work_of(const StageTrace& trace) {
    Work work = 0;
    for (const Node& node : trace.notebook.nodes()) {
        work += 8 * work_of_call(node);  // a walk also writes lines of code
    }
    return work;
}

}  // namespace attn
