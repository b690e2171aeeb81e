// Rows of the operations that work cell by cell.
#include <fmt/format.h>

#include "notebook/rows.hpp"
#include "tensor/digits.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"

namespace attn::rows {

namespace {

Explanation explain_pair(std::string_view sign, Operands x, const Tensor& result, const Index& cell) {
    return {fmt::format("{{}} {} {{}}", sign),
            {broadcast_cell(x, 0, result, cell), broadcast_cell(x, 1, result, cell)}};
}

// PyTorch's own mask, for NumPy's legacy generator is the same one: 53 bits of two draws each.
constexpr std::string_view numpy_dropout =
    "def dropout(generator, x, p):\n"
    "    high, low = generator.randint(2**32, size=(x.size, 2), dtype=np.uint64).T\n"
    "    kept = (high * 2**32 + low) % 2**53 / 2**53 < 1 - p\n"
    "    return x * (kept.reshape(x.shape) / np.float32(1 - p)) if p < 1 else np.zeros_like(x)";

}  // namespace

const Operation add{
    .name = "add",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::add(*x[0], *x[1]); },
    .torch = {"{0} + {1}", Binding::sum},
    .numpy = {"{0} + {1}", Binding::sum},
    .cpp = {.pattern = "add({0}, {1})", .setup = header::elementwise},
    .mathml = {"{0}<mo>+</mo>{1}", Binding::sum},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "AddBackward0"; },
    .explain = [](const Call&, Operands x, const Tensor& result,
                  const Index& cell) { return explain_pair("+", x, result, cell); },
    .cost = cost_per_cell,
};

const Operation subtract{
    .name = "sub",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::subtract(*x[0], *x[1]); },
    .torch = {"{0} - {1}", Binding::sum},
    .numpy = {"{0} - {1}", Binding::sum},
    .cpp = {.pattern = "subtract({0}, {1})", .setup = header::elementwise},
    .mathml = {"{0}<mo>−</mo>{1}", Binding::sum},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "SubBackward0"; },
    .explain = [](const Call&, Operands x, const Tensor& result,
                  const Index& cell) { return explain_pair("−", x, result, cell); },
    .cost = cost_per_cell,
};

const Operation multiply{
    .name = "mul",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::multiply(*x[0], *x[1]); },
    .torch = {"{0} * {1}", Binding::product},
    .numpy = {"{0} * {1}", Binding::product},
    .cpp = {.pattern = "multiply({0}, {1})", .setup = header::elementwise},
    .mathml = {"{0:ij}<mo>·</mo>{1:ij}", Binding::product},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "MulBackward0"; },
    .explain = [](const Call&, Operands x, const Tensor& result,
                  const Index& cell) { return explain_pair("·", x, result, cell); },
    .cost = cost_per_cell,
};

const Operation divide{
    .name = "div",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::divide(*x[0], *x[1]); },
    .torch = {"{0} / {1}", Binding::product},
    .numpy = {"{0} / {1}", Binding::product},
    .cpp = {.pattern = "divide({0}, {1})", .setup = header::elementwise},
    .mathml = {"<mfrac><mrow>{0:ij}</mrow><mrow>{1:ij}</mrow></mfrac>"},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "DivBackward0"; },
    .explain = [](const Call&, Operands x, const Tensor& result,
                  const Index& cell) { return explain_pair("/", x, result, cell); },
    .cost = cost_per_cell,
};

const Operation maximum{
    .name = "maximum",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::maximum(*x[0], *x[1]); },
    .torch = {"torch.maximum({0}, {1})"},
    .numpy = {"np.maximum({0}, {1})"},
    .cpp = {.pattern = "maximum({0}, {1})", .setup = header::elementwise},
    .mathml = {"<mrow><mi>max</mi><mo>(</mo>{0:ij}<mo>,</mo>{1:ij}<mo>)</mo></mrow>"},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "MaximumBackward0"; },
    .explain =
        [](const Call&, Operands x, const Tensor& result, const Index& cell) {
            return largest_of({broadcast_cell(x, 0, result, cell), broadcast_cell(x, 1, result, cell)});
        },
    .cost = cost_per_cell,
};

const Operation divide_by{
    .name = "div",
    .evaluate = [](const Call& call, Operands x,
                   Generator&) { return attn::divide(*x[0], call.number("by").value); },
    .torch = {"{0} / {by}", Binding::product},
    .numpy = {"{0} / {by}", Binding::product},
    .cpp = {.pattern = "divide({0}, {by})", .setup = header::elementwise},
    .mathml = {"<mfrac><mrow>{0:same}</mrow><mrow>{by}</mrow></mfrac>"},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "DivBackward0"; },
    .explain =
        [](const Call& call, Operands, const Tensor&, const Index& cell) {
            return Explanation{"{} / {}", {{0, cell}, number_cell(call, "by")}};
        },
    .cost = cost_per_cell,
};

const Operation multiply_by{
    .name = "mul",
    .evaluate = [](const Call& call, Operands x,
                   Generator&) { return attn::multiply(*x[0], call.number("by").value); },
    .torch = {"{0} * {by}", Binding::product},
    .numpy = {"{0} * {by}", Binding::product},
    .cpp = {.pattern = "multiply({0}, {by})", .setup = header::elementwise},
    .mathml = {"{by}<mo>·</mo>{0:same}", Binding::product},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "MulBackward0"; },
    .explain =
        [](const Call& call, Operands, const Tensor&, const Index& cell) {
            return Explanation{"{} · {}", {{0, cell}, number_cell(call, "by")}};
        },
    .cost = cost_per_cell,
};

const Operation exp{
    .name = "exp",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::exp(*x[0]); },
    .torch = {"torch.exp({0})"},
    .numpy = {"np.exp({0})"},
    .cpp = {.pattern = "exp({0})", .setup = header::elementwise},
    .mathml = {"<mrow><mi>exp</mi><mo>(</mo>{0:same}<mo>)</mo></mrow>"},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "ExpBackward0"; },
    .explain =
        [](const Call&, Operands, const Tensor&, const Index& cell) {
            return Explanation{"exp({})", {{0, cell}}};
        },
    .cost = cost_per_cell,
};

const Operation abs{
    .name = "abs",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::abs(*x[0]); },
    .torch = {"{0}.abs()"},
    .numpy = {"np.abs({0})"},
    .cpp = {.pattern = "abs({0})", .setup = header::elementwise},
    .mathml = {"<mrow><mo>|</mo>{0:same}<mo>|</mo></mrow>"},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "AbsBackward0"; },
    .explain =
        [](const Call&, Operands, const Tensor&, const Index& cell) {
            return Explanation{"abs({})", {{0, cell}}};
        },
    .cost = cost_per_cell,
};

const Operation equal{
    .name = "eq",
    .evaluate = [](const Call& call, Operands x,
                   Generator&) { return attn::equal(*x[0], static_cast<float>(call.number("to").value)); },
    .torch = {"{0} == {to}", Binding::comparison},
    .numpy = {"{0} == {to}", Binding::comparison},
    .cpp = {.pattern = "equal({0}, {to})", .setup = header::elementwise},
    .mathml = {"{0:ij}<mo>=</mo>{to}", Binding::comparison},
    .grad_fn = no_grad_fn,
    .explain =
        [](const Call& call, Operands, const Tensor&, const Index& cell) {
            return truth_of({0, cell}, "=", number_cell(call, "to"));
        },
    .cost = cost_per_cell,
};

const Operation as_bool{
    .name = "bool",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::not_equal(*x[0], 0.0F); },
    .torch = {"{0}.bool()"},
    .numpy = {"{0}.astype(bool)"},
    .cpp = {.pattern = "not_equal({0}, 0)", .setup = header::elementwise},
    .mathml = {"{0:ij}<mo>=</mo><mn>1</mn>", Binding::comparison},
    .grad_fn = no_grad_fn,
    .explain =
        [](const Call&, Operands, const Tensor&, const Index& cell) {
            return truth_of({0, cell}, "≠", number_cell(0.0));
        },
    .cost = cost_per_cell,
};

const Operation masked_fill{
    .name = "masked_fill",
    .evaluate =
        [](const Call& call, Operands x, Generator&) {
            return attn::masked_fill(*x[0], *x[1], static_cast<float>(call.number("value").value));
        },
    .torch = {"{0}.masked_fill({1}, {value})"},
    .numpy = {"np.where({1}, np.float32({value}), {0})"},
    .cpp = {.pattern = "masked_fill({0}, {1}, {value})", .setup = header::elementwise},
    .mathml = {"{value}<mtext> if </mtext><mrow>{1:ij}</mrow><mtext> else </mtext>{0:ij}",
               Binding::comparison},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "MaskedFillBackward0"; },
    .explain =
        [](const Call& call, Operands x, const Tensor& result, const Index& cell) {
            const Fact mask{"mask", broadcast_cell(x, 1, result, cell), ""};
            const bool masked = x[1]->at(mask.cell.index) != 0.0F;
            return masked ? Explanation{"{}", {number_cell(call, "value")}, {}, {"masked", {mask}}}
                          : moved({0, cell}, {"unmasked", {mask}});
        },
    .cost = cost_per_cell,
};

const Operation square_root{
    .name = "sqrt",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::square_root(*x[0]); },
    .torch = {"torch.sqrt({0})"},
    .numpy = {"np.sqrt({0})"},
    .cpp = {.pattern = "square_root({0})", .setup = header::elementwise},
    .mathml = {"<msqrt><mrow>{0:same}</mrow></msqrt>"},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "SqrtBackward0"; },
    .explain =
        [](const Call&, Operands, const Tensor&, const Index& cell) {
            return Explanation{"sqrt({})", {{0, cell}}};
        },
    .cost = cost_per_cell,
};

const Operation complement{
    .name = "rsub",
    .evaluate = [](const Call&, Operands x,
                   Generator&) { return attn::subtract(full(Shape{}, 1.0F), *x[0]); },
    .torch = {"1 - {0}", Binding::sum},
    .numpy = {"1 - {0}", Binding::sum},
    .cpp = {.pattern = "subtract(full(Shape{{}}, 1), {0})",
            .setup = "#include \"tensor/elementwise.hpp\"\n#include \"tensor/layout.hpp\""},
    .mathml = {"<mn>1</mn><mo>−</mo>{0:same}", Binding::sum},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "RsubBackward1"; },
    .explain =
        [](const Call&, Operands, const Tensor&, const Index& cell) {
            return Explanation{"1 − {}", {{0, cell}}};
        },
    .cost = cost_per_cell,
};

// Operand 1 is the keep mask, which PyTorch draws without showing it; operand 2 the generator it came from.
const Operation dropout{
    .name = "dropout",
    .evaluate = [](const Call& call, Operands x,
                   Generator&) { return attn::dropout(*x[0], *x[1], call.number("p").value); },
    .torch = {"torch.dropout({0}, p={p}, train=True)"},
    .numpy = {.pattern = "dropout({2}, {0}, p={p})", .setup = numpy_dropout},
    .cpp = {.pattern = "dropout({2}, {0}, {p})", .setup = header::random},
    .mathml = {"<mfrac><mrow>{0:ij}</mrow><mrow><mn>1</mn><mo>−</mo><mi>p</mi></mrow></mfrac>"
               "<mtext> if kept, else </mtext><mn>0</mn>",
               Binding::comparison},
    .grad_fn = [](const Call& call, Operands) -> std::string_view {
        return call.number("p").value == 0.0 ? same_grad_fn : "MulBackward0";
    },
    .explain =
        [](const Call& call, Operands x, const Tensor&, const Index& cell) {
            const double p = call.number("p").value;
            if (p == 1.0) {
                return Explanation{"{} · 0", {{0, cell}}, {}, {"all_dropped"}};
            }
            const bool kept = x[1]->at(cell) != 0.0F;
            return Explanation{fmt::format("{{}} · {{}} / (1 − {})", shortest_digits(p)),
                               {{0, cell}, {1, cell}},
                               {},
                               p == 0.0 ? Reason{"none_dropped"}
                               : kept   ? Reason{"scaled", {{"factor", number_cell(1.0 / (1.0 - p)), ""}}}
                                        : Reason{}};
        },
    .cost = cost_per_cell,
};

}  // namespace attn::rows
