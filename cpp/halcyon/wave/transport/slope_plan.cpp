#include "halcyon/wave/transport/slope_plan.hpp"

namespace halcyon::wave {

namespace {

std::vector<LocalIndex> needed(const FlowTables& flows, LocalIndex cell) {
  std::vector<LocalIndex> found{cell};
  for (const auto& inflow : flows.inflows(cell)) found.push_back(inflow.neighbour);
  return found;
}

}  // namespace

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
