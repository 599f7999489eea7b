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
  std::string all;
  for (const auto& each : kVariants) {
    if (each.name == name) return each.variant;
    all += (all.empty() ? "" : ", ") + std::string(each.name);
  }
  throw ConfigError(fmt::format("The variant of GCR is '{}', but must be one of {}.", name, all));
}

void GcrOptions::require_allowed() const {
  require<ConfigError>(k >= 1, "GCR keeps {} directions (k). Give 1 or more.", k);
  require<ConfigError>(tolerance > 0 && tolerance < 1,
                       "The tolerance of GCR is {}. Give a number above 0 and below 1, such as 1e-10.",
                       tolerance);
  require<ConfigError>(most_iterations >= 1, "GCR may make {} iterations. Give 1 or more.", most_iterations);
  require<ConfigError>(replace_every >= 0,
                       "GCR replaces its residual every {} iterations. Give 1 or more, or 0: only where it "
                       "drifted.",
                       replace_every);
}

std::string explanation(Outcome outcome) {
  switch (outcome) {
    case Outcome::converged:
      return "The tolerance is reached.";
    case Outcome::most_iterations:
      return "The tolerance is not reached after all iterations that are allowed. Allow more, keep more "
             "directions (k), or precondition better.";
    case Outcome::stagnated:
      return "The residual b - A x stays above the tolerance, however often it is computed anew: rounding "
             "allows no less. Give a larger tolerance; or the operator or preconditioner is not linear.";
    case Outcome::no_descent:
      return "Breakdown: <r, A M r> is zero, so no step makes the residual smaller. GCR needs an operator "
             "whose symmetric part is definite, as preconditioned.";
    case Outcome::dependent:
      return "Breakdown: A M r is zero or depends on the directions kept, so there is no new one. The "
             "operator or the preconditioner is singular, or the residual lies outside its range.";
    case Outcome::not_finite:
      break;
  }
  return "Breakdown: an inner product is not finite. The right side, the first guess, or what the operator "
         "or the preconditioner returned is NaN or infinite, or too large.";
}

namespace {

/// The square of the cosine between r and s that is no more than rounding.
constexpr double kNoDescent = 1e-28;
/// Of a confirmed residual: the next is idle where it is above; and directions are no good that claimed less.
constexpr double kProgress = 0.9, kDoubtful = 0.5;
constexpr int kMostIdle = 3;
/// Of <r, r> above what it should be, as a share of itself and of that before: no drift but rounding.
constexpr double kDrift = 0.1, kDigits = 1e-10;
/// Where <b, b> is between, products of what follows from b neither underflow nor overflow.
constexpr double kSmall = 0x1p-332, kLarge = 0x1p332;
/// Powers of two: by which numbers are moved before they are squared, and the most by which r is.
constexpr int kFar = 600, kMostScale = 1000;
/// Shares of <w, w>: below the first, the difference that <s, s> is has lost digits; below the second, s is
/// no more than rounding.
constexpr double kLost = 1e-8, kRounding = 1e-28;

/// More directions than iterations are never kept.
GcrOptions allowed(GcrOptions options) {
  options.require_allowed();
  options.k = std::min(options.k, options.most_iterations);
  return options;
}

/// Collective. @throws ConfigError, on all ranks, where one has no memory for the directions
Directions directions(const comm::Communicator& comm, std::size_t n_owned, const GcrOptions& options) {
  std::optional<Directions> made;
  comm.agree([&] {
    try {
      made.emplace(n_owned, options.k, options.variant == Variant::pipelined ? 4 : 2);
    } catch (const std::exception&) {  // bad_alloc, length_error
      throw ConfigError(fmt::format("There is no memory for {} directions (k) of {} items. Keep fewer.",
                                    options.k, n_owned));
    }
  });
  return std::move(*made);
}

/// The turn of this thread, which it tells.
class Turn {
 public:
  Turn(std::mutex& turns, std::atomic<std::thread::id>& whose) : lock_(turns), whose_(whose) {
    whose_ = std::this_thread::get_id();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { whose_ = std::thread::id(); }

 private:
  std::lock_guard<std::mutex> lock_;
  std::atomic<std::thread::id>& whose_;
};

/// v += a d, (item)
void add(std::span<double> v, double a, std::span<const double> d) {
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += a * d[i];
}

}  // namespace

class Gcr::Solver {
 public:
  Solver(const comm::Communicator& comm, std::size_t n_owned, const GcrOptions& options)
      : comm_(comm),
        options_(allowed(options)),
        directions_(directions(comm, n_owned, options_)),
        products_(comm, options.variant == Variant::classical ? 3 : options_.k + 3, options.radix),
        r_(n_owned),
        u_(n_owned),
        w_(n_owned),
        m_w_(is_pipelined() ? n_owned : 0),
        a_m_w_(is_pipelined() ? n_owned : 0),
        beta_(options_.k) {
    if (options.variant == Variant::classical) betas_products_.emplace(comm, options_.k, options.radix);
    factors_.reserve(options_.k + 3);
  }

  Result solve(const Apply& a, const Apply& m, std::span<const double> b, std::span<double> x) {
    require<InternalError>(b.size() == r_.size() && x.size() == r_.size(),
                           "The right side has {} items and the solution {}, but GCR was made for {}.",
                           b.size(), x.size(), r_.size());
    require<ConfigError>(
        solving_ != std::this_thread::get_id(),
        "A solver was asked for a solution within its own. Make another for what an operator or "
        "a preconditioner solves.");
    const Turn turn(turns_, solving_);
    a_ = &a, m_ = &m, b_ = b, x_ = x;
    result_ = {}, failure_ = nullptr;
    confirmed_ = std::numeric_limits<double>::infinity();
    directions_.clear();
    n_idle_ = 0;
    is_new_ = true;
    scale_ = 1;
    auto outcome = begin();
    while (!outcome) outcome = iterate();
    result_.outcome = *outcome;
    return std::exchange(result_, {});
  }

 private:
  /// Of a new direction: <r, r>, <r, s>, <s, s>.
  struct Step {
    double rr = 0, gamma = 0, eta = 0;
  };

  /// r = b - A x; where pipelined, its norm travels while u and w are computed.
  std::optional<Outcome> begin() {
    replace_residual();
    factors_ = {{b_, b_}, {r_, r_}};
    products_.start(factors_, failure_ != nullptr);
    if (is_pipelined())
      refresh();
    else
      ++result_.n_exposed;
    const auto norms = arrived(products_);
    bb_ = norms[0];
    const bool fits = bb_ >= kSmall && bb_ <= kLarge;
    const auto rr = !fits && rescale() ? reduce(products_, std::array{Factors{r_, r_}})[0] : norms[1];
    if (bb_ == 0) std::ranges::fill(x_, 0.0);
    result_.residual = bb_ == 0 ? 0 : std::sqrt(rr / bb_);
    if (!std::isfinite(result_.residual)) return Outcome::not_finite;
    if (result_.residual <= options_.tolerance) return Outcome::converged;
    return std::nullopt;
  }
  /// Where <b, b> underflows or overflows: r, and so what follows from it, becomes that of b times a power of
  /// two, near 1, with the same bits but for the power. Not where b is zero or not finite.
  bool rescale() {
    const int far = bb_ < kSmall ? kFar : -kFar;
    for (std::size_t i = 0; i < w_.size(); ++i) w_[i] = std::ldexp(b_[i], far);
    const auto bb = reduce(products_, std::array{Factors{w_, w_}})[0];
    if (!std::isfinite(bb) || bb == 0) return false;
    const int power = std::clamp(far - std::ilogb(bb) / 2, -kMostScale, kMostScale);
    scale_ = std::ldexp(1.0, power);
    bb_ = std::ldexp(bb, 2 * (power - far));
    for (auto& r : r_) r *= scale_;
    if (is_pipelined()) refresh();
    return true;
  }
  std::optional<Outcome> iterate() {
    const auto n = result_.n_iterations();
    if (!is_new_ && options_.replace_every > 0 && n % options_.replace_every == 0) renew();
    const auto step = direction();
    if (is_new_ && noted(step.rr) <= options_.tolerance) return Outcome::converged;
    if (const auto broken = breakdown(step)) {
      const bool is_sure = is_new_ && directions_.n_kept() == 0;
      return is_sure ? broken : confirm();
    }
    if (has_drifted(step)) {
      renew();
      directions_.clear();
      return std::nullopt;
    }
    descend(step.gamma / step.eta);
    rr_before_ = step.rr;
    rr_expected_ = std::max(step.rr - step.gamma * step.gamma / step.eta, 0.0);
    result_.residual = std::sqrt(rr_expected_ / bb_);
    result_.residuals.push_back(result_.residual);
    const bool is_last = result_.n_iterations() == options_.most_iterations;
    if (result_.residual > options_.tolerance && !is_last) return std::nullopt;
    const auto outcome = confirm();
    return is_last && !outcome ? Outcome::most_iterations : outcome;
  }
  std::optional<Outcome> breakdown(const Step& step) const {
    if (!std::isfinite(step.rr) || !std::isfinite(step.gamma) || !std::isfinite(step.eta))
      return Outcome::not_finite;
    if (step.eta <= 0) return Outcome::dependent;
    if (step.gamma * step.gamma <= kNoDescent * step.rr * step.eta) return Outcome::no_descent;
    return std::nullopt;
  }
  /// Whether the last step did not make the residual as small as it should have, so that s was no longer
  /// orthogonal to those before it.
  bool has_drifted(const Step& step) const {
    const auto excess = step.rr - rr_expected_;
    return !is_new_ && excess > kDrift * step.rr && excess > kDigits * rr_before_;
  }
  /// What the recurrence says, and a breakdown of it, is not believed before b - A x says it too. That
  /// replaces
  /// r.
  std::optional<Outcome> confirm() {
    const auto claimed = result_.residual;
    replace_residual();
    const auto rr = reduce(products_, std::array{Factors{r_, r_}})[0];
    if (!std::isfinite(noted(rr))) return Outcome::not_finite;
    if (result_.residual <= options_.tolerance) return Outcome::converged;
    const bool is_idle = result_.residual > kProgress * std::exchange(confirmed_, result_.residual);
    n_idle_ = is_idle ? n_idle_ + 1 : 0;
    if (n_idle_ == kMostIdle) return Outcome::stagnated;
    ++result_.n_replaced;
    is_new_ = true;
    if (is_pipelined()) refresh();
    if (kDoubtful * result_.residual > claimed || claimed > options_.tolerance) directions_.clear();
    return std::nullopt;
  }
  /// |b - A x| / |b| from <r, r> of an r that was computed anew.
  double noted(double rr) {
    result_.residual = std::sqrt(rr / bb_);
    if (!result_.residuals.empty()) result_.residuals.back() = result_.residual;
    return result_.residual;
  }
  /// Replaces r, and where pipelined what follows from it, by what they stand for.
  void renew() {
    replace_residual();
    if (is_pipelined()) refresh();
    ++result_.n_replaced;
    is_new_ = true;
  }
  void descend(double alpha) {
    const auto j = directions_.n_kept();
    add(x_, alpha / scale_, directions_.vector(Directions::kP, j));
    add(r_, -alpha, directions_.vector(Directions::kS, j));
    if (is_pipelined()) {
      add(u_, -alpha, directions_.vector(Directions::kQ, j));
      add(w_, -alpha, directions_.vector(Directions::kZ, j));
    }
    directions_.keep();
    is_new_ = false;
  }
  /// r = b - A x, scaled, (item)
  void replace_residual() {
    operate(x_, r_);
    for (std::size_t i = 0; i < r_.size(); ++i) r_[i] = (b_[i] - r_[i]) * scale_;
  }
  /// u = M r, w = A u
  void refresh() {
    precondition(r_, u_);
    operate(u_, w_);
  }

  Step direction() {
    return options_.variant == Variant::classical ? classical_direction() : fused_direction();
  }
  /// Lines 11 to 17 of the algorithm.
  Step classical_direction() {
    const auto n_kept = directions_.n_kept();
    precondition(r_, u_);
    if (n_kept > 0) {
      operate(u_, w_);
      factors_.clear();
      add_products_with_s();
      set_betas(reduce(*betas_products_, factors_));
    }
    directions_.make(Directions::kP, u_, beta_);
    operate(directions_.vector(Directions::kP, n_kept), directions_.vector(Directions::kS, n_kept));
    return computed_step();
  }
  /// With s = w + sum_j beta_j s_j, w = A u, one operator application suffices. The s_j are orthogonal to
  /// each
  /// other and to r, so <r, s> = <r, w> and <s, s> = <w, w> - sum_j <w, s_j>^2 / <s_j, s_j>: one allreduce.
  /// Pipelined, u and w follow by u -= alpha q and w -= alpha z, q = M s, z = A q, so the allreduce travels
  /// while M w and A M w are computed (after Sanan, Schnepp and May 2016, SIAM J. Sci. Comput. 38,
  /// C441-C470).
  Step fused_direction() {
    if (!is_pipelined()) refresh();
    factors_ = {{r_, r_}, {r_, w_}, {w_, w_}};
    add_products_with_s();
    const auto products = is_pipelined() ? reduce_meanwhile() : reduce(products_, factors_);
    set_betas(products.subspan(3));
    const auto step = step_of(products);
    make_direction();
    return step.eta > kLost * products[2] ? step : recomputed_step(products[2]);
  }
  /// @param products <r, r>, <r, w>, <w, w>, <w, s_j>
  Step step_of(std::span<const double> products) {
    auto& eta = directions_.eta(directions_.n_kept());
    eta = products[2];
    for (std::size_t j = 0; j < directions_.n_kept(); ++j) eta += beta_[j] * products[3 + j];
    return {products[0], products[1], eta};
  }
  /// From p and s as they are: one allreduce more.
  Step computed_step() {
    const auto n_kept = directions_.n_kept();
    const std::span<const double> s = directions_.vector(Directions::kS, n_kept);
    const auto products = reduce(products_, std::array{Factors{r_, r_}, Factors{r_, s}, Factors{s, s}});
    directions_.eta(n_kept) = products[2];
    return {products[0], products[1], products[2]};
  }
  /// Where the difference has lost its digits.
  Step recomputed_step(double ww) {
    auto step = computed_step();
    if (step.eta <= kRounding * ww) step.eta = 0;
    return step;
  }
  void make_direction() {
    directions_.make(Directions::kP, u_, beta_);
    directions_.make(Directions::kS, w_, beta_);
    if (!is_pipelined()) return;
    directions_.make(Directions::kQ, m_w_, beta_);
    directions_.make(Directions::kZ, a_m_w_, beta_);
  }
  void add_products_with_s() {
    for (std::size_t j = 0; j < directions_.n_kept(); ++j)
      factors_.push_back({w_, directions_.vector(Directions::kS, j)});
  }
  void set_betas(std::span<const double> w_s) {
    for (std::size_t j = 0; j < directions_.n_kept(); ++j) beta_[j] = -w_s[j] / directions_.eta(j);
  }

  /// Applies also after a failure, for others may wait for an exchange in it; until the next allreduce.
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
    apply(*m_, from, to, result_.n_preconditioner);
  }
  void operate(std::span<const double> from, std::span<double> to) {
    apply(*a_, from, to, result_.n_operator);
  }
  std::span<const double> reduce(InnerProducts& products, std::span<const Factors> wanted) {
    products.start(wanted, failure_ != nullptr);
    ++result_.n_exposed;
    return arrived(products);
  }
  std::span<const double> reduce_meanwhile() {
    products_.start(factors_, failure_ != nullptr);
    precondition(w_, m_w_);
    operate(m_w_, a_m_w_);
    return arrived(products_);
  }
  std::span<const double> arrived(InnerProducts& products) {
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

  std::mutex turns_;                        ///< of threads
  std::atomic<std::thread::id> solving_{};  ///< the thread whose turn it is
  comm::Communicator comm_;
  GcrOptions options_;
  Directions directions_;
  InnerProducts products_;
  std::optional<InnerProducts> betas_products_;  ///< of the classical variant, which has two allreduces
  std::vector<double> r_, u_, w_;                ///< (item) residual, M r, A M r
  std::vector<double> m_w_, a_m_w_;              ///< (item) where pipelined: M w, A M w
  std::vector<double> beta_;                     ///< (kept direction)
  std::vector<Factors> factors_;

  // Of the solution under way.
  const Apply *a_ = nullptr, *m_ = nullptr;
  std::span<const double> b_;
  std::span<double> x_;
  Result result_;
  double bb_ = 0, rr_before_ = 0, rr_expected_ = 0;  ///< <b, b>; <r, r> before and after the last step
  double scale_ = 1;  ///< power of two: r, <b, b> and the directions are of b times it
  double confirmed_ = std::numeric_limits<double>::infinity();
  int n_idle_ = 0;      ///< confirmed residuals in a row that made no progress
  bool is_new_ = true;  ///< r is b - A x, scaled, not what steps have left of it
  std::exception_ptr failure_;
};

Gcr::Gcr(const comm::Communicator& comm, std::size_t n_owned, const GcrOptions& options)
    : solver_(std::make_unique<Solver>(comm, n_owned, options)) {}

Gcr::~Gcr() = default;

Result Gcr::solve(const Apply& a, const Apply& m, std::span<const double> b, std::span<double> x) {
  return solver_->solve(a, m, b, x);
}

}  // namespace halcyon::krylov
