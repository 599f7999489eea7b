#pragma once

#include <cstdint>

#include "halcyon/network/engine/pool.hpp"
#include "halcyon/network/engine/world.hpp"

namespace halcyon::network {

/// The rounds of a part's ranks, by number. Each rank has a place of its own, so that its round lies where
/// whoever knows the rank may look ahead; where it has several at once, the others are in a pool.
class Rounds {
 public:
  /// @param ranks of all parts
  explicit Rounds(Large<RankState>& ranks) : ranks_(ranks) {}

  Round& operator[](std::uint32_t number) {
    return number < ranks_.size() ? ranks_[number].own : more_[behind(number)];
  }
  const Round& operator[](std::uint32_t number) const {
    return number < ranks_.size() ? ranks_[number].own : more_[behind(number)];
  }

  /// A round as Round{}.
  std::uint32_t take(Rank rank) {
    auto number = static_cast<std::uint32_t>(rank);
    if (ranks_[rank].own.taken) {
      number = static_cast<std::uint32_t>(ranks_.size()) + more_.take_raw();
    }
    auto& round = (*this)[number];
    round = {};
    round.taken = true;
    return number;
  }
  void give_back(std::uint32_t number) {
    if (number < ranks_.size())
      ranks_[number].own.taken = false;
    else
      more_.give_back(behind(number));
  }

 private:
  std::uint32_t behind(std::uint32_t number) const {
    return number - static_cast<std::uint32_t>(ranks_.size());
  }

  Large<RankState>& ranks_;
  Pool<Round> more_;
};

}  // namespace halcyon::network
