#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halcyon/capi/guard.hpp"
#include "halcyon/capi/types.hpp"
#include "halcyon/decomposition/from_lists.hpp"
#include "halcyon/halo/halo.hpp"

// What stands behind the handles of topologies, slices, decompositions and halos in halcyon.h.

struct halcyon_topology {
  halcyon::decomposition::Topology topology;
};

struct halcyon_slice {
  halcyon::decomposition::Slice slice;
};

struct halcyon_decomposition {
  halcyon_decomposition(halcyon::comm::Communicator over, halcyon::decomposition::Decomposition found)
      : comm(std::move(over)), part(std::move(found)) {
    for (const auto& neighbour : part.neighbours) neighbours.push_back(neighbour.rank);
  }

  halcyon::comm::Communicator comm;
  halcyon::decomposition::Decomposition part;
  std::vector<std::int32_t> neighbours;
};

namespace halcyon::capi {

/// A field of a halo, to which arrays are held.
struct Field {
  std::string variable;
  halcyon_type type;
  std::int32_t levels;
  std::int64_t n_local;

  std::int64_t count() const { return levels * n_local; }
};

}  // namespace halcyon::capi

struct halcyon_halo {
  halcyon::halo::Halo halo;
  std::vector<halcyon::capi::Field> fields;
  std::vector<std::span<std::byte>> arrays;          ///< of the exchange under way
  std::vector<halcyon::halo::FieldMemory> memory{};  ///< that was allocated
  std::optional<halcyon::comm::Pending> pending{};   ///< ends before the rest
};
