#pragma once

#include <memory>
#include <span>
#include <vector>

#include "halcyon/transform/fft/fft.hpp"
#include "halcyon/transform/fft/row.hpp"
#include "halcyon/transform/plane/sets.hpp"
#include "halcyon/transform/share/buffer.hpp"

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

}  // namespace halcyon::transform
