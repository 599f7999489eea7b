#include "halcyon/transform/share/transpositions.hpp"

#include <algorithm>

namespace halcyon::transform {
namespace {

using schedule::Range;

/// @param size in numbers
std::int64_t bytes_of(std::int64_t size) {
  return static_cast<std::int64_t>(sizeof(double)) * size;
}

/// The blocks of a transposition, of the fields of a group. What each sends and gets lies as the stages have
/// it, so that neither packs. Sets of an all-to-all are told by their first rank, their members by place.
class StageBlocks : public schedule::Blocks {
 public:
  StageBlocks(const Passage& passage, int group)
      : sets_(passage.sets), fields_(passage.fields), group_(group), way_(passage.way) {}

  Range sent(Rank first, Rank from, Rank to) const final {
    return way_ == Way::synthesis ? of_coefficients(first, from, to) : of_values(first, from, to);
  }
  Range received(Rank first, Rank from, Rank to) const final {
    return way_ == Way::synthesis ? of_values(first, to, from) : of_coefficients(first, to, from);
  }

 protected:
  /// What one of a set shares with another, as it lies on the side of coefficients, or of values.
  virtual Range of_coefficients(Rank first, int own, int other) const = 0;
  virtual Range of_values(Rank first, int own, int other) const = 0;

  ExtentsPointer sets_;
  FieldGroups fields_;
  int group_;

 private:
  Way way_;
};

/// The fields that a rank holds in a group, as blocks of [rows][wavenumber], within a V set: the
/// transposition between the meridional and the zonal stage (YHGSM: the second one).
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
  /// Of the wavenumbers of w, at the rows of another one.
  Range of_coefficients(Rank first, int w, int other) const override {
    const auto bytes = field_bytes(first);
    return {bytes * static_cast<std::int64_t>(sets_->panels_before(w, other)),
            bytes * static_cast<std::int64_t>(sets_->n_blocks(w, other))};
  }
  /// At the rows of w, of the wavenumbers of another one.
  Range of_values(Rank first, int w, int other) const override {
    const auto bytes = field_bytes(first);
    return {bytes * static_cast<std::int64_t>(sets_->blocks_before(w, other)),
            bytes * static_cast<std::int64_t>(sets_->n_blocks(other, w))};
  }
};

/// The fields of a group at the rows of a w, within a W set, whose first rank is w: whole rows of the fields
/// of each v in the Fourier stage, all fields at the points of each v on the other side (YHGSM: the first
/// transposition). There they lie as (field, point) of all fields of the call; rows lie as [v][field][point
/// of v].
class ColumnBlocks final : public StageBlocks {
 public:
  using StageBlocks::StageBlocks;

  std::int64_t largest_bytes(Rank w) const override {
    std::size_t most = 0;
    for (int v = 0; v < sets_->counts().v; ++v) most = std::max(most, sets_->n_points(v, w));
    return bytes_of(static_cast<std::int64_t>(most)) * fields_.size(0, 0);
  }

 private:
  /// Of the fields of v, at the points of another one.
  Range of_coefficients(Rank w, int v, int other) const override {
    const auto bytes = bytes_of(fields_.size(v, group_));
    return {bytes * static_cast<std::int64_t>(sets_->points_before(other, w)),
            bytes * static_cast<std::int64_t>(sets_->n_points(other, w))};
  }
  /// At the points of v, of the fields of another one.
  Range of_values(Rank w, int v, int other) const override {
    const auto bytes = bytes_of(static_cast<std::int64_t>(sets_->n_points(v, w)));
    return {bytes * (fields_.first(other) + fields_.first(other, group_)),
            bytes * fields_.size(other, group_)};
  }
};

/// The coefficients of a group's fields at the wavenumbers of a w, within a W set: part v of them of all
/// fields on one side, all of them of the fields of v in the Legendre stage (YHGSM: the third transposition).
/// They lie as [other v][array][field][coefficient] on both sides.
class SpectrumBlocks final : public StageBlocks {
 public:
  /// @param n_arrays of fields that travel together
  SpectrumBlocks(const Passage& passage, int group, int n_arrays)
      : StageBlocks(passage, group), n_arrays_(n_arrays) {}

  std::int64_t largest_bytes(Rank w) const override {
    return term_bytes() * sets_->coefficients(w).size(0) * fields_.size(0, 0);
  }

 private:
  std::int64_t term_bytes() const { return bytes_of(2) * n_arrays_; }
  /// Of the coefficients of v, of the fields of another one.
  Range of_coefficients(Rank w, int v, int other) const override {
    const auto bytes = term_bytes() * sets_->coefficients(w).size(v);
    std::int64_t before = 0;
    for (int u = 0; u < other; ++u) before += fields_.size(u, group_);
    return {bytes * before, bytes * fields_.size(other, group_)};
  }
  /// Of the fields of v, of the coefficients of another one.
  Range of_values(Rank w, int v, int other) const override {
    const auto bytes = term_bytes() * fields_.size(v, group_);
    const auto parts = sets_->coefficients(w);
    return {bytes * parts.begin(other), bytes * parts.size(other)};
  }

  int n_arrays_;
};

}  // namespace

schedule::Pipeline pipeline(const Passage& passage, schedule::AlltoallBy by, int ahead, double zonal_s,
                            double meridional_s) {
  const auto [n_v, n_w] = passage.sets->counts();
  const auto work = [&](double seconds) {
    return std::vector<std::function<double(Rank)>>(passage.n_groups(), [seconds](Rank) { return seconds; });
  };
  const auto blocks = [&](const auto& made) {
    std::vector<schedule::BlocksPointer> all;
    for (int g = 0; g < passage.n_groups(); ++g) all.push_back(made(g, g / passage.n_components));
    return all;
  };
  schedule::PipelineStage spectra{.name = "spectra", .ranks = {n_v, n_w}};
  schedule::PipelineStage panels{.name = "panels", .ranks = {n_w, 1}};
  schedule::PipelineStage columns{.name = "columns", .ranks = {n_v, n_w}};
  if (passage.moves_spectra())
    spectra.blocks = blocks([&](int group, int of_fields) {
      return std::make_shared<SpectrumBlocks>(passage, of_fields, passage.n_arrays_with(group));
    });
  if (passage.moves_panels())
    panels.blocks =
        blocks([&](int, int of_fields) { return std::make_shared<PanelBlocks>(passage, of_fields); });
  if (passage.moves_columns())
    columns.blocks =
        blocks([&](int, int of_fields) { return std::make_shared<ColumnBlocks>(passage, of_fields); });
  std::vector<schedule::PipelineStage> stages;
  if (passage.way == Way::synthesis) {
    spectra.compute_s = work(meridional_s);
    panels.compute_s = work(zonal_s);
    stages = {spectra, panels, columns};
    if (!passage.moves_columns()) stages.pop_back();
  } else {
    columns.compute_s = work(zonal_s);
    panels.compute_s = work(meridional_s);
    stages = {columns, panels, spectra};
    if (!passage.moves_spectra()) stages.pop_back();
  }
  return {passage.sets->counts().n_ranks(), by, std::move(stages), ahead};
}

}  // namespace halcyon::transform
