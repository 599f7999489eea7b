#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <vector>

#include "halcyon/atmosphere/air/fields.hpp"
#include "halcyon/atmosphere/air/hybrid.hpp"
#include "halcyon/base/lanes.hpp"
#include "halcyon/base/runs.hpp"

namespace halcyon::atmosphere {

// The columns of a few items at once, one in each lane of a register: for what goes up or down a column.

/// The items whose columns are computed together. Where fewer are left the last comes more than once: it is
/// computed alike in all its lanes.
template <class Real>
using Items = std::array<LocalIndex, kLanes<Real>>;

/// Calls kernel(items) for all items of some runs.
template <class Real, class Kernel>
void for_batches(std::span<const Run> runs, const Kernel& kernel) {
  Items<Real> items;
  int n = 0;
  for (const auto [begin, end] : runs) {
    for (LocalIndex item = begin; item < end; ++item) {
      items[n++] = item;
      if (n == kLanes<Real>) kernel(items), n = 0;
    }
  }
  if (n == 0) return;
  std::fill(items.begin() + n, items.end(), items[n - 1]);
  kernel(items);
}

/// A field (item, level) at the same level of some items; of an empty field, which is never read, nothing.
template <class Real>
class LaneField {
 public:
  LaneField(std::span<Real> field, const Items<Real>& items, int n_levels) {
    if (field.empty()) return;
    for (std::size_t lane = 0; lane < items.size(); ++lane)
      columns_[lane] = field.data() + static_cast<std::size_t>(items[lane]) * n_levels;
  }

  Lanes<Real> operator[](int k) const {
    Lanes<Real> row;
    for (std::size_t lane = 0; lane < columns_.size(); ++lane) row[lane] = columns_[lane][k];
    return row;
  }
  void put(int k, Lanes<Real> row) const {
    for (std::size_t lane = 0; lane < columns_.size(); ++lane) columns_[lane][k] = row[lane];
  }

 private:
  std::array<Real*, kLanes<Real>> columns_{};
};

/// What sets of equations of the air do differently: the sweep of columns (continuity, heat, pressure and
/// geopotential), the forces on edges, and numbers of a column for files and integrals. A set derives from it
/// (hydrostatic.cpp, nonhydrostatic.cpp), in `kHasInterfaces` whether its state has a vertical wind and a
/// geopotential at interfaces. Equations as in docs/atmosphere.md.
template <class Real>
class AirColumns {
 public:
  using Stage = AirStage<Real>;
  using Fields = AirFields<Real>;

  AirColumns(const AirOptions& options, double gravity, const Scheme& scheme);
  virtual ~AirColumns() = default;

  /// What momentum needs, of any cells whose edges have their fluxes.
  void diagnose(std::span<const Run> cells, const Stage& stage, Fields& fields);
  /// The same, and the next surface pressure, potential temperature and what is held at interfaces.
  void advance(std::span<const Run> cells, const Stage& stage, Fields& fields);
  /// The next wind.
  virtual void momentum(std::span<const Run> edges, const Stage& stage, const Fields& fields) const = 0;

  /// A layer of a cell: pressure [Pa], its Exner function, the geopotential of its upper interface [m2 s-2].
  struct Layer {
    double pressure, exner, up;
  };
  /// @param down the geopotential of its lower interface [m2 s-2]
  virtual Layer layer_of(const AirNumbers<Real>& now, LocalIndex cell, int k, double down) const = 0;
  /// The energy of a unit of mass in a layer [m2 s-2], but for the kinetic energy of the horizontal wind.
  /// @param temperature theta Pi [K]  @param height the geopotential of the layer [m2 s-2]
  virtual double energy(const AirNumbers<Real>& now, LocalIndex cell, int k, double temperature,
                        double height) const = 0;
  /// What else the energy of a column has [Pa m2 s-2], of the geopotential of ground and top.
  virtual double boundary_energy(double ps, double ground, double top_height) const = 0;

 protected:
  using Row = Lanes<Real>;
  using Column = std::vector<Row>;
  using Cells = Items<Real>;

  // Rows of scratch: what the edges of a cell give, level by level.
  enum Gathered {
    kDivergence,
    kKinetic,
    kHeat,
    kBetween,
    kUpperWind,
    kLowerWind,
    kUpperHeight,
    kLowerHeight,
    kGathered
  };

  /// The geopotential, Bernoulli's function, and what else follows from it.
  virtual void find_geopotential(const Cells& cells, const Stage& stage, Fields& fields) = 0;
  /// Between layers k - 1 and k the heat that takes the energy which air that passes there gives (after
  /// Simmons and Burridge 1981), hydrostatic dp/dpi = 1:
  ///   c_p theta_k-1/2 (Pi_k - Pi_k-1) = (dp/dpi_k-1 dphi_k-1 + dp/dpi_k dphi_k)/2
  virtual void balance_heat(const Cells& cells, Fields& fields) = 0;
  /// The next values of what is held at interfaces.
  virtual void advance_interfaces(const Cells&, const Stage&, Fields&) {}

  /// Upwards from the ground, with upper(k, low, theta') the geopotential phi' above layer k. As
  /// perturbations: phi' = phi - phi_r(p), theta' = theta less what would make phi' = 0.
  template <class Up>
  void balance(const Cells& cells, const Stage& stage, Fields& fields, const Up& upper);
  /// @param work dp/dpi dphi of a layer  @param exner Pi of a layer
  template <class Work, class Exner>
  void balance_heat_by(const Work& work, const Exner& exner);

  Row mass(int k, Row ps) const { return hybrid_.mass_a[k] + hybrid_.mass_b[k] * ps; }
  Row interface(int k, Row ps) const { return hybrid_.a[k] + hybrid_.b[k] * ps; }
  Row layer(int k, Row ps) const { return Real(0.5) * (interface(k, ps) + interface(k + 1, ps)); }
  std::span<Real> row(Gathered which, int lane);
  LaneField<Real> columns(Gathered which);
  void make_columns(std::initializer_list<Column*> columns) {
    for (auto* column : columns) column->assign(n_levels_ + 1, Row{});
  }
  /// The numbers that cells of a tile have in the rank's fields.
  static Cells of_rank(Cells cells, const Stage& stage) {
    for (auto& cell : cells) cell = stage.tile.cells[cell];
    return cells;
  }

  AirOptions options_;
  HybridRows<Real> hybrid_;
  int n_levels_;
  Real gravity_;
  // Of the batch under way: by level or interface.
  Row outflow_, ps_new_;
  Column down_, theta_, theta_new_, exner_, reference_, thickness_, heating_;

 private:
  void diagnose(const Cells& cells, const Stage& stage, Fields& fields);
  void gather(const Cells& cells, const Stage& stage, Fields& fields);
  void gather_heat(const Cells& cells, const Stage& stage, Fields& fields);
  void descend(const Cells& cells, const Stage& stage, Fields& fields);
  void hydrostatic(const Cells& cells, const Stage& stage);
  void heat(const Cells& cells, const Stage& stage);
  Row heating(int k, Row sine2, Row ps, Row pressure, Row exner) const;
  Row reference_height(Row pressure) const;

  int order_;
  std::vector<Real> gathered_;  ///< (which, lane, interface)
};

template <class Real>
template <class Up>
void AirColumns<Real>::balance(const Cells& cells, const Stage& stage, Fields& fields, const Up& upper) {
  const LaneField<Real> now_theta(stage.now.theta, cells, n_levels_),
      bernoulli(fields.bernoulli, cells, n_levels_), exner(fields.exner, cells, n_levels_),
      warmth(fields.warmth, cells, n_levels_);
  const auto kinetic = columns(kKinetic);
  const Row ps = LaneField<Real>(stage.now.ps, cells, 1)[0],
            ground = LaneField<Real>(fields.ground, cells, 1)[0];
  Row low = ground - reference_[n_levels_];
  for (int k = n_levels_ - 1; k >= 0; --k) {
    const Row pressure = layer(k, ps), theta = now_theta[k];
    const Row warm = theta - (reference_[k] - reference_[k + 1]) / thickness_[k];
    const Row up = upper(k, low, warm);
    theta_[k] = theta;
    exner.put(k, exner_[k]);
    warmth.put(k, warm);
    bernoulli.put(k, kinetic[k] + Real(0.5) * (up + low));
    if (options_.held_suarez)
      heating_[k] = heating(k, LaneField<Real>(fields.sine2, cells, 1)[0], ps, pressure, exner_[k]);
    low = up;
  }
}

template <class Real>
template <class Work, class Exner>
void AirColumns<Real>::balance_heat_by(const Work& work, const Exner& exner) {
  const auto heat_capacity = static_cast<Real>(options_.air.heat_capacity);
  const auto between = columns(kBetween);
  for (int k = 1; k < n_levels_; ++k)
    between.put(k, Real(0.5) * (work(k - 1) + work(k)) / (heat_capacity * (exner(k) - exner(k - 1))));
}

}  // namespace halcyon::atmosphere
