#pragma once

#include <vector>

#include "halcyon/wave/sources/kernels/wind_over_waves.hpp"
#include "halcyon/wave/sources/source_set.hpp"

namespace halcyon::wave {

/// Options of wind input with the stress that waves take from the wind.
struct WaveStressOptions {
  explicit WaveStressOptions(const options::Values& resolved);

  float growth;          ///< beta_max / kappa^2
  float shift;           ///< z_alpha
  bool shifted = false;  ///< u*/c + z_alpha in the square, too (WAM cycle 4), not in the exponent alone
  float sheltering = 0;  ///< how much of the stress of longer waves shorter waves do not see
  float gustiness = 0;   ///< relative standard deviation of u*, two states of the wind if not zero
  float density_ratio;   ///< rho_a / rho_w
  int passes;            ///< evaluations of the input, with the stress between
  DragOptions drag;
};

/// Where sets differ in them.
struct WaveStressDefaults {
  double betamax = 1.2, charnock = 0.0065, drag_cap = 2.5e-3;
};

/// What a case may give for this wind input.
std::vector<Option> wave_stress_options(const WaveStressDefaults& defaults = {});

/// Wind input by Miles' mechanism, in balance with the stress that the waves take (Janssen 1991). The stress
/// is found anew in every step, from the guessed drag and the present spectrum, so nothing is kept from one
/// step to the next.
class WaveStress {
 public:
  WaveStress(const SpectralGrid& grid, const WaveStressOptions& options);

  /// Sets the rates of growth [s-1] and u* and z0 of the surface.
  /// @param energy F, rows wrapped   @param sea the wind, and what is found
  void balance(const DirectionRows& energy, const float* wavenumber, SeaSurface& sea, DirectionRows& growth);

 private:
  struct Vector {
    float east = 0, north = 0;
  };
  // A state of the wind: its weight in the mean, and whether it is the first.
  struct Part {
    float share;
    bool first;
  };
  struct Seen {
    float friction_velocity;
    Vector direction;
  };

  float wave_stress(const DirectionRows& energy, const SeaSurface& sea, DirectionRows& growth);
  Vector grow(const DirectionRows& energy, const SeaSurface& sea, Seen state, Part part,
              DirectionRows& growth);
  Vector grow_frequency(const float* energy, const MilesGrowth& rate, Vector direction, Part part,
                        float* growth) const;
  Seen sheltered(const SeaSurface& sea, Seen state, Vector stress) const;
  float tail(const SeaSurface& sea, Seen seen) const;
  float level_of_tail(const float* energy, const SeaSurface& sea) const;

  WaveStressOptions options_;
  int n_frequencies_, n_directions_;
  float longest_, tail_level_;
  float level_ = 0;  // of the tail of the cell
  std::vector<float> sigma_, width_, sine_, cosine_, counted_sine_, counted_cosine_;
  std::vector<float> wavenumber_, log_wavenumber_;  // of the cell
};

}  // namespace halcyon::wave
