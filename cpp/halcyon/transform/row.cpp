#include "halcyon/transform/row.hpp"

#include <algorithm>

namespace halcyon::transform {

Row::Row(const Fft& fft, const schedule::Division& parts, std::vector<std::size_t> starts)
    : fft_(&fft), starts_(std::move(starts)) {
  for (int v = 0; v <= parts.parts; ++v) begins_.push_back(static_cast<int>(parts.begin(v)));
}

void Row::to_values(double* waves, int field, std::span<const Part<double>> parts, double* whole) const {
  const auto place = [&](std::size_t v) { return parts[v].at + field * parts[v].stride + starts_[v]; };
  if (parts.size() == 1) return fft_->to_values(waves, place(0));
  fft_->to_values(waves, whole);
  for (std::size_t v = 0; v < parts.size(); ++v)
    std::copy(whole + begins_[v], whole + begins_[v + 1], place(v));
}

void Row::to_waves(std::span<const Part<const double>> parts, int field, double* waves, double* whole) const {
  const auto place = [&](std::size_t v) { return parts[v].at + field * parts[v].stride + starts_[v]; };
  if (parts.size() == 1) return fft_->to_waves(place(0), waves);
  for (std::size_t v = 0; v < parts.size(); ++v)
    std::copy_n(place(v), begins_[v + 1] - begins_[v], whole + begins_[v]);
  fft_->to_waves(whole, waves);
}

}  // namespace halcyon::transform
