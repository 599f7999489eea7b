#pragma once

#include <span>
#include <vector>

#include "halcyon/base/view.hpp"
#include "halcyon/wave/dispersion_tables.hpp"
#include "halcyon/wave/environment.hpp"
#include "halcyon/wave/transport/flow_tables.hpp"
#include "halcyon/wave/water.hpp"

namespace halcyon::wave {

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

}  // namespace halcyon::wave
