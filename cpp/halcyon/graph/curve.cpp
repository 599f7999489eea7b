#include "halcyon/graph/curve.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::graph {
namespace {

constexpr int kLevels = 24;  // bisections of a face: squares have sides of 1.2e-7 times the radius
constexpr double kSquaresPerSide = 1 << kLevels;

/// A face of the cube [-1, 1]^3 and the curve on it, which runs from the corner `start` to the adjacent
/// corner in the direction of the axis `along`.
struct Face {
  int normal, along, across;    // axes (0, 1, 2) of the face's normal, and along and across the curve
  std::array<double, 3> start;  // coordinates of the corner
};

/// The faces in the order of the curve. The curve begins and ends on each face at corners that a cube edge
/// connects; these six edges, along z, y, x, z, y, x, form a closed path that visits each face once.
constexpr std::array<Face, 6> kFaces = [] {
  std::array<Face, 6> faces{};
  std::array<double, 3> corner{-1, -1, -1};
  for (int face = 0; face < 6; ++face) {
    const int axis = 2 - face % 3;
    faces[face] = {.normal = (axis + 1) % 3, .along = axis, .across = (axis + 2) % 3, .start = corner};
    corner[axis] = -corner[axis];
  }
  return faces;
}();

/// Index in kFaces of the face whose normal has the given axis and sign: kFaceOf[axis][is_negative].
constexpr auto kFaceOf = [] {
  std::array<std::array<int, 2>, 3> face_of{};
  for (int face = 0; face < 6; ++face)
    face_of[kFaces[face].normal][kFaces[face].start[kFaces[face].normal] < 0] = face;
  return face_of;
}();

/// A square of the finest subdivision of a face.
struct Square {
  int face;            // index in kFaces
  std::uint32_t u, v;  // coordinates along and across the curve
};

/// Coordinate u or v of the square at a distance of 0 to 2 along or across the curve from the face's `start`.
std::uint32_t square_coordinate(double distance) {
  return static_cast<std::uint32_t>(std::clamp(distance / 2 * kSquaresPerSide, 0.0, kSquaresPerSide - 1));
}

Square square_of(Vector3 p) {
  const std::array<double, 3> x{p.x, p.y, p.z};
  int axis = 0;
  for (const int other : {1, 2})
    if (std::abs(x[other]) > std::abs(x[axis])) axis = other;
  const int index = kFaceOf[axis][x[axis] < 0];
  const Face& face = kFaces[index];
  const double scale = 1 / std::abs(x[axis]);
  return {index, square_coordinate(1 - face.start[face.along] * scale * x[face.along]),
          square_coordinate(1 - face.start[face.across] * scale * x[face.across])};
}

/// Orders points by face, then by index_on_face(u, v), the index of their square along the curve of the face.
template <class IndexOnFace>
std::vector<LocalIndex> order_along(std::span<const Vector3> points, IndexOnFace index_on_face) {
  require_on_sphere(points);
  std::vector<std::uint64_t> keys(points.size());
  std::ranges::transform(points, keys.begin(), [&](Vector3 point) {
    const Square square = square_of(point);
    return static_cast<std::uint64_t>(square.face) << 2 * kLevels | index_on_face(square.u, square.v);
  });
  return sorted_by_key(keys);
}

}  // namespace

void require_on_sphere(std::span<const Vector3> points) {
  for (std::size_t i = 0; i < points.size(); ++i)
    require<InputError>(std::abs(dot(points[i], points[i]) - 1) < 1e-6,
                        "Point {} is at distance {} from the centre. Give points on the unit sphere.", i,
                        norm(points[i]));
}

std::vector<LocalIndex> hilbert_order(std::span<const Vector3> points) {
  return order_along(points, [](std::uint32_t u, std::uint32_t v) { return hilbert_index(u, v, kLevels); });
}

std::vector<LocalIndex> morton_order(std::span<const Vector3> points) {
  return order_along(points, morton_index);
}

namespace {

/// Orientation of the curve in a quarter of a square relative to the curve in the whole square: bit 0 is
/// `reflected` (at the diagonal), bit 1 is `reversed`.
using Orientation = std::uint32_t;

struct CurveStep {
  std::uint32_t index = 0;  // index along the curve of a quarter, or after several steps of a smaller square
  Orientation orientation = 0;  // of the curve within this quarter or square
};

/// Returns the index and orientation of the quarter given by one bit of u and one of v, in a square with the
/// given orientation. The curve is reflected in the first and last quarters, and reversed in the last one.
constexpr CurveStep step_into(std::uint32_t u, std::uint32_t v, Orientation orientation) {
  const std::uint32_t reflected = orientation & 1, reversed = orientation >> 1;
  const std::uint32_t right = (reflected ? v : u) ^ reversed, upper = (reflected ? u : v) ^ reversed;
  return {3 * right ^ upper, (reflected ^ (1 - upper)) | (reversed ^ (right & (1 - upper))) << 1};
}

constexpr int kTableLevels = 4;  // levels per table lookup
constexpr std::uint32_t kTableSide = 1 << kTableLevels;

/// Results of kTableLevels steps: kStepTable[initial orientation][kTableLevels bits of u, then of v].
constexpr auto kStepTable = [] {
  std::array<std::array<CurveStep, kTableSide * kTableSide>, 4> table{};
  for (Orientation orientation = 0; orientation < 4; ++orientation) {
    for (std::uint32_t square = 0; square < kTableSide * kTableSide; ++square) {
      CurveStep total{.orientation = orientation};
      for (int level = kTableLevels - 1; level >= 0; --level) {
        const CurveStep step =
            step_into(square >> (kTableLevels + level) & 1, square >> level & 1, total.orientation);
        total = {total.index << 2 | step.index, step.orientation};
      }
      table[orientation][square] = total;
    }
  }
  return table;
}();

/// Inserts a zero before each bit of a number.
std::uint64_t spread_bits(std::uint64_t bits) {
  bits = (bits | bits << 16) & 0x0000ffff0000ffff;
  bits = (bits | bits << 8) & 0x00ff00ff00ff00ff;
  bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0f;
  bits = (bits | bits << 2) & 0x3333333333333333;
  return (bits | bits << 1) & 0x5555555555555555;
}

constexpr int kDigitBits = 11;  // of the radix sort
constexpr std::size_t kDigitValues = 1 << kDigitBits;

struct KeyedNode {
  std::uint64_t key;
  LocalIndex node;
  std::size_t digit(int shift) const { return key >> shift & (kDigitValues - 1); }
};

/// Offset of the first entry with each digit in the sorted entries.
std::array<std::size_t, kDigitValues> digit_offsets(std::span<const KeyedNode> entries, int shift) {
  std::array<std::size_t, kDigitValues> offsets{};
  for (const KeyedNode& entry : entries) ++offsets[entry.digit(shift)];
  std::size_t sum = 0;
  for (std::size_t& count_then_offset : offsets) sum += std::exchange(count_then_offset, sum);
  return offsets;
}

}  // namespace

/// If `levels` is not a multiple of kTableLevels, the first table lookup has extra levels with bits (0, 0).
/// Each extra level reflects the curve; the initial orientation compensates for this.
std::uint64_t hilbert_index(std::uint32_t u, std::uint32_t v, int levels) {
  const int n_lookups = (levels + kTableLevels - 1) / kTableLevels;
  std::uint64_t index = 0;
  Orientation orientation = (n_lookups * kTableLevels - levels) & 1;
  for (int shift = (n_lookups - 1) * kTableLevels; shift >= 0; shift -= kTableLevels) {
    const CurveStep step = kStepTable[orientation][(u >> shift & (kTableSide - 1)) << kTableLevels |
                                                   (v >> shift & (kTableSide - 1))];
    index = index << 2 * kTableLevels | step.index;
    orientation = step.orientation;
  }
  return index;
}

std::uint64_t morton_index(std::uint32_t u, std::uint32_t v) {
  return spread_bits(u) << 1 | spread_bits(v);
}

/// Radix sort, O(n).
std::vector<LocalIndex> sorted_by_key(std::span<const std::uint64_t> keys) {
  std::vector<KeyedNode> entries(keys.size()), sorted(keys.size());
  std::uint64_t used_bits = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    entries[i] = {keys[i], static_cast<LocalIndex>(i)};
    used_bits |= keys[i];
  }
  for (int shift = 0; shift < 64 && used_bits >> shift != 0; shift += kDigitBits) {
    auto next_offset = digit_offsets(entries, shift);
    for (const KeyedNode& entry : entries) sorted[next_offset[entry.digit(shift)]++] = entry;
    entries.swap(sorted);
  }
  std::vector<LocalIndex> order;
  order.reserve(entries.size());
  for (const KeyedNode& entry : entries) order.push_back(entry.node);
  return order;
}

namespace {

constexpr int kSides = 6;
/// (direction) offset of a hexagon's neighbour in oblique coordinates, counter-clockwise.
constexpr std::array<Oblique, kSides> kObliqueSteps{{{0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}, {1, 0}}};
constexpr std::int8_t kUnknown = -1;

constexpr int kOrderCharacters = 8;  // of the GeoHash in grist_morton_order
constexpr int kMaxCharacters = 12;   // of the function geohash
constexpr int kBitsPerCharacter = 5;
constexpr std::string_view kAlphabet = "0123456789bcdefghjkmnpqrstuvwxyz";

bool is_hexagon(const NeighbourLists& graph, LocalIndex node) {
  return graph[node].size() == kSides;
}

/// Returns the direction from `node` to its first listed neighbour; `direction` leads from `from` to `node`.
std::int8_t direction_of_first(const NeighbourLists& graph, LocalIndex node, LocalIndex from, int direction) {
  const auto index_of_from = std::ranges::find(graph[node], from) - graph[node].begin();
  return static_cast<std::int8_t>((direction + kSides / 2 + kSides - index_of_from % kSides) % kSides);
}

/// Breadth-first search that assigns oblique coordinates to nodes.
class Unfolding {
 public:
  explicit Unfolding(const NeighbourLists& graph)
      : graph_(graph), coordinates_(graph.n_nodes()), direction_of_first_(graph.n_nodes(), kUnknown) {}

  std::vector<Oblique> coordinates_from(LocalIndex origin) && {
    direction_of_first_[origin] = 0;
    found_ = {origin};
    for (std::size_t i = 0; i < found_.size(); ++i)
      if (is_hexagon(graph_, found_[i])) set_neighbours(found_[i]);
    return std::move(coordinates_);
  }

 private:
  void set_neighbours(LocalIndex node) {
    for (int side = 0; side < kSides; ++side) {
      const LocalIndex other = graph_[node][side];
      if (other < 0 || direction_of_first_[other] != kUnknown) continue;
      const int direction = (direction_of_first_[node] + side) % kSides;
      coordinates_[other] = {coordinates_[node].x + kObliqueSteps[direction].x,
                             coordinates_[node].y + kObliqueSteps[direction].y};
      direction_of_first_[other] = direction_of_first(graph_, other, node, direction);
      found_.push_back(other);
    }
  }

  const NeighbourLists& graph_;
  std::vector<Oblique> coordinates_;
  std::vector<std::int8_t> direction_of_first_;  ///< from each found node to its first listed neighbour
  std::vector<LocalIndex> found_;
};

}  // namespace

std::vector<Oblique> oblique_coordinates(const NeighbourLists& graph) {
  require_valid(graph);
  LocalIndex origin = 0;
  while (origin < graph.n_nodes() && !is_hexagon(graph, origin)) ++origin;
  if (origin == graph.n_nodes()) return std::vector<Oblique>(origin);
  return Unfolding(graph).coordinates_from(origin);
}

std::vector<LocalIndex> grist_hilbert_order(const NeighbourLists& graph) {
  const auto coordinates = oblique_coordinates(graph);
  if (coordinates.empty()) return {};
  const auto [west, east] = std::ranges::minmax(coordinates, {}, &Oblique::x);
  const auto [south, north] = std::ranges::minmax(coordinates, {}, &Oblique::y);
  const int levels = std::bit_width(static_cast<std::uint32_t>(std::max(east.x - west.x, north.y - south.y)));
  std::vector<std::uint64_t> keys(coordinates.size());
  std::ranges::transform(coordinates, keys.begin(), [&, left = west.x, low = south.y](Oblique point) {
    return hilbert_index(point.x - left, point.y - low, levels);
  });
  return sorted_by_key(keys);
}

std::uint32_t bisection_index(double value, double low, double high, int n) {
  const double n_intervals = static_cast<double>(1U << n);
  return static_cast<std::uint32_t>(
      std::clamp((value - low) / (high - low) * n_intervals, 0.0, n_intervals - 1));
}

std::vector<LocalIndex> grist_morton_order(std::span<const Vector3> points) {
  require_on_sphere(points);
  constexpr int kBisections = kOrderCharacters * kBitsPerCharacter / 2;
  std::vector<std::uint64_t> keys(points.size());
  std::ranges::transform(points, keys.begin(), [](Vector3 p) {
    const double latitude = std::asin(std::clamp(p.z, -1.0, 1.0)), longitude = std::atan2(p.y, p.x);
    return morton_index(bisection_index(longitude, -kPi, kPi, kBisections),
                        bisection_index(latitude, -kPi / 2, kPi / 2, kBisections));
  });
  return sorted_by_key(keys);
}

std::string geohash(double latitude, double longitude, int characters) {
  require<InputError>(
      std::abs(latitude) <= 90 && std::abs(longitude) <= 180,
      "There is no point at latitude {} and longitude {}. Give -90..90 and -180..180 degrees.", latitude,
      longitude);
  require<ConfigError>(characters >= 1 && characters <= kMaxCharacters,
                       "A GeoHash cannot have {} characters. Give 1 to {}.", characters, kMaxCharacters);
  const int n_bits = characters * kBitsPerCharacter, n_bisections = (n_bits + 1) / 2;
  const auto bits = morton_index(bisection_index(longitude, -180, 180, n_bisections),
                                 bisection_index(latitude, -90, 90, n_bisections)) >>
                    n_bits % 2;
  std::string text;
  for (int shift = n_bits - kBitsPerCharacter; shift >= 0; shift -= kBitsPerCharacter)
    text += kAlphabet[bits >> shift & (kAlphabet.size() - 1)];
  return text;
}

}  // namespace halcyon::graph
