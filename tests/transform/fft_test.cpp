#include "halcyon/transform/fft/fft.hpp"

#include <cmath>
#include <complex>
#include <vector>

#include "halcyon/base/constants.hpp"
#include "halcyon/transform/share/buffer.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::transform;

TEST_CASE("transform fft: sums of waves, for lengths with any factors" * test::in_process()) {
  // Waves are compared with the sum that defines the discrete Fourier transform, values with those given.
  for (const int length : {1, 2, 3, 8, 20, 28, 30, 97, 256, 1009}) {
    std::vector<double> values(length);
    for (int k = 0; k < length; ++k) values[k] = std::sin(3.7 * k) + 0.3 * k;
    Buffer waves(2 * (length / 2 + 1));
    const Fft fft(length);
    fft.to_waves(values.data(), waves.data());
    for (int m = 0; m <= length / 2; ++m) {
      std::complex<double> sum = 0;
      for (int k = 0; k < length; ++k)
        sum += values[k] *
               std::polar(1.0, -kTwoPi * (static_cast<double>(static_cast<long>(m) * k % length)) / length);
      CHECK(std::abs(sum - std::complex<double>(waves.data()[2 * m], waves.data()[2 * m + 1])) <
            1e-13 * length * length);
    }
    std::vector<double> back(length);
    fft.to_values(waves.data(), back.data());
    for (int k = 0; k < length; ++k) CHECK(std::abs(back[k] / length - values[k]) < 1e-14 * length);
  }
}
