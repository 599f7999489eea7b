#include "halcyon/semi_lagrangian/wide.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/semi_lagrangian/columns.hpp"

namespace halcyon::semi_lagrangian {

namespace {

/// Longitudes in turns, from west to east.
struct Span {
  double west = 0, east = 0;
};

Span longitudes(const Division& division, Rank rank) {
  Span span{1, 0};
  for (int row = division.rows(rank).begin; row < division.rows(rank).end; ++row) {
    const auto [begin, end] = division.columns(rank, row);
    const double length = division.row_length(row);
    span = {std::min(span.west, begin / length), std::max(span.east, (end - 1) / length)};
  }
  return span;
}

/// How far east or west a great circle of length `reach` gets from a row [turns]: sin(longitude) = sin(reach)
/// / cos(latitude); half a turn where it reaches a pole.
double half_span(const Rows& rows, int row, double reach) {
  const double from_pole = std::min(rows.colatitude(row), kPi - rows.colatitude(row));
  if (reach >= from_pole || reach >= kPi / 2) return 0.5;
  return (std::asin(std::min(1.0, std::sin(reach) / std::sin(from_pole))) + kRounding) / kTwoPi;
}

/// The most of all rows of a band within `width` of a row: the first or the last, since it grows to the
/// poles.
double half_span(const Rows& rows, Range band, int row, int width) {
  const double reach = reach_of(rows, width);
  const int first = std::max(band.begin, row - width), last = std::min(band.end - 1, row + width);
  return std::max(half_span(rows, first, reach), half_span(rows, last, reach));
}

/// The columns of a row between two longitudes and around them.
void add_row(Wanted& wanted, int row, int length, Span span) {
  const auto first = static_cast<std::int64_t>(std::floor(span.west * length)) - (kStencilWidth - 1);
  const auto last = static_cast<std::int64_t>(std::floor(span.east * length)) + kStencilWidth;
  const auto n = std::min<std::int64_t>(last - first + 1, length);
  for (std::int64_t i = 0; i < n; ++i)
    wanted.add({row, static_cast<int>(((first + i) % length + length) % length)});
}

}  // namespace

int width_for(const Rows& rows, double distance) {
  constexpr double kMost = std::numeric_limits<int>::max() / 2;
  const double points = std::ceil(distance / rows.spacing() - kRounding);
  return static_cast<int>(std::min(std::max(points, 1.0), kMost)) + kStencilWidth;
}

double reach_of(const Rows& rows, int width) {
  return (width - kStencilWidth) * rows.spacing() + kRounding;
}

std::vector<GlobalIndex> wide_halo(const Rows& rows, const Division& division, Rank rank, int width) {
  require<ConfigError>(width > kStencilWidth && width <= rows.n_rows(),
                       "A halo of width {} on a grid of {} rows. Give {} to {}.", width, rows.n_rows(),
                       kStencilWidth + 1, rows.n_rows());
  const auto band = division.rows(rank);
  const auto owned = longitudes(division, rank);
  Wanted wanted(division);
  for (int row = band.begin - width; row < band.end + width; ++row) {
    const auto [met, beyond] = rows.fold(row);
    const double half = half_span(rows, band, row, width), shift = beyond ? 0.5 : 0;
    add_row(wanted, met, division.row_length(met), {owned.west - half + shift, owned.east + half + shift});
  }
  return wanted.beyond(rank);
}

schedule::Volumes wide_volumes(const Rows& rows, const Division& division, int width,
                               std::int64_t column_bytes, int threads) {
  const auto received = [&](Rank rank) {
    std::map<Rank, std::int64_t> n_from;
    for (const auto id : wide_halo(rows, division, rank, width)) ++n_from[division.owner(division.place(id))];
    std::vector<schedule::Volume> row;
    for (const auto& [owner, n] : n_from) row.push_back({owner, 1, n * column_bytes});
    return row;
  };
  return schedule::gathered(division.n_ranks(), received, threads);
}

}  // namespace halcyon::semi_lagrangian
