#include "halcyon/transform/plane/meridional.hpp"

#include <algorithm>

namespace halcyon::transform {

Meridional::Meridional(const Plane& plane, const PlaneTruncation& truncation,
                       const std::vector<int>& wavenumbers)
    : ny_(plane.ny),
      pitch_((2 * static_cast<std::size_t>(ny_) + 7) / 8 * 8 + 8),  // no power of 2, on cache lines
      fft_(plane.ny),
      tile_(kTile * pitch_) {
  for (int m : wavenumbers) {
    held_.push_back({truncation.last(m), n_coefficients_});
    n_coefficients_ += truncation.count(m);
  }
}

/// work(first column, columns): columns are [field][m held].
template <class Work>
void Meridional::for_tiles(int n_fields, const Between& between, const Work& work) {
  const int n = n_fields * static_cast<int>(held_.size());
  for (int first = 0; first < n; first += kTile) {
    work(first, std::min(kTile, n - first));
    between();
  }
}

void Meridional::synthesis(const Complex* coefficients, const Batch& batch, double* panels,
                           const Between& between) {
  const int n_held = static_cast<int>(held_.size());
  const std::size_t width = 2 * static_cast<std::size_t>(batch.of_group) * n_held;
  panels += 2 * batch.first * n_held;
  for_tiles(batch.n, between, [&](int first, int n) {
    for (int c = 0; c < n; ++c) {
      const auto& [last, at] = held_[(first + c) % n_held];
      const std::size_t field = (first + c) / n_held;
      const auto* run = reinterpret_cast<const double*>(coefficients + field * n_coefficients_ + at);
      double* const waves = column(c);  // n = 0 .. last, nothing, -last .. -1
      std::copy_n(run + 2 * last, 2 * (last + 1), waves);
      std::fill(waves + 2 * (last + 1), waves + 2 * (ny_ - last), 0.0);
      std::copy_n(run, 2 * last, waves + 2 * (ny_ - last));
      fft_.to_values(waves);
    }
    for (int y = 0; y < ny_; ++y) {
      double* to = panels + y * width + 2 * first;
      for (int c = 0; c < n; ++c) to[2 * c] = column(c)[2 * y], to[2 * c + 1] = column(c)[2 * y + 1];
    }
  });
}

void Meridional::analysis(const double* panels, const Batch& batch, Complex* coefficients,
                          const Between& between) {
  const int n_held = static_cast<int>(held_.size());
  const std::size_t width = 2 * static_cast<std::size_t>(batch.of_group) * n_held;
  panels += 2 * batch.first * n_held;
  for_tiles(batch.n, between, [&](int first, int n) {
    for (int y = 0; y < ny_; ++y) {
      const double* from = panels + y * width + 2 * first;
      for (int c = 0; c < n; ++c) column(c)[2 * y] = from[2 * c], column(c)[2 * y + 1] = from[2 * c + 1];
    }
    for (int c = 0; c < n; ++c) {
      const auto& [last, at] = held_[(first + c) % n_held];
      const std::size_t field = (first + c) / n_held;
      auto* run = reinterpret_cast<double*>(coefficients + field * n_coefficients_ + at);
      double* const waves = column(c);
      fft_.to_waves(waves);
      std::copy_n(waves + 2 * (ny_ - last), 2 * last, run);
      std::copy_n(waves, 2 * (last + 1), run + 2 * last);
    }
  });
}

}  // namespace halcyon::transform
