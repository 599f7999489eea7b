#pragma once

#include <memory>

#include "halcyon/schedule/pipeline.hpp"
#include "halcyon/transform/share/extents.hpp"

namespace halcyon::transform {

/// Direction of a transform: coefficients to values, or values to coefficients.
enum class Direction { synthesis, analysis };

/// Direction and fields of a call, which determine its pipeline of transpositions: all-to-alls that
/// redistribute "spectra" (coefficients), "panels" (Fourier coefficients, as blocks: extents.hpp) or
/// "columns" (grid-point values). A set of a single rank has no all-to-all.
struct CallLayout {
  Direction direction;
  ExtentsPointer sets;
  FieldGroups fields;
  int n_components = 1;  ///< arrays of values; groups are ordered (group of fields, component)
  int n_arrays = 1;      ///< arrays of coefficients
  /// Whether V sets share the coefficients of each field (extents.hpp) instead of dividing the fields.
  bool share_coefficients = false;
  int number_bytes = sizeof(double);

  int n_groups() const { return fields.n_groups * n_components; }
  bool exchanges_panels() const { return sets->counts().w > 1; }
  bool exchanges_columns() const { return sets->counts().v > 1; }
  bool has_exchanges() const { return exchanges_panels() || exchanges_columns(); }
  bool exchanges_spectra() const { return share_coefficients && exchanges_columns(); }
  /// Number of arrays of coefficients that are exchanged with a group: all with the first component of a
  /// synthesis, which needs all arrays, and with the last component of an analysis, which completes all.
  int n_arrays_with(int group) const {
    return group % n_components == (direction == Direction::synthesis ? 0 : n_components - 1) ? n_arrays : 0;
  }
  /// Index of the stage of the pipeline that receives panels, columns, or spectra.
  int panel_stage() const { return 1; }
  int column_stage() const { return direction == Direction::synthesis ? 2 : 0; }
  int spectrum_stage() const { return direction == Direction::synthesis ? 0 : 2; }
};

/// Returns the pipeline of a call. Synthesis: receive "spectra", compute the meridional stage, receive
/// "panels", compute the zonal stage, receive "columns". Analysis: receive "columns", compute the zonal
/// stage, receive "panels", compute the meridional stage, receive "spectra". If spectra are exchanged, these
/// are the three transpositions of Zheng and Marguinaud (2018, Geosci. Model Dev. 11, 3409-3426, figure 3).
/// @param ahead groups in flight while a stage computes one group
/// @param zonal_s, meridional_s computing time per group [s], for simulations
schedule::Pipeline pipeline(const CallLayout& layout, schedule::AlltoallMethod algorithm, int ahead,
                            double zonal_s = 0, double meridional_s = 0);

}  // namespace halcyon::transform
