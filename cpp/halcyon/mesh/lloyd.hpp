#pragma once

#include <functional>

#include "halcyon/mesh/moving.hpp"
#include "halcyon/mesh/spacing_table.hpp"

namespace halcyon::mesh {

/// When points count as at rest.
struct RelaxOptions {
  double tolerance = 1e-6;  ///< mean over cells of an iteration's move over the local spacing
  int limit = 1000;         ///< most iterations
  int threads = 0;          ///< 0: one a processor
};

struct Relaxed {
  Triangulation triangulation;
  int iterations;  ///< that were made
  double move;     ///< mean move of the last one over the local spacing
};

/// Called after an iteration with its number and mean move over the local spacing.
using RelaxProgress = std::function<void(int iteration, double move)>;

/// The centroid, on the sphere, of each point's Voronoi cell under density h^-4, which gives a distance h
/// between neighbours (Ju, Ringler and Gunzburger 2011). The cell is cut into triangles (point, vertex,
/// vertex) over which density is linear.
/// @param spacing h, or nullptr where it is the same everywhere
/// @param[out] centroids (point)
/// @returns mean over cells of the distance to the centroid over the local spacing, sqrt(2 / sqrt(3) area)
double centroids(const MovingDelaunay& delaunay, const SpacingTable* spacing,
                 std::vector<Vector3>& centroids);

/// Moves points to a centroidal Voronoi tessellation by Lloyd's iteration with Nesterov's momentum, restarted
/// when the mean move grows (O'Donoghue and Candes 2015). The same to the bit for any number of threads.
/// @throws ConfigError if the tolerance is not positive or the limit less than 1
Relaxed relax(Triangulation start, const SpacingTable* spacing, const RelaxOptions& options,
              const RelaxProgress& progress = {});

}  // namespace halcyon::mesh
