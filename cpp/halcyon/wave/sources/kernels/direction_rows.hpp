#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace halcyon::wave {

/// Scratch memory of one cell: a row of directions for each frequency, continued around the circle on both
/// sides, so that loops over eight directions at a time may reach `pad` directions away and past the end.
/// Rows n_before below the first and n_after above the last exist and stay zero.
class DirectionRows {
 public:
  DirectionRows(int n_frequencies, int n_directions, int pad, int n_before = 0, int n_after = 0);

  float* row(int frequency) { return first_ + static_cast<std::ptrdiff_t>(frequency) * stride_; }
  const float* row(int frequency) const { return first_ + static_cast<std::ptrdiff_t>(frequency) * stride_; }

  /// Continues a row whose n_directions values are set.
  void wrap(float* row) const;

  /// Floats that a loop over a row covers: n_directions rounded up to whole lanes.
  int length() const { return length_; }

 private:
  struct Free {
    void operator()(float* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };

  int n_directions_, pad_, length_, stride_;
  std::unique_ptr<float[], Free> memory_;
  float* first_;
};

}  // namespace halcyon::wave
