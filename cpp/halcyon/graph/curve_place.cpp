#include "halcyon/graph/curve_place.hpp"

#include <array>
#include <utility>

namespace halcyon::graph {
namespace {

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

}  // namespace halcyon::graph
