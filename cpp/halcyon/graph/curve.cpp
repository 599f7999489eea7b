#include "halcyon/graph/curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::graph {
namespace {

constexpr int kLevels = 24;  // halvings of a face: squares of 1.2e-7 of the radius
constexpr double kSide = 1 << kLevels;

/// A face of the cube [-1, 1]^3 and the curve on it, which runs from the corner `start` along the axis
/// `along`.
struct Face {
  int normal, along, across;    // axes
  std::array<double, 3> start;  // the corner
};

/// Six steps from corner to corner around the cube, along z, y, x, z, y, x, never back: the step i lies on
/// the face that also holds step i + 1, so that every face is passed once and the last step ends at the first
/// corner.
constexpr std::array<Face, 6> kWay = [] {
  std::array<Face, 6> faces{};
  std::array<double, 3> corner{-1, -1, -1};
  for (int step = 0; step < 6; ++step) {
    const int axis = 2 - step % 3;
    faces[step] = {(axis + 1) % 3, axis, (axis + 2) % 3, corner};
    corner[axis] = -corner[axis];
  }
  return faces;
}();

/// The number on the way of the face with a normal along `axis`, in its negative direction or not.
constexpr auto kStepOf = [] {
  std::array<std::array<int, 2>, 3> steps{};
  for (int step = 0; step < 6; ++step)
    steps[kWay[step].normal][kWay[step].start[kWay[step].normal] < 0] = step;
  return steps;
}();

/// A square of the finest division of a face, along and across its curve.
struct Square {
  int face;
  std::uint32_t u, v;
};

std::uint32_t square_at(double distance) {
  return static_cast<std::uint32_t>(std::clamp(distance / 2 * kSide, 0.0, kSide - 1));
}

Square square_of(Vector3 p) {
  const std::array<double, 3> x{p.x, p.y, p.z};
  int axis = 0;
  for (const int other : {1, 2})
    if (std::abs(x[other]) > std::abs(x[axis])) axis = other;
  const int step = kStepOf[axis][x[axis] < 0];
  const Face& face = kWay[step];
  const double scale = 1 / std::abs(x[axis]);
  return {step, square_at(1 - face.start[face.along] * scale * x[face.along]),
          square_at(1 - face.start[face.across] * scale * x[face.across])};
}

/// Place of a square along the Hilbert curve from (0, 0) to (1, 0) of the unit square. In each quarter the
/// curve is the whole one, `turned` about the diagonal in the first and last, and `reversed` in the last.
struct HilbertPlace {
  std::uint64_t operator()(Square square) const {
    std::uint64_t place = square.face;
    std::uint32_t turned = 0, reversed = 0;
    for (int level = kLevels - 1; level >= 0; --level) {
      const std::uint32_t u = (square.u >> level & 1) ^ reversed, v = (square.v >> level & 1) ^ reversed;
      const std::uint32_t right = turned ? v : u, upper = turned ? u : v;
      place = place << 2 | (3 * right ^ upper);
      turned ^= 1 - upper;
      reversed ^= right & (1 - upper);
    }
    return place;
  }
};

struct MortonPlace {
  std::uint64_t operator()(Square square) const {
    std::uint64_t place = square.face;
    for (int level = kLevels - 1; level >= 0; --level)
      place = place << 2 | (square.u >> level & 1) << 1 | (square.v >> level & 1);
    return place;
  }
};

template <class Place>
std::vector<LocalIndex> order_along(std::span<const Vector3> points, Place place) {
  std::vector<std::pair<std::uint64_t, LocalIndex>> places(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vector3 p = points[i];
    require<InputError>(std::abs(dot(p, p) - 1) < 1e-6,
                        "Point {} lies at distance {} from the centre. Put it on the unit sphere.", i,
                        norm(p));
    places[i] = {place(square_of(p)), static_cast<LocalIndex>(i)};
  }
  std::ranges::sort(places);
  std::vector<LocalIndex> order(points.size());
  std::ranges::transform(places, order.begin(), [](const auto& entry) { return entry.second; });
  return order;
}

}  // namespace

std::vector<LocalIndex> hilbert_order(std::span<const Vector3> points) {
  return order_along(points, HilbertPlace());
}

std::vector<LocalIndex> morton_order(std::span<const Vector3> points) {
  return order_along(points, MortonPlace());
}

}  // namespace halcyon::graph
