// Work in independent pieces, spread over threads. The pieces and what each computes never depend on how many
// threads there are, so neither do the bits.
#pragma once

#include <cstddef>
#include <functional>

namespace attn {

// How many threads large work may use: all the processor has unless set. torch.get_num_threads()
std::size_t num_threads();

// 0: all again. At most 1024. torch.set_num_threads(n)
void set_num_threads(std::size_t n);

// Calls work(i, thread) once for each i below count, in ascending order, on up to `threads` threads including
// the caller's. `thread` numbers them from 0, so that each can have its own scratch memory. If a thread
// cannot start, the others do its work. An exception of work is thrown here once all threads have ended.
using PieceOfWork = std::function<void(std::size_t i, std::size_t thread)>;
void parallel_for(std::size_t count, std::size_t threads, const PieceOfWork& work);

// Calls work(first, count) for each thread's part of the rows: for all of them where `operations` per row are
// too few for a second thread.
void divide_rows(std::size_t rows, std::size_t operations, std::size_t threads,
                 const std::function<void(std::size_t first, std::size_t count)>& work);

}  // namespace attn
