#pragma once

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace halcyon {

/// Items per block. Fixed, so that sums over blocks do not depend on the number of threads.
inline constexpr std::int64_t kBlockSize = 8192;

inline std::int64_t n_blocks(std::int64_t n, std::int64_t block_size = kBlockSize) {
  return (n + block_size - 1) / block_size;
}

/// Returns `requested` or, if that is 0, the number of processors that this process may use.
inline int thread_count(int requested) {
  if (requested > 0) return requested;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Calls body(block, begin, end) for all blocks of the items 0 .. n - 1, on up to `threads` threads (0: one
/// per processor), in any order. A block must not read data that another block writes. If several blocks
/// throw, rethrows the exception of the block with the lowest number.
template <class Body>
void for_blocks(std::int64_t n, int threads, Body body, std::int64_t block_size = kBlockSize) {
  const std::int64_t blocks = n_blocks(n, block_size);
  std::vector<std::exception_ptr> failures(blocks);
  std::atomic<std::int64_t> next = 0;
  const auto work = [&] {
    for (std::int64_t b = next++; b < blocks; b = next++) {
      try {
        body(b, b * block_size, std::min(n, (b + 1) * block_size));
      } catch (...) {
        failures[b] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    const std::int64_t n_threads = std::min<std::int64_t>(thread_count(threads), blocks);
    for (std::int64_t t = 1; t < n_threads; ++t) workers.emplace_back(work);
    work();
  }
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

/// Calls body(i) for all 0 <= i < n, in parallel; the threads take blocks of items (see `for_blocks`).
template <class Body>
void for_each_index(std::int64_t n, int threads, Body body) {
  for_blocks(n, threads, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace halcyon
