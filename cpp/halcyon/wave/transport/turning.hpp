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

/// The gradient of a current in a cell [s-1]: component of the current, then direction of the derivative.
struct CurrentGradient {
  double eastward_east = 0, eastward_north = 0, northward_east = 0, northward_north = 0;
};

/// Transport coefficients of a current. Empty where the water is at rest.
struct CurrentTables {
  std::vector<Current> currents;           ///< (slope cell)
  std::vector<CurrentGradient> gradients;  ///< (slope cell)
  std::vector<float> inflows;              ///< (inflow) l max(-U.n, 0) / A [s-1], U the mean of both cells

  CurrentTables() = default;
  /// @param eastward, northward current [m s-1] (local cell)
  CurrentTables(const FlowTables& flows, LocalIndex n_owned, std::span<const float> eastward,
                std::span<const float> northward) {
    const Field field{eastward, northward};
    for (LocalIndex cell = 0; cell < flows.n_slope_cells(); ++cell) {
      const auto edge_rates = edge_flows(flows, cell, field);
      currents.push_back(outflow(flows, cell, field, edge_rates));
      gradients.push_back(gradient(flows, cell, field));
      if (cell >= n_owned) continue;
      for (const auto& inflow : flows.inflows(cell))
        inflows.push_back(static_cast<float>(std::max(-edge_rates[inflow.edge], 0.)));
    }
  }

 private:
  struct Field {
    std::span<const float> eastward, northward;

    /// Returns the component along a direction [rad], clockwise from north.
    double along(LocalIndex cell, double direction) const {
      return eastward[cell] * std::sin(direction) + northward[cell] * std::cos(direction);
    }
  };

  /// Returns l U.n / A [s-1] of each edge of a slope cell, positive outwards; U is the mean of both sides.
  static std::vector<double> edge_flows(const FlowTables& flows, LocalIndex cell, const Field& field) {
    std::vector<double> found;
    std::size_t next = 0;
    const auto neighbours = flows.gradient_neighbours(cell);
    for (const auto& edge : flows.edges(cell)) {
      double along = field.along(cell, edge.outward);
      if (edge.distance > 0)
        along = (along + field.along(neighbours[next++].cell, edge.outward - edge.turn)) / 2;
      found.push_back(edge.size * along);
    }
    return found;
  }
  static Current outflow(const FlowTables& flows, LocalIndex cell, const Field& field,
                         std::span<const double> edge_flows) {
    double out = 0, east = 0, north = 0;
    for (std::size_t e = 0; e < edge_flows.size(); ++e) {
      const double outward = std::max(edge_flows[e], 0.);
      out += outward;
      east += outward * flows.edges(cell)[e].to_edge.east;
      north += outward * flows.edges(cell)[e].to_edge.north;
    }
    return {field.eastward[cell], field.northward[cell], static_cast<float>(out), static_cast<float>(east),
            static_cast<float>(north)};
  }
  /// Returns the least-squares gradient, the neighbours' currents rotated into the cell's east-north frame.
  static CurrentGradient gradient(const FlowTables& flows, LocalIndex cell, const Field& field) {
    CurrentGradient found;
    for (const auto& neighbour : flows.gradient_neighbours(cell)) {
      const double eastward =
          field.along(neighbour.cell, std::acos(0.) - neighbour.turn) - field.eastward[cell];
      const double northward = field.along(neighbour.cell, -neighbour.turn) - field.northward[cell];
      found.eastward_east += neighbour.east * eastward;
      found.eastward_north += neighbour.north * eastward;
      found.northward_east += neighbour.east * northward;
      found.northward_north += neighbour.north * northward;
    }
    return found;
  }
};

/// The shift of intrinsic frequencies by currents. It is local to a cell: no halo exchange is needed.
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
  void step(const FlowTables& flows, const DispersionTables& tables, const CurrentTables& current,
            CellRange cells, double dt, View<float, 3> action) {
    const FlushDenormals guard;
    for (LocalIndex cell = cells.begin; cell < cells.end; ++cell) {
      set_rates(flows, tables, current, cell);
      shift(static_cast<float>(dt), &action(cell, 0, 0));
    }
  }

 private:
  void set_rates(const FlowTables& flows, const DispersionTables& tables, const CurrentTables& current,
                 LocalIndex cell) {
    double depth_advection = 0;
    for (const auto& neighbour : flows.gradient_neighbours(cell)) {
      const double depth_difference = tables.depth()[neighbour.cell] - tables.depth()[cell];
      depth_advection += depth_difference * (neighbour.east * current.currents[cell].east +
                                             neighbour.north * current.currents[cell].north);
    }
    const int last = grid_.n_frequencies - 1;
    for (int f = 0; f <= last + 1; ++f) {
      const int below = std::max(f - 1, 0), above = std::min(f, last);
      const double k = std::sqrt(tables.wavenumber()(cell, below) * tables.wavenumber()(cell, above));
      const double two_kd = 2 * k * tables.depth()[cell];
      const double ratio = tables.group_speed()(cell, below) / tables.phase_speed()(cell, below) +
                           tables.group_speed()(cell, above) / tables.phase_speed()(cell, above);
      depth_[f] = static_cast<float>(two_kd > 80 ? 0 : k / std::sinh(two_kd) * depth_advection);
      group_ratio_[f] = static_cast<float>(ratio / 2);
    }
    const auto& g = current.gradients[cell];
    for (int m = 0; m < grid_.n_directions; ++m) {
      const double s = std::sin(grid_.direction[m]), c = std::cos(grid_.direction[m]);
      stretch_[m] =
          static_cast<float>(s * s * g.eastward_east + s * c * (g.eastward_north + g.northward_east) +
                             c * c * g.northward_north);
    }
  }

  /// Advances a spectrum by dt with the term d(sigmadot N)/dsigma,
  ///   sigmadot = dsigma/dd (U . grad d) - cg k . dU/ds      (Komen et al. 1994, I.88; Tolman 1990, eq. 7),
  /// by explicit second-order upwind fluxes with the monotonized-central limiter over the frequency index, in
  /// enough substeps to stay positive. Action shifted beyond the first or last frequency is lost;
  /// there is no inflow at these ends.
  /// @param action (frequency, direction), changed in place
  void shift(float dt, float* action) {
    const int n = grid_.n_directions, n_frequencies = grid_.n_frequencies;
    const auto speed = [&](int f, int m) { return face_[f] * (depth_[f] - group_ratio_[f] * stretch_[m]); };
    float fastest = 0;
    for (int f = 0; f <= n_frequencies; ++f) {
      const float narrowest = std::min(width_[std::max(f - 1, 0)], width_[std::min(f, n_frequencies - 1)]);
      for (int m = 0; m < n; ++m) fastest = std::max(fastest, std::abs(speed(f, m)) / narrowest);
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
  /// Returns the flux [m2 s2 rad s-2] through the face between frequencies f - 1 and f.
  float flux(float speed, float dt, const float* column, int f, int n) const {
    const int last = static_cast<int>(width_.size()) - 1, donor = speed > 0 ? f - 1 : f;
    if (donor < 0 || donor > last) return 0;
    const float own = column[donor * n];
    if (donor == 0 || donor == last) return speed * own;
    const float slope = limited_slope(column[(donor - 1) * n], own, column[(donor + 1) * n]);
    const float reach = (1 - std::abs(speed) * dt / width_[donor]) / 2;
    return speed * (own + (speed > 0 ? reach : -reach) * slope);
  }
  /// Returns the monotonized-central slope (van Leer 1977).
  static float limited_slope(float below, float own, float above) {
    const float lower = own - below, upper = above - own;
    const float most = std::max(std::min(lower, upper), 0.f), least = std::min(std::max(lower, upper), 0.f);
    return std::min(std::max((lower + upper) / 2, 2 * least), 2 * most);
  }

  SpectralGrid grid_;
  std::vector<float> face_;   ///< sigma [rad s-1] (frequency + 1) between frequencies f - 1 and f
  std::vector<float> width_;  ///< dsigma [rad s-1] (frequency)
  // In the current cell: d ln(sigma)/dt at the faces = depth(f) - group_ratio(f) stretch(m) [s-1].
  std::vector<float> depth_;        ///< (frequency + 1) k / sinh(2 k d) U . grad d [s-1]
  std::vector<float> group_ratio_;  ///< (frequency + 1) cg / c
  std::vector<float> stretch_;      ///< (direction) k/k . (k/k . grad) U [s-1]
  std::vector<float> scratch_;      ///< (frequency + 1, direction)
};

/// Turning rates of waves in the slope cells of a rank: by refraction over depth and currents, and by the
/// residual curvature of the sphere within a cell. The latter is the discrete divergence of the cell's edge
/// normals, so that a uniform spectrum over uniform depth stays constant (up to round-off) away from coasts.
class Turning {
 public:
  Turning(const FlowTables& flows, const SpectralGrid& grid, const TransportOptions& options)
      : n_frequencies_(grid.n_frequencies),
        n_directions_(grid.n_directions),
        width_(grid.direction_width),
        closure_(options.great_circle ? 0.5 / std::sin(grid.direction_width / 2) : 0),
        refraction_(options.refraction),
        zero_rates_(grid.n_directions + 1, 0.f) {
    for (int m = -1; m < grid.n_directions; ++m) {
      const double face = grid.direction[m < 0 ? grid.n_directions - 1 : m] + grid.direction_width / 2;
      face_sine_.push_back(static_cast<float>(std::sin(face)));
      face_cosine_.push_back(static_cast<float>(std::cos(face)));
    }
    const auto n = static_cast<std::size_t>(flows.n_slope_cells());
    for (auto* table : {&sine_, &cosine_, &explicit_sine_, &explicit_cosine_, &explicit_fraction_})
      table->resize(n * n_frequencies_);
    is_explicit_.resize(n * n_frequencies_);
    n_second_order_.resize(n);
  }

  /// Recomputes the rates. @param currents gradients (slope cell); empty where the water is at rest
  void update(const FlowTables& flows, const DispersionTables& tables,
              std::span<const CurrentGradient> currents) {
    current_rates_.clear();
    for (const auto& current : currents) set_current(current, current_rates_);
    for (LocalIndex cell = 0; cell < flows.n_slope_cells(); ++cell) set_rates(flows, tables, cell);
  }

  /// Chooses for each slope cell and frequency whether turning is slow enough for an explicit step.
  /// @param steps_s [s] (frequency)
  void choose(const FlowTables& flows, const DispersionTables& tables, std::span<const Current> currents,
              std::span<const double> steps_s) {
    for (LocalIndex cell = 0; cell < flows.n_slope_cells(); ++cell) {
      const float current_rate = largest_current_rate(cell);
      const float current_outflow = currents.empty() ? 0 : currents[cell].outflow;
      for (int f = 0; f < n_frequencies_; ++f) {
        const auto i = at(cell, f);
        const auto dt = static_cast<float>(steps_s[f]);
        const float fastest = std::hypot(sine_[i], cosine_[i]);
        const float outflow =
            flows.largest_outflow(cell, f) * tables.group_speed()(cell, f) + current_outflow;
        is_explicit_[i] = dt * (outflow + 2 * (fastest + current_rate)) <= 1;
        explicit_fraction_[i] = dt * 2 * ((is_explicit_[i] ? fastest : 0) + current_rate);
        explicit_sine_[i] = is_explicit_[i] ? sine_[i] : 0;
        explicit_cosine_[i] = is_explicit_[i] ? cosine_[i] : 0;
      }
    }
  }

  TurningRates rates(LocalIndex cell, int frequency) const {
    auto found = explicit_rates(cell, frequency);
    found.sine = &sine_[at(cell, frequency)];
    found.cosine = &cosine_[at(cell, frequency)];
    return found;
  }
  /// Returns the rates, with 0 for sine and cosine where turning is implicit.
  TurningRates explicit_rates(LocalIndex cell, int frequency) const {
    const auto row = static_cast<std::size_t>(cell) * (n_directions_ + 1);
    return {.sine = &explicit_sine_[at(cell, frequency)],
            .cosine = &explicit_cosine_[at(cell, frequency)],
            .face_sine = face_sine_.data() + 1,
            .face_cosine = face_cosine_.data() + 1,
            .current = (current_rates_.empty() ? zero_rates_.data() : current_rates_.data() + row) + 1};
  }
  bool is_explicit(LocalIndex cell, int frequency) const { return is_explicit_[at(cell, frequency)]; }
  /// Returns the largest fraction of a bin that explicit turning removes in a step (frequency).
  const float* explicit_fraction(LocalIndex cell) const { return &explicit_fraction_[at(cell, 0)]; }

  /// Returns the number of lowest frequencies whose turning needs the second-order scheme.
  int n_second_order(LocalIndex cell) const { return n_second_order_[cell]; }

  /// Returns the largest turning rate by currents over all directions [bins s-1].
  float largest_current_rate(LocalIndex cell) const {
    if (current_rates_.empty()) return 0;
    const auto n = static_cast<std::size_t>(n_directions_) + 1;
    float fastest = 0;
    for (const float rate : std::span(current_rates_).subspan(cell * n, n))
      fastest = std::max(fastest, std::abs(rate));
    return fastest;
  }
  /// Returns the fraction of (owned cell, frequency) pairs whose turning is implicit.
  double implicit_share(LocalIndex n_owned) const {
    const auto n = static_cast<std::size_t>(n_owned) * n_frequencies_;
    const auto n_implicit = std::count(is_explicit_.begin(), is_explicit_.begin() + n, 0);
    return n > 0 ? static_cast<double>(n_implicit) / static_cast<double>(n) : 0;
  }
  std::int64_t memory_bytes() const {
    const std::size_t n_floats = sine_.size() * 5 + current_rates_.size();
    return static_cast<std::int64_t>(n_floats * sizeof(float) + is_explicit_.size());
  }

 private:
  /// Largest turning [bins] during the crossing of a cell for which first-order upwind suffices: its
  /// numerical diffusion is then one bin per thousand cells.
  static constexpr double kNegligible = 1e-3;

  std::size_t at(LocalIndex cell, int frequency) const {
    return static_cast<std::size_t>(cell) * n_frequencies_ + frequency;
  }
  /// Snell's law, thetadot = (cg/c) (dc/dy sin(theta) - dc/dx cos(theta)), and the sum of the edge normals.
  void set_rates(const FlowTables& flows, const DispersionTables& tables, LocalIndex cell) {
    double normals_east = 0, normals_north = 0;
    for (const auto& edge : flows.edges(cell)) {
      normals_east += edge.size * std::sin(edge.outward);
      normals_north += edge.size * std::cos(edge.outward);
    }
    n_second_order_[cell] = 0;
    for (int f = 0; f < n_frequencies_; ++f) {
      const double cg = tables.group_speed()(cell, f), c = tables.phase_speed()(cell, f);
      double sine = -closure_ * cg * normals_north, cosine = closure_ * cg * normals_east;
      if (refraction_) {
        for (const auto& neighbour : flows.gradient_neighbours(cell)) {
          const double rate = cg / c / width_ * (tables.phase_speed()(neighbour.cell, f) - c);
          sine += neighbour.north * rate;
          cosine -= neighbour.east * rate;
        }
      }
      sine_[at(cell, f)] = static_cast<float>(sine);
      cosine_[at(cell, f)] = static_cast<float>(cosine);
      const double crossing_rate = cg * flows.largest_outflow(cell, f);
      if (std::hypot(sine, cosine) + largest_current_rate(cell) > kNegligible * crossing_rate)
        n_second_order_[cell] = f + 1;
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
  double width_, closure_;  ///< direction bin [rad]; factor of the sum of the edge normals
  bool refraction_;
  std::vector<float> face_sine_, face_cosine_, zero_rates_;  ///< (direction + 1), the first below direction 0
  std::vector<float> sine_, cosine_;                         ///< (slope cell, frequency) [bins s-1]
  std::vector<float> explicit_sine_, explicit_cosine_;
  std::vector<int> n_second_order_;   ///< (slope cell) lowest frequencies with turning above kNegligible
  std::vector<float> current_rates_;  ///< (cell, direction + 1) [bins s-1], or empty
  std::vector<std::uint8_t> is_explicit_;
  std::vector<float> explicit_fraction_;
};

}  // namespace halcyon::wave
