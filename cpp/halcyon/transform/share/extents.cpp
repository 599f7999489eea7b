#include "halcyon/transform/share/extents.hpp"

namespace halcyon::transform {

std::vector<std::vector<int>> dealt_wavenumbers(int last, int n_sets) {
  std::vector<std::vector<int>> held(n_sets);
  for (int m = 0; m <= last; ++m) {
    const int turn = m % (2 * n_sets);
    held[turn < n_sets ? turn : 2 * n_sets - 1 - turn].push_back(m);
  }
  return held;
}

}  // namespace halcyon::transform
