#include "halcyon/transform/four_rows.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "halcyon/transform/fft.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::transform;

namespace {

/// Four rows of values without symmetry, each of them behind the other and off boundaries of registers.
struct Rows {
  explicit Rows(int length) : length(length), values(kLanes * (length + 1)) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::sin(3.7 * static_cast<double>(i)) + 0.3 * static_cast<double>(i % 7);
  }
  double* row(int lane) { return values.data() + lane * (length + 1) + 1; }
  std::array<double*, kLanes> rows() { return {row(0), row(1), row(2), row(3)}; }
  std::array<const double*, kLanes> sources() { return {row(0), row(1), row(2), row(3)}; }

  int length;
  std::vector<double> values;
};

Buffer waves_of(int length) {
  return Buffer(2 * kLanes * (length / 2 + 1));
}

}  // namespace

TEST_CASE("transform four rows: lengths" * test::in_process()) {
  for (const int length : {12, 16, 18, 20, 30, 90, 180, 256, 384, 480, 512, 1280})
    CHECK(FourRows::has(length));
  for (const int length : {0, 2, 4, 6, 8, 10, 15, 27, 28, 44, 97, 194}) CHECK_FALSE(FourRows::has(length));
}

TEST_CASE("transform four rows: as the library transforms each" * test::in_process()) {
  for (int length = 12; length <= 1280; length += 2) {
    if (!FourRows::has(length)) continue;
    CAPTURE(length);
    Rows given(length), found(length);
    FourRows four(length);
    const Fft single(length);
    auto waves = waves_of(length);
    Buffer expected(length + 2);
    std::vector<double> values(length);
    four.to_waves(given.sources(), waves.data());
    auto again = waves_of(length);
    std::memcpy(again.data(), waves.data(), length / 2 * 2 * kLanes * sizeof(double));
    const int last = length / 3;
    four.to_values(again.data(), last, found.rows());
    for (int lane = 0; lane < kLanes; ++lane) {
      single.to_waves(given.row(lane), expected.data());
      double apart = 0;
      for (int i = 0; i < length; ++i)
        apart = std::max(apart, std::abs(expected.data()[i] - waves.data()[i * kLanes + lane]));
      CHECK(apart < 1e-15 * length);
      std::fill(expected.data() + 2 * (last + 1), expected.data() + length + 2, 0.0);
      single.to_values(expected.data(), values.data());
      apart = 0;
      for (int k = 0; k < length; ++k) apart = std::max(apart, std::abs(values[k] - found.row(lane)[k]));
      CHECK(apart < 3e-15 * length);
    }
  }
}

TEST_CASE("transform four rows: a row's bits are its own" * test::in_process()) {
  for (const int length : {18, 90, 256, 480}) {
    CAPTURE(length);
    FourRows four(length);
    Rows all(length), one(length), back(length), lonely(length);
    auto waves = waves_of(length), alone = waves_of(length);
    four.to_waves(all.sources(), waves.data());
    for (int lane = 0; lane < kLanes; ++lane) {
      std::memcpy(one.row(2), all.row(lane), length * sizeof(double));
      four.to_waves({nullptr, nullptr, one.row(2), nullptr}, alone.data());
      for (int i = 0; i < length; ++i) CHECK(waves.data()[i * kLanes + lane] == alone.data()[i * kLanes + 2]);
    }
    const int last = length / 2 - 1;
    for (int i = 0; i < length; ++i) alone.data()[i * kLanes + 2] = waves.data()[i * kLanes + 1];
    four.to_values(waves.data(), last, back.rows());
    four.to_values(alone.data(), last, {nullptr, nullptr, lonely.row(2), nullptr});
    CHECK(std::memcmp(back.row(1), lonely.row(2), length * sizeof(double)) == 0);
  }
}
