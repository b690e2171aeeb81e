// Runs independent pieces of work on several threads. The pieces do not depend on the number of threads, and
// so neither do the bits of the result.
#pragma once

#include <cstddef>
#include <functional>

namespace attn {

// Returns the number of threads that large work may use: all of the processor, unless set.
// torch.get_num_threads()
std::size_t num_threads();

// Sets that number, at most 1024; 0 means all again. torch.set_num_threads(n)
void set_num_threads(std::size_t n);

// Calls work(i, thread) once for each i below count, in ascending order, on up to `threads` threads including
// the caller's. Threads are numbered from 0, so that each can use its own scratch memory. If a thread cannot
// start, the others do its work. An exception from work is rethrown here after all threads have ended.
using PieceOfWork = std::function<void(std::size_t i, std::size_t thread)>;
void parallel_for(std::size_t count, std::size_t threads, const PieceOfWork& work);

// Divides the rows among threads and calls work(first, count) for each part. If `operations` per row are too
// few to be worth a second thread, there is one part.
void divide_rows(std::size_t rows, std::size_t operations, std::size_t threads,
                 const std::function<void(std::size_t first, std::size_t count)>& work);

}  // namespace attn
