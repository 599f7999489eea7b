#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/base/index.hpp"

namespace halcyon::comm {

/// The pool of MPI tags of a communicator. Ranks release tags independently; a tag is reused after all ranks
/// have released it. If no tag is known to be free, a reduction over the ranks finds the released tags.
class TagPool {
 public:
  static constexpr int kCount = 32768;  ///< number of tags that the MPI standard guarantees

  /// Returns a free tag, the same on all ranks. All ranks must make the same sequence of calls. Collective
  /// if no tag is known to be free on all ranks.
  /// @throws ConfigError, on all ranks, if every tag is held by some rank
  int acquire(MPI_Comm comm);
  void release(int tag) { held_[tag] = 0; }

 private:
  using Flags = std::vector<std::uint8_t>;

  int first_free() const;

  Flags held_ = Flags(kCount);           ///< tags held by this rank
  Flags held_anywhere_ = Flags(kCount);  ///< tags held by any rank at the last reduction
  int first_candidate_ = 0;              ///< lower tags were held at the last reduction or acquired since
};

/// An MPI tag, shared by the copies of this object; the last copy releases it.
class Tag {
 public:
  Tag(std::shared_ptr<TagPool> tags, int number)
      : lease_(std::make_shared<const Lease>(std::move(tags), number)) {}
  int number() const { return lease_->number; }

 private:
  struct Lease {
    Lease(std::shared_ptr<TagPool> tags, int tag) : pool(std::move(tags)), number(tag) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool->release(number); }
    std::shared_ptr<TagPool> pool;
    int number;
  };
  std::shared_ptr<const Lease> lease_;
};

/// Checks the status that the MPI function named `call` returned.
/// @throws RunError with MPI's error string unless `status` is MPI_SUCCESS
void check(int status, const char* call);

std::string library_version();

/// Whether MPI has not been finalized. After MPI_Finalize, MPI objects must not be freed.
bool is_mpi_active();

class Node;
class Recorder;

/// A duplicate of an MPI communicator, so that a receive of Halcyon never matches a message of the caller.
/// Copies of this object, also the copies in exchanges, share the duplicate; the last copy frees it.
class Communicator {
 public:
  /// Collective. Duplicates the communicator `other`, which the caller still owns.
  /// @param max_node_ranks splits nodes into virtual nodes of at most this many ranks (tests); 0: no split
  explicit Communicator(MPI_Comm other, Rank max_node_ranks = 0);

  /// Collective on the first call. Returns the duplicate that is cached on the communicator with this Fortran
  /// handle (`comm.py2f()` of mpi4py). All users of the handle share the duplicate, so that every exchange
  /// recognizes fields in NodeMemory; the duplicate is freed with the original communicator.
  static Communicator from_fortran(std::int32_t handle);

  Rank rank() const { return rank_; }
  Rank size() const { return size_; }
  MPI_Comm get() const { return shared_->comm; }

  /// Collective. Returns a tag that nothing else uses on this communicator and its copies.
  /// @throws ConfigError, on all ranks, if all tags are in use
  Tag new_tag() const { return {shared_->tags, shared_->tags->acquire(get())}; }

  /// Collective on the first call. Returns the ranks that share memory with this rank.
  std::shared_ptr<Node> node() const;

  /// Sets the recorder of all exchanges that are created on this communicator and its copies from now on;
  /// null: new exchanges are not recorded. An exchange keeps the recorder with which it was created.
  void set_recorder(std::shared_ptr<Recorder> recorder) const { shared_->recorder = std::move(recorder); }
  const std::shared_ptr<Recorder>& recorder() const { return shared_->recorder; }

  /// Collective. Calls `body`; if it throws on any rank, all ranks throw the error of the lowest failed rank.
  template <class Body>
  void agree(const Body& body) const;

  /// Collective. Minimum and maximum over all ranks.
  std::int64_t min(std::int64_t value) const;
  std::int64_t max(std::int64_t value) const;
  /// Collective. Replaces each integer by its sum, or its minimum, over all ranks.
  void sum(std::span<std::int64_t> values) const;
  void min(std::span<std::int64_t> values) const;
  /// Collective. Copies bytes from rank 0 to all ranks, in messages of at most `piece_bytes` (< 2^31).
  void broadcast(std::span<std::byte> bytes, std::size_t piece_bytes = std::size_t{1} << 30) const;

 private:
  struct Shared {  // by all copies
    MPI_Comm comm;
    Rank max_node_ranks = 0;
    std::shared_ptr<TagPool> tags = std::make_shared<TagPool>();
    std::shared_ptr<Node> node{};
    std::shared_ptr<Recorder> recorder{};
    ~Shared();
  };

  [[noreturn]] void rethrow_from(Rank thrower, const std::exception_ptr& failure) const;

  std::shared_ptr<Shared> shared_;
  Rank rank_ = 0, size_ = 1;
};

template <class Body>
void Communicator::agree(const Body& body) const {
  std::exception_ptr failure;
  try {
    body();
  } catch (...) {
    failure = std::current_exception();
  }
  const auto lowest = static_cast<Rank>(min(failure ? rank() : size()));
  if (lowest < size()) rethrow_from(lowest, failure);
}

}  // namespace halcyon::comm
