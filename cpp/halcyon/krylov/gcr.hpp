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

/// y = A x of the items that this rank owns; Collective where it exchanges. It must be linear. One that
/// throws must have done its exchanges, or throw on all ranks: then all ranks end with its error.
using Apply = std::function<void(std::span<const double> x, std::span<double> y)>;

enum class Variant {
  classical,  ///< two operator applications and two allreduces an iteration, as published
  fused,      ///< one of each
  pipelined,  ///< one of each, and the allreduce travels while preconditioner and operator are applied
};

struct VariantName {
  std::string_view name;
  Variant variant;
};

/// All variants by the names that users give them.
inline constexpr std::array kVariants{
    VariantName{"classical", Variant::classical},
    VariantName{"fused", Variant::fused},
    VariantName{"pipelined", Variant::pipelined},
};

/// @throws ConfigError that lists the variants
Variant variant_named(std::string_view name);

struct GcrOptions {
  Variant variant = Variant::fused;
  int k = 8;                 ///< directions that are kept
  double tolerance = 1e-10;  ///< of |b - A x| / |b|
  int most_iterations = 1000;
  int replace_every = 0;  ///< iterations after which r is computed anew as b - A x; 0: only where it drifted
  Rank radix = 32;        ///< of the allreduce, which `pipelined` hides with as many ranks or fewer

  /// @throws ConfigError for a value that is not allowed
  void require_allowed() const;
};

/// Why a solution ended.
enum class Outcome {
  converged,
  most_iterations,
  stagnated,   ///< b - A x no longer follows the residual of the recurrence
  no_descent,  ///< <r, A M r> is zero
  dependent,   ///< A M r is zero, or in the span of the directions kept
  not_finite,  ///< an inner product was not
};

/// What is wrong, and what may help.
std::string explanation(Outcome outcome);

struct Result {
  Outcome outcome = Outcome::converged;
  double residual = 0;                                ///< |b - A x| / |b|, computed anew at the end
  std::vector<double> residuals;                      ///< (iteration) |r| / |b| after each
  std::int64_t n_operator = 0, n_preconditioner = 0;  ///< applications
  std::int64_t n_allreduces = 0;
  std::int64_t n_exposed = 0;  ///< of these, with no work between start and wait
  std::int64_t n_replaced = 0;
  double waited_s = 0;  ///< for allreduces, on this rank

  int n_iterations() const { return static_cast<int>(residuals.size()); }
};

/// The generalised conjugate residual method (Eisenstat, Elman and Schultz 1983, SIAM J. Numer. Anal. 20,
/// 345-357), preconditioned on the right, that keeps k directions and never restarts (Zheng and Marguinaud
/// 2018, Geosci. Model Dev. 11, 3409-3426, algorithm 1, whose gamma must be <r, s>, not <u, s>):
///
///   u = M r,  p = u + sum_j beta_j p_j,  s = A p,  beta_j = -<A u, s_j> / <s_j, s_j>
///   alpha = <r, s> / <s, s>,  x += alpha p,  r -= alpha s
///
/// The same bits on any number of ranks, where operator and preconditioner have them. Allocates nothing after
/// it is made but the history of a result.
class Gcr {
 public:
  /// Collective.
  /// @param n_owned items of the vectors on this rank
  /// @throws ConfigError, on all ranks, for options that are not allowed, and for more directions than memory
  Gcr(const comm::Communicator& comm, std::size_t n_owned, const GcrOptions& options);
  ~Gcr();

  /// Collective. Solves A x = b. Threads of one rank alone take turns.
  /// @param m an approximation of the inverse of A
  /// @param b (item)
  /// @param x (item) the first guess, and then the solution, or the best that was found
  /// @throws on all ranks what an operator threw on one; ConfigError within a solution of its own;
  ///         InternalError for vectors of another size
  Result solve(const Apply& a, const Apply& m, std::span<const double> b, std::span<double> x);

 private:
  class Solver;
  std::unique_ptr<Solver> solver_;
};

}  // namespace halcyon::krylov
