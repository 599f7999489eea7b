#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/decomposition/decomposition.hpp"

namespace halcyon::peers {

/// What every way exchanges: the halo of one field on the cells of a rank's part.
struct Task {
  const comm::Communicator& comm;
  const decomposition::Decomposition& part;
  std::vector<Rank> owners;        ///< (local cell) the rank that owns it
  std::vector<LocalIndex> places;  ///< (local cell) its place among the cells of its owner
  int numbers;                     ///< at a cell
  bool single;                     ///< float, else double

  std::int64_t item_bytes() const { return numbers * static_cast<std::int64_t>(single ? 4 : 8); }
  std::int64_t field_bytes() const { return part.cells().size() * item_bytes(); }
};

/// A way to exchange it, with a field of its own: (local cell, number).
class Way {
 public:
  virtual ~Way() = default;
  virtual std::span<std::byte> field() = 0;
  /// Collective.
  virtual void exchange() = 0;
  virtual std::string description() const = 0;
};

/// Collective. By one of Halcyon's methods. `shared` and `auto` get a field in the node's memory.
std::unique_ptr<Way> our_way(const Task& task, const std::string& method);

/// Collective. By PETSc's star forest of a type, "basic" or "neighbor" (PETSc 3.18, PetscSFBcastBegin and
/// End).
std::unique_ptr<Way> petsc_way(const Task& task, const std::string& type);

/// Collective. By Atlas 0.31 (atlas::parallel::HaloExchange).
std::unique_ptr<Way> atlas_way(const Task& task);

}  // namespace halcyon::peers
