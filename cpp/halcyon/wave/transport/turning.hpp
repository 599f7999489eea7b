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

/// The gradient [s-1] of a current; eastward_north is the derivative of the eastward component to the north.
struct CurrentGradient {
  double eastward_east = 0, eastward_north = 0, northward_east = 0, northward_north = 0;
};

/// Transport coefficients of a current; the tables are empty if the model has no current. Slopes of the
/// spectrum are computed in the slope cells: the owned cells and, at second order, the first halo layer.
struct CurrentTables {
  std::vector<Current> currents;           ///< (slope cell)
  std::vector<CurrentGradient> gradients;  ///< (slope cell)
  /// l max(-U.n, 0) / A [s-1] (inflow of an owned cell, in the order of FlowTables::inflows), with U the mean
  /// current of the cell and its neighbour, l edge length, n outward normal, A cell area
  std::vector<float> inflow_rates;

  CurrentTables() = default;
  /// @param eastward, northward current [m s-1] (local cell)
  CurrentTables(const FlowTables& flows, LocalIndex n_owned, std::span<const float> eastward,
                std::span<const float> northward) {
    const Field field{.eastward = eastward, .northward = northward};
    for (LocalIndex cell = 0; cell < flows.n_slope_cells(); ++cell) {
      const auto edge_rates = outward_rates(flows, cell, field);
      currents.push_back(current_with_outflow(flows, cell, field, edge_rates));
      gradients.push_back(gradient(flows, cell, field));
      if (cell >= n_owned) continue;
      for (const auto& inflow : flows.inflows(cell))
        inflow_rates.push_back(static_cast<float>(std::max(-edge_rates[inflow.edge], 0.)));
    }
  }

 private:
  struct Field {
    std::span<const float> eastward, northward;

    /// Returns the component [m s-1] in a direction [rad], clockwise from north.
    double component(LocalIndex cell, double direction) const {
      return eastward[cell] * std::sin(direction) + northward[cell] * std::cos(direction);
    }
  };
  /// Returns l U.n / A [s-1] of each edge of a slope cell, positive outwards, with U the mean current of the
  /// cell and the neighbour, or the cell's current where there is no neighbour.
  static std::vector<double> outward_rates(const FlowTables& flows, LocalIndex cell, const Field& field) {
    std::vector<double> rates;
    std::size_t next_neighbour = 0;
    const auto neighbours = flows.gradient_neighbours(cell);
    for (const auto& edge : flows.edges(cell)) {
      double outward_current = field.component(cell, edge.outward_direction);
      if (edge.has_neighbour()) {
        const double direction_in_neighbour = edge.outward_direction - edge.compass_turn;
        outward_current += field.component(neighbours[next_neighbour++].cell, direction_in_neighbour);
        outward_current /= 2;
      }
      rates.push_back(edge.length_over_area * outward_current);
    }
    return rates;
  }
  static Current current_with_outflow(const FlowTables& flows, LocalIndex cell, const Field& field,
                                      std::span<const double> edge_rates) {
    double outflow = 0, moment_east = 0, moment_north = 0;
    for (std::size_t e = 0; e < edge_rates.size(); ++e) {
      const double rate = std::max(edge_rates[e], 0.);
      outflow += rate;
      moment_east += rate * flows.edges(cell)[e].to_edge.east;
      moment_north += rate * flows.edges(cell)[e].to_edge.north;
    }
    return {.velocity_east = field.eastward[cell],
            .velocity_north = field.northward[cell],
            .outflow = static_cast<float>(outflow),
            .outflow_moment_east = static_cast<float>(moment_east),
            .outflow_moment_north = static_cast<float>(moment_north)};
  }
  /// Returns the least-squares gradient of the current, rotated from the neighbours' compass directions to
  /// the cell's.
  static CurrentGradient gradient(const FlowTables& flows, LocalIndex cell, const Field& field) {
    CurrentGradient gradient;
    for (const auto& neighbour : flows.gradient_neighbours(cell)) {
      const double east_direction = std::acos(0.) - neighbour.compass_turn;  // in the neighbour [rad]
      const double eastward = field.component(neighbour.cell, east_direction) - field.eastward[cell];
      const double northward =
          field.component(neighbour.cell, -neighbour.compass_turn) - field.northward[cell];
      gradient.eastward_east += neighbour.gradient_weight_east * eastward;
      gradient.eastward_north += neighbour.gradient_weight_north * eastward;
      gradient.northward_east += neighbour.gradient_weight_east * northward;
      gradient.northward_north += neighbour.gradient_weight_north * northward;
    }
    return gradient;
  }
};

/// Shifts the intrinsic frequencies of waves by currents. A cell's shift needs no other cell's spectrum.
class FrequencyShift {
 public:
  explicit FrequencyShift(const SpectralGrid& grid)
      : grid_(grid),
        depth_rate_(grid.n_frequencies + 1),
        group_ratio_(grid.n_frequencies + 1),
        stretch_(grid.n_directions),
        fluxes_(static_cast<std::size_t>(grid.n_frequencies + 1) * grid.n_directions) {
    for (int f = 0; f <= grid.n_frequencies; ++f)
      face_sigma_.push_back(static_cast<float>(grid.sigma[0] * std::pow(grid.ratio, f - 0.5)));
    for (const double width : grid.frequency_width)
      sigma_width_.push_back(static_cast<float>(kTwoPi * width));
  }
  /// Shifts the spectra of `cells` over dt [s].
  /// @param action [m2 s2] (local cell, frequency, direction), changed in place
  void step(const FlowTables& flows, const DispersionTables& tables, const CurrentTables& current,
            CellRange cells, double dt, View<float, 3> action) {
    const FlushDenormals flush_denormals;
    for (LocalIndex cell = cells.begin; cell < cells.end; ++cell) {
      set_rates(flows, tables, current, cell);
      shift_spectrum(static_cast<float>(dt), &action(cell, 0, 0));
    }
  }

 private:
  /// Sets depth_rate_, group_ratio_ and stretch_ for a cell.
  void set_rates(const FlowTables& flows, const DispersionTables& tables, const CurrentTables& current,
                 LocalIndex cell) {
    double depth_advection = 0;  // U . grad d [m s-1]
    for (const auto& neighbour : flows.gradient_neighbours(cell)) {
      const double depth_difference = tables.depth()[neighbour.cell] - tables.depth()[cell];
      depth_advection +=
          depth_difference * (neighbour.gradient_weight_east * current.currents[cell].velocity_east +
                              neighbour.gradient_weight_north * current.currents[cell].velocity_north);
    }
    const int last_frequency = grid_.n_frequencies - 1;
    for (int f = 0; f <= last_frequency + 1; ++f) {
      const int below = std::max(f - 1, 0), above = std::min(f, last_frequency);
      const double k = std::sqrt(tables.wavenumber()(cell, below) * tables.wavenumber()(cell, above));
      const double two_kd = 2 * k * tables.depth()[cell];
      const double ratio = tables.group_speed()(cell, below) / tables.phase_speed()(cell, below) +
                           tables.group_speed()(cell, above) / tables.phase_speed()(cell, above);
      // Beyond 2kd = 80 the depth has no effect: 1 / sinh(80) is below 1e-34.
      depth_rate_[f] = static_cast<float>(two_kd > 80 ? 0 : k / std::sinh(two_kd) * depth_advection);
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
  /// Advances a spectrum by dt [s] with the term d(sigmadot N)/dsigma of the action balance,
  ///   sigmadot = dsigma/dd (U . grad d) - cg k . dU/ds      (Komen et al. 1994, I.88; Tolman 1990, eq. 7),
  /// d depth, k wavenumber vector, s distance along k. Explicit second-order upwind fluxes with the
  /// monotonized-central limiter over the frequency index, in enough substeps to stay positive. Action
  /// shifted beyond the first or last frequency is lost; there is no inflow at these ends.
  /// @param action (frequency, direction), changed in place
  void shift_spectrum(float dt, float* action) {
    const int n = grid_.n_directions, n_frequencies = grid_.n_frequencies;
    // sigmadot [rad s-2] at the face between frequencies f - 1 and f
    const auto speed = [&](int f, int m) {
      return face_sigma_[f] * (depth_rate_[f] - group_ratio_[f] * stretch_[m]);
    };
    float largest_rate = 0;  // [bins s-1]
    for (int f = 0; f <= n_frequencies; ++f) {
      const float narrowest =
          std::min(sigma_width_[std::max(f - 1, 0)], sigma_width_[std::min(f, n_frequencies - 1)]);
      for (int m = 0; m < n; ++m) largest_rate = std::max(largest_rate, std::abs(speed(f, m)) / narrowest);
    }
    const int n_substeps = std::max(1, static_cast<int>(std::ceil(2 * largest_rate * dt)));
    const float substep = dt / static_cast<float>(n_substeps);  // [s], at most half a bin
    for (int i = 0; i < n_substeps; ++i) {
      for (int f = 0; f <= n_frequencies; ++f) {
        for (int m = 0; m < n; ++m) fluxes_[f * n + m] = flux(speed(f, m), substep, action + m, f, n);
      }
      for (int f = 0; f < n_frequencies; ++f) {
        for (int m = 0; m < n; ++m)
          action[f * n + m] -= substep / sigma_width_[f] * (fluxes_[(f + 1) * n + m] - fluxes_[f * n + m]);
      }
    }
  }
  /// Returns the flux [m2 s2 rad s-2] of one direction through the face between frequencies f - 1 and f.
  /// @param action of the direction, in which frequency f is element f n
  float flux(float speed, float dt, const float* action, int f, int n) const {
    const int last = static_cast<int>(sigma_width_.size()) - 1, donor = speed > 0 ? f - 1 : f;
    if (donor < 0 || donor > last) return 0;
    const float value = action[donor * n];
    if (donor == 0 || donor == last) return speed * value;
    const float slope = limited_slope(action[(donor - 1) * n], value, action[(donor + 1) * n]);
    const float offset = (1 - std::abs(speed) * dt / sigma_width_[donor]) / 2;  // [bins]
    return speed * (value + (speed > 0 ? offset : -offset) * slope);
  }
  /// Returns the monotonized-central slope (van Leer 1977), per bin, at `value`, between its two neighbours.
  static float limited_slope(float below, float value, float above) {
    const float lower = value - below, upper = above - value;
    const float rise = std::max(std::min(lower, upper), 0.f), fall = std::min(std::max(lower, upper), 0.f);
    return std::min(std::max((lower + upper) / 2, 2 * fall), 2 * rise);
  }

  SpectralGrid grid_;
  // A face lies between frequencies f - 1 and f; (face) has n_frequencies + 1 elements.
  std::vector<float> face_sigma_;   ///< sigma [rad s-1] (face)
  std::vector<float> sigma_width_;  ///< dsigma [rad s-1] (frequency)
  // Terms of d ln(sigma)/dt = depth_rate_(f) - group_ratio_(f) stretch_(m) [s-1] in the cell being advanced:
  std::vector<float> depth_rate_;   ///< k / sinh(2 k d) U . grad d [s-1] (face)
  std::vector<float> group_ratio_;  ///< cg / c (face)
  std::vector<float> stretch_;      ///< e . (e . grad) U [s-1] (direction), with e the unit wave direction
  std::vector<float> fluxes_;       ///< sigmadot N (face, direction)
};

/// Rates at which waves turn in the slope cells (see CurrentTables): by refraction over depth and currents,
/// and by the part of great-circle turning that is not in the fluxes through the edges, proportional to the
/// sum of length times normal over the cell's edges (0 on a plane). With this part a uniform spectrum over
/// uniform depth stays constant, up to round-off, away from coasts.
class Turning {
 public:
  Turning(const FlowTables& flows, const SpectralGrid& grid, const TransportOptions& options)
      : n_frequencies_(grid.n_frequencies),
        n_directions_(grid.n_directions),
        splits_refraction_(options.scheme == Scheme::second_order),
        sigma_(grid.sigma),
        direction_width_(grid.direction_width),
        normals_factor_(options.great_circle ? 0.5 / std::sin(grid.direction_width / 2) : 0),
        has_refraction_(options.refraction),
        zero_rates_(grid.n_directions + 1, 0.f) {
    for (int m = -1; m < grid.n_directions; ++m) {
      const double centre = grid.direction[m < 0 ? grid.n_directions - 1 : m],
                   face = centre + grid.direction_width / 2;
      face_sine_.push_back(static_cast<float>(std::sin(face)));
      face_cosine_.push_back(static_cast<float>(std::cos(face)));
      centre_sine_.push_back(static_cast<float>(std::sin(centre)));
      centre_cosine_.push_back(static_cast<float>(std::cos(centre)));
    }
    const auto n = static_cast<std::size_t>(flows.n_slope_cells());
    for (auto* table :
         {&sine_rate_, &cosine_rate_, &explicit_sine_rate_, &explicit_cosine_rate_, &explicit_fraction_})
      table->resize(n * n_frequencies_);
    is_explicit_.resize(n * n_frequencies_);
    n_refracted_.resize(n);
  }
  /// Computes the rates. @param gradients of the current (slope cell); empty without a current
  void update(const FlowTables& flows, const DispersionTables& tables,
              std::span<const CurrentGradient> gradients) {
    face_current_rates_.clear();
    centre_current_rates_.clear();
    largest_current_rate_.clear();
    for (const auto& gradient : gradients) {
      largest_current_rate_.push_back(
          std::max(append_current_rates(gradient, face_sine_, face_cosine_, face_current_rates_),
                   append_current_rates(gradient, centre_sine_, centre_cosine_, centre_current_rates_)));
    }
    for (LocalIndex cell = 0; cell < flows.n_slope_cells(); ++cell) set_rates(flows, tables, cell);
  }
  /// Chooses, for each slope cell and frequency, turning in the explicit step or split from it. Turning is
  /// split where the explicit step would be unstable, and with the second-order scheme where waves refract.
  /// With the first-order scheme turning by currents is always explicit.
  /// @param steps_s [s] (frequency)  @param currents (slope cell); empty without a current
  void choose_explicit_or_split(const FlowTables& flows, const DispersionTables& tables,
                                std::span<const Current> currents, std::span<const double> steps_s) {
    for (LocalIndex cell = 0; cell < flows.n_slope_cells(); ++cell) {
      const float current_rate = explicit_turning_by_current(cell);
      const float current_outflow = currents.empty() ? 0 : currents[cell].outflow;
      for (int f = 0; f < n_frequencies_; ++f) {
        const auto i = index(cell, f);
        const auto dt = static_cast<float>(steps_s[f]);
        const float rate = std::hypot(sine_rate_[i], cosine_rate_[i]);
        const float outflow =
            flows.largest_outflow(cell, f) * tables.group_speed()(cell, f) + current_outflow;
        // The bound of second_order_step.
        is_explicit_[i] = dt * (outflow + 2 * (rate + current_rate)) <= 1 &&
                          (!splits_refraction_ || f >= n_refracted_[cell]);
        explicit_fraction_[i] = dt * 2 * ((is_explicit_[i] ? rate : 0) + current_rate);
        explicit_sine_rate_[i] = is_explicit_[i] ? sine_rate_[i] : 0;
        explicit_cosine_rate_[i] = is_explicit_[i] ? cosine_rate_[i] : 0;
      }
    }
  }
  /// Returns the turning rates of a cell for the explicit step, which are 0 where turning is split from it;
  /// row 0 of the rates is `frequency`, row 1 the next frequency.
  TurningRates explicit_rates(LocalIndex cell, int frequency) const {
    return rates(explicit_sine_rate_, explicit_cosine_rate_, !splits_refraction_, cell, frequency);
  }
  /// Returns the turning rates of a cell and frequency whose turning is split from the explicit step.
  TurningRates split_rates(LocalIndex cell, int frequency) const {
    return rates(sine_rate_, cosine_rate_, splits_refraction_, cell, frequency);
  }
  /// Returns an upper bound of the split turning rate over all directions [bins s-1].
  float largest_split_rate(LocalIndex cell, int frequency) const {
    const auto i = index(cell, frequency);
    return std::hypot(sine_rate_[i], cosine_rate_[i]) +
           (splits_refraction_ ? largest_turning_by_current(cell) : 0);
  }
  bool is_explicit(LocalIndex cell, int frequency) const { return is_explicit_[index(cell, frequency)]; }
  /// Returns the largest fraction of a bin's action that explicit turning removes per substep (frequency).
  const float* explicit_fraction(LocalIndex cell) const { return &explicit_fraction_[index(cell, 0)]; }
  /// Returns the largest rate of turning by currents in the explicit step, over all directions [bins s-1].
  float explicit_turning_by_current(LocalIndex cell) const {
    return splits_refraction_ ? 0 : largest_turning_by_current(cell);
  }
  /// Returns the fraction of (owned cell, frequency) pairs whose turning is split from the explicit step.
  double split_share(LocalIndex n_owned) const {
    const auto n = static_cast<std::size_t>(n_owned) * n_frequencies_;
    const auto n_split = std::count(is_explicit_.begin(), is_explicit_.begin() + n, 0);
    return n > 0 ? static_cast<double>(n_split) / static_cast<double>(n) : 0;
  }
  std::int64_t memory_bytes() const {
    const std::size_t n_floats =
        5 * sine_rate_.size() + 2 * face_current_rates_.size();  // 5 and 2 tables of these sizes
    return static_cast<std::int64_t>(n_floats * sizeof(float) + is_explicit_.size());
  }

 private:
  /// Turning [bins] while waves cross a cell, up to which first-order upwind suffices: its numerical
  /// diffusion is then at most one bin per thousand cells.
  static constexpr double kNegligibleTurning = 1e-3;
  /// Returns the largest turning rate by currents over all directions [bins s-1].
  float largest_turning_by_current(LocalIndex cell) const {
    return largest_current_rate_.empty() ? 0 : largest_current_rate_[cell];
  }
  /// Returns turning rates from the given tables, with or without those by currents.
  TurningRates rates(const std::vector<float>& sine_rate, const std::vector<float>& cosine_rate,
                     bool has_current, LocalIndex cell, int frequency) const {
    const auto current_rate = [&](const std::vector<float>& rates) {
      const auto first = static_cast<std::size_t>(cell) * (n_directions_ + 1);
      return (has_current && !rates.empty() ? rates.data() + first : zero_rates_.data()) + 1;
    };
    return {.sine_rate = &sine_rate[index(cell, frequency)],
            .cosine_rate = &cosine_rate[index(cell, frequency)],
            .face = {.sine = face_sine_.data() + 1,
                     .cosine = face_cosine_.data() + 1,
                     .current_rate = current_rate(face_current_rates_)},
            .centre = {.sine = centre_sine_.data() + 1,
                       .cosine = centre_cosine_.data() + 1,
                       .current_rate = current_rate(centre_current_rates_)}};
  }
  std::size_t index(LocalIndex cell, int frequency) const {
    return static_cast<std::size_t>(cell) * n_frequencies_ + frequency;
  }
  /// Sets the rates of a cell to the sum of refraction over depth by Snell's law,
  /// thetadot = cg (dln(c)/dy sin(theta) - dln(c)/dx cos(theta)), x east, y north, and of the part of
  /// great-circle turning that is proportional to the sum of the edge normals. Half-way to a neighbour ln(c)
  /// has its value at the mean depth: it is far from linear near shores, and so waves that cross several
  /// cells turn by Snell's law between their centres.
  void set_rates(const FlowTables& flows, const DispersionTables& tables, LocalIndex cell) {
    double normals_east = 0, normals_north = 0;
    for (const auto& edge : flows.edges(cell)) {
      normals_east += edge.length_over_area * std::sin(edge.outward_direction);
      normals_north += edge.length_over_area * std::cos(edge.outward_direction);
    }
    n_refracted_[cell] = largest_turning_by_current(cell) > 0 ? n_frequencies_ : 0;
    for (int f = 0; f < n_frequencies_; ++f) {
      const double cg = tables.group_speed()(cell, f), c = tables.phase_speed()(cell, f);
      double sine = 0, cosine = 0;
      if (has_refraction_) {
        for (const auto& neighbour : flows.gradient_neighbours(cell)) {
          const double speed = midway_phase_speed(tables, cell, neighbour.cell, f);
          const double rate = cg / direction_width_ * 2 * std::log(speed / c);
          sine += neighbour.gradient_weight_north * rate;
          cosine -= neighbour.gradient_weight_east * rate;
        }
      }
      const double crossing_rate = cg * flows.largest_outflow(cell, f);  // [s-1]
      if (std::hypot(sine, cosine) > kNegligibleTurning * crossing_rate)
        n_refracted_[cell] = std::max(n_refracted_[cell], f + 1);
      sine_rate_[index(cell, f)] = static_cast<float>(sine - normals_factor_ * cg * normals_north);
      cosine_rate_[index(cell, f)] = static_cast<float>(cosine + normals_factor_ * cg * normals_east);
    }
  }
  /// Returns the phase speed c [m s-1] at the mean depth of two cells.
  double midway_phase_speed(const DispersionTables& tables, LocalIndex cell, LocalIndex neighbour,
                            int frequency) const {
    const double speed = tables.phase_speed()(cell, frequency);
    if (speed == tables.phase_speed()(neighbour, frequency)) return speed;  // equal depth or deep water
    const double depth = 0.5 * (static_cast<double>(tables.depth()[cell]) + tables.depth()[neighbour]);
    return sigma_[frequency] / wavenumber(sigma_[frequency], depth);
  }
  /// Appends the rates of refraction by a current (U, V) (Komen et al. 1994, I.88, with directions clockwise
  /// from north):
  ///   thetadot = -(cos(theta) d/dx - sin(theta) d/dy) (U sin(theta) + V cos(theta))
  /// @returns the largest magnitude
  float append_current_rates(const CurrentGradient& g, std::span<const float> sine,
                             std::span<const float> cosine, std::vector<float>& rows) const {
    float largest_rate = 0;
    for (int m = 0; m <= n_directions_; ++m) {
      const double s = sine[m], c = cosine[m];
      const double rate = -c * (s * g.eastward_east + c * g.northward_east) +
                          s * (s * g.eastward_north + c * g.northward_north);
      rows.push_back(has_refraction_ ? static_cast<float>(rate / direction_width_) : 0.f);
      largest_rate = std::max(largest_rate, std::abs(rows.back()));
    }
    return largest_rate;
  }

  int n_frequencies_, n_directions_;
  bool splits_refraction_;     ///< whether refraction is split from the explicit step (second order)
  std::vector<double> sigma_;  ///< [rad s-1] (frequency)
  double direction_width_;     ///< [rad]
  double normals_factor_;      ///< factor of the sum of the edge normals; 0 without great-circle turning
  bool has_refraction_;
  // A face lies between two direction bins; (face), (centre): n_directions + 1 elements, of which the first
  // equals the last.
  std::vector<float> face_sine_, face_cosine_, zero_rates_;       ///< (face)
  std::vector<float> centre_sine_, centre_cosine_;                ///< (centre)
  std::vector<float> sine_rate_, cosine_rate_;                    ///< [bins s-1] (slope cell, frequency)
  std::vector<float> explicit_sine_rate_, explicit_cosine_rate_;  ///< 0 where turning is split
  /// Number of frequencies, from the lowest, that refract: all with a current, else up to the last whose
  /// refraction exceeds kNegligibleTurning (slope cell).
  std::vector<int> n_refracted_;
  // [bins s-1] (slope cell, face or centre), or empty:
  std::vector<float> face_current_rates_, centre_current_rates_;
  std::vector<float> largest_current_rate_;  ///< [bins s-1] (slope cell), or empty
  std::vector<std::uint8_t> is_explicit_;    ///< (slope cell, frequency)
  std::vector<float> explicit_fraction_;     ///< (slope cell, frequency)
};

}  // namespace halcyon::wave
