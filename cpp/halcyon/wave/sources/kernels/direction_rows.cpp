#include "halcyon/wave/sources/kernels/direction_rows.hpp"

#include <algorithm>

#include "halcyon/wave/lanes.hpp"

namespace halcyon::wave {

namespace {

int whole_lanes(int n) {
  return (n + kLanes - 1) / kLanes * kLanes;
}

float* allocate(std::size_t n) {
  auto* p = static_cast<float*>(::operator new[](n * sizeof(float), std::align_val_t{64}));
  std::fill_n(p, n, 0.f);
  return p;
}

}  // namespace

DirectionRows::DirectionRows(int n_frequencies, int n_directions, int pad, int n_before, int n_after)
    : n_directions_(n_directions),
      pad_(whole_lanes(pad)),
      length_(whole_lanes(n_directions)),
      stride_(length_ + 2 * pad_ + kLanes),
      memory_(allocate(static_cast<std::size_t>(n_before + n_frequencies + n_after) * stride_)),
      first_(memory_.get() + static_cast<std::ptrdiff_t>(n_before) * stride_ + pad_) {}

void DirectionRows::wrap(float* row) const {
  for (int j = -pad_; j < 0; j += kLanes) store(row + j, load(row + n_directions_ + j));
  for (int j = n_directions_; j < length_ + pad_; j += kLanes) store(row + j, load(row + j - n_directions_));
}

}  // namespace halcyon::wave
