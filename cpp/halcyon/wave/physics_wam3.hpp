#pragma once

#include <vector>

#include "halcyon/wave/kernels/dia.hpp"
#include "halcyon/wave/kernels/limiter.hpp"
#include "halcyon/wave/kernels/moments.hpp"
#include "halcyon/wave/kernels/sources.hpp"
#include "halcyon/wave/physics.hpp"

namespace halcyon::wave {

/// Strengths of the WAM cycle 3 source terms; see wam3_option_table for what each is.
struct Wam3Options {
  explicit Wam3Options(const Options& resolved);

  float drag_cap, whitecapping, friction, depth_limit;
  double lambda, transfer;
  bool linear_growth;
  Limiter limiter;
};

std::vector<Option> wam3_option_table();
std::unique_ptr<Physics> make_wam3(const SpectralGrid& grid, const Options& resolved);

/// The third-generation physics of WAM cycle 3 (WAMDI 1988; Komen et al. 1984), integrated semi-implicitly:
/// dF = dt S / max(1, 1 - dt dS/dF), |dF| limited, then a tail f^-5 and Hs at most a fraction of the depth.
class Wam3 final : public Physics {
 public:
  Wam3(const SpectralGrid& grid, const Wam3Options& options);

  std::string_view name() const override { return "wam3"; }
  BadCell step(View<float, 3> action, CellRange cells, const Medium& medium, const WindField& wind,
               double dt) override;
  SourceTerms terms(View<const float, 3> action, LocalIndex cell, const Medium& medium,
                    const WindField& wind) override;

 private:
  // One cell's inputs.
  struct Cell {
    float depth, eastward, northward;
    const float* wavenumber;
  };

  float step_cell(float* action, const Cell& cell, float dt);
  void read(const float* action);
  void set_wind(const Cell& cell);
  MomentSums moments(const Cell& cell);
  void set_rates(const Cell& cell, const MomentSums& sums);
  void set_limits(const MomentSums& sums, float dt);
  MomentSums advance(float dt);
  int last_prognostic(const MomentSums& sums) const;
  float write(float* action, int last);
  void scale(float* action, float factor) const;
  float cut_off(const MomentSums& sums) const;

  SpectralGrid grid_;
  Wam3Options options_;
  Dia dia_;
  MomentWeights weights_;
  std::vector<float> frequency_, sigma_, inverse_sigma_, width_, sine_, cosine_, tail_;

  DirectionRows energy_;  // F of the cell
  float friction_velocity_ = 0, depth_factor_ = 1;
  std::vector<float> wind_cosine_, wind_cosine4_;                    // (direction)
  std::vector<float> root_weight_, sink_, seed_, transfer_, limit_;  // (frequency)
  std::vector<WindInput> input_;                                     // (frequency)
};

}  // namespace halcyon::wave
