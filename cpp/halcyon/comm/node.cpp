#include "halcyon/comm/node.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/communicator.hpp"

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

constexpr double kReserve = 1.1;  ///< Open MPI keeps 5 % of a backing file's size free

/// The folder in which MPI creates the files that back shared windows: Open MPI's parameter, else /dev/shm,
/// else the folder of temporary files.
std::string backing_folder() {
  if (const char* parameter = std::getenv("OMPI_MCA_osc_sm_backing_directory")) return parameter;
  if (access("/dev/shm", W_OK) == 0) return "/dev/shm";
  const char* temporary = std::getenv("TMPDIR");
  return temporary ? temporary : "/tmp";
}

[[noreturn]] void refuse(double needed_bytes, const std::string& folder, double free_bytes) {
  constexpr double kMega = 1e6;
  throw ConfigError(fmt::format(
      "Shared memory of {:.6g} MB is needed on a node, but {} has {:.6g} MB free. Enlarge it, or use "
      "another exchange method than 'shared', such as isend_irecv.",
      needed_bytes / kMega, folder, free_bytes / kMega));
}

double free_bytes_in(const std::string& folder) {
  struct statvfs space{};
  const bool is_known = statvfs(folder.c_str(), &space) == 0;
  return is_known ? static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize) : 0;
}

/// Occupies the pages of a window, which otherwise end the process at their first use if the folder is full.
/// Does nothing on Linux before 5.14. @throws ConfigError if the folder is full
void populate(std::span<std::byte> part) {
#ifdef MADV_POPULATE_WRITE
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto skipped = reinterpret_cast<std::uintptr_t>(part.data()) % page;
  if (part.empty() || madvise(part.data() - skipped, part.size() + skipped, MADV_POPULATE_WRITE) == 0) return;
  if (errno == EINVAL) return;
  refuse(static_cast<double>(part.size()), backing_folder(), free_bytes_in(backing_folder()));
#endif
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

/// Collective on the node. MPI_Win_allocate_shared fails on one rank alone, and the other ranks hang, if
/// there is no space for the window; so the ranks look first.
void Node::require_free_memory(std::int64_t bytes) const {
  const auto size = static_cast<double>(bytes);
  double needed_bytes = 0;
  check(MPI_Allreduce(&size, &needed_bytes, 1, MPI_DOUBLE, MPI_SUM, comm_), "MPI_Allreduce");
  if (ranks_.size() == 1) return;  // private memory of the process
  const auto pages = static_cast<double>(sysconf(_SC_PAGESIZE) * (std::ssize(ranks_) + 1));
  needed_bytes = kReserve * needed_bytes + pages;
  const auto folder = backing_folder();
  const double free_bytes = free_bytes_in(folder);
  if (needed_bytes > free_bytes) refuse(needed_bytes, folder, free_bytes);
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
