#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/collectives.hpp"
#include "halcyon/comm/methods/round.hpp"
#include "halcyon/comm/node.hpp"
#include "halcyon/comm/shared_memory.hpp"

namespace halcyon::comm {
namespace {

/// A window of MPI: memory of each rank of a communicator into which the others put messages.
struct Window {
  MPI_Win win = MPI_WIN_NULL;
  std::span<std::byte> bytes;  ///< of this rank
};

/// The windows of a communicator. MPI_Win_free is collective, but a destructor must not wait: a window that
/// all ranks have released serves a later exchange, or is freed when that exchange is created. MPI_Finalize
/// frees the others.
class Windows {
 public:
  /// Collective. Returns a window that no exchange uses; the last copy of the result releases it.
  /// @param n_bytes least size on this rank
  /// @throws ConfigError, on all ranks, if MPI has no windows, or a node too little shared memory
  std::shared_ptr<const Window> acquire(const Communicator& comm, std::int64_t n_bytes);

 private:
  static Window allocate(const Communicator& comm, std::int64_t n_bytes);

  std::vector<std::shared_ptr<Window>> windows_;  ///< in the same order on all ranks
};

std::shared_ptr<const Window> Windows::acquire(const Communicator& comm, std::int64_t n_bytes) {
  std::vector<std::int64_t> is_released, fits;
  for (const auto& window : windows_) {
    is_released.push_back(window.use_count() == 1);
    fits.push_back(is_released.back() && std::ssize(window->bytes) >= n_bytes);
  }
  comm.min(fits);
  const auto found = std::ranges::find(fits, 1);
  if (found != fits.end()) return windows_[found - fits.begin()];
  comm.min(is_released);
  for (std::size_t w = 0; w < windows_.size(); ++w)
    if (is_released[w]) check(MPI_Win_free(&windows_[w]->win), "MPI_Win_free");
  std::erase_if(windows_, [](const auto& window) { return window->win == MPI_WIN_NULL; });
  return windows_.emplace_back(std::make_shared<Window>(allocate(comm, n_bytes)));
}

Window Windows::allocate(const Communicator& comm, std::int64_t n_bytes) {
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm.get(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  comm.agree([&] { require_free_memory(node, n_bytes); });
  check(MPI_Comm_free(&node), "MPI_Comm_free");
  Window window;
  void* base = nullptr;
  const int status = MPI_Win_allocate(n_bytes, 1, MPI_INFO_NULL, comm.get(), &base, &window.win);
  comm.agree([&] {
    try {
      check(status, "MPI_Win_allocate");
    } catch (const RunError& error) {
      throw ConfigError(fmt::format(
          "put needs windows, which MPI does not offer among these ranks: {}. Use isend_irecv, or "
          "enable a component for windows (Open MPI: OMPI_MCA_osc=ucx).",
          error.what()));
    }
  });
  check(MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  window.bytes = {static_cast<std::byte*>(base), static_cast<std::size_t>(n_bytes)};
  comm.agree([&] { populate(window.bytes); });
  return window;
}

int delete_windows(MPI_Comm, int, void* windows, void*) {
  delete static_cast<Windows*>(windows);
  return MPI_SUCCESS;
}

int create_windows_key() {
  int key = MPI_KEYVAL_INVALID;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_windows, &key, nullptr),
        "MPI_Comm_create_keyval");
  return key;
}

/// The windows of a communicator, an attribute that MPI deletes with the communicator.
Windows& windows_of(const Communicator& comm) {
  static const int key = create_windows_key();
  void* cached = nullptr;
  int is_cached = 0;
  check(MPI_Comm_get_attr(comm.get(), key, &cached, &is_cached), "MPI_Comm_get_attr");
  if (is_cached) return *static_cast<Windows*>(cached);
  auto windows = std::make_unique<Windows>();
  check(MPI_Comm_set_attr(comm.get(), key, windows.get()), "MPI_Comm_set_attr");
  return *windows.release();
}

/// The group of the peers of some messages, in which each rank is named once.
class PeerGroup {
 public:
  PeerGroup(const Communicator& comm, const std::vector<Message>& messages) {
    std::set<Rank> peers;
    for (const auto& message : messages) peers.insert(message.peer);
    const std::vector<int> ranks(peers.begin(), peers.end());
    MPI_Group all = MPI_GROUP_NULL;
    check(MPI_Comm_group(comm.get(), &all), "MPI_Comm_group");
    check(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group_), "MPI_Group_incl");
    check(MPI_Group_free(&all), "MPI_Group_free");
  }
  PeerGroup(const PeerGroup&) = delete;
  PeerGroup& operator=(const PeerGroup&) = delete;
  ~PeerGroup() {
    if (is_mpi_active() && group_ != MPI_GROUP_EMPTY) MPI_Group_free(&group_);
  }
  MPI_Group get() const { return group_; }

 private:
  MPI_Group group_ = MPI_GROUP_EMPTY;
};

/// Where the messages of a round lie in windows: those that it receives in the window of this rank, those
/// that it sends in the windows of their receivers. In the order of the messages.
struct WindowOffsets {
  std::vector<std::int64_t> receives, sends;  ///< [bytes]
};

/// A round whose messages are put into a window of the receiver, between a post of the receiver and a wait
/// for all its senders (generalised active-target synchronisation, MPI 3.1, 11.5.2).
class Put final : public Round {
 public:
  /// @param completes_in_start whether the puts have left the buffers when MPI_Put returns
  Put(const Communicator& comm, RoundMessages messages, WindowOffsets offsets,
      std::shared_ptr<const Window> window, bool completes_in_start)
      : messages_(std::move(messages)),
        offsets_(std::move(offsets)),
        sources_(comm, messages_.receives),
        destinations_(comm, messages_.sends),
        window_(std::move(window)),
        completes_in_start_(completes_in_start) {}

  void start(BufferSpans buffers) override {
    buffers_ = buffers;
    if (!messages_.receives.empty()) {
      // This rank has stored nothing in the window.
      check(MPI_Win_post(sources_.get(), MPI_MODE_NOSTORE, window_->win), "MPI_Win_post");
      is_exposed_ = true;
    }
    if (messages_.sends.empty()) return;
    check(MPI_Win_start(destinations_.get(), 0, window_->win), "MPI_Win_start");
    is_sending_ = true;
    for (std::size_t i = 0; i < messages_.sends.size(); ++i) put(messages_.sends[i], offsets_.sends[i]);
    if (completes_in_start_) complete();
  }

  void wait() override {
    complete();
    if (std::exchange(is_exposed_, false)) check(MPI_Win_wait(window_->win), "MPI_Win_wait");
    for (std::size_t i = 0; i < messages_.receives.size(); ++i) {
      const auto& block = messages_.receives[i].block;
      if (block.size_bytes > 0)
        std::memcpy(buffers_[block.buffer].data() + block.offset_bytes,
                    window_->bytes.data() + offsets_.receives[i], block.size_bytes);
    }
  }

  /// Does not complete the sends of this rank, which may block.
  bool test() override {
    int is_received = 1;
    if (is_exposed_) check(MPI_Win_test(window_->win, &is_received), "MPI_Win_test");
    is_exposed_ = is_received == 0;
    return !is_exposed_ && !is_sending_;
  }

 private:
  void put(const Message& message, std::int64_t offset) {
    const auto& block = message.block;
    const auto n_bytes = static_cast<int>(block.size_bytes);
    check(MPI_Put(buffers_[block.buffer].data() + block.offset_bytes, n_bytes, MPI_BYTE, message.peer, offset,
                  n_bytes, MPI_BYTE, window_->win),
          "MPI_Put");
  }

  void complete() {
    if (std::exchange(is_sending_, false)) check(MPI_Win_complete(window_->win), "MPI_Win_complete");
  }

  RoundMessages messages_;
  WindowOffsets offsets_;
  PeerGroup sources_, destinations_;
  std::shared_ptr<const Window> window_;
  bool completes_in_start_;
  bool is_exposed_ = false;  ///< the window is open to the sources
  bool is_sending_ = false;  ///< the windows of the destinations are open to this rank
  BufferSpans buffers_;
};

/// The starts and waits of a program in their order: the index of a round at its start, and the bitwise
/// complement of the index at its wait.
std::vector<std::int64_t> starts_and_waits(const Program& program) {
  std::vector<std::int64_t> events;
  for (const auto& [operation, phase] : program.steps) {
    if (operation.action == schedule::Action::start) events.push_back(operation.round);
    if (operation.action == schedule::Action::wait) events.push_back(~std::int64_t{operation.round});
  }
  return events;
}

/// The number of the window of each round: rounds that are in flight together have different windows.
std::vector<std::size_t> windows_of_rounds(const std::vector<std::int64_t>& events, std::size_t n_rounds) {
  std::vector<std::size_t> windows(n_rounds);
  std::vector<bool> is_busy;
  for (const auto event : events) {
    if (event < 0) {
      is_busy[windows[~event]] = false;
      continue;
    }
    windows[event] = std::ranges::find(is_busy, false) - is_busy.begin();
    is_busy.resize(std::max(is_busy.size(), windows[event] + 1));
    is_busy[windows[event]] = true;
  }
  return windows;
}

/// Collective. Lays out the received messages of each round in a window, and tells their senders.
std::vector<WindowOffsets> window_offsets(const Communicator& comm,
                                          const std::vector<RoundMessages>& rounds) {
  constexpr std::int64_t kCacheLineBytes = 64;
  std::vector<WindowOffsets> offsets(rounds.size());
  ListsByRank told;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    std::int64_t end = 0;
    for (const auto& [peer, block] : rounds[r].receives) {
      offsets[r].receives.push_back(end);
      told[peer].insert(told[peer].end(), {end, block.size_bytes});
      end += (block.size_bytes + kCacheLineBytes - 1) / kCacheLineBytes * kCacheLineBytes;
    }
  }
  auto heard = sparse_exchange(comm, told);
  std::map<Rank, std::size_t> n_read;
  comm.agree([&] {
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      for (const auto& [peer, block] : rounds[r].sends) {
        const auto& list = heard[peer];
        auto& position = n_read[peer];
        require<InternalError>(
            position < list.size() && list[position + 1] == block.size_bytes,
            "Rank {} sends {} bytes to rank {} in round {}, which receives another message.", comm.rank(),
            block.size_bytes, peer, rounds[r].number);
        require<ConfigError>(block.size_bytes <= std::numeric_limits<int>::max(),
                             "A message of {} bytes exceeds the 32-bit counts of MPI. Use isend_irecv.",
                             block.size_bytes);
        offsets[r].sends.push_back(list[position]);
        position += 2;
      }
    }
  });
  return offsets;
}

Rounds put_rounds(const Communicator& comm, Program& program, const std::vector<schedule::Buffer>&) {
  const auto events = starts_and_waits(program);
  require<ConfigError>(
      is_equal_on_all_ranks(comm, events) && comm.min(rounds_match(comm, program.rounds)) == 1,
      "put needs all ranks to start and wait for common rounds in the same order, but rounds "
      "of this schedule differ between ranks. Use isend_irecv.");
  auto offsets = window_offsets(comm, program.rounds);
  const auto window_of = windows_of_rounds(events, program.rounds.size());
  std::vector<std::int64_t> sizes;
  for (std::size_t r = 0; r < window_of.size(); ++r) {
    sizes.resize(std::max(sizes.size(), window_of[r] + 1));
    if (offsets[r].receives.empty()) continue;
    const auto end = offsets[r].receives.back() + program.rounds[r].receives.back().block.size_bytes;
    sizes[window_of[r]] = std::max(sizes[window_of[r]], end);
  }
  auto& pool = windows_of(comm);
  std::vector<std::shared_ptr<const Window>> windows;
  for (const auto size : sizes) windows.push_back(pool.acquire(comm, size));
  const bool copies_at_once = std::ssize(comm.node()->ranks()) == comm.size();
  Rounds rounds;
  for (std::size_t r = 0; r < window_of.size(); ++r)
    rounds.push_back(std::make_unique<Put>(comm, program.rounds[r], std::move(offsets[r]),
                                           windows[window_of[r]], copies_at_once));
  return rounds;
}

}  // namespace

MethodEntry put() {
  return {{.name = "put",
           .text = "MPI_Put into a window of the receiver; MPI_Win_post, start, complete and wait among "
                   "neighbours",
           .traits = {"by_name_only"}},
          {.overlaps = true},
          put_rounds};
}

}  // namespace halcyon::comm
