#include <cmath>

#include "halcyon/atmosphere/air/columns.hpp"
#include "halcyon/atmosphere/air/core.hpp"
#include "halcyon/atmosphere/kernels/air.hpp"

namespace halcyon::atmosphere {
namespace {

/// Columns in hydrostatic balance: surface pressure and potential temperature determine everything else.
template <class Real>
class HydrostaticColumns final : public AirColumns<Real> {
  using Base = AirColumns<Real>;
  using Base::exner_, Base::hybrid_, Base::n_levels_, Base::options_, Base::theta_, Base::depth_per_theta_;
  using typename Base::Batch, typename Base::Fields, typename Base::Layer, typename Base::LayerInput,
      typename Base::LevelOfBatch, typename Base::Stage;

 public:
  static constexpr bool kHasInterfaces = false;
  using Base::Base;

  void momentum(std::span<const IndexRange> edges, const Stage& stage, const Fields& fields) const override {
    air_momentum<false>(edges, n_levels_, static_cast<Real>(options_.air.heat_capacity),
                        LayerMass<Real>(hybrid_, stage.now.ps), stage, fields);
  }

  Layer layer_of(const AirStateView<Real>&, LocalIndex, int, const LayerInput& input) const override {
    const auto& air = options_.air;
    const auto [pressure, weight, theta, lower_phi] = input;
    const double exner = std::pow(pressure / air.reference_pressure, air.kappa());
    return {pressure, exner, lower_phi + air.gas_constant * theta * exner * weight / pressure};
  }
  /// c_p T
  double energy(const AirStateView<Real>&, LocalIndex, int, double temperature, double) const override {
    return options_.air.heat_capacity * temperature;
  }
  /// phi_s ps
  double boundary_energy(double ps, double surface_geopotential, double) const override {
    return ps * surface_geopotential;
  }

 protected:
  /// phi_{k-1/2} = phi_{k+1/2} + R theta_k Pi_k m_k / p_k     (Dubos et al. 2015)
  void compute_geopotential(const Batch& cells, const Stage&, Fields& fields) override {
    this->compute_bernoulli(cells, fields,
                            [&](int k, const LevelOfBatch& lower, const LevelOfBatch& theta_prime) {
                              return lower + depth_per_theta_[k] * theta_prime;
                            });
  }
  void compute_conservative_theta(const Batch&, Fields&) override {
    this->set_conservative_theta([&](int k) { return theta_[k] * depth_per_theta_[k]; },
                                 [&](int k) { return exner_[k]; });
  }
};

}  // namespace

EquationSet hydrostatic_set() {
  return air_equation_set<HydrostaticColumns>(
      {.name = "hydrostatic",
       .text = "Hydrostatic primitive equations on mass-based hybrid levels.",
       .references = "Zhang et al. (2019, J. Adv. Model. Earth Syst. 11)",
       .options = {}},
      {.bytes = 1200, .longest_step_s = 10'000, .halo_work = 0.75});
}

}  // namespace halcyon::atmosphere
