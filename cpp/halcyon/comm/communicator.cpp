#include "halcyon/comm/communicator.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/node.hpp"

namespace halcyon::comm {
namespace {

std::int64_t reduce(MPI_Comm comm, std::int64_t value, MPI_Op operation) {
  std::int64_t result = 0;
  check(MPI_Allreduce(&value, &result, 1, MPI_INT64_T, operation, comm), "MPI_Allreduce");
  return result;
}

void reduce(MPI_Comm comm, std::span<std::int64_t> values, MPI_Op operation) {
  const auto count = static_cast<int>(values.size());
  check(MPI_Allreduce(MPI_IN_PLACE, values.data(), count, MPI_INT64_T, operation, comm), "MPI_Allreduce");
}

enum class ErrorKind : int { config, input, run, internal };

std::pair<ErrorKind, std::string> kind_and_text(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const ConfigError& error) {
    return {ErrorKind::config, error.what()};
  } catch (const InputError& error) {
    return {ErrorKind::input, error.what()};
  } catch (const RunError& error) {
    return {ErrorKind::run, error.what()};
  } catch (const std::exception& error) {
    return {ErrorKind::internal, error.what()};
  }
}

/// Deletes the duplicate that is cached as an attribute of `other`. MPI calls this function when it frees
/// `other`; it frees MPI_COMM_WORLD and MPI_COMM_SELF in MPI_Finalize, too late to free the duplicate.
int free_duplicate(MPI_Comm other, int, void* duplicate, void*) {
  if (other != MPI_COMM_WORLD && other != MPI_COMM_SELF) delete static_cast<Communicator*>(duplicate);
  return MPI_SUCCESS;
}

/// Creates the key of the attribute that caches a duplicate.
int create_duplicate_key() {
  int key = MPI_KEYVAL_INVALID;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_duplicate, &key, nullptr),
        "MPI_Comm_create_keyval");
  return key;
}

}  // namespace

void check(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw RunError(fmt::format("{} failed: {}", call, std::string(text, length)));
}

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  check(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  return {text, static_cast<std::size_t>(length)};
}

bool is_mpi_active() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  return !finalized;
}

Communicator::Communicator(MPI_Comm other, Rank max_node_ranks) {
  MPI_Comm copy = MPI_COMM_NULL;
  check(MPI_Comm_dup(other, &copy), "MPI_Comm_dup");
  shared_ = std::make_shared<Shared>(copy, max_node_ranks);
  check(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(copy, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(copy, &size_), "MPI_Comm_size");
}

Communicator Communicator::from_fortran(std::int32_t handle) {
  static const int key = create_duplicate_key();
  const MPI_Comm other = MPI_Comm_f2c(handle);
  void* cached = nullptr;
  int is_cached = 0;
  check(MPI_Comm_get_attr(other, key, &cached, &is_cached), "MPI_Comm_get_attr");
  if (!is_cached) {
    auto duplicate = std::make_unique<Communicator>(other);
    check(MPI_Comm_set_attr(other, key, duplicate.get()), "MPI_Comm_set_attr");
    cached = duplicate.release();
  }
  return *static_cast<Communicator*>(cached);
}

Communicator::Shared::~Shared() {
  if (is_mpi_active()) MPI_Comm_free(&comm);
}

std::shared_ptr<Node> Communicator::node() const {
  if (!shared_->node) shared_->node = std::make_shared<Node>(get(), shared_->max_node_ranks);
  return shared_->node;
}

std::int64_t Communicator::min(std::int64_t value) const {
  return reduce(get(), value, MPI_MIN);
}
std::int64_t Communicator::max(std::int64_t value) const {
  return reduce(get(), value, MPI_MAX);
}

void Communicator::sum(std::span<std::int64_t> values) const {
  reduce(get(), values, MPI_SUM);
}
void Communicator::min(std::span<std::int64_t> values) const {
  reduce(get(), values, MPI_MIN);
}

void Communicator::broadcast(std::span<std::byte> bytes, std::size_t piece_bytes) const {
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(piece_bytes, bytes.size())))
    check(MPI_Bcast(bytes.data(), static_cast<int>(std::min(piece_bytes, bytes.size())), MPI_BYTE, 0, get()),
          "MPI_Bcast");
}

/// Collective. Throws the error of rank `thrower` on all ranks, with the same type and text.
void Communicator::rethrow_from(Rank thrower, const std::exception_ptr& failure) const {
  auto [kind, text] =
      rank() == thrower ? kind_and_text(failure) : std::pair(ErrorKind::internal, std::string());
  std::array<int, 2> header{static_cast<int>(kind), static_cast<int>(text.size())};
  check(MPI_Bcast(header.data(), 2, MPI_INT, thrower, get()), "MPI_Bcast");
  text.resize(header[1]);
  check(MPI_Bcast(text.data(), header[1], MPI_CHAR, thrower, get()), "MPI_Bcast");
  kind = static_cast<ErrorKind>(header[0]);
  if (kind == ErrorKind::config) throw ConfigError(text);
  if (kind == ErrorKind::input) throw InputError(text);
  if (kind == ErrorKind::run) throw RunError(text);
  throw InternalError(text);
}

int TagPool::first_free() const {
  return static_cast<int>(std::find(held_anywhere_.begin() + first_candidate_, held_anywhere_.end(), 0) -
                          held_anywhere_.begin());
}

int TagPool::acquire(MPI_Comm comm) {
  int tag = first_free();
  if (tag == kCount) {
    check(MPI_Allreduce(held_.data(), held_anywhere_.data(), kCount, MPI_UINT8_T, MPI_MAX, comm),
          "MPI_Allreduce");
    first_candidate_ = 0;
    tag = first_free();
  }
  require<ConfigError>(
      tag < kCount,
      "One communicator has {} exchanges, one per MPI tag, which is the limit. Free exchanges that are no "
      "longer needed, or create others on a duplicate of the communicator.",
      kCount);
  first_candidate_ = tag + 1;
  held_[tag] = 1;
  return tag;
}

}  // namespace halcyon::comm
