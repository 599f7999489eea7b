#include "halcyon/transform/share/transpositions.hpp"

#include <algorithm>

namespace halcyon::transform {
namespace {

using schedule::ByteRange;

/// @param size number of doubles
std::int64_t bytes_of(std::int64_t size) {
  return static_cast<std::int64_t>(sizeof(double)) * size;
}

/// The blocks of a transposition of the fields of a group. Blocks are sent and received in the layout of the
/// stages, so nothing is packed. A set of an all-to-all is identified by its first rank, its members by their
/// index.
class StageBlocks : public schedule::Blocks {
 public:
  StageBlocks(const CallLayout& layout, int group)
      : sets_(layout.sets), fields_(layout.fields), group_(group), direction_(layout.direction) {}

  ByteRange sent(Rank first, Rank from, Rank to) const final {
    return direction_ == Direction::synthesis ? of_coefficients(first, from, to) : of_values(first, from, to);
  }
  ByteRange received(Rank first, Rank from, Rank to) const final {
    return direction_ == Direction::synthesis ? of_values(first, to, from) : of_coefficients(first, to, from);
  }

 protected:
  /// The block that member `own` of a set exchanges with member `other`, in the stage before the
  /// transposition of a synthesis (coefficients) or after it (values).
  virtual ByteRange of_coefficients(Rank first, int own, int other) const = 0;
  virtual ByteRange of_values(Rank first, int own, int other) const = 0;

  ExtentsPointer sets_;
  FieldGroups fields_;
  int group_;

 private:
  Direction direction_;
};

/// Panels of the fields of a group, as blocks of [rows][wavenumber], exchanged within a V set: the
/// transposition between the meridional and the zonal stage (the second one of YHGSM).
class PanelBlocks final : public StageBlocks {
 public:
  using StageBlocks::StageBlocks;

  std::int64_t largest_bytes(Rank first) const override {
    std::size_t most = 0;
    for (int w = 0; w < sets_->counts().w; ++w)
      for (int other = 0; other < sets_->counts().w; ++other)
        most = std::max(most, sets_->n_blocks(w, other));
    return field_bytes(first) * static_cast<std::int64_t>(most);
  }

 private:
  std::int64_t field_bytes(Rank first) const {
    return bytes_of(sets_->block_numbers()) * fields_.size(sets_->v_of(first), group_);
  }
  /// Blocks of the wavenumbers of w at the rows of `other`.
  ByteRange of_coefficients(Rank first, int w, int other) const override {
    const auto bytes = field_bytes(first);
    return {bytes * static_cast<std::int64_t>(sets_->panels_before(w, other)),
            bytes * static_cast<std::int64_t>(sets_->n_blocks(w, other))};
  }
  /// Blocks at the rows of w of the wavenumbers of `other`.
  ByteRange of_values(Rank first, int w, int other) const override {
    const auto bytes = field_bytes(first);
    return {bytes * static_cast<std::int64_t>(sets_->blocks_before(w, other)),
            bytes * static_cast<std::int64_t>(sets_->n_blocks(other, w))};
  }
};

/// Fields of a group at the rows of w, exchanged within a W set, whose first rank is w: between complete rows
/// of the fields of each v in the Fourier stage and all fields at the points of each v (YHGSM: the first
/// transposition). The layout is [v][field][point of v] in the Fourier stage, and (field, point) of all
/// fields of the call on the other side.
class ColumnBlocks final : public StageBlocks {
 public:
  using StageBlocks::StageBlocks;

  std::int64_t largest_bytes(Rank w) const override {
    std::size_t most = 0;
    for (int v = 0; v < sets_->counts().v; ++v) most = std::max(most, sets_->n_points(v, w));
    return bytes_of(static_cast<std::int64_t>(most)) * fields_.size(0, 0);
  }

 private:
  /// The fields of v at the points of `other`.
  ByteRange of_coefficients(Rank w, int v, int other) const override {
    const auto bytes = bytes_of(fields_.size(v, group_));
    return {bytes * static_cast<std::int64_t>(sets_->points_before(other, w)),
            bytes * static_cast<std::int64_t>(sets_->n_points(other, w))};
  }
  /// The fields of `other` at the points of v.
  ByteRange of_values(Rank w, int v, int other) const override {
    const auto bytes = bytes_of(static_cast<std::int64_t>(sets_->n_points(v, w)));
    return {bytes * (fields_.first(other) + fields_.first(other, group_)),
            bytes * fields_.size(other, group_)};
  }
};

/// Coefficients of a group's fields at the wavenumbers of w, exchanged within a W set: between part v of the
/// coefficients of all fields and all coefficients of the fields of v in the Legendre stage (YHGSM: the third
/// transposition). The layout is [other v][array][field][coefficient] on both sides.
class SpectrumBlocks final : public StageBlocks {
 public:
  /// @param n_arrays arrays of coefficients that are exchanged together
  SpectrumBlocks(const CallLayout& layout, int group, int n_arrays)
      : StageBlocks(layout, group), n_arrays_(n_arrays) {}

  std::int64_t largest_bytes(Rank w) const override {
    return term_bytes() * sets_->coefficients(w).size(0) * fields_.size(0, 0);
  }

 private:
  std::int64_t term_bytes() const { return bytes_of(2) * n_arrays_; }
  /// Part v of the coefficients of the fields of `other`.
  ByteRange of_coefficients(Rank w, int v, int other) const override {
    const auto bytes = term_bytes() * sets_->coefficients(w).size(v);
    std::int64_t before = 0;
    for (int u = 0; u < other; ++u) before += fields_.size(u, group_);
    return {bytes * before, bytes * fields_.size(other, group_)};
  }
  /// Part `other` of the coefficients of the fields of v.
  ByteRange of_values(Rank w, int v, int other) const override {
    const auto bytes = term_bytes() * fields_.size(v, group_);
    const auto parts = sets_->coefficients(w);
    return {bytes * parts.begin(other), bytes * parts.size(other)};
  }

  int n_arrays_;
};

}  // namespace

schedule::Pipeline pipeline(const CallLayout& layout, schedule::AlltoallMethod algorithm, int ahead,
                            double zonal_s, double meridional_s) {
  const auto [n_v, n_w] = layout.sets->counts();
  const auto work = [&](double seconds) {
    return std::vector<std::function<double(Rank)>>(layout.n_groups(), [seconds](Rank) { return seconds; });
  };
  const auto blocks = [&](const auto& make) {
    std::vector<schedule::BlocksPointer> all;
    for (int g = 0; g < layout.n_groups(); ++g) all.push_back(make(g, g / layout.n_components));
    return all;
  };
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
    spectra.compute_s = work(meridional_s);
    panels.compute_s = work(zonal_s);
    stages = {spectra, panels, columns};
    if (!layout.exchanges_columns()) stages.pop_back();
  } else {
    columns.compute_s = work(zonal_s);
    panels.compute_s = work(meridional_s);
    stages = {columns, panels, spectra};
    if (!layout.exchanges_spectra()) stages.pop_back();
  }
  return {layout.sets->counts().n_ranks(), algorithm, std::move(stages), ahead};
}

}  // namespace halcyon::transform
