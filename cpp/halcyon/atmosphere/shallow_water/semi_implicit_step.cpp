#include <algorithm>
#include <bit>
#include <cmath>

#include "halcyon/atmosphere/shallow_water/shallow_water.hpp"
#include "halcyon/base/timer.hpp"
#include "halcyon/halo/with_halo.hpp"

namespace halcyon::atmosphere {

/// Of stages y_1 .. of Imex, with i the gravity waves on the thickness of the step's start; the last is the
/// new state. A stage is known from the tendencies of those before but for its own waves, which are solved
/// for.
template <class Real>
void ShallowWater<Real>::semi_implicit_step(double dt) {
  const auto ahead = static_cast<Real>(part_.options.scheme.anticipation * std::min(dt, resolving_step()));
  for (int stage = 0; stage < Imex::kStages; ++stage) {
    const auto& now = stage == 0 ? now_ : first_;
    const bool is_last = stage + 1 == Imex::kStages;
    advance({now, implicit_->zeros(), implicit_->tendency(stage), Real{1}, is_last ? ahead : 0, stage == 0});
    if (stage == 0) {
      const ScopedTimer timer(times_.compute_s);
      const auto [rate, push] = implicit_->by_waves(0);
      implicit_->waves.begin(ground_, now_.h, now_.u, Imex::kGamma * dt, rate, push);
    }
    implicit_->sum(stage, dt, pair(now_), pair(second_));
    add_waves(stage, is_last ? now_ : first_);
  }
}

/// Collective. About the longest step [s] that would resolve the waves, the same on all ranks: potential
/// vorticity is anticipated by no more, so that long steps do not smooth it more than short ones.
template <class Real>
double ShallowWater<Real>::resolving_step() const {
  double depth = 0, wind = 0;
  for (const Real h : now_.h.first(part_.n_cells)) depth = std::max(depth, double{h});
  for (const Real u : now_.u.first(part_.n_edges)) wind = std::max(wind, std::abs(double{u}));
  const auto waves = std::sqrt(part_.options.planet.gravity * largest(depth));
  return 1 / (finest_ * (waves + largest(wind)));
}

/// Collective. Of values above zero, of which bits rise as they do.
template <class Real>
double ShallowWater<Real>::largest(double value) const {
  return std::bit_cast<double>(part_.comm.max(std::bit_cast<std::int64_t>(value)));
}

/// Collective. Adds its own waves to the next stage, of which `second_` has all else.
template <class Real>
void ShallowWater<Real>::add_waves(int stage, const LayerState<Real>& found) {
  auto& waves = implicit_->waves;
  const auto [h, u] = pair(second_);
  const auto wind = second_.fields().subspan(1, 1);
  halo::with_halo(implicit_->wind_halo, wind, part_.options.overlap, times_.exchange_s, [&](bool is_early) {
    const ScopedTimer timer(times_.compute_s);
    waves.set_right_side(ground_, h, u, is_early);
  });
  const auto waited_s = waves.exchange_s();
  double all_s = 0;
  const auto result = [&] {
    const ScopedTimer timer(all_s);
    const auto [rate, push] = implicit_->by_waves((stage + 1) % Imex::kStages);
    return waves.solve(h, u, rate, push, found.h, found.u);
  }();
  times_.exchange_s += waves.exchange_s() - waited_s;
  times_.compute_s += all_s - (waves.exchange_s() - waited_s);
  n_iterations_ += result.n_iterations();
  check(result);
}

/// A solution that is not one ends the run; numbers that are not finite are found where they are.
template <class Real>
void ShallowWater<Real>::check(const krylov::Result& result) {
  const bool is_wanting =
      result.outcome != krylov::Outcome::converged && result.outcome != krylov::Outcome::not_finite;
  if (is_wanting && trouble_.cell == kNone)
    trouble_ = {0, n_steps_, "implicit_gravity_waves", 0, result.residual};
}

template class ShallowWater<double>;
template class ShallowWater<float>;

}  // namespace halcyon::atmosphere
