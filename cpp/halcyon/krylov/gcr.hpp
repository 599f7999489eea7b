#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/comm/communicator.hpp"

namespace halcyon::krylov {

/// A linear map y = A x of the items that this rank owns; collective if it exchanges data. A map that throws
/// on some ranks only must do so after its exchanges; `Gcr::solve` then throws the error on all ranks.
using Apply = std::function<void(std::span<const double> x, std::span<double> y)>;

enum class Variant {
  classical,  ///< two operator applications and two allreduces per iteration, as published
  fused,      ///< one operator application and one allreduce per iteration
  pipelined,  ///< like `fused`, but the allreduce overlaps with the preconditioner and the operator
};

struct VariantName {
  std::string_view name;
  Variant variant;
};

inline constexpr std::array kVariants{
    VariantName{"classical", Variant::classical},
    VariantName{"fused", Variant::fused},
    VariantName{"pipelined", Variant::pipelined},
};

/// @throws ConfigError for an unknown name, listing the variants
Variant variant_named(std::string_view name);

struct GcrOptions {
  Variant variant = Variant::fused;
  int k = 8;                 ///< number of kept directions
  double tolerance = 1e-10;  ///< bound of |b - A x| / |b|
  int most_iterations = 1000;
  int replace_every = 0;  ///< iterations between recomputations r = b - A x; 0: only after drift
  Rank radix = 32;  ///< radix of the allreduce; on up to this many ranks, `pipelined` overlaps all of it

  /// @throws ConfigError for an invalid value
  void require_valid() const;
};

/// Why the iteration ended.
enum class Outcome {
  converged,
  most_iterations,
  stagnated,   ///< the recurrence converges, but b - A x no longer decreases
  no_descent,  ///< <r, A M r> is zero
  dependent,   ///< A M r is zero, or in the span of the kept directions
  not_finite,  ///< an inner product was not finite
};

/// Returns what an outcome means and how the user can mend it.
std::string explanation(Outcome outcome);

struct Result {
  Outcome outcome = Outcome::converged;
  double residual = 0;            ///< true residual |b - A x| / |b| at the end
  std::vector<double> residuals;  ///< (iteration) |r| / |b| at the end of the iteration
  std::int64_t n_operator_calls = 0, n_preconditioner_calls = 0;
  std::int64_t n_allreduces = 0;
  std::int64_t n_exposed = 0;   ///< allreduces that no computation overlaps with
  std::int64_t n_replaced = 0;  ///< recomputations r = b - A x
  double waited_s = 0;          ///< time that this rank waited for allreduces [s]

  int n_iterations() const { return static_cast<int>(residuals.size()); }
};

/// The generalised conjugate residual method GCR(k) (Eisenstat, Elman and Schultz 1983, SIAM J. Numer. Anal.
/// 20, 345-357), right-preconditioned, which keeps the last k directions and never restarts (Zheng and
/// Marguinaud 2018, Geosci. Model Dev. 11, 3409-3426, algorithm 1, with gamma = <r, s> instead of <u, s>).
class Gcr {
 public:
  /// Collective.
  /// @param n_owned items of the vectors on this rank
  /// @throws ConfigError, on all ranks, for invalid options, and if memory for the directions is insufficient
  Gcr(const comm::Communicator& comm, std::size_t n_owned, const GcrOptions& options);
  ~Gcr();

  /// Collective. Solves A x = b. Calls of several threads of a single rank are serialized.
  /// @param m approximate inverse of A
  /// @param b (item)
  /// @param x (item) first guess on entry; the solution, or the best approximation found, on return
  /// @throws on all ranks, the error of A or M on any rank; ConfigError if A or M call this solver;
  ///        InternalError for vectors of wrong size
  Result solve(const Apply& a, const Apply& m, std::span<const double> b, std::span<double> x);

 private:
  class Solver;
  std::unique_ptr<Solver> solver_;
};

}  // namespace halcyon::krylov
