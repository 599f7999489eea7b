#pragma once

#include <cstdlib>

namespace halcyon::test {

/// While it lives, nodes have no free shared memory: /proc has no space, and MPI has already chosen its
/// folder.
class NoSharedMemory {
 public:
  NoSharedMemory() { setenv(kVariable, "/proc", 1); }
  NoSharedMemory(const NoSharedMemory&) = delete;
  NoSharedMemory& operator=(const NoSharedMemory&) = delete;
  ~NoSharedMemory() { unsetenv(kVariable); }

 private:
  static constexpr auto* kVariable = "OMPI_MCA_osc_sm_backing_directory";
};

}  // namespace halcyon::test
