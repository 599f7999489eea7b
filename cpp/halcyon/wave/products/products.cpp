#include "halcyon/wave/products/products.hpp"

#include <algorithm>

namespace halcyon::wave {

Products::Products(const SpectralGrid& grid)
    : grid_(grid), moments_(grid), transports_(grid), systems_(grid), density_(grid.n_bins()) {}

void Products::compute(View<const float, 3> action, std::span<const LocalIndex> cells, const Medium& medium,
                       const WindField& wind, std::span<const WantedProduct> wanted) {
  Need most = Need::moments;
  for (const auto& each : wanted) most = std::max(most, each.product->need);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Sea found = sea(action, cells[i], medium, wind, most);
    for (const auto& each : wanted) each.values[i] = static_cast<float>(each.product->value(found));
  }
}

Sea Products::sea(View<const float, 3> action, LocalIndex cell, const Medium& medium, const WindField& wind,
                  Need most) {
  auto next = density_.begin();
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    for (const float n : action.row(cell, m)) *next++ = grid_.sigma[m] * n;
  }
  Sea found = moments_.of(density_);
  if (found.is_calm() || most == Need::moments) return found;
  const auto wavenumber = medium.wavenumber.row(cell);
  transports_.add(density_, medium.depth[cell], wavenumber, found);
  if (most == Need::systems) {
    systems_.add(density_, wavenumber, wind.eastward[cell], wind.northward[cell], found);
  }
  return found;
}

}  // namespace halcyon::wave
