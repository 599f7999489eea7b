#pragma once

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace halcyon {

/// Elements of a block; fixed, so that what is summed by blocks never depends on the number of threads.
inline constexpr std::int64_t kBlockSize = 8192;

inline std::int64_t n_blocks(std::int64_t n, std::int64_t block_size = kBlockSize) {
  return (n + block_size - 1) / block_size;
}

/// The threads to use: `wanted`, or where that is 0, as many as there are processors that this process may
/// use.
inline int thread_count(int wanted) {
  if (wanted > 0) return wanted;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Runs body(block, begin, end) for the blocks of 0..n, on up to `threads` threads in any order. What a block
/// writes must not be read by another. Of several exceptions, that of the first block is thrown.
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
    std::vector<std::jthread> helpers;
    const std::int64_t wanted = std::min<std::int64_t>(thread_count(threads), blocks);
    for (std::int64_t t = 1; t < wanted; ++t) helpers.emplace_back(work);
    work();
  }
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

/// Runs body(i) for 0 <= i < n, as `for_blocks`.
template <class Body>
void for_each_index(std::int64_t n, int threads, Body body) {
  for_blocks(n, threads, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace halcyon
