#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>

#include "halcyon/base/index.hpp"

namespace halcyon::comm {

/// Throws RunError with MPI's own text unless `status` is MPI_SUCCESS.
void check(int status, const char* what);

/// The MPI that this library was built for and runs on, as MPI itself names it.
std::string library_version();

/// A communicator of our own: a duplicate, so that our messages never meet the caller's. Copies share it, so
/// a plan keeps the communicator that it was made on; the last one frees it (unless MPI has ended before).
class Communicator {
 public:
  /// Collective. Duplicates a communicator that somebody else owns.
  explicit Communicator(MPI_Comm other);

  /// Collective. Of a Fortran handle, as mpi4py's `comm.py2f()` gives it.
  static Communicator from_fortran(std::int32_t handle) { return Communicator(MPI_Comm_f2c(handle)); }

  Rank rank() const { return rank_; }
  Rank size() const { return size_; }
  MPI_Comm get() const { return *comm_; }

  /// Collective. The smallest and the largest value of all ranks.
  std::int64_t min(std::int64_t value) const;
  std::int64_t max(std::int64_t value) const;

 private:
  std::shared_ptr<const MPI_Comm> comm_;
  Rank rank_ = 0, size_ = 1;
};

}  // namespace halcyon::comm
