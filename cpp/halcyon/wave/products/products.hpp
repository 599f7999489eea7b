#pragma once

#include <span>
#include <vector>

#include "halcyon/wave/medium.hpp"
#include "halcyon/wave/products/partitions.hpp"
#include "halcyon/wave/products/table.hpp"
#include "halcyon/wave/spectra.hpp"

namespace halcyon::wave {

/// A product that is wanted, and where it goes: one value a cell.
struct WantedProduct {
  const Product* product;
  std::span<float> values;
};

/// The products of spectra. Of each cell only what those that are wanted need is computed, from its own data
/// alone: sums in double precision and in fixed order; beyond the last frequency a tail f^-5 is added in
/// closed form.
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
  struct Found {
    int peak;
    System system;
    double driven = 0;  ///< variance [m2] of bins that the wind drives
  };

  Sea sea(View<const float, 3> action, LocalIndex cell, const Medium& medium, const WindField& wind,
          Need most);
  Sea moments();
  void add_directions(Sea& sea) const;
  double peak_frequency(int peak) const;
  void add_transports(double depth, std::span<const float> wavenumber, Sea& sea) const;
  void add_systems(std::span<const float> wavenumber, double eastward_wind, double northward_wind, Sea& sea);
  void collect(std::span<const float> wavenumber, double eastward_wind, double northward_wind);
  Found& found_at(int peak);

  SpectralGrid grid_;
  Partitions partitions_;
  std::vector<double> sine_, cosine_;            ///< (direction)
  std::vector<double> density_;                  ///< F [m2 s] (frequency, direction) of the cell
  std::vector<double> spectrum_, by_direction_;  ///< of the cell, (frequency) and (direction)
  std::vector<int> place_;  ///< of a system in found_, by the bin of its peak; -1 for none
  std::vector<Found> found_;
};

}  // namespace halcyon::wave
