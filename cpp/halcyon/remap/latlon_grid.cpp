#include "halcyon/remap/latlon_grid.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::remap {
namespace {

constexpr double kClosed = 1e-9;  // [rad] a gap below this is a full circle that rounding left open

void check_edges(const char* name, const std::vector<double>& edges, double lowest, double span) {
  require<InputError>(edges.size() >= 2, "A grid needs two edges of {} or more, but {} are given.", name,
                      edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i)
    require<InputError>(std::isfinite(edges[i]) && (i == 0 || edges[i] > edges[i - 1]),
                        "The edges of {} must ascend, but number {} is {} degrees.", name, i,
                        edges[i] / kDegree);
  require<InputError>(edges.front() >= lowest - kClosed && edges.back() - edges.front() <= span + kClosed &&
                          (lowest == -INFINITY || edges.back() <= lowest + span + kClosed),
                      "The edges of {} reach from {} to {} degrees. {} degrees are the most.", name,
                      edges.front() / kDegree, edges.back() / kDegree, span / kDegree);
}

/// Rows below a pole whose colatitudes [rad] ascend.
Rows rows_of(const std::vector<double>& colatitudes) {
  Rows rows;
  for (const double angle : colatitudes) {
    const double half = std::sin(angle / 2);
    rows.heights.push_back(2 * half * half);
    rows.cotangents.push_back(std::cos(angle) / std::sin(angle));
  }
  return rows;
}

std::int64_t floor_div(std::int64_t a, std::int64_t n) {
  return a / n - (a % n < 0);
}

}  // namespace

int Rows::at(double height) const {
  return static_cast<int>(std::ranges::upper_bound(heights, height) - heights.begin()) - 1;
}

LatLonGrid::LatLonGrid(std::vector<double> longitudes, std::vector<double> latitudes)
    : edges_(std::move(longitudes)), latitudes_(std::move(latitudes)) {
  check_edges("longitude", edges_, -INFINITY, kTwoPi);
  check_edges("latitude", latitudes_, -kPi / 2, kPi);
  for (double& latitude : latitudes_) latitude = std::clamp(latitude, -kPi / 2, kPi / 2);
  n_columns_ = static_cast<int>(edges_.size()) - 1;
  last_ = edges_.back();
  if (last_ - edges_.front() > kTwoPi - kClosed) {
    last_ = edges_.front() + kTwoPi;
    edges_.pop_back();
  }
  for (const double edge : edges_) {
    cosines_.push_back(std::cos(edge));
    sines_.push_back(std::sin(edge));
  }
  std::vector<double> from_north, from_south;
  for (const double latitude : latitudes_ | std::views::reverse) from_north.push_back(kPi / 2 - latitude);
  for (const double latitude : latitudes_) from_south.push_back(kPi / 2 + latitude);
  north_ = rows_of(from_north);
  south_ = rows_of(from_south);
}

double LatLonGrid::edge(std::int64_t column) const {
  return edges_[in_turn(column)] + kTwoPi * static_cast<double>(floor_div(column, n_turn()));
}

int LatLonGrid::in_turn(std::int64_t column) const {
  return static_cast<int>(column - floor_div(column, n_turn()) * n_turn());
}

std::int64_t LatLonGrid::column_at(double longitude) const {
  const double turn = std::floor((longitude - edges_.front()) / kTwoPi);
  const auto next = std::ranges::upper_bound(edges_, longitude - turn * kTwoPi);
  std::int64_t column = static_cast<std::int64_t>(turn) * n_turn() + (next - edges_.begin()) - 1;
  while (edge(column) > longitude) --column;  // rounding of the turn
  while (edge(column + 1) <= longitude) ++column;
  return column;
}

std::vector<double> LatLonGrid::areas() const {
  std::vector<double> areas;
  for (int row = 0; row < n_rows(); ++row) {
    const double south = latitudes_[row], north = latitudes_[row + 1];
    const double height = 2 * std::cos((south + north) / 2) * std::sin((north - south) / 2);
    for (int column = 0; column < n_columns_; ++column) {
      const double east = column + 1 < n_columns_ ? edges_[column + 1] : last_;
      areas.push_back(height * (east - edges_[column]));
    }
  }
  return areas;
}

}  // namespace halcyon::remap
