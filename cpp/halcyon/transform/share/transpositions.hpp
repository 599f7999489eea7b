#pragma once

#include <memory>

#include "halcyon/schedule/pipeline.hpp"
#include "halcyon/transform/share/extents.hpp"

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
  schedule::Range of_stripes(Rank first, int w, int other) const;
  std::int64_t field_bytes(Rank first) const;

  ExtentsPointer sets_;
  FieldGroups fields_;
  int group_;
  Way way_;
};

/// The fields of a group at the rows of a w, within a W set: whole rows of the fields of each v in the
/// Fourier stage, all fields at the points of each v on the other side (YHGSM: the first transposition).
/// There they lie as (field, point) of all fields of the call; rows lie as [v][field][point of v].
class ColumnBlocks final : public schedule::Blocks {
 public:
  ColumnBlocks(ExtentsPointer sets, FieldGroups fields, int group, Way way)
      : sets_(std::move(sets)), fields_(fields), group_(group), way_(way) {}

  schedule::Range sent(Rank first, Rank from, Rank to) const override;
  schedule::Range received(Rank first, Rank from, Rank to) const override;
  std::int64_t largest_bytes(Rank first) const override;

 private:
  schedule::Range of_rows(Rank first, int v, int other) const;
  schedule::Range of_columns(Rank first, int v, int other) const;

  ExtentsPointer sets_;
  FieldGroups fields_;
  int group_;
  Way way_;
};

/// The coefficients of a group's fields at the wavenumbers of a w, within a W set: part v of them of all
/// fields on one side, all of them of the fields of v in the Legendre stage (YHGSM: the third transposition).
/// They lie as [other v][array][field][coefficient] on both sides.
class SpectrumBlocks final : public schedule::Blocks {
 public:
  /// @param n_arrays of fields that travel together
  SpectrumBlocks(ExtentsPointer sets, FieldGroups fields, int group, int n_arrays, Way way)
      : sets_(std::move(sets)), fields_(fields), group_(group), n_arrays_(n_arrays), way_(way) {}

  schedule::Range sent(Rank first, Rank from, Rank to) const override;
  schedule::Range received(Rank first, Rank from, Rank to) const override;
  std::int64_t largest_bytes(Rank first) const override;

 private:
  schedule::Range of_columns(Rank first, int v, int other) const;
  schedule::Range of_fields(Rank first, int v, int other) const;
  std::int64_t term_bytes() const;

  ExtentsPointer sets_;
  FieldGroups fields_;
  int group_, n_arrays_;
  Way way_;
};

/// A call's way: the stages that it has, and where among them all-to-alls and work stand. There is no
/// all-to-all within a set of one rank.
struct Passage {
  Way way;
  ExtentsPointer sets;
  FieldGroups fields;
  int n_components = 1;                  ///< arrays of values: groups are (group of fields, component)
  int n_arrays = 1;                      ///< of coefficients
  bool columns_of_coefficients = false;  ///< V sets share coefficients of all fields instead of fields

  int n_groups() const { return fields.n_groups * n_components; }
  bool moves_panels() const { return sets->counts().w > 1; }
  bool moves_columns() const { return sets->counts().v > 1; }
  bool moves() const { return moves_panels() || moves_columns(); }
  bool moves_spectra() const { return columns_of_coefficients && moves_columns(); }
  /// Arrays of coefficients that travel with a group: all of them, with the first component that asks for
  /// them, or the last one of which they are made.
  int n_arrays_with(int group) const {
    return group % n_components == (way == Way::synthesis ? 0 : n_components - 1) ? n_arrays : 0;
  }
  int panel_stage() const { return 1; }
  int column_stage() const { return way == Way::synthesis ? 2 : 0; }
  int spectrum_stage() const { return way == Way::synthesis ? 0 : 2; }
};

/// Synthesis: "spectra" come, meridional work; "panels" come, zonal work; "columns" come. Analysis: "columns"
/// come, zonal work; "panels" come, meridional work; "spectra" come. With spectra these are the three
/// transpositions of Zheng and Marguinaud (2018, Geosci. Model Dev. 11, 3409-3426, figure 3).
/// @param ahead groups that come to a stage while one is worked on
/// @param work_s of a rank's group in the zonal and in the meridional stage, where time alone counts
schedule::Pipeline pipeline(const Passage& passage, schedule::AlltoallBy by, int ahead, double zonal_s = 0,
                            double meridional_s = 0);

}  // namespace halcyon::transform
