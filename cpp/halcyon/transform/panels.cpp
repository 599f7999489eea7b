#include "halcyon/transform/panels.hpp"

#include <algorithm>

namespace halcyon::transform {

Panels::Panels(const Stripes& stripes, const std::vector<int>& wavenumbers) : firsts_(stripes.n() + 1) {
  for (int s = 0; s < stripes.n(); ++s) {
    const auto end = std::ranges::upper_bound(wavenumbers, stripes.last_wavenumber(s));
    firsts_[s + 1] = firsts_[s] + (end - wavenumbers.begin());
  }
}

}  // namespace halcyon::transform
