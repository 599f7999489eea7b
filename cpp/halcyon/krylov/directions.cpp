#include "halcyon/krylov/directions.hpp"

#include <algorithm>

namespace halcyon::krylov {

namespace {

constexpr std::size_t kBlock = 1024;  // items: what is added to stays in the first cache

}  // namespace

void Directions::make(Kind kind, std::span<const double> v, std::span<const double> beta) {
  const auto made = vector(kind, n_kept_);
  for (std::size_t begin = 0; begin < n_items_; begin += kBlock) {
    const auto end = std::min(begin + kBlock, n_items_);
    for (auto i = begin; i < end; ++i) made[i] = v[i];
    for (std::size_t j = 0; j < n_kept_; ++j) {
      const auto kept = vector(kind, j);
      const auto b = beta[j];
      for (auto i = begin; i < end; ++i) made[i] += b * kept[i];
    }
  }
}

void Directions::keep() {
  if (n_kept_ < k_)
    ++n_kept_;
  else
    oldest_ = slot(1);
}

}  // namespace halcyon::krylov
