#include "halcyon/graph/grist_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/graph/curve.hpp"

namespace halcyon::graph {
namespace {

constexpr int kSides = 6;
constexpr std::array<Oblique, kSides> kSteps{{{0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}, {1, 0}}};
constexpr std::int8_t kUnknown = -1;

constexpr int kOrderCharacters = 8;
constexpr int kMostCharacters = 12;
constexpr int kDigits = 5;  // binary ones, of a character
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
      places_[other] = {places_[node].x + kSteps[step].x, places_[node].y + kSteps[step].y};
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
  constexpr int kHalvings = kOrderCharacters * kDigits / 2;
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
  const int n_digits = characters * kDigits, halvings = (n_digits + 1) / 2;
  const auto digits =
      morton_place(interval_of(longitude, -180, 180, halvings), interval_of(latitude, -90, 90, halvings)) >>
      n_digits % 2;
  std::string text;
  for (int at = n_digits - kDigits; at >= 0; at -= kDigits)
    text += kAlphabet[digits >> at & (kAlphabet.size() - 1)];
  return text;
}

}  // namespace halcyon::graph
