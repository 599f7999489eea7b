#pragma once

#include <cstddef>
#include <vector>

#include "halcyon/transform/share/stripes.hpp"

namespace halcyon::transform {

/// Numbers of one field, wavenumber and stripe: [real part of the even half, imaginary; those of the odd
/// half] [lane]. The halves are those of x(mu) = even + odd, x(-mu) = even - odd.
inline constexpr int kBlock = 4 * kLanes;

/// Where the Fourier coefficients stand between the Fourier and the Legendre stage:
/// [stripe][wavenumber][field] [kBlock], of the wavenumbers that a rank holds and that a stripe holds. What a
/// rank that holds some neighbouring stripes needs of them is thus one piece of memory. A block of no
/// wavenumber may stand at a stripe's end: it travels with the others, and nothing is in it.
class Panels {
 public:
  /// @param wavenumbers ascending
  Panels(const Stripes& stripes, const std::vector<int>& wavenumbers);

  /// Where the blocks of a wavenumber, given by its place in the list, stand.
  std::size_t at(int stripe, int place, int n_fields) const {
    return (firsts_[stripe] + place) * n_fields * kBlock;
  }
  /// Blocks of a field at the stripes before this one.
  std::size_t first(int stripe) const { return firsts_[stripe]; }

 private:
  std::vector<std::size_t> firsts_;
};

}  // namespace halcyon::transform
