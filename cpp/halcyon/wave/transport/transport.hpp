#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/base/flush_denormals.hpp"
#include "halcyon/base/view.hpp"
#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/wave/medium.hpp"
#include "halcyon/wave/transport/flow_tables.hpp"
#include "halcyon/wave/transport/kernels/schemes.hpp"
#include "halcyon/wave/transport/options.hpp"
#include "halcyon/wave/transport/turning.hpp"

namespace halcyon::wave {

/// Transport of wave action over the cells of one rank: advection with the group velocity and the current by
/// first- or second-order upwind fluxes through edges along great circles (the spectrum of a flux through an
/// edge is rotated by the change of compass direction between the two cells), and refraction. Land and the
/// outer boundary absorb all outflow, and no waves come from there. Advection and explicit turning use the
/// same old spectra; turning that is too fast for an explicit step is implicit.
class Transport {
 public:
  /// Inner cells are the owned cells that read no halo cell; boundary cells are the other owned cells.
  enum class Part { inner, boundary };

  /// @param tables of all local cells (owned and halo), held by reference: call set_water if they change
  /// @throws ConfigError where the mesh has fewer halo layers than the scheme needs
  Transport(const decomposition::LocalMesh& local, const SpectralGrid& grid, const DispersionTables& tables,
            const TransportOptions& options, std::vector<Band> bands)
      : n_frequencies_(grid.n_frequencies),
        n_directions_(grid.n_directions),
        n_owned_(local.part.cells().n_owned),
        options_(options),
        bands_(std::move(bands)),
        tables_(tables),
        flows_(local.mesh, n_owned_, n_slope_cells(local, options.scheme), grid, options),
        turning_(flows_, grid, options),
        shift_(grid),
        inner_(flows_, options.scheme, cells_of(local, flows_, options.scheme, true)),
        boundary_(flows_, options.scheme, cells_of(local, flows_, options.scheme, false)),
        row_(grid.n_directions),
        blocks_(flows_.n_blocks()) {
    for (const double theta : grid.direction) {
      sine_.push_back(static_cast<float>(std::sin(theta)));
      cosine_.push_back(static_cast<float>(std::cos(theta)));
    }
    std::size_t max_neighbours = 0;
    for (LocalIndex cell = 0; cell < flows_.n_slope_cells(); ++cell)
      max_neighbours = std::max(max_neighbours, flows_.gradient_neighbours(cell).size());
    for (const auto& band : bands_) max_rows_ = std::max(max_rows_, band.end - band.first);
    const std::size_t n = n_directions_, n_slots = std::max(inner_.plan.n_slots(), boundary_.plan.n_slots());
    slopes_.resize(n_slots * 3 * max_rows_ * n);
    rotated_.resize(max_neighbours * 3 * max_rows_ * n);
    padded_.resize(is_second_order() ? second_order_scratch_size(n_directions_)
                                     : upwind_scratch_size(n_directions_));
    current_rows_.resize(max_neighbours * max_rows_);
    donors_.resize(flows_.max_inflows());
    neighbours_.resize(max_neighbours);
    set_water({}, {});
  }

  const std::vector<Band>& bands() const { return bands_; }

  /// Updates the coefficients for changed dispersion tables and a changed current.
  /// @param eastward, northward current [m s-1] (local cell); empty: no current
  void set_water(std::span<const float> eastward, std::span<const float> northward) {
    current_tables_ =
        eastward.empty() ? CurrentTables{} : CurrentTables(flows_, n_owned_, eastward, northward);
    turning_.update(flows_, tables_, current_tables_.gradients);
    prepared_dt_ = 0;
  }

  /// Prepares transport steps of dt [s], which each band divides into its substeps. Call this before `step`.
  void prepare(double dt) {
    if (dt == prepared_dt_) return;
    prepared_dt_ = dt;
    std::vector<double> substeps_s;
    for (const auto& band : bands_)
      substeps_s.insert(substeps_s.end(), band.end - band.first, dt / band.n_steps);
    substeps_s_.assign(substeps_s.begin(), substeps_s.end());
    turning_.choose_steps(flows_, tables_, current_tables_.currents, substeps_s);
  }

  /// Advances the spectra of inner or boundary cells by one substep of a band.
  /// @param old_action [m2 s2] (local cell, frequency, direction); boundary cells need up-to-date halo cells
  /// @param new_action [m2 s2] (local cell, frequency, direction); only owned cells are written
  /// @param on_poll called every kCellsPerPoll cells, to progress messages
  void step(View<const float, 3> old_action, View<float, 3> new_action, Part part, const Band& band,
            const std::function<void()>& on_poll) {
    constexpr std::size_t kCellsPerPoll = 64;
    const FlushDenormals flush_denormals;
    const auto& group = part == Part::inner ? inner_ : boundary_;
    for (std::size_t i = 0; i < group.cells.size(); ++i) {
      if (i % kCellsPerPoll == 0) on_poll();
      const auto cell = group.cells[i];
      for (int block = 0; block < flows_.n_blocks(); ++block)
        blocks_[block] = flows_.block_entries(cell, block);
      next_rows_.clear();
      for (const auto next : group.first_reads(i + 1)) next_rows_.push_back(&old_action(next, band.first, 0));
      if (i + 1 < group.cells.size()) next_rows_.push_back(&new_action(group.cells[i + 1], band.first, 0));
      if (is_second_order()) {
        for (const auto& assignment : group.plan.new_slopes(i)) compute_slopes(old_action, assignment, band);
        advance_second_order(old_action, new_action, cell, group.plan.slots(i), band);
      } else {
        advance_upwind(old_action, new_action, cell, band);
      }
      turn_implicitly(new_action, cell, band);
    }
  }

  /// Shifts the intrinsic frequencies of the owned cells over dt [s], if there is a current.
  void shift_frequencies(View<float, 3> action, double dt) {
    if (!current_tables_.currents.empty())
      shift_.step(flows_, tables_, current_tables_, {0, n_owned_}, dt, action);
  }

  /// Returns the longest step [s] (frequency) for which transport is positive and stable in the owned cells.
  std::vector<double> cfl_limits() const {
    std::vector<double> limits;
    for (int f = 0; f < n_frequencies_; ++f) {
      double fastest = 0;  // [s-1]
      for (LocalIndex cell = 0; cell < n_owned_; ++cell) {
        const double rate = tables_.group_speed()(cell, f) * flows_.largest_outflow(cell, f) +
                            current(cell).outflow + 2 * turning_.largest_current_rate(cell);
        fastest = std::max(fastest, rate);
      }
      limits.push_back(1 / fastest);
    }
    return limits;
  }

  std::int64_t memory_bytes() const {
    std::size_t n = slopes_.size() + rotated_.size() + padded_.size() + current_tables_.inflow_rates.size();
    return static_cast<std::int64_t>(n * sizeof(float) + current_tables_.currents.size() * sizeof(Current) +
                                     current_tables_.gradients.size() * sizeof(CurrentGradient)) +
           flows_.memory_bytes() + turning_.memory_bytes();
  }

  /// Returns the fraction of (owned cell, frequency) pairs whose turning is implicit with a step of dt [s].
  double implicit_share(double dt) {
    prepare(dt);
    return turning_.implicit_share(n_owned_);
  }

 private:
  /// Returns n: slopes are computed in the local cells 0 .. n - 1.
  static LocalIndex n_slope_cells(const decomposition::LocalMesh& local, Scheme scheme) {
    const auto& cells = local.part.cells();
    const auto layers = std::ssize(cells.layer_offsets) - 1;
    const bool has_no_halo = cells.size() == cells.n_owned;
    require<ConfigError>(
        has_no_halo || layers >= halo_layers(scheme),
        "The second-order scheme needs {} halo layers, but there are {}. Set exchange.layers = auto, or "
        "equations.scheme = upwind.",
        halo_layers(scheme), layers);
    return scheme == Scheme::upwind || has_no_halo ? cells.n_owned : cells.layer_offsets[1];
  }
  static std::vector<LocalIndex> cells_of(const decomposition::LocalMesh& local, const FlowTables& flows,
                                          Scheme scheme, bool inner) {
    std::vector<LocalIndex> cells;
    for (LocalIndex cell = 0; cell < local.part.cells().n_owned; ++cell) {
      const bool is_inner = cell < local.part.n_inner &&
                            (scheme == Scheme::upwind ||
                             std::ranges::all_of(
                                 flows.inflows(cell),
                                 [&](const auto& inflow) { return inflow.neighbour < local.part.n_inner; }));
      if (is_inner == inner) cells.push_back(cell);
    }
    return cells;
  }
  bool is_second_order() const { return options_.scheme == Scheme::second_order; }
  /// Computes the reconstruction (N* and slopes) in a cell, and stores it in the assigned slot of slopes_.
  void compute_slopes(View<const float, 3> old_action, SlopePlan::Assignment assignment, const Band& band) {
    const auto cell = assignment.cell;
    const auto neighbours = flows_.gradient_neighbours(cell);
    const int first = band.first, n_rows = band.end - band.first;
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const auto& neighbour = neighbours[i];
      neighbours_[i] = {rotated(&old_action(neighbour.cell, first, 0), neighbour.turn_bins, n_rows, i),
                        &tables_.group_speed()(neighbour.cell, first), neighbour.east, neighbour.north};
    }
    const OutflowGeometry geometry{flows_.advective_outflow(cell),   flows_.diffusive_outflow(cell),
                                   flows_.outflow_moment_east(cell), flows_.outflow_moment_north(cell),
                                   flows_.extent_along(cell),        flows_.extent_across(cell)};
    limited_slopes(n_rows, n_directions_, &old_action(cell, first, 0),
                   std::span(neighbours_).first(neighbours.size()), sine_.data(), cosine_.data(),
                   flows_.turn_gradient_east(cell), flows_.turn_gradient_north(cell), geometry, current(cell),
                   &tables_.group_speed()(cell, first), &flows_.diffusion_factor()[first],
                   turning_.explicit_fraction(cell) + first, substeps_s_[first], next_rows_,
                   {slopes(assignment.slot, 0), slopes(assignment.slot, 1), slopes(assignment.slot, 2)});
    next_rows_.clear();
  }
  void advance_upwind(View<const float, 3> old_action, View<float, 3> new_action, LocalIndex cell,
                      const Band& band) {
    upwind(band.end - band.first, n_directions_, &old_action(cell, band.first, 0),
           inflows(old_action, cell, {}, band), outflow(cell, band),
           turning_.explicit_rates(cell, band.first), substeps_s_[band.first], next_rows_, padded_,
           &new_action(cell, band.first, 0));
  }
  void advance_second_order(View<const float, 3> old_action, View<float, 3> new_action, LocalIndex cell,
                            std::span<const LocalIndex> slots, const Band& band) {
    auto cell_outflow = outflow(cell, band);
    cell_outflow.reconstruction = {
        .value = slopes(slots[0], 0), .east = slopes(slots[0], 1), .north = slopes(slots[0], 2)};
    second_order_step(band.end - band.first, n_directions_, &old_action(cell, band.first, 0),
                      inflows(old_action, cell, slots, band),
                      {flows_.correction_up(cell), flows_.correction_down(cell)}, cell_outflow,
                      turning_.explicit_rates(cell, band.first), turning_.n_second_order(cell) - band.first,
                      substeps_s_[band.first], padded_, &new_action(cell, band.first, 0));
  }
  void turn_implicitly(View<float, 3> new_action, LocalIndex cell, const Band& band) {
    for (int f = band.first; f < band.end; ++f) {
      if (turning_.is_explicit(cell, f)) continue;
      const auto rates = turning_.rates(cell, f);
      turn_implicit(n_directions_, *rates.sine, *rates.cosine, rates.face_sine, rates.face_cosine,
                    substeps_s_[f], row_.data(), &new_action(cell, f, 0));
    }
  }
  Inflows inflows(View<const float, 3> old_action, LocalIndex cell, std::span<const LocalIndex> slots,
                  const Band& band) {
    const auto n_inflows = flows_.inflows(cell).size();
    for (std::size_t edge = 0; edge < n_inflows; ++edge) {
      const auto slot = slots.empty() ? kNone : slots[edge + 1];
      donors_[edge] = donor(old_action, cell, static_cast<int>(edge), slot, band);
    }
    return {blocks_, std::span(donors_).first(n_inflows), flows_.n_clockwise(cell),
            flows_.two_over_weight_sum(cell), &flows_.diffusion_factor()[band.first]};
  }
  Donor donor(View<const float, 3> old_action, LocalIndex cell, int edge, LocalIndex slot, const Band& band) {
    const auto& inflow = flows_.inflows(cell)[edge];
    const std::size_t slot_of_edge = static_cast<std::size_t>(edge) * 3;  // in rotated_
    const int n_rows = band.end - band.first;
    Donor donor{.edge_east = inflow.edge_east,
                .edge_north = inflow.edge_north,
                .group_speed = &tables_.group_speed()(inflow.neighbour, band.first),
                .turned_fraction = inflow.turned_fraction};
    if (is_second_order()) {
      donor.value = rotated(slopes(slot, 0), inflow.turn_bins, n_rows, slot_of_edge);
      donor.east = rotated(slopes(slot, 1), inflow.turn_bins, n_rows, slot_of_edge + 1);
      donor.north = rotated(slopes(slot, 2), inflow.turn_bins, n_rows, slot_of_edge + 2);
    } else {
      donor.value =
          rotated(&old_action(inflow.neighbour, band.first, 0), inflow.turn_bins, n_rows, slot_of_edge);
    }
    if (!current_tables_.inflow_rates.empty() &&
        current_tables_.inflow_rates[flows_.inflow_offset(cell) + edge] > 0) {
      float* rates = &current_rows_[static_cast<std::size_t>(edge) * max_rows_];
      for (int row = 0; row < n_rows; ++row)
        rates[row] = current_tables_.inflow_rates[flows_.inflow_offset(cell) + edge] / donor.group_speed[row];
      donor.current = rates;
    }
    return donor;
  }
  Outflow outflow(LocalIndex cell, const Band& band) const {
    const auto cell_current = current(cell);
    return {.advective = flows_.advective_outflow(cell),
            .diffusive = flows_.diffusive_outflow(cell),
            .east = flows_.outflow_moment_east(cell),
            .north = flows_.outflow_moment_north(cell),
            .group_speed = &tables_.group_speed()(cell, band.first),
            .diffusion_factor = &flows_.diffusion_factor()[band.first],
            .current = cell_current.outflow,
            .current_east = cell_current.outflow_east,
            .current_north = cell_current.outflow_north,
            .reconstruction = {}};
  }
  /// Returns rows of a neighbour, rotated by whole bins into the cell's compass directions.
  /// @param slot of the buffer rotated_ that receives the rows if they must be rotated
  const float* rotated(const float* rows, int turn_bins, int n_rows, std::size_t slot) {
    if (turn_bins == 0) return rows;
    const int n = n_directions_, first = ((turn_bins % n) + n) % n;
    float* result = &rotated_[slot * max_rows_ * n];
    for (int row = 0; row < n_rows; ++row, rows += n) {
      copy_floats(rows + n - first, first, result + row * n);
      copy_floats(rows, n - first, result + row * n + first);
    }
    return result;
  }
  /// Returns cg N* (component 0) or its east or north slope (1, 2) in a slot of slopes_ (row, direction).
  float* slopes(LocalIndex slot, int component) {
    return &slopes_[(static_cast<std::size_t>(slot) * 3 + component) * max_rows_ * n_directions_];
  }
  Current current(LocalIndex cell) const {
    return current_tables_.currents.empty() ? Current{} : current_tables_.currents[cell];
  }

  int n_frequencies_, n_directions_;
  LocalIndex n_owned_;
  TransportOptions options_;
  std::vector<Band> bands_;
  const DispersionTables& tables_;
  FlowTables flows_;
  Turning turning_;
  CurrentTables current_tables_;
  FrequencyShift shift_;
  std::vector<float> sine_, cosine_;  ///< (direction)
  CellGroup inner_, boundary_;        ///< owned cells in two groups, see Part
  std::vector<float> substeps_s_;     ///< (frequency) of the prepared step
  double prepared_dt_ = 0;            ///< [s]; 0: none
  int max_rows_ = 0;                  ///< largest number of frequencies of a band

  // Scratch: slopes_ of cells in slots (see SlopePlan); for the cell being advanced: rotated_ rows of its
  // neighbours, padded_ rows of the kernels, current_rows_ (see Donor::current), row_ of turn_implicit.
  std::vector<float> slopes_, rotated_, padded_, current_rows_, row_;
  std::vector<BlockEntries> blocks_;
  std::vector<Donor> donors_;
  std::vector<const float*> next_rows_;
  std::vector<GradientNeighbour> neighbours_;
};

}  // namespace halcyon::wave
