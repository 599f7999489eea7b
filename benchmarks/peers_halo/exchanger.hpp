#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/decomposition/decomposition.hpp"

namespace halcyon::peers {

/// The halo exchange to time: one field on the cells of this rank's part.
struct Task {
  const comm::Communicator& comm;
  const decomposition::Decomposition& part;
  std::vector<Rank> owners;               ///< rank that owns each local cell
  std::vector<LocalIndex> owner_indices;  ///< local index of each local cell on the rank that owns it
  int n_values;                           ///< values per cell
  bool single;                            ///< float instead of double

  std::int64_t item_bytes() const { return n_values * static_cast<std::int64_t>(single ? 4 : 8); }
  std::int64_t field_bytes() const { return part.cells().size() * item_bytes(); }
};

/// An implementation of the halo exchange, which stores the exchanged field.
class Exchanger {
 public:
  virtual ~Exchanger() = default;
  /// The field (local cell, value); empty for a copy.
  virtual std::span<std::byte> field() = 0;
  /// Collective. Fills the halo cells of the field.
  virtual void exchange() = 0;
  virtual std::string description() const = 0;
};

/// Collective. An exchange method of Halcyon. `shared` and `auto` store the field in memory shared by the
/// node.
std::unique_ptr<Exchanger> halcyon_exchanger(const Task& task, const std::string& method);

/// Collective. The star forest of PETSc 3.18, of type "basic" or "neighbor" (PetscSFBcastBegin and
/// PetscSFBcastEnd).
std::unique_ptr<Exchanger> petsc_exchanger(const Task& task, const std::string& type);

/// Collective. Atlas 0.31 (atlas::parallel::HaloExchange).
std::unique_ptr<Exchanger> atlas_exchanger(const Task& task);

}  // namespace halcyon::peers
