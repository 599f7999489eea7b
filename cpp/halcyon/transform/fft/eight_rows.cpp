#include "halcyon/transform/fft/eight_rows.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/transform/registers/processor.hpp"

namespace halcyon::transform {

namespace {

/// Cosine and sine of 2 pi k / n.
void append_turn(std::vector<double>& turns, int k, int n) {
  const long double angle = 2 * std::numbers::pi_v<long double> * k / n;
  turns.push_back(static_cast<double>(std::cos(angle)));
  turns.push_back(static_cast<double>(std::sin(angle)));
}

/// The radices of a transform of n numbers; what they leave of it is the last one.
std::vector<int> radices(int n) {
  std::vector<int> found;
  for (const int radix : {4, 5, 3, 2})
    for (; n % radix == 0; n /= radix) found.push_back(radix);
  found.push_back(n);
  return found;
}

/// Passes leave the digits of what they count reversed: the last one reads them so.
std::vector<int> places_of(const std::vector<RowPlan::Pass>& passes) {
  std::vector<int> found(passes.back().stride);
  for (int q = 0; q < passes.back().stride; ++q)
    for (int left = q; const auto& pass : passes)
      found[q] += left % pass.radix * pass.n_groups, left /= pass.radix;
  return found;
}

RowPlan plan_of(int length) {
  RowPlan plan{.half = length / 2};
  auto factors = radices(plan.half);
  factors.pop_back();
  int left = plan.half, stride = 1;
  for (const int radix : factors) {
    RowPlan::Pass pass{radix, left / radix, stride, {}};
    for (int p = 0; p < pass.n_groups; ++p)
      for (int j = 1; j < radix; ++j) append_turn(pass.turns, p * j % left, left);
    plan.passes.push_back(std::move(pass));
    left /= radix, stride *= radix;
  }
  for (int m = 0; m <= plan.half / 2; ++m) append_turn(plan.turns, m, length);
  const std::size_t parts = 2 * static_cast<std::size_t>(plan.half);
  plan.places = places_of(plan.passes);
  plan.numbers.reserve(parts * 2 * kLanes);
  plan.north.reserve(parts * kLanes);
  return plan;
}

}  // namespace

bool EightRows::has(int length) {
  return length >= 12 && length % 2 == 0 && radices(length / 2).back() == 1;
}

const RowKernels& EightRows::fastest_kernels() {
  return has_wide_registers() ? kWideRows : kNarrowRows;
}

EightRows::EightRows(int length, const RowKernels& kernels)
    : kernels_(kernels), nothing_(length), spare_(length) {
  require<InternalError>(has(length), "Eight rows of {} values are not transformed at once.", length);
  plan_ = plan_of(length);
}

void EightRows::to_values(const Halves<const double>& waves, Rows<double> rows, std::size_t ahead) {
  for (auto& row : rows)
    if (!row) row = spare_.data();
  kernels_.to_values(plan_, waves, rows.data(), ahead);
}

void EightRows::to_waves(Rows<const double> rows, std::size_t ahead, const Halves<double>& waves) {
  for (auto& row : rows)
    if (!row) row = nothing_.data();
  kernels_.to_waves(plan_, rows.data(), ahead, waves);
}

}  // namespace halcyon::transform
