#include "halcyon/spectral/winds.hpp"

#include "halcyon/base/error.hpp"

namespace halcyon::spectral {

void require_size(const char* what, std::size_t size, std::size_t needed) {
  require<InternalError>(size == needed, "The {} of the start has {} values, not {}.", what, size, needed);
}

void vorticity_flux(const Basis& basis, std::span<const double> zeta, std::span<const double> u,
                    std::span<const double> v, std::span<double> p, std::span<double> q) {
  const auto& f = basis.coriolis();
  const std::size_t n = basis.n_points();
  for (std::size_t first = 0; first < zeta.size(); first += n)
    for (std::size_t i = 0; i < n; ++i) {
      const double absolute = zeta[first + i] + f[i];
      p[first + i] = absolute * v[first + i];
      q[first + i] = -absolute * u[first + i];
    }
}

}  // namespace halcyon::spectral
