#include <algorithm>
#include <limits>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/wave/dispersion.hpp"
#include "halcyon/wave/transport/exchange.hpp"
#include "halcyon/wave/transport/transport.hpp"

namespace halcyon::wave {

namespace {

/// What leaves a cell over group speed and action, in each direction [m-1]: with the waves, and by exchange
/// at the first frequency.
struct Outflows {
  std::vector<double> direct, exchange;

  Outflows(const SpectralGrid& grid, const Exchange& exchange_of, const std::vector<Crossing>& edges)
      : direct(grid.n_directions), exchange(grid.n_directions) {
    for (const auto& edge : edges) {
      const EdgeFlow flow(grid, edge);
      const double strength = edge.distance > 0 ? exchange_of.strength(edge) : 0;
      for (int m = 0; m < grid.n_directions; ++m) {
        direct[m] += flow.outflow(m);
        exchange[m] += exchange_of.weight(flow, strength, m);
      }
    }
  }
  double largest(double share) const {
    double found = 0;
    for (std::size_t m = 0; m < direct.size(); ++m) found = std::max(found, direct[m] + share * exchange[m]);
    return found;
  }
};

}  // namespace

std::vector<double> cfl_limits(const mesh::Mesh& mesh, const SpectralGrid& grid,
                               const TransportOptions& options, double strongest_current) {
  require<InputError>(std::ssize(mesh.bottom_depth) == mesh.n_cells(),
                      "The mesh has no depth for each of its {} cells (variable bottomDepth).",
                      mesh.n_cells());
  const Exchange exchange(grid, options);
  std::vector<double> limits(grid.n_frequencies, std::numeric_limits<double>::infinity());
  for (LocalIndex cell = 0; cell < mesh.n_cells(); ++cell) {
    const double depth = mesh.bottom_depth[cell];
    const Outflows out(grid, exchange, crossings(mesh, cell, options.great_circle));
    const double with_current = strongest_current * out.largest(0);
    for (int f = 0; f < grid.n_frequencies; ++f) {
      const double sigma = grid.sigma[f];
      const double speed = group_speed(wavenumber(sigma, depth), sigma, depth);
      limits[f] = std::min(limits[f], 1 / (speed * out.largest(exchange.share()[f]) + with_current));
    }
  }
  return limits;
}

double cfl_limit(const mesh::Mesh& mesh, const SpectralGrid& grid, const TransportOptions& options) {
  return std::ranges::min(cfl_limits(mesh, grid, options));
}

}  // namespace halcyon::wave
