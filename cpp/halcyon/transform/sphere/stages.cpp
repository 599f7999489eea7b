#include "halcyon/transform/sphere/stages.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "halcyon/transform/registers/registers.hpp"

namespace halcyon::transform {
namespace {

constexpr int kBatch = 2;  ///< fields for which functions are computed sooner than read from memory

}  // namespace

Legendre::Legendre(const Grid& grid, const Stripes& stripes, int last, std::vector<int> wavenumbers,
                   std::size_t memory_bytes)
    : wavenumbers_(std::move(wavenumbers)),
      panels_(stripes, wavenumbers_),
      mu_(static_cast<std::size_t>(stripes.n() + 1) / 2 * kPair) {
  for (int place = 0; place < stripes.n() * kLanes; ++place) {
    const int row = stripes.north(place / kLanes, place % kLanes);
    mu_[place] = row < 0 ? 0 : grid.latitudes().sines[row];
  }
  const FirstFunctions first(last);
  held_.reserve(wavenumbers_.size());
  for (int m : wavenumbers_) held_.push_back(wavenumber(m, first, grid, stripes, last));
  keep(memory_bytes);
}

Legendre::Wavenumber Legendre::wavenumber(int m, const FirstFunctions& first, const Grid& grid,
                                          const Stripes& stripes, int last) const {
  Wavenumber w{.m = m, .n_stripes = stripes.n_with(m), .steps = steps(m, last)};
  w.values.resize(static_cast<std::size_t>(w.n_pairs()) * kPair);
  w.scales.resize(w.values.size());
  for (int place = 0; place < w.n_stripes * kLanes; ++place) {
    const int row = stripes.north(place / kLanes, place % kLanes);
    if (row < 0) continue;
    const auto [value, scale] = first.at(m, grid.latitudes().colatitudes[row]);
    w.values[place] = value;
    w.scales[place] = scale;
  }
  return w;
}

void Legendre::keep(std::size_t memory_bytes) {
  std::size_t size = 0, n_kept = 0;
  for (; n_kept < held_.size(); ++n_kept) {
    const std::size_t more = held_[n_kept].n_pairs() * held_[n_kept].pitch();
    if ((size + more) * sizeof(double) > memory_bytes) break;
    size += more;
  }
  double* at = kept_.reserve(size);
  for (std::size_t i = 0; i < n_kept; ++i) {
    auto& w = held_[i];
    kernels_.functions(w.steps, {mu_.data(), w.values.data(), w.scales.data()}, w.n_pairs(), at);
    w.kept = at;
    at += w.n_pairs() * w.pitch();
  }
}

/// At some stripes of a group, from its first one on.
const double* Legendre::functions(const Wavenumber& w, int first, int n, int n_fields) {
  if (w.kept && n_fields < kBatch) return w.kept + first / 2 * w.pitch();
  const std::size_t place = static_cast<std::size_t>(first) * kLanes;
  double* values = computed_.reserve(kGroup / 2 * w.pitch());
  kernels_.functions(w.steps, {mu_.data() + place, w.values.data() + place, w.scales.data() + place},
                     (n + 1) / 2, values);
  return values;
}

/// The blocks of the stripes of the next group, or of the next wavenumber's first one, and that one's
/// coefficients of some fields.
/// @param coefficients of the next wavenumber
/// @param work that is done meanwhile
void Legendre::look_ahead(std::size_t place, int group_end, const Fields& fields, const double* coefficients,
                          const double* panels) {
  const auto& w = held_[place];
  ahead_.clear();
  if (fields.n < kBatch) return;  // whose sums are too short for it
  const bool same = group_end < w.n_stripes;
  const std::size_t next = same ? place : place + 1;
  const int first = same ? group_end : 0, group = (group_end - 1) / kGroup,
            n_groups = (w.n_stripes - 1) / kGroup + 1;
  if (next < held_.size())
    for (int s = first; s < std::min(first + kGroup, held_[next].n_stripes); ++s)
      ahead_.add(panels + panels_.at(s, static_cast<int>(next), fields.side_by_side), fields.n * kBlock);
  if (place + 1 < held_.size())
    for (int f = fields.n * group / n_groups; f < fields.n * (group + 1) / n_groups; ++f)
      ahead_.add(coefficients + f * fields.stride, 2 * (fields.last + 1 - held_[place + 1].m));
  ahead_.share(static_cast<std::size_t>(fields.n) * (fields.last + 1 - w.m) * (group_end - group * kGroup));
}

void Legendre::synthesis(const double* coefficients, const Fields& fields, double* panels,
                         const Between& between) {
  std::array<double*, kGroup> blocks;
  for (std::size_t place = 0; place < held_.size(); ++place) {
    const auto& w = held_[place];
    const int n = fields.last + 1 - w.m;
    const auto both = terms(n, w.n_even(), coefficients, fields.stride);
    coefficients += 2 * n;
    for (int first = 0; first < w.n_stripes; first += kGroup) {
      const int end = std::min(first + kGroup, w.n_stripes);
      const double* p = functions(w, first, end - first, fields.n);
      blocks.fill(nowhere_.reserve(static_cast<std::size_t>(fields.n) * kBlock));  // of a stripe without pair
      for (int s = first; s < end; ++s)
        blocks[s - first] = panels + panels_.at(s, static_cast<int>(place), fields.side_by_side);
      look_ahead(place, end, fields, coefficients, panels);
      for (const auto& each : both)
        kernels_.over_terms(each, fields.n, end - first, p, w.pitch(), blocks.data(), ahead_);
    }
    between();
  }
}

void Legendre::analysis(const double* panels, const Fields& fields, double* coefficients,
                        const Between& between) {
  std::array<const double*, kGroup> blocks;
  for (std::size_t place = 0; place < held_.size(); ++place) {
    const auto& w = held_[place];
    const int n = fields.last + 1 - w.m;
    const auto both = sums(n, w.n_even(), fields.n, columns_);
    for (int first = 0; first < w.n_stripes; first += kGroup) {
      const int end = std::min(first + kGroup, w.n_stripes);
      const double* p = functions(w, first, end - first, fields.n);
      for (int s = first; s < end; ++s)
        blocks[s - first] = panels + panels_.at(s, static_cast<int>(place), fields.side_by_side);
      look_ahead(place, end, fields, coefficients + 2 * n, panels);
      for (const auto& each : both)
        kernels_.over_latitudes(each, fields.n, end - first, p, w.pitch(), blocks.data(), first == 0, ahead_);
    }
    for (int f = 0; f < fields.n; f += 2) {
      double* const of = coefficients + f * fields.stride;
      give(both, f / 2, of, f + 1 < fields.n ? of + fields.stride : of);
    }
    coefficients += 2 * n;
    between();
  }
}

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

/// How far beyond the rows of a field those of the next one stand; 0 where there are none or ranks share
/// rows.
template <class T>
std::size_t ahead(std::span<const Part<T>> parts, int field, int n_fields) {
  return parts.size() == 1 && field + 1 < n_fields ? parts[0].stride : 0;
}

/// Halves become waves of rows, north and south.
void unfold(const Halves<const double>& halves, double* north, double* south) {
  const Lanes factor = load(halves.factors);
  for (int m = 0; m <= halves.last; ++m, north += 2 * kLanes, south += 2 * kLanes) {
    const auto wave = unfolded(halves.at(m), factor);
    store(north, wave.north_real), store(north + kLanes, wave.north_imaginary);
    store(south, wave.south_real), store(south + kLanes, wave.south_imaginary);
  }
}

void fold(const double* north, const double* south, const Halves<double>& halves) {
  const Lanes factor = load(halves.factors);
  for (int m = 0; m <= halves.last; ++m, north += 2 * kLanes, south += 2 * kLanes)
    put_folded({load(north) * factor, load(north + kLanes) * factor, load(south) * factor,
                load(south + kLanes) * factor},
               halves.at(m));
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

Fourier::Fourier(const Grid& grid, const Sets& sets, int w) : first_stripe_(sets.first_stripe(w)) {
  Starts starts;
  std::vector<std::size_t> before(sets.counts().v);
  for (int row : sets.rows(w)) {
    starts[row] = before;
    for (int v = 0; v < sets.counts().v; ++v) before[v] += sets.parts(row).size(v);
  }
  const int end = sets.first_stripe(w + 1);
  int longest = sets.stripes().last_wavenumber(first_stripe_);
  for (const auto& [row, at] : starts) {
    transforms_.try_emplace(grid.row_length(row), grid.row_length(row));
    longest = std::max(longest, grid.row_length(row) / 2);
  }
  for (int s = first_stripe_; s < end; ++s) stripes_.push_back(stripe(grid, s, sets, starts));
  const std::size_t pitch = (2 * (longest + 2) + 7) / 8 * 8;  // rows on boundaries of cache lines
  row_waves_.reserve(kLanes * pitch);
  row_values_.reserve(2 * kLanes * pitch);
  std::fill_n(waves_.reserve(2 * kLanes * pitch), 2 * kLanes * pitch, 0.0);
}

Fourier::Stripe Fourier::stripe(const Grid& grid, int s, const Sets& sets, Starts& starts) {
  Stripe found{.last = sets.stripes().last_wavenumber(s)};
  const auto& latitudes = grid.latitudes();
  for (int lane = 0; lane < kLanes; ++lane) {
    const int north = sets.stripes().north(s, lane), south = grid.n_rows() - 1 - north;
    if (north < 0) continue;
    found.rows[lane] = row(grid, north, sets, starts);
    if (south != north) found.rows[kLanes + lane] = row(grid, south, sets, starts);
    found.weights[lane] = latitudes.weights[north] / 2 / grid.row_length(north);
    found.inverse_cosines[lane] = 1 / latitudes.cosines[north];
  }
  found.together = together(found);
  return found;
}

Fourier::Row Fourier::row(const Grid& grid, int number, const Sets& sets, Starts& starts) const {
  const int length = grid.row_length(number);
  return {&transforms_.at(length), last_in_row(length),
          RowParts(sets.parts(number), std::move(starts.at(number)))};
}

/// What transforms the rows of a stripe at once, if all of them are as long.
EightRows* Fourier::together(const Stripe& stripe) {
  int length = 0;
  for (const auto& row : stripe.rows) {
    if (!row.fft) continue;
    if (length != 0 && row.parts.length() != length) return nullptr;
    length = row.parts.length();
  }
  return EightRows::has(length) ? &of_eight_.try_emplace(length, length).first->second : nullptr;
}

/// Where the values of rows stand: where the caller has them, or in `row_values_`, where ranks share rows.
template <class T>
Fourier::Rows<T> Fourier::places(const Stripe& stripe, std::span<const Part<T>> parts, int field) const {
  Rows<T> found{};
  for (int lane = 0; lane < 2 * kLanes; ++lane)
    if (const auto& row = stripe.rows[lane]; row.fft)
      found[lane] = parts.size() == 1 ? row.parts.place(parts, 0, field) : row_values(lane);
  return found;
}

void Fourier::to_values(const Stripe& stripe, const Halves<const double>& halves, const Rows<double>& rows,
                        std::size_t ahead) {
  if (stripe.together) return stripe.together->to_values(halves, rows, ahead);
  unfold(halves, waves(0), waves(1));
  for (int side = 0; side < 2; ++side) {
    to_lanes(waves(side), stripe.last, [&](int lane) { return row_waves(lane); });
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto& row = stripe.rows[side * kLanes + lane];
      if (!row.fft) continue;
      const int end = std::min(stripe.last, row.last) + 1;
      std::fill(row_waves(lane) + 2 * end, row_waves(lane) + 2 * (row.parts.length() / 2 + 1), 0.0);
      row.fft->to_values(row_waves(lane), rows[side * kLanes + lane]);
    }
  }
}

void Fourier::to_waves(const Stripe& stripe, const Rows<const double>& rows, std::size_t ahead,
                       const Halves<double>& halves) {
  if (stripe.together) return stripe.together->to_waves(rows, ahead, halves);
  for (int side = 0; side < 2; ++side) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto& row = stripe.rows[side * kLanes + lane];
      const int end = std::min(stripe.last, row.last) + 1;
      if (row.fft) row.fft->to_waves(rows[side * kLanes + lane], row_waves(lane));
      std::fill(row_waves(lane) + 2 * end, row_waves(lane) + 2 * (stripe.last + 1), 0.0);
    }
    from_lanes([&](int lane) { return row_waves(lane); }, stripe.last, waves(side));
  }
  fold(waves(0), waves(1), halves);
}

/// Rows that ranks share become their parts.
void Fourier::deal(const Stripe& stripe, std::span<const Part<double>> parts, int field) const {
  if (parts.size() == 1) return;
  for (int lane = 0; lane < 2 * kLanes; ++lane)
    if (const auto& row = stripe.rows[lane]; row.fft) row.parts.deal(row_values(lane), parts, field);
}

void Fourier::collect(const Stripe& stripe, std::span<const Part<const double>> parts, int field) {
  if (parts.size() == 1) return;
  for (int lane = 0; lane < 2 * kLanes; ++lane)
    if (const auto& row = stripe.rows[lane]; row.fft) row.parts.collect(parts, field, row_values(lane));
}

void Fourier::synthesis(int number, const std::vector<const double*>& blocks, int n_fields, RowFactor factor,
                        std::span<const Part<double>> parts) {
  const auto& stripe = stripes_[number - first_stripe_];
  const Factors factors = factor == RowFactor::one ? Factors{1, 1, 1, 1} : stripe.inverse_cosines;
  for (int field = 0; field < n_fields; ++field) {
    const std::size_t shift = static_cast<std::size_t>(field) * kBlock;
    to_values(stripe, {blocks.data(), shift, stripe.last, factors.data()},
              places<double>(stripe, parts, field), ahead(parts, field, n_fields));
    deal(stripe, parts, field);
  }
}

/// Whether the blocks of all stripes are more than a core's share of most caches.
bool Fourier::passes_caches(const std::vector<double*>& blocks, int n_fields) const {
  constexpr std::size_t kMost = 1 << 20;  // numbers, 8 MiB
  std::size_t n_blocks = 0;
  for (const auto& stripe : stripes_) n_blocks += stripe.last + 1;
  return n_blocks * n_fields * kBlock > kMost && reinterpret_cast<std::uintptr_t>(blocks[0]) % 64 == 0;
}

void Fourier::analysis(int number, std::span<const Part<const double>> parts, int n_fields, RowFactor factor,
                       const std::vector<double*>& blocks) {
  const auto& stripe = stripes_[number - first_stripe_];
  Factors factors = stripe.weights;
  if (factor == RowFactor::inverse_cosine)
    for (int lane = 0; lane < kLanes; ++lane) factors[lane] *= stripe.inverse_cosines[lane];
  const bool past = passes_caches(blocks, n_fields);
  for (int field = 0; field < n_fields; ++field) {
    const std::size_t shift = static_cast<std::size_t>(field) * kBlock;
    collect(stripe, parts, field);
    to_waves(stripe, places<const double>(stripe, parts, field), ahead(parts, field, n_fields),
             {blocks.data(), shift, stripe.last, factors.data(), past});
  }
  if (past) _mm_sfence();
}

}  // namespace halcyon::transform
