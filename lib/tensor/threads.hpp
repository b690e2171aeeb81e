// Work in independent pieces, spread over threads. The pieces and what each computes never depend on how many
// threads there are, so neither do the bits.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace attn {

// How many threads large work may take: all the processor has unless set. torch.set_num_threads(n)
std::size_t num_threads();

// 0: all again. More than 1024 are taken for 1024.
void set_num_threads(std::size_t n);

// Calls work(i, thread) once for each i below count, the first ones first, on up to `threads` threads of
// which the caller's is one; `thread` counts them from 0, so that each can have its own scratch. A thread the
// system refuses is done without. What work throws ends it, and comes out here when no thread works any more.
using PieceOfWork = std::function<void(std::size_t i, std::size_t thread)>;
void parallel_for(std::size_t count, std::size_t threads, const PieceOfWork& work);

class Crew;

// While this lives, calls of parallel_for by the same thread share what threads they start, which wait in
// between: for many calls of some milliseconds each. A thread that has just been started may have to share
// the processor of the one that started it for longer than that, while another one idles.
class KeptThreads {
public:
    KeptThreads();
    ~KeptThreads();
    KeptThreads(const KeptThreads&) = delete;

private:
    std::unique_ptr<Crew> crew_;
    Crew* before_;
};

}  // namespace attn
