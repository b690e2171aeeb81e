// The random numbers that a document's code draws, by the names of the functions in PyTorch and NumPy.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "dataflow/arguments.hpp"
#include "documents/document.hpp"
#include "tensor/pcg64.hpp"
#include "tensor/random.hpp"
#include "tensor/tensor.hpp"

namespace attn::flow {

// A source of random numbers: PyTorch's, NumPy's, or a generator that the document makes.
struct Stream {
    std::optional<Generator> generator{};
    std::optional<numpy::Pcg64> pcg64{};  // of np.random.default_rng(), instead of the other
    std::optional<Place> seeded{};        // where it got its seed

    bool is_known() const { return generator || pcg64; }
    void forget() {
        generator.reset();
        pcg64.reset();
    }
};

struct Draw {
    std::string operation;  // "rand", "randn" or "randint"
    Shape shape;
    std::function<Tensor(Stream&)> numbers;
};

// Returns what a call draws, such as torch.rand(2, 3), np.random.normal(0, 0.5, (2, 3)) or
// nn.init.xavier_uniform_(x), or nothing if its function is not in the list. Throws Error if the arguments do
// not fit.
std::optional<Draw> draw_of(std::string_view function, bool is_numpy, const Given& given);

// True for functions and layers that draw numbers which are not followed. After them, the state of the
// generator is unknown.
bool draws_unknown(std::string_view function);

}  // namespace attn::flow
