#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "halcyon/base/large_pages.hpp"

namespace halcyon::network {

inline constexpr std::uint32_t kNoRecord = 0xffffffff;  ///< no record, or the end of a list

/// Records that are allocated and released often, each accessed by its number. Records never move; memory
/// grows to the largest number of simultaneous records.
template <class T>
class FreeList {
 public:
  std::uint32_t allocate() {
    const auto number = allocate_uninitialized();
    (*this)[number] = T{};
    return number;
  }
  /// Returns a record with the content of its previous use.
  std::uint32_t allocate_uninitialized() {
    if (free_records_.empty()) grow();
    const auto number = free_records_.back();
    free_records_.pop_back();
    return number;
  }
  void release(std::uint32_t number) { free_records_.push_back(number); }
  T& operator[](std::uint32_t number) { return blocks_[number >> kBlockBits][number & (kBlockRecords - 1)]; }
  const T& operator[](std::uint32_t number) const {
    return blocks_[number >> kBlockBits][number & (kBlockRecords - 1)];
  }

 private:
  static constexpr int kBlockBits =
      static_cast<int>(std::bit_width((std::size_t{1} << 21) / sizeof(T))) - 1;  // blocks of 1 .. 2 MiB
  static constexpr std::uint32_t kBlockRecords = 1u << kBlockBits;

  void grow() {
    const auto first_record = static_cast<std::uint32_t>(blocks_.size()) << kBlockBits;
    blocks_.emplace_back(kBlockRecords);
    for (std::uint32_t i = kBlockRecords; i > 0; --i) free_records_.push_back(first_record + i - 1);
  }

  std::vector<LargeArray<T>> blocks_;
  std::vector<std::uint32_t> free_records_;
};

/// Returns the variable that holds the number `record` in a singly linked list: `first`, or `next` of the
/// preceding record. For kNoRecord, returns the variable that ends the list.
template <class Records>
std::uint32_t& reference_to(Records& records, std::uint32_t& first, std::uint32_t record) {
  auto* reference = &first;
  while (*reference != record) reference = &records[*reference].next;
  return *reference;
}

/// Prefetches every cache line that `state` touches; an unaligned state may touch one line more than its size
/// requires.
template <class State>
void prefetch_for_write(const State& state) {
  const auto* bytes = reinterpret_cast<const char*>(&state);
  for (std::size_t offset = 0; offset < sizeof(State); offset += 64) __builtin_prefetch(bytes + offset, 1);
  if constexpr (alignof(State) < 64 && alignof(State) < sizeof(State))
    __builtin_prefetch(bytes + sizeof(State) - 1, 1);
}

}  // namespace halcyon::network
