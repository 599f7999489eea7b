#include "halcyon/spectral/ground.hpp"

#include "halcyon/spectral/winds.hpp"

namespace halcyon::spectral {

void Ground::set(std::span<const double> height) {
  require_size("ground", height.size(), geopotential_.size());
  for (std::size_t i = 0; i < height.size(); ++i) geopotential_[i] = basis_.planet().gravity * height[i];
  std::vector<Complex> truncated(basis_.n_coefficients());
  basis_.transform().analysis(geopotential_, truncated);
  basis_.transform().synthesis(truncated, geopotential_);
}

std::vector<double> Ground::height() const {
  std::vector<double> found(geopotential_);
  for (auto& each : found) each /= basis_.planet().gravity;
  return found;
}

}  // namespace halcyon::spectral
