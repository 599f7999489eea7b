#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "halcyon/base/view.hpp"
#include "halcyon/mesh/mesh.hpp"
#include "halcyon/wave/crossing.hpp"
#include "halcyon/wave/dispersion_tables.hpp"
#include "halcyon/wave/environment.hpp"
#include "halcyon/wave/kernels/transport.hpp"
#include "halcyon/wave/spectral_grid.hpp"

namespace halcyon::wave {

/// Which parts of the turning of waves are on.
struct Turning {
  bool great_circle = true;  ///< waves follow great circles, and compass directions change along them
  bool refraction = true;    ///< waves turn to where they are slower
};

/// Transport of wave action over the cells of one rank: through edges by upwind fluxes, first order in space,
/// that follow great circles (what crosses an edge is turned by the angle that the compass turns between the
/// two cells), and in direction by refraction. Land and the outer boundary absorb what leaves and give
/// nothing.
///
/// What remains of the sphere's curvature within a cell is a small turning, made from the discrete divergence
/// of the cell's directions so that the transport of a uniform spectrum over uniform depth vanishes exactly
/// (up to round-off) away from coasts. All parts act on the same old state. Where the turning of a frequency
/// is too fast for an explicit step, it is implicit.
class Transport {
 public:
  /// @param tables of all local cells, owned and halo
  Transport(const mesh::Mesh& mesh, LocalIndex n_owned, const SpectralGrid& grid,
            const DispersionTables& tables, Turning turning);

  /// The spectra of a range of owned cells after dt [s].
  /// @param old_action, new_action [m2 s2] (local cell, frequency, direction); halo cells are read
  void step(View<const float, 3> old_action, View<float, 3> new_action, CellRange cells, double dt);

  std::int64_t memory_bytes() const;

  /// The share of (owned cell, frequency) pairs whose turning is implicit with a step of dt [s].
  double implicit_share(double dt) const;

 private:
  void add_flows(const SpectralGrid& grid, std::span<const Crossing> edges,
                 std::span<const LocalIndex> neighbours);
  void add_inflows(const SpectralGrid& grid, std::span<const Crossing> edges,
                   std::span<const LocalIndex> neighbours, bool growing);
  void add_turning(const SpectralGrid& grid, Turning turning, LocalIndex cell,
                   std::span<const Crossing> edges, std::span<const LocalIndex> neighbours);
  const float* neighbour_action(std::size_t inflow, View<const float, 3> old_action, float* rotated) const;
  Inflows gather(LocalIndex cell, bool growing, View<const float, 3> old_action);
  void choose_turning(double dt);
  bool explicit_turning(LocalIndex cell, int frequency, double dt) const;

  SpectrumShape shape_;
  const DispersionTables& tables_;
  std::vector<float> face_sine_, face_cosine_;  ///< of the faces between m and m + 1 (direction)

  // Flow through the edges of owned cells: first what grows in direction on the way in, then what shrinks.
  std::vector<std::size_t> first_inflow_{0};         ///< (2 owned cell + (0 growing, 1 shrinking), and end)
  std::vector<LocalIndex> neighbours_;               ///< (inflow) local cell
  std::vector<int> whole_turns_;                     ///< (inflow) [bins]
  std::vector<float> inflow_weight_, inflow_swept_;  ///< (inflow, direction) [m-1]
  std::vector<float> two_over_swept_, spread_;       ///< (2 owned cell + 0 or 1, direction): of Inflows
  std::vector<float> outflow_;                       ///< (owned cell, direction) [m-1]
  std::vector<float> largest_outflow_;               ///< (owned cell) over directions [m-1]
  std::vector<float> turn_sine_;    ///< (owned cell, frequency) turning = s sin + c cos [bins s-1]
  std::vector<float> turn_cosine_;  ///< (owned cell, frequency)

  std::vector<int> n_noticeable_;  ///< (owned cell) first frequencies that turn by more than kNegligible

  double chosen_for_ =
      std::numeric_limits<double>::quiet_NaN();  ///< the step [s] that is_explicit_ was made for
  std::vector<std::uint8_t> is_explicit_;        ///< (owned cell, frequency)

  // Scratch of the cell at hand.
  std::vector<float> rotated_, rate_, flux_, scratch_;
  std::vector<Inflow> inflows_;
};

/// The longest step [s] for which spatial transport is positive and stable, over all cells of a mesh.
double cfl_limit(const mesh::Mesh& mesh, const SpectralGrid& grid, bool great_circle = true);

}  // namespace halcyon::wave
