#include "halcyon/transform/sphere/zonal.hpp"

#include <algorithm>

namespace halcyon::transform {

Zonal::Zonal(const Plane& plane, std::shared_ptr<const PlaneSets> sets, int w)
    : sets_(std::move(sets)),
      w_(w),
      nx_(plane.nx),
      scale_(1.0 / static_cast<double>(plane.n_points())),
      fft_(plane.nx),
      waves_(nx_ + 2),
      whole_(nx_) {
  const auto& parts = sets_->parts();
  for (int row = 0; row < sets_->rows().size(w); ++row) {
    std::vector<std::size_t> starts;
    for (int v = 0; v < parts.parts; ++v) starts.push_back(row * parts.size(v));
    rows_.emplace_back(parts, std::move(starts));
  }
}

/// Of a field of the batch, among the blocks of its group.
std::size_t Zonal::at(int of, int row, int field, const Batch& batch) const {
  const std::size_t n = batch.of_group, before = sets_->blocks_before(w_, of) * n;
  return 2 * (before + (row * n + batch.first + field) * sets_->n_wavenumbers(of));
}

void Zonal::synthesis(int row, const double* blocks, const Batch& batch,
                      std::span<const Part<double>> parts) {
  double* const waves = waves_.data();
  for (int field = 0; field < batch.n; ++field) {
    std::fill_n(waves, 2 * (nx_ / 2 + 1), 0.0);
    for (int of = 0; of < sets_->counts().w; ++of) {
      const double* from = blocks + at(of, row, field, batch);
      for (int m : sets_->wavenumbers(of)) {
        waves[2 * m] = *from++;
        waves[2 * m + 1] = *from++;
      }
    }
    waves[1] = 0;
    if (parts.size() == 1) {
      fft_.to_values(waves, rows_[row].place(parts, 0, field));
    } else {
      fft_.to_values(waves, whole_.data());
      rows_[row].deal(whole_.data(), parts, field);
    }
  }
}

void Zonal::analysis(int row, std::span<const Part<const double>> parts, const Batch& batch, double* blocks) {
  double* const waves = waves_.data();
  for (int field = 0; field < batch.n; ++field) {
    if (parts.size() == 1) {
      fft_.to_waves(rows_[row].place(parts, 0, field), waves);
    } else {
      rows_[row].collect(parts, field, whole_.data());
      fft_.to_waves(whole_.data(), waves);
    }
    for (int of = 0; of < sets_->counts().w; ++of) {
      double* to = blocks + at(of, row, field, batch);
      for (int m : sets_->wavenumbers(of)) {
        *to++ = scale_ * waves[2 * m];
        *to++ = scale_ * waves[2 * m + 1];
      }
    }
  }
}

}  // namespace halcyon::transform
