#include "halcyon/remap/overlap.hpp"

#include "halcyon/base/parallel.hpp"

namespace halcyon::remap {
namespace {

/// A point of the unit sphere: longitude [rad], not reduced modulo 2 pi, and height h = 1 - sin(latitude)
/// below the pole. The pole is always the north pole: faces in the south are mirrored to the north.
struct Position {
  double longitude = 0, height = 0;
};

/// Returns the height h of a point of the unit sphere, without cancellation near the pole.
inline double height_of(Vector3 p) {
  return p.z > 0 ? (p.x * p.x + p.y * p.y) / (1 + p.z) : 1 - p.z;
}

/// Area between the pole and the great-circle arc from a to b, positive if b is east of a. With
/// t = tan(colatitude / 2) = sqrt(h / (2 - h)) and d the difference of longitudes:
/// tan(A/2) = t_a t_b sin d / (1 + t_a t_b cos d)      (Todhunter and Leathem 1901, article 103).
inline double area_to_pole(Position a, Position b) {
  const double d = b.longitude - a.longitude;
  const double t = std::sqrt(a.height / (2 - a.height) * (b.height / (2 - b.height)));
  return 2 * std::atan2(t * std::sin(d), 1 + t * std::cos(d));
}

/// A great-circle arc that runs eastward: tan(latitude) = v / |n_z|, v = -(n_x cos(longitude) + n_y
/// sin(longitude)), where n is normal to the plane of the circle.
struct Arc {
  Position west, east;
  Vector3 normal;
  double poleward_longitude = 0;  ///< longitude [rad] at which the circle is nearest to the pole

  /// @param p,q the points of unit length at `west` and `east`
  Arc(Position west, Vector3 p, Position east, Vector3 q) : west(west), east(east), normal(cross(p, q - p)) {
    poleward_longitude = std::atan2(-normal.y, -normal.x);
    slopes_ = {normal.x * p.y - normal.y * p.x, normal.x * q.y - normal.y * q.x};
  }
  /// Height of the circle at a longitude, limited to the heights of the points a and b of the arc.
  double height_at(double cosine, double sine, Position a, Position b) const {
    return std::clamp(height(-(normal.x * cosine + normal.y * sine)), std::min(a.height, b.height),
                      std::max(a.height, b.height));
  }
  /// Whether the northernmost or southernmost point of the circle is between the ends of the arc.
  bool has_extremum() const { return slopes_.first * slopes_.second < 0; }
  /// Returns the northernmost or southernmost point of the circle, which must be on the arc.
  Position extremum() const {
    const bool is_poleward = slopes_.first > 0;
    const double max_v = std::hypot(normal.x, normal.y), extreme = height(is_poleward ? max_v : -max_v);
    const double longitude =
        nearest(poleward_longitude + (is_poleward ? 0 : kPi), (west.longitude + east.longitude) / 2);
    return {std::clamp(longitude, west.longitude, east.longitude),
            is_poleward ? std::min({extreme, west.height, east.height})
                        : std::max({extreme, west.height, east.height})};
  }
  /// Returns the crossing of a parallel (`Rows`) and the arc from a to b, where latitude is monotonic.
  Position crossing(double height, double cotangent, Position a, Position b) const {
    const double crossing_distance =
        std::acos(std::clamp(cotangent * std::abs(normal.z) / std::hypot(normal.x, normal.y), -1.0, 1.0));
    const double middle = (a.longitude + b.longitude) / 2,
                 middle_distance = std::abs(nearest(poleward_longitude, middle) - middle);
    const double longitude = b.height < a.height ? middle + middle_distance - crossing_distance
                                                 : middle - middle_distance + crossing_distance;
    return {std::clamp(longitude, a.longitude, b.longitude), height};
  }

 private:
  /// Adds to an angle the multiple of 2 pi that brings it nearest to another angle.
  static double nearest(double angle, double other) { return other + std::remainder(angle - other, kTwoPi); }
  /// Height of the points of the circle where v has this value.
  double height(double v) const {
    const double length = std::hypot(normal.z, v);
    return v > 0 ? normal.z * normal.z / (length * (length + v)) : 1 - v / length;
  }

  std::pair<double, double> slopes_;  // dv / d longitude at the west and east end, times positive factors
};

/// The boxes around one face, numbered from first_column_ and first_row_. For each box, sums the areas
/// between the poleward parallel of the box and the sides of the face, positive for eastward sides. For a
/// closed face, this sum is the overlap of face and box. Reused for all faces to avoid allocations.
class Patch {
 public:
  explicit Patch(const LatLonGrid& grid) : grid_(grid) {}
  /// Clears the sums for a face of given extent.
  /// @param least, greatest bounds of longitude and height
  void start(const Rows& rows, Position least, Position greatest);

  /// Whether no row of the grid overlaps the face.
  bool is_empty() const { return n_rows_ <= 0; }
  /// Adds the areas between part of an arc, with monotonic latitude, and the poleward parallels of the boxes.
  void add(const Arc& arc, Position west, Position east, double sign);

  /// Calls body(row counted from the pole, column, area) for each box.
  template <class Body>
  void for_each_box(Body body) const {
    for (int patch_column = 0; patch_column < n_columns_; ++patch_column) {
      const int column = grid_.wrapped(first_column_ + patch_column);
      if (column == grid_.n_columns()) continue;  // the gap
      const Sum* sums = &sums_[patch_column * (n_rows_ + 1)];
      double width = sums[n_rows_].width;
      for (int patch_row = n_rows_ - 1; patch_row >= 0; --patch_row) {
        const int row = first_row_ + patch_row;
        body(row, column, sums[patch_row].area + width * (rows_->heights[row + 1] - rows_->heights[row]));
        width += sums[patch_row].width;
      }
    }
  }

 private:
  /// Sums over the sides within a box: the areas between sides and poleward parallel, and the widths [rad] of
  /// the sides. Over these widths, all boxes of the column nearer to the pole are covered fully.
  struct Sum {
    double area = 0, width = 0;
  };

  void add_in_column(const Arc& arc, std::int64_t column, Position west, Position east, double sign);
  void add_in_box(std::int64_t column, int row, Position west, Position east, double sign);

  const LatLonGrid& grid_;
  const Rows* rows_ = nullptr;
  std::int64_t first_column_ = 0;
  int first_row_ = 0, n_columns_ = 0, n_rows_ = 0;
  std::vector<Sum> sums_;  // (patch column, patch row + 1); the last row: all rows farther from the pole
};

void Patch::start(const Rows& rows, Position least, Position greatest) {
  rows_ = &rows;
  first_row_ = std::max(0, rows.row_at(least.height));
  n_rows_ = std::min(rows.row_at(greatest.height), rows.size() - 1) - first_row_ + 1;
  if (is_empty()) return;
  first_column_ = grid_.column_at(least.longitude);
  const std::int64_t columns = grid_.column_at(greatest.longitude) - first_column_ + 1;
  n_columns_ = static_cast<int>(std::min<std::int64_t>(columns, grid_.n_columns_around()));
  sums_.assign(static_cast<std::size_t>(n_columns_) * (n_rows_ + 1), Sum{});
}

void Patch::add(const Arc& arc, Position west, Position east, double sign) {
  Position begin = west;
  for (std::int64_t column = grid_.column_at(west.longitude);; ++column) {
    const double edge = grid_.edge(column + 1);
    const bool is_last = edge >= east.longitude;
    const Position end =
        is_last
            ? east
            : Position{edge, arc.height_at(grid_.cosine(column + 1), grid_.sine(column + 1), begin, east)};
    add_in_column(arc, column, begin, end, sign);
    if (is_last) return;
    begin = end;
  }
}

void Patch::add_in_column(const Arc& arc, std::int64_t column, Position west, Position east, double sign) {
  const int last_row = rows_->row_at(east.height), row_step = east.height < west.height ? -1 : 1;
  int row = rows_->row_at(west.height);
  for (Position begin = west;; row += row_step) {
    if (row == last_row) return add_in_box(column, row, begin, east, sign);
    const int parallel = row_step > 0 ? row + 1 : row;
    const Position end = arc.crossing(rows_->heights[parallel], rows_->cotangents[parallel], begin, east);
    add_in_box(column, row, begin, end, sign);
    begin = end;
  }
}

void Patch::add_in_box(std::int64_t column, int row, Position west, Position east, double sign) {
  const double width = sign * (east.longitude - west.longitude);
  if (width == 0 || row < first_row_) return;
  const int patch_row = std::min(row - first_row_, n_rows_);
  const int patch_column = grid_.wrapped(column - first_column_);
  Sum& sum = sums_[static_cast<std::size_t>(patch_column) * (n_rows_ + 1) + patch_row];
  sum.width += width;
  if (patch_row < n_rows_) sum.area += sign * area_to_pole(west, east) - width * rows_->heights[row];
}

constexpr double kRadiusTolerance = 1e-6;  // allowed deviation from 1 of a node's distance from the centre
/// Overlaps below this fraction of the area between the pole and the sides of a face are rounding errors.
constexpr double kSliver = 1e-15;

/// An overlap of a box and a face.
struct Entry {
  std::int64_t box;
  LocalIndex face;
  double area;
};

/// A side of a face, from one node to the next, as an eastward arc.
struct Side {
  Arc arc;
  double sign;  ///< 1 if the side runs eastward around the face, -1 if westward
};

void check(const Faces& faces) {
  for (std::size_t i = 0; i < faces.nodes.size(); ++i)
    require<InputError>(std::abs(norm(faces.nodes[i]) - 1) < kRadiusTolerance,
                        "Node {} (counted from 0) is at a distance of {} from the centre of the sphere "
                        "instead of 1. Check its longitude and latitude.",
                        i, norm(faces.nodes[i]));
  for (LocalIndex f = 0; f < faces.size(); ++f) {
    const LocalIndex n = faces.offsets[f + 1] - faces.offsets[f];
    require<InputError>(n >= 3, "Face {} (counted from 0) has {} nodes. A face needs 3 or more.", f, n);
    for (LocalIndex i = faces.offsets[f]; i < faces.offsets[f + 1]; ++i) {
      const LocalIndex node = faces.nodes_on_face[i];
      require<InputError>(node >= 0 && static_cast<std::size_t>(node) < faces.nodes.size(),
                          "Face {} (counted from 0) has the node {}, but there are {} nodes.", f, node,
                          faces.nodes.size());
    }
  }
}

/// Computes the overlaps of faces with the boxes of a grid, one face at a time.
class Clipper {
 public:
  Clipper(const Faces& faces, const LatLonGrid& grid) : faces_(faces), grid_(grid), patch_(grid) {}
  /// Appends the overlaps of a face with the boxes; returns the area of the face.
  double clip(LocalIndex face, std::vector<Entry>& entries) {
    const bool mirrored = load_corners(face);
    const double area = build_sides();
    const Rows& rows = mirrored ? grid_.from_south() : grid_.from_north();
    patch_.start(rows, least_, greatest_);
    if (patch_.is_empty()) return std::abs(area);
    for (const Side& side : sides_) add(side);
    const double orientation = area < 0 ? -1 : 1;
    patch_.for_each_box([&](int row, int column, double overlap) {
      if (orientation * overlap <= kSliver * width_ * greatest_.height) return;
      const std::int64_t row_from_south = mirrored ? row : grid_.n_rows() - 1 - row;
      entries.push_back({row_from_south * grid_.n_columns() + column, face, orientation * overlap});
    });
    return std::abs(area);
  }

 private:
  /// Loads the corners of a face, mirrored to the north if it is in the south; returns whether mirrored.
  bool load_corners(LocalIndex face) {
    points_.clear();
    double sum = 0;
    for (LocalIndex i = faces_.offsets[face]; i < faces_.offsets[face + 1]; ++i) {
      points_.push_back(faces_.nodes[faces_.nodes_on_face[i]]);
      sum += points_.back().z;
    }
    if (sum < 0)
      for (Vector3& point : points_) point.z = -point.z;
    return sum < 0;
  }
  /// Builds the sides and the extent of the face; returns the area, negative for a clockwise face.
  double build_sides() {
    sides_.clear();
    double area = 0, total_longitude = 0;
    width_ = 0;
    Position here = position_of(points_[0]);
    least_ = greatest_ = here;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Vector3 p = points_[i], q = points_[(i + 1) % points_.size()];
      const Position next = unwrapped(here, position_of(q));
      const double eastward = next.longitude - here.longitude;
      area += area_to_pole(here, next);
      total_longitude += eastward;
      width_ += std::abs(eastward);
      if (eastward > 0) add_side({.arc = Arc(here, p, next, q), .sign = 1});
      if (eastward < 0) add_side({.arc = Arc(next, q, here, p), .sign = -1});
      here = next;
    }
    if (std::abs(total_longitude) > kPi) least_.height = 0;  // the pole is inside
    return area;
  }

  void add_side(const Side& side) {
    extend(side.arc.west);
    extend(side.arc.east);
    if (side.arc.has_extremum()) extend(side.arc.extremum());
    sides_.push_back(side);
  }

  void extend(Position p) {
    least_ = {std::min(least_.longitude, p.longitude), std::min(least_.height, p.height)};
    greatest_ = {std::max(greatest_.longitude, p.longitude), std::max(greatest_.height, p.height)};
  }

  void add(const Side& side) {
    const Arc& arc = side.arc;
    if (!arc.has_extremum()) return patch_.add(arc, arc.west, arc.east, side.sign);
    const Position extremum = arc.extremum();
    patch_.add(arc, arc.west, extremum, side.sign);
    patch_.add(arc, extremum, arc.east, side.sign);
  }
  /// Adds to the longitude of a position the multiple of 2 pi that brings it nearest to the previous corner.
  /// Both sides at a corner use the same bits, so that the polygon closes.
  static Position unwrapped(Position previous, Position position) {
    const double n_circles = std::round((previous.longitude - position.longitude) / kTwoPi);
    return {position.longitude + n_circles * kTwoPi, position.height};
  }

  static Position position_of(Vector3 point) { return {std::atan2(point.y, point.x), height_of(point)}; }

  const Faces& faces_;
  const LatLonGrid& grid_;
  Patch patch_;
  std::vector<Vector3> points_;
  std::vector<Side> sides_;
  Position least_, greatest_;
  double width_ = 0;  // sum of the widths of the sides [rad]
};

/// Writes the entries sorted by box; entries of a box remain in their order.
void sort_by_box(const std::vector<std::vector<Entry>>& blocks, Overlaps& result) {
  auto& offsets = result.offsets;
  offsets.assign(result.box_areas.size() + 1, 0);
  for (const auto& block : blocks)
    for (const Entry& entry : block) ++offsets[entry.box + 1];
  for (std::size_t b = 1; b < offsets.size(); ++b) offsets[b] += offsets[b - 1];
  result.faces.resize(offsets.back());
  result.areas.resize(offsets.back());
  std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
  for (const auto& block : blocks) {
    for (const Entry& entry : block) {
      const std::int64_t index = next[entry.box]++;
      result.faces[index] = entry.face;
      result.areas[index] = entry.area;
    }
  }
}

}  // namespace

Overlaps overlaps(const Faces& faces, const LatLonGrid& grid, int threads) {
  check(faces);
  Overlaps result;
  result.box_areas = grid.areas();
  result.face_areas.resize(faces.size());
  std::vector<std::vector<Entry>> blocks(n_blocks(faces.size()));
  for_blocks(faces.size(), threads, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
    Clipper clipper(faces, grid);
    for (std::int64_t f = begin; f < end; ++f)
      result.face_areas[f] = clipper.clip(static_cast<LocalIndex>(f), blocks[block]);
  });
  sort_by_box(blocks, result);
  return result;
}

void average(const Overlaps& overlaps, std::span<const double> values, std::span<double> means,
             std::span<double> covered, int threads) {
  for_each_index(static_cast<std::int64_t>(means.size()), threads, [&](std::int64_t box) {
    double sum = 0, area = 0, reference = NAN;
    for (std::int64_t i = overlaps.offsets[box]; i < overlaps.offsets[box + 1]; ++i) {
      const double value = values[overlaps.faces[i]];
      if (std::isnan(value)) continue;
      if (area == 0) reference = value;  // summing differences from a value preserves constants bitwise
      sum += overlaps.areas[i] * (value - reference);
      area += overlaps.areas[i];
    }
    means[box] = reference + sum / area;
    covered[box] = std::min(1.0, area / overlaps.box_areas[box]);
  });
}

}  // namespace halcyon::remap
