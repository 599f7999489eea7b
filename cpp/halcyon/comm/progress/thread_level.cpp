#include "halcyon/comm/progress/thread_level.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/communicator.hpp"

namespace halcyon::comm {

namespace {

/// What switches the threads of an MPI on, by a word of how that MPI calls itself.
constexpr std::array<std::pair<const char*, const char*>, 4> kSwitches{
    {{"Intel", "I_MPI_ASYNC_PROGRESS"},
     {"CRAY", "MPICH_NEMESIS_ASYNC_PROGRESS"},
     {"MPICH", "MPICH_ASYNC_PROGRESS"},
     {"MPICH", "MPIR_CVAR_ASYNC_PROGRESS"}}};

bool is_on(std::string value) {
  std::ranges::transform(value, value.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array kOff{"", "0", "no", "off", "false", "disable", "disabled"};
  return std::ranges::find(kOff, value) == kOff.end();
}

int level() {
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level), "MPI_Query_thread");
  return level;
}

}  // namespace

std::string_view thread_level() {
  switch (level()) {
    case MPI_THREAD_MULTIPLE:
      return "MPI_THREAD_MULTIPLE";
    case MPI_THREAD_SERIALIZED:
      return "MPI_THREAD_SERIALIZED";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    default:
      return "MPI_THREAD_SINGLE";
  }
}

void require_thread_multiple(const std::string& what) {
  require<ConfigError>(
      level() == MPI_THREAD_MULTIPLE,
      "{} needs MPI_THREAD_MULTIPLE, but MPI was started with {}. Start it by MPI_Init_thread(..., "
      "MPI_THREAD_MULTIPLE, ...), in Python with mpi4py.rc.thread_level = 'multiple' (mpi4py's default), or "
      "use progress 'poll' or 'none'.",
      what, thread_level());
}

std::string mpi_own_progress() {
  const auto version = library_version();
  for (const auto& [mpi, name] : kSwitches) {
    const char* value = std::getenv(name);
    if (value && is_on(value) && version.find(mpi) != std::string::npos)
      return fmt::format("{}={}", name, value);
  }
  return {};
}

}  // namespace halcyon::comm
