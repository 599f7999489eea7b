#include "halcyon/krylov/gcr.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/krylov/inner_products.hpp"

namespace halcyon::krylov {

Variant variant_named(std::string_view name) {
  std::string names;
  for (const auto& candidate : kVariants) {
    if (candidate.name == name) return candidate.variant;
    names += (names.empty() ? "" : ", ") + std::string(candidate.name);
  }
  throw ConfigError(fmt::format("The variant of GCR is '{}', but must be one of {}.", name, names));
}

void GcrOptions::require_valid() const {
  require<ConfigError>(k >= 1, "GCR keeps {} directions (k). Give 1 or more.", k);
  require<ConfigError>(tolerance > 0 && tolerance < 1,
                       "The tolerance of GCR is {}. Give a number above 0 and below 1, such as 1e-10.",
                       tolerance);
  require<ConfigError>(most_iterations >= 1, "GCR may make {} iterations. Give 1 or more.", most_iterations);
  require<ConfigError>(
      replace_every >= 0,
      "GCR replaces its residual every {} iterations. Give 1 or more, or 0 to replace it only after drift.",
      replace_every);
}

std::string explanation(Outcome outcome) {
  switch (outcome) {
    case Outcome::converged:
      return "The tolerance is reached.";
    case Outcome::most_iterations:
      return "The tolerance is not reached within the maximum number of iterations. Allow more iterations, "
             "keep more directions (k), or use a better preconditioner.";
    case Outcome::stagnated:
      return "The true residual b - A x stays above the tolerance: rounding errors limit it, or the operator "
             "or the preconditioner is not linear. Give a larger tolerance, or check that both are linear.";
    case Outcome::no_descent:
      return "Breakdown: <r, A M r> is zero, so no step reduces the residual. GCR needs a preconditioned "
             "operator A M with a definite symmetric part.";
    case Outcome::dependent:
      return "Breakdown: A M r is zero or linearly dependent on the kept directions. The "
             "operator or the preconditioner is singular, or the residual is outside the range of A M.";
    case Outcome::not_finite:
      break;
  }
  return "Breakdown: an inner product is not finite. The right side, the first guess, or a result of the "
         "operator or the preconditioner contains NaN, infinity or too large numbers.";
}

namespace {

/// A squared cosine of the angle between r and s up to this bound is a rounding error.
constexpr double kNoDescent = 1e-28;
/// The iteration has stalled if |b - A x| exceeds kProgress times the previous |b - A x|. The kept directions
/// are discarded if the |r| of the recurrence was below kTrustedShare |b - A x|.
constexpr double kProgress = 0.9, kTrustedShare = 0.5;
constexpr int kMaxStalled = 3;  // successive times that the iteration may stall before GCR gives up
/// The recurrence has drifted by more than rounding if <r, r> exceeds its expected value by more than
/// kDriftOfCurrent <r, r> and by more than kDriftOfPrevious times the previous <r, r>.
constexpr double kDriftOfCurrent = 0.1, kDriftOfPrevious = 1e-10;
/// Bounds of <b, b> within which products derived from b neither underflow nor overflow.
constexpr double kMinSquaredNorm = 0x1p-332, kMaxSquaredNorm = 0x1p332;
/// Exponents of 2: the factor of b with which <b, b> is recomputed, and the largest factor of r.
constexpr int kPrescaleExponent = 600, kMaxScaleExponent = 1000;
/// Fractions of <w, w>: below kCancelled, <s, s>, a difference, has lost digits; below kRounding, all digits.
constexpr double kCancelled = 1e-8, kRounding = 1e-28;

/// Checks the options, and limits the number of kept directions to the number of iterations.
GcrOptions checked_options(GcrOptions options) {
  options.require_valid();
  options.k = std::min(options.k, options.most_iterations);
  return options;
}

/// Collective. Allocates the directions. @throws ConfigError, on all ranks, if one rank cannot
Directions allocate_directions(const comm::Communicator& comm, std::size_t n_owned,
                               const GcrOptions& options) {
  std::optional<Directions> allocated;
  comm.agree([&] {
    try {
      allocated.emplace(n_owned, options.k, options.variant == Variant::pipelined ? 4 : 2);
    } catch (const std::exception&) {  // bad_alloc, length_error
      throw ConfigError(
          fmt::format("Memory for {} directions (k) of {} items cannot be allocated. Keep fewer directions.",
                      options.k, n_owned));
    }
  });
  return std::move(*allocated);
}

/// A lock that records the thread that holds it.
class SolveLock {
 public:
  SolveLock(std::mutex& mutex, std::atomic<std::thread::id>& holder) : lock_(mutex), holder_(holder) {
    holder_ = std::this_thread::get_id();
  }
  SolveLock(const SolveLock&) = delete;
  SolveLock& operator=(const SolveLock&) = delete;
  ~SolveLock() { holder_ = std::thread::id(); }

 private:
  std::lock_guard<std::mutex> lock_;
  std::atomic<std::thread::id>& holder_;
};

/// v += a d, (item)
void add(std::span<double> v, double a, std::span<const double> d) {
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += a * d[i];
}

}  // namespace

/// r: residual, u = M r, w = A u; p: direction, s = A p; in the pipelined variant also q = M s, z = A q.
class Gcr::Solver {
 public:
  Solver(const comm::Communicator& comm, std::size_t n_owned, const GcrOptions& options)
      : comm_(comm),
        options_(checked_options(options)),
        directions_(allocate_directions(comm, n_owned, options_)),
        inner_products_(comm, options.variant == Variant::classical ? 3 : options_.k + 3, options.radix),
        r_(n_owned),
        u_(n_owned),
        w_(n_owned),
        m_w_(is_pipelined() ? n_owned : 0),
        a_m_w_(is_pipelined() ? n_owned : 0),
        beta_(options_.k) {
    if (options.variant == Variant::classical) beta_products_.emplace(comm, options_.k, options.radix);
    pairs_.reserve(options_.k + 3);
  }

  Result solve(const Apply& a, const Apply& m, std::span<const double> b, std::span<double> x) {
    require<InternalError>(b.size() == r_.size() && x.size() == r_.size(),
                           "The right side has {} items and the solution {}, but GCR was made for {}.",
                           b.size(), x.size(), r_.size());
    require<ConfigError>(solving_ != std::this_thread::get_id(),
                         "A solver was called within its own solution. Make another solver for use inside "
                         "an operator or a preconditioner.");
    const SolveLock lock(mutex_, solving_);
    a_ = &a, m_ = &m, b_ = b, x_ = x;
    result_ = {}, failure_ = nullptr;
    true_residual_ = std::numeric_limits<double>::infinity();
    directions_.clear();
    n_stalled_ = 0;
    is_recomputed_ = true;
    scale_ = 1;
    auto outcome = begin();
    while (!outcome) outcome = iterate();
    result_.outcome = *outcome;
    return std::exchange(result_, {});
  }

 private:
  /// Inner products of r and the new direction.
  struct Step {
    double rr = 0, gamma = 0, eta = 0;  ///< <r, r>, <r, s>, <s, s>
  };

  /// Computes r = b - A x and returns an outcome if the first guess is already a solution. In the pipelined
  /// variant, the allreduce of the norm of r overlaps with the computation of u and w.
  std::optional<Outcome> begin() {
    replace_residual();
    pairs_ = {{b_, b_}, {r_, r_}};
    inner_products_.start(pairs_, failure_ != nullptr);
    if (is_pipelined())
      recompute_u_w();
    else
      ++result_.n_exposed;
    const auto norms = wait_for(inner_products_);
    bb_ = norms[0];
    const bool is_in_range = bb_ >= kMinSquaredNorm && bb_ <= kMaxSquaredNorm;
    const auto rr =
        !is_in_range && rescale() ? reduce(inner_products_, std::array{VectorPair{r_, r_}})[0] : norms[1];
    if (bb_ == 0) std::ranges::fill(x_, 0.0);
    result_.residual = bb_ == 0 ? 0 : std::sqrt(rr / bb_);
    if (!std::isfinite(result_.residual)) return Outcome::not_finite;
    if (result_.residual <= options_.tolerance) return Outcome::converged;
    return std::nullopt;
  }
  /// Multiplies r, and so all that is computed from r, by a power of two that brings |b| near 1, for b whose
  /// <b, b> underflows or overflows; only exponents change. Returns false if b is zero or not finite.
  bool rescale() {
    const int prescale = bb_ < kMinSquaredNorm ? kPrescaleExponent : -kPrescaleExponent;
    for (std::size_t i = 0; i < w_.size(); ++i) w_[i] = std::ldexp(b_[i], prescale);
    const auto bb = reduce(inner_products_, std::array{VectorPair{w_, w_}})[0];
    if (!std::isfinite(bb) || bb == 0) return false;
    const int power = std::clamp(prescale - std::ilogb(bb) / 2, -kMaxScaleExponent, kMaxScaleExponent);
    scale_ = std::ldexp(1.0, power);
    bb_ = std::ldexp(bb, 2 * (power - prescale));
    for (auto& r : r_) r *= scale_;
    if (is_pipelined()) recompute_u_w();
    return true;
  }
  /// Makes one iteration. Returns an outcome if this was the last one.
  std::optional<Outcome> iterate() {
    const auto n = result_.n_iterations();
    if (!is_recomputed_ && options_.replace_every > 0 && n % options_.replace_every == 0) replace_all();
    const auto step = find_direction();
    if (is_recomputed_ && record_residual(step.rr) <= options_.tolerance) return Outcome::converged;
    if (const auto broken = breakdown(step)) {
      const bool is_genuine = is_recomputed_ && directions_.n_kept() == 0;  // not caused by drift
      return is_genuine ? broken : confirm();
    }
    if (has_drifted(step)) {
      replace_all();
      directions_.clear();
      return std::nullopt;
    }
    descend(step.gamma / step.eta);
    previous_rr_ = step.rr;
    expected_rr_ = std::max(step.rr - step.gamma * step.gamma / step.eta, 0.0);
    result_.residual = std::sqrt(expected_rr_ / bb_);
    result_.residuals.push_back(result_.residual);
    const bool is_last = result_.n_iterations() == options_.most_iterations;
    if (result_.residual > options_.tolerance && !is_last) return std::nullopt;
    const auto outcome = confirm();
    return is_last && !outcome ? Outcome::most_iterations : outcome;
  }
  /// Returns the reason if a direction with these inner products cannot be used.
  std::optional<Outcome> breakdown(const Step& step) const {
    if (!std::isfinite(step.rr) || !std::isfinite(step.gamma) || !std::isfinite(step.eta))
      return Outcome::not_finite;
    if (step.eta <= 0) return Outcome::dependent;
    if (step.gamma * step.gamma <= kNoDescent * step.rr * step.eta) return Outcome::no_descent;
    return std::nullopt;
  }
  /// Whether the last step reduced <r, r> less than expected, because s had lost orthogonality.
  bool has_drifted(const Step& step) const {
    const auto excess = step.rr - expected_rr_;
    return !is_recomputed_ && excess > kDriftOfCurrent * step.rr && excess > kDriftOfPrevious * previous_rr_;
  }
  /// Recomputes r = b - A x after the recurrence has converged or broken down, and returns an outcome if the
  /// true residual confirms this; else the iteration continues from the true residual.
  std::optional<Outcome> confirm() {
    const auto recurrence_residual = result_.residual;
    replace_residual();
    const auto rr = reduce(inner_products_, std::array{VectorPair{r_, r_}})[0];
    if (!std::isfinite(record_residual(rr))) return Outcome::not_finite;
    if (result_.residual <= options_.tolerance) return Outcome::converged;
    const bool is_stalled = result_.residual > kProgress * std::exchange(true_residual_, result_.residual);
    n_stalled_ = is_stalled ? n_stalled_ + 1 : 0;
    if (n_stalled_ == kMaxStalled) return Outcome::stagnated;
    ++result_.n_replaced;
    is_recomputed_ = true;
    if (is_pipelined()) recompute_u_w();
    if (kTrustedShare * result_.residual > recurrence_residual || recurrence_residual > options_.tolerance)
      directions_.clear();
    return std::nullopt;
  }
  /// Records and returns |b - A x| / |b|, from <r, r> of a recomputed r.
  double record_residual(double rr) {
    result_.residual = std::sqrt(rr / bb_);
    if (!result_.residuals.empty()) result_.residuals.back() = result_.residual;
    return result_.residual;
  }
  /// Recomputes r = b - A x and, in the pipelined variant, u = M r and w = A u.
  void replace_all() {
    replace_residual();
    if (is_pipelined()) recompute_u_w();
    ++result_.n_replaced;
    is_recomputed_ = true;
  }
  /// x += alpha p, r -= alpha s; in the pipelined variant also u -= alpha q, w -= alpha z
  void descend(double alpha) {
    const auto j = directions_.n_kept();
    add(x_, alpha / scale_, directions_.vector(Directions::kP, j));
    add(r_, -alpha, directions_.vector(Directions::kS, j));
    if (is_pipelined()) {
      add(u_, -alpha, directions_.vector(Directions::kQ, j));
      add(w_, -alpha, directions_.vector(Directions::kZ, j));
    }
    directions_.keep();
    is_recomputed_ = false;
  }
  /// r = b - A x, scaled, (item)
  void replace_residual() {
    operate(x_, r_);
    for (std::size_t i = 0; i < r_.size(); ++i) r_[i] = (b_[i] - r_[i]) * scale_;
  }
  /// u = M r, w = A u
  void recompute_u_w() {
    precondition(r_, u_);
    operate(u_, w_);
  }

  /// Computes the new direction and returns its inner products.
  Step find_direction() {
    return options_.variant == Variant::classical ? find_classical_direction() : find_fused_direction();
  }
  /// Algorithm 1, lines 11 to 17, of Zheng and Marguinaud (2018)
  Step find_classical_direction() {
    const auto n_kept = directions_.n_kept();
    precondition(r_, u_);
    if (n_kept > 0) {
      operate(u_, w_);
      pairs_.clear();
      add_products_with_s();
      compute_betas(reduce(*beta_products_, pairs_));
    }
    directions_.make(Directions::kP, u_, beta_);
    operate(directions_.vector(Directions::kP, n_kept), directions_.vector(Directions::kS, n_kept));
    return computed_step();
  }
  /// One operator application, since s = w + sum_j beta_j s_j with w = A u, and one allreduce: the s_j are
  /// orthogonal to each other and to r, so <r, s> = <r, w> and <s, s> = <w, w> - sum_j <w, s_j>^2 / <s_j,
  /// s_j>. In the pipelined variant, the allreduce overlaps with the computation of M w and A M w, since u
  /// and w are updated by u -= alpha q and w -= alpha z, q = M s, z = A q (after Sanan, Schnepp and May 2016,
  /// SIAM J. Sci. Comput. 38, C441-C470).
  Step find_fused_direction() {
    if (!is_pipelined()) recompute_u_w();
    pairs_ = {{r_, r_}, {r_, w_}, {w_, w_}};
    add_products_with_s();
    const auto products = is_pipelined() ? reduce_overlapped() : reduce(inner_products_, pairs_);
    compute_betas(products.subspan(3));
    const auto step = step_of(products);
    combine_directions();
    return step.eta > kCancelled * products[2] ? step : recomputed_step(products[2]);
  }
  /// @param products <r, r>, <r, w>, <w, w>, <w, s_j>
  Step step_of(std::span<const double> products) {
    auto& eta = directions_.eta(directions_.n_kept());
    eta = products[2];
    for (std::size_t j = 0; j < directions_.n_kept(); ++j) eta += beta_[j] * products[3 + j];
    return {products[0], products[1], eta};
  }
  /// Computes the inner products from r and s directly: one additional allreduce.
  Step computed_step() {
    const auto n_kept = directions_.n_kept();
    const std::span<const double> s = directions_.vector(Directions::kS, n_kept);
    const auto products =
        reduce(inner_products_, std::array{VectorPair{r_, r_}, VectorPair{r_, s}, VectorPair{s, s}});
    directions_.eta(n_kept) = products[2];
    return {products[0], products[1], products[2]};
  }
  /// Computes the inner products from r and s, since <s, s> has lost digits as a difference.
  Step recomputed_step(double ww) {
    auto step = computed_step();
    if (step.eta <= kRounding * ww) step.eta = 0;
    return step;
  }
  void combine_directions() {
    directions_.make(Directions::kP, u_, beta_);
    directions_.make(Directions::kS, w_, beta_);
    if (!is_pipelined()) return;
    directions_.make(Directions::kQ, m_w_, beta_);
    directions_.make(Directions::kZ, a_m_w_, beta_);
  }
  void add_products_with_s() {
    for (std::size_t j = 0; j < directions_.n_kept(); ++j)
      pairs_.push_back({w_, directions_.vector(Directions::kS, j)});
  }
  /// beta_j = -<w, s_j> / <s_j, s_j>
  void compute_betas(std::span<const double> w_s) {
    for (std::size_t j = 0; j < directions_.n_kept(); ++j) beta_[j] = -w_s[j] / directions_.eta(j);
  }

  /// Applies A or M, even after a failure, as other ranks wait for its messages. `wait_for` throws the error.
  void apply(const Apply& apply, std::span<const double> from, std::span<double> to,
             std::int64_t& n_applied) {
    ++n_applied;
    try {
      apply(from, to);
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
      std::ranges::fill(to, 0.0);
    }
  }
  void precondition(std::span<const double> from, std::span<double> to) {
    apply(*m_, from, to, result_.n_preconditioner_calls);
  }
  void operate(std::span<const double> from, std::span<double> to) {
    apply(*a_, from, to, result_.n_operator_calls);
  }
  std::span<const double> reduce(InnerProducts& products, std::span<const VectorPair> requested) {
    products.start(requested, failure_ != nullptr);
    ++result_.n_exposed;
    return wait_for(products);
  }
  std::span<const double> reduce_overlapped() {
    inner_products_.start(pairs_, failure_ != nullptr);
    precondition(w_, m_w_);
    operate(m_w_, a_m_w_);
    return wait_for(inner_products_);
  }
  std::span<const double> wait_for(InnerProducts& products) {
    const auto before = products.waited_s();
    const auto values = products.wait();
    result_.waited_s += products.waited_s() - before;
    ++result_.n_allreduces;
    if (products.any_failed()) {
      comm_.agree([this] {
        if (failure_) std::rethrow_exception(failure_);
      });
    }
    return values;
  }
  bool is_pipelined() const { return options_.variant == Variant::pipelined; }

  std::mutex mutex_;                        ///< serializes calls of `solve`
  std::atomic<std::thread::id> solving_{};  ///< thread that is solving
  comm::Communicator comm_;
  GcrOptions options_;
  Directions directions_;
  InnerProducts inner_products_;
  std::optional<InnerProducts> beta_products_;  ///< second allreduce per iteration: classical variant
  std::vector<double> r_, u_, w_;               ///< (item)
  std::vector<double> m_w_, a_m_w_;             ///< (item) pipelined variant: M w, A M w
  std::vector<double> beta_;                    ///< (kept direction)
  std::vector<VectorPair> pairs_;               ///< whose inner products the next allreduce computes

  // State of the current solve.
  const Apply *a_ = nullptr, *m_ = nullptr;
  std::span<const double> b_;
  std::span<double> x_;
  Result result_;
  double bb_ = 0;                             ///< <b, b>, scaled
  double previous_rr_ = 0, expected_rr_ = 0;  ///< <r, r> before the last step, and expected after it
  double scale_ = 1;  ///< power of two by which r, |b| and the directions are multiplied (`rescale`)
  double true_residual_ = std::numeric_limits<double>::infinity();  ///< the last |b - A x| / |b| of `confirm`
  int n_stalled_ = 0;          ///< successive true residuals without progress
  bool is_recomputed_ = true;  ///< r was computed as scale_ (b - A x), not by the recurrence
  std::exception_ptr failure_;
};

Gcr::Gcr(const comm::Communicator& comm, std::size_t n_owned, const GcrOptions& options)
    : solver_(std::make_unique<Solver>(comm, n_owned, options)) {}

Gcr::~Gcr() = default;

Result Gcr::solve(const Apply& a, const Apply& m, std::span<const double> b, std::span<double> x) {
  return solver_->solve(a, m, b, x);
}

}  // namespace halcyon::krylov
