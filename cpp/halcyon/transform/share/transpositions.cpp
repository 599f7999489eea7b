#include "halcyon/transform/share/transpositions.hpp"

#include <algorithm>

namespace halcyon::transform {

using schedule::Range;

std::int64_t PanelBlocks::field_bytes(Rank first) const {
  return static_cast<std::int64_t>(sizeof(double)) * sets_->block_numbers() *
         fields_.size(sets_->v_of(first), group_);
}

/// Of the wavenumbers of w, at the rows of another one.
Range PanelBlocks::of_panels(Rank first, int w, int other) const {
  const auto bytes = field_bytes(first);
  return {bytes * static_cast<std::int64_t>(sets_->panels_before(w, other)),
          bytes * static_cast<std::int64_t>(sets_->n_blocks(w, other))};
}

/// At the rows of w, of the wavenumbers of another one.
Range PanelBlocks::of_stripes(Rank first, int w, int other) const {
  const auto bytes = field_bytes(first);
  return {bytes * static_cast<std::int64_t>(sets_->blocks_before(w, other)),
          bytes * static_cast<std::int64_t>(sets_->n_blocks(other, w))};
}

Range PanelBlocks::sent(Rank first, Rank from, Rank to) const {
  return way_ == Way::synthesis ? of_panels(first, from, to) : of_stripes(first, from, to);
}

Range PanelBlocks::received(Rank first, Rank from, Rank to) const {
  return way_ == Way::synthesis ? of_stripes(first, to, from) : of_panels(first, to, from);
}

std::int64_t PanelBlocks::largest_bytes(Rank first) const {
  std::size_t most = 0;
  for (int w = 0; w < sets_->counts().w; ++w)
    for (int other = 0; other < sets_->counts().w; ++other) most = std::max(most, sets_->n_blocks(w, other));
  return field_bytes(first) * static_cast<std::int64_t>(most);
}

/// Of the fields of v, at the points of another one; the first rank of a W set is its w.
Range ColumnBlocks::of_rows(Rank w, int v, int other) const {
  const auto bytes = static_cast<std::int64_t>(sizeof(double)) * fields_.size(v, group_);
  return {bytes * static_cast<std::int64_t>(sets_->points_before(other, w)),
          bytes * static_cast<std::int64_t>(sets_->n_points(other, w))};
}

/// At the points of v, of the fields of another one.
Range ColumnBlocks::of_columns(Rank w, int v, int other) const {
  const auto bytes = static_cast<std::int64_t>(sizeof(double) * sets_->n_points(v, w));
  return {bytes * (fields_.first(other) + fields_.first(other, group_)), bytes * fields_.size(other, group_)};
}

Range ColumnBlocks::sent(Rank first, Rank from, Rank to) const {
  return way_ == Way::synthesis ? of_rows(first, from, to) : of_columns(first, from, to);
}

Range ColumnBlocks::received(Rank first, Rank from, Rank to) const {
  return way_ == Way::synthesis ? of_columns(first, to, from) : of_rows(first, to, from);
}

std::int64_t ColumnBlocks::largest_bytes(Rank w) const {
  std::size_t most = 0;
  for (int v = 0; v < sets_->counts().v; ++v) most = std::max(most, sets_->n_points(v, w));
  return static_cast<std::int64_t>(sizeof(double) * most) * fields_.size(0, 0);
}

std::int64_t SpectrumBlocks::term_bytes() const {
  return 2 * static_cast<std::int64_t>(sizeof(double)) * n_arrays_;
}

/// Of the coefficients of v, of the fields of another one.
Range SpectrumBlocks::of_columns(Rank w, int v, int other) const {
  const auto bytes = term_bytes() * sets_->coefficients(w).size(v);
  std::int64_t before = 0;
  for (int u = 0; u < other; ++u) before += fields_.size(u, group_);
  return {bytes * before, bytes * fields_.size(other, group_)};
}

/// Of the fields of v, of the coefficients of another one.
Range SpectrumBlocks::of_fields(Rank w, int v, int other) const {
  const auto bytes = term_bytes() * fields_.size(v, group_);
  const auto parts = sets_->coefficients(w);
  return {bytes * parts.begin(other), bytes * parts.size(other)};
}

Range SpectrumBlocks::sent(Rank first, Rank from, Rank to) const {
  return way_ == Way::synthesis ? of_columns(first, from, to) : of_fields(first, from, to);
}

Range SpectrumBlocks::received(Rank first, Rank from, Rank to) const {
  return way_ == Way::synthesis ? of_fields(first, to, from) : of_columns(first, to, from);
}

std::int64_t SpectrumBlocks::largest_bytes(Rank w) const {
  return term_bytes() * sets_->coefficients(w).size(0) * fields_.size(0, 0);
}

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
      return std::make_shared<SpectrumBlocks>(passage.sets, passage.fields, of_fields,
                                              passage.n_arrays_with(group), passage.way);
    });
  if (passage.moves_panels())
    panels.blocks = blocks([&](int, int of_fields) {
      return std::make_shared<PanelBlocks>(passage.sets, passage.fields, of_fields, passage.way);
    });
  if (passage.moves_columns())
    columns.blocks = blocks([&](int, int of_fields) {
      return std::make_shared<ColumnBlocks>(passage.sets, passage.fields, of_fields, passage.way);
    });
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
