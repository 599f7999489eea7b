#include "halcyon/wave/dispersion_tables.hpp"

#include <cmath>

#include "halcyon/base/error.hpp"
#include "halcyon/wave/dispersion.hpp"

namespace halcyon::wave {

DispersionTables::DispersionTables(const SpectralGrid& grid, std::span<const double> depth)
    : n_frequencies_(grid.n_frequencies), depth_(depth.begin(), depth.end()) {
  for (std::size_t cell = 0; cell < depth.size(); ++cell) {
    require<InputError>(std::isfinite(depth[cell]) && depth[cell] > 0,
                        "The depth of local cell {} is {} m; it must be positive and finite.", cell,
                        depth[cell]);
    for (const double sigma : grid.sigma) {
      const double k = wave::wavenumber(sigma, depth[cell]);
      wavenumber_.push_back(static_cast<float>(k));
      group_speed_.push_back(static_cast<float>(wave::group_speed(k, sigma, depth[cell])));
      phase_speed_.push_back(static_cast<float>(sigma / k));
    }
  }
}

}  // namespace halcyon::wave
