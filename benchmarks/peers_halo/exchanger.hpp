#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/decomposition/decomposition.hpp"

namespace halcyon::peers {

/// The exchanged halo: one field on the cells of a rank's part.
struct Task {
  const comm::Communicator& comm;
  const decomposition::Decomposition& part;
  std::vector<Rank> owners;               ///< (local cell) the rank that owns it
  std::vector<LocalIndex> owner_indices;  ///< (local cell) its local index on its owner
  int n_values;                           ///< values per cell
  bool single;                            ///< float instead of double

  std::int64_t item_bytes() const { return n_values * static_cast<std::int64_t>(single ? 4 : 8); }
  std::int64_t field_bytes() const { return part.cells().size() * item_bytes(); }
};

/// An implementation of the exchange, with its own field (local cell, value).
class Exchanger {
 public:
  virtual ~Exchanger() = default;
  virtual std::span<std::byte> field() = 0;
  /// Collective.
  virtual void exchange() = 0;
  virtual std::string description() const = 0;
};

/// Collective. An exchange method of Halcyon. `shared` and `auto` have their field in node memory.
std::unique_ptr<Exchanger> halcyon_exchanger(const Task& task, const std::string& method);

/// Collective. The star forest of PETSc, of type "basic" or "neighbor" (PETSc 3.18, PetscSFBcastBegin and
/// End).
std::unique_ptr<Exchanger> petsc_exchanger(const Task& task, const std::string& type);

/// Collective. Atlas 0.31 (atlas::parallel::HaloExchange).
std::unique_ptr<Exchanger> atlas_exchanger(const Task& task);

}  // namespace halcyon::peers
