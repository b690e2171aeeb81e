#include "watch/recorded_ops.hpp"
#include "text/lists.hpp"

namespace attn {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return contains(words, word);
}

std::string_view kind_of(std::string_view op) {
    while (op.ends_with('_') || op.starts_with('_')) {
        op = op.ends_with('_') ? op.substr(0, op.size() - 1) : op.substr(1);
    }
    return is_one_of(op, {"matmul", "bmm", "mm", "rmatmul", "einsum", "baddbmm", "linear", "addmm", "dot",
                          "mv", "tensordot", "inner"})
               ? "matmul"
           : is_one_of(op, {"div", "truediv", "mul", "rmul", "true_divide", "div_scalar", "multiply", "idiv",
                            "imul", "itruediv"})
               ? "scale"
           : is_one_of(op, {"masked_fill", "where", "setitem"})           ? "masked_fill"
           : is_one_of(op, {"triu", "tril"})                              ? "triangle"
           : is_one_of(op, {"radd", "iadd"})                              ? "add"
           : op == "isub"                                                 ? "sub"
           : op == "tile"                                                 ? "repeat"
           : is_one_of(op, {"concat", "concatenate", "vstack", "hstack"}) ? "cat"
           : is_one_of(op, {"T",
                            "t",
                            "mT",
                            "H",
                            "transpose",
                            "permute",
                            "swapaxes",
                            "movedim",
                            "view",
                            "reshape",
                            "contiguous",
                            "getitem",
                            "unsqueeze",
                            "squeeze",
                            "chunk",
                            "split",
                            "unbind",
                            "flatten",
                            "unflatten",
                            "expand",
                            "clone",
                            "detach",
                            "to",
                            "float",
                            "double",
                            "half",
                            "bool",
                            "data",
                            "type",
                            "swapdims",
                            "select",
                            "narrow",
                            "iter",
                            "moveaxis",
                            "ravel",
                            "tensor_split",
                            "hsplit",
                            "vsplit",
                            "dsplit",
                            "view_as",
                            "view_as_complex",
                            "view_as_real",
                            "reshape_as"})
               ? "layout"
               : op;
}

bool is_foreign(std::string_view kind) {
    return !is_one_of(kind, {"matmul",
                             "scale",
                             "masked_fill",
                             "triangle",
                             "softmax",
                             "layout",
                             "add",
                             "sub",
                             "rsub",
                             "exp",
                             "sum",
                             "amax",
                             "amin",
                             "max",
                             "min",
                             "maximum",
                             "log",
                             "log_softmax",
                             "logsumexp",
                             "cat",
                             "stack",
                             "repeat",
                             "repeat_interleave",
                             "neg",
                             "dropout",
                             "reciprocal",
                             "nan_to_num",
                             "flip",
                             "cos",
                             "sin",
                             "scaled_dot_product_attention",
                             "multi_head_attention_forward"});
}

bool is_unrelated(std::string_view op) {
    return op.ends_with("_like") || op.starts_with("new_");
}

bool is_random(std::string_view op) {
    return op.starts_with("rand") || op.starts_with("bernoulli") || op.starts_with("multinomial");
}

}  // namespace attn
