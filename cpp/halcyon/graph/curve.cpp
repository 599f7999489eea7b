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

namespace {

/// How the curve lies in a quarter, of which it is the whole one: `turned` about the diagonal (bit 0), and
/// `reversed` (bit 1).
using Pose = std::uint32_t;

struct Step {
  std::uint32_t place = 0;  // of the quarter, or of the square after several steps
  Pose pose = 0;            // within it
};

/// From a quarter, given by a bit of u and one of v, to its place. It is turned in the first and last, and
/// reversed in the last.
constexpr Step step_into(std::uint32_t u, std::uint32_t v, Pose pose) {
  const std::uint32_t turned = pose & 1, reversed = pose >> 1;
  const std::uint32_t right = (turned ? v : u) ^ reversed, upper = (turned ? u : v) ^ reversed;
  return {3 * right ^ upper, (turned ^ (1 - upper)) | (reversed ^ (right & (1 - upper))) << 1};
}

constexpr int kAtOnce = 4;  // levels that a table takes in one step
constexpr std::uint32_t kSquares = 1 << kAtOnce;

/// kAtOnce steps by the pose before them and as many bits of u and v.
constexpr auto kSteps = [] {
  std::array<std::array<Step, kSquares * kSquares>, 4> table{};
  for (Pose pose = 0; pose < 4; ++pose) {
    for (std::uint32_t square = 0; square < kSquares * kSquares; ++square) {
      Step all{.pose = pose};
      for (int level = kAtOnce - 1; level >= 0; --level) {
        const Step one = step_into(square >> (kAtOnce + level) & 1, square >> level & 1, all.pose);
        all = {all.place << 2 | one.place, one.pose};
      }
      table[pose][square] = all;
    }
  }
  return table;
}();

/// The bits of a number with a zero before each.
std::uint64_t spread(std::uint64_t bits) {
  bits = (bits | bits << 16) & 0x0000ffff0000ffff;
  bits = (bits | bits << 8) & 0x00ff00ff00ff00ff;
  bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0f;
  bits = (bits | bits << 2) & 0x3333333333333333;
  return (bits | bits << 1) & 0x5555555555555555;
}

constexpr int kDigitBits = 11;
constexpr std::size_t kDigits = 1 << kDigitBits;

struct Entry {
  std::uint64_t place;
  LocalIndex node;
  std::size_t digit(int shift) const { return place >> shift & (kDigits - 1); }
};

/// Where entries with each digit begin when these are sorted.
std::array<std::size_t, kDigits> begins(std::span<const Entry> entries, int shift) {
  std::array<std::size_t, kDigits> begin{};
  for (const Entry& entry : entries) ++begin[entry.digit(shift)];
  std::size_t sum = 0;
  for (std::size_t& n : begin) sum += std::exchange(n, sum);
  return begin;
}

}  // namespace

/// Levels that are added to fill the last table each hold (0, 0), which turns the curve; so it begins as many
/// times turned.
std::uint64_t hilbert_place(std::uint32_t u, std::uint32_t v, int levels) {
  const int tables = (levels + kAtOnce - 1) / kAtOnce;
  std::uint64_t place = 0;
  Pose pose = (tables * kAtOnce - levels) & 1;
  for (int shift = (tables - 1) * kAtOnce; shift >= 0; shift -= kAtOnce) {
    const Step step = kSteps[pose][(u >> shift & (kSquares - 1)) << kAtOnce | (v >> shift & (kSquares - 1))];
    place = place << 2 * kAtOnce | step.place;
    pose = step.pose;
  }
  return place;
}

std::uint64_t morton_place(std::uint32_t u, std::uint32_t v) {
  return spread(u) << 1 | spread(v);
}

/// Digit by digit from the last, each time keeping the order of equals (radix sort): O(n).
std::vector<LocalIndex> order_by(std::span<const std::uint64_t> places) {
  std::vector<Entry> entries(places.size()), sorted(places.size());
  std::uint64_t used = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    entries[i] = {places[i], static_cast<LocalIndex>(i)};
    used |= places[i];
  }
  for (int shift = 0; shift < 64 && used >> shift != 0; shift += kDigitBits) {
    auto begin = begins(entries, shift);
    for (const Entry& entry : entries) sorted[begin[entry.digit(shift)]++] = entry;
    entries.swap(sorted);
  }
  std::vector<LocalIndex> order;
  order.reserve(entries.size());
  for (const Entry& entry : entries) order.push_back(entry.node);
  return order;
}

namespace {

constexpr int kSides = 6;
constexpr std::array<Oblique, kSides> kObliqueSteps{{{0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}, {1, 0}}};
constexpr std::int8_t kUnknown = -1;

constexpr int kOrderCharacters = 8;
constexpr int kMostCharacters = 12;
constexpr int kBinaryDigits = 5;  // binary ones, of a character
constexpr std::string_view kAlphabet = "0123456789bcdefghjkmnpqrstuvwxyz";

bool is_hexagon(const NeighbourLists& graph, LocalIndex node) {
  return graph[node].size() == kSides;
}

/// The step that the first entry of a node's list stands for, where `step` leads to the node from `from`.
std::int8_t first_step(const NeighbourLists& graph, LocalIndex node, LocalIndex from, int step) {
  const auto back = std::ranges::find(graph[node], from) - graph[node].begin();
  return static_cast<std::int8_t>((step + kSides / 2 + kSides - back % kSides) % kSides);
}

/// The places, and the first_step of each node that has one.
class Unfolding {
 public:
  explicit Unfolding(const NeighbourLists& graph)
      : graph_(graph), places_(graph.n_nodes()), first_step_(graph.n_nodes(), kUnknown) {}

  std::vector<Oblique> from(LocalIndex origin) && {
    first_step_[origin] = 0;
    found_ = {origin};
    for (std::size_t at = 0; at < found_.size(); ++at)
      if (is_hexagon(graph_, found_[at])) place_neighbours(found_[at]);
    return std::move(places_);
  }

 private:
  void place_neighbours(LocalIndex node) {
    for (int side = 0; side < kSides; ++side) {
      const LocalIndex other = graph_[node][side];
      if (other < 0 || first_step_[other] != kUnknown) continue;
      const int step = (first_step_[node] + side) % kSides;
      places_[other] = {places_[node].x + kObliqueSteps[step].x, places_[node].y + kObliqueSteps[step].y};
      first_step_[other] = first_step(graph_, other, node, step);
      found_.push_back(other);
    }
  }

  const NeighbourLists& graph_;
  std::vector<Oblique> places_;
  std::vector<std::int8_t> first_step_;
  std::vector<LocalIndex> found_;
};

}  // namespace

std::vector<Oblique> oblique_places(const NeighbourLists& graph) {
  require_valid(graph);
  LocalIndex origin = 0;
  while (origin < graph.n_nodes() && !is_hexagon(graph, origin)) ++origin;
  if (origin == graph.n_nodes()) return std::vector<Oblique>(origin);
  return Unfolding(graph).from(origin);
}

std::vector<LocalIndex> grist_hilbert_order(const NeighbourLists& graph) {
  const auto places = oblique_places(graph);
  if (places.empty()) return {};
  const auto [west, east] = std::ranges::minmax(places, {}, &Oblique::x);
  const auto [south, north] = std::ranges::minmax(places, {}, &Oblique::y);
  const int levels = std::bit_width(static_cast<std::uint32_t>(std::max(east.x - west.x, north.y - south.y)));
  std::vector<std::uint64_t> along(places.size());
  std::ranges::transform(places, along.begin(), [&, left = west.x, low = south.y](Oblique place) {
    return hilbert_place(place.x - left, place.y - low, levels);
  });
  return order_by(along);
}

std::uint32_t interval_of(double value, double low, double high, int n) {
  const double n_intervals = static_cast<double>(1U << n);
  return static_cast<std::uint32_t>(
      std::clamp((value - low) / (high - low) * n_intervals, 0.0, n_intervals - 1));
}

std::vector<LocalIndex> grist_morton_order(std::span<const Vector3> points) {
  require_on_sphere(points);
  constexpr int kHalvings = kOrderCharacters * kBinaryDigits / 2;
  std::vector<std::uint64_t> along(points.size());
  std::ranges::transform(points, along.begin(), [](Vector3 p) {
    const double latitude = std::asin(std::clamp(p.z, -1.0, 1.0)), longitude = std::atan2(p.y, p.x);
    return morton_place(interval_of(longitude, -kPi, kPi, kHalvings),
                        interval_of(latitude, -kPi / 2, kPi / 2, kHalvings));
  });
  return order_by(along);
}

std::string geohash(double latitude, double longitude, int characters) {
  require<InputError>(
      std::abs(latitude) <= 90 && std::abs(longitude) <= 180,
      "There is no point at latitude {} and longitude {}. Give -90..90 and -180..180 degrees.", latitude,
      longitude);
  require<ConfigError>(characters >= 1 && characters <= kMostCharacters,
                       "A GeoHash of {} characters is asked for. Give 1 to {}.", characters, kMostCharacters);
  const int n_digits = characters * kBinaryDigits, halvings = (n_digits + 1) / 2;
  const auto digits =
      morton_place(interval_of(longitude, -180, 180, halvings), interval_of(latitude, -90, 90, halvings)) >>
      n_digits % 2;
  std::string text;
  for (int at = n_digits - kBinaryDigits; at >= 0; at -= kBinaryDigits)
    text += kAlphabet[digits >> at & (kAlphabet.size() - 1)];
  return text;
}

}  // namespace halcyon::graph
