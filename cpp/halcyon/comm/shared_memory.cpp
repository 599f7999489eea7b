#include "halcyon/comm/shared_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/communicator.hpp"

namespace halcyon::comm {
namespace {

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
      "another exchange method than 'shared' and 'put', such as isend_irecv.",
      needed_bytes / kMega, folder, free_bytes / kMega));
}

double free_bytes_in(const std::string& folder) {
  struct statvfs space{};
  const bool is_known = statvfs(folder.c_str(), &space) == 0;
  return is_known ? static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize) : 0;
}

}  // namespace

void require_free_memory(MPI_Comm node, std::int64_t bytes) {
  int n_ranks = 0;
  check(MPI_Comm_size(node, &n_ranks), "MPI_Comm_size");
  const auto size = static_cast<double>(bytes);
  double needed_bytes = 0;
  check(MPI_Allreduce(&size, &needed_bytes, 1, MPI_DOUBLE, MPI_SUM, node), "MPI_Allreduce");
  if (n_ranks == 1) return;  // private memory of the process
  const auto pages = static_cast<double>(sysconf(_SC_PAGESIZE) * (n_ranks + 1));
  needed_bytes = kReserve * needed_bytes + pages;
  const auto folder = backing_folder();
  const double free_bytes = free_bytes_in(folder);
  if (needed_bytes > free_bytes) refuse(needed_bytes, folder, free_bytes);
}

void populate(std::span<std::byte> part) {
#ifdef MADV_POPULATE_WRITE
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto skipped = reinterpret_cast<std::uintptr_t>(part.data()) % page;
  if (part.empty() || madvise(part.data() - skipped, part.size() + skipped, MADV_POPULATE_WRITE) == 0) return;
  if (errno == EINVAL) return;
  refuse(static_cast<double>(part.size()), backing_folder(), free_bytes_in(backing_folder()));
#endif
}

}  // namespace halcyon::comm
