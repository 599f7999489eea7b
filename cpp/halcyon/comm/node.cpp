#include "halcyon/comm/node.hpp"

#include <algorithm>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/shared_memory.hpp"

namespace halcyon::comm {
namespace {

/// Splits a communicator into groups of `size` consecutive ranks.
MPI_Comm split_into_groups(MPI_Comm comm, Rank size) {
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  MPI_Comm group = MPI_COMM_NULL;
  check(MPI_Comm_split(comm, rank / size, rank, &group), "MPI_Comm_split");
  return group;
}

/// Info for MPI_Win_allocate_shared: the memory of each rank begins on a separate page, near the rank's core.
class NoncontiguousInfo {
 public:
  NoncontiguousInfo() {
    check(MPI_Info_create(&info_), "MPI_Info_create");
    check(MPI_Info_set(info_, "alloc_shared_noncontig", "true"), "MPI_Info_set");
  }
  NoncontiguousInfo(const NoncontiguousInfo&) = delete;
  NoncontiguousInfo& operator=(const NoncontiguousInfo&) = delete;
  ~NoncontiguousInfo() { MPI_Info_free(&info_); }
  MPI_Info get() const { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

/// Alignment of a rank's memory in a window [bytes]. (Open MPI stores internal data before the memory.)
constexpr std::size_t kAlignment = 64;

/// Returns the memory of one rank in a window, from the first cache-line boundary on. The ranks of a node map
/// this memory at different addresses, but all at page boundaries, so that each rank skips the same bytes.
std::span<std::byte> aligned(void* base, std::size_t size) {
  const auto skipped = (kAlignment - reinterpret_cast<std::uintptr_t>(base) % kAlignment) % kAlignment;
  return std::span(static_cast<std::byte*>(base), size).subspan(skipped);
}

}  // namespace

Node::Node(MPI_Comm comm, Rank max_ranks) {
  int rank = 0, size = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm_), "MPI_Comm_split_type");
  if (max_ranks > 0) {
    MPI_Comm whole = std::exchange(comm_, split_into_groups(comm_, max_ranks));
    check(MPI_Comm_free(&whole), "MPI_Comm_free");
  }
  check(MPI_Comm_rank(comm_, &node_rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &size), "MPI_Comm_size");
  ranks_.resize(size);
  check(MPI_Allgather(&rank, 1, MPI_INT, ranks_.data(), 1, MPI_INT, comm_), "MPI_Allgather");
}

/// MPI_Finalize frees the remaining windows: MPI_Win_free is collective, but a destructor must not wait.
Node::~Node() {
  if (is_mpi_active()) MPI_Comm_free(&comm_);
}

Rank Node::node_rank_of(Rank rank) const {
  const auto found = std::ranges::lower_bound(ranks_, rank);
  return found != ranks_.end() && *found == rank ? static_cast<Rank>(found - ranks_.begin()) : kNone;
}

std::optional<WindowLocation> Node::location_of(std::span<const std::byte> range) const {
  for (std::size_t index = 0; index < windows_.size(); ++index) {
    if (windows_[index].win == MPI_WIN_NULL) continue;
    const auto part = own_part(static_cast<std::int64_t>(index));
    if (range.data() >= part.data() && range.data() + range.size() <= part.data() + part.size())
      return WindowLocation{static_cast<std::int64_t>(index), range.data() - part.data()};
  }
  return std::nullopt;
}

void Node::require_free_memory(std::int64_t bytes) const {
  comm::require_free_memory(comm_, bytes);
}

std::int64_t Node::allocate(const Communicator& comm, std::int64_t bytes) {
  free_released();
  comm.agree([&] { require_free_memory(bytes); });
  Window window;
  void* base = nullptr;
  check(MPI_Win_allocate_shared(bytes + std::int64_t{kAlignment}, 1, NoncontiguousInfo().get(), comm_, &base,
                                &window.win),
        "MPI_Win_allocate_shared");
  for (Rank rank = 0; rank < std::ssize(ranks_); ++rank) {
    MPI_Aint size = 0;
    int unit = 0;
    check(MPI_Win_shared_query(window.win, rank, &size, &unit, &base), "MPI_Win_shared_query");
    window.parts.push_back(aligned(base, size));
  }
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window.win), "MPI_Win_lock_all");
  windows_.push_back(std::move(window));
  const auto index = std::ssize(windows_) - 1;
  try {
    comm.agree([&] { populate(own_part(index)); });
  } catch (const ConfigError&) {
    windows_.back().is_released = true;
    throw;
  }
  return index;
}

/// Collective on the node. Frees the windows that all ranks of the node have released.
void Node::free_released() {
  std::vector<unsigned char> is_released;
  for (const auto& window : windows_) is_released.push_back(window.is_released);
  check(MPI_Allreduce(MPI_IN_PLACE, is_released.data(), static_cast<int>(is_released.size()),
                      MPI_UNSIGNED_CHAR, MPI_MIN, comm_),
        "MPI_Allreduce");
  for (std::size_t index = 0; index < is_released.size(); ++index) {
    auto& window = windows_[index];
    if (!is_released[index] || window.win == MPI_WIN_NULL) continue;
    check(MPI_Win_unlock_all(window.win), "MPI_Win_unlock_all");
    check(MPI_Win_free(&window.win), "MPI_Win_free");
    window.parts.clear();
  }
}

NodeMemory::NodeMemory(const Communicator& comm, std::int64_t bytes)
    : node_(comm.node()),
      window_(node_->allocate(comm, bytes)),
      bytes_(node_->own_part(window_).first(bytes)) {}

NodeMemory& NodeMemory::operator=(NodeMemory&& other) noexcept {
  if (this == &other) return *this;
  release();
  node_ = std::move(other.node_);
  window_ = std::exchange(other.window_, -1);
  bytes_ = std::exchange(other.bytes_, {});
  return *this;
}

void NodeMemory::release() {
  if (node_) node_->windows_[window_].is_released = true;
}

}  // namespace halcyon::comm
