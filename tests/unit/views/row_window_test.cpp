// Windows of rows: their syntax, the rows they select, and the printed text. oracle/doctest_text.py compares
// random windows of several stages with PyTorch.
#include "views/text/row_window.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "views/document/document.hpp"
#include "views/text/step_text.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

RowWindow window(std::string_view text) {
    return read_row_window(text).value();
}

const Node& causal_step(const StageTrace& trace, std::string_view name) {
    return trace.node(trace.find(name).value());
}

}  // namespace

TEST_CASE("a window reads as Python and C++ write it") {
    CHECK(python_slice("x", window("2:5"), 1) == "x[2:5]");
    CHECK(python_slice("x", window(":5"), 2) == "x[:5]");
    CHECK(python_slice("x", window("-3:"), 3) == "x[..., -3:, :]");
    CHECK(python_slice("x", window(":"), 4) == "x[..., :, :]");
    CHECK(python_slice("x", window("02:-0"), 2) == "x[2:0]");  // Python does not allow 02
    CHECK(cpp_slice("x", window("2:5"), 1) == "slice(x, -1, 2, 5)");
    CHECK(cpp_slice("x", window("-3:"), 3) == "slice(x, -2, -3)");
    CHECK(cpp_slice("x", window(":5"), 2) == "slice(x, -2, {}, 5)");
}

TEST_CASE("a window is two numbers with a colon between them, each of which may be left out") {
    for (const std::string_view text : {"", "2", "a:b", "1:2:3", "::", " 1:2", "1:2 ", "+1:2", "-:2", "1.0:2",
                                        "1000000001:", ":-1000000001", "99999999999999999999:"}) {
        CAPTURE(text);
        CHECK_FALSE(read_row_window(text));
    }
    CHECK(read_row_window("1000000000:-1000000000"));
}

TEST_CASE("a slice is autograd's, also of a parameter, and a single number stays as it is") {
    const StageTrace trace = walk_causal();
    // torch.manual_seed(789); print(torch.nn.Linear(3, 2, bias=False).weight[1:])
    CHECK(printed(trace, causal_step(trace, "W_query"), {}, window("1:")) ==
          "tensor([[-0.1683, -0.3379, -0.0918]], grad_fn=<SliceBackward0>)");
    // print(row_sums[4:2]), then print(mask_simple[1:2])
    CHECK(printed(trace, causal_step(trace, "row_sums"), {}, window("4:2")) ==
          "tensor([], size=(0, 1), grad_fn=<SliceBackward0>)");
    CHECK(printed(trace, causal_step(trace, "mask_simple"), {}, window("1:2")) ==
          "tensor([[1., 1., 0., 0., 0., 0.]])");
    Node number;
    number.call.operation = causal_step(trace, "row_sums").call.operation;
    number.value = Tensor({}, {0.5F});
    CHECK(printed(trace, number, {}, window("4:2")) == "tensor(0.5000)");
}
