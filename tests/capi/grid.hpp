#pragma once

#include <vector>

#include "capi/error_text.hpp"
#include "decomposition/grids.hpp"

namespace halcyon::test {

constexpr std::int32_t kLevels = 3, kLayers = 2;  ///< levels of the wind; layers of the halo

/// A decomposed longitude-latitude grid in C, and its topology in C++.
class Grid {
 public:
  explicit Grid(const std::vector<std::int32_t>& owners = {}) {
    const auto& cells = whole.cells_on_cell;
    REQUIRE(halcyon_topology_create(cells.size(), cells.offsets.data(), std::ssize(cells.values),
                                    cells.values.data(), &topology) == HALCYON_OK);
    for (const auto location : {HALCYON_EDGE, HALCYON_VERTEX}) {
      const auto& [on_cell, cells_on] = whole.shared[location - 1];
      REQUIRE(halcyon_topology_share(topology, location, cells_on.size(), on_cell.offsets.data(),
                                     std::ssize(on_cell.values), on_cell.values.data()) == HALCYON_OK);
    }
    REQUIRE(decompose(owners, kLayers) == HALCYON_OK);
  }
  Grid(const Grid&) = delete;
  ~Grid() {
    halcyon_halo_free(halo);
    halcyon_decomposition_free(part);
    halcyon_topology_free(topology);
  }

  /// @param owners rank of each cell; empty: partitioned by the library
  int decompose(const std::vector<std::int32_t>& owners, std::int32_t n_layers) {
    halcyon_decomposition_free(part);
    part = nullptr;
    return halcyon_decomposition_create(MPI_Comm_c2f(world()), topology,
                                        static_cast<std::int32_t>(owners.size()), owners.data(), n_layers,
                                        &part);
  }
  halcyon_share share(halcyon_location location) const {
    halcyon_share result;
    CHECK(halcyon_decomposition_share(part, location, &result) == HALCYON_OK);
    return result;
  }
  int make_halo(const char* method, int node_memory = 0) {
    halcyon_halo_free(halo);
    halo = nullptr;
    return halcyon_halo_create(part, 2, fields.data(), method, node_memory, &halo);
  }

  decomposition::Topology whole = longitude_latitude(24, 12);
  halcyon_topology* topology = nullptr;
  halcyon_decomposition* part = nullptr;
  halcyon_halo* halo = nullptr;
  std::vector<halcyon_field> fields{{"heat", HALCYON_CELL, HALCYON_FLOAT64, 1, 0},
                                    {"wind", HALCYON_EDGE, HALCYON_FLOAT32, kLevels, 1}};
};

}  // namespace halcyon::test
