#include "halcyon/transform/meridional.hpp"

#include <algorithm>

namespace halcyon::transform {

Meridional::Meridional(const Plane& plane, const PlaneTruncation& truncation,
                       std::shared_ptr<const PlaneSets> sets, int w)
    : sets_(std::move(sets)),
      w_(w),
      ny_(plane.ny),
      pitch_((2 * static_cast<std::size_t>(ny_) + 7) / 8 * 8 + 8),  // no power of 2, on cache lines
      fft_(plane.ny),
      tile_(kTile * pitch_),
      run_(2 * static_cast<std::size_t>(truncation.count(0))) {
  std::size_t first = 0;
  for (int m : sets_->wavenumbers(w)) {
    held_.push_back({truncation.last(m), first});
    first += truncation.count(m);
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

/// copy(v, where in the part of v, where in the run, how many): numbers of coefficients of one m.
template <class Copy>
void Meridional::for_parts(const Held& held, const Copy& copy) const {
  const std::size_t begin = 2 * held.first, end = begin + 2 * held.count();
  for (int v = 0; v < sets_->counts().v; ++v) {
    const std::size_t before = sets_->terms_before(v, w_);
    const std::size_t from = std::max(begin, before), to = std::min(end, sets_->terms_before(v + 1, w_));
    if (from < to) copy(v, from - before, from - begin, to - from);
  }
}

void Meridional::synthesis(std::span<const Part<const double>> parts, int n_fields, double* panels,
                           const Between& between) {
  const int n_held = static_cast<int>(held_.size());
  const std::size_t width = 2 * static_cast<std::size_t>(n_fields) * n_held;
  for_tiles(n_fields, between, [&](int first, int n) {
    for (int c = 0; c < n; ++c) {
      const int field = (first + c) / n_held;
      const auto& held = held_[(first + c) % n_held];
      for_parts(held, [&](int v, std::size_t at, std::size_t in_run, std::size_t size) {
        std::copy_n(parts[v].at + field * parts[v].stride + at, size, run_.data() + in_run);
      });
      double* const waves = column(c);  // n = 0 .. last, nothing, -last .. -1
      std::copy_n(run_.data() + 2 * held.last, 2 * (held.last + 1), waves);
      std::fill(waves + 2 * (held.last + 1), waves + 2 * (ny_ - held.last), 0.0);
      std::copy_n(run_.data(), 2 * held.last, waves + 2 * (ny_ - held.last));
      fft_.to_values(waves);
    }
    for (int y = 0; y < ny_; ++y) {
      double* to = panels + y * width + 2 * first;
      for (int c = 0; c < n; ++c) to[2 * c] = column(c)[2 * y], to[2 * c + 1] = column(c)[2 * y + 1];
    }
  });
}

void Meridional::analysis(const double* panels, int n_fields, std::span<const Part<double>> parts,
                          const Between& between) {
  const int n_held = static_cast<int>(held_.size());
  const std::size_t width = 2 * static_cast<std::size_t>(n_fields) * n_held;
  for_tiles(n_fields, between, [&](int first, int n) {
    for (int y = 0; y < ny_; ++y) {
      const double* from = panels + y * width + 2 * first;
      for (int c = 0; c < n; ++c) column(c)[2 * y] = from[2 * c], column(c)[2 * y + 1] = from[2 * c + 1];
    }
    for (int c = 0; c < n; ++c) {
      const int field = (first + c) / n_held;
      const auto& held = held_[(first + c) % n_held];
      double* const waves = column(c);
      fft_.to_waves(waves);
      std::copy_n(waves + 2 * (ny_ - held.last), 2 * held.last, run_.data());
      std::copy_n(waves, 2 * (held.last + 1), run_.data() + 2 * held.last);
      for_parts(held, [&](int v, std::size_t at, std::size_t in_run, std::size_t size) {
        std::copy_n(run_.data() + in_run, size, parts[v].at + field * parts[v].stride + at);
      });
    }
  });
}

}  // namespace halcyon::transform
