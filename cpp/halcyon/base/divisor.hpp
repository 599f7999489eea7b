#pragma once

#include <cstdint>

namespace halcyon {

/// Divides n = 0 .. 2^31 - 1 by a divisor d that is known only at run time, using a multiplication: n / d =
/// floor(n M / 2^63) with M = floor(2^63 / d) + 1, as n (M d - 2^63) < 2^63 (Granlund and Montgomery 1994).
class Divisor {
 public:
  Divisor() : Divisor(1) {}
  /// @param d 1 .. 2^31 - 1
  explicit Divisor(std::int32_t d)
      : d_(d), reciprocal_((std::uint64_t{1} << 63) / static_cast<std::uint64_t>(d) + 1) {}

  std::int32_t value() const { return d_; }
  friend std::int32_t quotient(std::int32_t n, const Divisor& d) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::int32_t>((static_cast<Wide>(d.reciprocal_) * static_cast<std::uint32_t>(n)) >>
                                     63);
  }
  friend std::int32_t remainder(std::int32_t n, const Divisor& d) { return n - quotient(n, d) * d.d_; }

 private:
  std::int32_t d_;
  std::uint64_t reciprocal_;  ///< M
};

}  // namespace halcyon
