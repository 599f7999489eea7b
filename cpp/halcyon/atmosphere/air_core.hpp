#pragma once

#include <optional>
#include <vector>

#include "halcyon/atmosphere/air_columns.hpp"
#include "halcyon/atmosphere/air_product.hpp"
#include "halcyon/atmosphere/air_start.hpp"
#include "halcyon/atmosphere/kernels/air_momentum.hpp"
#include "halcyon/atmosphere/kernels/carried_heat.hpp"
#include "halcyon/atmosphere/tracers.hpp"
#include "halcyon/atmosphere/variables.hpp"
#include "halcyon/halo/halo.hpp"

namespace halcyon::atmosphere {

/// Dry air in layers of mass, hydrostatic or not (docs/atmosphere.md; Zhang et al. 2019, J. Adv. Model. Earth
/// Syst. 11; Laprise 1992, Mon. Weather Rev. 120): surface pressure, wind and potential temperature, and of
/// the nonhydrostatic set the vertical wind and the geopotential at interfaces.
template <class Real>
class AirCore final : public Core {
 public:
  /// Collective.
  AirCore(const comm::Communicator& comm, const decomposition::LocalMesh& local, const CoreOptions& options,
          const AirOptions& air);

  void set(const std::string& start, const StartOptions& options) override;
  void set(const GivenState& given) override;
  void step(double dt) override;
  int n_levels() const override { return n_levels_; }
  std::vector<fields::Variable> variables() const override;
  std::vector<fields::Variable> integral_variables() const override;
  Numbers prognostic(const std::string& name) override;
  std::vector<std::vector<double>> products(const std::vector<std::string>& wanted) override;
  std::vector<double> integrals() override;
  double longest_step() override;
  const Trouble& trouble() const override { return trouble_; }

  const decomposition::Decomposition& decomposition() const override { return part_.decomposition; }
  const PartTimes& times() const override { return times_; }
  const std::string& exchange() const override { return halo_.description(); }
  std::int64_t halo_bytes() const override { return halo_.received_bytes(); }
  std::int64_t memory_bytes() const override;
  std::vector<double> ground() const override;

 private:
  using Stage = AirStage<Real>;
  /// A column of a cell as numbers of 64 bits, for files and integrals: by level, or interface.
  struct Profile {
    std::vector<double> pressure, exner, temperature, height;  ///< [Pa], [1], [K], [m2 s-2] of levels
    std::vector<double> interface_height;                      ///< [m2 s-2]
    std::vector<double> pressure_velocity;                     ///< [Pa s-1] of levels, where it is asked for
  };

  /// The mean temperature [K] of a layer of a cell, between two pressures [Pa].
  using LayerMean = std::function<double(int level, double up, double down)>;

  /// What a layer of a cell has.
  using LayerValue = std::function<double(LocalIndex cell, int level)>;

  void forget();
  void set_ground(const std::function<double(LocalIndex)>& geopotential);
  void set_column(LocalIndex cell, double surface_pressure, const LayerMean& temperature);
  void set_friction();
  void set_tracers(const std::function<LayerValue(int)>& values);
  void advance(const AirState<Real>& now, const AirState<Real>& next, double dt);
  void for_patches(const AirState<Real>& now, const std::function<void(Patch<Real>&, bool)>& compute);
  void gather(const Patch<Real>& patch, const AirState<Real>& now, bool is_early);
  void sweep(Patch<Real>& patch, const Stage& stage, bool is_early);
  void keep(const Patch<Real>& patch, bool is_early);
  void look(const Patch<Real>& patch);
  void look_at_tracers();
  void name_unsound(LocalIndex cell);
  void note(LocalIndex cell, const std::string& variable, int level, double value);
  double passing(std::span<const Real> vertical_flux, LocalIndex at, int level, double ps) const;
  double speed_of_sound(double temperature) const;
  void diagnose();
  int tracer(const std::string& name) const;
  int n_tracers() const { return static_cast<int>(air_.tracers.size()); }
  Profile profile(LocalIndex cell) const;
  double product(AirQuantity wanted, LocalIndex cell, int level, const Profile& profile) const;
  std::vector<double> pressure_velocity(LocalIndex cell) const;
  bool needs_pressure_velocity(AirQuantity wanted) const;

  std::size_t at(LocalIndex item, int level) const {
    return static_cast<std::size_t>(item) * n_levels_ + level;
  }
  std::size_t at_interface(LocalIndex item, int k) const {
    return static_cast<std::size_t>(item) * (n_levels_ + 1) + k;
  }
  LayerMass<Real> mass(const AirNumbers<Real>& state) const { return {hybrid_, state.ps}; }

  AirOptions air_;
  int n_levels_;
  GlobePart<Real> part_;
  HybridRows<Real> hybrid_;
  SlopeOfLevels<Real> slope_;
  AirColumns<Real> columns_;
  halo::Halo halo_;
  AirState<Real> now_, first_, second_;
  AirKept<Real> kept_;
  std::vector<Patch<Real>> patches_;
  AirFields<Real> fields_;                    ///< of the patch under way
  std::optional<Curvature<Real>> curvature_;  ///< of tracers
  std::optional<Tracers<Real>> tracers_;      ///< where there are any
  double dt_ = 0;                             ///< of the last step
  std::int64_t n_steps_ = 0;                  ///< taken
  Vector3 axis_{0, 0, 1};
  Trouble trouble_;
  Friction<Real> friction_;
  std::vector<Real> coriolis_;  ///< (vertex)
  PartTimes times_;
};

}  // namespace halcyon::atmosphere
