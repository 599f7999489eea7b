#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace halcyon {

inline std::atomic<std::size_t> n_large_allocations{
    0};  ///< allocations of large arrays in this process so far

/// Allocator that places large arrays in huge pages if the system supports them: TLB misses become rare, and
/// hardware prefetches are not stopped by page boundaries. Arrays begin at different offsets in a page, so
/// that equally numbered items of several arrays do not compete for the same cache lines.
template <class T>
struct LargePageAllocator {
  using value_type = T;

  LargePageAllocator() = default;
  template <class U>
  LargePageAllocator(const LargePageAllocator<U>&) {}

  T* allocate(std::size_t n) {
    const auto bytes = n * sizeof(T);
    if (bytes < kPage) return static_cast<T*>(::operator new(bytes, kLine));
    const auto shift = kShift * (n_large_allocations++ % kShifts);
    auto* const pages = static_cast<std::byte*>(::operator new(shift + bytes, kLargePage));
    madvise(pages, (shift + bytes) / kPage * kPage, MADV_HUGEPAGE);  // the end uses small pages
    return reinterpret_cast<T*>(pages + shift);
  }
  void deallocate(T* memory, std::size_t n) {
    if (n * sizeof(T) < kPage) return ::operator delete(memory, kLine);
    const auto shift = reinterpret_cast<std::uintptr_t>(memory) % kPage;
    ::operator delete(reinterpret_cast<std::byte*>(memory) - shift, kLargePage);
  }
  bool operator==(const LargePageAllocator&) const = default;

 private:
  static_assert(alignof(T) <= 64);
  static constexpr std::align_val_t kLine{64}, kLargePage{std::size_t{1} << 21};
  static constexpr auto kPage = static_cast<std::size_t>(kLargePage);
  // Arrays begin at multiples of kShift in a page: in different sets of caches with 4 KiB or 128 KiB per way.
  static constexpr std::size_t kShifts = 16, kShift = 8192 + 256;
};

template <class T>
using LargeArray = std::vector<T, LargePageAllocator<T>>;

/// Resizes each array to n zeros. @returns the size of all arrays [bytes]
template <class... T>
std::int64_t make_zeros(std::size_t n, LargeArray<T>&... arrays) {
  (arrays.assign(n, T{0}), ...);
  return static_cast<std::int64_t>((0 + ... + (n * sizeof(T))));
}

}  // namespace halcyon
