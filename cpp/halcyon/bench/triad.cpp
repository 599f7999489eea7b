#include "halcyon/bench/triad.hpp"

namespace halcyon::bench {

void triad(std::span<float> a, std::span<const float> b, std::span<const float> c, float s) {
  float* __restrict into = a.data();
  const float* __restrict first = b.data(), * __restrict second = c.data();
  const std::size_t n = a.size();
  for (std::size_t i = 0; i < n; ++i) into[i] = first[i] + s * second[i];
}

}  // namespace halcyon::bench
