#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "halcyon/schedule/in_process.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::test {

using namespace halcyon::schedule;

/// A schedule from a list of operations per rank, which `program(rank)` returns once.
class ListSchedule : public Schedule {
 public:
  using Program = std::vector<Operation>;

  ListSchedule(Rank n_ranks, std::vector<Buffer> buffers, std::vector<std::int64_t> bytes,
               std::function<Program(Rank)> program)
      : n_ranks_(n_ranks),
        buffers_(std::move(buffers)),
        bytes_(std::move(bytes)),
        program_(std::move(program)) {}

  Rank n_ranks() const override { return n_ranks_; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank, std::int32_t buffer) const override { return bytes_[buffer]; }
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override {
    const auto [entry, is_new] = programs_.try_emplace(rank);
    if (is_new) entry->second = program_(rank);
    const auto& program = entry->second;
    if (cursor.position >= program.size()) return false;
    operation = program[cursor.position++];
    return true;
  }

 private:
  Rank n_ranks_;
  std::vector<Buffer> buffers_;
  std::vector<std::int64_t> bytes_;  ///< (buffer) the same on all ranks
  std::function<Program(Rank)> program_;
  mutable std::map<Rank, Program> programs_;
};

inline Operation send(Rank peer, std::int32_t round, Block block) {
  return {.action = Action::send, .peer = peer, .round = round, .block = block};
}
inline Operation receive(Rank peer, std::int32_t round, Block block) {
  return {.action = Action::receive, .peer = peer, .round = round, .block = block};
}
inline Operation start(std::int32_t round) {
  return {.action = Action::start, .round = round};
}
inline Operation wait(std::int32_t round) {
  return {.action = Action::wait, .round = round};
}
inline Operation copy(Block from, Block to) {
  return {.action = Action::copy, .block = from, .target = to};
}
inline Operation combine(Block from, Block to) {
  return {.action = Action::combine, .block = from, .target = to};
}

/// All-to-all of one 64-bit integer per pair after Bruck et al. (1997): forwards blocks in log2 n rounds,
/// with copies before, between and after the rounds. Buffers: 0 "from" (receiver), 1 "to" (sender), 2 "work",
/// 3 "packed", 4 "arrived".
inline ListSchedule bruck(Rank n) {
  const auto program = [n](Rank rank) {
    const auto block = [](std::int32_t buffer, std::int64_t i, std::int64_t count = 1) {
      return Block{buffer, 8 * i, 8 * count};
    };
    ListSchedule::Program program;
    for (Rank i = 0; i < n; ++i) program.push_back(copy(block(0, (rank + i) % n), block(2, i)));
    std::int32_t round = 0;
    for (Rank step = 1; step < n; step *= 2, ++round) {
      std::vector<Rank> moved;
      for (Rank i = 0; i < n; ++i)
        if (i & step) moved.push_back(i);
      const auto count = std::ssize(moved);
      for (std::int64_t i = 0; i < count; ++i) program.push_back(copy(block(2, moved[i]), block(3, i)));
      program.push_back(send((rank + step) % n, round, block(3, 0, count)));
      program.push_back(receive((rank - step + n) % n, round, block(4, 0, count)));
      program.push_back(start(round));
      program.push_back(wait(round));
      for (std::int64_t i = 0; i < count; ++i) program.push_back(copy(block(4, i), block(2, moved[i])));
    }
    for (Rank i = 0; i < n; ++i) program.push_back(copy(block(2, i), block(1, (rank - i + n) % n)));
    return program;
  };
  const std::int64_t bytes = 8 * n;
  return {
      n, {{"from"}, {"to"}, {"work"}, {"packed"}, {"arrived"}}, {bytes, bytes, bytes, bytes, bytes}, program};
}

/// Sum of one 64-bit integer per rank, passed around a ring: each value is forwarded while it is added to the
/// sum. Buffers: "sum", "travels" (two slots).
inline ListSchedule ring_sum(Rank n) {
  const auto program = [n](Rank rank) {
    const auto slot = [](std::int64_t i) { return Block{1, 8 * (i % 2), 8}; };
    ListSchedule::Program program{copy({0, 0, 8}, slot(0))};
    for (Rank step = 0; step + 1 < n; ++step) {
      program.push_back(receive((rank - 1 + n) % n, step, slot(step + 1)));
      program.push_back(send((rank + 1) % n, step, slot(step)));
      program.push_back(start(step));
      if (step > 0) program.push_back(combine(slot(step), {0, 0, 8}));
      program.push_back(wait(step));
    }
    if (n > 1) program.push_back(combine(slot(n - 1), {0, 0, 8}));
    return program;
  };
  return {n, {{"sum"}, {"travels"}}, {8, 16}, program};
}

/// Adds the 64-bit integer of a block to that of the target.
inline void add_integers(std::span<std::byte> target, std::span<const std::byte> block) {
  std::int64_t a = 0, b = 0;
  std::memcpy(&a, target.data(), 8);
  std::memcpy(&b, block.data(), 8);
  a += b;
  std::memcpy(target.data(), &a, 8);
}

/// The buffers of one rank, owned by the test.
struct Memory {
  std::vector<std::vector<std::byte>> bytes;  ///< (buffer, byte)

  Memory(const Schedule& schedule, Rank rank) {
    for (std::int32_t buffer = 0; buffer < std::ssize(schedule.buffers()); ++buffer) {
      bytes.emplace_back(schedule.buffer_bytes(rank, buffer));
    }
  }
  Buffers spans() { return {bytes.begin(), bytes.end()}; }
  template <class T>
  T* as(std::int32_t buffer) {
    return reinterpret_cast<T*>(bytes[buffer].data());
  }
};

/// Fills every rank's memory, runs the schedule in this process, and returns the final memory.
inline std::vector<Memory> in_process(const Schedule& schedule,
                                      const std::function<void(Rank, Memory&)>& fill) {
  std::vector<Memory> memory;
  std::vector<Buffers> spans;
  for (Rank rank = 0; rank < schedule.n_ranks(); ++rank) {
    memory.emplace_back(schedule, rank);
    fill(rank, memory.back());
  }
  for (auto& of_rank : memory) spans.push_back(of_rank.spans());
  run_in_process(schedule, spans, [](Rank) { return Callbacks{.combine = add_integers, .work = {}}; });
  return memory;
}

}  // namespace halcyon::test
