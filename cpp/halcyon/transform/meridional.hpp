#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "halcyon/transform/buffer.hpp"
#include "halcyon/transform/fft.hpp"
#include "halcyon/transform/plane_sets.hpp"
#include "halcyon/transform/row.hpp"

namespace halcyon::transform {

/// The meridional stage of a plane: between panels [y][field][m held], complex, and coefficients, for the m
/// that a w holds. Each column of each field is transformed by itself. Not for threads at once.
class Meridional {
 public:
  Meridional(const Plane& plane, const PlaneTruncation& truncation, std::shared_ptr<const PlaneSets> sets,
             int w);

  /// Called now and then, for what else wants a turn.
  using Between = std::function<void()>;
  /// x_m(y) = sum_n X_mn exp(2 pi i n y / Ly), of the n that are kept.
  /// @param parts (v) of coefficients
  void synthesis(std::span<const Part<const double>> parts, int n_fields, double* panels,
                 const Between& between);
  /// X_mn = sum_k x_m(y_k) exp(-2 pi i n y_k / Ly).
  void analysis(const double* panels, int n_fields, std::span<const Part<double>> parts,
                const Between& between);

 private:
  static constexpr int kTile = 8;  ///< columns at a time, so that whole cache lines are read
  struct Held {
    int last;           ///< n
    std::size_t first;  ///< coefficient among those of w

    int count() const { return 2 * last + 1; }
  };

  template <class Work>
  void for_tiles(int n_fields, const Between& between, const Work& work);
  template <class Copy>
  void for_parts(const Held& held, const Copy& copy) const;
  double* column(int of_tile) const { return tile_.data() + of_tile * pitch_; }

  std::shared_ptr<const PlaneSets> sets_;
  int w_, ny_;
  std::size_t pitch_;
  ComplexFft fft_;
  std::vector<Held> held_;
  Buffer tile_, run_;
};

}  // namespace halcyon::transform
