#include "halcyon/network/engine/history.hpp"

#include <utility>

namespace halcyon::network {

void History::widen(Link link) {
  auto* bins = &bins_[static_cast<std::size_t>(link) * n_bins_];
  for (std::int32_t i = 0; i < n_bins_; ++i) {
    const auto bin = std::exchange(bins[i], {});
    bins[i / 2].bytes += bin.bytes;
    bins[i / 2].wait = std::max(bins[i / 2].wait, bin.wait);
  }
  ++shifts_[link];
}

void History::write(Time end, Result& result) {
  if (shifts_.empty()) return;
  auto shift = *std::max_element(shifts_.begin(), shifts_.end());
  while (Time{n_bins_} << shift < end) ++shift;
  const auto n_used = std::max<Time>(((end - 1) >> shift) + 1, 1);
  result.link_bin_s = to_seconds(Time{1} << shift);
  result.link_bin_bytes.reserve(shifts_.size() * n_used);
  result.link_bin_wait_s.reserve(shifts_.size() * n_used);
  for (Link link = 0; link < std::ssize(shifts_); ++link) {
    while (shifts_[link] < shift) widen(link);
    for (Time bin = 0; bin < n_used; ++bin) {
      const auto& one = bins_[static_cast<std::size_t>(link) * n_bins_ + bin];
      result.link_bin_bytes.push_back(one.bytes);
      result.link_bin_wait_s.push_back(to_seconds(one.wait));
    }
  }
}

}  // namespace halcyon::network
