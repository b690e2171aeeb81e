#include "quiz/quiz_questions.hpp"

#include <cmath>
#include <utility>

namespace attn {

std::optional<std::size_t> find_step(const StageTrace& trace, std::string_view name) {
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
        if (trace.step(i).name == name) {
            return i;
        }
    }
    return std::nullopt;
}

Ask ask_cell(const Index& cell) {
    return [cell](const StageTrace& trace, std::size_t position, bool transposed) -> std::optional<Answer> {
        const Tensor& x = trace.step(position).value;
        Index at = cell;
        if (transposed && x.rank() > 1) {
            std::swap(at[x.rank() - 1], at[x.rank() - 2]);
        }
        for (std::size_t axis = 0; axis < Shape::max_rank; ++axis) {
            if (axis < x.rank() ? at[axis] >= x.shape()[axis] : at[axis] != 0) {
                return std::nullopt;
            }
        }
        return x.at(at);
    };
}

Ask ask_whole(const Index& cell) {
    return [ask = ask_cell(cell)](const StageTrace& trace, std::size_t position,
                                  bool transposed) -> std::optional<Answer> {
        const std::optional<Answer> number = ask(trace, position, transposed);
        const float x = number ? std::get<float>(*number) : -1.0F;
        return x >= 0.0F && x == std::trunc(x) ? std::optional<Answer>(Count{static_cast<std::size_t>(x)})
                                               : std::nullopt;
    };
}

Ask ask_shape() {
    return [](const StageTrace& trace, std::size_t position, bool transposed) -> std::optional<Answer> {
        Shape shape = trace.step(position).value.shape();
        if (transposed && shape.rank() > 1) {
            std::swap(shape[shape.rank() - 1], shape[shape.rank() - 2]);
        }
        return shape;
    };
}

}  // namespace attn
