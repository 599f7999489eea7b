#pragma once

#include <algorithm>
#include <vector>

#include "halcyon/atmosphere/air/fields.hpp"
#include "halcyon/atmosphere/air/hybrid.hpp"
#include "halcyon/atmosphere/kernels/transport.hpp"
#include "halcyon/atmosphere/tracers.hpp"

namespace halcyon::atmosphere {

/// Constant viscosity nu_x of theta, w and tracers x, in the horizontal and the vertical, and of the wind in
/// the vertical, as the supercell test of DCMIP2016 needs it (Zarzycki et al. 2019, Geosci. Model Dev. 12).
/// It acts on deviations x' = x - x_0 from the initial state, so that it keeps the profiles of the
/// environment:
///   m dx/dt = nu_x (sum_e n_ei l_e/A_i m_e grad(x')_e + [r dx'/dk]),  r = m_k+1/2 / dz_k+1/2^2
/// with dz_k+1/2 the distance between the middles of two layers, and no flux through top and surface; m of
/// dry air. w at interfaces has the mean mass of the adjacent layers, and keeps its value at the surface.
/// Vertical fluxes are implicit (backward), so that they do not limit the step. The wind along levels:
/// `Dissipation`.
template <class Real>
class Viscosity {
 public:
  /// Collective.
  Viscosity(const decomposition::LocalMesh& local, const RankDomain<Real>& domain,
            const HybridCoefficients<Real>& hybrid, int n_levels, int n_tracers)
      : domain_(domain),
        hybrid_(hybrid),
        n_(n_levels),
        nu_wind_(static_cast<Real>(domain.options.scheme.viscosity)),
        nu_scalars_(static_cast<Real>(domain.options.scheme.scalar_viscosity)),
        halo_(domain.comm, local.part,
              std::vector<schedule::HaloField>(
                  1 + n_tracers, {.entity = kCells,
                                  .item_bytes = n_levels * static_cast<std::int64_t>(sizeof(Real)),
                                  .layers = 1}),
              domain.options.method, comm::BufferPlacement::node_memory),
        initial_(halo_) {
    make_zeros(domain.field_size(kEdges, n_), initial_wind_);
    make_zeros(domain.field_size(kCells, n_ + 1), rates_);
    make_zeros(static_cast<std::size_t>(domain.n_cells) * n_, theta_inflow_);
    make_zeros(static_cast<std::size_t>(domain.n_cells) * (n_ + 1), w_inflow_);
    for (auto* column : {&x_, &mass_, &rate_, &upper_, &change_}) column->resize(n_ + 1);
  }

  /// Sets the initial state x_0 to the present state of the owned items.
  void set_initial(const AirStateView<Real>& now, const Tracers<Real>* tracers) {
    const auto copy = [](In<Real> from, std::size_t n, Out<Real> to) {
      std::copy_n(from.begin(), n, to.begin());
    };
    const auto n_values = static_cast<std::size_t>(domain_.n_cells) * n_;
    copy(now.u, static_cast<std::size_t>(domain_.n_edges) * n_, initial_wind_);
    copy(now.theta, n_values, initial_[0]);
    for (int t = 0; tracers && t < tracers->size(); ++t) copy(tracers->values(t), n_values, initial_[1 + t]);
    has_halo_ = false;
  }

  /// Collective. Computes the horizontal fluxes in a step dt [s].
  /// @param now the state at its start, with halo values
  void compute(Real dt, const AirStateView<Real>& now) {
    if (!has_halo_) halo_.start(initial_.fields()).wait();
    has_halo_ = true;
    compute_rates(now);
    for (LocalIndex i = 0; i < domain_.n_cells; ++i) {
      sum_scalar_fluxes(i, dt, now.ps, now.theta, initial_[0], theta_inflow_);
      sum_w_fluxes(i, dt, now);
    }
  }
  /// Adds the changes to the state at the end of the step: before it, a vertical diffusion of w that the
  /// sound waves do not see would excite them.
  /// @param ps surface pressure at the start of the step [Pa] (cell)
  void add(Real dt, const AirStateView<Real>& next, std::span<const Real> ps) {
    for (LocalIndex i = 0; i < domain_.n_cells; ++i) {
      mix_scalar(i, dt, next.ps, initial_[0], theta_inflow_, next.theta);
      mix_w(i, dt, next);
    }
    for (LocalIndex e = 0; e < domain_.n_edges; ++e) mix_wind(e, dt, LayerMass<Real>(hybrid_, ps), next.u);
  }
  /// Collective. Diffuses the tracers during a step dt [s], after `compute` and `add`.
  /// @param ps surface pressure at the start of the step [Pa] (cell)
  void diffuse(Tracers<Real>& tracers, Real dt, std::span<const Real> ps) {
    tracers.exchange();
    for (int t = 0; t < tracers.size(); ++t) {
      const auto q = tracers.values(t), initial = initial_[1 + t];
      for (LocalIndex i = 0; i < domain_.n_cells; ++i)
        sum_scalar_fluxes(i, dt, ps, q, initial, theta_inflow_);
      for (LocalIndex i = 0; i < domain_.n_cells; ++i) mix_scalar(i, dt, ps, initial, theta_inflow_, q);
    }
  }
  std::int64_t memory_bytes() const {
    auto n = initial_wind_.size() + rates_.size() + theta_inflow_.size() + w_inflow_.size();
    for (std::size_t f = 0; f < initial_.fields().size(); ++f) n += initial_[f].size();
    return static_cast<std::int64_t>(n * sizeof(Real));
  }

 private:
  /// r at interfaces of owned cells and of the first halo layer; 0 at top and surface.
  void compute_rates(const AirStateView<Real>& now) {
    const auto gravity = static_cast<Real>(domain_.options.planet.gravity);
    for (LocalIndex i = 0; i < domain_.mesh.n_cells(); ++i) {
      const auto phi = column(In<Real>(now.phi), i, n_ + 1);
      const auto rates = column(Out<Real>(rates_), i, n_ + 1);
      for (int k = 1; k < n_; ++k) {
        const Real dz = (phi[k - 1] - phi[k + 1]) / (2 * gravity);
        rates[k] = interface_mass(k, now.ps[i]) / (dz * dz);
      }
    }
  }
  Real layer_mass(int k, Real ps) const { return hybrid_.mass_a[k] + hybrid_.mass_b[k] * ps; }
  Real interface_mass(int k, Real ps) const {
    return Real(0.5) * ((k > 0 ? layer_mass(k - 1, ps) : 0) + (k < n_ ? layer_mass(k, ps) : 0));
  }

  /// dt nu sum_e n_ei l_e/A_i m_e grad(x')_e -> result (cell, level)
  void sum_scalar_fluxes(LocalIndex i, Real dt, In<Real> ps, In<Real> x, In<Real> initial, Out<Real> result) {
    const auto& mesh = domain_.mesh;
    const LayerMass<Real> mass(hybrid_, ps);
    for_rows<Real>(n_, [&](const auto& rows) {
      const auto masses = mass(rows);
      auto inflow = rows(x)[i] * Real(0);
      for_neighbours(mesh, i, [&](LocalIndex, LocalIndex e, Real outward) {
        const auto slope = gradient(mesh, rows(x), e) - gradient(mesh, rows(initial), e);
        inflow += outward * at_edge(mesh, masses, e) * slope;
      });
      rows.put(result, i, dt * nu_scalars_ * inflow);
    });
  }
  void sum_w_fluxes(LocalIndex i, Real dt, const AirStateView<Real>& now) {
    const auto& mesh = domain_.mesh;
    const auto inflow = column(Out<Real>(w_inflow_), i, n_ + 1);
    std::ranges::fill(inflow, Real{0});
    for_neighbours(mesh, i, [&](LocalIndex, LocalIndex e, Real outward) {
      const auto [cell_1, cell_2] = mesh.cells_on_edge[e];
      const Real scale = dt * nu_wind_ * outward * mesh.inverse_distance[e],
                 ps = Real(0.5) * (now.ps[cell_1] + now.ps[cell_2]);
      const auto w_1 = column(In<Real>(now.w), cell_1, n_ + 1), w_2 = column(In<Real>(now.w), cell_2, n_ + 1);
      for (int k = 0; k < n_; ++k) inflow[k] += scale * interface_mass(k, ps) * (w_2[k] - w_1[k]);
    });
  }
  void mix_scalar(LocalIndex i, Real dt, In<Real> ps, In<Real> initial, In<Real> inflow, Out<Real> values) {
    const auto x = column(values, i, n_);
    const auto x_0 = column(initial, i, n_), s = column(inflow, i, n_);
    for (int k = 0; k < n_; ++k) {
      x_[k] = x[k] - x_0[k];
      mass_[k] = layer_mass(k, ps[i]);
      change_[k] = s[k] / mass_[k];
    }
    for (int k = 0; k <= n_; ++k)
      rate_[k] = dt * nu_scalars_ * rates_[static_cast<std::size_t>(i) * (n_ + 1) + k];
    solve(Real{0});
    for (int k = 0; k < n_; ++k) x[k] += change_[k];
  }
  void mix_w(LocalIndex i, Real dt, const AirStateView<Real>& next) {
    const auto gravity = static_cast<Real>(domain_.options.planet.gravity);
    const auto w = column(next.w, i, n_ + 1);
    const auto phi = column(In<Real>(next.phi), i, n_ + 1), s = column(In<Real>(w_inflow_), i, n_ + 1);
    rate_[0] = 0;
    for (int k = 0; k < n_; ++k) {
      const Real dz = (phi[k] - phi[k + 1]) / gravity;
      rate_[k + 1] = dt * nu_wind_ * layer_mass(k, next.ps[i]) / (dz * dz);
      x_[k] = w[k];
      mass_[k] = interface_mass(k, next.ps[i]);
      change_[k] = s[k] / mass_[k];
    }
    solve(w[n_]);
    for (int k = 0; k < n_; ++k) w[k] += change_[k];
  }
  void mix_wind(LocalIndex e, Real dt, const LayerMass<Real>& mass, Out<Real> values) {
    const auto [cell_1, cell_2] = domain_.mesh.cells_on_edge[e];
    for_rows<Real>(n_, [&](const auto& rows) {
      rows.put(mass_, 0, at_edge(domain_.mesh, mass(rows), e));
      rows.put(x_, 0, rows(In<Real>(values))[e] - rows(In<Real>(initial_wind_))[e]);
    });
    const auto rates_1 = column(In<Real>(rates_), cell_1, n_ + 1),
               rates_2 = column(In<Real>(rates_), cell_2, n_ + 1);
    for (int k = 0; k <= n_; ++k) rate_[k] = dt * nu_wind_ * Real(0.5) * (rates_1[k] + rates_2[k]);
    std::ranges::fill(change_, Real{0});
    solve(Real{0});
    const auto u = column(values, e, n_);
    for (int k = 0; k < n_; ++k) u[k] += change_[k];
  }
  /// Solves m_k (y_k - x_k - s_k) = r_{k+1} (y_{k+1} - y_k) - r_k (y_k - y_{k-1}), with x, m and r in x_,
  /// mass_ and rate_, and r_0 = 0; change_ is s, and becomes y - x.
  /// @param below y_n
  void solve(Real below) {
    Real eliminated{}, super_diagonal{};
    for (int k = 0; k < n_; ++k) {
      const Real pivot = mass_[k] + rate_[k] + rate_[k + 1] - rate_[k] * super_diagonal;
      const Real boundary = k + 1 == n_ ? rate_[n_] * below : 0;
      eliminated = (mass_[k] * (x_[k] + change_[k]) + boundary + rate_[k] * eliminated) / pivot;
      upper_[k] = super_diagonal = rate_[k + 1] / pivot;
      change_[k] = eliminated;
    }
    Real y = 0;
    for (int k = n_ - 1; k >= 0; --k) {
      y = k + 1 == n_ ? change_[k] : change_[k] + upper_[k] * y;
      change_[k] = y - x_[k];
    }
  }

  const RankDomain<Real>& domain_;
  const HybridCoefficients<Real>& hybrid_;
  int n_;
  Real nu_wind_, nu_scalars_;                           ///< [m2 s-1]
  halo::Halo halo_;                                     ///< of the initial state
  halo::FieldStorage<Real> initial_;                    ///< theta and tracers (cell, level)
  bool has_halo_ = false;                               ///< the halo of the initial state is known
  LargeArray<Real> initial_wind_;                       ///< (edge, level), only owned edges
  LargeArray<Real> rates_;                              ///< r [Pa m-2] (cell, interface)
  LargeArray<Real> theta_inflow_, w_inflow_;            ///< m x of a step, at owned items
  std::vector<Real> x_, mass_, rate_, upper_, change_;  ///< of a column
};

}  // namespace halcyon::atmosphere
