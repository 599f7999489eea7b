#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "halcyon/base/large_pages.hpp"

namespace halcyon::network {

inline constexpr std::uint32_t kNoRecord = 0xffffffff;

/// Records that are allocated and released often, accessed by number. Records never move; memory grows to the
/// largest number of simultaneous records.
template <class T>
class FreeList {
 public:
  /// Returns a record equal to T{}.
  std::uint32_t allocate() {
    const auto number = allocate_uninitialized();
    (*this)[number] = T{};
    return number;
  }
  /// Returns a record with the content of its previous use.
  std::uint32_t allocate_uninitialized() {
    if (free_.empty()) grow();
    const auto number = free_.back();
    free_.pop_back();
    return number;
  }
  void release(std::uint32_t number) { free_.push_back(number); }

  T& operator[](std::uint32_t number) { return blocks_[number >> kShift][number & (kSize - 1)]; }
  const T& operator[](std::uint32_t number) const { return blocks_[number >> kShift][number & (kSize - 1)]; }

 private:
  static constexpr int kShift =
      static_cast<int>(std::bit_width((std::size_t{1} << 21) / sizeof(T))) - 1;  // blocks of 1 .. 2 MiB
  static constexpr std::uint32_t kSize = 1u << kShift;

  void grow() {
    const auto first = static_cast<std::uint32_t>(blocks_.size()) << kShift;
    blocks_.emplace_back(kSize);
    for (std::uint32_t i = kSize; i > 0; --i) free_.push_back(first + i - 1);
  }

  std::vector<LargeArray<T>> blocks_;
  std::vector<std::uint32_t> free_;
};

/// Returns the member (`first`, or `next` of a record) of a singly linked list that refers to record `at`;
/// for kNoRecord, the member at the end of the list.
template <class Records>
std::uint32_t& link_to(Records& records, std::uint32_t& first, std::uint32_t at) {
  auto* link = &first;
  while (*link != at) link = &records[*link].next;
  return *link;
}

template <class State>
void prefetch_for_write(const State& state) {
  const auto* bytes = reinterpret_cast<const char*>(&state);
  for (std::size_t at = 0; at < sizeof(State); at += 64) __builtin_prefetch(bytes + at, 1);
  if constexpr (alignof(State) < 64 && alignof(State) < sizeof(State))
    __builtin_prefetch(bytes + sizeof(State) - 1, 1);
}

}  // namespace halcyon::network
