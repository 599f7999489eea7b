#include "halcyon/transform/fft/eight_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "halcyon/transform/fft/fft.hpp"
#include "halcyon/transform/registers/processor.hpp"
#include "halcyon/transform/sphere/sets.hpp"
#include "test.hpp"

using namespace halcyon::transform;
namespace test = halcyon::test;

namespace {

constexpr int kRows = 2 * kLanes;  ///< rows of a stripe: a northern row and its mirror image per lane
constexpr std::array<double, kLanes> kOnes{1, 1, 1, 1};
constexpr std::array<double, kLanes> kSines{0.5, 1, 0.25, 2};  // any numbers whose products are exact

double test_value(std::size_t i) {
  return std::sin(3.7 * static_cast<double>(i)) + 0.3 * static_cast<double>(i % 7);
}

/// The eight rows of a stripe with asymmetric values; rows are not aligned to registers.
struct Rows {
  explicit Rows(int length) : length(length), values(kRows * (length + 1)) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = test_value(i);
  }
  double* row(int lane) { return values.data() + lane * (length + 1) + 1; }
  template <class T>
  EightRowFft::Rows<T> rows() {
    EightRowFft::Rows<T> pointers;
    for (int lane = 0; lane < kRows; ++lane) pointers[lane] = row(lane);
    return pointers;
  }

  int length;
  std::vector<double> values;
};

/// Even and odd parts of the Fourier coefficients m = 0 .. largest_m of two fields, stored with m descending;
/// the kernels read and write the second field.
struct Blocks {
  explicit Blocks(int largest_m)
      : largest_m(largest_m),
        memory(2 * kBlockSize * (largest_m + 1)),
        numbers(memory.data(), memory.size()) {
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = test_value(i + 5);
    for (int m = 0; m <= largest_m; ++m) blocks.push_back(numbers.data() + 2 * kBlockSize * (largest_m - m));
  }
  ParityParts<double> to(const double* factors = kOnes.data(), bool non_temporal = false) {
    return {blocks.data(), kBlockSize, largest_m, sines, factors, non_temporal};
  }
  ParityParts<const double> from(const double* factors = kOnes.data()) {
    return {blocks.data(), kBlockSize, largest_m, sines, factors};
  }
  bool has_bits_of(const Blocks& other) const {
    return std::memcmp(numbers.data(), other.numbers.data(), numbers.size_bytes()) == 0;
  }
  /// Real (part 0) or imaginary (part 1) part of the even (odd = 0) or odd (odd = 1) part.
  double& parity_part(int m, int odd, int part, int lane) {
    return blocks[m][kBlockSize + odd * kBlockSize / 2 + part * kLanes + lane];
  }
  /// The same of the Fourier coefficient of a row, for parts to read; lanes of kLanes and more are southern
  /// rows.
  double wave(int m, int part, int lane) { return wave(m, part, lane, sines[lane % kLanes]); }
  /// Twice the coefficient, for parts that were written.
  double doubled_wave(int m, int part, int lane) { return wave(m, part, lane, 1 / sines[lane % kLanes]); }
  double wave(int m, int part, int lane, double factor) {
    const double even = parity_part(m, 0, part, lane % kLanes), odd = parity_part(m, 1, part, lane % kLanes);
    return lane < kLanes ? even + factor * odd : even - factor * odd;
  }

  int largest_m;
  const double* sines = kSines.data();
  Buffer memory;
  std::span<double> numbers;
  std::vector<double*> blocks;  ///< (m) block of the first field
};

std::vector<int> supported_lengths() {
  std::vector<int> lengths;
  for (int length = 12; length <= 1280; length += 2)
    if (EightRowFft::supports(length)) lengths.push_back(length);
  return lengths;
}

/// Compares the values of eight rows with those of single rows.
void check_values(const RowKernels& kernels, int length, int largest_m) {
  Blocks blocks(largest_m);
  Rows found(length);
  EightRowFft(length, kernels).to_values(blocks.from(), found.rows<double>());
  const Fft single(length);
  for (int lane = 0; lane < kRows; ++lane) {
    Buffer waves(length + 2);
    std::vector<double> expected(length);
    std::fill_n(waves.data(), length + 2, 0.0);
    for (int m = 0; m <= blocks.largest_m; ++m)
      for (int part = 0; part < 2; ++part)
        waves.data()[2 * m + part] = m + part == 1 && m == 0 ? 0 : blocks.wave(m, part, lane);
    single.to_values(waves.data(), expected.data());
    double difference = 0;
    for (int k = 0; k < length; ++k)
      difference = std::max(difference, std::abs(expected[k] - found.row(lane)[k]));
    CHECK(difference < 3e-15 * length * std::sqrt(length));
  }
}

/// Compares the Fourier coefficients of eight rows with those of single rows.
void check_waves(const RowKernels& kernels, int length) {
  auto blocks = Blocks(length / 2 - 1);
  Rows given(length);
  EightRowFft(length, kernels).to_waves(given.rows<const double>(), 0, blocks.to());
  const Fft single(length);
  for (int lane = 0; lane < kRows; ++lane) {
    Buffer expected(length + 2);
    single.to_waves(given.row(lane), expected.data());
    double difference = 0;
    for (int m = 0; m <= blocks.largest_m; ++m)
      for (int part = 0; part < 2; ++part)
        difference = std::max(
            difference, std::abs(expected.data()[2 * m + part] - blocks.doubled_wave(m, part, lane) / 2));
    CHECK(difference < 2e-15 * length);
  }
}

void check_against_library(const RowKernels& kernels) {
  for (const int length : supported_lengths()) {
    CAPTURE(length);
    for (const int largest_m : {length / 3, length / 2 - 1}) check_values(kernels, length, largest_m);
    check_waves(kernels, length);
  }
}

}  // namespace

TEST_CASE("transform eight rows: lengths" * test::in_process()) {
  for (const int length : {12, 16, 18, 20, 30, 90, 180, 256, 384, 480, 512, 1280})
    CHECK(EightRowFft::supports(length));
  for (const int length : {0, 2, 4, 6, 8, 10, 15, 27, 28, 44, 97, 194})
    CHECK_FALSE(EightRowFft::supports(length));
}

TEST_CASE("transform eight rows: as the library transforms each" * test::in_process()) {
  check_against_library(kNarrowRows);
}

TEST_CASE("transform eight rows: by wide registers, too" * test::in_process() *
          doctest::skip(!has_wide_registers())) {
  check_against_library(kWideRows);
}

TEST_CASE("transform eight rows: wide registers give the bits of narrow ones" * test::in_process() *
          doctest::skip(!has_wide_registers())) {
  const std::array<double, kLanes> factors{0.3, 1.7, 1e-3, 2.9};
  for (const int length : supported_lengths())
    for (const int largest_m : {0, 1, length / 3, length / 2 - 1})
      for (const int absent :
           {-1, 0, 3, 6}) {  // row without memory; so are lanes after it in both hemispheres
        CAPTURE(length);
        Rows narrow(length), wide(length), values(length);
        auto rows = values.rows<const double>();
        auto to_narrow = narrow.rows<double>(), to_wide = wide.rows<double>();
        for (int lane = 0; absent >= 0 && lane < kRows; ++lane)
          if (lane == absent || lane % kLanes > absent)
            rows[lane] = to_narrow[lane] = to_wide[lane] = nullptr;
        auto narrow_waves = Blocks(largest_m);
        EightRowFft(length, kNarrowRows).to_values(narrow_waves.from(factors.data()), to_narrow);
        EightRowFft(length, kWideRows).to_values(narrow_waves.from(factors.data()), to_wide);
        CHECK(std::memcmp(narrow.values.data(), wide.values.data(), wide.values.size() * sizeof(double)) ==
              0);
        EightRowFft(length, kNarrowRows).to_waves(rows, 0, narrow_waves.to(factors.data()));
        for (const bool non_temporal : {false, true}) {
          auto wide_waves = Blocks(largest_m);
          EightRowFft(length, kWideRows).to_waves(rows, 0, wide_waves.to(factors.data(), non_temporal));
          CHECK(wide_waves.has_bits_of(narrow_waves));
        }
      }
}

TEST_CASE("transform eight rows: what is fetched meanwhile changes no bit" * test::in_process()) {
  for (const auto* kernels : {&kNarrowRows, &EightRowFft::fastest_kernels()})
    for (const int length : {12, 90, 256}) {
      const std::size_t prefetch_distance = kRows * (length + 1);
      auto blocks = Blocks(length / 2 - 1), waves = Blocks(length / 2 - 1),
           prefetching_waves = Blocks(length / 2 - 1);
      Rows values(length), prefetching_values(length);
      auto rows = values.rows<double>(), prefetching_rows = prefetching_values.rows<double>();
      rows[1] = prefetching_rows[1] = nullptr;
      EightRowFft eight(length, *kernels);
      eight.to_values(blocks.from(), rows);
      eight.to_values(blocks.from(), prefetching_rows, prefetch_distance);
      CHECK(values.values == prefetching_values.values);
      eight.to_waves(values.rows<const double>(), 0, waves.to());
      eight.to_waves(values.rows<const double>(), prefetch_distance, prefetching_waves.to());
      CHECK(prefetching_waves.has_bits_of(waves));
    }
}

TEST_CASE("transform eight rows: waves past the caches have the same bits" * test::in_process()) {
  for (const int length : {12, 90, 256}) {
    Rows given(length);
    auto waves = Blocks(length / 2 - 1), non_temporal = Blocks(length / 2 - 1);
    EightRowFft(length, kNarrowRows).to_waves(given.rows<const double>(), 0, waves.to());
    EightRowFft(length, kNarrowRows)
        .to_waves(given.rows<const double>(), 0, non_temporal.to(kOnes.data(), true));
    CHECK(non_temporal.has_bits_of(waves));
  }
}

TEST_CASE("transform eight rows: the bits of two as far from the equator are their own" *
          test::in_process()) {
  // The coefficients and values of two rows at one distance from the equator do not depend on other rows.
  for (const int length : {18, 90, 256, 480}) {
    CAPTURE(length);
    EightRowFft eight(length);
    Rows all(length), two(length), all_values(length), one_value(length);
    auto waves = Blocks(length / 2 - 1), alone = Blocks(length / 2 - 1);
    waves.sines = alone.sines = kOnes.data();
    eight.to_waves(all.rows<const double>(), 0, waves.to());
    for (int lane = 0; lane < kLanes; ++lane) {
      std::memcpy(two.row(2), all.row(lane), length * sizeof(double));
      std::memcpy(two.row(kLanes + 2), all.row(kLanes + lane), length * sizeof(double));
      eight.to_waves({nullptr, nullptr, two.row(2), nullptr, nullptr, nullptr, two.row(kLanes + 2), nullptr},
                     0, alone.to());
      for (int m = 0; m <= waves.largest_m; ++m)
        for (int i = 0; i < 4; ++i)
          CHECK(waves.parity_part(m, i / 2, i % 2, lane) == alone.parity_part(m, i / 2, i % 2, 2));
    }
    for (int m = 0; m <= waves.largest_m; ++m)
      for (int i = 0; i < 4; ++i)
        alone.parity_part(m, i / 2, i % 2, 2) = waves.parity_part(m, i / 2, i % 2, 1);
    eight.to_values(waves.from(), all_values.rows<double>());
    eight.to_values(alone.from(),
                    {nullptr, nullptr, one_value.row(2), nullptr, nullptr, nullptr, nullptr, nullptr});
    CHECK(std::memcmp(all_values.row(1), one_value.row(2), length * sizeof(double)) == 0);
  }
}
