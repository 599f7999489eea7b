#include "halcyon/transform/fft/eight_rows.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/transform/registers/processor.hpp"

namespace halcyon::transform {
namespace {

/// Appends the cosine and the sine of 2 pi k / n.
template <class Real>
void append_twiddle(std::vector<Real>& twiddles, int k, int n) {
  const long double angle = 2 * std::numbers::pi_v<long double> * k / n;
  twiddles.push_back(static_cast<Real>(std::cos(angle)));
  twiddles.push_back(static_cast<Real>(std::sin(angle)));
}

/// Returns the radices of a transform of length n, then the remaining factor: 1 if no prime factor exceeds 5.
std::vector<int> radices(int n) {
  std::vector<int> factors;
  for (const int radix : {4, 5, 3, 2})
    for (; n % radix == 0; n /= radix) factors.push_back(radix);
  factors.push_back(n);
  return factors;
}

/// Returns (q) the index of the first input of butterfly q of the last pass (digit-reversed order).
template <class Pass>
std::vector<int> digit_reversed_inputs(const std::vector<Pass>& passes) {
  std::vector<int> offsets(passes.back().stride);
  for (int q = 0; q < passes.back().stride; ++q)
    for (int digits = q; const auto& pass : passes)
      offsets[q] += digits % pass.radix * pass.n_groups, digits /= pass.radix;
  return offsets;
}

template <class Real>
BasicRowPlan<Real> make_plan(int length) {
  BasicRowPlan<Real> plan{.half = length / 2};
  auto factors = radices(plan.half);
  factors.pop_back();  // the remaining factor, which is 1
  int size = plan.half, stride = 1;
  for (const int radix : factors) {
    typename BasicRowPlan<Real>::Pass pass{
        .radix = radix, .n_groups = size / radix, .stride = stride, .twiddles = {}};
    for (int p = 0; p < pass.n_groups; ++p)
      for (int j = 1; j < radix; ++j) append_twiddle(pass.twiddles, p * j % size, size);
    plan.passes.push_back(std::move(pass));
    size /= radix, stride *= radix;
  }
  for (int m = 0; m <= plan.half / 2; ++m) append_twiddle(plan.twiddles, m, length);
  const std::size_t n_parts = 2 * static_cast<std::size_t>(plan.half);
  plan.input_offsets = digit_reversed_inputs(plan.passes);
  plan.complex_values.reserve(n_parts * 2 * kLanes);
  plan.north.reserve(n_parts * kLanes);
  return plan;
}

}  // namespace

template <class Real>
bool BasicEightRowFft<Real>::supports(int length) {
  return length >= 12 && length % 2 == 0 && radices(length / 2).back() == 1;  // 12: two or more passes
}

template <>
const RowKernels& EightRowFft::fastest_kernels() {
  return has_wide_registers() ? kWideRows : kNarrowRows;
}
template <>
const BasicRowKernels<float>& BasicEightRowFft<float>::fastest_kernels() {
  return kSingleRows;
}

template <class Real>
BasicEightRowFft<Real>::BasicEightRowFft(int length, const BasicRowKernels<Real>& kernels)
    : kernels_(kernels), zero_row_(length), unused_output_(length) {
  require<InternalError>(supports(length), "The eight-row transform does not support rows of {} values.",
                         length);
  plan_ = make_plan<Real>(length);
}

template <class Real>
void BasicEightRowFft<Real>::to_values(const ParityParts<const Real>& waves, Rows<Real> rows,
                                       std::size_t prefetch_distance) {
  for (auto& row : rows)
    if (!row) row = unused_output_.data();
  kernels_.to_values(plan_, waves, rows.data(), prefetch_distance);
}

template <class Real>
void BasicEightRowFft<Real>::to_waves(Rows<const Real> rows, std::size_t prefetch_distance,
                                      const ParityParts<Real>& waves) {
  for (auto& row : rows)
    if (!row) row = zero_row_.data();
  kernels_.to_waves(plan_, rows.data(), prefetch_distance, waves);
}

template class BasicEightRowFft<double>;
template class BasicEightRowFft<float>;

}  // namespace halcyon::transform
