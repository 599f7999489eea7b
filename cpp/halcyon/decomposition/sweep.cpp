#include "halcyon/decomposition/sweep.hpp"

#include <algorithm>

namespace halcyon::decomposition {

namespace {

/// The first `n` of a share.
Flags first(const Share& share, LocalIndex n) {
  Flags flags(share.size());
  std::fill_n(flags.begin(), n, std::uint8_t{1});
  return flags;
}

}  // namespace

bool Need::is_early(LocalIndex item) const {
  return std::ranges::all_of(beside[item], [&](LocalIndex i) { return i != kNone && early[i]; });
}

Flags split(Sweep& sweep, const Flags& wanted, std::initializer_list<Need> needs) {
  Flags early(wanted.size()), late(wanted.size());
  for (LocalIndex item = 0; item < static_cast<LocalIndex>(wanted.size()); ++item) {
    const bool is_early = std::ranges::all_of(needs, [&](const Need& need) { return need.is_early(item); });
    if (wanted[item]) (is_early ? early : late)[item] = 1;
  }
  sweep = {runs_of(early), runs_of(late)};
  return early;
}

Flags owned(const Share& share) {
  return first(share, share.n_owned);
}

Flags near(const Share& share, std::size_t n_layers) {
  return first(share, share.layer_offsets[n_layers]);
}

}  // namespace halcyon::decomposition
