#include "halcyon/krylov/gcr.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::krylov {

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

Gcr::Gcr(const comm::Communicator& comm, std::size_t n_owned, const GcrOptions& options)
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

Result Gcr::solve(const Apply& a, const Apply& m, std::span<const double> b, std::span<double> x) {
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

/// r = b - A x; where pipelined, its norm travels while u and w are computed.
std::optional<Outcome> Gcr::begin() {
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
bool Gcr::rescale() {
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

std::optional<Outcome> Gcr::iterate() {
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

std::optional<Outcome> Gcr::breakdown(const Step& step) const {
  if (!std::isfinite(step.rr) || !std::isfinite(step.gamma) || !std::isfinite(step.eta))
    return Outcome::not_finite;
  if (step.eta <= 0) return Outcome::dependent;
  if (step.gamma * step.gamma <= kNoDescent * step.rr * step.eta) return Outcome::no_descent;
  return std::nullopt;
}

/// Whether the last step did not make the residual as small as it should have, so that s was no longer
/// orthogonal to those before it.
bool Gcr::has_drifted(const Step& step) const {
  const auto excess = step.rr - rr_expected_;
  return !is_new_ && excess > kDrift * step.rr && excess > kDigits * rr_before_;
}

void Gcr::descend(double alpha) {
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

/// What the recurrence says, and a breakdown of it, is not believed before b - A x says it too. That replaces
/// r.
std::optional<Outcome> Gcr::confirm() {
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
double Gcr::noted(double rr) {
  result_.residual = std::sqrt(rr / bb_);
  if (!result_.residuals.empty()) result_.residuals.back() = result_.residual;
  return result_.residual;
}

/// Replaces r, and where pipelined what follows from it, by what they stand for.
void Gcr::renew() {
  replace_residual();
  if (is_pipelined()) refresh();
  ++result_.n_replaced;
  is_new_ = true;
}

/// r = b - A x, scaled, (item)
void Gcr::replace_residual() {
  operate(x_, r_);
  for (std::size_t i = 0; i < r_.size(); ++i) r_[i] = (b_[i] - r_[i]) * scale_;
}

/// u = M r, w = A u
void Gcr::refresh() {
  precondition(r_, u_);
  operate(u_, w_);
}

/// Applies also after a failure, for others may wait for an exchange in it; until the next allreduce.
void Gcr::apply(const Apply& apply, std::span<const double> from, std::span<double> to,
                std::int64_t& n_applied) {
  ++n_applied;
  try {
    apply(from, to);
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
    std::ranges::fill(to, 0.0);
  }
}

std::span<const double> Gcr::reduce(InnerProducts& products, std::span<const Factors> wanted) {
  products.start(wanted, failure_ != nullptr);
  ++result_.n_exposed;
  return arrived(products);
}

std::span<const double> Gcr::arrived(InnerProducts& products) {
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

}  // namespace halcyon::krylov
