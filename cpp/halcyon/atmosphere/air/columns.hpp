#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <vector>

#include "halcyon/atmosphere/air/fields.hpp"
#include "halcyon/atmosphere/air/hybrid.hpp"
#include "halcyon/atmosphere/air/reference.hpp"
#include "halcyon/base/index_ranges.hpp"
#include "halcyon/base/lanes.hpp"

namespace halcyon::atmosphere {

// Vertical recurrences are vectorized across columns: each SIMD lane holds the column of one cell.

/// A batch: the items whose columns are computed together. An incomplete batch repeats its last item.
template <class Real>
using LaneItems = std::array<LocalIndex, kLanes<Real>>;

/// Calls kernel(items) for each batch of the items of index ranges.
template <class Real, class Kernel>
void for_batches(std::span<const IndexRange> ranges, const Kernel& kernel) {
  LaneItems<Real> items;
  int n = 0;
  for (const auto [begin, end] : ranges) {
    for (LocalIndex item = begin; item < end; ++item) {
      items[n++] = item;
      if (n == kLanes<Real>) kernel(items), n = 0;
    }
  }
  if (n == 0) return;
  std::fill(items.begin() + n, items.end(), items[n - 1]);
  kernel(items);
}

/// Access to one level of a field (item, level) at all items of a batch. An empty field must not be accessed.
template <class Real>
class LaneField {
 public:
  LaneField(std::span<Real> field, const LaneItems<Real>& items, int n_levels) {
    if (field.empty()) return;
    for (std::size_t lane = 0; lane < items.size(); ++lane)
      columns_[lane] = field.data() + static_cast<std::size_t>(items[lane]) * n_levels;
  }

  Lanes<Real> operator[](int k) const {
    Lanes<Real> values;
    for (std::size_t lane = 0; lane < columns_.size(); ++lane) values[lane] = columns_[lane][k];
    return values;
  }
  void put(int k, Lanes<Real> values) const {
    for (std::size_t lane = 0; lane < columns_.size(); ++lane) columns_[lane][k] = values[lane];
  }

 private:
  std::array<Real*, kLanes<Real>> columns_{};
};

/// Base class of the equation sets of the air (hydrostatic.cpp, nonhydrostatic.cpp): computes columns
/// (continuity, potential temperature, pressure, geopotential), the wind tendency on edges, and column values
/// for output and integrals. A derived class defines `kHasInterfaces`: true if w and phi at interfaces are
/// prognostic. For the equations see docs/atmosphere.md.
template <class Real>
class AirColumns {
 public:
  using Stage = AirStage<Real>;
  using Fields = TileFields<Real>;

  AirColumns(const AirOptions& options, double gravity, const Scheme& scheme);
  virtual ~AirColumns() = default;

  /// Computes the inputs of the momentum equation in cells; the mass fluxes on their edges must be computed.
  void diagnose(std::span<const IndexRange> cells, const Stage& stage, Fields& fields);
  /// Calls `diagnose`, then advances surface pressure, potential temperature and the fields at interfaces.
  void advance(std::span<const IndexRange> cells, const Stage& stage, Fields& fields);
  virtual void momentum(std::span<const IndexRange> edges, const Stage& stage,
                        const Fields& fields) const = 0;
  void set_reference(const std::vector<double>& a);

  /// A layer of a cell: pressure [Pa], Exner function, geopotential of the upper interface [m2 s-2].
  struct Layer {
    double pressure, exner, upper_phi;
  };
  /// What a layer depends on: hydrostatic pressure and weight [Pa], theta_rho [K], geopotential of the lower
  /// interface [m2 s-2].
  struct LayerInput {
    double hydrostatic_pressure, weight, theta, lower_phi;
  };
  /// Computes layer k of a cell.
  virtual Layer layer_of(const AirStateView<Real>& now, LocalIndex cell, int k,
                         const LayerInput& input) const = 0;
  /// Energy of a unit of mass in a layer [m2 s-2] without the kinetic energy of the horizontal wind.
  /// @param temperature theta_rho Pi [K]  @param phi geopotential of the layer [m2 s-2]
  virtual double energy(const AirStateView<Real>& now, LocalIndex cell, int k, double temperature,
                        double phi) const = 0;
  /// Energy of a column at its boundaries [Pa m2 s-2], from the geopotential of surface and top.
  virtual double boundary_energy(double ps, double surface_geopotential, double top_geopotential) const = 0;

 protected:
  using LevelOfBatch = Lanes<Real>;  ///< one level of the columns of a batch
  using Column = std::vector<LevelOfBatch>;
  using Batch = LaneItems<Real>;

  // Work arrays of a column: sums over the edges of a cell (level), and theta at interfaces. kUpperW to
  // kLowerPhi: advection of w and phi at the upper and lower interface of a level.
  enum EdgeSum {
    kDivergence,
    kKineticEnergy,
    kThetaDivergence,
    kInterfaceTheta,
    kUpperW,
    kLowerW,
    kUpperPhi,
    kLowerPhi,
    kEdgeSums
  };

  /// Computes the geopotential, the Bernoulli function and the fields that depend on them.
  virtual void compute_geopotential(const Batch& cells, const Stage& stage, Fields& fields) = 0;
  /// Computes the theta between layers k - 1 and k with which vertical transport conserves energy:
  ///   c_p theta_k-1/2 (Pi_k - Pi_k-1) = (dp/dpi_k-1 dphi_k-1 + dp/dpi_k dphi_k)/2,  hydrostatic: dp/dpi = 1
  virtual void compute_conservative_theta(const Batch& cells, Fields& fields) = 0;
  virtual void advance_interfaces(const Batch&, const Stage&, Fields&) {}

  /// Computes K + phi' and theta' from the surface upwards: phi' = phi - phi_r(p); theta' = theta minus the
  /// theta for which phi' is constant. @param upper_phi upper_phi(k, lower, theta') returns phi' at the upper
  /// interface of layer k, given phi' at the lower interface
  template <class UpperPhi>
  void compute_bernoulli(const Batch& cells, Fields& fields, const UpperPhi& upper_phi);
  /// Sets theta at interfaces by the formula of `compute_conservative_theta`.
  /// @param work work(k) returns dp/dpi dphi of layer k  @param exner exner(k) returns Pi of layer k
  template <class Work, class Exner>
  void set_conservative_theta(const Work& work, const Exner& exner);

  /// Mass of the dry air in layer k [Pa].
  LevelOfBatch mass(int k, LevelOfBatch ps) const { return hybrid_.mass(k, ps); }
  /// Weights of the columns of a batch [Pa]: hydrostatic pressure at interfaces and in layers, and the weight
  /// dp of layers, with the water in them.
  struct Weights {
    Column interface_pressure, layer_pressure, layer;
  };
  /// See for_weights; p_k = (p_{k-1/2} + p_{k+1/2}) / 2.
  void compute_weights(const Batch& cells, LevelOfBatch ps, Fields& fields, Weights& weights) const;
  // A work array: in one lane, and in all lanes of the batch.
  std::span<Real> column_of(EdgeSum sum, int lane);
  LaneField<Real> columns(EdgeSum sum);
  void allocate_columns(std::initializer_list<Column*> columns) {
    for (auto* column : columns) column->assign(n_levels_ + 1, LevelOfBatch{});
  }
  /// Converts tile indices of cells to rank indices.
  static Batch to_rank_cells(Batch cells, const Stage& stage) {
    for (auto& cell : cells) cell = stage.tile.cells[cell];
    return cells;
  }

  AirOptions options_;
  HybridCoefficients<Real> hybrid_;
  int n_levels_;
  Real gravity_;
  LevelOfBatch column_outflow_, ps_new_;  ///< sum of D over the column; ps at the end of the stage
  Weights weights_;                       ///< at the start of the stage
  // Columns of the current batch (level or interface); depth_per_theta_ is R Pi dp / p.
  Column vertical_flux_, theta_, theta_new_, exner_, reference_geopotential_, depth_per_theta_;

 private:
  void diagnose(const Batch& cells, const Stage& stage, Fields& fields);
  void compute_edge_sums(const Batch& cells, const Stage& stage, Fields& fields);
  void compute_theta_fluxes(const Batch& cells, const Stage& stage, Fields& fields);
  void compute_vertical_flux(const Batch& cells, const Stage& stage, Fields& fields);
  void compute_layer_pressure(const Batch& cells, const Stage& stage, Fields& fields);
  void advance_theta(const Batch& cells, const Stage& stage, Fields& fields);
  LevelOfBatch reference_geopotential_at(LevelOfBatch pressure) const;

  int order_;
  std::array<Real, ReferenceFit::kTerms> reference_terms_{};  ///< -R a_j / (j + 1); 0: no reference
  std::vector<Real> edge_sums_;                               ///< (EdgeSum, lane, interface)
};

template <class Real>
template <class UpperPhi>
void AirColumns<Real>::compute_bernoulli(const Batch& cells, Fields& fields, const UpperPhi& upper_phi) {
  const LaneField<Real> now_theta(fields.theta_rho, cells, n_levels_),
      bernoulli(fields.bernoulli, cells, n_levels_), exner(fields.exner, cells, n_levels_),
      theta_perturbation(fields.theta_perturbation, cells, n_levels_);
  const auto kinetic = columns(kKineticEnergy);
  const LevelOfBatch phi_s = LaneField<Real>(fields.surface_geopotential, cells, 1)[0];
  LevelOfBatch lower = phi_s - reference_geopotential_[n_levels_];
  for (int k = n_levels_ - 1; k >= 0; --k) {
    const LevelOfBatch theta = now_theta[k];
    const LevelOfBatch theta_prime =
        theta - (reference_geopotential_[k] - reference_geopotential_[k + 1]) / depth_per_theta_[k];
    const LevelOfBatch upper = upper_phi(k, lower, theta_prime);
    theta_[k] = theta;
    exner.put(k, exner_[k]);
    theta_perturbation.put(k, theta_prime);
    bernoulli.put(k, kinetic[k] + Real(0.5) * (upper + lower));
    lower = upper;
  }
}

template <class Real>
template <class Work, class Exner>
void AirColumns<Real>::set_conservative_theta(const Work& work, const Exner& exner) {
  const auto heat_capacity = static_cast<Real>(options_.air.heat_capacity);
  const auto interface_theta = columns(kInterfaceTheta);
  for (int k = 1; k < n_levels_; ++k)
    interface_theta.put(k, Real(0.5) * (work(k - 1) + work(k)) / (heat_capacity * (exner(k) - exner(k - 1))));
}

}  // namespace halcyon::atmosphere
