#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "halcyon/transform/fft/fft.hpp"
#include "halcyon/transform/plane/plane.hpp"
#include "halcyon/transform/share/buffer.hpp"
#include "halcyon/transform/share/extents.hpp"

namespace halcyon::transform {

/// The zonal stage of a plane: between the values of the rows of a w and their Fourier coefficients of all m,
/// as blocks [w' that holds m][row][field][m of w'], complex. Each row of each field is transformed by
/// itself. Not for threads at once.
class Zonal {
 public:
  Zonal(const Plane& plane, std::shared_ptr<const PlaneSets> sets, int w);

  int n_rows() const { return static_cast<int>(rows_.size()); }
  /// x(x, y) = sum_m x_m(y) exp(2 pi i m x / Lx), of all m from -M to M; x_0 is taken as real.
  /// @param blocks of a group  @param parts (v) of the batch
  void synthesis(int row, const double* blocks, const Batch& batch, std::span<const Part<double>> parts);
  /// x_m(y) / ny, x_m = 1 / nx sum_k x(x_k, y) exp(-2 pi i m x_k / Lx).
  void analysis(int row, std::span<const Part<const double>> parts, const Batch& batch, double* blocks);

 private:
  std::size_t at(int of, int row, int field, const Batch& batch) const;

  std::shared_ptr<const PlaneSets> sets_;
  int w_, nx_;
  double scale_;
  Fft fft_;
  std::vector<RowParts> rows_;
  Buffer waves_, whole_;
};

/// The meridional stage of a plane: between panels [y][field][m held], complex, and coefficients, for the m
/// that a w holds. Each column of each field is transformed by itself. Not for threads at once.
class Meridional {
 public:
  /// @param wavenumbers m that are held
  Meridional(const Plane& plane, const PlaneTruncation& truncation, const std::vector<int>& wavenumbers);

  /// Called now and then, for what else wants a turn.
  using Between = std::function<void()>;
  /// x_m(y) = sum_n X_mn exp(2 pi i n y / Ly), of the n that are kept.
  /// @param coefficients (field of the batch, coefficient of w)  @param panels of a group
  void synthesis(const Complex* coefficients, const Batch& batch, double* panels, const Between& between);
  /// X_mn = sum_k x_m(y_k) exp(-2 pi i n y_k / Ly).
  void analysis(const double* panels, const Batch& batch, Complex* coefficients, const Between& between);

 private:
  static constexpr int kTile = 8;  ///< columns at a time, so that whole cache lines are read
  struct Held {
    int last;           ///< n
    std::size_t first;  ///< coefficient among those of w
  };

  template <class Work>
  void for_tiles(int n_fields, const Between& between, const Work& work);
  double* column(int of_tile) const { return tile_.data() + of_tile * pitch_; }

  int ny_;
  std::size_t pitch_, n_coefficients_ = 0;
  ComplexFft fft_;
  std::vector<Held> held_;
  Buffer tile_;
};

}  // namespace halcyon::transform
