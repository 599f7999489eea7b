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

/// The tags of a communicator, each handed out again only when no rank holds it any more. A rank gives a tag
/// back when it likes; what all ranks may take they know from the last time that they agreed on it.
class Tags {
 public:
  static constexpr int kCount = 32768;  ///< what every MPI offers

  /// The same on all ranks, which call it in the same order. Collective where all that may be taken has been:
  /// then ranks agree anew.
  /// @throws ConfigError, on all ranks, where every tag is held by some rank
  int take(MPI_Comm comm);
  void give_back(int tag) { held_[tag] = 0; }

 private:
  using Flags = std::vector<std::uint8_t>;

  int first_left() const;

  Flags held_ = Flags(kCount);   ///< by this rank
  Flags taken_ = Flags(kCount);  ///< held by any rank when they agreed
  int next_ = 0;                 ///< all before have been taken since
};

/// A tag, held as long as any copy of this is there.
class Tag {
 public:
  Tag(std::shared_ptr<Tags> tags, int number)
      : held_(std::make_shared<const Held>(std::move(tags), number)) {}
  int number() const { return held_->number; }

 private:
  struct Held {
    Held(std::shared_ptr<Tags> of, int which) : tags(std::move(of)), number(which) {}
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() { tags->give_back(number); }
    std::shared_ptr<Tags> tags;
    int number;
  };
  std::shared_ptr<const Held> held_;
};

/// Throws RunError with MPI's own text unless `status` is MPI_SUCCESS.
void check(int status, const char* what);

/// The MPI that this library was built for and runs on, as MPI itself names it.
std::string library_version();

/// Whether MPI still runs, so that its objects may be freed.
bool mpi_runs();

class Node;
class Recorder;

/// A communicator of our own: a duplicate, so that our messages never meet the caller's. Copies share it, so
/// a plan keeps the communicator that it was made on; the last one frees it (unless MPI has ended before).
class Communicator {
 public:
  /// Collective. Duplicates a communicator that somebody else owns.
  /// @param max_node_ranks takes a node for several, of at most so many ranks each (for tests); 0: nodes as
  ///        they are
  explicit Communicator(MPI_Comm other, Rank max_node_ranks = 0);

  /// Collective the first time. The one duplicate that belongs to a communicator, by its Fortran handle, as
  /// mpi4py's `comm.py2f()` gives it. All that is made by handles shares it, so that fields in NodeMemory are
  /// known to every exchange; it is freed with the other communicator.
  static Communicator from_fortran(std::int32_t handle);

  Rank rank() const { return rank_; }
  Rank size() const { return size_; }
  MPI_Comm get() const { return shared_->comm; }

  /// Collective. A tag for a plan's messages, held by nothing else on this communicator and its copies.
  /// @throws ConfigError, on all ranks, where all tags are held
  Tag new_tag() const { return {shared_->tags, shared_->tags->take(get())}; }

  /// Collective the first time. The ranks that share memory with this one.
  std::shared_ptr<Node> node() const;

  /// From now on, exchanges that are made on this communicator and its copies are recorded; no more where
  /// there is no recorder. Those made while it records go on with it.
  void record(std::shared_ptr<Recorder> recorder) const { shared_->recorder = std::move(recorder); }
  const std::shared_ptr<Recorder>& recorder() const { return shared_->recorder; }

  /// Collective. Runs `make` and, where it threw on any rank, throws on all: the error of the lowest such
  /// rank.
  template <class Make>
  void agree(const Make& make) const;

  /// Collective. The smallest and the largest value of all ranks.
  std::int64_t min(std::int64_t value) const;
  std::int64_t max(std::int64_t value) const;
  /// Collective. Puts the sums of all ranks' integers, one by one, in their place.
  void sum(std::span<std::int64_t> values) const;

 private:
  struct Shared {
    MPI_Comm comm;
    Rank max_node_ranks = 0;
    std::shared_ptr<Tags> tags = std::make_shared<Tags>();
    std::shared_ptr<Node> node{};
    std::shared_ptr<Recorder> recorder{};
    ~Shared();
  };

  [[noreturn]] void throw_of(Rank thrower, const std::exception_ptr& mine) const;

  std::shared_ptr<Shared> shared_;
  Rank rank_ = 0, size_ = 1;
};

template <class Make>
void Communicator::agree(const Make& make) const {
  std::exception_ptr failure;
  try {
    make();
  } catch (...) {
    failure = std::current_exception();
  }
  const auto lowest = static_cast<Rank>(min(failure ? rank() : size()));
  if (lowest < size()) throw_of(lowest, failure);
}

}  // namespace halcyon::comm
