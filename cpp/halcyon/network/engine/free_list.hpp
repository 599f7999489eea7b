#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "halcyon/base/large_pages.hpp"

namespace halcyon::network {

inline constexpr std::uint32_t kNobody = 0xffffffff;

/// Records that come and go, held by number; they stay where they are, and the memory is that of the most
/// that there were at once.
template <class T>
class FreeList {
 public:
  /// A record as T{}.
  std::uint32_t take() {
    const auto number = take_raw();
    (*this)[number] = T{};
    return number;
  }
  /// A record with whatever it held.
  std::uint32_t take_raw() {
    if (free_.empty()) grow();
    const auto number = free_.back();
    free_.pop_back();
    return number;
  }
  void give_back(std::uint32_t number) { free_.push_back(number); }

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

  std::vector<Large<T>> blocks_;
  std::vector<std::uint32_t> free_;
};

/// The link of a chain of records, each of which has the number of the `next`, that leads to record `at`; the
/// last link with kNobody.
template <class Records>
std::uint32_t& link_to(Records& records, std::uint32_t& first, std::uint32_t at) {
  auto* link = &first;
  while (*link != at) link = &records[*link].next;
  return *link;
}

/// Prefetches the lines that a record lies in, to be written.
template <class State>
void prefetch_lines(const State& state) {
  const auto* bytes = reinterpret_cast<const char*>(&state);
  for (std::size_t at = 0; at < sizeof(State); at += 64) __builtin_prefetch(bytes + at, 1);
  if constexpr (alignof(State) < 64 && alignof(State) < sizeof(State))
    __builtin_prefetch(bytes + sizeof(State) - 1, 1);
}

}  // namespace halcyon::network
