// Transforms of 32-bit numbers, against those of 64-bit numbers.
#include <algorithm>
#include <cmath>
#include <vector>

#include "halcyon/transform/fft/eight_rows.hpp"
#include "halcyon/transform/fft/fft.hpp"
#include "halcyon/transform/legendre/kernels.hpp"
#include "halcyon/transform/sphere/transform.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::transform;

namespace {

constexpr double kRounding = 0x1p-24;  // of a 32-bit number

double test_value(std::size_t i) {
  return std::sin(3.7 * static_cast<double>(i)) + 0.3 * static_cast<double>(i % 7);
}

template <class Real, class Number>
std::vector<Real> rounded(const std::vector<Number>& values) {
  std::vector<Real> result;
  for (const auto& value : values) result.push_back(Real(value));
  return result;
}

/// The largest difference, over the root mean square of b.
template <class A, class B>
double difference(const std::vector<A>& a, const std::vector<B>& b) {
  double largest = 0, squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, double(std::abs(B(a[i]) - b[i])));
    squares += double(std::norm(b[i]));
  }
  return largest / std::sqrt(squares / static_cast<double>(a.size()));
}

/// Coefficients of fields (field, coefficient) of comparable variance at all degrees.
std::vector<std::complex<double>> test_coefficients(int truncation, int n_fields) {
  std::vector<std::complex<double>> coefficients;
  for (int field = 0; field < n_fields; ++field)
    for (int m = 0; m <= truncation; ++m)
      for (int n = m; n <= truncation; ++n) {
        const auto i = coefficients.size();
        coefficients.emplace_back(std::sin(1.3 * double(i + 1)) / (n + 1),
                                  m == 0 ? 0 : std::cos(2.9 * double(i)) / (n + 1));
      }
  return coefficients;
}

}  // namespace

TEST_CASE("transform 32 bits: Fourier transforms of a row, and of eight rows" * test::in_process()) {
  for (const int length : {12, 18, 20, 28, 90, 97, 256, 480, 1280}) {
    CAPTURE(length);
    const auto n_waves = static_cast<std::size_t>(length / 2 + 1);
    std::vector<double> values(length);
    for (int k = 0; k < length; ++k) values[k] = test_value(k);
    BasicBuffer<float> waves(2 * n_waves);
    Buffer expected(2 * n_waves);
    const BasicFft<float> fft(length);
    const auto single = rounded<float>(values);
    fft.to_waves(single.data(), waves.data());
    Fft(length).to_waves(values.data(), expected.data());
    const double bound = 20 * kRounding;
    CHECK(difference(std::vector(waves.data(), waves.data() + 2 * n_waves),
                     std::vector(expected.data(), expected.data() + 2 * n_waves)) < bound * 10);
    std::vector<float> back(length);
    fft.to_values(waves.data(), back.data());
    for (auto& value : back) value /= static_cast<float>(length);
    CHECK(difference(back, values) < bound);
    if (!BasicEightRowFft<float>::supports(length)) continue;
    // Waves of eight equal rows, and back, with sines for which even and odd part are those of a row.
    const std::array<float, transform::kLanes> ones{1, 1, 1, 1};
    std::vector<float> blocks(kBlockSize * (n_waves - 1));
    std::vector<float*> of_m;
    for (std::size_t m = 0; m + 1 < n_waves; ++m) of_m.push_back(&blocks[m * kBlockSize]);
    BasicEightRowFft<float> eight(length);
    BasicEightRowFft<float>::Rows<const float> rows;
    rows.fill(single.data());
    eight.to_waves(rows, 0, {of_m.data(), 0, length / 2 - 1, ones.data(), ones.data()});
    double error = 0;
    for (int m = 0; m < length / 2; ++m)
      for (int part = 0; part < 2; ++part) {
        const float even = of_m[m][part * transform::kLanes];
        error = std::max(error, std::abs(even / 2 - expected.data()[2 * m + part]));
        CHECK(of_m[m][(2 + part) * transform::kLanes] == 0);
      }
    CHECK(error < bound * length);
    std::vector<std::vector<float>> found(2 * transform::kLanes, std::vector<float>(length));
    BasicEightRowFft<float>::Rows<float> to;
    for (std::size_t lane = 0; lane < found.size(); ++lane) to[lane] = found[lane].data();
    eight.to_values(
        {const_cast<const float* const*>(of_m.data()), 0, length / 2 - 1, ones.data(), ones.data()}, to);
    for (const auto& row : found) CHECK(row == found[0]);
    for (int k = 0; k < length; ++k)  // without the wave m = L/2
      found[0][k] += 2 * static_cast<float>((k % 2 == 0 ? 1 : -1) * expected.data()[2 * n_waves - 2]);
    for (auto& value : found[0]) value /= static_cast<float>(2 * length);
    CHECK(difference(found[0], values) < bound);
  }
}

TEST_CASE("transform 32 bits: base functions have the same bits with and without wide registers" *
          test::in_process() * doctest::skip(!has_wide_registers())) {
  const BaseFunctions base(3, 90);
  for (const int n_pairs : {1, 2, 3, 7}) {
    std::vector<double> x, previous, current;
    for (int i = 0; i < n_pairs * kStripePair; ++i)
      x.push_back(0.9 * std::abs(std::sin(i))), previous.push_back(0), current.push_back(test_value(i));
    const BaseStart start{x.data(), previous.data(), current.data()};
    std::vector<float> narrow(n_pairs * kStripePair * base.n), wide(narrow);
    kNarrowSingleFunctions(base.steps[0].data(), base.n, start, n_pairs, narrow.data());
    kWideSingleFunctions(base.steps[0].data(), base.n, start, n_pairs, wide.data());
    CHECK(narrow == wide);
  }
}

// Any grid: rows of equal lengths, of lengths that the eight-row transform has not, and of eight at a time.
TEST_CASE("transform 32 bits: values, winds and coefficients, as those of 64 bits to rounding" *
          test::in_process()) {
  constexpr int kFields = 3;
  for (const auto& [truncation, grid] :
       {std::pair(21, Grid::full(32, 64)), std::pair(42, Grid::octahedral(86)),
        std::pair(30, Grid::full(33, 70)), std::pair(106, Grid::full(160, 320))}) {
    CAPTURE(truncation);
    BasicTransform<float> single(grid, truncation);
    Transform transform(grid, truncation);
    const auto coefficients = test_coefficients(truncation, kFields);
    const auto single_coefficients = rounded<std::complex<float>>(coefficients);
    for (const int n_fields : {1, kFields}) {
      const std::size_t n = n_fields * coefficients.size() / kFields;
      std::vector<double> values(n_fields * grid.n_points()), u(values), v(values);
      std::vector<float> single_values(values.size()), single_u(single_values), single_v(single_values);
      transform.synthesis(std::span(coefficients).first(n), values);
      single.synthesis(std::span(single_coefficients).first(n), single_values);
      CHECK(difference(single_values, values) < 100 * kRounding);
      std::vector<std::complex<float>> analysed(n);
      single.analysis(rounded<float>(values), analysed);
      CHECK(difference(analysed, std::vector(coefficients.begin(), coefficients.begin() + n)) <
            400 * kRounding);
      std::vector<std::complex<float>> zeta(n), delta(n);
      transform.winds(std::span(coefficients).first(n), std::span(coefficients).first(n), u, v);
      single.winds(std::span(single_coefficients).first(n), std::span(single_coefficients).first(n), single_u,
                   single_v);
      CHECK(difference(single_u, u) < 100 * kRounding);
      CHECK(difference(single_v, v) < 100 * kRounding);
    }
  }
}
