// Pieces of tensors are found where they were taken, written as Python writes them, and have a cost that
// grows with their rarity.
#include "diagnosis/pieces.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <string_view>

#include "mistakes/bits.hpp"
#include "printed/reader.hpp"
#include "tensor/tensor_text.hpp"

using namespace attn;

namespace {

// Returns different numbers: 0.1000, 0.1100, ….
Tensor numbered(const Shape& shape) {
    Tensor x(shape);
    float next = 0.1F;
    for (float& value : x.values()) {
        value = next;
        next += 0.01F;
    }
    return x;
}

PrintedTensor printed(std::string_view text) {
    return read_tensors(text, "test").tensors.at(0);
}

using ExpectedPieces = std::vector<std::pair<std::string, std::string_view>>;

// Checks the index of the piece that each text is, or "none", and that the numbers there are those pasted.
void check(const Tensor& x, const ExpectedPieces& rows) {
    for (const auto& row : rows) {
        const PrintedTensor tensor = printed(row.first);
        const std::optional<Piece> piece = Pattern(tensor).find_in(x);
        CHECK_MESSAGE((piece ? piece->index : "none") == row.second, row.first);
        for (std::size_t n = 0; piece && n < tensor.numbers.size(); ++n) {
            CHECK(agrees(tensor.numbers[n], static_cast<double>(x.values()[piece->offsets.at(n)])));
        }
    }
}

double bits_of(std::string_view text, const Tensor& x) {
    const PrintedTensor tensor = printed(text);
    return Pattern(tensor).find_in(x)->bits;
}

}  // namespace

TEST_CASE("a piece of a matrix is found and said as Python takes it") {
    const Tensor x = numbered({3, 4});
    check(x, {{tensor_text(x), ""},
              {"[0.14, 0.15, 0.16, 0.17]", "[1]"},
              {"[[0.14, 0.15, 0.16, 0.17]]", "[1:2]"},
              {"[[0.14, 0.15, 0.16, 0.17], [0.18, 0.19, 0.20, 0.21]]", "[1:3]"},
              {"[0.12, 0.16, 0.20]", "[:, 2]"},
              {"[0.16, 0.20]", "[1:3, 2]"},
              {"[[0.15, 0.16], [0.19, 0.20]]", "[1:3, 1:3]"},
              {"[0.19, 0.20]", "[2, 1:3]"},
              {"tensor(0.20)", "[2, 2]"},
              {"[[0.10, 0.14, 0.18], [0.11, 0.15, 0.19], [0.12, 0.16, 0.20], [0.13, 0.17, 0.21]]", ".T"},
              {"[0.10, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.17, 0.18, 0.19, 0.20, 0.21]", ".flatten()"},
              {"[0.13, 0.14, 0.15]", ".flatten()[3:6]"},
              {"[[[0.14, 0.15, 0.16, 0.17]]]", "[None][1:2]"},
              {"[0.15, 0.14]", "none"},
              {"[[0.10, 0.11, 0.12, 0.13, 0.14]]", "none"}});
}

TEST_CASE("a piece of a tensor of more axes, too") {
    const Tensor x = numbered({2, 3, 2});
    check(x, {{"[[0.16, 0.17], [0.18, 0.19], [0.20, 0.21]]", "[1]"},
              {"[0.18, 0.19]", "[1, 1]"},
              {"[0.17, 0.19, 0.21]", "[1, :, 1]"},
              {"[[0.16, 0.18, 0.20], [0.17, 0.19, 0.21]]", "[1].T"},
              {"[[[0.16, 0.17], [0.18, 0.19], [0.20, 0.21]]]", "[1:2]"},
              {"[[0.10, 0.11], [0.12, 0.13], [0.14, 0.15], [0.16, 0.17], [0.18, 0.19], [0.20, 0.21]]",
               ".reshape(-1, 2)"},
              {"[[0.12, 0.13], [0.14, 0.15], [0.16, 0.17], [0.18, 0.19]]", ".reshape(-1, 2)[1:5]"},
              {"[[[0.10, 0.12, 0.14], [0.11, 0.13, 0.15]], [[0.16, 0.18, 0.20], [0.17, 0.19, 0.21]]]",
               ".transpose(-2, -1)"}});
}

TEST_CASE("a summary stands where it has room, and fits no smaller tensor") {
    check(numbered({4, 6}), {{"[0.16, 0.17, ..., 0.21]", "[1]"},
                             {"[..., 0.32, 0.33]", "[3]"},
                             {"[[0.10, ..., 0.15], ..., [0.28, ..., 0.33]]", ""},
                             {"[0.10, 0.11, 0.12, ..., 0.13, 0.14, 0.15]", "none"},
                             {"[0.10, ..., 0.28]", "[:, 0]"}});
}

TEST_CASE("a square that is transposed is not what it should be") {
    const PrintedTensor square = printed("[[0.10, 0.12], [0.11, 0.13]]");
    CHECK(Pattern(square).find_in(numbered({2, 2}))->exchanged);
    check(numbered({3, 3}), {{"[[0.14, 0.17], [0.15, 0.18]]", "none"}});
}

TEST_CASE("pieces that are taken more often are said in fewer bits, and one of many in more") {
    const Tensor x = numbered({3, 4});
    const double whole = bits_of(tensor_text(x), x);
    const double row = bits_of("[0.14, 0.15, 0.16, 0.17]", x);
    const double column = bits_of("[0.12, 0.16, 0.20]", x);
    const double block = bits_of("[[0.15, 0.16], [0.19, 0.20]]", x);
    CHECK(whole < row);
    CHECK(row < column);
    CHECK(column < block);
    CHECK(bits_of("[0.14, 0.15, 0.16, 0.17]", numbered({30, 4})) > row + 3.0);
}

TEST_CASE("the nearest piece is the one of which the fewest numbers disagree") {
    const Tensor x = numbered({3, 4});
    const PrintedTensor off = printed("[0.14, 0.95, 0.16, 0.17]");
    CHECK_FALSE(Pattern(off).find_in(x));
    CHECK(Pattern(off).nearest_in(x)->index == "[1]");
}

TEST_CASE("what could be anything is no surprise, and each digit is one") {
    const auto surprise = [](std::string_view text) { return attn::surprise(printed(text)); };
    const double row = surprise("[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000]");
    CHECK(row < 12.0);
    CHECK(surprise("[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000]") < row + 1.0);
    CHECK(surprise("[nan, nan, nan, nan]") < 7.0);
    const double four = surprise("[0.5517, 0.4483]");
    const double two = surprise("[0.55, 0.45]");
    CHECK(four - two == doctest::Approx(2 * std::log2(100.0)).epsilon(0.05));
    CHECK(surprise("[0.5517, 0.4483, 0.5517]") < four + 4.0);
}

TEST_CASE("an explanation is worth what it explains less what it says") {
    const Claim plain{.stages = 4.0, .steps = 64.0};
    CHECK(worth(100.0, plain) == doctest::Approx(94.0));
    Claim named = plain;
    named.named = true;
    CHECK(worth(100.0, named) == doctest::Approx(97.0));
    named.named = false;
    CHECK(worth(100.0, named) == doctest::Approx(93.0));
    Claim all = plain;
    all.parameters = 3.0;
    all.piece = 2.0;
    all.mistakes = {10.0, 11.0};
    CHECK(worth(100.0, all) == doctest::Approx(68.0));
}
