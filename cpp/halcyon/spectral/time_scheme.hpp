#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "halcyon/options/option.hpp"
#include "halcyon/spectral/equations.hpp"

namespace halcyon::spectral {

/// Hyperdiffusion, implicit: after a step dt, each coefficient of a field that is diffused is divided by
///   1 + dt/tau ((n (n + 1) - 2) / (T (T + 1) - 2))^(order/2),  n >= 2,
/// so that the shortest waves fall by e in `time_scale`, and neither means nor solid rotation change (Hoskins
/// and Simmons 1975; the 2 after Jakob, Hack and Williamson 1993, equation 10).
struct Diffusion {
  int order = 4;          ///< of the derivative: 4 del^4, 8 del^8
  double time_scale = 0;  ///< tau [s]; 0: none

  void apply(const Basis& basis, const std::vector<Prognostic>& fields, double dt, Spectrum& state) const;
};

/// The filter of a leapfrog scheme, by which its two times stay together (Robert 1966, Asselin 1972, Williams
/// 2009): d = nu/2 (X- - 2 X + X+), X + alpha d, X+ + (alpha - 1) d. alpha = 1 is that of Robert and Asselin.
struct Filter {
  double strength = 0.1;  ///< nu
  double share = 0.53;    ///< alpha
};

/// Takes a state through time. Holds all of it that a restart needs.
class TimeScheme {
 public:
  TimeScheme(Equations& equations, std::size_t size) : equations_(equations), now_(size) {}
  virtual ~TimeScheme() = default;

  /// One step [s]. The equations must have the present state on their grid.
  virtual void step(double dt) = 0;
  /// The present state is another: a start.
  virtual void begin() {}
  /// The states are those after some steps.
  virtual void go_on() {}
  /// The times that are held: what their names end in, and the states.
  virtual std::vector<std::pair<const char*, Spectrum*>> states() { return {{"", &now_}}; }
  /// The longest product of step and rate that is stable.
  virtual double limit() const = 0;
  virtual bool waves_are_implicit() const { return false; }

  Spectrum& now() { return now_; }

 protected:
  Equations& equations_;
  Spectrum now_;
};

/// The classical scheme of Runge and Kutta, of fourth order.
std::unique_ptr<TimeScheme> make_runge_kutta(Equations& equations, const Basis& basis,
                                             const Diffusion& diffusion);
/// Semi-implicit leapfrog (Robert 1969; Hoskins and Simmons 1975): gravity waves are means of both ends of a
/// step, the rest is of its middle. The first step goes forward.
std::unique_ptr<TimeScheme> make_semi_implicit(Equations& equations, const Basis& basis,
                                               const Diffusion& diffusion, const Filter& filter);

/// The schemes by name, with their options.
std::vector<options::Choice> time_schemes();

}  // namespace halcyon::spectral
