#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace halcyon {

inline std::atomic<std::size_t> n_large_arrays{0};  ///< that were made

/// Memory for large arrays, in large pages where the system has them: finding a page costs little then, and
/// what is asked for ahead of its use comes. Arrays begin at different places of a page, so that items of one
/// number do not compete for the same lines of a cache.
template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}

  T* allocate(std::size_t n) {
    const auto bytes = n * sizeof(T);
    if (bytes < kPage) return static_cast<T*>(::operator new(bytes, kLine));
    const auto shift = kShift * (n_large_arrays++ % kShifts);
    auto* const pages = static_cast<std::byte*>(::operator new(shift + bytes, kLargePage));
    madvise(pages, (shift + bytes) / kPage * kPage, MADV_HUGEPAGE);  // the rest lies in small ones
    return reinterpret_cast<T*>(pages + shift);
  }
  void deallocate(T* memory, std::size_t n) {
    if (n * sizeof(T) < kPage) return ::operator delete(memory, kLine);
    const auto within = reinterpret_cast<std::uintptr_t>(memory) % kPage;
    ::operator delete(reinterpret_cast<std::byte*>(memory) - within, kLargePage);
  }
  bool operator==(const LargePages&) const = default;

 private:
  static_assert(alignof(T) <= 64);
  static constexpr std::align_val_t kLine{64}, kLargePage{std::size_t{1} << 21};
  static constexpr auto kPage = static_cast<std::size_t>(kLargePage);
  // Parts of what the ways of a first and a second cache hold: 4 and 128 KiB.
  static constexpr std::size_t kShifts = 16, kShift = 8192 + 256;
};

template <class T>
using Large = std::vector<T, LargePages<T>>;

/// Makes arrays of so many zeros each. @returns the bytes that they take
template <class... T>
std::int64_t make_zeros(std::size_t n, Large<T>&... arrays) {
  (arrays.assign(n, T{0}), ...);
  return static_cast<std::int64_t>((0 + ... + (n * sizeof(T))));
}

}  // namespace halcyon
