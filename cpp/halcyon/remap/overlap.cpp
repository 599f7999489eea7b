#include "halcyon/remap/overlap.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/parallel.hpp"
#include "halcyon/remap/patch.hpp"

namespace halcyon::remap {
namespace {

constexpr double kOnSphere = 1e-6;  // how far a node's distance from the centre may be from 1
constexpr double kSliver = 1e-15;   // areas below this times those under the face's sides are rounding

struct Entry {
  std::int64_t box;
  LocalIndex face;
  double area;
};

/// A side of a face, from one node to the next, as an eastward arc.
struct Side {
  Arc arc;
  double sign;  ///< 1 if the face runs along it eastward, else -1
};

void check(const Faces& faces) {
  for (std::size_t i = 0; i < faces.nodes.size(); ++i)
    require<InputError>(std::abs(norm(faces.nodes[i]) - 1) < kOnSphere,
                        "Node {} (counted from 0) is at a distance of {} from the centre of the sphere "
                        "instead of 1. Check its longitude and latitude.",
                        i, norm(faces.nodes[i]));
  for (LocalIndex f = 0; f < faces.size(); ++f) {
    const LocalIndex n = faces.offsets[f + 1] - faces.offsets[f];
    require<InputError>(n >= 3, "Face {} (counted from 0) has {} nodes. A face needs 3 or more.", f, n);
    for (LocalIndex i = faces.offsets[f]; i < faces.offsets[f + 1]; ++i) {
      const LocalIndex node = faces.nodes_on_face[i];
      require<InputError>(node >= 0 && static_cast<std::size_t>(node) < faces.nodes.size(),
                          "Face {} (counted from 0) has the node {}, but there are {}.", f, node,
                          faces.nodes.size());
    }
  }
}

/// Finds what one face after another shares with the boxes of a grid.
class Clipper {
 public:
  Clipper(const Faces& faces, const LatLonGrid& grid) : faces_(faces), grid_(grid), patch_(grid) {}

  /// Appends what a face shares with the boxes; returns the face's area.
  double clip(LocalIndex face, std::vector<Entry>& entries) {
    const bool mirrored = take_points(face);
    const double area = take_sides();
    const Rows& rows = mirrored ? grid_.from_south() : grid_.from_north();
    patch_.start(rows, least_, greatest_);
    if (patch_.is_empty()) return std::abs(area);
    for (const Side& side : sides_) add(side);
    const double sense = area < 0 ? -1 : 1;
    patch_.for_each_box([&](int row, int column, double shared) {
      if (sense * shared <= kSliver * width_ * greatest_.height) return;
      const std::int64_t from_south = mirrored ? row : grid_.n_rows() - 1 - row;
      entries.push_back({from_south * grid_.n_columns() + column, face, sense * shared});
    });
    return std::abs(area);
  }

 private:
  /// The corners of a face, mirrored to the north if they lie in the south.
  bool take_points(LocalIndex face) {
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

  /// The sides of the face, and how far it reaches; returns its area, negative if it runs clockwise.
  double take_sides() {
    sides_.clear();
    double area = 0, around = 0;
    width_ = 0;
    Place here = place_of(points_[0]);
    least_ = greatest_ = here;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Vector3 p = points_[i], q = points_[(i + 1) % points_.size()];
      const Place next = near(here, place_of(q));
      const double step = next.longitude - here.longitude;
      area += area_to_pole(here, next);
      around += step;
      width_ += std::abs(step);
      if (step > 0) take_side({Arc(here, p, next, q), 1});
      if (step < 0) take_side({Arc(next, q, here, p), -1});
      here = next;
    }
    if (std::abs(around) > kPi) least_.height = 0;  // the pole is inside
    return area;
  }

  void take_side(const Side& side) {
    reach(side.arc.west);
    reach(side.arc.east);
    if (side.arc.turns()) reach(side.arc.turning_place());
    sides_.push_back(side);
  }

  void reach(Place place) {
    least_ = {std::min(least_.longitude, place.longitude), std::min(least_.height, place.height)};
    greatest_ = {std::max(greatest_.longitude, place.longitude), std::max(greatest_.height, place.height)};
  }

  void add(const Side& side) {
    const Arc& arc = side.arc;
    if (!arc.turns()) return patch_.add(arc, arc.west, arc.east, side.sign);
    const Place turn = arc.turning_place();
    patch_.add(arc, arc.west, turn, side.sign);
    patch_.add(arc, turn, arc.east, side.sign);
  }

  /// The same place in the turn in which it is nearest to another. Whole turns are added, so that a longitude
  /// keeps its bits from side to side and the sides close.
  static Place near(Place other, Place place) {
    const double turns = std::round((other.longitude - place.longitude) / kTwoPi);
    return {place.longitude + turns * kTwoPi, place.height};
  }

  static Place place_of(Vector3 point) { return {std::atan2(point.y, point.x), height_of(point)}; }

  const Faces& faces_;
  const LatLonGrid& grid_;
  Patch patch_;
  std::vector<Vector3> points_;
  std::vector<Side> sides_;
  Place least_, greatest_;
  double width_ = 0;  // sum of the sides' widths [rad]
};

/// Entries in the order of their boxes; those of a box stay in the order in which they come.
void sort_by_box(const std::vector<std::vector<Entry>>& blocks, Overlaps& found) {
  auto& offsets = found.offsets;
  offsets.assign(found.box_areas.size() + 1, 0);
  for (const auto& block : blocks)
    for (const Entry& entry : block) ++offsets[entry.box + 1];
  for (std::size_t b = 1; b < offsets.size(); ++b) offsets[b] += offsets[b - 1];
  found.faces.resize(offsets.back());
  found.areas.resize(offsets.back());
  std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
  for (const auto& block : blocks) {
    for (const Entry& entry : block) {
      const std::int64_t at = next[entry.box]++;
      found.faces[at] = entry.face;
      found.areas[at] = entry.area;
    }
  }
}

}  // namespace

Overlaps overlaps(const Faces& faces, const LatLonGrid& grid, int threads) {
  check(faces);
  Overlaps found;
  found.box_areas = grid.areas();
  found.face_areas.resize(faces.size());
  std::vector<std::vector<Entry>> blocks(n_blocks(faces.size()));
  for_blocks(faces.size(), threads, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
    Clipper clipper(faces, grid);
    for (std::int64_t f = begin; f < end; ++f)
      found.face_areas[f] = clipper.clip(static_cast<LocalIndex>(f), blocks[block]);
  });
  sort_by_box(blocks, found);
  return found;
}

}  // namespace halcyon::remap
