#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "halcyon/schedule/collectives/allreduce.hpp"
#include "halcyon/schedule/collectives/collective.hpp"
#include "schedule/examples.hpp"

namespace halcyon::test {

/// Item i that a rank contributes to a collective, or sends to rank `to`.
inline std::int64_t item(Rank rank, std::int64_t i, Rank to = 0) {
  return 1000003 * (rank + 1) + 1009 * to + i * i;
}

/// Sizes of all kinds: one, and one per rank or pair with empty blocks.
inline std::vector<std::vector<std::int64_t>> sizes_of(const std::string& operation, Rank n) {
  if (operation == "barrier") return {{0}};
  std::vector<std::int64_t> uneven;
  const auto count = operation == "alltoall" ? std::int64_t{n} * n : n;
  for (std::int64_t i = 0; i < count; ++i) uneven.push_back(8 * (5 * i % 4));
  const bool has_blocks = operation == "gather" || operation == "scatter" || operation == "allgather" ||
                          operation == "reduce_scatter" || operation == "alltoall";
  if (has_blocks && n > 1) return {{24}, uneven};
  return {{24}, {8 * 37}};
}

/// A collective with data that show whether its result is right.
class CheckedCollective {
 public:
  explicit CheckedCollective(CollectiveOptions options)
      : options_(std::move(options)), schedule_(collective(options_)) {}

  const Schedule& schedule() const { return *schedule_; }

  void fill(Rank rank, Memory& memory) const {
    const auto n = options_.n_ranks;
    const auto& operation = options_.operation;
    if (operation == "barrier") return;
    auto* data = memory.as<std::int64_t>(buffer("data"));
    if (operation == "broadcast") {
      for (std::int64_t i = 0; i < items(0); ++i) data[i] = rank == options_.root ? item(rank, i) : -1;
    } else if (is_in_place()) {
      for (std::int64_t i = 0; i < items(0); ++i) data[i] = item(rank, i);
    } else if (operation == "gather" || operation == "allgather") {
      for (std::int64_t i = 0; i < items(rank); ++i) send(memory)[i] = item(rank, i);
    } else if (operation == "scatter" && rank != options_.root) {
      return;
    } else {  // blocks to each rank
      auto* next = send(memory);
      for (Rank to = 0; to < n; ++to)
        for (std::int64_t i = 0; i < items(block(rank, to)); ++i) *next++ = item(rank, i, to);
    }
  }

  bool is_right(Rank rank, Memory& memory) const {
    const auto n = options_.n_ranks;
    const auto& operation = options_.operation;
    std::vector<std::int64_t> expected;
    const auto add = [&](Rank first, Rank last, std::int64_t count, Rank to) {  // sums over ranks
      for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t sum = 0;
        for (Rank from = first; from <= last; ++from) sum += item(from, i, to);
        expected.push_back(sum);
      }
    };
    if (operation == "broadcast") add(options_.root, options_.root, items(0), 0);
    if (operation == "allreduce" || (operation == "reduce" && rank == options_.root))
      add(0, n - 1, items(0), 0);
    if (operation == "scan") add(0, rank, items(0), 0);
    if (operation == "exscan" && rank > 0) add(0, rank - 1, items(0), 0);
    if (operation == "allgather" || (operation == "gather" && rank == options_.root))
      for (Rank from = 0; from < n; ++from) add(from, from, items(from), 0);
    if (operation == "scatter") add(options_.root, options_.root, items(rank), rank);
    if (operation == "reduce_scatter") add(0, n - 1, items(rank), rank);
    if (operation == "alltoall")
      for (Rank from = 0; from < n; ++from) add(from, from, items(block(from, rank)), rank);
    if (expected.empty()) return true;
    const auto* found = memory.as<std::int64_t>(buffer(is_in_place() ? "data" : "receive"));
    return std::equal(expected.begin(), expected.end(), found);
  }

 private:
  bool is_in_place() const {
    const auto& operation = options_.operation;
    return operation == "broadcast" || operation == "reduce" || operation == "allreduce" ||
           operation == "scan" || operation == "exscan";
  }
  std::int32_t buffer(const std::string& name) const {
    const auto& buffers = schedule_->buffers();
    const auto found = std::ranges::find(buffers, name, &Buffer::name) - buffers.begin();
    return found < std::ssize(buffers) ? static_cast<std::int32_t>(found) : 0;
  }
  std::int64_t* send(Memory& memory) const { return memory.as<std::int64_t>(buffer("send")); }
  std::int64_t items(std::int64_t i) const {
    return options_.bytes[options_.bytes.size() == 1 ? 0 : static_cast<std::size_t>(i)] / 8;
  }
  std::int64_t block(Rank from, Rank to) const {
    return options_.operation == "alltoall" ? std::int64_t{from} * options_.n_ranks + to : to;
  }

  CollectiveOptions options_;
  SchedulePointer schedule_;
};

/// Calls visit(options) for every operation, algorithm, size, some roots and segments of a number of ranks.
template <class Visitor>
void for_each_collective(Rank n, Visitor visit) {
  const bool is_power = is_power_of_two(n);
  for (const auto& operation : collective_operations()) {
    auto names = algorithms_of(operation);
    if (operation == "broadcast" || operation == "reduce" || operation == "allreduce" ||
        operation == "barrier")
      names.push_back(operation == "allreduce" ? "node_aware_rabenseifner"
                      : operation == "barrier" ? "node_aware_dissemination"
                                               : "node_aware_binomial");
    const bool has_root =
        operation == "broadcast" || operation == "reduce" || operation == "gather" || operation == "scatter";
    for (const auto& name : names) {
      const bool needs_power =
          name == "scatter_recursive_doubling" || (operation == "allgather" && name == "recursive_doubling");
      if ((needs_power && !is_power) || (name == "neighbor_exchange" && n % 2 != 0)) continue;
      for (const auto& bytes : sizes_of(operation, n)) {
        for (const Rank root : {0, n / 3, n - 1}) {
          if (root > 0 && !has_root) continue;
          for (const std::int64_t segment : {0, 40}) {
            if (segment > 0 && (!has_root || bytes.size() > 1)) continue;
            visit(CollectiveOptions{operation, name, n, bytes, root, segment, 8, 3});
          }
        }
      }
    }
  }
}

}  // namespace halcyon::test
