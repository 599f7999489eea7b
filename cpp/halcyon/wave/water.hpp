#pragma once

#include <span>
#include <vector>

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

}  // namespace halcyon::wave
