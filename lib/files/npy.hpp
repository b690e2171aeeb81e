// NumPy's .npy: a header that says what the numbers are, then the numbers. numpy.lib.format describes it. The
// header is Python, of which only the one dictionary NumPy writes is read; nothing is ever evaluated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/number_type.hpp"

namespace attn {

inline constexpr std::string_view npy_magic = "\x93NUMPY";
// The longest header that is read, as NumPy's own limit, and what stands before it.
inline constexpr std::size_t max_npy_header = 10000;
inline constexpr std::size_t npy_preamble = 12;

struct NpyHeader {
    std::string type_name;  // "<f4"
    NumberType type;
    std::vector<std::uint64_t> sizes;
    bool fortran_order;  // the first axis runs fastest, as in x.T
    std::size_t length;  // of all before the numbers
};

// The header at the start of these bytes. Throws Error, with `place` before the problem, for what is no .npy,
// is cut short, or holds what is not read: Python objects, big-endian numbers.
NpyHeader read_npy_header(std::string_view bytes, std::string_view place);

// Throws Error when so many bytes, header and all, are not as many as the header says.
void require_npy_size(std::uint64_t bytes, const NpyHeader& header, std::string_view place);

// The numbers of an array, as many as the header says, the last axis running fastest; `buffer` holds them
// where they are stored otherwise.
std::string_view in_row_major_order(std::string_view numbers, const NpyHeader& header, std::string& buffer);

// What NumPy writes before the float32 numbers of a tensor of this shape.
std::string npy_header(const Shape& shape);

}  // namespace attn
