#pragma once

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/base/timer.hpp"
#include "halcyon/spectral/equation_set.hpp"
#include "halcyon/spectral/time_scheme.hpp"

namespace halcyon::spectral {

/// What may be chosen beside the equations.
struct ModelOptions {
  bool semi_implicit = false;
  Filter filter;
  Diffusion diffusion;
  std::size_t memory_bytes =
      transform::Options{}.memory_bytes;  ///< for functions of Legendre: no bit differs

  /// @throws ConfigError for what cannot be
  void require_allowed() const {
    require<ConfigError>(filter.strength >= 0 && filter.strength <= 1,
                         "filter is {}. Give a number from 0 to 1.", filter.strength);
    require<ConfigError>(filter.share >= 0.5 && filter.share <= 1,
                         "filter_share is {}. Give a number from 0.5 to 1.", filter.share);
    require<ConfigError>(diffusion.order >= 2 && diffusion.order <= 8 && diffusion.order % 2 == 0,
                         "The order of diffusion is {}. Give 2, 4, 6 or 8.", diffusion.order);
    require<ConfigError>(diffusion.time_scale >= 0 && std::isfinite(diffusion.time_scale),
                         "The time of diffusion is {} s. Give more than 0 s, or no diffusion.",
                         diffusion.time_scale);
  }
};

/// A spectral model: equations on a basis, and a scheme that takes them through time. What computes is
/// collective where ranks share it; states, products and trouble are those of this rank's coefficients and
/// points.
class Model {
 public:
  /// @param equations the name of an equation set
  /// @throws ConfigError where the grid cannot hold the truncation, the sets cannot share it, or options
  /// cannot be
  /// @param comm null: of one rank alone
  Model(const comm::Communicator* comm, transform::SetCounts sets, const std::string& equations,
        transform::Grid grid, int truncation, const Planet& planet, const ModelOptions& options,
        const AirOptions& air)
      : basis_((options.require_allowed(), comm), sets, std::move(grid), truncation, planet,
               options.memory_bytes),
        set_(options::find("equation set of the spectral model", equation_sets(), equations)),
        equations_(set_.make(basis_, air)),
        scheme_(options.semi_implicit
                    ? make_semi_implicit(*equations_, basis_, options.diffusion, options.filter)
                    : make_runge_kutta(*equations_, basis_, options.diffusion)) {}

  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// From now on ranks exchange so: no bit depends on it.
  /// @throws ConfigError as `Transform::communicate`
  void set_exchange(transform::ExchangeSettings how) {
    past_ = so_far();
    basis_.transform().set_exchange(std::move(how));
  }
  const transform::SharedTransform& transform() const { return basis_.transform(); }
  /// Does the transforms of a tendency on the present state, which stays as it is, and tells what they took:
  /// to the grid, and back.
  std::pair<transform::Times, transform::Times> rehearse() {
    Spectrum change(scheme_->now().size());
    const auto there = aside([this] { equations_->to_grid(scheme_->now()); });
    const auto back = aside([&] { equations_->tendencies(change); });
    return {there, back};
  }

  void set(const GivenState& given) {
    basis_.turn_around(given.axis);
    aside([&] { equations_->set(given, scheme_->now()); });
    scheme_->begin();
    on_grid_ = false;
  }
  /// The states that `prognostic` gives were set to those of a run after some steps.
  void go_on() {
    scheme_->go_on();
    on_grid_ = false;
  }
  /// The first trouble of a step of dt [s] from the present state; it is not noted.
  Trouble look_ahead(double dt) {
    diagnose();
    return trouble_of(dt);
  }
  /// One step [s]; a state that is not fit for it is noted before.
  void step(double dt) {
    const bool other = on_grid_ && dt != dt_;
    dt_ = dt;
    diagnose();
    if (other) note_trouble();
    const ScopedTimer timer(compute_s_);
    scheme_->step(dt);
    ++n_steps_;
    on_grid_ = false;
  }

  int n_levels() const { return equations_->n_levels(); }
  const Basis& basis() const { return basis_; }
  const Equations& equations() const { return *equations_; }
  const EquationSet& equation_set() const { return set_; }
  /// The rows of the table of variables that a restart of this scheme needs.
  std::vector<fields::Variable> held() const {
    std::vector<fields::Variable> found;
    for (const auto& row : set_.variables)
      if (row.restart && (scheme_->waves_are_implicit() || !row.name.ends_with(kBefore)))
        found.push_back(row);
    return found;
  }
  /// Coefficients by the name of such a row. @throws InternalError for another name
  std::span<Complex> prognostic(const std::string& name) {
    for (const auto& [ending, state] : scheme_->states()) {
      Parts parts(*state, basis_.n_coefficients());
      for (const auto& field : equations_->prognostics()) {
        const auto found = parts.next(field.n_levels);
        if (field.name + kCoefficients + ending == name) return found;
      }
    }
    throw ConfigError(fmt::format("'{}' is no state of the model. Give the name of a row of `held`.", name));
  }
  /// Products of the present state, (level, point) or (point).
  std::vector<std::vector<double>> products(const std::vector<std::string>& names) {
    std::vector<std::string> known;
    for (const auto& variable : set_.variables)
      if (variable.output && !variable.cell_methods.empty())
        known.push_back(variable.name);  // changes in time
    for (const auto& name : names)
      require<ConfigError>(std::ranges::count(known, name) > 0,
                           "There is no product '{}' of these equations. There are: {}.", name,
                           fmt::join(known, ", "));
    diagnose();
    std::vector<std::vector<double>> found;
    aside([&] {
      for (const auto& name : names) found.push_back(equations_->product(name));
    });
    return found;
  }
  std::vector<double> integrals() {
    diagnose();
    auto sums = equations_->integrals();
    return basis_.totals(sums);
  }

  /// The longest stable step [s] of the present state at this rank's points, as if its winds were at least so
  /// fast [m s-1] somewhere.
  double longest_step(double least_speed = 0) {
    diagnose();
    const bool waves = !scheme_->waves_are_implicit();
    double highest = rate_along(basis_, least_speed);
    for (int level = 0; level < n_levels(); ++level)
      for (std::size_t i = 0; i < basis_.n_points(); ++i) {
        const auto rates = equations_->rates(i, level, waves);
        highest = std::max({highest, rates.along, rates.vertical});
      }
    return scheme_->limit() / highest;
  }
  /// The first trouble in any state that was gone on from, or of which products or integrals were asked.
  const Trouble& trouble() const { return trouble_; }
  double compute_s() const { return compute_s_ - transforms().exchange_s; }
  /// Of steps and of bringing states to the grid; not of starts, products and rehearsals.
  transform::Times transforms() const { return so_far() - aside_; }
  std::size_t memory_bytes() const {
    std::size_t n = basis_.n_points() * 4 * sizeof(double);
    n += 5 * const_cast<TimeScheme&>(*scheme_).now().size() * sizeof(Complex);
    return n + equations_->memory_bytes();
  }

 private:
  transform::Times so_far() const {
    auto sum = past_;
    return sum += basis_.transform().times();
  }
  /// Does what is no part of a run's steps.
  template <class Work>
  transform::Times aside(const Work& work) {
    const auto before = so_far();
    work();
    const auto taken = so_far() - before;
    aside_ += taken;
    return taken;
  }
  /// Brings the present state to the grid, and looks at it.
  void diagnose() {
    if (on_grid_) return;
    const ScopedTimer timer(compute_s_);
    equations_->to_grid(scheme_->now());
    on_grid_ = true;
    note_trouble();
  }
  /// Keeps the first trouble.
  void note_trouble() {
    if (trouble_.point < 0) trouble_ = trouble_of(dt_);
  }
  /// Of a step from the state that is on the grid.
  Trouble trouble_of(double dt) const {
    auto found = equations_->look();
    const auto note = [&](std::size_t point, const char* what, int level, double value) {
      if (found.point < 0 && value > 1) found = {static_cast<std::int64_t>(point), 0, what, level, value};
    };
    const bool waves = !scheme_->waves_are_implicit();
    for (int level = 0; found.point < 0 && level < n_levels(); ++level)
      for (std::size_t i = 0; i < basis_.n_points(); ++i) {
        const auto rates = equations_->rates(i, level, waves);
        note(i, "courant_number", level, dt * rates.along / scheme_->limit());
        note(i, "vertical_courant_number", level, dt * rates.vertical / scheme_->limit());
      }
    found.step = n_steps_;
    return found;
  }

  Basis basis_;
  const EquationSet& set_;
  std::unique_ptr<Equations> equations_;
  std::unique_ptr<TimeScheme> scheme_;
  Trouble trouble_;
  bool on_grid_ = false;  ///< the equations have the present state on their grid
  double dt_ = 0;         ///< of the last step
  std::int64_t n_steps_ = 0;
  double compute_s_ = 0;
  transform::Times past_;   ///< of exchanges that others have replaced
  transform::Times aside_;  ///< of what does not count
};

}  // namespace halcyon::spectral
