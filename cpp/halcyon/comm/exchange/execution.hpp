#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/schedule/in_process.hpp"

namespace halcyon::comm {

/// A schedule by MPI with memory of its own, to be run again and again: what measurements need, and what asks
/// for no more than the schedule. Computations take their seconds, asleep, and
/// call Exchange::progress 19 times meanwhile.
class Execution {
 public:
  /// Collective. All memory is zero, and touched.
  /// @param combine the operator of `combine`; the sum of doubles where none is given
  /// @throws as Exchange does
  Execution(const Communicator& comm, const schedule::Schedule& schedule, Method method,
            schedule::CombineOperator combine = {}, std::shared_ptr<const Progress> progress = {});

  /// Collective. Runs the whole schedule once.
  void run();

  /// This rank's memory by the buffer's name.
  /// @throws ConfigError that lists the names
  std::span<std::byte> buffer(const std::string& name);

  const Exchange& exchange() const { return *exchange_; }

 private:
  void compute();

  std::vector<schedule::Buffer> buffers_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<double> compute_s_;  ///< of all computations, in their order
  std::size_t computed_ = 0;
  std::unique_ptr<Exchange> exchange_;
};

}  // namespace halcyon::comm
