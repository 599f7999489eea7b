#include "halcyon/atmosphere/core.hpp"

namespace halcyon::atmosphere {

Core::Core(const comm::Communicator& comm, const decomposition::LocalMesh& local, comm::Method method,
           int n_levels, std::vector<schedule::HaloField> state)
    : decomposition_(local.part),
      n_levels_(n_levels),
      halo_(comm, local.part, std::move(state), method, comm::Placement::node_memory) {}

void Core::note(LocalIndex cell, const std::string& variable, int level, double value) {
  const auto& ids = decomposition_.cells().to_global;
  if (trouble_.cell == kNone || ids[cell] < ids[trouble_.cell])
    trouble_ = {cell, n_steps_, variable, level, value};
}

}  // namespace halcyon::atmosphere
