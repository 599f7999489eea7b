#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "halcyon/capi/handles.hpp"

namespace halcyon::capi {
namespace {

thread_local std::string last_error;  // text of the last error

int store(const std::exception& error, int status) {
  last_error = error.what();
  return status;
}

/// Rank in MPI_COMM_WORLD; 0 if MPI is not running.
int rank_in_job() {
  int is_initialized = 0, is_finalized = 0, rank = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  if (is_initialized && !is_finalized) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Selects ROMIO before MPI starts, since Open MPI's OMPIO reports success on a full disk and sometimes reads
/// zeros.
[[gnu::constructor]] void select_romio() {
  setenv("OMPI_MCA_io", "romio321", 0);
}

}  // namespace

int status_of_exception() noexcept {
  try {
    throw;
  } catch (const ConfigError& error) {
    return store(error, HALCYON_INPUT_ERROR);
  } catch (const InputError& error) {
    return store(error, HALCYON_INPUT_ERROR);
  } catch (const RunError& error) {
    return store(error, HALCYON_RUN_ERROR);
  } catch (const std::exception& error) {
    return store(error, HALCYON_INTERNAL_ERROR);
  }
}

}  // namespace halcyon::capi

const char* halcyon_error_message() {
  return halcyon::capi::last_error.c_str();
}

void halcyon_stop(int32_t status) {
  constexpr std::chrono::seconds kWaitForRankZero{5};
  if (halcyon::capi::rank_in_job() > 0) std::this_thread::sleep_for(kWaitForRankZero);
  std::fprintf(stderr, "halcyon: %s\n", halcyon_error_message());
  std::fflush(nullptr);
  std::_Exit(status);  // without waiting for MPI or writer threads, since other ranks may be blocked
}

const char* halcyon_version() {
  return HALCYON_VERSION;
}
