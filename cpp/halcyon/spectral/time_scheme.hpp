#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "halcyon/options/option.hpp"
#include "halcyon/semi_lagrangian/settls.hpp"
#include "halcyon/spectral/equations.hpp"

namespace halcyon::spectral {

/// Implicit hyperdiffusion: after a step dt, each coefficient of a diffused field is divided by
///   1 + dt/tau ((n (n + 1) - 2) / (T (T + 1) - 2))^(order/2),  n >= 2.
/// `time_scale` tau is the e-folding time of the shortest waves; means and solid-body rotation are unchanged
/// (Hoskins and Simmons 1975; subtracting 2 follows Jakob, Hack and Williamson 1993, equation 10).
struct Diffusion {
  int order = 4;          ///< order of the derivative, such as 4 for del^4
  double time_scale = 0;  ///< tau [s]; 0: no diffusion

  template <class Real>
  void apply(const Basis<Real>& basis, const std::vector<Prognostic>& fields, double dt,
             Spectrum<Real>& state) const;
};

/// Time filter of the leapfrog scheme, which prevents the decoupling of odd and even time levels (Robert
/// 1966, Asselin 1972, Williams 2009): with d = nu/2 (X- - 2 X + X+) of the old, middle and new time level,
/// alpha d is added to X and (alpha - 1) d to X+. alpha = 1 is the Robert-Asselin filter.
struct Filter {
  double strength = 0.1;  ///< nu
  double share = 0.53;    ///< alpha
};

/// A time scheme with the time levels of the state that the scheme needs, which are also the restart state.
template <class Real>
class TimeScheme {
 public:
  using Spectrum = spectral::Spectrum<Real>;

  TimeScheme(Equations<Real>& equations, std::size_t size) : equations_(equations), now_(size) {}
  virtual ~TimeScheme() = default;

  /// Takes one step [s]. The present state must have been transformed to the grid (`Equations::to_grid`).
  virtual void step(double dt) = 0;
  /// Prepares for the first step from an initial state, or (collective) from restored time levels.
  virtual void begin() {}
  virtual void resume() {}
  /// The time levels of the state, with the suffix of their names in restart files.
  virtual std::vector<std::pair<const char*, Spectrum*>> states() { return {{"", &now_}}; }
  /// The largest stable product of time step and frequency.
  virtual double limit() const = 0;
  virtual bool has_implicit_waves() const { return false; }
  /// Whether the scheme needs the state at the previous time level.
  bool has_previous() { return states().size() > 1; }
  virtual std::size_t memory_bytes() const { return 0; }  ///< in addition to time levels and tendencies
  /// The advection of semi-Lagrangian steps; null for others.
  virtual semi_lagrangian::BasicSettls<Real>* advection() { return nullptr; }

  Spectrum& now() { return now_; }

 protected:
  Equations<Real>& equations_;
  Spectrum now_;
};

/// The classical fourth-order Runge-Kutta scheme.
template <class Real>
std::unique_ptr<TimeScheme<Real>> make_runge_kutta(Equations<Real>& equations, const Basis<Real>& basis,
                                                   const Diffusion& diffusion);
/// Semi-implicit leapfrog (Robert 1969; Hoskins and Simmons 1975): gravity-wave terms are averaged over the
/// old and new time levels, all other terms are evaluated at the middle level. The first step is forward.
template <class Real>
std::unique_ptr<TimeScheme<Real>> make_semi_implicit(Equations<Real>& equations, const Basis<Real>& basis,
                                                     const Diffusion& diffusion, const Filter& filter);

/// Options of semi-Lagrangian steps.
struct LagrangianOptions {
  semi_lagrangian::Interpolation interpolation = semi_lagrangian::Interpolation::cubic;
  bool monotone = false;  ///< limits scalars, with their tendencies, to the range around the departure point
  bool monotone_tracers = true;  ///< limits tracers in the same way, so that they stay positive
  double decentring = 0;         ///< epsilon
  bool mass_fixer = true;        ///< keeps the mass of the fluid and of each tracer
  SolverOptions solver = {};
  semi_lagrangian::HaloKind halo = semi_lagrangian::HaloKind::wide;
  int level_groups = 1;  ///< groups of levels whose halos are exchanged separately

  /// @throws ConfigError for invalid values
  void validate() const;
};

/// Two-time-level semi-Lagrangian semi-implicit steps (SETTLS; Hortal 2002), with departure
/// points D, arrival points A, dX/dt = N + L X, and the decentring epsilon:
///   X+ - (1 + epsilon) dt/2 L X+ = {X + dt/2 (2 N - N-) + (1 - epsilon) dt/2 L X}_D + dt/2 N_A + dt P_A
/// N-: N of the previous step, for the first step N; P: tendencies of the physics. After a change of the
/// step, 2 N - N- is (1 + r) N - r N- with the ratio r of the steps. Tracers are grid-point fields q:
///   q+ = {q + dt P}_D
/// so that physics that takes all of a tracer leaves none. In moist air dt P of all fields acts at D.
/// @throws ConfigError for a set without a semi-Lagrangian form, and a grid with too few rows
template <class Real>
std::unique_ptr<TimeScheme<Real>> make_semi_lagrangian(Equations<Real>& equations, const Basis<Real>& basis,
                                                       const Diffusion& diffusion,
                                                       const LagrangianOptions& options);

std::vector<options::RegistryEntry> time_schemes();

}  // namespace halcyon::spectral
