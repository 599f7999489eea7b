#pragma once

#include <span>
#include <vector>

#include "halcyon/base/exact_sum.hpp"
#include "halcyon/comm/communicator.hpp"

namespace halcyon::comm {

/// Collective. The sums of all ranks' sums, of the same bits on any of them.
inline std::vector<double> totals(const Communicator& comm, std::span<ExactSum> sums) {
  std::vector<double> found;
  for (auto& sum : sums) {
    ExactSum::Limbs limbs = sum.limbs();
    comm.sum(limbs);
    found.push_back(ExactSum(limbs).value());
  }
  return found;
}

}  // namespace halcyon::comm
