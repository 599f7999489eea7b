#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "halcyon/transform/legendre/kernels.hpp"
#include "halcyon/transform/legendre/panels.hpp"
#include "halcyon/transform/legendre/polynomials.hpp"
#include "halcyon/transform/share/buffer.hpp"

namespace halcyon::transform {

/// The Legendre stage: between coefficients (m, n) and the halves of Fourier coefficients at all latitudes,
/// for the wavenumbers m that a rank holds. Functions of Legendre are kept for single fields as far as memory
/// is given, and else computed when needed: the same bits. Fields do not touch each other's bits either. Not
/// for threads at once.
class Legendre {
 public:
  /// @param last the largest n of any coefficient
  /// @param wavenumbers ascending
  /// @param memory_bytes for functions of Legendre
  Legendre(const Grid& grid, const Stripes& stripes, int last, std::vector<int> wavenumbers,
           std::size_t memory_bytes);

  const Panels& panels() const { return panels_; }
  const std::vector<int>& wavenumbers() const { return wavenumbers_; }
  /// Bytes of the functions that are kept.
  std::size_t kept_bytes() const { return kept_.size() * sizeof(double); }

  /// Coefficients of fields: [wavenumber held][n = m..last], complex.
  struct Fields {
    int n;
    std::size_t stride;  ///< numbers from one field to the next
    int last;            ///< the largest n, at most that of the constructor
    int side_by_side;    ///< fields whose blocks stand together, of which these are some
  };
  /// Called after each wavenumber, for what else wants a turn.
  using Between = std::function<void()>;
  /// x_m(mu) = sum_n X_mn P_mn(mu).
  /// @param panels blocks, from the first of these fields on
  void synthesis(const double* coefficients, const Fields& fields, double* panels, const Between& between);
  /// X_mn = sum_mu P_mn(mu) x_m(mu), over the halves of x.
  void analysis(const double* panels, const Fields& fields, double* coefficients, const Between& between);

 private:
  struct Wavenumber {
    int m, n_stripes;
    std::vector<Step> steps;
    std::vector<double> values{}, scales{};  ///< (place) of P_mm
    const double* kept = nullptr;

    int n() const { return static_cast<int>(steps.size()) + 1; }
    int n_even() const { return (n() + 1) / 2; }
    int n_pairs() const { return (n_stripes + 1) / 2; }
    std::size_t pitch() const { return static_cast<std::size_t>(n()) * kPair; }
  };

  Wavenumber wavenumber(int m, const FirstFunctions& first, const Grid& grid, const Stripes& stripes,
                        int last) const;
  void keep(std::size_t memory_bytes);
  const double* functions(const Wavenumber& w, int first, int n, int n_fields);
  void look_ahead(std::size_t place, int group_end, const Fields& fields, const double* coefficients,
                  const double* panels);

  const Kernels& kernels_ = fastest_kernels();
  std::vector<int> wavenumbers_;
  Panels panels_;
  std::vector<Wavenumber> held_;
  std::vector<double> mu_;  ///< (place)
  Buffer kept_, computed_, columns_, nowhere_;
  Ahead ahead_;
};

}  // namespace halcyon::transform
