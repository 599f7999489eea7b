#include "halcyon/transform/fourier.hpp"

#include <algorithm>

#include "halcyon/transform/lanes.hpp"

namespace halcyon::transform {

namespace {

constexpr double kNothing[kBlock] = {};

/// The real and imaginary part of a wavenumber in the two hemispheres.
struct Wave {
  Lanes north_real, north_imaginary, south_real, south_imaginary;
};

Wave unfolded(const double* block, Lanes factor) {
  const Lanes even_real = load(block), even_imaginary = load(block + kLanes);
  const Lanes odd_real = load(block + 2 * kLanes), odd_imaginary = load(block + 3 * kLanes);
  return {(even_real + odd_real) * factor, (even_imaginary + odd_imaginary) * factor,
          (even_real - odd_real) * factor, (even_imaginary - odd_imaginary) * factor};
}

void put_folded(const Wave& wave, double* block) {
  store(block, wave.north_real + wave.south_real);
  store(block + kLanes, wave.north_imaginary + wave.south_imaginary);
  store(block + 2 * kLanes, wave.north_real - wave.south_real);
  store(block + 3 * kLanes, wave.north_imaginary - wave.south_imaginary);
}

/// Of the wavenumbers of a stripe that a row holds, too.
int end_of(const Row& row, int last) {
  return std::min(last, Stripes::last_in_row(row.length())) + 1;
}

Wave times(const Wave& wave, Lanes factor) {
  return {wave.north_real * factor, wave.north_imaginary * factor, wave.south_real * factor,
          wave.south_imaginary * factor};
}

}  // namespace

Fourier::Fourier(const Grid& grid, const Stripes& stripes, const Sets& sets, int w)
    : first_stripe_(sets.first_stripe(w)) {
  Starts starts;
  std::vector<std::size_t> before(sets.counts().v);
  for (int row : sets.rows(w)) {
    starts[row] = before;
    for (int v = 0; v < sets.counts().v; ++v) before[v] += sets.parts(row).size(v);
  }
  const int end = sets.first_stripe(w + 1);
  int longest = stripes.last_wavenumber(first_stripe_);
  for (const auto& [row, at] : starts) {
    transforms_.try_emplace(grid.row_length(row), grid.row_length(row));
    longest = std::max(longest, grid.row_length(row) / 2);
  }
  for (int s = first_stripe_; s < end; ++s) stripes_.push_back(stripe(grid, stripes, s, sets, starts));
  pitch_ = (2 * (longest + 2) + 7) / 8 * 8;  // rows on boundaries of cache lines
  std::fill_n(waves_.reserve(2 * kLanes * pitch_), 2 * kLanes * pitch_, 0.0);
  row_.reserve(2 * pitch_);
}

Fourier::Stripe Fourier::stripe(const Grid& grid, const Stripes& stripes, int s, const Sets& sets,
                                Starts& starts) const {
  Stripe found{.last = stripes.last_wavenumber(s)};
  const auto& latitudes = grid.latitudes();
  for (int lane = 0; lane < kLanes; ++lane) {
    const int north = stripes.north(s, lane), south = grid.n_rows() - 1 - north;
    if (north < 0) continue;
    found.rows[0][lane] = row(grid, north, sets, starts);
    if (south != north) found.rows[1][lane] = row(grid, south, sets, starts);
    found.weights[lane] = latitudes.weights[north] / 2 / grid.row_length(north);
    found.inverse_cosines[lane] = 1 / latitudes.cosines[north];
  }
  return found;
}

Row Fourier::row(const Grid& grid, int number, const Sets& sets, Starts& starts) const {
  return {transforms_.at(grid.row_length(number)), sets.parts(number), std::move(starts.at(number))};
}

/// Blocks of a field become rows, two wavenumbers at a time.
void Fourier::unfold(const double* const* blocks, int last, std::size_t shift, const Factors& factors) const {
  const Lanes factor = load(factors.data());
  for (int m = 0; m <= last; m += 2) {
    auto a = unfolded(blocks[m] + shift, factor);
    auto b = unfolded(m < last ? blocks[m + 1] + shift : kNothing, factor);
    transpose(a.north_real, a.north_imaginary, b.north_real, b.north_imaginary);
    transpose(a.south_real, a.south_imaginary, b.south_real, b.south_imaginary);
    double* const north = wave(0, 0) + 2 * m;
    double* const south = wave(1, 0) + 2 * m;
    store(north, a.north_real), store(south, a.south_real);
    store(north + pitch_, a.north_imaginary), store(south + pitch_, a.south_imaginary);
    store(north + 2 * pitch_, b.north_real), store(south + 2 * pitch_, b.south_real);
    store(north + 3 * pitch_, b.north_imaginary), store(south + 3 * pitch_, b.south_imaginary);
  }
}

/// Rows become blocks of a field, two wavenumbers at a time.
void Fourier::fold(double* const* blocks, int last, std::size_t shift, const Factors& factors) const {
  const Lanes factor = load(factors.data());
  for (int m = 0; m <= last; m += 2) {
    const double* const north = wave(0, 0) + 2 * m;
    const double* const south = wave(1, 0) + 2 * m;
    Wave a{load(north), load(north + pitch_), load(south), load(south + pitch_)};
    Wave b{load(north + 2 * pitch_), load(north + 3 * pitch_), load(south + 2 * pitch_),
           load(south + 3 * pitch_)};
    transpose(a.north_real, a.north_imaginary, b.north_real, b.north_imaginary);
    transpose(a.south_real, a.south_imaginary, b.south_real, b.south_imaginary);
    put_folded(times(a, factor), blocks[m] + shift);
    if (m < last) put_folded(times(b, factor), blocks[m + 1] + shift);
  }
}

void Fourier::synthesis(int stripe, const std::vector<const double*>& blocks, int n_fields, RowFactor factor,
                        std::span<const Part<double>> parts) {
  const auto& [rows, weights, inverse_cosines, last] = stripes_[stripe - first_stripe_];
  const Factors factors = factor == RowFactor::one ? Factors{1, 1, 1, 1} : inverse_cosines;
  for (int field = 0; field < n_fields; ++field) {
    unfold(blocks.data(), last, static_cast<std::size_t>(field) * kBlock, factors);
    for (int half = 0; half < 2; ++half)
      for (int lane = 0; lane < kLanes; ++lane) {
        const auto& row = rows[half][lane];
        if (!row) continue;
        const int end = end_of(row, last);
        std::fill(wave(half, lane) + 2 * end, wave(half, lane) + 2 * (row.length() / 2 + 1), 0.0);
        row.to_values(wave(half, lane), field, parts, row_.data());
      }
  }
}

void Fourier::analysis(int stripe, std::span<const Part<const double>> parts, int n_fields, RowFactor factor,
                       const std::vector<double*>& blocks) {
  const auto& [rows, weights, inverse_cosines, last] = stripes_[stripe - first_stripe_];
  Factors factors = weights;
  if (factor == RowFactor::inverse_cosine)
    for (int lane = 0; lane < kLanes; ++lane) factors[lane] *= inverse_cosines[lane];
  for (int field = 0; field < n_fields; ++field) {
    for (int half = 0; half < 2; ++half)
      for (int lane = 0; lane < kLanes; ++lane) {
        const auto& row = rows[half][lane];
        const int end = row ? end_of(row, last) : 0;
        if (row) row.to_waves(parts, field, wave(half, lane), row_.data());
        std::fill(wave(half, lane) + 2 * end, wave(half, lane) + 2 * (last + 1), 0.0);
      }
    fold(blocks.data(), last, static_cast<std::size_t>(field) * kBlock, factors);
  }
}

}  // namespace halcyon::transform
