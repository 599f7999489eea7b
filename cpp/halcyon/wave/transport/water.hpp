#pragma once

#include <span>
#include <vector>

#include "halcyon/base/view.hpp"
#include "halcyon/wave/medium.hpp"
#include "halcyon/wave/transport/flow_tables.hpp"
#include "halcyon/wave/transport/kernels/slopes.hpp"

namespace halcyon::wave {

/// The gradient of a current in the compass of a cell [s-1]: of which component, along which direction.
struct CurrentGradient {
  double eastward_east = 0, eastward_north = 0, northward_east = 0, northward_north = 0;
};

/// A current on a mesh, as transport needs it. Empty where the water is at rest.
struct Water {
  std::vector<Current> currents;           ///< (known cell)
  std::vector<CurrentGradient> gradients;  ///< (known cell)
  std::vector<float> inflows;              ///< (inflow) l max(-U.n, 0) / A [s-1], U the mean over the edge
};

/// The water that moves with a current [m s-1] (local cell).
Water moving_water(const FlowTables& flows, LocalIndex n_owned, std::span<const float> eastward,
                   std::span<const float> northward);

/// The shift of intrinsic frequencies by currents. It belongs to a cell alone, so nothing travels for it.
class FrequencyShift {
 public:
  explicit FrequencyShift(const SpectralGrid& grid);

  /// @param action [m2 s2] (local cell, frequency, direction), changed in place
  void step(const FlowTables& flows, const DispersionTables& tables, const Water& water, CellRange cells,
            double dt, View<float, 3> action);

 private:
  void set_rates(const FlowTables& flows, const DispersionTables& tables, const Water& water,
                 LocalIndex cell);

  SpectralGrid grid_;
  std::vector<float> face_, width_;  ///< [rad s-1]
  std::vector<float> depth_, group_ratio_, stretch_, scratch_;
};

/// Where action goes over the frequencies of a cell: the rate of the logarithm of sigma at the faces between
/// frequencies f - 1 and f, depth(f) - group_ratio(f) stretch(m) [s-1].
struct ShiftRates {
  std::span<const float> depth;        ///< (frequency + 1) k / sinh(2 k d) U . grad d [s-1]
  std::span<const float> group_ratio;  ///< (frequency + 1) cg / c
  std::span<const float> stretch;      ///< (direction) k/k . (k/k . grad) U [s-1]
};

/// A spectrum after dt of d(sigmadot N)/dsigma,
///   sigmadot = dsigma/dd (U . grad d) - cg k . dU/ds      (Komen et al. 1994, I.88; Tolman 1990, eq. 7),
/// by upwind fluxes of second order with the monotonized-central limiter over the number of the frequency,
/// explicit in as many steps as keep it positive. What goes beyond the first or last frequency is gone, and
/// nothing comes in there.
/// @param face sigma of the faces [rad s-1] (frequency + 1)  @param width dsigma [rad s-1] (frequency)
/// @param action (frequency, direction), changed in place
/// @param scratch (frequency + 1, direction)
void shift_frequencies(std::span<const float> face, std::span<const float> width, const ShiftRates& rates,
                       float dt, float* action, std::span<float> scratch);

}  // namespace halcyon::wave
