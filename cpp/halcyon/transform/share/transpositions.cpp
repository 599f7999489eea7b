#include "halcyon/transform/share/transpositions.hpp"

#include <algorithm>

namespace halcyon::transform {
namespace {

using schedule::ByteRange;

/// The messages of a transposition of the fields of a group, as byte ranges in the arrays that the stages
/// use, so that nothing is packed. `first` is the first rank of an all-to-all, and ranks have indices in it.
class StageBlocks : public schedule::Blocks {
 public:
  StageBlocks(const CallLayout& layout, int group)
      : sets_(layout.sets),
        fields_(layout.fields),
        group_(group),
        number_bytes_(layout.number_bytes),
        direction_(layout.direction) {}

  ByteRange sent(Rank first, Rank from, Rank to) const final {
    return direction_ == Direction::synthesis ? spectral_side(first, from, to) : grid_side(first, from, to);
  }
  ByteRange received(Rank first, Rank from, Rank to) const final {
    return direction_ == Direction::synthesis ? grid_side(first, to, from) : spectral_side(first, to, from);
  }

 protected:
  std::int64_t n_bytes(std::int64_t n_numbers) const { return number_bytes_ * n_numbers; }
  /// Returns the bytes that rank `index` exchanges with rank `other`, in the array on the side of the
  /// coefficients: before the transposition of a synthesis, after that of an analysis.
  virtual ByteRange spectral_side(Rank first, int index, int other) const = 0;
  /// Returns these bytes in the array on the side of the grid-point values.
  virtual ByteRange grid_side(Rank first, int index, int other) const = 0;

  ExtentsPointer sets_;
  FieldGroups fields_;
  int group_;

 private:
  std::int64_t number_bytes_;
  Direction direction_;
};

/// The transposition between the meridional and the zonal stage, within a V set: panels of the fields of a
/// group, stored as blocks of [W set of the rows][wavenumber].
class PanelBlocks final : public StageBlocks {
 public:
  using StageBlocks::StageBlocks;

  std::int64_t largest_bytes(Rank first) const override {
    std::size_t largest = 0;
    for (int w = 0; w < sets_->counts().w; ++w)
      for (int other = 0; other < sets_->counts().w; ++other)
        largest = std::max(largest, sets_->n_blocks(w, other));
    return field_bytes(first) * static_cast<std::int64_t>(largest);
  }

 private:
  std::int64_t field_bytes(Rank first) const {
    return n_bytes(sets_->block_size()) * fields_.size(sets_->v_of(first), group_);
  }
  /// Returns the blocks of the wavenumbers of w at the rows of `other`.
  ByteRange spectral_side(Rank first, int w, int other) const override {
    const auto bytes = field_bytes(first);
    return {bytes * static_cast<std::int64_t>(sets_->panel_offset(w, other)),
            bytes * static_cast<std::int64_t>(sets_->n_blocks(w, other))};
  }
  /// Returns the blocks of the wavenumbers of `other` at the rows of w.
  ByteRange grid_side(Rank first, int w, int other) const override {
    const auto bytes = field_bytes(first);
    return {bytes * static_cast<std::int64_t>(sets_->wavenumber_offset(w, other)),
            bytes * static_cast<std::int64_t>(sets_->n_blocks(other, w))};
  }
};

/// The transposition between the zonal (Fourier) stage and the caller's grid-point values, within W set w,
/// whose first rank is w. In the Fourier stage, rank v has complete rows of the fields of V set v, stored as
/// [v' of the points][field][point]; on the caller's side, it has all fields at its points, (field, point).
class ColumnBlocks final : public StageBlocks {
 public:
  using StageBlocks::StageBlocks;

  std::int64_t largest_bytes(Rank w) const override {
    std::size_t largest = 0;
    for (int v = 0; v < sets_->counts().v; ++v) largest = std::max(largest, sets_->n_points(v, w));
    return n_bytes(static_cast<std::int64_t>(largest)) * fields_.size(0, 0);
  }

 private:
  /// Returns the fields of v at the points of `other`.
  ByteRange spectral_side(Rank w, int v, int other) const override {
    const auto bytes = n_bytes(fields_.size(v, group_));
    return {bytes * static_cast<std::int64_t>(sets_->points_before(other, w)),
            bytes * static_cast<std::int64_t>(sets_->n_points(other, w))};
  }
  /// Returns the fields of `other` at the points of v.
  ByteRange grid_side(Rank w, int v, int other) const override {
    const auto bytes = n_bytes(static_cast<std::int64_t>(sets_->n_points(v, w)));
    return {bytes * (fields_.first(other) + fields_.first(other, group_)),
            bytes * fields_.size(other, group_)};
  }
};

/// The transposition between the caller's coefficients and the meridional (Legendre) stage, within W set w,
/// whose first rank is w. On the caller's side, rank v has part v of the coefficients of all fields; in the
/// Legendre stage, it has all coefficients of the fields of V set v. Both sides are stored as
/// [other v][array][field][coefficient].
class SpectrumBlocks final : public StageBlocks {
 public:
  /// @param n_arrays arrays of coefficients that are exchanged together
  SpectrumBlocks(const CallLayout& layout, int group, int n_arrays)
      : StageBlocks(layout, group), n_arrays_(n_arrays), fields_before_{0} {
    for (int v = 0; v < sets_->counts().v; ++v)
      fields_before_.push_back(fields_before_.back() + fields_.size(v, group));
  }

  std::int64_t largest_bytes(Rank w) const override {
    return term_bytes() * sets_->coefficients(w).size(0) * fields_.size(0, 0);
  }

 private:
  std::int64_t term_bytes() const { return n_bytes(2) * n_arrays_; }  ///< one complex number per array
  /// Returns part v of the coefficients of the fields of `other`.
  ByteRange spectral_side(Rank w, int v, int other) const override {
    const auto bytes = term_bytes() * sets_->coefficients(w).size(v);
    const auto before = fields_before_[other];
    return {bytes * before, bytes * (fields_before_[other + 1] - before)};
  }
  /// Returns part `other` of the coefficients of the fields of v.
  ByteRange grid_side(Rank w, int v, int other) const override {
    const auto bytes = term_bytes() * fields_.size(v, group_);
    const auto parts = sets_->coefficients(w);
    return {bytes * parts.begin(other), bytes * parts.size(other)};
  }

  int n_arrays_;
  std::vector<std::int64_t> fields_before_;  ///< (v) fields of the group in the V sets before v
};

}  // namespace

schedule::Pipeline pipeline(const CallLayout& layout, schedule::AlltoallMethod algorithm, int ahead,
                            double zonal_s, double meridional_s) {
  const auto [n_v, n_w] = layout.sets->counts();
  const auto time_per_group = [&](double seconds) {
    return std::vector<std::function<double(Rank)>>(layout.n_groups(), [seconds](Rank) { return seconds; });
  };
  const auto blocks = [&](const auto& make) {
    std::vector<schedule::BlocksPointer> by_group;
    for (int g = 0; g < layout.n_groups(); ++g) by_group.push_back(make(g, g / layout.n_components));
    return by_group;
  };
  // .ranks: (number of ranks of each all-to-all, difference of consecutive ranks)
  schedule::PipelineStage spectra{.name = "spectra", .ranks = {n_v, n_w}};
  schedule::PipelineStage panels{.name = "panels", .ranks = {n_w, 1}};
  schedule::PipelineStage columns{.name = "columns", .ranks = {n_v, n_w}};
  if (layout.exchanges_spectra())
    spectra.blocks = blocks([&](int group, int field_group) {
      return std::make_shared<SpectrumBlocks>(layout, field_group, layout.n_arrays_with(group));
    });
  if (layout.exchanges_panels())
    panels.blocks =
        blocks([&](int, int field_group) { return std::make_shared<PanelBlocks>(layout, field_group); });
  if (layout.exchanges_columns())
    columns.blocks =
        blocks([&](int, int field_group) { return std::make_shared<ColumnBlocks>(layout, field_group); });
  std::vector<schedule::PipelineStage> stages;
  if (layout.direction == Direction::synthesis) {
    spectra.compute_s = time_per_group(meridional_s);
    panels.compute_s = time_per_group(zonal_s);
    stages = {spectra, panels, columns};
    if (!layout.exchanges_columns()) stages.pop_back();  // a last stage without exchange has nothing to do
  } else {
    columns.compute_s = time_per_group(zonal_s);
    panels.compute_s = time_per_group(meridional_s);
    stages = {columns, panels, spectra};
    if (!layout.exchanges_spectra()) stages.pop_back();
  }
  return {layout.sets->counts().n_ranks(), algorithm, std::move(stages), ahead};
}

}  // namespace halcyon::transform
