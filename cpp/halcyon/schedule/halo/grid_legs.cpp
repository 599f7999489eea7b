#include "halcyon/schedule/halo/grid_legs.hpp"

#include <algorithm>

namespace halcyon::schedule {

namespace {

/// How far before its receiver the sender lies; negative after it.
std::int64_t distance(std::uint32_t code) {
  return code > GridLegs::kAfter ? -static_cast<std::int64_t>(code - GridLegs::kAfter) : code;
}

}  // namespace

std::int64_t GridLegs::within(std::int64_t rank) const {
  if (is_inside(rank)) return rank;
  const auto left = rank % division.parts;
  return left < 0 ? left + division.parts : left;
}

std::int64_t GridLegs::begin(std::int64_t rank) const {
  if (is_inside(rank)) return division.begin(rank);
  const auto part = within(rank);
  return (rank - part) / division.parts * division.n + division.begin(part);
}

Leg GridLegs::received(std::int64_t rank, std::uint32_t code) const {
  const auto first = begin(rank), last = begin(rank + 1), other = rank - distance(code);
  if (code == 0) return {rank, width, last - first};
  if (!is_there(other)) return {};
  const auto lo = std::max(begin(other), first - width), hi = std::min(begin(other + 1), last + width);
  return {within(other), lo - first + width, std::max<std::int64_t>(hi - lo, 0)};
}

Leg GridLegs::sent(std::int64_t rank, std::uint32_t code) const {
  const auto first = begin(rank), last = begin(rank + 1), other = rank + distance(code);
  if (code == 0) return {rank, width, last - first};
  if (!is_there(other)) return {};
  const auto lo = std::max(first, begin(other) - width), hi = std::min(last, begin(other + 1) + width);
  return {within(other), lo - first + width, std::max<std::int64_t>(hi - lo, 0)};
}

std::uint32_t GridLegs::after(std::int64_t rank, std::uint32_t code, bool sends) const {
  if (leg(rank, code + 1, sends).size > 0) return code + 1;
  return code < kAfter && leg(rank, kAfter + 1, sends).size > 0 ? kAfter + 1 : kEnd;
}

Leg GridLegs::filled(std::int64_t rank) const {
  const auto first = begin(rank), last = begin(rank + 1);
  const auto lo = periodic ? first - width : std::max<std::int64_t>(first - width, 0);
  const auto hi = periodic ? last + width : std::min(last + width, division.n);
  return {rank, lo - first + width, hi - lo};
}

}  // namespace halcyon::schedule
