#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include "halcyon/base/index.hpp"

namespace halcyon {

/// Returns a hash of a number's bits and its index in the variable. The checksum of a variable is the sum of
/// the hashes of its numbers modulo 2^64: the order of summation does not matter, and each rank can sum over
/// the numbers that it owns. For a given index the hash is a bijection of the bits, so one wrong number is
/// always detected, several wrong numbers with probability 1 - 2^-64. Source of the hash: Steele, Lea and
/// Flood 2014, OOPSLA, doi:10.1145/2660193.2660195 (SplitMix64).
inline std::uint64_t hash_of(std::uint64_t bits, std::uint64_t index) {
  std::uint64_t x = bits + (index + 1) * 0x9E3779B97F4A7C15U;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9U;
  x = (x ^ x >> 27) * 0x94D049BB133111EBU;
  return x ^ x >> 31;
}

template <class T>
std::uint64_t bits_of(T value) {
  if constexpr (sizeof(T) == 8) return std::bit_cast<std::uint64_t>(value);
  if constexpr (sizeof(T) == 4) return std::bit_cast<std::uint32_t>(value);
  if constexpr (sizeof(T) == 1) return static_cast<std::uint8_t>(value);
}

/// Returns the checksum of consecutive numbers. @param first_index index of the first number in the variable
template <class T>
std::uint64_t checksum(std::span<const T> values, std::uint64_t first_index) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += hash_of(bits_of(values[i]), first_index + i);
  return sum;
}

inline constexpr const char* kChecksum = "checksum";               ///< name of the attribute of a variable
inline constexpr const char* kHeaderChecksum = "header_checksum";  ///< name of the attribute of a file

/// Returns a checksum as it is stored in attributes: 16 hexadecimal digits.
inline std::string checksum_text(std::uint64_t sum) {
  return fmt::format("{:016x}", sum);
}

}  // namespace halcyon
