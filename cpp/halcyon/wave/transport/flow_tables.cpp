#include "halcyon/wave/transport/flow_tables.hpp"

#include <algorithm>
#include <cmath>

namespace halcyon::wave {

namespace {

float narrow(double value) {
  return static_cast<float>(value);
}

void append(std::vector<float>& rows, const std::vector<double>& row) {
  std::ranges::transform(row, std::back_inserter(rows), narrow);
}

std::vector<LocalIndex> needed(const FlowTables& flows, LocalIndex cell) {
  std::vector<LocalIndex> found{cell};
  for (const auto& inflow : flows.inflows(cell)) found.push_back(inflow.neighbour);
  return found;
}

}  // namespace

FlowTables::FlowTables(const mesh::Mesh& mesh, LocalIndex n_owned, LocalIndex n_known,
                       const SpectralGrid& grid, const TransportOptions& options)
    : n_directions_(grid.n_directions),
      n_blocks_((grid.n_directions + kLanes - 1) / kLanes),
      exchange_of_(grid, options) {
  exchange_share_ = exchange_of_.share();
  for (LocalIndex cell = 0; cell < n_known; ++cell) {
    const auto begin = mesh.cell_offsets[cell], end = mesh.cell_offsets[cell + 1];
    const auto neighbours = std::span(mesh.cells_on_cell).subspan(begin, end - begin);
    const auto edges = crossings(mesh, cell, options.great_circle);
    edges_.insert(edges_.end(), edges.begin(), edges.end());
    first_edge_.push_back(edges_.size());
    if (cell < n_owned) add_inflows(grid, neighbours, edges);
    add_outflow(grid, neighbours, edges);
    add_beside(grid, neighbours, edges);
  }
}

int FlowTables::block_start(int block) const {
  return std::min(block * kLanes, n_directions_ - kLanes);
}

void FlowTables::add_inflows(const SpectralGrid& grid, std::span<const LocalIndex> neighbours,
                             std::span<const Crossing> edges) {
  std::vector<EdgeFlow> flows;
  std::vector<double> strengths;
  int n_growing = 0;
  for (const bool growing : {true, false}) {
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const EdgeFlow flow(grid, edges[e]);
      if (neighbours[e] == kNone || flow.turns_up() != growing) continue;
      inflows_.push_back({.neighbour = neighbours[e],
                          .whole_turn = flow.whole_turn(),
                          .turned = narrow(std::abs(flow.rest()) / grid.direction_width),
                          .beyond_east = narrow(edges[e].beyond.east),
                          .beyond_north = narrow(edges[e].beyond.north),
                          .edge = static_cast<int>(e)});
      flows.push_back(flow);
      strengths.push_back(exchange_of_.strength(edges[e]));
      n_growing += growing;
    }
  }
  first_inflow_.push_back(inflows_.size());
  n_growing_.push_back(n_growing);
  most_inflows_ = std::max(most_inflows_, static_cast<int>(flows.size()));
  add_entries(flows, n_growing);
  add_spread(flows);
  if (exchange_of_.is_on()) add_exchange(flows, strengths);
}

void FlowTables::add_entries(std::span<const EdgeFlow> flows, int n_growing) {
  for (int block = 0; block < n_blocks_; ++block) {
    for (int e = 0; e < std::ssize(flows); ++e) {
      if (e == n_growing) first_entry_.push_back(entries_.size());
      FlowEntry entry{{}, {}, e};
      for (int lane = 0; lane < kLanes; ++lane) {
        entry.weight[lane] = narrow(flows[e].inflow(block_start(block) + lane));
        entry.swept[lane] = narrow(flows[e].swept(block_start(block) + lane));
      }
      if (std::ranges::any_of(entry.weight, [](float w) { return w > 0; })) entries_.push_back(entry);
    }
    if (n_growing == std::ssize(flows)) first_entry_.push_back(entries_.size());
    first_entry_.push_back(entries_.size());
  }
}

void FlowTables::add_spread(std::span<const EdgeFlow> flows) {
  std::vector<double> weights(n_directions_), up(n_directions_), down(n_directions_);
  for (const auto& flow : flows) {
    for (int m = 0; m < n_directions_; ++m) {
      const double weight = flow.inflow(m), swept = flow.swept(m);
      weights[m] += weight;
      if (swept > 0) (flow.turns_up() ? up : down)[m] += swept * (weight - swept) / (2 * weight);
    }
  }
  for (double& weight : weights) weight = weight > 0 ? 2 / weight : 0;
  append(two_over_weight_, weights);
  append(spread_up_, up);
  append(spread_down_, down);
}

void FlowTables::add_exchange(std::span<const EdgeFlow> flows, std::span<const double> strengths) {
  for (int block = 0; block < n_blocks_; ++block) {
    for (int e = 0; e < std::ssize(flows); ++e) {
      ExchangeEntry entry{{}, e};
      for (int lane = 0; lane < kLanes; ++lane) {
        entry.weight[lane] = narrow(exchange_of_.weight(flows[e], strengths[e], block_start(block) + lane));
      }
      exchange_entries_.push_back(entry);
    }
    first_exchange_.push_back(exchange_entries_.size());
  }
}

void FlowTables::add_outflow(const SpectralGrid& grid, std::span<const LocalIndex> neighbours,
                             std::span<const Crossing> edges) {
  const int n = n_directions_;
  std::vector<double> direct(n), exchange(n), east(n), north(n), ahead(n), aside(n);
  double perimeter = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const EdgeFlow flow(grid, edges[e]);
    const auto& middle = edges[e].middle;
    const double strength = neighbours[e] == kNone ? 0 : exchange_of_.strength(edges[e]);
    perimeter += edges[e].size;
    for (int m = 0; m < n; ++m) {
      const double out = flow.outflow(m), s = std::sin(grid.direction[m]), c = std::cos(grid.direction[m]);
      direct[m] += out;
      exchange[m] += exchange_of_.weight(flow, strength, m);
      east[m] += out * middle.east;
      north[m] += out * middle.north;
      ahead[m] = std::max(ahead[m], std::abs(s * middle.east + c * middle.north));
      aside[m] = std::max(aside[m], std::abs(c * middle.east - s * middle.north));
    }
  }
  // In a step that is stable waves go at most 1 / O, and so half of it in half a step.
  for (int m = 0; m < n; ++m) ahead[m] = std::max(ahead[m], 0.5 / direct[m]);
  append(direct_, direct);
  append(exchange_, exchange);
  append(out_east_, east);
  append(out_north_, north);
  append(ahead_, ahead);
  append(aside_, aside);
}

/// Least squares with weights 1 / distance^2: exact for linear fields. Where the neighbours stand almost in a
/// line, along a coast, what is across it counts as even.
void FlowTables::add_beside(const SpectralGrid& grid, std::span<const LocalIndex> neighbours,
                            std::span<const Crossing> edges) {
  double ee = 0, en = 0, nn = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (neighbours[e] == kNone) continue;
    const auto [east, north] = edges[e].neighbour;
    const double square = east * east + north * north;
    ee += east * east / square;
    en += east * north / square;
    nn += north * north / square;
  }
  const double trace = ee + nn, determinant = ee * nn - en * en;
  const bool in_line = determinant < 0.02 * trace * trace;
  double turn_east = 0, turn_north = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (neighbours[e] == kNone) continue;
    const auto [east, north] = edges[e].neighbour;
    const double square = east * east + north * north;
    const double a = in_line ? east / trace : (nn * east - en * north) / determinant;
    const double b = in_line ? north / trace : (ee * north - en * east) / determinant;
    const EdgeFlow flow(grid, edges[e]);
    beside_.push_back({.cell = neighbours[e],
                       .whole_turn = flow.whole_turn(),
                       .east = narrow(a / square),
                       .north = narrow(b / square),
                       .turn = edges[e].turn});
    // A wave of direction m in the cell has m less the turn, the neighbour's bin m so lies behind.
    turn_east -= a / square * flow.rest() / grid.direction_width;
    turn_north -= b / square * flow.rest() / grid.direction_width;
  }
  first_beside_.push_back(beside_.size());
  turn_east_.push_back(narrow(turn_east));
  turn_north_.push_back(narrow(turn_north));
}

BlockEntries FlowTables::block(LocalIndex owned, int block) const {
  const auto at = static_cast<std::size_t>(owned) * n_blocks_ + block;
  const auto begin = first_entry_[2 * at], middle = first_entry_[2 * at + 1], end = first_entry_[2 * at + 2];
  const std::span entries(entries_);
  BlockEntries found{entries.subspan(begin, middle - begin), entries.subspan(middle, end - middle), {}};
  if (exchange_of_.is_on()) {
    found.exchange = std::span(exchange_entries_)
                         .subspan(first_exchange_[at], first_exchange_[at + 1] - first_exchange_[at]);
  }
  return found;
}

float FlowTables::largest_outflow(LocalIndex known, int frequency) const {
  float largest = 0;
  const float *out = direct(known), *exchanged = exchange(known), share = exchange_share_[frequency];
  for (int m = 0; m < n_directions_; ++m) largest = std::max(largest, out[m] + share * exchanged[m]);
  return largest;
}

std::int64_t FlowTables::memory_bytes() const {
  std::size_t bytes = edges_.size() * sizeof(Crossing) + inflows_.size() * sizeof(Inflow) +
                      entries_.size() * sizeof(FlowEntry) + beside_.size() * sizeof(Neighbour) +
                      exchange_entries_.size() * sizeof(ExchangeEntry);
  for (const auto* rows : {&two_over_weight_, &spread_up_, &spread_down_, &direct_, &exchange_, &out_east_,
                           &out_north_, &ahead_, &aside_, &turn_east_, &turn_north_}) {
    bytes += rows->size() * sizeof(float);
  }
  for (const auto* firsts : {&first_edge_, &first_inflow_, &first_beside_, &first_entry_, &first_exchange_})
    bytes += firsts->size() * sizeof(std::size_t);
  return static_cast<std::int64_t>(bytes + n_growing_.size() * sizeof(int));
}

SlopePlan::SlopePlan(const FlowTables& flows, std::span<const LocalIndex> cells) {
  std::vector<std::size_t> last_use(flows.n_known(), 0);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (const auto cell : needed(flows, cells[i])) last_use[cell] = i;
  }
  std::vector<LocalIndex> place(flows.n_known(), kNone), free;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto now = needed(flows, cells[i]);
    for (const auto cell : now) {
      if (place[cell] == kNone) {
        if (free.empty()) free.push_back(n_places_++);
        place[cell] = free.back();
        free.pop_back();
        made_.push_back({cell, place[cell]});
      }
      places_.push_back(place[cell]);
    }
    first_made_.push_back(made_.size());
    first_place_.push_back(places_.size());
    for (const auto cell : now) {
      if (last_use[cell] == i) free.push_back(place[cell]);
    }
  }
}

CellGroup::CellGroup(const FlowTables& flows, Scheme scheme, std::vector<LocalIndex> cells_in_order)
    : cells(std::move(cells_in_order)),
      plan(flows, scheme == Scheme::upwind ? std::span<const LocalIndex>() : cells) {
  std::vector<bool> was_read;
  const auto read = [&](LocalIndex cell) {
    if (std::ssize(was_read) <= cell) was_read.resize(cell + 1);
    if (!was_read[cell]) read_.push_back(cell);
    was_read[cell] = true;
  };
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (scheme == Scheme::upwind) {
      for (const auto cell : needed(flows, cells[i])) read(cell);
    } else {
      for (const auto& made : plan.made(i)) {
        for (const auto& each : flows.beside(made.cell)) read(each.cell);
      }
    }
    first_read_.push_back(read_.size());
  }
}

}  // namespace halcyon::wave
