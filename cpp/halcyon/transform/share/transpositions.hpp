#pragma once

#include <memory>

#include "halcyon/schedule/pipeline.hpp"
#include "halcyon/transform/share/extents.hpp"

namespace halcyon::transform {

/// From coefficients to values, or back.
enum class Way { synthesis, analysis };

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
