#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "halcyon/transform/buffer.hpp"
#include "halcyon/transform/stripes.hpp"

namespace halcyon::transform {

/// Real transforms of four rows of one length at once, each in a lane of its own: what becomes of a row does
/// not depend on the others, nor on where it lies, nor on the processor. Mixed radix after Stockham (Van Loan
/// 1992, Computational Frameworks for the Fast Fourier Transform, 1.7); two real values are a complex one
/// (4.4 there). Not for threads at once.
class FourRows {
 public:
  /// Whether it serves rows of so many values: an even number from 12 on without primes above 5.
  static bool has(int length);

  /// @throws InternalError where there is none for such a length
  explicit FourRows(int length);

  /// x_k = sum_m c_m exp(2 pi i m k / L), over m from -last to last with c_-m the conjugate of c_m.
  /// @param waves (m = 0..L/2, real and imaginary part, lane); what is beyond `last` becomes 0
  ///        and the imaginary part of m = 0 is taken for 0
  /// @param last below L/2
  /// @param rows of values (k); none where a lane has no row
  void to_values(double* waves, int last, const std::array<double*, kLanes>& rows);
  /// c_m = sum_k x_k exp(-2 pi i m k / L).
  /// @param waves (m = 0..L/2 - 1, real and imaginary part, lane)
  void to_waves(const std::array<const double*, kLanes>& rows, double* waves);

 private:
  /// A factor of the transform: y[s (R p + j) + q] = t^(p j) sum_k exp(2 pi i j k / R) x[s (p + P k) + q], of
  /// groups p = 0 .. P - 1 of s butterflies of radix R; t = exp(2 pi i / (R P)).
  struct Pass {
    int radix, n_groups, stride;
    std::vector<double> turns;  ///< (p, j = 1 .. R - 1, cosine and sine)
  };

  void run(std::size_t first, std::size_t end);

  int half_;  ///< of the length: complex values
  std::vector<Pass> passes_;
  std::vector<double> turns_;            ///< (m = 0..half/2, cosine and sine) of 2 pi m / L
  Buffer numbers_, others_;              ///< (complex value, real and imaginary part, lane)
  std::vector<double> nothing_, spare_;  ///< rows of lanes that have none
};

}  // namespace halcyon::transform
