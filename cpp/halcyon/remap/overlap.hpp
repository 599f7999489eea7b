#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/index.hpp"
#include "halcyon/base/vector3.hpp"

namespace halcyon::remap {

/// Parallels between rows, counted from a pole. The height of a parallel is the distance from the pole along
/// the axis: 1 - sin(latitude) from the north pole, 1 + sin(latitude) from the south pole. Heights ascend
/// from 0 to 2 and are exact near the pole, where a difference of sines would lose digits.
struct Rows {
  std::vector<double> heights;     ///< (n_rows + 1), unit sphere
  std::vector<double> cotangents;  ///< (n_rows + 1), of the angle from the pole

  int size() const { return static_cast<int>(heights.size()) - 1; }
  /// Returns the row that contains a height: -1 poleward of all rows, `size()` beyond the last row.
  int row_at(double height) const {
    return static_cast<int>(std::ranges::upper_bound(heights, height) - heights.begin()) - 1;
  }
};

/// A grid of boxes between meridians and parallels. Box (row, column), rows from the south and columns from
/// the west, has the index row * n_columns + column. A grid that does not cover the full circle has one
/// additional column without boxes, called the gap.
class LatLonGrid {
 public:
  /// @param longitudes [rad] (column + 1) edges, ascending, the last at most 2 pi after the first
  /// @param latitudes [rad] (n_rows + 1) edges, ascending, from -pi/2 to pi/2 at most
  /// @throws InputError for invalid edges
  LatLonGrid(std::vector<double> longitudes, std::vector<double> latitudes)
      : edges_(std::move(longitudes)), latitudes_(std::move(latitudes)) {
    check_edges("longitude", edges_, -INFINITY, kTwoPi);
    check_edges("latitude", latitudes_, -kPi / 2, kPi);
    for (double& latitude : latitudes_) latitude = std::clamp(latitude, -kPi / 2, kPi / 2);
    n_columns_ = static_cast<int>(edges_.size()) - 1;
    east_ = edges_.back();
    if (east_ - edges_.front() > kTwoPi - kClosed) {
      east_ = edges_.front() + kTwoPi;
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

  int n_rows() const { return north_.size(); }
  int n_columns() const { return n_columns_; }
  /// Number of columns of the full circle, including the gap. Column numbers are unbounded: column
  /// k + n_columns_around() is column k one circle farther east.
  int n_columns_around() const { return static_cast<int>(edges_.size()); }
  /// Returns the column that contains a longitude [rad], not reduced modulo 2 pi.
  std::int64_t column_at(double longitude) const {
    const double n_circles = std::floor((longitude - edges_.front()) / kTwoPi);
    const auto next = std::ranges::upper_bound(edges_, longitude - n_circles * kTwoPi);
    std::int64_t column =
        static_cast<std::int64_t>(n_circles) * n_columns_around() + (next - edges_.begin()) - 1;
    while (edge(column) > longitude) --column;  // mends rounding errors of `n_circles`
    while (edge(column + 1) <= longitude) ++column;
    return column;
  }
  /// Western edge [rad] of a column, and the cosine and sine of this edge.
  double edge(std::int64_t column) const {
    return edges_[wrapped(column)] + kTwoPi * static_cast<double>(floor_div(column, n_columns_around()));
  }
  double cosine(std::int64_t column) const { return cosines_[wrapped(column)]; }
  double sine(std::int64_t column) const { return sines_[wrapped(column)]; }
  /// Reduces a column number to 0 .. n_columns_around() - 1; `n_columns()` is the gap.
  int wrapped(std::int64_t column) const {
    return static_cast<int>(column - floor_div(column, n_columns_around()) * n_columns_around());
  }
  /// Rows counted from the north, or from the south.
  const Rows& from_north() const { return north_; }
  const Rows& from_south() const { return south_; }
  /// Areas of the boxes (box) on the unit sphere.
  std::vector<double> areas() const {
    std::vector<double> areas;
    for (int row = 0; row < n_rows(); ++row) {
      const double south = latitudes_[row], north = latitudes_[row + 1];
      const double height = 2 * std::cos((south + north) / 2) * std::sin((north - south) / 2);
      for (int column = 0; column < n_columns_; ++column) {
        const double east = column + 1 < n_columns_ ? edges_[column + 1] : east_;
        areas.push_back(height * (east - edges_[column]));
      }
    }
    return areas;
  }

 private:
  static constexpr double kClosed = 1e-9;  ///< [rad] smaller gaps are rounding errors of a full circle

  /// @param lowest lower bound of the edges  @param span upper bound of the distance of the first and last
  static void check_edges(const char* name, const std::vector<double>& edges, double lowest, double span) {
    require<InputError>(edges.size() >= 2, "The grid has {1} edges of {0}. Give 2 or more.", name,
                        edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i)
      require<InputError>(std::isfinite(edges[i]) && (i == 0 || edges[i] > edges[i - 1]),
                          "The edges of {} must be ascending, but edge {} (counted from 0) is {} degrees.",
                          name, i, edges[i] / kDegree);
    require<InputError>(edges.front() >= lowest - kClosed && edges.back() - edges.front() <= span + kClosed &&
                            (lowest == -INFINITY || edges.back() <= lowest + span + kClosed),
                        "The edges of {} are from {} to {} degrees, but may span at most {} degrees.", name,
                        edges.front() / kDegree, edges.back() / kDegree, span / kDegree);
  }
  /// Returns the rows for ascending colatitudes [rad].
  static Rows rows_of(const std::vector<double>& colatitudes) {
    Rows rows;
    for (const double angle : colatitudes) {
      const double half = std::sin(angle / 2);
      rows.heights.push_back(2 * half * half);
      rows.cotangents.push_back(std::cos(angle) / std::sin(angle));
    }
    return rows;
  }
  static std::int64_t floor_div(std::int64_t a, std::int64_t n) { return a / n - (a % n < 0); }

  std::vector<double> edges_, cosines_, sines_;  // western edges [rad] (column of the full circle)
  std::vector<double> latitudes_;
  double east_;  // eastern edge of the last column of boxes [rad]
  int n_columns_;
  Rows north_, south_;
};

/// Polygons of great-circle arcs, each smaller than a hemisphere, clockwise or counter-clockwise.
struct Faces {
  std::span<const Vector3> nodes;             ///< on the unit sphere
  std::span<const LocalIndex> offsets;        ///< (face + 1) into nodes_on_face
  std::span<const LocalIndex> nodes_on_face;  ///< around each face

  LocalIndex size() const { return static_cast<LocalIndex>(offsets.size()) - 1; }
};

/// The overlaps of faces and boxes: entries offsets[b] .. offsets[b + 1] - 1 are of box b, in order of faces.
struct Overlaps {
  std::vector<std::int64_t> offsets;  ///< (box + 1)
  std::vector<LocalIndex> faces;      ///< (entry)
  std::vector<double> areas;          ///< (entry) [unit sphere], positive
  std::vector<double> box_areas;      ///< (box) [unit sphere]
  std::vector<double> face_areas;     ///< (face) [unit sphere]
};

/// Computes the overlap areas of faces and the boxes of a grid, exact to rounding: integrals along the sides
/// (after Jones 1999, Mon. Wea. Rev. 127, 2204-2210, here in closed form for great circles). The overlaps of
/// a face add up to its area if the grid covers the face. The bits do not depend on the number of threads.
/// @throws InputError if a face has fewer than 3 nodes, or a node is missing or not on the unit sphere
Overlaps overlaps(const Faces& faces, const LatLonGrid& grid, int threads = 0);

/// Computes means over boxes of values that are constant in each face: m_b = sum_f A_bf v_f / sum_f A_bf over
/// the faces f with a value; NaN for a box that overlaps no such face.
/// @param values (face), NaN where missing
/// @param means (box)
/// @param covered (box) fraction of each box that faces with a value cover, 0..1
/// If the grid covers the faces, sum_b m_b covered_b A_b = sum_f v_f A_f. Threads do not change the bits.
void average(const Overlaps& overlaps, std::span<const double> values, std::span<double> means,
             std::span<double> covered, int threads = 0);

}  // namespace halcyon::remap
