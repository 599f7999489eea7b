#pragma once

#include <vector>

#include "halcyon/wave/sources/kernels/wind_over_waves.hpp"
#include "halcyon/wave/sources/source_set.hpp"

namespace halcyon::wave {

/// Options of wind input coupled to the wave stress.
struct WaveStressOptions {
  explicit WaveStressOptions(const options::Values& resolved);
  float growth;  ///< beta_max / kappa^2
  float shift;   ///< z_alpha
  bool shift_in_square =
      false;             ///< whether z_alpha is also added to u*/c in the factor (u*/c)^2 (WAM cycle 4)
  float sheltering = 0;  ///< coefficient s_u of the sheltering of short waves by longer waves
  /// Relative standard deviation of u*; if not 0, input is the mean of two gust states, u* (1 +- gustiness).
  float gustiness = 0;
  float density_ratio;  ///< rho_a / rho_w
  int passes;           ///< largest number of evaluations of drag and wind input in a step
  DragOptions drag;
};

/// Defaults of wave_stress_options that depend on the physics set.
struct WaveStressDefaults {
  double betamax = 1.2, z_alpha = 0.008, charnock = 0.0065, drag_cap = 2.5e-3, passes = 8;
};

/// Returns the options of wind input coupled to the wave stress, as in case files.
std::vector<Option> wave_stress_options(const WaveStressDefaults& defaults = {});

/// Wind input by Miles' mechanism, in balance with the wave stress (Janssen 1991). The stress is kept from
/// step to step (Komen et al. 1994), so that it converges over the steps also with few passes.
class WaveStress {
 public:
  WaveStress(const SpectralGrid& grid, const WaveStressOptions& options);
  /// Computes the growth rates of wind input, and u*, z0 and the wave stress of the surface.
  /// @param energy F [m2 Hz-1 rad-1], rows wrapped   @param wavenumber [m-1] (frequency)
  /// @param sea wind and wave stress of the last step on input, also u* and z0 on output   @param growth
  /// [s-1] (frequency, direction), written
  void balance(const DirectionRows& energy, const float* wavenumber, SeaSurface& sea, DirectionRows& growth);

 private:
  struct Vector {
    float east = 0, north = 0;
  };
  struct GustState {
    float weight;   ///< of the state in the mean
    bool is_first;  ///< whether growth must be set to zero before the state is added
  };
  /// The wind that waves of one frequency feel, reduced by the sheltering of longer waves.
  struct EffectiveWind {
    float friction_velocity;  ///< [m s-1]
    Vector direction;         ///< unit vector
  };
  float wave_stress(const DirectionRows& energy, const SeaSurface& sea, DirectionRows& growth);
  Vector add_growth(const DirectionRows& energy, const SeaSurface& sea, EffectiveWind unsheltered,
                    GustState gust_state, DirectionRows& growth);
  Vector add_growth_of_frequency(const float* energy, const MilesGrowth& rate, Vector direction,
                                 GustState gust_state, float* growth) const;
  EffectiveWind sheltered(const SeaSurface& sea, EffectiveWind unsheltered, Vector stress) const;
  float tail_stress(const SeaSurface& sea, EffectiveWind effective) const;
  float tail_level(const float* energy, const SeaSurface& sea) const;

  WaveStressOptions options_;
  int n_frequencies_, n_directions_;
  float longest_growing_;                           // as in MilesTail
  float tail_level_factor_;                         // ratio of MilesTail::level to sum_m F max(cos, 0)^3
  float tail_level_ = 0;                            // MilesTail::level of the cell being computed
  std::vector<float> sigma_, bin_area_;             // [rad s-1], df dtheta [Hz rad] (frequency)
  std::vector<float> sine_, cosine_;                // (direction), padded to a multiple of kLanes
  std::vector<float> masked_sine_, masked_cosine_;  // the same, 0 in the padding
  std::vector<float> wavenumber_, log_wavenumber_;  // of the cell being computed (frequency)
};

}  // namespace halcyon::wave
