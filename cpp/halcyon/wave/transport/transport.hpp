#pragma once

#include <algorithm>
#include <array>
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
/// outer boundary absorb all outflow, and no waves come from there. Advection and explicit turning start from
/// the same spectra. At second order refraction is split from this step: half of it precedes and half follows
/// the step (Strang 1968). At first order only turning that is too fast is split; it follows and is implicit.
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
        inner_(flows_, options.scheme, owned_cells(local, flows_, options.scheme, Part::inner)),
        boundary_(flows_, options.scheme, owned_cells(local, flows_, options.scheme, Part::boundary)),
        turn_scratch_(grid.n_directions),
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
    reconstructions_.resize(n_slots * kComponents * max_rows_ * n);
    rotated_.resize(max_neighbours * kComponents * max_rows_ * n);
    kernel_scratch_.resize(is_second_order() ? second_order_scratch_size(n_directions_)
                                             : upwind_scratch_size(n_directions_));
    current_weights_.resize(max_neighbours * max_rows_);
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
      substeps_s.insert(substeps_s.end(), band.end - band.first, dt / band.n_substeps);
    substeps_s_.assign(substeps_s.begin(), substeps_s.end());
    turning_.choose_explicit_or_split(flows_, tables_, current_tables_.currents, substeps_s);
  }
  /// Turns the spectra of an owned cell by half a substep of a band, for the second-order scheme, at the
  /// frequencies whose turning is split from the step. Call this for each cell that `step` may change, before
  /// the halo exchange that precedes `step`.
  void turn_before_step(View<float, 3> action, LocalIndex cell, const Band& band) {
    if (is_second_order()) turn_split_frequencies(action, cell, band);
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
      turn_split_frequencies(new_action, cell, band);
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
      double largest_rate = 0;  // [s-1]
      for (LocalIndex cell = 0; cell < n_owned_; ++cell) {
        const double rate = tables_.group_speed()(cell, f) * flows_.largest_outflow(cell, f) +
                            current(cell).outflow + 2 * turning_.explicit_turning_by_current(cell);
        largest_rate = std::max(largest_rate, rate);
      }
      limits.push_back(1 / largest_rate);
    }
    return limits;
  }
  std::int64_t memory_bytes() const {
    std::size_t n = reconstructions_.size() + rotated_.size() + kernel_scratch_.size() +
                    current_tables_.inflow_rates.size();
    return static_cast<std::int64_t>(n * sizeof(float) + current_tables_.currents.size() * sizeof(Current) +
                                     current_tables_.gradients.size() * sizeof(CurrentGradient)) +
           flows_.memory_bytes() + turning_.memory_bytes();
  }
  /// Returns the fraction of (owned cell, frequency) pairs whose turning is split from a step of dt [s].
  double split_share(double dt) {
    prepare(dt);
    return turning_.split_share(n_owned_);
  }

 private:
  /// Arrays (row, direction) of a cell's reconstruction: cg N* and the limited slopes of cg N.
  enum Component { kValue, kSlopeEast, kSlopeNorth, kComponents };
  /// Returns the number of slope cells (see FlowTables), which are the first local cells.
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
  /// Returns the owned cells of a part. For slopes, a second-order cell also reads its neighbours'
  /// neighbours.
  static std::vector<LocalIndex> owned_cells(const decomposition::LocalMesh& local, const FlowTables& flows,
                                             Scheme scheme, Part part) {
    std::vector<LocalIndex> cells;
    for (LocalIndex cell = 0; cell < local.part.cells().n_owned; ++cell) {
      const bool is_inner = cell < local.part.n_inner &&
                            (scheme == Scheme::upwind ||
                             std::ranges::all_of(
                                 flows.inflows(cell),
                                 [&](const auto& inflow) { return inflow.neighbour < local.part.n_inner; }));
      if (is_inner == (part == Part::inner)) cells.push_back(cell);
    }
    return cells;
  }
  bool is_second_order() const { return options_.scheme == Scheme::second_order; }
  /// Computes the reconstruction (cg N* and slopes) in a cell, in the assigned slot of reconstructions_.
  void compute_slopes(View<const float, 3> old_action, SlopePlan::Assignment assignment, const Band& band) {
    const auto cell = assignment.cell;
    const auto neighbours = flows_.gradient_neighbours(cell);
    const int first = band.first, n_rows = band.end - band.first;
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const auto& neighbour = neighbours[i];
      neighbours_[i] = {
          .action = rotated(&old_action(neighbour.cell, first, 0), neighbour.turn_bins, n_rows, i),
          .group_speed = &tables_.group_speed()(neighbour.cell, first),
          .gradient_weight_east = neighbour.gradient_weight_east,
          .gradient_weight_north = neighbour.gradient_weight_north};
    }
    const OutflowGeometry geometry{flows_.advective_outflow(cell),   flows_.diffusive_outflow(cell),
                                   flows_.outflow_moment_east(cell), flows_.outflow_moment_north(cell),
                                   flows_.extent_along(cell),        flows_.extent_behind(cell),
                                   flows_.extent_across(cell)};
    compute_limited_slopes(
        n_rows, n_directions_, &old_action(cell, first, 0), std::span(neighbours_).first(neighbours.size()),
        sine_.data(), cosine_.data(), flows_.turn_gradient_east(cell), flows_.turn_gradient_north(cell),
        geometry, current(cell), &tables_.group_speed()(cell, first), &flows_.diffusion_factor()[first],
        turning_.explicit_fraction(cell) + first, substeps_s_[first], next_rows_,
        {.value = component(assignment.slot, kValue),
         .slope_east = component(assignment.slot, kSlopeEast),
         .slope_north = component(assignment.slot, kSlopeNorth)});
    next_rows_.clear();  // prefetched once
  }
  void advance_upwind(View<const float, 3> old_action, View<float, 3> new_action, LocalIndex cell,
                      const Band& band) {
    upwind_step(band.end - band.first, n_directions_, &old_action(cell, band.first, 0),
                inflows(old_action, cell, /*slots=*/{}, band), outflow(cell, band),
                turning_.explicit_rates(cell, band.first), substeps_s_[band.first], next_rows_,
                kernel_scratch_, &new_action(cell, band.first, 0));
  }
  void advance_second_order(View<const float, 3> old_action, View<float, 3> new_action, LocalIndex cell,
                            std::span<const LocalIndex> slots, const Band& band) {
    auto cell_outflow = outflow(cell, band);
    cell_outflow.reconstruction = {.value = component(slots[0], kValue),
                                   .slope_east = component(slots[0], kSlopeEast),
                                   .slope_north = component(slots[0], kSlopeNorth)};
    second_order_step(band.end - band.first, n_directions_, &old_action(cell, band.first, 0),
                      inflows(old_action, cell, slots, band),
                      {.up = flows_.correction_up(cell), .down = flows_.correction_down(cell)}, cell_outflow,
                      turning_.explicit_rates(cell, band.first), substeps_s_[band.first], kernel_scratch_,
                      &new_action(cell, band.first, 0));
  }
  /// Turns the spectra whose turning is split from the step: at second order by half a substep.
  void turn_split_frequencies(View<float, 3> action, LocalIndex cell, const Band& band) {
    std::array<float, kMaxRows> max_rates{};
    for (int f = band.first, n_rows = 1; f < band.end; f += n_rows) {
      n_rows = 1;
      if (turning_.is_explicit(cell, f)) continue;
      const auto rates = turning_.split_rates(cell, f);
      float* row = &action(cell, f, 0);
      if (!is_second_order()) {
        turn_implicit(n_directions_, *rates.sine_rate, *rates.cosine_rate, rates.face.sine, rates.face.cosine,
                      substeps_s_[f], turn_scratch_.data(), row);
        continue;
      }
      // Rows with equal numbers of substeps are turned together, so that results do not depend on the bands.
      const float dt = substeps_s_[f] / 2;
      const auto n_substeps = [&](int frequency, float& max_rate) {
        max_rate = turning_.largest_split_rate(cell, frequency);
        return std::max(1, static_cast<int>(std::ceil(2 * max_rate * dt)));
      };
      const int n = n_substeps(f, max_rates[0]);
      while (n_rows < kMaxRows && f + n_rows < band.end && !turning_.is_explicit(cell, f + n_rows) &&
             n_substeps(f + n_rows, max_rates[n_rows]) == n)
        ++n_rows;
      turn_in_substeps(n_rows, n_directions_, rates, max_rates, n, dt, kernel_scratch_, row);
    }
  }
  /// @param slots of the cell, then of the donors (see SlopePlan); empty at first order
  Inflows inflows(View<const float, 3> old_action, LocalIndex cell, std::span<const LocalIndex> slots,
                  const Band& band) {
    const auto n_inflows = flows_.inflows(cell).size();
    for (std::size_t i = 0; i < n_inflows; ++i) {
      const auto slot = slots.empty() ? kNone : slots[i + 1];
      donors_[i] = donor(old_action, cell, static_cast<int>(i), slot, band);
    }
    return {.blocks = blocks_,
            .donors = std::span(donors_).first(n_inflows),
            .n_clockwise = flows_.n_clockwise(cell),
            .two_over_weight_sum = flows_.two_over_weight_sum(cell),
            .diffusion_factor = &flows_.diffusion_factor()[band.first]};
  }
  /// Returns the donor of the i-th inflow of a cell.
  Donor donor(View<const float, 3> old_action, LocalIndex cell, int i, LocalIndex slot, const Band& band) {
    const auto& inflow = flows_.inflows(cell)[i];
    const std::size_t rotated_slot = static_cast<std::size_t>(i) * kComponents;
    const int n_rows = band.end - band.first;
    Donor donor{.edge_east = inflow.edge_east,
                .edge_north = inflow.edge_north,
                .group_speed = &tables_.group_speed()(inflow.neighbour, band.first),
                .turned_fraction = inflow.turned_fraction};
    if (is_second_order()) {
      const auto component_of_donor = [&](Component which) {
        return rotated(component(slot, which), inflow.turn_bins, n_rows, rotated_slot + which);
      };
      donor.value = component_of_donor(kValue);
      donor.slope_east = component_of_donor(kSlopeEast);
      donor.slope_north = component_of_donor(kSlopeNorth);
    } else {
      donor.value =
          rotated(&old_action(inflow.neighbour, band.first, 0), inflow.turn_bins, n_rows, rotated_slot);
    }
    const float inflow_rate = current_tables_.inflow_rates.empty()
                                  ? 0
                                  : current_tables_.inflow_rates[flows_.inflow_offset(cell) + i];
    if (inflow_rate > 0) {
      float* weights = &current_weights_[static_cast<std::size_t>(i) * max_rows_];
      for (int row = 0; row < n_rows; ++row) weights[row] = inflow_rate / donor.group_speed[row];
      donor.current_weight = weights;
    }
    return donor;
  }
  Outflow outflow(LocalIndex cell, const Band& band) const {
    const auto cell_current = current(cell);
    return {.advective = flows_.advective_outflow(cell),
            .diffusive = flows_.diffusive_outflow(cell),
            .moment_east = flows_.outflow_moment_east(cell),
            .moment_north = flows_.outflow_moment_north(cell),
            .group_speed = &tables_.group_speed()(cell, band.first),
            .diffusion_factor = &flows_.diffusion_factor()[band.first],
            .current_rate = cell_current.outflow,
            .current_moment_east = cell_current.outflow_moment_east,
            .current_moment_north = cell_current.outflow_moment_north,
            .reconstruction = {}};
  }
  /// Returns rows of a neighbour, rotated by whole bins into the cell's compass directions.
  /// @param slot place in rotated_ that receives the rows if they must be rotated
  const float* rotated(const float* rows, int turn_bins, int n_rows, std::size_t slot) {
    if (turn_bins == 0) return rows;
    const int n = n_directions_, shift = ((turn_bins % n) + n) % n;  // 0 .. n - 1
    float* result = &rotated_[slot * max_rows_ * n];
    for (int row = 0; row < n_rows; ++row, rows += n) {
      copy_floats(rows + n - shift, shift, result + row * n);
      copy_floats(rows, n - shift, result + row * n + shift);
    }
    return result;
  }
  /// Returns an array (row, direction) of the reconstruction in a slot.
  float* component(LocalIndex slot, Component which) {
    const auto array = static_cast<std::size_t>(slot) * kComponents + which;
    return &reconstructions_[array * max_rows_ * n_directions_];
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
  // Scratch memory: reconstructions_ by slot (see SlopePlan); for the cell being advanced, the neighbours'
  // rows in its compass directions (rotated_), and Donor::current_weight (current_weights_).
  std::vector<float> reconstructions_, rotated_, kernel_scratch_, current_weights_, turn_scratch_;
  std::vector<BlockEntries> blocks_;
  std::vector<Donor> donors_;
  std::vector<const float*> next_rows_;  ///< rows that the next cell needs, to be prefetched
  std::vector<GradientNeighbour> neighbours_;
};

}  // namespace halcyon::wave
