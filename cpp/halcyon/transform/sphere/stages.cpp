#include "halcyon/transform/sphere/stages.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "halcyon/transform/registers/registers.hpp"

// A stripe is 4 northern rows and their mirror images; a pair is two stripes (buffer.hpp).
namespace halcyon::transform {
namespace {

/// From this number of fields on, recomputing Legendre functions is faster than reading them from memory.
constexpr int kMinRecomputed = 2;

}  // namespace

Legendre::Legendre(const Grid& grid, const Stripes& stripes, int largest_n, std::vector<int> wavenumbers,
                   std::size_t memory_bytes)
    : wavenumbers_(std::move(wavenumbers)),
      panels_(stripes, wavenumbers_),
      mu_(static_cast<std::size_t>(stripes.n() + 1) / 2 * kStripePair) {
  for (int index = 0; index < stripes.n() * kLanes; ++index) {
    const int row = stripes.north_row(index / kLanes, index % kLanes);
    mu_[index] = row < 0 ? 0 : grid.latitudes().sines[row];
  }
  const SectoralFunctions sectoral(largest_n);
  wavenumber_data_.reserve(wavenumbers_.size());
  for (int m : wavenumbers_)
    wavenumber_data_.push_back(wavenumber_data(m, sectoral, grid, stripes, largest_n));
  precompute(memory_bytes);
}

Legendre::WavenumberData Legendre::wavenumber_data(int m, const SectoralFunctions& sectoral, const Grid& grid,
                                                   const Stripes& stripes, int largest_n) const {
  WavenumberData data{
      .m = m, .n_stripes = stripes.n_stripes_with(m), .steps = recurrence_steps(m, largest_n)};
  data.values.resize(static_cast<std::size_t>(data.n_pairs()) * kStripePair);
  data.scales.resize(data.values.size());
  for (int index = 0; index < data.n_stripes * kLanes; ++index) {
    const int row = stripes.north_row(index / kLanes, index % kLanes);
    if (row < 0) continue;
    const auto [value, scale] = sectoral.p_mm(m, grid.latitudes().colatitudes[row]);
    data.values[index] = value, data.scales[index] = scale;
  }
  return data;
}

void Legendre::precompute(std::size_t memory_bytes) {
  std::size_t size = 0, n_precomputed = 0;
  for (; n_precomputed < wavenumber_data_.size(); ++n_precomputed) {
    const std::size_t next_size =
        wavenumber_data_[n_precomputed].n_pairs() * wavenumber_data_[n_precomputed].pitch();
    if ((size + next_size) * sizeof(double) > memory_bytes) break;
    size += next_size;
  }
  double* functions = precomputed_.reserve(size);
  for (std::size_t i = 0; i < n_precomputed; ++i) {
    auto& data = wavenumber_data_[i];
    kernels_.functions(data.steps, {mu_.data(), data.values.data(), data.scales.data()}, data.n_pairs(),
                       functions);
    data.precomputed = functions;
    functions += data.n_pairs() * data.pitch();
  }
}

/// Returns the Legendre functions of a wavenumber at `n_stripes` stripes from stripe `begin` on.
const double* Legendre::functions(const WavenumberData& data, int begin, int n_stripes, int n_fields) {
  if (data.precomputed && n_fields < kMinRecomputed) return data.precomputed + begin / 2 * data.pitch();
  const std::size_t index = static_cast<std::size_t>(begin) * kLanes;
  double* values = computed_.reserve(kStripesPerGroup / 2 * data.pitch());
  kernels_.functions(data.steps, {mu_.data() + index, data.values.data() + index, data.scales.data() + index},
                     (n_stripes + 1) / 2, values);
  return values;
}

/// Queues memory to prefetch during the current group of stripes: the blocks of the next group (or of the
/// first group of the next wavenumber), and the coefficients of the next wavenumber for some of the fields.
/// @param index index of the wavenumber  @param group_end end of the stripes of the current group
/// @param coefficients coefficients of the next wavenumber
void Legendre::queue_prefetch(std::size_t index, int group_end, const Fields& fields,
                              const double* coefficients, const double* panels) {
  const auto& data = wavenumber_data_[index];
  prefetch_queue_.clear();
  if (fields.n < kMinRecomputed) return;  // the sums of a single field are too short
  const bool same_wavenumber = group_end < data.n_stripes;
  const std::size_t next_index = same_wavenumber ? index : index + 1;
  const int begin = same_wavenumber ? group_end : 0, group = (group_end - 1) / kStripesPerGroup,
            n_groups = (data.n_stripes - 1) / kStripesPerGroup + 1;
  if (next_index < wavenumber_data_.size())
    for (int s = begin; s < std::min(begin + kStripesPerGroup, wavenumber_data_[next_index].n_stripes); ++s)
      prefetch_queue_.add(panels + panels_.block_offset(s, static_cast<int>(next_index), fields.group_size),
                          fields.n * kBlockSize);
  if (index + 1 < wavenumber_data_.size())
    for (int f = fields.n * group / n_groups; f < fields.n * (group + 1) / n_groups; ++f)
      prefetch_queue_.add(coefficients + f * fields.stride,
                          2 * (fields.largest_n + 1 - wavenumber_data_[index + 1].m));
  prefetch_queue_.spread_over(static_cast<std::size_t>(fields.n) * (fields.largest_n + 1 - data.m) *
                              (group_end - group * kStripesPerGroup));
}

void Legendre::synthesis(const double* coefficients, const Fields& fields, double* panels,
                         const PollCallback& on_poll) {
  std::array<double*, kStripesPerGroup> blocks;
  for (std::size_t index = 0; index < wavenumber_data_.size(); ++index) {
    const auto& data = wavenumber_data_[index];
    const int n = fields.largest_n + 1 - data.m;
    const auto parities = parity_terms(n, data.n_even(), coefficients, fields.stride);
    coefficients += 2 * n;
    for (int begin = 0; begin < data.n_stripes; begin += kStripesPerGroup) {
      const int end = std::min(begin + kStripesPerGroup, data.n_stripes);
      const double* p = functions(data, begin, end - begin, fields.n);
      blocks.fill(discarded_.reserve(static_cast<std::size_t>(fields.n) *
                                     kBlockSize));  // for the missing second stripe of a pair
      for (int s = begin; s < end; ++s)
        blocks[s - begin] = panels + panels_.block_offset(s, static_cast<int>(index), fields.group_size);
      queue_prefetch(index, end, fields, coefficients, panels);
      for (const auto& parity : parities)
        kernels_.sum_over_terms(parity, fields.n, end - begin, p, data.pitch(), blocks.data(),
                                prefetch_queue_);
    }
    on_poll();
  }
}

void Legendre::analysis(const double* panels, const Fields& fields, double* coefficients,
                        const PollCallback& on_poll) {
  std::array<const double*, kStripesPerGroup> blocks;
  for (std::size_t index = 0; index < wavenumber_data_.size(); ++index) {
    const auto& data = wavenumber_data_[index];
    const int n = fields.largest_n + 1 - data.m;
    const auto parities = parity_sums(n, data.n_even(), fields.n, parity_sums_);
    for (int begin = 0; begin < data.n_stripes; begin += kStripesPerGroup) {
      const int end = std::min(begin + kStripesPerGroup, data.n_stripes);
      const double* p = functions(data, begin, end - begin, fields.n);
      for (int s = begin; s < end; ++s)
        blocks[s - begin] = panels + panels_.block_offset(s, static_cast<int>(index), fields.group_size);
      queue_prefetch(index, end, fields, coefficients + 2 * n, panels);
      for (const auto& parity : parities)
        kernels_.sum_over_latitudes(parity, fields.n, end - begin, p, data.pitch(), blocks.data(), begin == 0,
                                    prefetch_queue_);
    }
    for (int f = 0; f < fields.n; f += 2) {
      double* const field_1 = coefficients + f * fields.stride;
      store_coefficients(parities, f / 2, field_1, f + 1 < fields.n ? field_1 + fields.stride : field_1);
    }
    coefficients += 2 * n;
    on_poll();
  }
}

namespace {

/// Real and imaginary parts of a Fourier coefficient in the two hemispheres.
struct Wave {
  Lanes north_real, north_imaginary, south_real, south_imaginary;
};

/// Returns the Fourier coefficients of a block, multiplied by a factor.
Wave unfolded(const double* block, Lanes factor) {
  const Lanes even_real = load(block), even_imaginary = load(block + kLanes);
  const Lanes odd_real = load(block + 2 * kLanes), odd_imaginary = load(block + 3 * kLanes);
  return {(even_real + odd_real) * factor, (even_imaginary + odd_imaginary) * factor,
          (even_real - odd_real) * factor, (even_imaginary - odd_imaginary) * factor};
}

/// Stores twice the even and odd parts of Fourier coefficients as a block; `Stripe::weights` contain the 1/2.
void store_folded(const Wave& wave, double* block) {
  store(block, wave.north_real + wave.south_real);
  store(block + kLanes, wave.north_imaginary + wave.south_imaginary);
  store(block + 2 * kLanes, wave.north_real - wave.south_real);
  store(block + 3 * kLanes, wave.north_imaginary - wave.south_imaginary);
}

/// Returns the distance [doubles] to the same row of the next field; 0 for the last field or shared rows.
template <class T>
std::size_t prefetch_distance(std::span<const Part<T>> parts, int field, int n_fields) {
  return parts.size() == 1 && field + 1 < n_fields ? parts[0].stride : 0;
}

/// Converts even and odd parts to Fourier coefficients of northern and southern rows.
void unfold(const ParityParts<const double>& parity_parts, double* north, double* south) {
  const Lanes factor = load(parity_parts.factors);
  for (int m = 0; m <= parity_parts.largest_m; ++m, north += 2 * kLanes, south += 2 * kLanes) {
    const auto wave = unfolded(parity_parts.block(m), factor);
    store(north, wave.north_real), store(north + kLanes, wave.north_imaginary);
    store(south, wave.south_real), store(south + kLanes, wave.south_imaginary);
  }
}

/// Converts Fourier coefficients of northern and southern rows to twice the even and odd parts.
void fold(const double* north, const double* south, const ParityParts<double>& parity_parts) {
  const Lanes factor = load(parity_parts.factors);
  for (int m = 0; m <= parity_parts.largest_m; ++m, north += 2 * kLanes, south += 2 * kLanes)
    store_folded({load(north) * factor, load(north + kLanes) * factor, load(south) * factor,
                  load(south + kLanes) * factor},
                 parity_parts.block(m));
}

/// Transposes (wavenumber, real and imaginary part, lane) to (lane, wavenumber, real and imaginary part), two
/// wavenumbers at a time. @param row returns the coefficients of a lane
template <class Row>
void to_lanes(const double* waves, int largest_m, Row row) {
  for (int m = 0; m <= largest_m; m += 2, waves += 4 * kLanes) {
    Lanes a = load(waves), b = load(waves + kLanes), c = load(waves + 2 * kLanes),
          d = load(waves + 3 * kLanes);
    transpose(a, b, c, d);
    store(row(0) + 2 * m, a), store(row(1) + 2 * m, b), store(row(2) + 2 * m, c), store(row(3) + 2 * m, d);
  }
}

/// The inverse of `to_lanes`.
template <class Row>
void from_lanes(Row row, int largest_m, double* waves) {
  for (int m = 0; m <= largest_m; m += 2, waves += 4 * kLanes) {
    Lanes a = load(row(0) + 2 * m), b = load(row(1) + 2 * m), c = load(row(2) + 2 * m),
          d = load(row(3) + 2 * m);
    transpose(a, b, c, d);
    store(waves, a), store(waves + kLanes, b), store(waves + 2 * kLanes, c), store(waves + 3 * kLanes, d);
  }
}

}  // namespace

Fourier::Fourier(const Grid& grid, const SphereSets& sets, int w) : first_stripe_(sets.first_stripe(w)) {
  PartOffsets offsets;
  std::vector<std::size_t> before(sets.counts().v);
  for (int row : sets.rows(w)) {
    offsets[row] = before;
    for (int v = 0; v < sets.counts().v; ++v) before[v] += sets.parts(row).size(v);
  }
  const int end = sets.first_stripe(w + 1);
  int largest_m = sets.stripes().largest_wavenumber(first_stripe_);  // of all stripes and rows
  for (const auto& [row, offsets_of_row] : offsets) {
    row_ffts_.try_emplace(grid.row_length(row), grid.row_length(row));
    largest_m = std::max(largest_m, grid.row_length(row) / 2);
  }
  for (int s = first_stripe_; s < end; ++s) stripes_.push_back(stripe(grid, s, sets, offsets));
  const std::size_t pitch = (2 * (largest_m + 2) + 7) / 8 * 8;  // rows are aligned to cache lines
  row_waves_.reserve(kLanes * pitch);
  row_values_.reserve(2 * kLanes * pitch);
  std::fill_n(waves_.reserve(2 * kLanes * pitch), 2 * kLanes * pitch, 0.0);
}

Fourier::Stripe Fourier::stripe(const Grid& grid, int s, const SphereSets& sets, PartOffsets& offsets) {
  Stripe result{.largest_m = sets.stripes().largest_wavenumber(s)};
  const auto& latitudes = grid.latitudes();
  for (int lane = 0; lane < kLanes; ++lane) {
    const int north = sets.stripes().north_row(s, lane), south = grid.n_rows() - 1 - north;
    if (north < 0) continue;
    result.rows[lane] = row(grid, north, sets, offsets);
    if (south != north) result.rows[kLanes + lane] = row(grid, south, sets, offsets);
    result.weights[lane] = latitudes.weights[north] / 2 / grid.row_length(north);
    result.inverse_cosines[lane] = 1 / latitudes.cosines[north];
  }
  result.eight_row_fft = eight_row_fft(result);
  return result;
}

Fourier::Row Fourier::row(const Grid& grid, int index, const SphereSets& sets, PartOffsets& offsets) const {
  const int length = grid.row_length(index);
  return {&row_ffts_.at(length), largest_wavenumber_in_row(length),
          RowParts(sets.parts(index), std::move(offsets.at(index)))};
}

/// Returns the eight-row transform of a stripe, if all its rows have the same supported length.
EightRowFft* Fourier::eight_row_fft(const Stripe& stripe) {
  int length = 0;
  for (const auto& row : stripe.rows) {
    if (!row.fft) continue;
    if (length != 0 && row.parts.length() != length) return nullptr;
    length = row.parts.length();
  }
  return EightRowFft::supports(length) ? &eight_row_ffts_.try_emplace(length, length).first->second : nullptr;
}

/// Returns pointers to the values of rows, in the caller's arrays or, if ranks share rows, in `row_values_`.
template <class T>
Fourier::Rows<T> Fourier::row_pointers(const Stripe& stripe, std::span<const Part<T>> parts,
                                       int field) const {
  Rows<T> pointers{};
  for (int lane = 0; lane < 2 * kLanes; ++lane)
    if (const auto& row = stripe.rows[lane]; row.fft)
      pointers[lane] = parts.size() == 1 ? row.parts.data(parts, 0, field) : row_values(lane);
  return pointers;
}

void Fourier::to_values(const Stripe& stripe, const ParityParts<const double>& parity_parts,
                        const Rows<double>& rows, std::size_t prefetch_distance) {
  if (stripe.eight_row_fft) return stripe.eight_row_fft->to_values(parity_parts, rows, prefetch_distance);
  unfold(parity_parts, waves(0), waves(1));
  for (int hemisphere = 0; hemisphere < 2; ++hemisphere) {
    to_lanes(waves(hemisphere), stripe.largest_m, [&](int lane) { return row_waves(lane); });
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto& row = stripe.rows[hemisphere * kLanes + lane];
      if (!row.fft) continue;
      const int end = std::min(stripe.largest_m, row.largest_m) + 1;
      std::fill(row_waves(lane) + 2 * end, row_waves(lane) + 2 * (row.parts.length() / 2 + 1), 0.0);
      row.fft->to_values(row_waves(lane), rows[hemisphere * kLanes + lane]);
    }
  }
}

void Fourier::to_waves(const Stripe& stripe, const Rows<const double>& rows, std::size_t prefetch_distance,
                       const ParityParts<double>& parity_parts) {
  if (stripe.eight_row_fft) return stripe.eight_row_fft->to_waves(rows, prefetch_distance, parity_parts);
  for (int hemisphere = 0; hemisphere < 2; ++hemisphere) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto& row = stripe.rows[hemisphere * kLanes + lane];
      const int end = std::min(stripe.largest_m, row.largest_m) + 1;
      if (row.fft) row.fft->to_waves(rows[hemisphere * kLanes + lane], row_waves(lane));
      std::fill(row_waves(lane) + 2 * end, row_waves(lane) + 2 * (stripe.largest_m + 1), 0.0);
    }
    from_lanes([&](int lane) { return row_waves(lane); }, stripe.largest_m, waves(hemisphere));
  }
  fold(waves(0), waves(1), parity_parts);
}

/// If ranks share rows, copies the complete rows of a stripe from `row_values_` to the parts.
void Fourier::scatter(const Stripe& stripe, std::span<const Part<double>> parts, int field) const {
  if (parts.size() == 1) return;
  for (int lane = 0; lane < 2 * kLanes; ++lane)
    if (const auto& row = stripe.rows[lane]; row.fft) row.parts.scatter(row_values(lane), parts, field);
}

/// If ranks share rows, copies the parts to the complete rows of a stripe in `row_values_`.
void Fourier::gather(const Stripe& stripe, std::span<const Part<const double>> parts, int field) {
  if (parts.size() == 1) return;
  for (int lane = 0; lane < 2 * kLanes; ++lane)
    if (const auto& row = stripe.rows[lane]; row.fft) row.parts.gather(parts, field, row_values(lane));
}

void Fourier::synthesis(int stripe_index, const std::vector<const double*>& blocks, int n_fields,
                        RowFactor factor, std::span<const Part<double>> parts) {
  const auto& stripe = stripes_[stripe_index - first_stripe_];
  const Factors factors = factor == RowFactor::one ? Factors{1, 1, 1, 1} : stripe.inverse_cosines;
  for (int field = 0; field < n_fields; ++field) {
    const std::size_t shift = static_cast<std::size_t>(field) * kBlockSize;
    to_values(stripe, {blocks.data(), shift, stripe.largest_m, factors.data()},
              row_pointers<double>(stripe, parts, field), prefetch_distance(parts, field, n_fields));
    scatter(stripe, parts, field);
  }
}

/// Whether to bypass the caches: the blocks of all stripes exceed a typical core's caches, and are aligned.
bool Fourier::uses_non_temporal_stores(const std::vector<double*>& blocks, int n_fields) const {
  constexpr std::size_t kMaxDoubles = 1 << 20;  // 8 MiB of cache
  std::size_t n_blocks = 0;
  for (const auto& stripe : stripes_) n_blocks += stripe.largest_m + 1;
  return n_blocks * n_fields * kBlockSize > kMaxDoubles &&
         reinterpret_cast<std::uintptr_t>(blocks[0]) % 64 == 0;
}

void Fourier::analysis(int stripe_index, std::span<const Part<const double>> parts, int n_fields,
                       RowFactor factor, const std::vector<double*>& blocks) {
  const auto& stripe = stripes_[stripe_index - first_stripe_];
  Factors factors = stripe.weights;
  if (factor == RowFactor::inverse_cosine)
    for (int lane = 0; lane < kLanes; ++lane) factors[lane] *= stripe.inverse_cosines[lane];
  const bool non_temporal = uses_non_temporal_stores(blocks, n_fields);
  for (int field = 0; field < n_fields; ++field) {
    const std::size_t shift = static_cast<std::size_t>(field) * kBlockSize;
    gather(stripe, parts, field);
    to_waves(stripe, row_pointers<const double>(stripe, parts, field),
             prefetch_distance(parts, field, n_fields),
             {blocks.data(), shift, stripe.largest_m, factors.data(), non_temporal});
  }
  if (non_temporal) _mm_sfence();
}

}  // namespace halcyon::transform
