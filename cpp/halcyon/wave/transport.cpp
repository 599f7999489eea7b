#include "halcyon/wave/transport.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/error.hpp"
#include "halcyon/base/flush_denormals.hpp"

namespace halcyon::wave {

namespace {

/// Cells whose slopes are needed: the owned, and those beside them.
LocalIndex n_known(const decomposition::LocalMesh& local, Scheme scheme) {
  const auto& cells = local.part.cells();
  const auto layers = std::ssize(cells.layer_offsets) - 1;
  const bool alone = cells.size() == cells.n_owned;
  require<ConfigError>(alone || layers >= halo_layers(scheme),
                       "The second-order scheme needs {} halo layers, but there are {}. Give exchange.layers "
                       "= auto, or take equations.scheme = upwind.",
                       halo_layers(scheme), layers);
  return scheme == Scheme::upwind || alone ? cells.n_owned : cells.layer_offsets[1];
}

/// Owned cells for which no halo value is read, or the others.
std::vector<LocalIndex> cells_of(const decomposition::LocalMesh& local, const FlowTables& flows,
                                 Scheme scheme, bool inner) {
  std::vector<LocalIndex> found;
  for (LocalIndex cell = 0; cell < local.part.cells().n_owned; ++cell) {
    const bool is_inner =
        cell < local.part.n_inner &&
        (scheme == Scheme::upwind ||
         std::ranges::all_of(
             flows.inflows(cell), [&](const auto& inflow) { return inflow.neighbour < local.part.n_inner; }));
    if (is_inner == inner) found.push_back(cell);
  }
  return found;
}

}  // namespace

Transport::Transport(const decomposition::LocalMesh& local, const SpectralGrid& grid,
                     const DispersionTables& tables, const TransportOptions& options, std::vector<Band> bands)
    : n_frequencies_(grid.n_frequencies),
      n_directions_(grid.n_directions),
      n_owned_(local.part.cells().n_owned),
      options_(options),
      bands_(std::move(bands)),
      tables_(tables),
      flows_(local.mesh, n_owned_, n_known(local, options.scheme), grid, options),
      turning_(flows_, grid, options),
      shift_(grid),
      inner_{cells_of(local, flows_, options.scheme, true), {flows_, {}}},
      boundary_{cells_of(local, flows_, options.scheme, false), {flows_, {}}},
      row_(grid.n_directions),
      blocks_(flows_.n_blocks()) {
  for (const double theta : grid.direction) {
    sine_.push_back(static_cast<float>(std::sin(theta)));
    cosine_.push_back(static_cast<float>(std::cos(theta)));
  }
  std::size_t most_beside = 0;
  for (LocalIndex cell = 0; cell < flows_.n_known(); ++cell)
    most_beside = std::max(most_beside, flows_.beside(cell).size());
  if (second_order()) {
    for (auto* each : {&inner_, &boundary_}) each->plan = SlopePlan(flows_, each->cells);
  }
  for (const auto& band : bands_) most_rows_ = std::max(most_rows_, band.end - band.first);
  const std::size_t n = n_directions_, n_places = std::max(inner_.plan.n_places(), boundary_.plan.n_places());
  slopes_.resize(n_places * 3 * most_rows_ * n);
  turned_.resize(most_beside * 3 * kMostRows * n);
  padded_.resize(4 * PaddedRows::size(n_directions_) + transported_scratch_size(n_directions_));
  current_rows_.resize(most_beside * kMostRows);
  donors_.resize(flows_.most_inflows());
  beside_.resize(most_beside);
  set_water({}, {});
}

void Transport::set_water(std::span<const float> eastward, std::span<const float> northward) {
  water_ = eastward.empty() ? Water{} : moving_water(flows_, n_owned_, eastward, northward);
  turning_.update(flows_, tables_, water_.gradients);
  prepared_ = 0;
}

void Transport::prepare(double dt) {
  if (dt == prepared_) return;
  prepared_ = dt;
  std::vector<double> steps;
  for (const auto& band : bands_) steps.insert(steps.end(), band.end - band.first, dt / band.n_steps);
  steps_s_.assign(steps.begin(), steps.end());
  turning_.choose(flows_, tables_, water_.currents, steps);
}

void Transport::step(View<const float, 3> old_action, View<float, 3> new_action, Part part,
                     const Band& band) {
  const FlushDenormals guard;
  const auto& group = part == Part::inner ? inner_ : boundary_;
  for (std::size_t i = 0; i < group.cells.size(); ++i) {
    const auto cell = group.cells[i];
    std::span<const LocalIndex> places;
    if (second_order()) {
      for (const auto& made : group.plan.made(i)) make_slopes(old_action, made, band.first, band.end);
      places = group.plan.places(i);
    }
    for (int block = 0; block < flows_.n_blocks(); ++block) blocks_[block] = flows_.block(cell, block);
    for (int f = band.first; f < band.end; f += kMostRows)
      advance(old_action, new_action, cell, places, band.first, f, std::min(kMostRows, band.end - f));
  }
}

float* Transport::slopes(LocalIndex place, int component, int row_of_band) {
  const std::size_t row = (static_cast<std::size_t>(place) * 3 + component) * most_rows_ + row_of_band;
  return &slopes_[row * n_directions_];
}

/// Some rows of a neighbour, turned by whole bins into the cell's compass.
const float* Transport::turned(const float* rows, int whole_turn, int n_rows, std::size_t place) {
  if (whole_turn == 0) return rows;
  const int n = n_directions_, first = ((whole_turn % n) + n) % n;
  float* found = &turned_[place * kMostRows * n];
  for (int row = 0; row < n_rows; ++row)
    std::rotate_copy(rows + row * n, rows + (row + 1) * n - first, rows + (row + 1) * n, found + row * n);
  return found;
}

void Transport::make_slopes(View<const float, 3> old_action, SlopePlan::Made made, int first, int end) {
  const auto cell = made.cell;
  const auto neighbours = flows_.beside(cell);
  const Reach reach{flows_.direct(cell),    flows_.exchange(cell), flows_.out_east(cell),
                    flows_.out_north(cell), flows_.ahead(cell),    flows_.aside(cell)};
  const PaddedRows own(n_directions_, padded_.data());
  for (int f = first; f < end; f += kMostRows) {
    const int n_rows = std::min(kMostRows, end - f);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const auto& each = neighbours[i];
      beside_[i] = {turned(&old_action(each.cell, f, 0), each.whole_turn, n_rows, i),
                    &tables_.group_speed()(each.cell, f), each.east, each.north};
    }
    for (int row = 0; row < n_rows; ++row) {
      std::copy_n(&old_action(cell, f + row, 0), n_directions_, own[row]);
      own.wrap(row);
    }
    const int row = f - first;
    limited_slopes(n_rows, n_directions_, own, std::span(beside_).first(neighbours.size()), sine_.data(),
                   cosine_.data(), flows_.turn_east(cell), flows_.turn_north(cell), reach, current(cell),
                   &tables_.group_speed()(cell, f), &flows_.exchange_share()[f], turning_.taken(cell) + f,
                   steps_s_[f],
                   {slopes(made.place, 0, row), slopes(made.place, 1, row), slopes(made.place, 2, row)});
  }
}

Donor Transport::donor(View<const float, 3> old_action, LocalIndex cell, int edge, LocalIndex place,
                       int row_of_band, int first, int n_rows) {
  const auto& inflow = flows_.inflows(cell)[edge];
  const std::size_t at = static_cast<std::size_t>(edge) * 3;
  Donor found{.beyond_east = inflow.beyond_east,
              .beyond_north = inflow.beyond_north,
              .group_speed = &tables_.group_speed()(inflow.neighbour, first),
              .turned = inflow.turned};
  if (second_order()) {
    found.value = turned(slopes(place, 0, row_of_band), inflow.whole_turn, n_rows, at);
    found.east = turned(slopes(place, 1, row_of_band), inflow.whole_turn, n_rows, at + 1);
    found.north = turned(slopes(place, 2, row_of_band), inflow.whole_turn, n_rows, at + 2);
  } else {
    found.value = turned(&old_action(inflow.neighbour, first, 0), inflow.whole_turn, n_rows, at);
  }
  if (!water_.inflows.empty() && water_.inflows[flows_.first_inflow(cell) + edge] > 0) {
    float* rows = &current_rows_[static_cast<std::size_t>(edge) * kMostRows];
    for (int row = 0; row < n_rows; ++row)
      rows[row] = water_.inflows[flows_.first_inflow(cell) + edge] / found.group_speed[row];
    found.current = rows;
  }
  return found;
}

void Transport::advance(View<const float, 3> old_action, View<float, 3> new_action, LocalIndex cell,
                        std::span<const LocalIndex> places, int first_of_band, int first, int n_rows) {
  const auto n_inflows = flows_.inflows(cell).size();
  const int row = first - first_of_band;
  for (std::size_t edge = 0; edge < n_inflows; ++edge) {
    donors_[edge] = donor(old_action, cell, static_cast<int>(edge), places.empty() ? kNone : places[edge + 1],
                          row, first, n_rows);
  }
  const float* share = &flows_.exchange_share()[first];
  const Inflows inflows{blocks_, std::span(donors_).first(n_inflows), flows_.n_growing(cell),
                        flows_.two_over_weight(cell), share};
  const auto moving = current(cell);
  Outflow outflow{.direct = flows_.direct(cell),
                  .exchange = flows_.exchange(cell),
                  .east = flows_.out_east(cell),
                  .north = flows_.out_north(cell),
                  .group_speed = &tables_.group_speed()(cell, first),
                  .exchange_share = share,
                  .current = moving.outflow,
                  .current_east = moving.outflow_east,
                  .current_north = moving.outflow_north,
                  .own = {}};
  if (second_order()) {
    outflow.own = {.value = slopes(places[0], 0, row),
                   .east = slopes(places[0], 1, row),
                   .north = slopes(places[0], 2, row)};
  }
  const auto padded = padded_rows<4>(n_directions_, padded_);
  const Incoming incoming{padded[0], padded[1], padded[2], padded[3]};
  const std::span scratch = std::span(padded_).subspan(4 * PaddedRows::size(n_directions_));
  const Spread spread{flows_.spread_up(cell), flows_.spread_down(cell)};
  const auto rates = turning_.explicit_rates(cell, first);
  const float* action = &old_action(cell, first, 0);
  float* result = &new_action(cell, first, 0);
  const float dt = steps_s_[first];
  if (second_order()) {
    inflow<true>(n_rows, n_directions_, inflows, incoming);
    transported<true>(n_rows, n_directions_, action, incoming, spread, outflow, rates, dt, scratch, result);
  } else {
    inflow<false>(n_rows, n_directions_, inflows, incoming);
    transported<false>(n_rows, n_directions_, action, incoming, spread, outflow, rates, dt, scratch, result);
  }
  for (int f = first; f < first + n_rows; ++f) {
    if (turning_.is_explicit(cell, f)) continue;
    const auto fast = turning_.rates(cell, f);
    turn_implicit(n_directions_, *fast.sine, *fast.cosine, fast.face_sine, fast.face_cosine, dt, row_.data(),
                  &new_action(cell, f, 0));
  }
}

void Transport::shift_frequencies(View<float, 3> action, double dt) {
  if (!water_.currents.empty()) shift_.step(flows_, tables_, water_, {0, n_owned_}, dt, action);
}

std::int64_t Transport::memory_bytes() const {
  std::size_t n = slopes_.size() + turned_.size() + padded_.size() + water_.inflows.size();
  return static_cast<std::int64_t>(n * sizeof(float) + water_.currents.size() * sizeof(Current) +
                                   water_.gradients.size() * sizeof(CurrentGradient)) +
         flows_.memory_bytes() + turning_.memory_bytes();
}

double Transport::implicit_share(double dt) {
  prepare(dt);
  return turning_.implicit_share(n_owned_);
}

std::vector<double> Transport::cfl_limits() const {
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

}  // namespace halcyon::wave
