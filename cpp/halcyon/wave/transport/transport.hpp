#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "halcyon/base/view.hpp"
#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/wave/medium.hpp"
#include "halcyon/wave/transport/flow_tables.hpp"
#include "halcyon/wave/transport/options.hpp"
#include "halcyon/wave/transport/turning.hpp"
#include "halcyon/wave/transport/water.hpp"

namespace halcyon::wave {

/// Transport of wave action over the cells of one rank: through edges by upwind fluxes of first or second
/// order in space that follow great circles (what crosses an edge is turned by the angle that the compass
/// turns between the two cells), with currents, and in direction by refraction. Land and the outer boundary
/// absorb what leaves and give nothing. All parts act on the same old state. Where the turning of a frequency
/// is too fast for an explicit step, it is implicit.
class Transport {
 public:
  /// Which owned cells: those that need no halo value, or the others.
  enum class Part { inner, boundary };

  /// @param tables of all local cells, owned and halo
  /// @throws ConfigError where the mesh has fewer halo layers than the scheme needs
  Transport(const decomposition::LocalMesh& local, const SpectralGrid& grid, const DispersionTables& tables,
            const TransportOptions& options, std::vector<Band> bands);

  const std::vector<Band>& bands() const { return bands_; }

  /// Takes account of tables that have changed, and of a current [m s-1] (local cell), or none where empty.
  void set_water(std::span<const float> eastward, std::span<const float> northward);

  /// To be called before steps of dt [s], of which each band takes its fractions.
  void prepare(double dt);

  /// The spectra of some owned cells after one of the steps of a band.
  /// @param old_action, new_action [m2 s2] (local cell, frequency, direction); halo cells are read
  /// @param between is called now and then, for what else wants a turn
  void step(View<const float, 3> old_action, View<float, 3> new_action, Part part, const Band& band,
            const std::function<void()>& between);

  /// Shifts the frequencies of the owned cells by what dt [s] of the current makes; nothing without one.
  void shift_frequencies(View<float, 3> action, double dt);

  /// The longest step [s] (frequency) for which transport is positive and stable in the owned cells.
  std::vector<double> cfl_limits() const;

  std::int64_t memory_bytes() const;

  /// The share of (owned cell, frequency) pairs whose turning is implicit with a step of dt [s].
  double implicit_share(double dt);

 private:
  bool second_order() const { return options_.scheme == Scheme::second_order; }
  void make_slopes(View<const float, 3> old_action, SlopePlan::Made made, const Band& band);
  void advance_upwind(View<const float, 3> old_action, View<float, 3> new_action, LocalIndex cell,
                      const Band& band);
  void advance_second_order(View<const float, 3> old_action, View<float, 3> new_action, LocalIndex cell,
                            std::span<const LocalIndex> places, const Band& band);
  void turn_fast(View<float, 3> new_action, LocalIndex cell, const Band& band);
  Inflows inflows(View<const float, 3> old_action, LocalIndex cell, std::span<const LocalIndex> places,
                  const Band& band);
  Donor donor(View<const float, 3> old_action, LocalIndex cell, int edge, LocalIndex place, const Band& band);
  Outflow outflow(LocalIndex cell, const Band& band) const;
  const float* turned(const float* rows, int whole_turn, int n_rows, std::size_t place);
  float* slopes(LocalIndex place, int component);
  Current current(LocalIndex known) const {
    return water_.currents.empty() ? Current{} : water_.currents[known];
  }

  int n_frequencies_, n_directions_;
  LocalIndex n_owned_;
  TransportOptions options_;
  std::vector<Band> bands_;
  const DispersionTables& tables_;
  FlowTables flows_;
  Turning turning_;
  Water water_;
  FrequencyShift shift_;
  std::vector<float> sine_, cosine_;  ///< of directions
  CellGroup inner_, boundary_;
  std::vector<float> steps_s_;  ///< (frequency) of the step that was prepared
  double prepared_ = 0;
  int most_rows_ = 0;  ///< of a band

  // Scratch: the slopes of cells, and what belongs to the cell at hand.
  std::vector<float> slopes_, turned_, padded_, current_rows_, row_;
  std::vector<BlockEntries> blocks_;
  std::vector<Donor> donors_;
  std::vector<const float*> soon_;
  std::vector<Beside> beside_;
};

}  // namespace halcyon::wave
