#pragma once

#include <cstdint>

#include "halcyon/schedule/blocks.hpp"

namespace halcyon::schedule {

/// A part of a rank's columns along one dimension that it exchanges with another rank. Empty where there is
/// none.
struct Leg {
  std::int64_t rank = 0;   ///< the other rank's place along the dimension
  std::int64_t begin = 0;  ///< in the rank's own box with its halo
  std::int64_t size = 0;
};

/// One dimension of a grid with halos: which parts of a rank's halo come from whom.
///
/// A leg has a code, the same for both ends: 0 for what the receiver owns itself, then 1, 2, ... for the
/// ranks before the receiver, nearest first, then kAfter + 1, ... for those after it.
struct GridLegs {
  static constexpr std::uint32_t kAfter = 0x8000, kEnd = 0xffff;

  Division division;
  std::int64_t width;
  bool periodic;

  /// The columns that a rank receives.
  Leg received(std::int64_t rank, std::uint32_t code) const;
  /// The columns that a rank sends.
  Leg sent(std::int64_t rank, std::uint32_t code) const;
  Leg leg(std::int64_t rank, std::uint32_t code, bool sends) const {
    return sends ? sent(rank, code) : received(rank, code);
  }
  /// The code of the leg after one, or kEnd.
  std::uint32_t after(std::int64_t rank, std::uint32_t code, bool sends) const;
  /// All columns that a rank has once its halo is filled.
  Leg filled(std::int64_t rank) const;

 private:
  std::int64_t begin(std::int64_t rank) const;  ///< of a rank beyond the ends, too, as if the grid went on
  bool is_inside(std::int64_t rank) const { return rank >= 0 && rank < division.parts; }
  bool is_there(std::int64_t rank) const { return periodic || is_inside(rank); }
  std::int64_t within(std::int64_t rank) const;
};

}  // namespace halcyon::schedule
