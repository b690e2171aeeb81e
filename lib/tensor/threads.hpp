// Runs independent pieces of work on several threads. Work is divided in the same way for any number of
// threads, so the bits of the result are the same.
#pragma once

#include <cstddef>
#include <functional>

namespace attn {

// Returns how many threads large computations may use: by default, as many as the processor has.
// torch.get_num_threads()
std::size_t num_threads();

// Sets how many threads large computations may use, at most 1024; 0 restores the default.
// torch.set_num_threads(n)
void set_num_threads(std::size_t n);

// Calls work(i, thread) once for each i below count, in ascending order, on up to `threads` threads including
// the caller's. Threads are numbered from 0, so each can use its own scratch memory. If a thread cannot
// start, the others do its work. If work throws an exception, this function throws it again when all threads
// have ended.
using PieceOfWork = std::function<void(std::size_t i, std::size_t thread)>;
void parallel_for(std::size_t count, std::size_t threads, const PieceOfWork& work);

// Divides the rows among threads and calls work(first, count) for each part. If `operations` per row are too
// few for a second thread, there is only one part.
void divide_rows(std::size_t rows, std::size_t operations, std::size_t threads,
                 const std::function<void(std::size_t first, std::size_t count)>& work);

}  // namespace attn
