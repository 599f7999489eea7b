#include <array>

#include "halcyon/krylov/gcr.hpp"

namespace halcyon::krylov {

namespace {

/// Shares of <w, w>: below the first, the difference that <s, s> is has lost digits; below the second, s is
/// no more than rounding.
constexpr double kLost = 1e-8, kRounding = 1e-28;

}  // namespace

Gcr::Step Gcr::direction() {
  return options_.variant == Variant::classical ? classical_direction() : fused_direction();
}

/// Lines 11 to 17 of the algorithm.
Gcr::Step Gcr::classical_direction() {
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

/// With s = w + sum_j beta_j s_j, w = A u, one operator application suffices. The s_j are orthogonal to each
/// other and to r, so <r, s> = <r, w> and <s, s> = <w, w> - sum_j <w, s_j>^2 / <s_j, s_j>: one allreduce.
/// Pipelined, u and w follow by u -= alpha q and w -= alpha z, q = M s, z = A q, so the allreduce travels
/// while M w and A M w are computed (after Sanan, Schnepp and May 2016, SIAM J. Sci. Comput. 38, C441-C470).
Gcr::Step Gcr::fused_direction() {
  if (!is_pipelined()) refresh();
  factors_ = {{r_, r_}, {r_, w_}, {w_, w_}};
  add_products_with_s();
  const auto products = is_pipelined() ? reduce_meanwhile() : reduce(products_, factors_);
  set_betas(products.subspan(3));
  const auto step = step_of(products);
  make_direction();
  return step.eta > kLost * products[2] ? step : recomputed_step(products[2]);
}

std::span<const double> Gcr::reduce_meanwhile() {
  products_.start(factors_, failure_ != nullptr);
  precondition(w_, m_w_);
  operate(m_w_, a_m_w_);
  return arrived(products_);
}

void Gcr::add_products_with_s() {
  for (std::size_t j = 0; j < directions_.n_kept(); ++j)
    factors_.push_back({w_, directions_.vector(Directions::kS, j)});
}

void Gcr::set_betas(std::span<const double> w_s) {
  for (std::size_t j = 0; j < directions_.n_kept(); ++j) beta_[j] = -w_s[j] / directions_.eta(j);
}

/// @param products <r, r>, <r, w>, <w, w>, <w, s_j>
Gcr::Step Gcr::step_of(std::span<const double> products) {
  auto& eta = directions_.eta(directions_.n_kept());
  eta = products[2];
  for (std::size_t j = 0; j < directions_.n_kept(); ++j) eta += beta_[j] * products[3 + j];
  return {products[0], products[1], eta};
}

void Gcr::make_direction() {
  directions_.make(Directions::kP, u_, beta_);
  directions_.make(Directions::kS, w_, beta_);
  if (!is_pipelined()) return;
  directions_.make(Directions::kQ, m_w_, beta_);
  directions_.make(Directions::kZ, a_m_w_, beta_);
}

/// From p and s as they are: one allreduce more.
Gcr::Step Gcr::computed_step() {
  const auto n_kept = directions_.n_kept();
  const std::span<const double> s = directions_.vector(Directions::kS, n_kept);
  const auto products = reduce(products_, std::array{Factors{r_, r_}, Factors{r_, s}, Factors{s, s}});
  directions_.eta(n_kept) = products[2];
  return {products[0], products[1], products[2]};
}

/// Where the difference has lost its digits.
Gcr::Step Gcr::recomputed_step(double ww) {
  auto step = computed_step();
  if (step.eta <= kRounding * ww) step.eta = 0;
  return step;
}

}  // namespace halcyon::krylov
