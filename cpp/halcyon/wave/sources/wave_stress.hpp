#pragma once

#include <vector>

#include "halcyon/wave/sources/kernels/wind_over_waves.hpp"
#include "halcyon/wave/sources/source_set.hpp"

namespace halcyon::wave {

/// Options of wind input coupled to the wave stress.
struct WaveStressOptions {
  explicit WaveStressOptions(const options::Values& resolved);

  float growth;          ///< beta_max / kappa^2
  float shift;           ///< z_alpha
  bool shifted = false;  ///< z_alpha is added to u*/c in the square, too (WAM cycle 4)
  float sheltering = 0;  ///< coefficient s_u of the sheltering of short waves by longer waves
  float gustiness = 0;   ///< relative standard deviation of u*; if not 0, two gust states
  float density_ratio;   ///< rho_a / rho_w
  int passes;            ///< number of evaluations of wind input; the drag is updated between them
  DragOptions drag;
};

/// Defaults that depend on the set.
struct WaveStressDefaults {
  double betamax = 1.2, charnock = 0.0065, drag_cap = 2.5e-3;
};

/// Returns the options of this wind input for case files.
std::vector<Option> wave_stress_options(const WaveStressDefaults& defaults = {});

/// Wind input by Miles' mechanism, in balance with the wave stress (Janssen 1991). The stress is recomputed
/// in every step from the first-guess drag and the present spectrum, so no state is kept between steps.
class WaveStress {
 public:
  WaveStress(const SpectralGrid& grid, const WaveStressOptions& options);

  /// Computes the growth rates [s-1], and u* and z0 of the surface.
  /// @param energy F, rows wrapped   @param sea wind on input, with u* and z0 on output
  void balance(const DirectionRows& energy, const float* wavenumber, SeaSurface& sea, DirectionRows& growth);

 private:
  struct Vector {
    float east = 0, north = 0;
  };
  struct GustState {
    float weight;
    bool is_first;
  };
  struct EffectiveWind {
    float friction_velocity;
    Vector direction;
  };

  float wave_stress(const DirectionRows& energy, const SeaSurface& sea, DirectionRows& growth);
  Vector add_growth(const DirectionRows& energy, const SeaSurface& sea, EffectiveWind unsheltered,
                    GustState gust_state, DirectionRows& growth);
  Vector add_growth_of_frequency(const float* energy, const MilesGrowth& rate, Vector direction,
                                 GustState gust_state, float* growth) const;
  EffectiveWind sheltered(const SeaSurface& sea, EffectiveWind unsheltered, Vector stress) const;
  float tail(const SeaSurface& sea, EffectiveWind effective) const;
  float level_of_tail(const float* energy, const SeaSurface& sea) const;

  WaveStressOptions options_;
  int n_frequencies_, n_directions_;
  float longest_growing_, tail_level_;  // as in MilesTail; tail_level_ without the integral J
  float level_ = 0;                     // MilesTail::level of the current cell
  std::vector<float> sigma_, width_, sine_, cosine_, masked_sine_, masked_cosine_;
  std::vector<float> wavenumber_, log_wavenumber_;  // in the current cell
};

}  // namespace halcyon::wave
