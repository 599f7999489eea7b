#include "halcyon/transform/transpositions.hpp"

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
Range PanelBlocks::of_rows(Rank first, int w, int other) const {
  const auto bytes = field_bytes(first);
  return {bytes * static_cast<std::int64_t>(sets_->blocks_before(w, other)),
          bytes * static_cast<std::int64_t>(sets_->n_blocks(other, w))};
}

Range PanelBlocks::sent(Rank first, Rank from, Rank to) const {
  return way_ == Way::synthesis ? of_panels(first, from, to) : of_rows(first, from, to);
}

Range PanelBlocks::received(Rank first, Rank from, Rank to) const {
  return way_ == Way::synthesis ? of_rows(first, to, from) : of_panels(first, to, from);
}

std::int64_t PanelBlocks::largest_bytes(Rank first) const {
  std::size_t most = 0;
  for (int w = 0; w < sets_->counts().w; ++w)
    for (int other = 0; other < sets_->counts().w; ++other) most = std::max(most, sets_->n_blocks(w, other));
  return field_bytes(first) * static_cast<std::int64_t>(most);
}

/// Of the numbers of a field; the first rank of a W set is its w.
std::int64_t ColumnBlocks::bytes_before(int v, Rank w) const {
  const auto n = at_ == Columns::points ? sets_->points_before(v, w) : sets_->terms_before(v, w);
  return static_cast<std::int64_t>(sizeof(double) * n);
}

/// Of the fields of v, the part of another one.
Range ColumnBlocks::of_fields(Rank w, int v, int other) const {
  const auto n = fields_.size(v, group_);
  return {n * bytes_before(other, w), n * bytes(other, w)};
}

/// At the part of v, the fields of another one.
Range ColumnBlocks::of_columns(Rank w, int v, int other) const {
  const auto one = bytes(v, w);
  return {one * (fields_.first(other) + fields_.first(other, group_)), one * fields_.size(other, group_)};
}

Range ColumnBlocks::sent(Rank first, Rank from, Rank to) const {
  return collects_ ? of_fields(first, from, to) : of_columns(first, from, to);
}

Range ColumnBlocks::received(Rank first, Rank from, Rank to) const {
  return collects_ ? of_columns(first, to, from) : of_fields(first, to, from);
}

std::int64_t ColumnBlocks::largest_bytes(Rank w) const {
  std::int64_t most = 0;
  for (int v = 0; v < sets_->counts().v; ++v) most = std::max(most, bytes(v, w));
  return most * fields_.size(0, 0);
}

schedule::Pipeline pipeline(const Passage& passage, schedule::AlltoallBy by, int ahead, double zonal_s,
                            double meridional_s) {
  const auto [n_v, n_w] = passage.sets->counts();
  const auto work = [&](double seconds) {
    return std::vector<std::function<double(Rank)>>(passage.n_groups(), [seconds](Rank) { return seconds; });
  };
  const auto blocks = [&]<class Kind>(auto... of) {
    std::vector<schedule::BlocksPointer> all;
    for (int g = 0; g < passage.n_groups(); ++g)
      all.push_back(
          std::make_shared<Kind>(passage.sets, passage.fields, g / passage.n_components, passage.way, of...));
    return all;
  };
  schedule::PipelineStage coefficients{.name = "coefficients", .ranks = {n_v, n_w}};
  schedule::PipelineStage panels{.name = "panels", .ranks = {n_w, 1}};
  schedule::PipelineStage columns{.name = "columns", .ranks = {n_v, n_w}};
  if (passage.moves_coefficients())
    coefficients.blocks = blocks.operator()<ColumnBlocks>(Columns::coefficients);
  if (passage.moves_panels()) panels.blocks = blocks.operator()<PanelBlocks>();
  if (passage.moves_columns()) columns.blocks = blocks.operator()<ColumnBlocks>(Columns::points);
  std::vector<schedule::PipelineStage> stages;
  if (passage.way == Way::synthesis) {
    coefficients.compute_s = work(meridional_s);
    panels.compute_s = work(zonal_s);
    stages = {coefficients, panels, columns};
  } else {
    columns.compute_s = work(zonal_s);
    panels.compute_s = work(meridional_s);
    stages = {columns, panels, coefficients};
  }
  if (stages.back().blocks.empty()) stages.pop_back();  // what is there, stays
  return {passage.sets->counts().n_ranks(), by, std::move(stages), ahead};
}

}  // namespace halcyon::transform
