#include <algorithm>
#include <cmath>

#include "halcyon/wave/sources/kernels/sources.hpp"
#include "halcyon/wave/sources/source_set.hpp"

namespace halcyon::wave {

namespace {

void put(std::span<float> array, LocalIndex cell, float value) {
  if (!array.empty()) array[cell] = value;
}

}  // namespace

SourceTerms SourceSet::terms(View<const float, 3> action, LocalIndex i, const Medium& medium,
                             const WindField& wind) {
  const SourceCell cell = this->cell(i, medium, wind);
  aim(cell);
  read(action.row(i, 0).data());
  MomentSums sums = moments(cell);
  set_wind(cell, sums);
  add_sea(sums);
  set_rates(cell, sums);
  dia_.interact(energy_);
  SourceTerms terms;
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    for (int k = 0; k < grid_.n_directions; ++k) {
      const float f = energy_.row(m)[k];
      const int lane = k % kLanes, start = k - lane;
      terms.wind_input.push_back(growth_.row(m)[k] * f);
      terms.linear_growth.push_back(seed_[m] * ahead2_[k] * ahead2_[k]);
      terms.swell_damping.push_back((swell_[m].offset + swell_[m].slope * wind_cosine(start)[lane]) * f);
      terms.whitecapping.push_back((whitecapping_[m] + breaking_waves_.row(m)[k]) * f);
      terms.nonlinear.push_back(transfer_[m] * dia_.at(m)(start).transfer[lane]);
      terms.bottom_friction.push_back(friction_[m] * f);
      terms.depth_breaking.push_back(breaking_ * f);
    }
  }
  return terms;
}

void SourceSet::surface(View<const float, 3> action, CellRange cells, const Medium& medium,
                        const WindField& wind, const SurfaceArrays& arrays) {
  for (LocalIndex i = cells.begin; i < cells.end; ++i) {
    const SourceCell cell = this->cell(i, medium, wind);
    aim(cell);
    read(action.row(i, 0).data());
    set_wind(cell, moments(cell));
    const float stress = air_density_ * sea_.friction_velocity * sea_.friction_velocity;
    put(arrays.friction_velocity, i, sea_.friction_velocity);
    put(arrays.roughness_length, i, sea_.roughness_length);
    put(arrays.eastward_stress, i, stress * sea_.east);
    put(arrays.northward_stress, i, stress * sea_.north);
  }
}

}  // namespace halcyon::wave
