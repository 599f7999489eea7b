#pragma once

#include <array>
#include <vector>

#include "halcyon/transform/fft/row_plan.hpp"
#include "halcyon/transform/share/stripes.hpp"

namespace halcyon::transform {

/// Real transforms of the eight rows of a stripe at once, four of the north and those as far south, all of
/// one length and each in a lane of its own: what becomes of a row does not depend on the others, nor on
/// where it lies, nor on the processor. Mixed radix, in place (after Gentleman and Sande 1966, Proc.
/// AFIPS 29, 563-578). Not for threads at once.
class EightRows {
 public:
  /// Values of rows, north and south; none where a lane has no row.
  template <class T>
  using Rows = std::array<T*, 2 * kLanes>;

  /// Whether it serves rows of so many values: an even number from 12 on without primes above 5.
  static bool has(int length);
  static const RowKernels& fastest_kernels();

  /// @throws InternalError where there is none for such a length
  explicit EightRows(int length, const RowKernels& kernels = fastest_kernels());

  /// x_k = sum_m c_m exp(2 pi i m k / L), over m from -last to last with c_-m the conjugate of c_m; the
  /// imaginary part of m = 0 is taken for 0.
  /// @param ahead how many numbers beyond those of the rows the next ones stand, which are fetched meanwhile;
  ///        0 where there are none
  void to_values(const Halves<const double>& waves, Rows<double> rows, std::size_t ahead = 0);
  /// c_m = sum_k x_k exp(-2 pi i m k / L).
  /// @param ahead as there
  void to_waves(Rows<const double> rows, std::size_t ahead, const Halves<double>& waves);

 private:
  const RowKernels& kernels_;
  RowPlan plan_;
  std::vector<double> nothing_, spare_;  ///< rows of lanes that have none
};

}  // namespace halcyon::transform
