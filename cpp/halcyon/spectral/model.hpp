#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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
  void require_allowed() const;
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
        const AirOptions& air);

  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// From now on ranks exchange so: no bit depends on it.
  /// @throws ConfigError as `Transform::communicate`
  void communicate(transform::Communication how);
  const transform::SharedTransform& transform() const { return basis_.transform(); }
  /// Does the transforms of a tendency on the present state, which stays as it is, and tells what they took:
  /// to the grid, and back.
  std::pair<transform::Times, transform::Times> rehearse();

  void set(const GivenState& given);
  /// The states that `prognostic` gives were set to those of a run after some steps.
  void go_on();
  /// The first trouble of a step of dt [s] from the present state; it is not noted.
  Trouble look_ahead(double dt);
  /// One step [s]; a state that is not fit for it is noted before.
  void step(double dt);

  int n_levels() const { return equations_->n_levels(); }
  const Basis& basis() const { return basis_; }
  const Equations& equations() const { return *equations_; }
  const EquationSet& equation_set() const { return set_; }
  /// The rows of the table of variables that a restart of this scheme needs.
  std::vector<fields::Variable> held() const;
  /// Coefficients by the name of such a row. @throws InternalError for another name
  std::span<Complex> prognostic(const std::string& name);
  /// Products of the present state, (level, point) or (point).
  std::vector<std::vector<double>> products(const std::vector<std::string>& names);
  std::vector<double> integrals();

  /// The longest stable step [s] of the present state at this rank's points, as if its winds were at least so
  /// fast [m s-1] somewhere.
  double longest_step(double least_speed = 0);
  /// The first trouble in any state that was gone on from, or of which products or integrals were asked.
  const Trouble& trouble() const { return trouble_; }
  double compute_s() const { return compute_s_ - transforms().exchange_s; }
  /// Of steps and of bringing states to the grid; not of starts, products and rehearsals.
  transform::Times transforms() const { return so_far() - aside_; }
  std::size_t memory_bytes() const;

 private:
  transform::Times so_far() const;
  template <class Work>
  transform::Times aside(const Work& work);
  void diagnose();
  void note_trouble();
  Trouble trouble_of(double dt) const;

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
