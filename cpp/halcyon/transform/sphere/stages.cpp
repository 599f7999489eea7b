#include "halcyon/transform/sphere/stages.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "halcyon/transform/registers/registers.hpp"

// A stripe is 4 northern rows and their mirror images; a pair is two stripes (buffer.hpp).
namespace halcyon::transform {
namespace {

/// From this number of fields on, recomputing Legendre functions is faster than reading them from memory.
constexpr int kMinRecomputed = 2;

/// Stripes that a synthesis sums together: their base functions fit into the L1 cache up to T255. (An
/// analysis sums a group together, since adding its lanes and storing the sums takes time, too.)
constexpr int kStripesOfSynthesis = kStripesPerGroup / 2;

}  // namespace

template <class Real>
BasicLegendre<Real>::BasicLegendre(const Grid& grid, const Stripes& stripes, int largest_n,
                                   std::vector<int> wavenumbers, std::size_t memory_bytes)
    : wavenumbers_(std::move(wavenumbers)),
      panels_(stripes, wavenumbers_),
      x_(static_cast<std::size_t>(stripes.n() + 1) / 2 * kStripePair) {
  for (int index = 0; index < stripes.n() * kLanes; ++index)
    if (const int row = stripes.north_row(index / kLanes, index % kLanes); row >= 0) {
      const long double mu = std::cos(grid.latitudes().colatitudes[row]);
      if (index % kStripePair == 0 && mu * mu < 0.5L) ++n_equatorial_pairs_;
      x_[index] = static_cast<double>(mu * mu - origin(index / kStripePair));
    }
  const SectoralFunctions sectoral(largest_n);
  wavenumber_data_.reserve(wavenumbers_.size());
  for (int m : wavenumbers_)
    wavenumber_data_.push_back(wavenumber_data(m, sectoral, grid, stripes, largest_n));
  precompute(memory_bytes);
}

template <class Real>
auto BasicLegendre<Real>::wavenumber_data(int m, const SectoralFunctions& sectoral, const Grid& grid,
                                          const Stripes& stripes, int largest_n) const -> WavenumberData {
  WavenumberData data{.m = m, .n_stripes = stripes.n_stripes_with(m), .base = {m, largest_n}};
  data.previous.resize(static_cast<std::size_t>(data.n_pairs()) * kStripePair);
  data.current.resize(data.previous.size());
  for (int begin = 0; begin < data.n_stripes; begin += kStripesPerGroup) {
    std::vector<BaseValues> group;
    for (int s = begin; s < std::min(begin + kStripesPerGroup, data.n_stripes); ++s)
      for (int lane = 0; lane < kLanes; ++lane) {
        const int row = stripes.north_row(s, lane);
        const auto p_mm = row < 0 ? ScaledNumber{0, 0} : sectoral.p_mm(m, grid.latitudes().colatitudes[row]);
        group.push_back({0, p_mm.value, p_mm.scale});
      }
    int j = 0;  // the first whose function is not negligible at a latitude of the group
    const auto is_negligible = [&](const BaseValues& q) {
      return q.scale < 0 || std::abs(data.base.weights[j].odd * q.current) < kNegligible;
    };
    const auto first = static_cast<std::size_t>(begin) * kLanes;
    for (; j < data.base.n && std::ranges::all_of(group, is_negligible); ++j)
      for (std::size_t i = 0; i < group.size(); ++i)
        group[i].step(data.base.steps[origin(static_cast<int>((first + i) / kStripePair))][j], x_[first + i]);
    for (std::size_t i = 0; i < group.size(); ++i) {
      const int exponent = 512 * static_cast<int>(group[i].scale);
      data.previous[first + i] = std::ldexp(group[i].previous, exponent);
      data.current[first + i] = std::ldexp(group[i].current, exponent);
    }
    data.firsts.push_back(j);
  }
  for (const auto& [even, odd, next, previous] : std::exchange(data.base.weights, {}))
    data.weights.push_back({Real(even), Real(odd), Real(next), Real(previous)});
  return data;
}

template <class Real>
void BasicLegendre<Real>::precompute(std::size_t memory_bytes) {
  std::size_t size = 0, n_precomputed = 0;
  for (; n_precomputed < wavenumber_data_.size(); ++n_precomputed) {
    const auto& data = wavenumber_data_[n_precomputed];
    std::size_t next_size = size;
    for (int group = 0; group < data.n_groups(); ++group)
      next_size += data.n_pairs(group) * data.pitch(group);
    if (next_size * sizeof(Real) > memory_bytes) break;
    size = next_size;
  }
  Real* values = precomputed_.reserve(size);
  for (std::size_t i = 0; i < n_precomputed; ++i) {
    auto& data = wavenumber_data_[i];
    for (int group = 0; group < data.n_groups(); ++group) {
      compute_functions(data, group * kPairsPerGroup, group * kPairsPerGroup + data.n_pairs(group), values);
      data.precomputed.push_back(values);
      values += data.n_pairs(group) * data.pitch(group);
    }
  }
}

/// Computes the base functions of a wavenumber at pairs begin .. end - 1, which belong to one group.
template <class Real>
void BasicLegendre<Real>::compute_functions(const WavenumberData& data, int begin, int end,
                                            Real* values) const {
  const int group = begin / kPairsPerGroup, first = data.firsts[group];
  for (int pair = begin, next; pair < end; pair = next) {
    next = origin(pair) == 0 ? std::min(end, n_equatorial_pairs_) : end;
    const std::size_t index = static_cast<std::size_t>(pair) * kStripePair;
    kernels_.functions(data.base.steps[origin(pair)].data() + first, data.base.n - first,
                       {x_.data() + index, data.previous.data() + index, data.current.data() + index},
                       next - pair, values);
    values += (next - pair) * data.pitch(group);
  }
}

/// Returns the base functions of a wavenumber at stripes begin .. end - 1 of one group; `begin` is even.
template <class Real>
const Real* BasicLegendre<Real>::functions(const WavenumberData& data, int begin, int end, int n_fields) {
  const int group = begin / kStripesPerGroup, first_pair = begin / 2, end_pair = (end + 1) / 2;
  if (!data.precomputed.empty() && n_fields < kMinRecomputed)
    return data.precomputed[group] + first_pair % kPairsPerGroup * data.pitch(group);
  Real* values = computed_.reserve((end_pair - first_pair) * data.pitch(group));
  compute_functions(data, first_pair, end_pair, values);
  return values;
}

/// Queues memory to prefetch during the current sums: the blocks of the next stripes (or of the first stripes
/// of the next wavenumber), and the coefficients of the next wavenumber for some of the fields.
/// @param index index of the wavenumber  @param end end of the current stripes
/// @param n_together number of stripes that are summed together
/// @param coefficients coefficients of the next wavenumber
template <class Real>
void BasicLegendre<Real>::queue_prefetch(std::size_t index, int end, int n_together, const Fields& fields,
                                         const Real* coefficients, const Real* panels) {
  const auto& data = wavenumber_data_[index];
  prefetch_queue_.clear();
  if (fields.n < kMinRecomputed) return;  // the sums of a single field are too short
  const bool same_wavenumber = end < data.n_stripes;
  const std::size_t next_index = same_wavenumber ? index : index + 1;
  const int begin = same_wavenumber ? end : 0, part = (end - 1) / n_together,
            n_parts = (data.n_stripes - 1) / n_together + 1;
  if (next_index < wavenumber_data_.size())
    for (int s = begin; s < std::min(begin + n_together, wavenumber_data_[next_index].n_stripes); ++s)
      prefetch_queue_.add(panels + panels_.block_offset(s, static_cast<int>(next_index), fields.group_size),
                          fields.n * kBlockSize);
  if (index + 1 < wavenumber_data_.size())
    for (int f = fields.n * part / n_parts; f < fields.n * (part + 1) / n_parts; ++f)
      prefetch_queue_.add(coefficients + f * fields.stride,
                          2 * (fields.largest_n + 1 - wavenumber_data_[index + 1].m));
  prefetch_queue_.spread_over(static_cast<std::size_t>(fields.n) *
                              BaseFunctions::count(fields.largest_n + 1 - data.m) *
                              (end - part * n_together));
}

template <class Real>
void BasicLegendre<Real>::synthesis(const Real* coefficients, const Fields& fields, Real* panels,
                                    const PollCallback& on_poll) {
  std::array<Real*, kStripesOfSynthesis> blocks;
  for (std::size_t index = 0; index < wavenumber_data_.size(); ++index) {
    const auto& data = wavenumber_data_[index];
    const int n = fields.largest_n + 1 - data.m;
    const BasicBaseSeries<Real> terms(BaseFunctions::count(n), fields.n, series_);
    for (int f = 0; f < fields.n; ++f)
      kernels_.coefficients_to_terms(data.weights.data(), n, coefficients + f * fields.stride,
                                     terms.field(f));
    coefficients += 2 * n;
    for (int begin = 0; begin < data.n_stripes; begin += kStripesOfSynthesis) {
      const int end = std::min(begin + kStripesOfSynthesis, data.n_stripes), group = begin / kStripesPerGroup;
      const Real* q = functions(data, begin, end, fields.n);
      blocks.fill(discarded_.reserve(static_cast<std::size_t>(fields.n) *
                                     kBlockSize));  // for the missing second stripe of a pair
      for (int s = begin; s < end; ++s)
        blocks[s - begin] = panels + panels_.block_offset(s, static_cast<int>(index), fields.group_size);
      queue_prefetch(index, end, kStripesOfSynthesis, fields, coefficients, panels);
      kernels_.sum_over_terms(terms, std::min(data.firsts[group], terms.n), end - begin, q, data.pitch(group),
                              blocks.data(), prefetch_queue_);
    }
    on_poll();
  }
}

template <class Real>
void BasicLegendre<Real>::analysis(const Real* panels, const Fields& fields, Real* coefficients,
                                   const PollCallback& on_poll) {
  std::array<const Real*, kStripesPerGroup> blocks;
  for (std::size_t index = 0; index < wavenumber_data_.size(); ++index) {
    const auto& data = wavenumber_data_[index];
    const int n = fields.largest_n + 1 - data.m;
    const BasicBaseSeries<Real> sums(BaseFunctions::count(n), fields.n, series_);
    for (int group = 0; group < data.n_groups(); ++group) {
      const int begin = group * kStripesPerGroup, end = std::min(begin + kStripesPerGroup, data.n_stripes);
      const Real* q = functions(data, begin, end, fields.n);
      for (int s = begin; s < end; ++s)
        blocks[s - begin] = panels + panels_.block_offset(s, static_cast<int>(index), fields.group_size);
      queue_prefetch(index, end, kStripesPerGroup, fields, coefficients + 2 * n, panels);
      kernels_.sum_over_latitudes(sums, std::min(data.firsts[group], sums.n), end - begin, q,
                                  data.pitch(group), blocks.data(), group == 0, prefetch_queue_);
    }
    for (int f = 0; f < fields.n; ++f)
      kernels_.sums_to_coefficients(data.weights.data(), n, sums.field(f), coefficients + f * fields.stride);
    coefficients += 2 * n;
    on_poll();
  }
}

namespace {

/// Real and imaginary parts of a Fourier coefficient in the two hemispheres, in registers of 4 numbers.
template <class V>
struct Wave {
  V north_real, north_imaginary, south_real, south_imaginary;
};

/// Returns the Fourier coefficients of a block, multiplied by a factor.
template <class V>
Wave<V> unfolded(const Element<V>* block, V mu, V factor) {
  const V even_real = load_as<V>(block), even_imaginary = load_as<V>(block + kLanes);
  const V odd_real = load_as<V>(block + 2 * kLanes) * mu, odd_imaginary = load_as<V>(block + 3 * kLanes) * mu;
  return {(even_real + odd_real) * factor, (even_imaginary + odd_imaginary) * factor,
          (even_real - odd_real) * factor, (even_imaginary - odd_imaginary) * factor};
}

/// Stores twice the even and odd parts of Fourier coefficients as a block; `Stripe::weights` contain the 1/2.
template <class V>
void store_folded(const Wave<V>& wave, V mu, Element<V>* block) {
  store(block, wave.north_real + wave.south_real);
  store(block + kLanes, wave.north_imaginary + wave.south_imaginary);
  store(block + 2 * kLanes, (wave.north_real - wave.south_real) * mu);
  store(block + 3 * kLanes, (wave.north_imaginary - wave.south_imaginary) * mu);
}

/// Returns the distance [numbers] to the same row of the next field; 0 for the last field or shared rows.
template <class T>
std::size_t prefetch_distance(std::span<const Part<T>> parts, int field, int n_fields) {
  return parts.size() == 1 && field + 1 < n_fields ? parts[0].stride : 0;
}

/// Converts even and odd parts to Fourier coefficients of northern and southern rows.
template <class Real, class V = LanesOf<Real>>
void unfold(const ParityParts<const Real>& parity_parts, Real* north, Real* south) {
  const V mu = load_as<V>(parity_parts.sines), factor = load_as<V>(parity_parts.factors);
  for (int m = 0; m <= parity_parts.largest_m; ++m, north += 2 * kLanes, south += 2 * kLanes) {
    const auto wave = unfolded(parity_parts.block(m), mu, factor);
    store(north, wave.north_real), store(north + kLanes, wave.north_imaginary);
    store(south, wave.south_real), store(south + kLanes, wave.south_imaginary);
  }
}

/// Converts Fourier coefficients of northern and southern rows to twice the even and odd parts.
template <class Real, class V = LanesOf<Real>>
void fold(const Real* north, const Real* south, const ParityParts<Real>& parity_parts) {
  const V mu = load_as<V>(parity_parts.sines), factor = load_as<V>(parity_parts.factors);
  for (int m = 0; m <= parity_parts.largest_m; ++m, north += 2 * kLanes, south += 2 * kLanes)
    store_folded<V>({load_as<V>(north) * factor, load_as<V>(north + kLanes) * factor,
                     load_as<V>(south) * factor, load_as<V>(south + kLanes) * factor},
                    mu, parity_parts.block(m));
}

/// Transposes (wavenumber, real and imaginary part, lane) to (lane, wavenumber, real and imaginary part), two
/// wavenumbers at a time. @param row returns the coefficients of a lane
template <class Real, class Row, class V = LanesOf<Real>>
void to_lanes(const Real* waves, int largest_m, Row row) {
  for (int m = 0; m <= largest_m; m += 2, waves += 4 * kLanes) {
    V a = load_as<V>(waves), b = load_as<V>(waves + kLanes), c = load_as<V>(waves + 2 * kLanes),
      d = load_as<V>(waves + 3 * kLanes);
    transpose(a, b, c, d);
    store(row(0) + 2 * m, a), store(row(1) + 2 * m, b), store(row(2) + 2 * m, c), store(row(3) + 2 * m, d);
  }
}

/// The inverse of `to_lanes`.
template <class Real, class Row, class V = LanesOf<Real>>
void from_lanes(Row row, int largest_m, Real* waves) {
  for (int m = 0; m <= largest_m; m += 2, waves += 4 * kLanes) {
    V a = load_as<V>(row(0) + 2 * m), b = load_as<V>(row(1) + 2 * m), c = load_as<V>(row(2) + 2 * m),
      d = load_as<V>(row(3) + 2 * m);
    transpose(a, b, c, d);
    store(waves, a), store(waves + kLanes, b), store(waves + 2 * kLanes, c), store(waves + 3 * kLanes, d);
  }
}

}  // namespace

template <class Real>
BasicFourier<Real>::BasicFourier(const Grid& grid, const SphereSets& sets, int w)
    : first_stripe_(sets.first_stripe(w)) {
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
  const std::size_t pitch = (2 * (largest_m + 2) + 15) / 16 * 16;  // rows are aligned to cache lines
  row_waves_.reserve(kLanes * pitch);
  row_values_.reserve(2 * kLanes * pitch);
  std::fill_n(waves_.reserve(2 * kLanes * pitch), 2 * kLanes * pitch, Real{0});
}

template <class Real>
auto BasicFourier<Real>::stripe(const Grid& grid, int s, const SphereSets& sets, PartOffsets& offsets)
    -> Stripe {
  Stripe result{.largest_m = sets.stripes().largest_wavenumber(s)};
  const auto& latitudes = grid.latitudes();
  for (int lane = 0; lane < kLanes; ++lane) {
    const int north = sets.stripes().north_row(s, lane), south = grid.n_rows() - 1 - north;
    if (north < 0) continue;
    result.rows[lane] = row(grid, north, sets, offsets);
    if (south != north) result.rows[kLanes + lane] = row(grid, south, sets, offsets);
    result.weights[lane] = static_cast<Real>(latitudes.weights[north] / 2 / grid.row_length(north));
    result.sines[lane] = static_cast<Real>(latitudes.sines[north]);
    result.inverse_cosines[lane] = static_cast<Real>(1 / latitudes.cosines[north]);
  }
  result.eight_row_fft = eight_row_fft(result);
  return result;
}

template <class Real>
auto BasicFourier<Real>::row(const Grid& grid, int index, const SphereSets& sets, PartOffsets& offsets) const
    -> Row {
  const int length = grid.row_length(index);
  return {&row_ffts_.at(length), largest_wavenumber_in_row(length),
          RowParts(sets.parts(index), std::move(offsets.at(index)))};
}

/// Returns the eight-row transform of a stripe, if all its rows have the same supported length.
template <class Real>
BasicEightRowFft<Real>* BasicFourier<Real>::eight_row_fft(const Stripe& stripe) {
  int length = 0;
  for (const auto& row : stripe.rows) {
    if (!row.fft) continue;
    if (length != 0 && row.parts.length() != length) return nullptr;
    length = row.parts.length();
  }
  return BasicEightRowFft<Real>::supports(length) ? &eight_row_ffts_.try_emplace(length, length).first->second
                                                  : nullptr;
}

/// Returns pointers to the values of rows, in the caller's arrays or, if ranks share rows, in `row_values_`.
template <class Real>
template <class T>
auto BasicFourier<Real>::row_pointers(const Stripe& stripe, std::span<const Part<T>> parts, int field) const
    -> Rows<T> {
  Rows<T> pointers{};
  for (int lane = 0; lane < 2 * kLanes; ++lane)
    if (const auto& row = stripe.rows[lane]; row.fft)
      pointers[lane] = parts.size() == 1 ? row.parts.data(parts, 0, field) : row_values(lane);
  return pointers;
}

template <class Real>
void BasicFourier<Real>::to_values(const Stripe& stripe, const ParityParts<const Real>& parity_parts,
                                   const Rows<Real>& rows, std::size_t prefetch_distance) {
  if (stripe.eight_row_fft) return stripe.eight_row_fft->to_values(parity_parts, rows, prefetch_distance);
  unfold<Real>(parity_parts, waves(0), waves(1));
  for (int hemisphere = 0; hemisphere < 2; ++hemisphere) {
    to_lanes<Real>(waves(hemisphere), stripe.largest_m, [&](int lane) { return row_waves(lane); });
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto& row = stripe.rows[hemisphere * kLanes + lane];
      if (!row.fft) continue;
      const int end = std::min(stripe.largest_m, row.largest_m) + 1;
      std::fill(row_waves(lane) + 2 * end, row_waves(lane) + 2 * (row.parts.length() / 2 + 1), Real{0});
      row.fft->to_values(row_waves(lane), rows[hemisphere * kLanes + lane]);
    }
  }
}

template <class Real>
void BasicFourier<Real>::to_waves(const Stripe& stripe, const Rows<const Real>& rows,
                                  std::size_t prefetch_distance, const ParityParts<Real>& parity_parts) {
  if (stripe.eight_row_fft) return stripe.eight_row_fft->to_waves(rows, prefetch_distance, parity_parts);
  for (int hemisphere = 0; hemisphere < 2; ++hemisphere) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto& row = stripe.rows[hemisphere * kLanes + lane];
      const int end = std::min(stripe.largest_m, row.largest_m) + 1;
      if (row.fft) row.fft->to_waves(rows[hemisphere * kLanes + lane], row_waves(lane));
      std::fill(row_waves(lane) + 2 * end, row_waves(lane) + 2 * (stripe.largest_m + 1), Real{0});
    }
    from_lanes<Real>([&](int lane) { return row_waves(lane); }, stripe.largest_m, waves(hemisphere));
  }
  fold<Real>(waves(0), waves(1), parity_parts);
}

/// If ranks share rows, copies the complete rows of a stripe from `row_values_` to the parts.
template <class Real>
void BasicFourier<Real>::scatter(const Stripe& stripe, std::span<const Part<Real>> parts, int field) const {
  if (parts.size() == 1) return;
  for (int lane = 0; lane < 2 * kLanes; ++lane)
    if (const auto& row = stripe.rows[lane]; row.fft) row.parts.scatter(row_values(lane), parts, field);
}

/// If ranks share rows, copies the parts to the complete rows of a stripe in `row_values_`.
template <class Real>
void BasicFourier<Real>::gather(const Stripe& stripe, std::span<const Part<const Real>> parts, int field) {
  if (parts.size() == 1) return;
  for (int lane = 0; lane < 2 * kLanes; ++lane)
    if (const auto& row = stripe.rows[lane]; row.fft) row.parts.gather(parts, field, row_values(lane));
}

template <class Real>
void BasicFourier<Real>::synthesis(int stripe_index, const std::vector<const Real*>& blocks, int n_fields,
                                   RowFactor factor, std::span<const Part<Real>> parts) {
  const auto& stripe = stripes_[stripe_index - first_stripe_];
  const Factors factors = factor == RowFactor::one ? Factors{1, 1, 1, 1} : stripe.inverse_cosines;
  for (int field = 0; field < n_fields; ++field) {
    const std::size_t shift = static_cast<std::size_t>(field) * kBlockSize;
    to_values(stripe, {blocks.data(), shift, stripe.largest_m, stripe.sines.data(), factors.data()},
              row_pointers<Real>(stripe, parts, field), prefetch_distance(parts, field, n_fields));
    scatter(stripe, parts, field);
  }
}

/// Whether to bypass the caches: the blocks of all stripes exceed a typical core's caches, and are aligned.
template <class Real>
bool BasicFourier<Real>::uses_non_temporal_stores(const std::vector<Real*>& blocks, int n_fields) const {
  constexpr std::size_t kMaxDoubles = 1 << 20;  // 8 MiB of cache
  std::size_t n_blocks = 0;
  for (const auto& stripe : stripes_) n_blocks += stripe.largest_m + 1;
  return n_blocks * n_fields * kBlockSize > kMaxDoubles &&
         reinterpret_cast<std::uintptr_t>(blocks[0]) % 64 == 0;
}

template <class Real>
void BasicFourier<Real>::analysis(int stripe_index, std::span<const Part<const Real>> parts, int n_fields,
                                  RowFactor factor, const std::vector<Real*>& blocks) {
  const auto& stripe = stripes_[stripe_index - first_stripe_];
  Factors factors = stripe.weights;
  if (factor == RowFactor::inverse_cosine)
    for (int lane = 0; lane < kLanes; ++lane) factors[lane] *= stripe.inverse_cosines[lane];
  const bool non_temporal = uses_non_temporal_stores(blocks, n_fields);
  for (int field = 0; field < n_fields; ++field) {
    const std::size_t shift = static_cast<std::size_t>(field) * kBlockSize;
    gather(stripe, parts, field);
    to_waves(stripe, row_pointers<const Real>(stripe, parts, field),
             prefetch_distance(parts, field, n_fields),
             {blocks.data(), shift, stripe.largest_m, stripe.sines.data(), factors.data(), non_temporal});
  }
  if (non_temporal) _mm_sfence();
}

template class BasicLegendre<double>;
template class BasicLegendre<float>;
template class BasicFourier<double>;
template class BasicFourier<float>;

}  // namespace halcyon::transform
