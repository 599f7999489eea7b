#include "halcyon/wave/transport/frequency_shift.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/flush_denormals.hpp"
#include "halcyon/wave/transport/kernels/frequency_shift.hpp"

namespace halcyon::wave {

FrequencyShift::FrequencyShift(const SpectralGrid& grid)
    : grid_(grid),
      depth_(grid.n_frequencies + 1),
      group_ratio_(grid.n_frequencies + 1),
      stretch_(grid.n_directions),
      scratch_(static_cast<std::size_t>(grid.n_frequencies + 1) * grid.n_directions) {
  for (int f = 0; f <= grid.n_frequencies; ++f)
    face_.push_back(static_cast<float>(grid.sigma[0] * std::pow(grid.ratio, f - 0.5)));
  for (const double width : grid.frequency_width) width_.push_back(static_cast<float>(kTwoPi * width));
}

void FrequencyShift::set_rates(const FlowTables& flows, const DispersionTables& tables, const Water& water,
                               LocalIndex cell) {
  double up_slope = 0;
  for (const auto& beside : flows.beside(cell)) {
    const double deeper = tables.depth()[beside.cell] - tables.depth()[cell];
    up_slope +=
        deeper * (beside.east * water.currents[cell].east + beside.north * water.currents[cell].north);
  }
  const int last = grid_.n_frequencies - 1;
  for (int f = 0; f <= last + 1; ++f) {
    const int below = std::max(f - 1, 0), above = std::min(f, last);
    const double k = std::sqrt(tables.wavenumber()(cell, below) * tables.wavenumber()(cell, above));
    const double twice = 2 * k * tables.depth()[cell];
    const double ratio = tables.group_speed()(cell, below) / tables.phase_speed()(cell, below) +
                         tables.group_speed()(cell, above) / tables.phase_speed()(cell, above);
    depth_[f] = static_cast<float>(twice > 80 ? 0 : k / std::sinh(twice) * up_slope);
    group_ratio_[f] = static_cast<float>(ratio / 2);
  }
  const auto& g = water.gradients[cell];
  for (int m = 0; m < grid_.n_directions; ++m) {
    const double s = std::sin(grid_.direction[m]), c = std::cos(grid_.direction[m]);
    stretch_[m] = static_cast<float>(s * s * g.eastward_east + s * c * (g.eastward_north + g.northward_east) +
                                     c * c * g.northward_north);
  }
}

void FrequencyShift::step(const FlowTables& flows, const DispersionTables& tables, const Water& water,
                          CellRange cells, double dt, View<float, 3> action) {
  const FlushDenormals guard;
  for (LocalIndex cell = cells.begin; cell < cells.end; ++cell) {
    set_rates(flows, tables, water, cell);
    shift_frequencies(face_, width_, {depth_, group_ratio_, stretch_}, static_cast<float>(dt),
                      &action(cell, 0, 0), scratch_);
  }
}

}  // namespace halcyon::wave
