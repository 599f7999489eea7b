#include "halcyon/spectral/diffusion.hpp"

#include <algorithm>

namespace halcyon::spectral {

void Diffusion::apply(const Basis& basis, const std::vector<Prognostic>& fields, double dt,
                      Spectrum& state) const {
  if (time_scale <= 0) return;
  const double last = basis.truncation(), shortest = std::max(1.0, last * (last + 1) - 2);
  std::vector<double> divisors;  // by degree
  for (int n = 0; n <= basis.truncation(); ++n) {
    const double share = std::max(0.0, n * (n + 1.0) - 2) / shortest;
    double power = 1;
    for (int i = 0; i < order / 2; ++i) power *= share;
    divisors.push_back(1 + dt / time_scale * power);
  }
  std::size_t at = 0;
  for (const auto& field : fields)
    for (int level = 0; level < field.n_levels; ++level)
      for (const int n : basis.degrees()) {
        if (field.diffused) state[at] /= divisors[n];
        ++at;
      }
}

}  // namespace halcyon::spectral
