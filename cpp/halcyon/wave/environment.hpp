#pragma once

#include <span>

#include "halcyon/base/index.hpp"
#include "halcyon/base/view.hpp"

namespace halcyon::wave {

/// The cells begin, begin + 1, ..., end - 1 of a rank.
struct CellRange {
  LocalIndex begin, end;
};

/// 10-m wind [m s-1] of each cell of a rank; the vector points where the air goes.
struct WindField {
  std::span<const float> eastward, northward;
};

/// Water depth [m] (cell) and wavenumber [m-1] (cell, frequency) of each cell of a rank.
struct Medium {
  std::span<const float> depth;
  View<const float, 2> wavenumber;
};

}  // namespace halcyon::wave
