#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace halcyon::network {

/// A number of switches, nodes or links as an index holds it.
/// @throws ConfigError where it is too large, with `what` there are so many of
std::int32_t counted(std::int64_t number, std::string_view what);

/// The product of sizes, each of which must be 1 or more.
/// @throws ConfigError that names `what` has a size below 1, or whose product is too large
std::int32_t counted_product(std::span<const std::int32_t> sizes, std::string_view what);

/// Such as "1 node" or "25 nodes".
std::string numbered(std::int64_t number, std::string_view what, std::string_view ending = "s");

/// Such as "25 x 25 x 25".
std::string joined_sizes(std::span<const std::int32_t> sizes);

/// Steele et al. (2014, OOPSLA, section 2), the finalizer of SplitMix64.
inline std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// A number that looks random and depends on nothing but its arguments.
inline std::uint64_t random_number(std::uint64_t seed, std::uint32_t a, std::uint32_t b,
                                   std::uint32_t c = 0) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
  const std::uint64_t pair = std::uint64_t{a} << 32 | b;
  return mixed(mixed(mixed(seed + kGolden) + pair + kGolden) + c + kGolden);
}

/// One of 0 .. n - 1 by the upper half of a number that looks random (Lemire 2019, without rejection: a bias
/// below n / 2^32).
inline std::int32_t drawn(std::uint64_t random, std::int32_t n) {
  return static_cast<std::int32_t>((random >> 32) * static_cast<std::uint64_t>(n) >> 32);
}

}  // namespace halcyon::network
