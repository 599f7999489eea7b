#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>

#include "halcyon/base/index.hpp"

namespace halcyon::comm {

/// Throws RunError with MPI's own text unless `status` is MPI_SUCCESS.
void check(int status, const char* what);

/// The MPI that this library was built for and runs on, as MPI itself names it.
std::string library_version();

/// A communicator of our own: a duplicate, so that our messages never meet the caller's. Move-only; freed at
/// the end of its life (a collective act, unless MPI has ended before).
class Communicator {
 public:
  /// Collective. Duplicates a communicator that somebody else owns.
  explicit Communicator(MPI_Comm other);

  /// Collective. Of a Fortran handle, as mpi4py's `comm.py2f()` gives it.
  static Communicator from_fortran(std::int32_t handle) { return Communicator(MPI_Comm_f2c(handle)); }

  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&&) = delete;
  ~Communicator();

  Rank rank() const { return rank_; }
  Rank size() const { return size_; }
  MPI_Comm get() const { return comm_; }

  /// Collective. The smallest and the largest value of all ranks.
  std::int64_t min(std::int64_t value) const;
  std::int64_t max(std::int64_t value) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  Rank rank_ = 0, size_ = 1;
};

}  // namespace halcyon::comm
