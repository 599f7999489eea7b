#include "halcyon/wave/transport/turning.hpp"

#include <algorithm>
#include <cmath>

namespace halcyon::wave {

namespace {

/// Turning by so many bins while waves cross a cell: upwind differences then cost a bin after a thousand
/// cells.
constexpr double kNegligible = 1e-3;

}  // namespace

Turning::Turning(const FlowTables& flows, const SpectralGrid& grid, const TransportOptions& options)
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

void Turning::update(const FlowTables& flows, const DispersionTables& tables,
                     std::span<const CurrentGradient> currents) {
  by_current_.clear();
  for (const auto& current : currents) set_current(current, by_current_);
  for (LocalIndex cell = 0; cell < flows.n_known(); ++cell) set_rates(flows, tables, cell);
}

/// Snell's law, thetadot = (cg/c) (dc/dy sin(theta) - dc/dx cos(theta)), and the closure of the cell's edges.
void Turning::set_rates(const FlowTables& flows, const DispersionTables& tables, LocalIndex cell) {
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
void Turning::set_current(const CurrentGradient& g, std::vector<float>& rows) const {
  for (int m = 0; m <= n_directions_; ++m) {
    const double s = face_sine_[m], c = face_cosine_[m];
    const double rate = -c * (s * g.eastward_east + c * g.northward_east) +
                        s * (s * g.eastward_north + c * g.northward_north);
    rows.push_back(refraction_ ? static_cast<float>(rate / width_) : 0.f);
  }
}

float Turning::fastest_by_current(LocalIndex known) const {
  if (by_current_.empty()) return 0;
  const auto n = static_cast<std::size_t>(n_directions_) + 1;
  float fastest = 0;
  for (const float rate : std::span(by_current_).subspan(known * n, n))
    fastest = std::max(fastest, std::abs(rate));
  return fastest;
}

void Turning::choose(const FlowTables& flows, const DispersionTables& tables,
                     std::span<const Current> currents, std::span<const double> steps_s) {
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

TurningRates Turning::rates(LocalIndex known, int frequency) const {
  auto found = explicit_rates(known, frequency);
  found.sine = &sine_[at(known, frequency)];
  found.cosine = &cosine_[at(known, frequency)];
  return found;
}

TurningRates Turning::explicit_rates(LocalIndex known, int frequency) const {
  const auto row = static_cast<std::size_t>(known) * (n_directions_ + 1);
  return {.sine = &explicit_sine_[at(known, frequency)],
          .cosine = &explicit_cosine_[at(known, frequency)],
          .face_sine = face_sine_.data() + 1,
          .face_cosine = face_cosine_.data() + 1,
          .current = (by_current_.empty() ? rest_.data() : by_current_.data() + row) + 1};
}

double Turning::implicit_share(LocalIndex n_owned) const {
  const auto n = static_cast<std::size_t>(n_owned) * n_frequencies_;
  const auto n_implicit = std::count(is_explicit_.begin(), is_explicit_.begin() + n, 0);
  return n > 0 ? static_cast<double>(n_implicit) / static_cast<double>(n) : 0;
}

std::int64_t Turning::memory_bytes() const {
  const std::size_t n_floats = sine_.size() * 5 + by_current_.size();
  return static_cast<std::int64_t>(n_floats * sizeof(float) + is_explicit_.size());
}

}  // namespace halcyon::wave
