#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/flush_denormals.hpp"
#include "halcyon/base/view.hpp"
#include "halcyon/wave/medium.hpp"
#include "halcyon/wave/transport/flow_tables.hpp"
#include "halcyon/wave/transport/kernels/schemes.hpp"
#include "halcyon/wave/transport/kernels/slopes.hpp"

namespace halcyon::wave {

/// The gradient of a current in the compass of a cell [s-1]: of which component, along which direction.
struct CurrentGradient {
  double eastward_east = 0, eastward_north = 0, northward_east = 0, northward_north = 0;
};

/// A current on a mesh, as transport needs it. Empty where the water is at rest.
struct Water {
  std::vector<Current> currents;           ///< (known cell)
  std::vector<CurrentGradient> gradients;  ///< (known cell)
  std::vector<float> inflows;              ///< (inflow) l max(-U.n, 0) / A [s-1], U the mean over the edge

  Water() = default;
  /// The water that moves with a current [m s-1] (local cell).
  Water(const FlowTables& flows, LocalIndex n_owned, std::span<const float> eastward,
        std::span<const float> northward) {
    const Field field{eastward, northward};
    for (LocalIndex cell = 0; cell < flows.n_known(); ++cell) {
      const auto crossing = edge_flows(flows, cell, field);
      currents.push_back(outflow(flows, cell, field, crossing));
      gradients.push_back(gradient(flows, cell, field));
      if (cell >= n_owned) continue;
      for (const auto& inflow : flows.inflows(cell))
        inflows.push_back(static_cast<float>(std::max(-crossing[inflow.edge], 0.)));
    }
  }

 private:
  /// The current of a rank's cells.
  struct Field {
    std::span<const float> eastward, northward;

    /// Its component along a direction of the cell's compass [rad].
    double along(LocalIndex cell, double direction) const {
      return eastward[cell] * std::sin(direction) + northward[cell] * std::cos(direction);
    }
  };

  /// l U.n / A [s-1] of each edge of a known cell, U the mean of the cells on both sides; out is positive.
  static std::vector<double> edge_flows(const FlowTables& flows, LocalIndex cell, const Field& field) {
    std::vector<double> found;
    std::size_t next = 0;
    const auto beside = flows.beside(cell);
    for (const auto& edge : flows.edges(cell)) {
      double along = field.along(cell, edge.outward);
      if (edge.distance > 0) along = (along + field.along(beside[next++].cell, edge.outward - edge.turn)) / 2;
      found.push_back(edge.size * along);
    }
    return found;
  }
  static Current outflow(const FlowTables& flows, LocalIndex cell, const Field& field,
                         std::span<const double> edge_flows) {
    double out = 0, east = 0, north = 0;
    for (std::size_t e = 0; e < edge_flows.size(); ++e) {
      const double leaves = std::max(edge_flows[e], 0.);
      out += leaves;
      east += leaves * flows.edges(cell)[e].middle.east;
      north += leaves * flows.edges(cell)[e].middle.north;
    }
    return {field.eastward[cell], field.northward[cell], static_cast<float>(out), static_cast<float>(east),
            static_cast<float>(north)};
  }
  /// By least squares; the neighbours' currents carried into the compass of the cell.
  static CurrentGradient gradient(const FlowTables& flows, LocalIndex cell, const Field& field) {
    CurrentGradient found;
    for (const auto& beside : flows.beside(cell)) {
      const double eastward = field.along(beside.cell, std::acos(0.) - beside.turn) - field.eastward[cell];
      const double northward = field.along(beside.cell, -beside.turn) - field.northward[cell];
      found.eastward_east += beside.east * eastward;
      found.eastward_north += beside.north * eastward;
      found.northward_east += beside.east * northward;
      found.northward_north += beside.north * northward;
    }
    return found;
  }
};

/// The shift of intrinsic frequencies by currents. It belongs to a cell alone, so nothing travels for it.
class FrequencyShift {
 public:
  explicit FrequencyShift(const SpectralGrid& grid)
      : grid_(grid),
        depth_(grid.n_frequencies + 1),
        group_ratio_(grid.n_frequencies + 1),
        stretch_(grid.n_directions),
        scratch_(static_cast<std::size_t>(grid.n_frequencies + 1) * grid.n_directions) {
    for (int f = 0; f <= grid.n_frequencies; ++f)
      face_.push_back(static_cast<float>(grid.sigma[0] * std::pow(grid.ratio, f - 0.5)));
    for (const double width : grid.frequency_width) width_.push_back(static_cast<float>(kTwoPi * width));
  }

  /// @param action [m2 s2] (local cell, frequency, direction), changed in place
  void step(const FlowTables& flows, const DispersionTables& tables, const Water& water, CellRange cells,
            double dt, View<float, 3> action) {
    const FlushDenormals guard;
    for (LocalIndex cell = cells.begin; cell < cells.end; ++cell) {
      set_rates(flows, tables, water, cell);
      shift(static_cast<float>(dt), &action(cell, 0, 0));
    }
  }

 private:
  void set_rates(const FlowTables& flows, const DispersionTables& tables, const Water& water,
                 LocalIndex cell) {
    double up_slope = 0;
    for (const auto& beside : flows.beside(cell)) {
      const double deeper = tables.depth()[beside.cell] - tables.depth()[cell];
      up_slope +=
          deeper * (beside.east * water.currents[cell].east + beside.north * water.currents[cell].north);
    }
    const int last = grid_.n_frequencies - 1;
    for (int f = 0; f <= last + 1; ++f) {
      const int below = std::max(f - 1, 0), above = std::min(f, last);
      const double k = std::sqrt(tables.wavenumber()(cell, below) * tables.wavenumber()(cell, above));
      const double twice = 2 * k * tables.depth()[cell];
      const double ratio = tables.group_speed()(cell, below) / tables.phase_speed()(cell, below) +
                           tables.group_speed()(cell, above) / tables.phase_speed()(cell, above);
      depth_[f] = static_cast<float>(twice > 80 ? 0 : k / std::sinh(twice) * up_slope);
      group_ratio_[f] = static_cast<float>(ratio / 2);
    }
    const auto& g = water.gradients[cell];
    for (int m = 0; m < grid_.n_directions; ++m) {
      const double s = std::sin(grid_.direction[m]), c = std::cos(grid_.direction[m]);
      stretch_[m] =
          static_cast<float>(s * s * g.eastward_east + s * c * (g.eastward_north + g.northward_east) +
                             c * c * g.northward_north);
    }
  }

  /// A spectrum after dt of d(sigmadot N)/dsigma,
  ///   sigmadot = dsigma/dd (U . grad d) - cg k . dU/ds      (Komen et al. 1994, I.88; Tolman 1990, eq. 7),
  /// by upwind fluxes of second order with the monotonized-central limiter over the number of the frequency,
  /// explicit in as many steps as keep it positive. What goes beyond the first or last frequency is gone, and
  /// nothing comes in there.
  /// @param action (frequency, direction), changed in place
  void shift(float dt, float* action) {
    const int n = grid_.n_directions, n_frequencies = grid_.n_frequencies;
    const auto speed = [&](int f, int m) { return face_[f] * (depth_[f] - group_ratio_[f] * stretch_[m]); };
    float fastest = 0;
    for (int f = 0; f <= n_frequencies; ++f) {
      const float narrow = std::min(width_[std::max(f - 1, 0)], width_[std::min(f, n_frequencies - 1)]);
      for (int m = 0; m < n; ++m) fastest = std::max(fastest, std::abs(speed(f, m)) / narrow);
    }
    const int n_steps = std::max(1, static_cast<int>(std::ceil(2 * fastest * dt)));
    const float step = dt / static_cast<float>(n_steps);
    for (int i = 0; i < n_steps; ++i) {
      for (int f = 0; f <= n_frequencies; ++f) {
        for (int m = 0; m < n; ++m) scratch_[f * n + m] = flux(speed(f, m), step, action + m, f, n);
      }
      for (int f = 0; f < n_frequencies; ++f) {
        for (int m = 0; m < n; ++m)
          action[f * n + m] -= step / width_[f] * (scratch_[(f + 1) * n + m] - scratch_[f * n + m]);
      }
    }
  }
  /// What goes through the face below a frequency [m2 s2 rad s-2].
  float flux(float speed, float dt, const float* column, int f, int n) const {
    const int last = static_cast<int>(width_.size()) - 1, donor = speed > 0 ? f - 1 : f;
    if (donor < 0 || donor > last) return 0;
    const float own = column[donor * n];
    if (donor == 0 || donor == last) return speed * own;
    const float slope = limited_slope(column[(donor - 1) * n], own, column[(donor + 1) * n]);
    const float reach = (1 - std::abs(speed) * dt / width_[donor]) / 2;
    return speed * (own + (speed > 0 ? reach : -reach) * slope);
  }
  /// The monotonized-central slope (van Leer 1977).
  static float limited_slope(float below, float own, float above) {
    const float back = own - below, ahead = above - own;
    const float most = std::max(std::min(back, ahead), 0.f), least = std::min(std::max(back, ahead), 0.f);
    return std::min(std::max((back + ahead) / 2, 2 * least), 2 * most);
  }

  SpectralGrid grid_;
  std::vector<float> face_;   ///< sigma [rad s-1] (frequency + 1) between frequencies f - 1 and f
  std::vector<float> width_;  ///< dsigma [rad s-1] (frequency)
  // Of the cell, the rate of the logarithm of sigma at the faces: depth(f) - group_ratio(f) stretch(m) [s-1].
  std::vector<float> depth_;        ///< (frequency + 1) k / sinh(2 k d) U . grad d [s-1]
  std::vector<float> group_ratio_;  ///< (frequency + 1) cg / c
  std::vector<float> stretch_;      ///< (direction) k/k . (k/k . grad) U [s-1]
  std::vector<float> scratch_;      ///< (frequency + 1, direction)
};

/// How fast waves turn in the known cells of a rank: by refraction, by currents, and by what remains of the
/// sphere's curvature within a cell. The last is made from the discrete divergence of the cell's directions,
/// so that the transport of a uniform spectrum over uniform depth vanishes exactly (up to round-off) away
/// from coasts.
class Turning {
 public:
  Turning(const FlowTables& flows, const SpectralGrid& grid, const TransportOptions& options)
      : n_frequencies_(grid.n_frequencies),
        n_directions_(grid.n_directions),
        width_(grid.direction_width),
        closure_(options.great_circle ? 0.5 / std::sin(grid.direction_width / 2) : 0),
        refraction_(options.refraction),
        rest_(grid.n_directions + 1, 0.f) {
    for (int m = -1; m < grid.n_directions; ++m) {
      const double face = grid.direction[m < 0 ? grid.n_directions - 1 : m] + grid.direction_width / 2;
      face_sine_.push_back(static_cast<float>(std::sin(face)));
      face_cosine_.push_back(static_cast<float>(std::cos(face)));
    }
    const auto n = static_cast<std::size_t>(flows.n_known());
    for (auto* table : {&sine_, &cosine_, &explicit_sine_, &explicit_cosine_, &taken_})
      table->resize(n * n_frequencies_);
    is_explicit_.resize(n * n_frequencies_);
    n_noticeable_.resize(n);
  }

  /// Makes the rates anew. @param currents of known cells; empty where the water is at rest
  void update(const FlowTables& flows, const DispersionTables& tables,
              std::span<const CurrentGradient> currents) {
    by_current_.clear();
    for (const auto& current : currents) set_current(current, by_current_);
    for (LocalIndex cell = 0; cell < flows.n_known(); ++cell) set_rates(flows, tables, cell);
  }

  /// Says for each known cell and frequency whether turning is slow enough for an explicit step, of so many
  /// seconds by frequency.
  void choose(const FlowTables& flows, const DispersionTables& tables, std::span<const Current> currents,
              std::span<const double> steps_s) {
    for (LocalIndex cell = 0; cell < flows.n_known(); ++cell) {
      const float by_current = fastest_by_current(cell);
      const float drift = currents.empty() ? 0 : currents[cell].outflow;
      for (int f = 0; f < n_frequencies_; ++f) {
        const auto i = at(cell, f);
        const auto dt = static_cast<float>(steps_s[f]);
        const float fastest = std::hypot(sine_[i], cosine_[i]);
        const float outflow = flows.largest_outflow(cell, f) * tables.group_speed()(cell, f) + drift;
        is_explicit_[i] = dt * (outflow + 2 * (fastest + by_current)) <= 1;
        taken_[i] = dt * 2 * ((is_explicit_[i] ? fastest : 0) + by_current);
        explicit_sine_[i] = is_explicit_[i] ? sine_[i] : 0;
        explicit_cosine_[i] = is_explicit_[i] ? cosine_[i] : 0;
      }
    }
  }

  TurningRates rates(LocalIndex known, int frequency) const {
    auto found = explicit_rates(known, frequency);
    found.sine = &sine_[at(known, frequency)];
    found.cosine = &cosine_[at(known, frequency)];
    return found;
  }
  /// Zero in place of sine and cosine where turning is implicit.
  TurningRates explicit_rates(LocalIndex known, int frequency) const {
    const auto row = static_cast<std::size_t>(known) * (n_directions_ + 1);
    return {.sine = &explicit_sine_[at(known, frequency)],
            .cosine = &explicit_cosine_[at(known, frequency)],
            .face_sine = face_sine_.data() + 1,
            .face_cosine = face_cosine_.data() + 1,
            .current = (by_current_.empty() ? rest_.data() : by_current_.data() + row) + 1};
  }
  bool is_explicit(LocalIndex known, int frequency) const { return is_explicit_[at(known, frequency)]; }
  /// The part of a step that explicit turning may take from a bin (frequency).
  const float* taken(LocalIndex known) const { return &taken_[at(known, 0)]; }

  /// So many of the first frequencies turn fast enough that second order matters.
  int n_noticeable(LocalIndex known) const { return n_noticeable_[known]; }

  /// The fastest turning by currents [bins s-1].
  float fastest_by_current(LocalIndex known) const {
    if (by_current_.empty()) return 0;
    const auto n = static_cast<std::size_t>(n_directions_) + 1;
    float fastest = 0;
    for (const float rate : std::span(by_current_).subspan(known * n, n))
      fastest = std::max(fastest, std::abs(rate));
    return fastest;
  }
  /// The share of pairs of owned cell and frequency whose turning is implicit.
  double implicit_share(LocalIndex n_owned) const {
    const auto n = static_cast<std::size_t>(n_owned) * n_frequencies_;
    const auto n_implicit = std::count(is_explicit_.begin(), is_explicit_.begin() + n, 0);
    return n > 0 ? static_cast<double>(n_implicit) / static_cast<double>(n) : 0;
  }
  std::int64_t memory_bytes() const {
    const std::size_t n_floats = sine_.size() * 5 + by_current_.size();
    return static_cast<std::int64_t>(n_floats * sizeof(float) + is_explicit_.size());
  }

 private:
  /// Turning by so many bins while waves cross a cell: upwind differences then cost a bin after a thousand
  /// cells.
  static constexpr double kNegligible = 1e-3;

  std::size_t at(LocalIndex cell, int frequency) const {
    return static_cast<std::size_t>(cell) * n_frequencies_ + frequency;
  }
  /// Snell's law, thetadot = (cg/c) (dc/dy sin(theta) - dc/dx cos(theta)), and the closure of the cell's
  /// edges.
  void set_rates(const FlowTables& flows, const DispersionTables& tables, LocalIndex cell) {
    double east_open = 0, north_open = 0;
    for (const auto& edge : flows.edges(cell)) {
      east_open += edge.size * std::sin(edge.outward);
      north_open += edge.size * std::cos(edge.outward);
    }
    n_noticeable_[cell] = 0;
    for (int f = 0; f < n_frequencies_; ++f) {
      const double cg = tables.group_speed()(cell, f), c = tables.phase_speed()(cell, f);
      double sine = -closure_ * cg * north_open, cosine = closure_ * cg * east_open;
      if (refraction_) {
        for (const auto& beside : flows.beside(cell)) {
          const double faster = cg / c / width_ * (tables.phase_speed()(beside.cell, f) - c);
          sine += beside.north * faster;
          cosine -= beside.east * faster;
        }
      }
      sine_[at(cell, f)] = static_cast<float>(sine);
      cosine_[at(cell, f)] = static_cast<float>(cosine);
      const double crossing = cg * flows.largest_outflow(cell, f);
      if (std::hypot(sine, cosine) + fastest_by_current(cell) > kNegligible * crossing)
        n_noticeable_[cell] = f + 1;
    }
  }
  /// Refraction by a current (Komen et al. 1994, I.88, with directions clockwise from north):
  ///   thetadot = -(cos(theta) d/dx - sin(theta) d/dy) (U sin(theta) + V cos(theta))
  void set_current(const CurrentGradient& g, std::vector<float>& rows) const {
    for (int m = 0; m <= n_directions_; ++m) {
      const double s = face_sine_[m], c = face_cosine_[m];
      const double rate = -c * (s * g.eastward_east + c * g.northward_east) +
                          s * (s * g.eastward_north + c * g.northward_north);
      rows.push_back(refraction_ ? static_cast<float>(rate / width_) : 0.f);
    }
  }

  int n_frequencies_, n_directions_;
  double width_, closure_;
  bool refraction_;
  std::vector<float> face_sine_, face_cosine_, rest_;  ///< padded below (direction + 1)
  std::vector<float> sine_, cosine_;                   ///< (known, frequency) [bins s-1]
  std::vector<float> explicit_sine_, explicit_cosine_;
  std::vector<int> n_noticeable_;  ///< (known) first frequencies that turn by more than kNegligible
  std::vector<float> by_current_;  ///< (known, direction + 1) [bins s-1], or empty
  std::vector<std::uint8_t> is_explicit_;
  std::vector<float> taken_;
};

}  // namespace halcyon::wave
