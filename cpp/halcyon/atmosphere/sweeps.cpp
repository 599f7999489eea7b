#include "halcyon/atmosphere/sweeps.hpp"

#include <algorithm>
#include <array>

namespace halcyon::atmosphere {

namespace {

using decomposition::Share;

/// Whether items have all that they need: of a list, or of what lies beside each other in two.
bool all_ready(std::span<const LocalIndex> items, const Flags& ready) {
  return std::ranges::all_of(items, [&](LocalIndex item) { return item != kNone && ready[item]; });
}

template <std::size_t K>
bool all_ready(const std::array<LocalIndex, K>& items, const Flags& ready) {
  return all_ready(std::span<const LocalIndex>(items), ready);
}

/// The first `n` of a share.
Flags first(const Share& share, LocalIndex n) {
  Flags flags(share.size());
  std::fill_n(flags.begin(), n, std::uint8_t{1});
  return flags;
}

/// The owned ones and those of some halo layers.
Flags near(const Share& share, std::size_t n_layers = 1) {
  return first(share, share.layer_offsets[n_layers]);
}

/// Finds what of a sweep is early.
class Order {
 public:
  explicit Order(const mesh::Mesh& mesh) : mesh_(mesh) {}

  /// Splits what is needed by whether is_early(item) holds. @returns what is early
  template <class IsEarly>
  static Flags split(const Flags& needed, Sweep& sweep, const IsEarly& is_early) {
    Flags early(needed.size()), late(needed.size());
    for (LocalIndex item = 0; item < static_cast<LocalIndex>(needed.size()); ++item) {
      if (needed[item]) (is_early(item) ? early : late)[item] = 1;
    }
    sweep = {runs_of(early), runs_of(late)};
    return early;
  }

  bool cells_of_edge(LocalIndex e, const Flags& ready) const {
    return all_ready(mesh_.cells_on_edge[e], ready);
  }
  bool vertices_of_edge(LocalIndex e, const Flags& ready) const {
    return all_ready(mesh_.vertices_on_edge[e], ready);
  }
  bool edges_of_edge(LocalIndex e, const Flags& ready) const {
    return ready[e] && all_ready(list(mesh_.edges_on_edge, mesh_.edge_offsets, e), ready);
  }
  bool edges_of_cell(LocalIndex i, const Flags& ready) const {
    return all_ready(list(mesh_.edges_on_cell, mesh_.cell_offsets, i), ready);
  }
  bool cells_of_cell(LocalIndex i, const Flags& ready) const {
    return all_ready(list(mesh_.cells_on_cell, mesh_.cell_offsets, i), ready);
  }
  bool vertices_of_cell(LocalIndex i, const Flags& ready) const {
    return all_ready(list(mesh_.vertices_on_cell, mesh_.cell_offsets, i), ready);
  }
  bool cells_of_vertex(LocalIndex v, const Flags& ready) const {
    return all_ready(mesh_.cells_on_vertex[v], ready);
  }
  bool edges_of_vertex(LocalIndex v, const Flags& ready) const {
    return all_ready(mesh_.edges_on_vertex[v], ready);
  }

 private:
  static std::span<const LocalIndex> list(const std::vector<LocalIndex>& values,
                                          const std::vector<LocalIndex>& offsets, LocalIndex at) {
    return std::span(values).subspan(offsets[at], offsets[at + 1] - offsets[at]);
  }

  const mesh::Mesh& mesh_;
};

/// The edges of the first cells.
Flags edges_of(const mesh::Mesh& mesh, LocalIndex n_cells) {
  Flags found(mesh.n_edges());
  for (LocalIndex j = 0; j < mesh.cell_offsets[n_cells]; ++j) found[mesh.edges_on_cell[j]] = 1;
  return found;
}

/// The vertices of the first edges.
Flags vertices_of(const mesh::Mesh& mesh, LocalIndex n_edges) {
  Flags found(mesh.n_vertices());
  for (LocalIndex e = 0; e < n_edges; ++e)
    for (const auto vertex : mesh.vertices_on_edge[e]) found[vertex] = 1;
  return found;
}

}  // namespace

Sweeps::Sweeps(const decomposition::LocalMesh& local, bool columns) {
  const Share &cells = local.part.shares[0], &edges = local.part.shares[1];
  const Order order(local.mesh);
  const Flags thickness = first(cells, cells.n_owned), wind = first(edges, edges.n_owned);

  const Flags vorticity = Order::split(near(local.part.shares[2]), vertices, [&](LocalIndex v) {
    return order.cells_of_vertex(v, thickness) && order.edges_of_vertex(v, wind);
  });
  const Flags flux = Order::split(near(edges), fluxes, [&](LocalIndex e) {
    return order.cells_of_edge(e, thickness) && order.edges_of_edge(e, wind) &&
           order.vertices_of_edge(e, vorticity);
  });
  const Flags bent = Order::split(
      near(cells), bends, [&](LocalIndex i) { return thickness[i] && order.cells_of_cell(i, thickness); });
  const Flags edge_values = Order::split(edges_of(local.mesh, cells.n_owned), carried, [&](LocalIndex e) {
    return wind[e] && order.cells_of_edge(e, bent) && (!columns || flux[e]);
  });
  const Flags energy = Order::split(near(cells), energies, [&](LocalIndex i) {
    return thickness[i] && order.edges_of_cell(i, wind) && order.vertices_of_cell(i, vorticity) &&
           (!columns || (order.edges_of_cell(i, edge_values) && order.cells_of_cell(i, thickness)));
  });
  Order::split(thickness, continuity, [&](LocalIndex i) { return order.edges_of_cell(i, flux); });
  Order::split(wind, momentum,
               [&](LocalIndex e) { return order.edges_of_edge(e, flux) && order.cells_of_edge(e, energy); });

  Order::split(thickness, transport, [&](LocalIndex i) { return order.edges_of_cell(i, edge_values); });

  const Flags divergence = Order::split(near(cells, kHaloLayers), divergences,
                                        [&](LocalIndex i) { return order.edges_of_cell(i, wind); });
  const Flags laplacian = Order::split(near(edges), laplacians, [&](LocalIndex e) {
    return order.cells_of_edge(e, divergence) && order.vertices_of_edge(e, vorticity);
  });
  const Flags second_divergence = Order::split(
      near(cells), second_divergences, [&](LocalIndex i) { return order.edges_of_cell(i, laplacian); });
  const Flags second_curl = Order::split(vertices_of(local.mesh, edges.n_owned), second_curls,
                                         [&](LocalIndex v) { return order.edges_of_vertex(v, laplacian); });
  Order::split(wind, dissipation, [&](LocalIndex e) {
    return laplacian[e] && order.cells_of_edge(e, second_divergence) &&
           order.vertices_of_edge(e, second_curl);
  });
}

}  // namespace halcyon::atmosphere
