#pragma once

#include <vector>

#include "halcyon/atmosphere/air/fields.hpp"
#include "halcyon/atmosphere/air/options.hpp"
#include "halcyon/atmosphere/kernels/vector_invariant.hpp"
#include "halcyon/atmosphere/scheme.hpp"
#include "halcyon/base/batches.hpp"

namespace halcyon::atmosphere {

/// The sweep of columns: continuity, heat, pressure and geopotential; nonhydrostatic the implicit solution of
/// vertical sound waves. Equations as in docs/atmosphere.md.
template <class Real>
class AirColumns {
 public:
  AirColumns(const AirOptions& options, double gravity, const Scheme& scheme);

  /// What momentum needs, of any cells whose edges have their fluxes.
  void diagnose(std::span<const Run> cells, const AirStage<Real>& stage, AirFields<Real>& fields);
  /// The same, and the next surface pressure, potential temperature, vertical wind and geopotential.
  void advance(std::span<const Run> cells, const AirStage<Real>& stage, AirFields<Real>& fields);

 private:
  using Row = Lanes<Real>;
  using Column = std::vector<Row>;
  using Cells = Items<Real>;
  using Stage = AirStage<Real>;
  using Fields = AirFields<Real>;

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

  void diagnose(const Cells& cells, const Stage& stage, Fields& fields);
  void gather(const Cells& cells, const Stage& stage, Fields& fields);
  void gather_heat(const Cells& cells, const Stage& stage, Fields& fields);
  void gather_interfaces(const Cells& cells, const Stage& stage, Fields& fields);
  void balance_heat(const Cells& cells, Fields& fields);
  void descend(const Cells& cells, const Stage& stage, Fields& fields);
  void hydrostatic(const Cells& cells, const Stage& stage);
  void nonhydrostatic(const Cells& cells, const Stage& stage, Fields& fields);
  void balance(const Cells& cells, const Stage& stage, Fields& fields);
  void lift(const Cells& cells, const Stage& stage, Fields& fields);
  void heat(const Cells& cells, const Stage& stage);
  void carry_interfaces(const Cells& cells, const Stage& stage);
  void sound(const Cells& cells, const Stage& stage, Fields& fields);
  Row heating(int k, Row sine2, Row ps, Row pressure, Row exner) const;

  Row mass(int k, Row ps) const { return hybrid_.mass_a[k] + hybrid_.mass_b[k] * ps; }
  Row interface(int k, Row ps) const { return hybrid_.a[k] + hybrid_.b[k] * ps; }
  Row layer(int k, Row ps) const { return Real(0.5) * (interface(k, ps) + interface(k + 1, ps)); }
  Row reference_height(Row pressure) const;
  Row mass_around(int k, Row ps) const;
  std::span<Real> row(Gathered which, int lane);
  LaneField<Real> columns(Gathered which);

  AirOptions options_;
  HybridRows<Real> hybrid_;
  int n_levels_, order_;
  Real gravity_;
  std::vector<Real> damping_;   ///< of the vertical wind [s-1] (interface)
  std::vector<Real> gathered_;  ///< (which, lane, interface)
  // Of the batch under way: by level or interface.
  Row outflow_, ps_new_;
  Column down_, theta_, theta_new_, heating_, reference_, exner_, thickness_, height_, depth_, excess_,
      w_tendency_, phi_tendency_, predicted_, stiffness_, share_, upper_, rest_;
};

}  // namespace halcyon::atmosphere
