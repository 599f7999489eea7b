#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "halcyon/transform/fft/fft.hpp"
#include "halcyon/transform/plane/bifourier.hpp"
#include "halcyon/transform/share/buffer.hpp"

namespace halcyon::transform {

/// The zonal stage of a plane: converts between the values of the rows of W set w and their complex Fourier
/// coefficients for all m, stored as [W set w' of m][row][field][m of w']. Each row of each field is
/// transformed separately. Not thread-safe.
class Zonal {
 public:
  Zonal(const Plane& plane, std::shared_ptr<const PlaneSets> sets, int w)
      : sets_(std::move(sets)),
        w_(w),
        nx_(plane.nx),
        scale_(1.0 / static_cast<double>(plane.n_points())),
        fft_(plane.nx),
        waves_(nx_ + 2),
        row_values_(nx_) {
    const auto& parts = sets_->parts();
    for (int row = 0; row < sets_->rows().size(w); ++row) {
      std::vector<std::size_t> offsets;
      for (int v = 0; v < parts.parts; ++v) offsets.push_back(row * parts.size(v));
      rows_.emplace_back(parts, std::move(offsets));
    }
  }

  int n_rows() const { return static_cast<int>(rows_.size()); }
  /// f(x, y) = sum_m f_m(y) exp(2 pi i m x / Lx), over m from -M to M; the imaginary part of f_0 is ignored.
  /// @param blocks Fourier coefficients of the group  @param parts (v) values of the batch
  void synthesis(int row, const double* blocks, const Batch& batch, std::span<const Part<double>> parts) {
    double* const waves = waves_.data();
    for (int field = 0; field < batch.n; ++field) {
      std::fill_n(waves, 2 * (nx_ / 2 + 1), 0.0);
      for (int other_w = 0; other_w < sets_->counts().w; ++other_w) {
        const double* from = blocks + offset(other_w, row, field, batch);
        for (int m : sets_->wavenumbers(other_w)) waves[2 * m] = *from++, waves[2 * m + 1] = *from++;
      }
      waves[1] = 0;  // imaginary part of f_0
      if (parts.size() == 1) {
        fft_.to_values(waves, rows_[row].data(parts, 0, field));
      } else {
        fft_.to_values(waves, row_values_.data());
        rows_[row].scatter(row_values_.data(), parts, field);
      }
    }
  }
  /// f_m(y) / ny = 1 / (nx ny) sum_k f(x_k, y) exp(-2 pi i m x_k / Lx); the meridional stage only sums.
  void analysis(int row, std::span<const Part<const double>> parts, const Batch& batch, double* blocks) {
    double* const waves = waves_.data();
    for (int field = 0; field < batch.n; ++field) {
      if (parts.size() == 1) {
        fft_.to_waves(rows_[row].data(parts, 0, field), waves);
      } else {
        rows_[row].gather(parts, field, row_values_.data());
        fft_.to_waves(row_values_.data(), waves);
      }
      for (int other_w = 0; other_w < sets_->counts().w; ++other_w) {
        double* to = blocks + offset(other_w, row, field, batch);
        for (int m : sets_->wavenumbers(other_w))
          *to++ = scale_ * waves[2 * m], *to++ = scale_ * waves[2 * m + 1];
      }
    }
  }

 private:
  /// Offset [doubles] of the wavenumbers of W set `other_w`, for a row and a field of the batch.
  std::size_t offset(int other_w, int row, int field, const Batch& batch) const {
    const std::size_t n = batch.group_size, n_before = sets_->wavenumber_offset(w_, other_w) * n;
    return 2 * (n_before + (row * n + batch.first + field) * sets_->n_wavenumbers(other_w));
  }

  std::shared_ptr<const PlaneSets> sets_;
  int w_, nx_;
  double scale_;  ///< 1 / (nx ny)
  Fft fft_;
  std::vector<RowParts> rows_;  ///< rows of W set w
  Buffer waves_, row_values_;   ///< Fourier coefficients and values of one row
};

/// The meridional stage of a plane: converts between complex Fourier coefficients of all rows, stored as
/// panels [y][field][m], and coefficients (m, n), for the wavenumbers m of a W set. A column is one m of one
/// field at all y, and is transformed separately. Not thread-safe.
class Meridional {
 public:
  /// @param wavenumbers wavenumbers m of the W set
  Meridional(const Plane& plane, const PlaneTruncation& truncation, const std::vector<int>& wavenumbers)
      : ny_(plane.ny),
        // complete cache lines, and padding, since columns a power of 2 apart map to the same cache sets
        pitch_((2 * static_cast<std::size_t>(ny_) + 7) / 8 * 8 + 8),
        fft_(plane.ny),
        tile_(kTile * pitch_) {
    for (int m : wavenumbers) {
      spectra_.push_back({.largest_n = truncation.largest_n(m), .begin = n_coefficients_});
      n_coefficients_ += truncation.count(m);
    }
  }

  /// Function that is called between tiles, for instance to progress messages.
  using PollCallback = std::function<void()>;
  /// f_m(y) = sum_n F_mn exp(2 pi i n y / Ly), over the n of the truncation.
  /// @param coefficients (field of the batch, coefficient)  @param panels panels of the group
  void synthesis(const Complex* coefficients, const Batch& batch, double* panels,
                 const PollCallback& on_poll) {
    const int n_wavenumbers = static_cast<int>(spectra_.size());
    const std::size_t row_pitch = 2 * static_cast<std::size_t>(batch.group_size) * n_wavenumbers;
    panels += 2 * batch.first * n_wavenumbers;
    for_tiles(batch.n, on_poll, [&](int first, int n) {  // columns first .. first + n - 1
      for (int c = 0; c < n; ++c) {
        const auto& [largest_n, begin] = spectra_[(first + c) % n_wavenumbers];
        const std::size_t field = (first + c) / n_wavenumbers;
        const auto* terms = reinterpret_cast<const double*>(coefficients + field * n_coefficients_ + begin);
        double* const waves = column(c);  // n = 0 .. N(m), zeros, -N(m) .. -1
        std::copy_n(terms + 2 * largest_n, 2 * (largest_n + 1), waves);
        std::fill(waves + 2 * (largest_n + 1), waves + 2 * (ny_ - largest_n), 0.0);
        std::copy_n(terms, 2 * largest_n, waves + 2 * (ny_ - largest_n));
        fft_.to_values(waves);
      }
      for (int y = 0; y < ny_; ++y) {
        double* to = panels + y * row_pitch + 2 * first;
        for (int c = 0; c < n; ++c) to[2 * c] = column(c)[2 * y], to[2 * c + 1] = column(c)[2 * y + 1];
      }
    });
  }
  /// F_mn = sum_k (f_m(y_k) / ny) exp(-2 pi i n y_k / Ly).
  void analysis(const double* panels, const Batch& batch, Complex* coefficients,
                const PollCallback& on_poll) {
    const int n_wavenumbers = static_cast<int>(spectra_.size());
    const std::size_t row_pitch = 2 * static_cast<std::size_t>(batch.group_size) * n_wavenumbers;
    panels += 2 * batch.first * n_wavenumbers;
    for_tiles(batch.n, on_poll, [&](int first, int n) {
      for (int y = 0; y < ny_; ++y) {
        const double* from = panels + y * row_pitch + 2 * first;
        for (int c = 0; c < n; ++c) column(c)[2 * y] = from[2 * c], column(c)[2 * y + 1] = from[2 * c + 1];
      }
      for (int c = 0; c < n; ++c) {
        const auto& [largest_n, begin] = spectra_[(first + c) % n_wavenumbers];
        const std::size_t field = (first + c) / n_wavenumbers;
        auto* terms = reinterpret_cast<double*>(coefficients + field * n_coefficients_ + begin);
        double* const waves = column(c);
        fft_.to_waves(waves);
        std::copy_n(waves + 2 * (ny_ - largest_n), 2 * largest_n, terms);
        std::copy_n(waves, 2 * (largest_n + 1), terms + 2 * largest_n);
      }
    });
  }

 private:
  static constexpr int kTile = 8;  ///< columns per tile: complete cache lines are read and written
  struct ColumnSpectrum {
    int largest_n;      ///< largest |n|
    std::size_t begin;  ///< index of the first coefficient in a field
  };

  /// Calls work(first column, number of columns) for each tile; columns are ordered [field][m].
  template <class Work>
  void for_tiles(int n_fields, const PollCallback& on_poll, const Work& work) {
    const int n = n_fields * static_cast<int>(spectra_.size());
    for (int first = 0; first < n; first += kTile) {
      work(first, std::min(kTile, n - first));
      on_poll();
    }
  }
  double* column(int index) const { return tile_.data() + index * pitch_; }

  int ny_;
  std::size_t pitch_;               ///< doubles per column of the tile
  std::size_t n_coefficients_ = 0;  ///< per field
  ComplexFft fft_;
  std::vector<ColumnSpectrum> spectra_;  ///< (m of the W set)
  Buffer tile_;                          ///< (column, y or n, real and imaginary part)
};

}  // namespace halcyon::transform
