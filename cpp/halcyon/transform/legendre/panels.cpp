#include "halcyon/transform/legendre/panels.hpp"

#include <algorithm>

namespace halcyon::transform {
namespace {

/// From so many wavenumbers on, their number at a stripe is made odd: where stripes stand a power of 2 apart,
/// they share lines of the caches.
constexpr std::ptrdiff_t kMany = 64;

}  // namespace

Panels::Panels(const Stripes& stripes, const std::vector<int>& wavenumbers) : firsts_(stripes.n() + 1) {
  for (int s = 0; s < stripes.n(); ++s) {
    const auto end = std::ranges::upper_bound(wavenumbers, stripes.last_wavenumber(s));
    const std::ptrdiff_t n = end - wavenumbers.begin();
    firsts_[s + 1] = firsts_[s] + (n < kMany ? n : n | 1);
  }
}

}  // namespace halcyon::transform
