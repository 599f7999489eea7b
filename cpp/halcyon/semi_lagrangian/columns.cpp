#include "halcyon/semi_lagrangian/columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/comm/collectives.hpp"

namespace halcyon::semi_lagrangian {

std::vector<GlobalIndex> ColumnSet::not_owned_by(Rank rank) const {
  std::vector<GlobalIndex> ids;
  for (int row = 0; row < division_.n_rows(); ++row) {
    const auto owned = division_.columns(rank, row);
    for (int column = 0; column < static_cast<int>(rows_[row].size()); ++column)
      if (rows_[row][column] && !owned.contains(column)) ids.push_back(division_.id({row, column}));
  }
  return ids;
}

Columns::Columns(const Division& division, Rank rank, std::vector<GlobalIndex> halo)
    : halo_(std::move(halo)), positions_(division.n_rows()) {
  for (const auto index : division.owned(rank)) set_position(division, index, n_owned_++);
  std::ranges::sort(halo_, {},
                    [&](auto id) { return std::pair(division.owner(division.column_index(id)), id); });
  for (std::size_t i = 0; i < halo_.size(); ++i)
    set_position(division, division.column_index(halo_[i]), n_owned_ + static_cast<LocalIndex>(i));
}

void Columns::set_position(const Division& division, ColumnIndex index, LocalIndex position) {
  auto& row = positions_[index.row];
  if (row.empty()) row.assign(division.row_length(index.row), kNone);
  row[index.column] = position;
}

schedule::Halo::Neighbours agree_on_columns(const comm::Communicator& comm, const Division& division,
                                            const Columns& columns) {
  comm::ListsByRank requests;
  for (const auto id : columns.halo()) requests[division.owner(division.column_index(id))].push_back(id);
  std::map<Rank, schedule::HaloLists> lists;
  const auto add = [&](schedule::HaloItems& items, GlobalIndex id) {
    items.add(columns.position(division.column_index(id)), /*layer=*/0, /*n_layers=*/1);
  };
  for (const auto& [rank, ids] : comm::sparse_exchange(comm, requests))
    for (const auto id : ids) add(lists[rank].send, id);
  for (const auto& [rank, ids] : requests)
    for (const auto id : ids) add(lists[rank].receive, id);
  schedule::Halo::Neighbours neighbours;
  for (auto& [rank, items] : lists) neighbours.push_back({rank, {std::move(items)}});
  return neighbours;
}

void HaloSizes::check() const {
  require<ConfigError>(n_fields >= 1 && n_levels >= 1,
                       "Advection of {} fields of {} levels was requested. Give 1 or more of both.", n_fields,
                       n_levels);
  require<ConfigError>(n_groups >= 1 && n_groups <= n_levels, "{} levels in {} groups. Give 1 to {} groups.",
                       n_levels, n_groups, n_levels);
}

template <class Real>
BasicColumnHalo<Real>::BasicColumnHalo(const comm::Communicator* comm, const Division& division,
                                       const Columns& columns, Sizes sizes, comm::Method method,
                                       const std::shared_ptr<const comm::Progress>& progress)
    : sizes_(sizes), columns_(columns), pending_(std::max(sizes.n_groups, 0)) {
  sizes.check();
  if (comm == nullptr) {
    for (int group = 0; group < sizes.n_groups; ++group)
      values_.emplace_back(std::size_t(sizes.n_fields) * levels(group).size() * columns.n_local() + kPadding);
    return;
  }
  const auto halo_neighbours = agree_on_columns(*comm, division, columns);
  n_neighbours_ = static_cast<int>(halo_neighbours.size());
  for (int group = 0; group < sizes.n_groups; ++group) {
    const auto column_size = static_cast<std::size_t>(sizes.n_fields) * levels(group).size();
    const auto item_bytes = static_cast<std::int64_t>(column_size * sizeof(Real));
    const schedule::Halo schedule(comm->size(), {{.item_bytes = item_bytes}},
                                  [&](Rank) -> const schedule::Halo::Neighbours& { return halo_neighbours; });
    values_.emplace_back(column_size * columns.n_local() + kPadding);
    for (const auto buffer : {schedule.send_buffer(), schedule.receive_buffer()})
      staging_.emplace_back(schedule.buffer_bytes(comm->rank(), buffer));
    exchanges_.emplace_back(*comm, schedule, method, schedule::Callbacks{}, comm::BufferPlacement::anywhere,
                            progress);
    received_bytes_ += item_bytes * static_cast<std::int64_t>(columns.halo().size());
  }
}

template <class Real>
Range BasicColumnHalo<Real>::levels(int group) const {
  const auto begin = [this](int i) {
    return static_cast<int>(std::int64_t{sizes_.n_levels} * i / sizes_.n_groups);
  };
  return {begin(group), begin(group + 1)};
}

template <class Real>
void BasicColumnHalo<Real>::start(int group, std::span<const BasicColumnField<Real>> fields) {
  wait(group);  // completes the exchange of an aborted step
  const auto [begin, end] = levels(group);
  auto target = values_[group].begin();
  for (LocalIndex column = 0; column < columns_.n_owned(); ++column)
    for (const auto& [data, column_stride, level_stride] : fields) {
      const Real* values = data + std::size_t(column) * column_stride;
      for (int level = begin; level < end; ++level) *target++ = values[std::size_t(level) * level_stride];
    }
  if (exchanges_.empty()) return;  // a single process
  const std::array buffers{std::as_writable_bytes(std::span(values_[group])), std::span(staging_[2 * group]),
                           std::span(staging_[2 * group + 1])};
  pending_[group].emplace(exchanges_[group].start(buffers));
}

template <class Real>
void BasicColumnHalo<Real>::progress() {
  for (int group = 0; group < n_groups(); ++group)
    if (pending_[group]) exchanges_[group].progress();
}

template <class Real>
View<const Real, 3> BasicColumnHalo<Real>::values(int group) const {
  return {values_[group].data(),
          {std::size_t(columns_.n_local()), std::size_t(sizes_.n_fields), std::size_t(levels(group).size())}};
}

template class BasicColumnHalo<double>;
template class BasicColumnHalo<float>;

namespace {

/// A range of longitudes, in fractions of a full circle.
struct LongitudeRange {
  double west = 0, east = 0;
};

LongitudeRange owned_longitudes(const Division& division, Rank rank) {
  LongitudeRange range{1, 0};
  for (const auto& run : division.rows(rank))
    for (int row = run.begin; row < run.end; ++row) {
      const auto [begin, end] = division.columns(rank, row);
      const double length = division.row_length(row);
      if (end > begin)
        range = {std::min(range.west, begin / length), std::max(range.east, (end - 1) / length)};
    }
  return range;
}

/// Largest longitude difference from a point of a row to the points within a distance [rad], in fractions of
/// a full circle: sin(longitude) = sin(distance) / cos(latitude), or 0.5 if a pole is within the distance.
double max_longitude_difference(const Rows& rows, int row, double distance) {
  const double pole_distance = std::min(rows.colatitude(row), kPi - rows.colatitude(row));
  if (distance >= pole_distance || distance >= kPi / 2) return 0.5;
  return (std::asin(std::min(1.0, std::sin(distance) / std::sin(pole_distance))) + kRounding) / kTwoPi;
}

/// Maximum of `max_longitude_difference` over the rows of a range that are at most `width` rows from a row.
/// The northernmost or southernmost of these rows has it, since the difference increases towards the poles.
double max_longitude_difference(const Rows& rows, Range run, int row, int width) {
  const double distance = max_distance(rows, width);
  const int north = std::max(run.begin, row - width), south = std::min(run.end - 1, row + width);
  return std::max(max_longitude_difference(rows, north, distance),
                  max_longitude_difference(rows, south, distance));
}

/// Adds the columns of the interpolation stencils of all points of a row between two longitudes.
void add_row(ColumnSet& needed_columns, int row, int length, LongitudeRange range) {
  const auto first = static_cast<std::int64_t>(std::floor(range.west * length)) - (kStencilWidth - 1);
  const auto last = static_cast<std::int64_t>(std::floor(range.east * length)) + kStencilWidth;
  const auto n = std::min<std::int64_t>(last - first + 1, length);
  for (std::int64_t i = 0; i < n; ++i)
    needed_columns.add({row, static_cast<int>(((first + i) % length + length) % length)});
}

}  // namespace

int width_for(const Rows& rows, double distance) {
  constexpr double kMaxPoints = std::numeric_limits<int>::max() / 2;
  const double points = std::ceil(distance / rows.spacing() - kRounding);
  return static_cast<int>(std::min(std::max(points, 1.0), kMaxPoints)) + kStencilWidth;
}

double max_distance(const Rows& rows, int width) {
  return (width - kStencilWidth) * rows.spacing() + kRounding;
}

std::vector<GlobalIndex> wide_halo(const Rows& rows, const Division& division, Rank rank, int width) {
  require<ConfigError>(width > kStencilWidth && width <= rows.n_rows(),
                       "The halo has width {} on a grid of {} rows. Give {} to {}.", width, rows.n_rows(),
                       kStencilWidth + 1, rows.n_rows());
  const auto owned = owned_longitudes(division, rank);
  ColumnSet needed_columns(division);
  for (const auto& run : division.rows(rank))
    for (int row = run.begin - width; row < run.end + width; ++row) {
      const auto [folded, across_pole] = rows.fold(row);
      const double margin = max_longitude_difference(rows, run, row, width), shift = across_pole ? 0.5 : 0;
      add_row(needed_columns, folded, division.row_length(folded),
              {owned.west - margin + shift, owned.east + margin + shift});
    }
  return needed_columns.not_owned_by(rank);
}

schedule::Volumes wide_volumes(const Rows& rows, const Division& division, int width,
                               std::int64_t column_bytes, int threads) {
  const auto received = [&](Rank rank) {
    std::map<Rank, std::int64_t> n_columns;
    for (const auto id : wide_halo(rows, division, rank, width))
      ++n_columns[division.owner(division.column_index(id))];
    std::vector<schedule::Volume> volumes;
    for (const auto& [owner, n] : n_columns)
      volumes.push_back({.peer = owner, .messages = 1, .bytes = n * column_bytes});
    return volumes;
  };
  return schedule::assemble_volumes(division.n_ranks(), received, threads);
}

}  // namespace halcyon::semi_lagrangian
