#include "halcyon/operators/energy.hpp"

#include <algorithm>

namespace halcyon::operators {

template <class Real>
Energy<Real>::Energy(const Horizontal<Real>& mesh, double share) : offsets{0} {
  for (LocalIndex i = 0; i < mesh.n_cells(); ++i) {
    std::vector<LocalIndex> around;
    std::vector<double> sums;
    const auto add = [&](LocalIndex edge, double weight) {
      const auto known = std::ranges::find(around, edge) - around.begin();
      if (known == std::ssize(around)) around.push_back(edge), sums.push_back(0);
      sums[known] += weight;
    };
    for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j)
      add(mesh.edges_on_cell[j], (1 - share) * mesh.energy_share[j]);
    for (auto j = mesh.cell_offsets[i]; share > 0 && j < mesh.cell_offsets[i + 1]; ++j) {
      const auto v = mesh.vertices_on_cell[j];
      for (int k = 0; k < 3; ++k) {
        const auto edge = mesh.edges_on_vertex[v][k];
        if (edge != kNone) add(edge, share * mesh.vertex_share[j] * mesh.vertex_energy_share[v][k]);
      }
    }
    edges.insert(edges.end(), around.begin(), around.end());
    for (const double sum : sums) weights.push_back(static_cast<Real>(sum));
    offsets.push_back(static_cast<LocalIndex>(edges.size()));
  }
}

template struct Energy<double>;
template struct Energy<float>;

}  // namespace halcyon::operators
