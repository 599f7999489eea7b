#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace halcyon::network {

/// Memory for arrays that are read here and there: in large pages, where the system has them, so that finding
/// a page costs little.
template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}

  T* allocate(std::size_t n) {
    const bool large = n * sizeof(T) >= kPage;
    auto* memory = ::operator new(n * sizeof(T), std::align_val_t(large ? kPage : alignof(T)));
    if (large) madvise(memory, n * sizeof(T), MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t n) {
    ::operator delete(memory, std::align_val_t(n * sizeof(T) >= kPage ? kPage : alignof(T)));
  }
  bool operator==(const LargePages&) const = default;

 private:
  static constexpr std::size_t kPage = std::size_t{1} << 21;
};

/// Asks for the lines that a record lies in, to be written.
template <class State>
void fetch_lines(const State& state) {
  const auto* bytes = reinterpret_cast<const char*>(&state);
  for (std::size_t at = 0; at < sizeof(State); at += 64) __builtin_prefetch(bytes + at, 1);
  if constexpr (alignof(State) < 64) __builtin_prefetch(bytes + sizeof(State) - 1, 1);
}

template <class T>
using Large = std::vector<T, LargePages<T>>;

}  // namespace halcyon::network
