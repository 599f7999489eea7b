#include "halcyon/atmosphere/air/hybrid.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::atmosphere {

namespace {

void require_layers(const Hybrid& hybrid, double ps) {
  for (int k = 0; k < hybrid.n_levels(); ++k) {
    const double above = hybrid.interface(k, ps), below = hybrid.interface(k + 1, ps);
    require<ConfigError>(
        below > above,
        "Level {} (from 0 at the top) reaches from {} to {} Pa where the surface pressure is {} "
        "Pa. Pressure must grow from each interface to the next.",
        k, above, below, ps);
  }
}

}  // namespace

void Hybrid::check() const {
  require<ConfigError>(a.size() == b.size() && a.size() > 2,
                       "The vertical coordinate has {} values of a and {} of b. Give as many of both: one "
                       "more than levels, at least three.",
                       a.size(), b.size());
  require<ConfigError>(b.front() == 0 && a.front() > 0,
                       "The top of the vertical coordinate has a = {} Pa and b = {}. It needs a above 0 and "
                       "b = 0.",
                       a.front(), b.front());
  require<ConfigError>(a.back() == 0 && b.back() == 1,
                       "The ground of the vertical coordinate has a = {} Pa and b = {}. It needs 0 and 1.",
                       a.back(), b.back());
  for (const double ps : {std::max(3e4, 2 * top()), 1.1e5}) require_layers(*this, ps);
}

template <class Real>
HybridRows<Real>::HybridRows(const Hybrid& hybrid)
    : a(hybrid.a.begin(), hybrid.a.end()), b(hybrid.b.begin(), hybrid.b.end()) {
  for (int k = 0; k < hybrid.n_levels(); ++k) {
    mass_a.push_back(static_cast<Real>(hybrid.a[k + 1] - hybrid.a[k]));
    mass_b.push_back(static_cast<Real>(hybrid.b[k + 1] - hybrid.b[k]));
  }
}

template struct HybridRows<double>;
template struct HybridRows<float>;

}  // namespace halcyon::atmosphere
