#pragma once

#include "halcyon/schedule/pipeline.hpp"
#include "halcyon/transform/extents.hpp"

namespace halcyon::transform {

/// From coefficients to values, or back.
enum class Way { synthesis, analysis };

/// The fields that a rank holds in a group, as blocks of [rows][wavenumber], within a V set: the
/// transposition between the meridional and the zonal stage (YHGSM: the second one). What each sends and gets
/// lies as the stages have it, so that neither packs.
class PanelBlocks final : public schedule::Blocks {
 public:
  PanelBlocks(ExtentsPointer sets, FieldGroups fields, int group, Way way)
      : sets_(std::move(sets)), fields_(fields), group_(group), way_(way) {}

  schedule::Range sent(Rank first, Rank from, Rank to) const override;
  schedule::Range received(Rank first, Rank from, Rank to) const override;
  std::int64_t largest_bytes(Rank first) const override;

 private:
  schedule::Range of_panels(Rank first, int w, int other) const;
  schedule::Range of_rows(Rank first, int w, int other) const;
  std::int64_t field_bytes(Rank first) const;

  ExtentsPointer sets_;
  FieldGroups fields_;
  int group_;
  Way way_;
};

/// What columns are whole at: grid points, or coefficients.
enum class Columns { points, coefficients };

/// The fields of a group at the rows or coefficients of a w, within a W set: those of each v, whole, where
/// they are transformed; all fields at the part of each v on the other side (YHGSM: the first transposition).
/// There they lie as (field, number) of all fields of the call; else as [v][field][number of v].
class ColumnBlocks final : public schedule::Blocks {
 public:
  ColumnBlocks(ExtentsPointer sets, FieldGroups fields, int group, Way way, Columns at)
      : sets_(std::move(sets)),
        fields_(fields),
        group_(group),
        at_(at),
        collects_((way == Way::synthesis) == (at == Columns::points)) {}

  schedule::Range sent(Rank first, Rank from, Rank to) const override;
  schedule::Range received(Rank first, Rank from, Rank to) const override;
  std::int64_t largest_bytes(Rank first) const override;

 private:
  schedule::Range of_fields(Rank first, int v, int other) const;
  schedule::Range of_columns(Rank first, int v, int other) const;
  std::int64_t bytes_before(int v, Rank w) const;
  std::int64_t bytes(int v, Rank w) const { return bytes_before(v + 1, w) - bytes_before(v, w); }

  ExtentsPointer sets_;
  FieldGroups fields_;
  int group_;
  Columns at_;
  bool collects_;  ///< columns, and does not leave them
};

/// A call's way: the stages that it has, and where among them all-to-alls and work stand. There is no
/// all-to-all within a set of one rank.
struct Passage {
  Way way;
  ExtentsPointer sets;
  FieldGroups fields;
  int n_components = 1;  ///< arrays of fields: groups are (group of fields, component)

  int n_groups() const { return fields.n_groups * n_components; }
  bool moves_panels() const { return sets->counts().w > 1; }
  bool moves_columns() const { return sets->counts().v > 1; }
  bool moves_coefficients() const { return moves_columns() && sets->shares_terms(); }
  bool moves() const { return moves_panels() || moves_columns(); }
  int coefficient_stage() const { return way == Way::synthesis ? 0 : 2; }
  int panel_stage() const { return 1; }
  int column_stage() const { return way == Way::synthesis ? 2 : 0; }
};

/// Synthesis: "coefficients" come, meridional work; "panels" come, zonal work; "columns" come. Analysis:
/// "columns" come, zonal work; "panels" come, meridional work; "coefficients" come. With V x W sets that
/// share coefficients these are the three transpositions of Zheng and Marguinaud (2018, Geosci. Model Dev.
/// 11, 3409-3426, figure 3).
/// @param ahead groups that come to a stage while one is worked on
/// @param work_s of a rank's group in the zonal and in the meridional stage, where time alone counts
schedule::Pipeline pipeline(const Passage& passage, schedule::AlltoallBy by, int ahead, double zonal_s = 0,
                            double meridional_s = 0);

}  // namespace halcyon::transform
