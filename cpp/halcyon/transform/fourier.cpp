#include "halcyon/transform/fourier.hpp"

#include <algorithm>

#include "halcyon/transform/lanes.hpp"

namespace halcyon::transform {

namespace {

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

/// Halves of a field become waves of rows, north and south.
void unfold(const double* const* blocks, std::size_t shift, int last, Lanes factor, double* north,
            double* south) {
  for (int m = 0; m <= last; ++m, north += 2 * kLanes, south += 2 * kLanes) {
    const auto wave = unfolded(blocks[m] + shift, factor);
    store(north, wave.north_real), store(north + kLanes, wave.north_imaginary);
    store(south, wave.south_real), store(south + kLanes, wave.south_imaginary);
  }
}

void fold(const double* north, const double* south, int last, Lanes factor, double* const* blocks,
          std::size_t shift) {
  for (int m = 0; m <= last; ++m, north += 2 * kLanes, south += 2 * kLanes)
    put_folded({load(north) * factor, load(north + kLanes) * factor, load(south) * factor,
                load(south + kLanes) * factor},
               blocks[m] + shift);
}

/// (wavenumber, part, lane) becomes (lane, wavenumber, part), two wavenumbers at a time.
template <class Row>
void to_lanes(const double* waves, int last, Row row) {
  for (int m = 0; m <= last; m += 2, waves += 4 * kLanes) {
    Lanes a = load(waves), b = load(waves + kLanes), c = load(waves + 2 * kLanes),
          d = load(waves + 3 * kLanes);
    transpose(a, b, c, d);
    store(row(0) + 2 * m, a), store(row(1) + 2 * m, b), store(row(2) + 2 * m, c), store(row(3) + 2 * m, d);
  }
}

template <class Row>
void from_lanes(Row row, int last, double* waves) {
  for (int m = 0; m <= last; m += 2, waves += 4 * kLanes) {
    Lanes a = load(row(0) + 2 * m), b = load(row(1) + 2 * m), c = load(row(2) + 2 * m),
          d = load(row(3) + 2 * m);
    transpose(a, b, c, d);
    store(waves, a), store(waves + kLanes, b), store(waves + 2 * kLanes, c), store(waves + 3 * kLanes, d);
  }
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
  const std::size_t pitch = (2 * (longest + 2) + 7) / 8 * 8;  // rows on boundaries of cache lines
  for (auto* buffer : {&row_waves_, &row_values_}) buffer->reserve(kLanes * pitch);
  std::fill_n(waves_.reserve(2 * kLanes * pitch), 2 * kLanes * pitch, 0.0);
}

Fourier::Stripe Fourier::stripe(const Grid& grid, const Stripes& stripes, int s, const Sets& sets,
                                Starts& starts) {
  Stripe found{.last = stripes.last_wavenumber(s)};
  const auto& latitudes = grid.latitudes();
  for (int lane = 0; lane < kLanes; ++lane) {
    const int north = stripes.north(s, lane), south = grid.n_rows() - 1 - north;
    if (north < 0) continue;
    found.halves[0].rows[lane] = row(grid, north, sets, starts);
    if (south != north) found.halves[1].rows[lane] = row(grid, south, sets, starts);
    found.weights[lane] = latitudes.weights[north] / 2 / grid.row_length(north);
    found.inverse_cosines[lane] = 1 / latitudes.cosines[north];
  }
  for (auto& half : found.halves) half.together = together(half);
  return found;
}

Fourier::Row Fourier::row(const Grid& grid, int number, const Sets& sets, Starts& starts) const {
  const int length = grid.row_length(number);
  return {&transforms_.at(length), Stripes::last_in_row(length),
          RowParts(sets.parts(number), std::move(starts.at(number)))};
}

/// What transforms the rows of half a stripe at once, if all of them are as long.
FourRows* Fourier::together(const Half& half) {
  int length = 0;
  for (const auto& row : half.rows) {
    if (!row.fft) continue;
    if (length != 0 && row.parts.length() != length) return nullptr;
    length = row.parts.length();
  }
  if (length == 0 || !FourRows::has(length)) return nullptr;
  return &of_four_.try_emplace(length, length).first->second;
}

/// Where the values of rows stand: where the caller has them, or in `row_values_`, where ranks share rows.
template <class T>
Fourier::Rows<T> Fourier::places(const Half& half, std::span<const Part<T>> parts, int field) const {
  Rows<T> found{};
  for (int lane = 0; lane < kLanes; ++lane)
    if (const auto& row = half.rows[lane]; row.fft)
      found[lane] = parts.size() == 1 ? row.parts.place(parts, 0, field) : row_values(lane);
  return found;
}

void Fourier::to_values(const Half& half, int last, double* waves, const Rows<double>& rows) {
  if (half.together) return half.together->to_values(waves, last, rows);
  to_lanes(waves, last, [&](int lane) { return row_waves(lane); });
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto& row = half.rows[lane];
    if (!row.fft) continue;
    const int end = std::min(last, row.last) + 1;
    std::fill(row_waves(lane) + 2 * end, row_waves(lane) + 2 * (row.parts.length() / 2 + 1), 0.0);
    row.fft->to_values(row_waves(lane), rows[lane]);
  }
}

void Fourier::to_waves(const Half& half, int last, const Rows<const double>& rows, double* waves) {
  if (half.together) return half.together->to_waves(rows, waves);
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto& row = half.rows[lane];
    const int end = std::min(last, row.last) + 1;
    if (row.fft) row.fft->to_waves(rows[lane], row_waves(lane));
    std::fill(row_waves(lane) + 2 * end, row_waves(lane) + 2 * (last + 1), 0.0);
  }
  from_lanes([&](int lane) { return row_waves(lane); }, last, waves);
}

/// Rows that ranks share become their parts.
void Fourier::deal(const Half& half, std::span<const Part<double>> parts, int field) const {
  if (parts.size() == 1) return;
  for (int lane = 0; lane < kLanes; ++lane)
    if (const auto& row = half.rows[lane]; row.fft) row.parts.deal(row_values(lane), parts, field);
}

void Fourier::collect(const Half& half, std::span<const Part<const double>> parts, int field) {
  if (parts.size() == 1) return;
  for (int lane = 0; lane < kLanes; ++lane)
    if (const auto& row = half.rows[lane]; row.fft) row.parts.collect(parts, field, row_values(lane));
}

void Fourier::synthesis(int stripe, const std::vector<const double*>& blocks, int n_fields, RowFactor factor,
                        std::span<const Part<double>> parts) {
  const auto& [halves, weights, inverse_cosines, last] = stripes_[stripe - first_stripe_];
  const Factors factors = factor == RowFactor::one ? Factors{1, 1, 1, 1} : inverse_cosines;
  for (int field = 0; field < n_fields; ++field) {
    unfold(blocks.data(), static_cast<std::size_t>(field) * kBlock, last, load(factors.data()), waves(0),
           waves(1));
    for (int side = 0; side < 2; ++side) {
      const auto& half = halves[side];
      to_values(half, last, waves(side), places<double>(half, parts, field));
      deal(half, parts, field);
    }
  }
}

void Fourier::analysis(int stripe, std::span<const Part<const double>> parts, int n_fields, RowFactor factor,
                       const std::vector<double*>& blocks) {
  const auto& [halves, weights, inverse_cosines, last] = stripes_[stripe - first_stripe_];
  Factors factors = weights;
  if (factor == RowFactor::inverse_cosine)
    for (int lane = 0; lane < kLanes; ++lane) factors[lane] *= inverse_cosines[lane];
  for (int field = 0; field < n_fields; ++field) {
    for (int side = 0; side < 2; ++side) {
      const auto& half = halves[side];
      collect(half, parts, field);
      to_waves(half, last, places<const double>(half, parts, field), waves(side));
    }
    fold(waves(0), waves(1), last, load(factors.data()), blocks.data(),
         static_cast<std::size_t>(field) * kBlock);
  }
}

}  // namespace halcyon::transform
