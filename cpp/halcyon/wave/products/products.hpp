#pragma once

#include <span>
#include <vector>

#include "halcyon/wave/environment.hpp"
#include "halcyon/wave/products/sea_moments.hpp"
#include "halcyon/wave/products/sea_systems.hpp"
#include "halcyon/wave/products/sea_transports.hpp"
#include "halcyon/wave/products/table.hpp"
#include "halcyon/wave/spectral_grid.hpp"

namespace halcyon::wave {

/// A product that is wanted, and where it goes: one value a cell.
struct WantedProduct {
  const Product* product;
  std::span<float> values;
};

/// The products of spectra. Of each cell only what those that are wanted need is computed, from its own data
/// alone.
///
/// A sea below 0.4 mm counts as calm: heights, drift and flux are 0, the rest is NaN.
class Products {
 public:
  explicit Products(const SpectralGrid& grid);

  /// Computes the products of some cells, in their order.
  /// @param action [m2 s2] (cell, frequency, direction)
  /// @param medium, wind of all cells; may be empty where nothing that is wanted needs them
  void compute(View<const float, 3> action, std::span<const LocalIndex> cells, const Medium& medium,
               const WindField& wind, std::span<const WantedProduct> wanted);

 private:
  Sea sea(View<const float, 3> action, LocalIndex cell, const Medium& medium, const WindField& wind,
          Need most);

  SpectralGrid grid_;
  SeaMoments moments_;
  SeaTransports transports_;
  SeaSystems systems_;
  std::vector<double> density_;  ///< F [m2 s] (frequency, direction)
};

}  // namespace halcyon::wave
