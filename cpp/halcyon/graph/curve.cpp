#include "halcyon/graph/curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/graph/curve_place.hpp"

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

/// @param place_on_face (u, v) of a square
template <class Place>
std::vector<LocalIndex> order_along(std::span<const Vector3> points, Place place_on_face) {
  require_on_sphere(points);
  std::vector<std::uint64_t> places(points.size());
  std::ranges::transform(points, places.begin(), [&](Vector3 point) {
    const Square square = square_of(point);
    return static_cast<std::uint64_t>(square.face) << 2 * kLevels | place_on_face(square.u, square.v);
  });
  return order_by(places);
}

}  // namespace

void require_on_sphere(std::span<const Vector3> points) {
  for (std::size_t i = 0; i < points.size(); ++i)
    require<InputError>(std::abs(dot(points[i], points[i]) - 1) < 1e-6,
                        "Point {} lies at distance {} from the centre. Put it on the unit sphere.", i,
                        norm(points[i]));
}

std::vector<LocalIndex> hilbert_order(std::span<const Vector3> points) {
  return order_along(points, [](std::uint32_t u, std::uint32_t v) { return hilbert_place(u, v, kLevels); });
}

std::vector<LocalIndex> morton_order(std::span<const Vector3> points) {
  return order_along(points, morton_place);
}

}  // namespace halcyon::graph
