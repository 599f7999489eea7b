#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

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

}  // namespace halcyon::comm
