#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/wave/medium.hpp"
#include "halcyon/wave/transport/flow_tables.hpp"
#include "halcyon/wave/transport/kernels/schemes.hpp"
#include "halcyon/wave/transport/kernels/slopes.hpp"
#include "halcyon/wave/transport/water.hpp"

namespace halcyon::wave {

/// How fast waves turn in the known cells of a rank: by refraction, by currents, and by what remains of the
/// sphere's curvature within a cell. The last is made from the discrete divergence of the cell's directions,
/// so that the transport of a uniform spectrum over uniform depth vanishes exactly (up to round-off) away
/// from coasts.
class Turning {
 public:
  Turning(const FlowTables& flows, const SpectralGrid& grid, const TransportOptions& options);

  /// Makes the rates anew. @param currents of known cells; empty where the water is at rest
  void update(const FlowTables& flows, const DispersionTables& tables,
              std::span<const CurrentGradient> currents);

  /// Says for each known cell and frequency whether turning is slow enough for an explicit step, of so many
  /// seconds by frequency.
  void choose(const FlowTables& flows, const DispersionTables& tables, std::span<const Current> currents,
              std::span<const double> steps_s);

  TurningRates rates(LocalIndex known, int frequency) const;
  /// Zero in place of sine and cosine where turning is implicit.
  TurningRates explicit_rates(LocalIndex known, int frequency) const;
  bool is_explicit(LocalIndex known, int frequency) const { return is_explicit_[at(known, frequency)]; }
  /// The part of a step that explicit turning may take from a bin (frequency).
  const float* taken(LocalIndex known) const { return &taken_[at(known, 0)]; }

  /// So many of the first frequencies turn fast enough that second order matters.
  int n_noticeable(LocalIndex known) const { return n_noticeable_[known]; }

  /// The fastest turning by currents [bins s-1].
  float fastest_by_current(LocalIndex known) const;
  /// The share of pairs of owned cell and frequency whose turning is implicit.
  double implicit_share(LocalIndex n_owned) const;
  std::int64_t memory_bytes() const;

 private:
  std::size_t at(LocalIndex cell, int frequency) const {
    return static_cast<std::size_t>(cell) * n_frequencies_ + frequency;
  }
  void set_rates(const FlowTables& flows, const DispersionTables& tables, LocalIndex cell);
  void set_current(const CurrentGradient& current, std::vector<float>& rows) const;

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
