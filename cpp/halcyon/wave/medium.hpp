#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/base/view.hpp"
#include "halcyon/wave/spectra.hpp"

namespace halcyon::wave {

/// Water depth and wavenumbers of cells.
struct Medium {
  std::span<const float> depth;     ///< [m] (cell)
  View<const float, 2> wavenumber;  ///< [m-1] (cell, frequency)
};

/// Returns the wavenumber [m-1] that solves sigma^2 = g k tanh(k d).
/// @param sigma [rad s-1]  @param depth [m]
double wavenumber(double sigma, double depth);

/// Returns the group speed [m s-1], cg = (c/2) (1 + 2kd / sinh 2kd).
/// @param wavenumber [m-1]  @param sigma [rad s-1]  @param depth [m]
double group_speed(double wavenumber, double sigma, double depth);

/// Wavenumber and speeds of every frequency at the depths of the cells.
class DispersionTables {
 public:
  /// @param depth [m] (cell), positive
  /// @throws InputError that names a cell whose depth is not positive and finite
  DispersionTables(const SpectralGrid& grid, std::span<const double> depth);
  View<const float, 2> wavenumber() const { return view(wavenumber_); }    ///< [m-1] (cell, frequency)
  View<const float, 2> group_speed() const { return view(group_speed_); }  ///< [m s-1] (cell, frequency)
  View<const float, 2> phase_speed() const { return view(phase_speed_); }  ///< [m s-1] (cell, frequency)
  std::span<const float> depth() const { return depth_; }                  ///< [m] (cell)
  std::int64_t memory_bytes() const {
    const auto n = depth_.size() + wavenumber_.size() + group_speed_.size() + phase_speed_.size();
    return static_cast<std::int64_t>(n * sizeof(float));
  }

 private:
  View<const float, 2> view(const std::vector<float>& table) const {
    return {table.data(), {depth_.size(), static_cast<std::size_t>(n_frequencies_)}};
  }

  int n_frequencies_;
  std::vector<float> depth_, wavenumber_, group_speed_, phase_speed_;
};

}  // namespace halcyon::wave
