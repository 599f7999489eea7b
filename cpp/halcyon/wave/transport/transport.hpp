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
            const TransportOptions& options, std::vector<Band> bands)
      : n_frequencies_(grid.n_frequencies),
        n_directions_(grid.n_directions),
        n_owned_(local.part.cells().n_owned),
        options_(options),
        bands_(std::move(bands)),
        tables_(tables),
        flows_(local.mesh, n_owned_, n_known(local, options.scheme), grid, options),
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
    std::size_t most_beside = 0;
    for (LocalIndex cell = 0; cell < flows_.n_known(); ++cell)
      most_beside = std::max(most_beside, flows_.beside(cell).size());
    for (const auto& band : bands_) most_rows_ = std::max(most_rows_, band.end - band.first);
    const std::size_t n = n_directions_,
                      n_places = std::max(inner_.plan.n_places(), boundary_.plan.n_places());
    slopes_.resize(n_places * 3 * most_rows_ * n);
    turned_.resize(most_beside * 3 * most_rows_ * n);
    padded_.resize(second_order() ? second_order_scratch_size(n_directions_)
                                  : upwind_scratch_size(n_directions_));
    current_rows_.resize(most_beside * most_rows_);
    donors_.resize(flows_.most_inflows());
    beside_.resize(most_beside);
    set_water({}, {});
  }

  const std::vector<Band>& bands() const { return bands_; }

  /// Takes account of tables that have changed, and of a current [m s-1] (local cell), or none where empty.
  void set_water(std::span<const float> eastward, std::span<const float> northward) {
    water_ = eastward.empty() ? Water{} : Water(flows_, n_owned_, eastward, northward);
    turning_.update(flows_, tables_, water_.gradients);
    prepared_ = 0;
  }

  /// To be called before steps of dt [s], of which each band takes its fractions.
  void prepare(double dt) {
    if (dt == prepared_) return;
    prepared_ = dt;
    std::vector<double> steps;
    for (const auto& band : bands_) steps.insert(steps.end(), band.end - band.first, dt / band.n_steps);
    steps_s_.assign(steps.begin(), steps.end());
    turning_.choose(flows_, tables_, water_.currents, steps);
  }

  /// The spectra of some owned cells after one of the steps of a band.
  /// @param old_action, new_action [m2 s2] (local cell, frequency, direction); halo cells are read
  /// @param between is called now and then, for what else wants a turn
  void step(View<const float, 3> old_action, View<float, 3> new_action, Part part, const Band& band,
            const std::function<void()>& between) {
    constexpr std::size_t kBetween = 64;
    const FlushDenormals guard;
    const auto& group = part == Part::inner ? inner_ : boundary_;
    for (std::size_t i = 0; i < group.cells.size(); ++i) {
      if (i % kBetween == 0) between();
      const auto cell = group.cells[i];
      for (int block = 0; block < flows_.n_blocks(); ++block) blocks_[block] = flows_.block(cell, block);
      soon_.clear();
      for (const auto next : group.soon(i + 1)) soon_.push_back(&old_action(next, band.first, 0));
      if (i + 1 < group.cells.size()) soon_.push_back(&new_action(group.cells[i + 1], band.first, 0));
      if (second_order()) {
        for (const auto& made : group.plan.made(i)) make_slopes(old_action, made, band);
        advance_second_order(old_action, new_action, cell, group.plan.places(i), band);
      } else {
        advance_upwind(old_action, new_action, cell, band);
      }
      turn_fast(new_action, cell, band);
    }
  }

  /// Shifts the frequencies of the owned cells by what dt [s] of the current makes; nothing without one.
  void shift_frequencies(View<float, 3> action, double dt) {
    if (!water_.currents.empty()) shift_.step(flows_, tables_, water_, {0, n_owned_}, dt, action);
  }

  /// The longest step [s] (frequency) for which transport is positive and stable in the owned cells.
  std::vector<double> cfl_limits() const {
    std::vector<double> limits;
    for (int f = 0; f < n_frequencies_; ++f) {
      double fastest = 0;
      for (LocalIndex cell = 0; cell < n_owned_; ++cell) {
        const double rate = tables_.group_speed()(cell, f) * flows_.largest_outflow(cell, f) +
                            current(cell).outflow + 2 * turning_.fastest_by_current(cell);
        fastest = std::max(fastest, rate);
      }
      limits.push_back(1 / fastest);
    }
    return limits;
  }

  std::int64_t memory_bytes() const {
    std::size_t n = slopes_.size() + turned_.size() + padded_.size() + water_.inflows.size();
    return static_cast<std::int64_t>(n * sizeof(float) + water_.currents.size() * sizeof(Current) +
                                     water_.gradients.size() * sizeof(CurrentGradient)) +
           flows_.memory_bytes() + turning_.memory_bytes();
  }

  /// The share of (owned cell, frequency) pairs whose turning is implicit with a step of dt [s].
  double implicit_share(double dt) {
    prepare(dt);
    return turning_.implicit_share(n_owned_);
  }

 private:
  /// Cells whose slopes are needed: the owned, and those beside them.
  static LocalIndex n_known(const decomposition::LocalMesh& local, Scheme scheme) {
    const auto& cells = local.part.cells();
    const auto layers = std::ssize(cells.layer_offsets) - 1;
    const bool alone = cells.size() == cells.n_owned;
    require<ConfigError>(
        alone || layers >= halo_layers(scheme),
        "The second-order scheme needs {} halo layers, but there are {}. Give exchange.layers "
        "= auto, or take equations.scheme = upwind.",
        halo_layers(scheme), layers);
    return scheme == Scheme::upwind || alone ? cells.n_owned : cells.layer_offsets[1];
  }
  /// Owned cells for which no halo value is read, or the others.
  static std::vector<LocalIndex> cells_of(const decomposition::LocalMesh& local, const FlowTables& flows,
                                          Scheme scheme, bool inner) {
    std::vector<LocalIndex> found;
    for (LocalIndex cell = 0; cell < local.part.cells().n_owned; ++cell) {
      const bool is_inner = cell < local.part.n_inner &&
                            (scheme == Scheme::upwind ||
                             std::ranges::all_of(
                                 flows.inflows(cell),
                                 [&](const auto& inflow) { return inflow.neighbour < local.part.n_inner; }));
      if (is_inner == inner) found.push_back(cell);
    }
    return found;
  }
  bool second_order() const { return options_.scheme == Scheme::second_order; }
  void make_slopes(View<const float, 3> old_action, SlopePlan::Made made, const Band& band) {
    const auto cell = made.cell;
    const auto neighbours = flows_.beside(cell);
    const int first = band.first, n_rows = band.end - band.first;
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const auto& each = neighbours[i];
      beside_[i] = {turned(&old_action(each.cell, first, 0), each.whole_turn, n_rows, i),
                    &tables_.group_speed()(each.cell, first), each.east, each.north};
    }
    const Reach reach{flows_.direct(cell),    flows_.exchange(cell), flows_.out_east(cell),
                      flows_.out_north(cell), flows_.ahead(cell),    flows_.aside(cell)};
    limited_slopes(
        n_rows, n_directions_, &old_action(cell, first, 0), std::span(beside_).first(neighbours.size()),
        sine_.data(), cosine_.data(), flows_.turn_east(cell), flows_.turn_north(cell), reach, current(cell),
        &tables_.group_speed()(cell, first), &flows_.exchange_share()[first], turning_.taken(cell) + first,
        steps_s_[first], soon_, {slopes(made.place, 0), slopes(made.place, 1), slopes(made.place, 2)});
    soon_.clear();
  }
  void advance_upwind(View<const float, 3> old_action, View<float, 3> new_action, LocalIndex cell,
                      const Band& band) {
    upwind(band.end - band.first, n_directions_, &old_action(cell, band.first, 0),
           inflows(old_action, cell, {}, band), outflow(cell, band),
           turning_.explicit_rates(cell, band.first), steps_s_[band.first], soon_, padded_,
           &new_action(cell, band.first, 0));
  }
  void advance_second_order(View<const float, 3> old_action, View<float, 3> new_action, LocalIndex cell,
                            std::span<const LocalIndex> places, const Band& band) {
    auto leaving = outflow(cell, band);
    leaving.own = {
        .value = slopes(places[0], 0), .east = slopes(places[0], 1), .north = slopes(places[0], 2)};
    second_order_step(band.end - band.first, n_directions_, &old_action(cell, band.first, 0),
                      inflows(old_action, cell, places, band),
                      {flows_.spread_up(cell), flows_.spread_down(cell)}, leaving,
                      turning_.explicit_rates(cell, band.first), turning_.n_noticeable(cell) - band.first,
                      steps_s_[band.first], padded_, &new_action(cell, band.first, 0));
  }
  /// Turns the frequencies whose turning is implicit.
  void turn_fast(View<float, 3> new_action, LocalIndex cell, const Band& band) {
    for (int f = band.first; f < band.end; ++f) {
      if (turning_.is_explicit(cell, f)) continue;
      const auto fast = turning_.rates(cell, f);
      turn_implicit(n_directions_, *fast.sine, *fast.cosine, fast.face_sine, fast.face_cosine, steps_s_[f],
                    row_.data(), &new_action(cell, f, 0));
    }
  }
  Inflows inflows(View<const float, 3> old_action, LocalIndex cell, std::span<const LocalIndex> places,
                  const Band& band) {
    const auto n_inflows = flows_.inflows(cell).size();
    for (std::size_t edge = 0; edge < n_inflows; ++edge) {
      const auto place = places.empty() ? kNone : places[edge + 1];
      donors_[edge] = donor(old_action, cell, static_cast<int>(edge), place, band);
    }
    return {blocks_, std::span(donors_).first(n_inflows), flows_.n_growing(cell),
            flows_.two_over_weight(cell), &flows_.exchange_share()[band.first]};
  }
  Donor donor(View<const float, 3> old_action, LocalIndex cell, int edge, LocalIndex place,
              const Band& band) {
    const auto& inflow = flows_.inflows(cell)[edge];
    const std::size_t at = static_cast<std::size_t>(edge) * 3;
    const int n_rows = band.end - band.first;
    Donor found{.beyond_east = inflow.beyond_east,
                .beyond_north = inflow.beyond_north,
                .group_speed = &tables_.group_speed()(inflow.neighbour, band.first),
                .turned = inflow.turned};
    if (second_order()) {
      found.value = turned(slopes(place, 0), inflow.whole_turn, n_rows, at);
      found.east = turned(slopes(place, 1), inflow.whole_turn, n_rows, at + 1);
      found.north = turned(slopes(place, 2), inflow.whole_turn, n_rows, at + 2);
    } else {
      found.value = turned(&old_action(inflow.neighbour, band.first, 0), inflow.whole_turn, n_rows, at);
    }
    if (!water_.inflows.empty() && water_.inflows[flows_.first_inflow(cell) + edge] > 0) {
      float* rows = &current_rows_[static_cast<std::size_t>(edge) * most_rows_];
      for (int row = 0; row < n_rows; ++row)
        rows[row] = water_.inflows[flows_.first_inflow(cell) + edge] / found.group_speed[row];
      found.current = rows;
    }
    return found;
  }
  Outflow outflow(LocalIndex cell, const Band& band) const {
    const auto moving = current(cell);
    return {.direct = flows_.direct(cell),
            .exchange = flows_.exchange(cell),
            .east = flows_.out_east(cell),
            .north = flows_.out_north(cell),
            .group_speed = &tables_.group_speed()(cell, band.first),
            .exchange_share = &flows_.exchange_share()[band.first],
            .current = moving.outflow,
            .current_east = moving.outflow_east,
            .current_north = moving.outflow_north,
            .own = {}};
  }
  /// Some rows of a neighbour, turned by whole bins into the cell's compass.
  const float* turned(const float* rows, int whole_turn, int n_rows, std::size_t place) {
    if (whole_turn == 0) return rows;
    const int n = n_directions_, first = ((whole_turn % n) + n) % n;
    float* found = &turned_[place * most_rows_ * n];
    for (int row = 0; row < n_rows; ++row, rows += n) {
      copy_numbers(rows + n - first, first, found + row * n);
      copy_numbers(rows, n - first, found + row * n + first);
    }
    return found;
  }
  /// The slopes in a place, of the rows of a band.
  float* slopes(LocalIndex place, int component) {
    return &slopes_[(static_cast<std::size_t>(place) * 3 + component) * most_rows_ * n_directions_];
  }
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
