#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "halcyon/comm/exchange/exchange.hpp"

namespace halcyon::krylov {

/// Two vectors, of the items that this rank owns, whose inner product is wanted.
struct Factors {
  std::span<const double> one, other;
};

/// Inner products over all ranks, several in one allreduce. Products are rounded, sums are exact until their
/// end (`ExactSum`), so they have the same bits on any number of ranks and with any radix. The allreduce is
/// a schedule (`schedule::Allreduce`); its first round travels between `start` and `wait`, others in `wait`.
class InnerProducts {
 public:
  /// Collective.
  /// @param n_most products in one allreduce; one always carries so many
  /// @param radix of the allreduce: with as many ranks, or fewer, it has a single round
  InnerProducts(const comm::Communicator& comm, std::size_t n_most, Rank radix);

  /// Adds up this rank's part of each product and starts the allreduce.
  /// @param failed tells all ranks that this one failed
  void start(std::span<const Factors> wanted, bool failed);
  /// @returns the products that were wanted, until the next start; NaN where a part was not finite
  std::span<const double> wait();

  /// Whether some rank had failed when it started the last allreduce.
  bool any_failed() const { return limbs_.back() != 0; }
  double waited_s() const { return waited_s_; }

 private:
  std::vector<std::int64_t> limbs_;  ///< of all sums, then how many ranks failed
  std::vector<std::byte> arrived_;
  std::vector<std::span<std::byte>> buffers_;
  std::vector<double> values_;
  std::size_t n_wanted_ = 0;
  double waited_s_ = 0;
  std::unique_ptr<comm::Exchange> exchange_;
  std::optional<comm::Pending> pending_;
};

}  // namespace halcyon::krylov
