#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "halcyon/operators/horizontal.hpp"

namespace halcyon::operators {

/// From vectors on the sphere to what of them crosses edges, and back.
template <class Real>
class Vectors {
 public:
  explicit Vectors(const decomposition::LocalMesh& local);

  /// The mean along an owned edge of what of a field crosses it: Gauss and Legendre's rule of three points.
  double mean_across(const std::function<Vector3(Vector3)>& field, LocalIndex edge) const;
  /// The vector at the centre of an owned cell, eastwards and northwards on the tangent plane, of what
  /// crosses edges (edge, level). Least squares: the (x, y) that makes sum_e (x cos a_e + y sin a_e - u_e)^2
  /// smallest, exact for a uniform field on a plane.
  std::array<double, 2> eastward_northward(const Horizontal<Real>& mesh, std::span<const Real> across,
                                           int n_levels, LocalIndex cell, int level) const;

 private:
  void fit(const mesh::Mesh& mesh, LocalIndex cell);

  std::vector<std::array<Real, 2>> weights_;  ///< of eastward_northward (edge of an owned cell)
  std::vector<Vector3> normals_;              ///< (owned edge)
  std::vector<std::array<Vector3, 2>> ends_;  ///< (owned edge)
};

}  // namespace halcyon::operators
