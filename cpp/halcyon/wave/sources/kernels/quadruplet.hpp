#pragma once

namespace halcyon::wave {

/// A wavenumber vector, in units of which the first wave's length is 1, or any others.
struct Wave {
  double east, north;
};

/// Webb's (1978) coupling D^2 / (w1 w2 w3 w4) of four waves in deep water with k1 + k2 = k3 + k4, w = sqrt
/// |k|, with the corrections of Dungey and Hui (1979). 16 |k|^6 where all four are equal.
double webb_coupling(Wave k1, Wave k2, Wave k3, Wave k4);

}  // namespace halcyon::wave
