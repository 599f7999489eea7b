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

constexpr int kRows = 2 * kLanes;
constexpr std::array<double, kLanes> kOnes{1, 1, 1, 1};

double some(std::size_t i) {
  return std::sin(3.7 * static_cast<double>(i)) + 0.3 * static_cast<double>(i % 7);
}

/// Rows of asymmetric values, contiguous in memory and not aligned to registers.
struct Rows {
  explicit Rows(int length) : length(length), values(kRows * (length + 1)) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = some(i);
  }
  double* row(int lane) { return values.data() + lane * (length + 1) + 1; }
  template <class T>
  EightRowFft::Rows<T> rows() {
    EightRowFft::Rows<T> found;
    for (int lane = 0; lane < kRows; ++lane) found[lane] = row(lane);
    return found;
  }

  int length;
  std::vector<double> values;
};

/// Even and odd parts of the second of two fields, with wavenumbers stored in descending order.
struct Blocks {
  explicit Blocks(int last)
      : last(last), memory(2 * kBlockSize * (last + 1)), numbers(memory.data(), memory.size()) {
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = some(i + 5);
    for (int m = 0; m <= last; ++m) at.push_back(numbers.data() + 2 * kBlockSize * (last - m));
  }
  ParityParts<double> to(const double* factors = kOnes.data(), bool non_temporal = false) {
    return {at.data(), kBlockSize, last, factors, non_temporal};
  }
  ParityParts<const double> from(const double* factors = kOnes.data()) {
    return {at.data(), kBlockSize, last, factors};
  }
  bool has_bits_of(const Blocks& other) const {
    return std::memcmp(numbers.data(), other.numbers.data(), numbers.size_bytes()) == 0;
  }
  /// Real (0) or imaginary (1) part of the even or odd part, or of the coefficient of a row.
  double& half(int m, int odd, int part, int lane) {
    return at[m][kBlockSize + odd * kBlockSize / 2 + part * kLanes + lane];
  }
  double wave(int m, int part, int lane) {
    const double even = half(m, 0, part, lane % kLanes), odd = half(m, 1, part, lane % kLanes);
    return lane < kLanes ? even + odd : even - odd;
  }

  int last;
  Buffer memory;
  std::span<double> numbers;
  std::vector<double*> at;
};

std::vector<int> lengths() {
  std::vector<int> found;
  for (int length = 12; length <= 1280; length += 2)
    if (EightRowFft::supports(length)) found.push_back(length);
  return found;
}

void check_values(const RowKernels& kernels, int length, int last) {
  Blocks blocks(last);
  Rows found(length);
  EightRowFft(length, kernels).to_values(blocks.from(), found.rows<double>());
  const Fft single(length);
  for (int lane = 0; lane < kRows; ++lane) {
    Buffer waves(length + 2);
    std::vector<double> expected(length);
    std::fill_n(waves.data(), length + 2, 0.0);
    for (int m = 0; m <= blocks.last; ++m)
      for (int part = 0; part < 2; ++part)
        waves.data()[2 * m + part] = m + part == 1 && m == 0 ? 0 : blocks.wave(m, part, lane);
    single.to_values(waves.data(), expected.data());
    double apart = 0;
    for (int k = 0; k < length; ++k) apart = std::max(apart, std::abs(expected[k] - found.row(lane)[k]));
    CHECK(apart < 3e-15 * length * std::sqrt(length));
  }
}

void check_waves(const RowKernels& kernels, int length) {
  auto blocks = Blocks(length / 2 - 1);
  Rows given(length);
  EightRowFft(length, kernels).to_waves(given.rows<const double>(), 0, blocks.to());
  const Fft single(length);
  for (int lane = 0; lane < kRows; ++lane) {
    Buffer expected(length + 2);
    single.to_waves(given.row(lane), expected.data());
    double apart = 0;
    for (int m = 0; m <= blocks.last; ++m)
      for (int part = 0; part < 2; ++part)
        apart = std::max(apart, std::abs(expected.data()[2 * m + part] - blocks.wave(m, part, lane) / 2));
    CHECK(apart < 2e-15 * length);
  }
}

void check_against_library(const RowKernels& kernels) {
  for (const int length : lengths()) {
    CAPTURE(length);
    for (const int last : {length / 3, length / 2 - 1}) check_values(kernels, length, last);
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
  for (const int length : lengths())
    for (const int last : {0, 1, length / 3, length / 2 - 1})
      for (const int without :
           {-1, 0, 3, 6}) {  // absent lane of one hemisphere; all lanes after it are absent in both
        CAPTURE(length);
        Rows narrow(length), wide(length), given(length);
        auto rows = given.rows<const double>();
        auto to_narrow = narrow.rows<double>(), to_wide = wide.rows<double>();
        for (int lane = 0; without >= 0 && lane < kRows; ++lane)
          if (lane == without || lane % kLanes > without)
            rows[lane] = to_narrow[lane] = to_wide[lane] = nullptr;
        auto halves = Blocks(last);
        EightRowFft(length, kNarrowRows).to_values(halves.from(factors.data()), to_narrow);
        EightRowFft(length, kWideRows).to_values(halves.from(factors.data()), to_wide);
        CHECK(std::memcmp(narrow.values.data(), wide.values.data(), wide.values.size() * sizeof(double)) ==
              0);
        EightRowFft(length, kNarrowRows).to_waves(rows, 0, halves.to(factors.data()));
        for (const bool non_temporal : {false, true}) {
          auto again = Blocks(last);
          EightRowFft(length, kWideRows).to_waves(rows, 0, again.to(factors.data(), non_temporal));
          CHECK(again.has_bits_of(halves));
        }
      }
}

TEST_CASE("transform eight rows: what is fetched meanwhile changes no bit" * test::in_process()) {
  for (const auto* kernels : {&kNarrowRows, &EightRowFft::fastest_kernels()})
    for (const int length : {12, 90, 256}) {
      const std::size_t prefetch_distance = kRows * (length + 1);
      auto blocks = Blocks(length / 2 - 1), back = Blocks(length / 2 - 1), same = Blocks(length / 2 - 1);
      Rows alone(length), fetching(length);
      auto rows = alone.rows<double>(), others = fetching.rows<double>();
      rows[1] = others[1] = nullptr;
      EightRowFft eight(length, *kernels);
      eight.to_values(blocks.from(), rows);
      eight.to_values(blocks.from(), others, prefetch_distance);
      CHECK(alone.values == fetching.values);
      eight.to_waves(alone.rows<const double>(), 0, back.to());
      eight.to_waves(alone.rows<const double>(), prefetch_distance, same.to());
      CHECK(same.has_bits_of(back));
    }
}

TEST_CASE("transform eight rows: waves past the caches have the same bits" * test::in_process()) {
  for (const int length : {12, 90, 256}) {
    Rows given(length);
    auto halves = Blocks(length / 2 - 1), non_temporal = Blocks(length / 2 - 1);
    EightRowFft(length, kNarrowRows).to_waves(given.rows<const double>(), 0, halves.to());
    EightRowFft(length, kNarrowRows)
        .to_waves(given.rows<const double>(), 0, non_temporal.to(kOnes.data(), true));
    CHECK(non_temporal.has_bits_of(halves));
  }
}

TEST_CASE("transform eight rows: the bits of two as far from the equator are their own" *
          test::in_process()) {
  for (const int length : {18, 90, 256, 480}) {
    CAPTURE(length);
    EightRowFft eight(length);
    Rows all(length), two(length), back(length), lonely(length);
    auto waves = Blocks(length / 2 - 1), alone = Blocks(length / 2 - 1);
    eight.to_waves(all.rows<const double>(), 0, waves.to());
    for (int lane = 0; lane < kLanes; ++lane) {
      std::memcpy(two.row(2), all.row(lane), length * sizeof(double));
      std::memcpy(two.row(kLanes + 2), all.row(kLanes + lane), length * sizeof(double));
      eight.to_waves({nullptr, nullptr, two.row(2), nullptr, nullptr, nullptr, two.row(kLanes + 2), nullptr},
                     0, alone.to());
      for (int m = 0; m <= waves.last; ++m)
        for (int i = 0; i < 4; ++i)
          CHECK(waves.half(m, i / 2, i % 2, lane) == alone.half(m, i / 2, i % 2, 2));
    }
    for (int m = 0; m <= waves.last; ++m)
      for (int i = 0; i < 4; ++i) alone.half(m, i / 2, i % 2, 2) = waves.half(m, i / 2, i % 2, 1);
    eight.to_values(waves.from(), back.rows<double>());
    eight.to_values(alone.from(),
                    {nullptr, nullptr, lonely.row(2), nullptr, nullptr, nullptr, nullptr, nullptr});
    CHECK(std::memcmp(back.row(1), lonely.row(2), length * sizeof(double)) == 0);
  }
}
